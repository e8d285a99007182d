# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every error and remark of the compiler stands in a test.

Of each place in lib/ that emits one, the longest piece of fixed text, or the
beginning of it, has to occur in a file under test/. A check of the compiler's
own steps, which no input is known to fail, says so in a comment in the three
lines before it: "No test: ..".
"""

import pathlib
import re
import sys

import tree

EMIT = re.compile(
    r"\b(emitOpError|emitError|emitOptionalError|emitWarning|passed|missed|failed"
    r"|analysis)\s*\("
)  # (`failed(` without text is LLVM's test of a result.)
# So much of a text tells it from all others.
ENOUGH = 60
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def statement(text, start):
    """From `start` to the `;` that ends the statement, strings respected."""
    i, quoted = start, False
    while i < len(text) and (quoted or text[i] not in ";{"):
        if text[i] == "\\" and quoted:
            i += 1
        elif text[i] == '"':
            quoted = not quoted
        i += 1
    return text[start:i]


def pieces(code):
    """The fixed text of all literals, those that only a line break parts joined."""
    code = re.sub(r'"\s*\n\s*"', "", code)
    literals = [re.sub(r"\\(.)", r"\1", p) for p in LITERAL.findall(code)]
    # formatv has values where it says {0}.
    return [p for text in literals for p in re.split(r"\{\d[^}]*\}", text)]


def main():
    root = pathlib.Path(sys.argv[1])
    paths = tree.files(root)
    tests = "\n".join(
        (root / p).read_text(errors="replace")
        for p in paths
        if p.parts[0] == "test" and p.suffix in {".mlir", ".test", ".py", ".cpp"}
    )
    sites = untested = 0
    for path in paths:
        if path.parts[0] != "lib" or path.suffix not in {".cpp", ".h"}:
            continue
        source = (root / path).read_text()
        lines = source.split("\n")
        text = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), source)
        for match in EMIT.finditer(text):
            code = statement(text, match.start())
            found = [p for p in pieces(code) if len(p.strip()) > 3 and p[:3] != "hk-"]
            if not found or (match[1] == "failed" and "<<" not in code):
                continue
            line = text.count("\n", 0, match.start()) + 1
            if "// No test: " in "\n".join(lines[max(0, line - 4) : line]):
                continue
            sites += 1
            piece = max(found, key=len)
            if piece.strip()[:ENOUGH] not in tests:
                print(f'{path}:{line}: expects a test of "{piece}", but got none')
                untested += 1
    print(f"{sites} diagnostics and remarks, {untested} without a test")
    return 1 if untested else 0


if __name__ == "__main__":
    sys.exit(main())
