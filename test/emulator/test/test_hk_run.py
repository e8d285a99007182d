# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-run on the emulated device: the module of make_affine_module.cpp,
y = (x w0 + b0) w1 + b1 on rows of 8, checked by the module's own oracle."""

import os
import subprocess
import sys

RUN, MODULE, PARAMS, DRIVER = sys.argv[1:]


def run(code, text, *words, **env):
    result = subprocess.run(
        [RUN, MODULE, "--params", PARAMS, "--device", "cuda", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "HK_CUDA_DRIVER": DRIVER, **env},
    )
    said = result.stdout + result.stderr
    assert result.returncode == code, (result.returncode, said)
    assert text in said, said


for mode in ({}, {"HK_EMULATOR_LAZY": "1", "HK_EMULATOR_RACES": "1"}):
    for words in ([], ["--plan", "layers"], ["--plan", "layers", "--graph"]):
        run(0, "check passed", "--batch", "7", "--check=all", *words, **mode)
run(0, "hk emulator", "--batch", "3", "--repeat", "2")
# A launch that the emulator ends is an error, not a result.
run(4, "CUDA_ERROR_LAUNCH_FAILED", "--batch", "7", HK_EMULATOR_BUDGET="1")
run(4, "got an endless loop near line", "--batch", "7", HK_EMULATOR_BUDGET="1")
