# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links between the pages lead somewhere, and the index knows every page."""

import pathlib
import re
import sys

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    linked = set()
    pages = [p for p in tree.files(root) if p.suffix == ".md"]
    for page in pages:
        text = re.sub(r"```.*?```", "", (root / page).read_text(), flags=re.DOTALL)
        for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
            if re.match(r"\w+:", target):
                continue
            path = (root / page.parent / target).resolve()
            if page == pathlib.Path("docs/README.md"):
                linked.add(path)
            if not path.exists():
                print(f"{page}: expects a link to a file, but got '{target}'")
                failed += 1
    for page in pages:
        if page.parts[0] == "docs" and page.name != "README.md":
            if (root / page).resolve() not in linked:
                print(f"docs/README.md: expects a link to {page}, but got none")
                failed += 1
    print(f"{len(pages)} pages, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
