# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-run --device on a CUDA driver without a GPU (fake_cuda_driver.cpp), with
the module of make_affine_module.cpp: y = (x w0 + b0) w1 + b1 on rows of 8."""
import json
import sys
import unittest

import numpy as np

from cli_case import CliCase

MODULE = PARAMS = DRIVER = None


class CudaCase(CliCase):
    def run_cuda(self, *words, code=0, env=None):
        return self.run_tool(MODULE, "--params", PARAMS, *words, code=code,
                             env={"HK_CUDA_DRIVER": DRIVER, **(env or {})})

    def refuses(self, message, *words, code, env=None):
        self.assert_error(message, MODULE, "--params", PARAMS, *words, code=code,
                          env={"HK_CUDA_DRIVER": DRIVER, **(env or {})})


class Runs(CudaCase):
    def test_results_come_back(self):
        x = np.arange(24, dtype=np.float32).reshape(3, 8)
        i = np.arange(8, dtype=np.float32)
        expected = (x * (1 + i) - i) * (2 + i) + 0.5 - i
        np.save(self.path("x.npy"), x)
        for words in ([], ["--graph"], ["--plan", "folded"], ["--repeat", "5"]):
            y = self.path("y.npy")
            stdout, _ = self.run_cuda("--device", "cuda", "--input", self.path("x.npy"),
                                      "--output", y, *words)
            np.testing.assert_allclose(np.load(y), expected, rtol=1e-5)
            self.assertRegex(stdout.splitlines()[-1],
                             r"^forward: [\d.]+ ms, plan (layers|folded), sm_80, Fake GPU, "
                             r"not checked$")

    def test_the_oracle_checks_on_the_cpu(self):
        stdout, _ = self.run_cuda("--device", "cuda:0", "--batch", "9", "--check=all")
        self.assertIn("9 of 9 sequences, 72 elements, 0 failed", stdout)
        self.assertIn("check passed", stdout)

    def test_times_are_the_devices(self):
        # The driver says: a millisecond a launch.
        path = self.path("report.json")
        self.run_cuda("--device", "cuda", "--plan", "layers", "--repeat", "7", "--json", path)
        with open(path) as stream:
            report = json.load(stream)
        self.assertEqual(report["device"], "Fake GPU")
        self.assertAlmostEqual(report["seconds"]["median"], 2e-3)

    def test_batch_zero(self):
        self.run_cuda("--device", "cuda", "--batch", "0", "--output", self.path("y.npy"))
        self.assertEqual(np.load(self.path("y.npy")).shape, (0, 8))

    def test_auto(self):
        self.assertIn("Fake GPU", self.run_cuda("--device", "auto")[0])
        stdout, _ = self.run_cuda("--device", "auto", env={"HK_CUDA_DRIVER": "/none.so"})
        self.assertIn("x86-64, ", stdout)
        self.assertIn("x86-64, ", self.run_cuda()[0])


class Refuses(CudaCase):
    def test_words(self):
        for text in ("gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CUDA"):
            self.refuses(f"expects --device cpu, cuda, cuda:N or auto, but got '{text}'",
                         "--device", text, code=1)
        self.refuses("expects --guard with --device cpu, but got --device cuda", "--device", "cuda",
                     "--guard", code=1)
        self.refuses("expects a CUDA device for streams and graphs, but got the CPU", "--graph",
                     code=2)

    def test_machines(self):
        self.refuses("expects a GPU 3, but got 1 GPU in this machine", "--device", "cuda:3", code=2)
        self.refuses("expects the CUDA driver, but got none: /none.so", "--device", "cuda", code=2,
                     env={"HK_CUDA_DRIVER": "/none.so"})

    def test_failures(self):
        for call, error, message, code in (
                ("cuMemAlloc_v2", 2, "packed parameters 'w': cannot allocate 128 bytes on the GPU: "
                 "CUDA_ERROR_OUT_OF_MEMORY", 3),
                ("cuStreamCreate", 1, "cannot create a stream", 3),
                ("cuEventCreate", 1, "cannot create an event", 3),
                ("cuLaunchKernelEx", 719, "kernel 'affine': cannot launch 1 CTAs", 4),
                ("cuStreamSynchronize", 700, "a kernel or a copy failed: "
                 "CUDA_ERROR_ILLEGAL_ADDRESS", 4),
                ("cuMemcpyDtoH_v2", 700, "cannot copy 32 bytes from the GPU", 4)):
            self.refuses(message, "--device", "cuda", "--plan", "layers", code=code,
                         env={"HK_FAKE_CUDA_FAIL": f"{call}:{error}"})


if __name__ == "__main__":
    CliCase.tool, MODULE, PARAMS, DRIVER = (sys.argv.pop(1) for _ in range(4))
    unittest.main()
