# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the examples of the dialect's reference as one module.

    examples.py docs/reference/dialect.md > module.mlir

Every operation must have an example, or name an operation whose example holds
it. An example may use values that it does not define: they become arguments of
the function around it, of the types that the example gives them. Examples of
symbols (`hk.packed`, ..) stand at the top, where the others find them.
"""

import re
import sys

HEADING = re.compile(r"^### (?:`(hk\.[\w.]+)`|(\w+))", re.MULTILINE)
CODE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
SEE = re.compile(r"^Example: see (.*)$", re.MULTILINE)
VALUE = re.compile(r"%[A-Za-z_]\w*")


def split_types(text):
    """`a<b, c>, d` as [`a<b, c>`, `d`]."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def free_values(example):
    """The undefined values of one operation, with their types."""
    captured = dict(re.findall(r"%\w+ = (%\w+) : ([^,)]+>|\w+)", example))
    if captured:  # `%argument = %operand : type` of a region operation
        return captured
    operation = example.rpartition(" = hk.")[2]
    operation = re.sub(r"\{[^}]*\}", "", operation)  # attributes have types too
    head, _, types = operation.replace("\n", " ").partition(" : ")
    index = {v: "index" for v in re.findall(r"\[(%\w+)\]", head)}
    types = split_types(re.split(r" to | ?->", types)[0])
    values = [v for v in dict.fromkeys(VALUE.findall(head)) if v not in index]
    # One type may stand for several operands.
    types += types[-1:] * (len(values) - len(types))
    return {**dict(zip(values, types)), **index}


def sections(text):
    """Pairs of a name (an operation or an attribute) and what is said of it."""
    found = list(HEADING.finditer(text))
    ends = [m.start() for m in found[1:]] + [len(text)]
    for match, end in zip(found, ends):
        yield match[1] or match[2], text[match.end() : end]


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    examples, see, failed = {}, {}, False
    for name, body in sections(text):
        code = CODE.findall(body)
        if code:
            examples[name] = code
        elif match := SEE.search(body):
            see[name] = re.findall(r"`(hk\.[\w.]+)`", match[1])
        elif name.startswith("hk."):
            print(f"expects an example of {name}, but got none", file=sys.stderr)
            failed = True
    for name, others in see.items():
        for other in others:
            if name not in "".join(examples.get(other, [])):
                print(
                    f"expects the example of {other} to hold {name}, but got none",
                    file=sys.stderr,
                )
                failed = True

    symbols, functions = [], []
    for name, codes in examples.items():
        for code in codes:
            code = code.rstrip()
            label = "example_" + re.sub(r"\W", "_", name)
            if re.match(r"hk\.(packed|executable|plan) @", code):
                symbols.append(code)
                if plan := re.search(r" of @(\w+) ", code):
                    inputs = re.search(r"\^bb0\((.*)\):", code)[1]
                    inputs = ", ".join(re.findall(r": ([^,]+)", inputs))
                    results = re.search(r"hk\.yield .* : (.*)", code)[1]
                    symbols.append(
                        f"func.func private @{plan[1]}({inputs}) -> ({results})"
                    )
            elif code.startswith(("#", "tensor<")):
                functions.append(
                    f"func.func @{label}() attributes {{hk.example = {code}}} {{\n"
                    "  return\n}"
                )
            else:
                arguments = ", ".join(f"{v}: {t}" for v, t in free_values(code).items())
                functions.append(
                    f"func.func @{label}({arguments}) {{\n{code}\nreturn\n}}"
                )
    print("\n\n".join(symbols + functions))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
