#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a fresh Debian 12 to a Transformer that runs: installs what is missing,
# builds hk, compiles an example network, runs it on random inputs, and prints
# the time and the check against the network's fp64 reference.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
quiet=()
[ -t 1 ] || quiet=(--quiet)

tools/install-deps.sh

step "Building hk in build/release"
cmake --preset release --log-level=WARNING >/dev/null
cmake --build --preset release --target hk-model hk-compile hk-run -- "${quiet[@]}"

bin=build/release/bin
example=build/example
mkdir -p "$example"

step "Writing the example network and random parameters to $example"
"$bin/hk-model" --shape 2 -o "$example/model.mlir" \
  --params "$example/parameters.safetensors" --seed 1

# For the CPU, and for the GPU if there is one that hk compiles for.
targets=cpu
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
  head -n 1 || true)
case "$capability" in
  8.0 | 8.6 | 8.9 | 12.0) targets+=",sm_${capability/./}" ;;
  9.0) targets+=,sm_90a ;;
esac

step "Compiling it to $example/model.hkm (for $targets)"
start=$(date +%s%N)
"$bin/hk-compile" "$example/model.mlir" --target="$targets" --oracle \
  -o "$example/model.hkm"
echo "compiled in $((($(date +%s%N) - start) / 1000000)) ms"

step "Running it, and checking it against its fp64 reference"
"$bin/hk-run" "$example/model.hkm" --params "$example/parameters.safetensors" \
  --device auto --check --repeat 100
