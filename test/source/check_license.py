# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file begins with the SPDX line, in the syntax of its comments."""

import pathlib
import sys

import tree

LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# Files that can hold no comment, or are the licence.
WITHOUT = {".json", ".npy", ".safetensors", ".hkm", ".bin"}
WITHOUT_NAMES = {"LICENSE", ".gitignore", ".clang-format"}


def main():
    root = pathlib.Path(sys.argv[1])
    failed = 0
    for path in tree.files(root):
        if path.suffix in WITHOUT or path.name in WITHOUT_NAMES:
            continue
        lines = (root / path).read_bytes()[:400].decode("utf-8", "replace").split("\n")
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if LINE not in first:
            print(f"{path}: expects the first line to hold '{LINE}', but got '{first}'")
            failed += 1
    print(f"{failed} files without the line")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
