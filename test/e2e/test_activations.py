# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error of the vectorised activations against float64, over sweeps of f32.

Compiles a network of one activation for each instruction set and runs it on
dense sweeps of [-20, 20], on numbers of every magnitude and on special values.
The bounds are those that docs/cpu.md states.
"""
import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import reference  # noqa: E402

BIN = ""
SEQ, DIM = 1024, 1024
# kind: (absolute, relative) error that is allowed; either will do.
BOUNDS = {"gelu_erf": (4e-7, 2e-7), "gelu_tanh": (4e-7, 1e-6), "silu": (4e-7, 1e-6), "relu": (0, 0)}


def sweep():
    """[1, SEQ, DIM] f32: half an even sweep, half numbers of every magnitude."""
    half = SEQ * DIM // 2
    even = np.linspace(-20, 20, half)
    rng = np.random.default_rng(1)
    wide = np.exp2(rng.uniform(-30, 7, half)) * rng.choice([-1, 1], half)
    return np.concatenate([even, wide]).astype(np.float32).reshape(1, SEQ, DIM)


def run(kind, isa, x):
    batch, seq, dim = x.shape
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        pathlib.Path(path("a.mlir")).write_text(
            f"func.func @forward(%x: tensor<?x{seq}x{dim}xf32>) -> tensor<?x{seq}x{dim}xf32> {{\n"
            f"  %y = hk.activation {kind} %x : tensor<?x{seq}x{dim}xf32>\n"
            f"  return %y : tensor<?x{seq}x{dim}xf32>\n}}\n"
        )
        np.save(path("x.npy"), x)
        subprocess.run([os.path.join(BIN, "hk-compile"), path("a.mlir"), "-o", path("a.hkm")], check=True)
        subprocess.run(
            [os.path.join(BIN, "hk-run"), path("a.hkm"), "--input", path("x.npy"), "--output", path("y.npy")],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, HK_ISA=isa),
        )  # fmt: skip
        return np.load(path("y.npy"))


class Activations(unittest.TestCase):
    def test_sweeps(self):
        x = sweep()
        wide = x.astype(np.float64)
        for kind, (absolute, relative) in BOUNDS.items():
            expected = reference.activation(kind, wide)
            for isa in ("x86-64-v4", "x86-64-v3", "x86-64"):
                with self.subTest(kind=kind, isa=isa):
                    error = np.abs(run(kind, isa, x) - expected)
                    allowed = np.maximum(absolute, relative * np.abs(expected))
                    worst = np.unravel_index(np.argmax(error - allowed), x.shape)
                    self.assertTrue((error <= allowed).all(), f"at x = {x[worst]}: error {error[worst]}")

    def test_special_values(self):
        x = np.zeros((1, 1, 8), np.float32)
        x[0, 0] = [0.0, -0.0, math.inf, -math.inf, math.nan, 3e38, -3e38, 1e-40]
        for kind in BOUNDS:
            for isa in ("x86-64-v4", "x86-64-v3", "x86-64"):
                with self.subTest(kind=kind, isa=isa):
                    y = run(kind, isa, x)[0, 0]
                    self.assertEqual(y[0], 0)
                    self.assertEqual(y[1], 0)
                    self.assertEqual(y[2], math.inf)
                    self.assertTrue(math.isnan(y[4]))
                    self.assertEqual(y[5], np.float32(3e38))
                    self.assertEqual(y[6], 0)
                    self.assertLessEqual(abs(y[7]), 1e-40)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="folder of hk-compile and hk-run")
    arguments, rest = parser.parse_known_args()
    BIN = arguments.bin
    unittest.main(argv=[sys.argv[0], *rest])
