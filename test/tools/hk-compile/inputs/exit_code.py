# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and fails unless its exit code is the first argument."""
import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    sys.exit(f"expects exit code {sys.argv[1]}, but got {code}")
