# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-emulate: a kernel on NumPy files, and what it refuses, by exit code."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TOOL, KERNELS = sys.argv[1], pathlib.Path(sys.argv[2])


def emulate(code, text, *arguments):
    """Runs the tool; checks its exit code and that `text` is in its words."""
    result = subprocess.run(
        [TOOL, *map(str, arguments)], capture_output=True, text=True
    )
    words = result.stdout + result.stderr
    assert result.returncode == code, (result.returncode, words)
    assert text in words, words


def main():
    with tempfile.TemporaryDirectory() as folder:
        x, out = pathlib.Path(folder) / "x.npy", pathlib.Path(folder) / "out.npy"
        values = np.random.default_rng(1).standard_normal((2, 500)).astype(np.float32)
        np.save(x, values)
        reduce = [KERNELS / "reduce.ptx", "--grid", 2, "--block", 256]
        arguments = ["--arg", f"in:{x}", "--arg", f"out:f32:2:{out}"]
        for mode in [[], ["--lazy"], ["--races"]]:
            emulate(
                0, "instructions", *reduce, *arguments, "--arg", "s32:500", *mode
            )
            sums = np.load(out)
            assert sums.dtype == np.float32 and sums.shape == (2,)
            assert np.allclose(sums, values.astype(np.float64).sum(1), atol=1e-4)

        emulate(1, "expects an access inside", *reduce, *arguments, "--arg", "s32:501")
        emulate(1, "expects 3 arguments (--arg), but got 2", *reduce, *arguments)
        emulate(1, "expects 4 bytes", *reduce, *arguments, "--arg", "u64:500")
        emulate(1, "expects a type", *reduce, "--arg", "f8:1")
        emulate(1, "expects a file that can be read", "nowhere.ptx")
        emulate(1, "expects a PTX file", "--shared", "4")
        emulate(1, "expects a known option", *reduce, "--surprise", "4")
        emulate(1, "expects one to three numbers", *reduce, "--grid", "1,2,3,4")
        emulate(
            1, "expects a kernel of the module", *reduce, "--kernel", "absent"
        )
        emulate(
            3,
            "expects a file that can be written",
            *reduce,
            "--arg",
            f"in:{x}",
            "--arg",
            "out:f32:2:/nonexistent/out.npy",
            "--arg",
            "s32:500",
        )
        odd = pathlib.Path(folder) / "odd.ptx"
        odd.write_text(
            ".version 8.0\n.target sm_80\n.entry k() { tex.1d.v4.f32.s32 a, b; }"
        )
        emulate(1, "line 3: expects a declared register", odd)
        odd.write_text(".version 8.0\n.target sm_80\n.entry k() { vadd; ret; }")
        emulate(2, "does not model the instruction 'vadd'", odd)
        emulate(0, "usage:", "--help")


main()
