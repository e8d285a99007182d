# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk_ctypes.py on the module of make_affine_module.cpp, y = (x w0 + b0) w1 + b1 on
rows of 8: on the CPU, and on the emulated device.

    test_ctypes.py LIBRARY MODULE PARAMS EMULATED_DRIVER
"""
import os
import pathlib
import sys
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / ".." / "python")]
import hk_ctypes  # noqa: E402
import safetensors_file  # noqa: E402

LIBRARY = MODULE = PARAMS = None


class Ctypes(unittest.TestCase):
    def setUp(self):
        self.library = hk_ctypes.Library(LIBRARY)
        self.module = self.library.module(MODULE)
        self.params = self.library.params(safetensors_file.load(PARAMS))
        self.x = np.arange(24, dtype=np.float32).reshape(3, 8)
        i = np.arange(8, dtype=np.float32)
        self.expected = (self.x * (1 + i) - i) * (2 + i) + 0.5 - i

    def test_the_cpu(self):
        context = self.library.context("cpu", threads=1)
        session = context.session(self.module, self.params, "layers")
        y = np.full((3, 8), np.nan, np.float32)
        workspace = np.empty(session.workspace_size(3), np.uint8)
        session.bind([self.x], [y], workspace)()
        np.testing.assert_allclose(y, self.expected, rtol=1e-5)

    def test_the_emulated_device(self):
        context = self.library.context("cuda")
        self.assertEqual(context.device().name.decode(), "hk emulator")
        for plan, role in (("layers", "candidate"), ("folded", "safe")):
            session = context.session(self.module, self.params, plan)
            self.assertEqual((session.plan(), session.role()), (plan, role))
            x, y, again = (hk_ctypes.DeviceArray(context, a) for a in
                           (self.x, np.full((3, 8), np.nan, np.float32), np.full((3, 8), np.nan, np.float32)))
            workspace = hk_ctypes.DeviceArray(context, np.empty(max(1, session.workspace_size(3)), np.uint8))
            session.bind([x], [y], workspace)()
            session.bind([x], [again], workspace).capture()()
            np.testing.assert_allclose(y.numpy(), self.expected, rtol=1e-5)
            np.testing.assert_array_equal(again.numpy(), y.numpy())

    def test_a_runner_writes_sets_in_turn(self):
        context = self.library.context("cuda")
        session = context.session(self.module, self.params, "layers")
        nan = np.full((3, 8), np.nan, np.float32)
        x, one, two = (hk_ctypes.DeviceArray(context, a) for a in (self.x, nan, nan))
        workspace = hk_ctypes.DeviceArray(context, np.empty(max(1, session.workspace_size(3)), np.uint8))
        runner = session.runner([x], [[one], [two]], workspace)
        self.assertEqual(sorted([runner(), runner()]), [0, 1])
        for y in (one, two):
            np.testing.assert_allclose(y.numpy(), self.expected, rtol=1e-5)
        self.assertEqual((runner.info().plan, runner.info().num_sets), (b"layers", 2))

    def test_a_report(self):
        session = self.library.context("cuda").session(self.module, self.params)
        self.assertEqual(session.report()["function"], "forward")

    def test_plans(self):
        self.assertEqual(self.module.plans(), [("layers", "candidate", 2), ("folded", "safe", 1)])

    def test_errors(self):
        with self.assertRaisesRegex(hk_ctypes.Error, "expects one of the plans 'layers', 'folded'"):
            self.library.context("cpu").session(self.module, self.params, "other")
        session = self.library.context("cpu").session(self.module, self.params)
        call = session.bind([self.x[:, :4].copy()], [self.x], np.empty(4096, np.uint8))
        with self.assertRaisesRegex(hk_ctypes.Error, "expects"):
            call()
        call = session.bind([self.x], [self.x.copy()], np.empty(session.workspace_size(3), np.uint8))
        with self.assertRaises(hk_ctypes.Error) as caught:
            call.capture()
        self.assertEqual(caught.exception.code, hk_ctypes.UNSUPPORTED)


if __name__ == "__main__":
    LIBRARY, MODULE, PARAMS, os.environ["HK_CUDA_DRIVER"] = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1])
