#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds hk and runs all its tests. Arguments go to
# ctest, for example `-R lit`.
set -euo pipefail
cd "$(dirname "$0")/.."

quiet=()
[ -t 1 ] || quiet=(--quiet)

tools/install-deps.sh
echo "Building hk in build/release"
cmake --preset release --log-level=WARNING >/dev/null
cmake --build --preset release -- "${quiet[@]}"
ctest --preset release "$@"
