# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the source tree."""

import os
import pathlib
import subprocess

# What is never part of the sources, where git is not there to tell.
SKIPPED = {".git", ".cache", "__pycache__"}


def files(root):
    """The paths, relative to `root`, of all files that git tracks or would."""
    root = pathlib.Path(root)
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\0")
        return sorted(
            p
            for p in map(pathlib.Path, filter(None, listed))
            if (root / p).is_file()
        )
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [
                f for f in folders if f not in SKIPPED and not f.startswith("build")
            ]
            found += [(pathlib.Path(folder) / n).relative_to(root) for n in names]
        return sorted(found)
