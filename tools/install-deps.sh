#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what hk is built from and tested with, on Debian 12. Where everything
# is there already it says nothing and calls no package manager.
set -euo pipefail

packages=(
  # The compiler's compiler, and MLIR 22.1 (from bookworm-security).
  clang-22 lld-22 libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  zlib1g-dev libzstd-dev
  # The runtime and the tools.
  libflatbuffers-dev flatbuffers-compiler libcli11-dev nlohmann-json3-dev
  libxxhash-dev
  # Building and testing.
  cmake ninja-build ccache git libgtest-dev python3-numpy ca-certificates
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "expects root or sudo to install ${missing[*]}, but got neither" >&2
    exit 3
  fi
  sudo=(sudo)
fi

echo "Installing ${missing[*]}"
apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${apt[@]}" update &&
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "expects apt-get to install ${missing[*]}, but got the errors above;" \
    "hk is built on Debian 12 with bookworm-security among its sources" >&2
  exit 3
fi
