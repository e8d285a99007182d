#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds what travels to a machine with a GPU and collects it in build/gpu-pack;
# arguments go to pack.py. There: python3 build/gpu-pack/python/run_on_gpu.py
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${HK_BUILD:-build/release}
ninja -C "$build" hk-model hk-compile hk-run hk-bench hk_runtime_shared
exec python3 test/gpu/pack.py --build "$build" "$@"
