# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-model from the outside: what it writes and what it refuses."""
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python"))
import reference
import safetensors_file
from cli_case import CliCase


class Refuses(CliCase):
    def test_indivisible_heads(self):
        self.assert_error("expects --dim divisible by --heads, but got dim 30 and 4 heads",
                          "--dim", "30")
        self.assert_error("expects --heads divisible by --kv-heads, but got 4 heads and 3 "
                          "key/value heads", "--kv-heads", "3")

    def test_integers(self):
        for option in ("--seq", "--dim", "--heads", "--kv-heads", "--ffn"):
            for text in ("0", "x", "1.5", "99999999999999999999", " 3", "-1"):
                self.assert_error(f"expects {option} to be an integer from 1 to 16777216, but "
                                  f"got '{text}'", f"{option}={text}")
        self.assert_error("expects --layers to be an integer from 1 to 4096, but got '0'",
                          "--layers", "0")
        self.assert_error("expects --shape to be an integer from 1 to 13, but got '14'",
                          "--shape", "14")
        self.assert_error("expects --batch to be an integer from 1 to 16777216, but got 'many'",
                          "--batch", "many")

    def test_choices(self):
        self.assert_error("expects --norm to be one of layer_norm, rms_norm, but got 'batch'",
                          "--norm", "batch")
        self.assert_error("expects --activation to be one of gelu_erf, gelu_tanh, relu, silu, but "
                          "got 'x'", "--activation", "x")
        self.assert_error("expects --mask to be one of key_mask, lengths, none, but got 'x'",
                          "--mask", "x")
        self.assert_error("expects --dtype to be one of f32, f16, bf16, but got 'f64'",
                          "--dtype", "f64")

    def test_combinations(self):
        self.assert_error("expects --mask-rows with a mask, but got --mask none",
                          "--mask", "none", "--mask-rows")
        for words in (["--seed", "1"], ["--random-norm"]):
            self.assert_error("expects --seed and --random-norm with --params, but got no --params",
                              *words)
        self.assert_error("expects --params to be a file, but got stdout", "--params", "-")

    def test_unknown_words(self):
        for word in ("--frobnicate", "stray"):
            self.assert_error(f"expects only what --help lists, but got '{word}'", word)
        self.assert_error("expects another number of values, but got --dim", "--dim")

    def test_unwritable(self):
        self.assert_error("/nonexistent/m.mlir: expects a path that can be written, but got: No "
                          "such file", "-o", "/nonexistent/m.mlir", code=3)
        self.assert_error("/nonexistent/p: expects a path that can be written, but got: No such "
                          "file", "--params", "/nonexistent/p", code=3)
        self.assert_error("expects room for the output, but got: No space left", "-o", "/dev/full",
                          code=3)


class Writes(CliCase):
    def test_help(self):
        self.assertIn("--kv-heads", self.assert_short_help())

    def test_list_shapes(self):
        stdout, _ = self.run_tool("--list-shapes")
        rows = [line.split() for line in stdout.splitlines()[1:]]
        self.assertEqual(len(rows), 13)
        self.assertEqual(rows[7], ["8", "64", "128", "1024", "4", "1024", "4"])

    def test_shape_and_overrides(self):
        stdout, _ = self.run_tool("--shape", "12", "--batch", "3")
        self.assertIn("!x = tensor<3x32x128xf32>", stdout)
        stdout, _ = self.run_tool("--shape", "8", "--dim", "64")
        self.assertIn("!w = tensor<64x64xf32>", stdout)

    def test_default_is_dynamic(self):
        stdout, _ = self.run_tool()
        self.assertIn('func.func @forward(%x: !x {hk.name = "x"}, %valid: !m {hk.name = "valid"}) '
                      '-> (!x {hk.name = "y"}) {', stdout)
        self.assertIn("!x = tensor<?x128x128xf32>", stdout)
        self.assertEqual(stdout.count("hk.attention"), 4)

    def test_options_reach_the_text(self):
        stdout, _ = self.run_tool("--mask", "lengths", "--no-causal", "--no-bias", "--gated",
                                  "--kv-heads", "2", "--norm", "rms_norm", "--activation", "silu",
                                  "--dtype", "bf16", "--layers", "1", "--no-mask-rows")
        for part in ("lengths(%len)", "{num_heads = 4 : i32, num_kv_heads = 2 : i32} :",
                     "{eps = 1.0e-6 : f64}", "hk.activation silu", "hk.mul", "xbf16>",
                     '"layers.0.fg.weight"'):
            self.assertIn(part, stdout)
        for part in ("causal", ".bias", "mask_rows", "layer_norm"):
            self.assertNotIn(part, stdout)

    def test_no_mask(self):
        stdout, _ = self.run_tool("--mask", "none")
        self.assertIn('@forward(%x: !x {hk.name = "x"}) -> ', stdout)
        self.assertNotIn("mask", stdout)

    def test_parameters_are_those_of_the_reference(self):
        for options in (dict(), dict(gated=True, kv_heads=1, ffn=24, norm="rms_norm"),
                        dict(bias=False)):
            network = reference.Network(dim=16, layers=2, **options)
            path = self.path("p.safetensors")
            stdout, _ = self.run_tool(*network.arguments(), "--params", path)
            loaded = safetensors_file.load(path)
            self.assertEqual({k: v.shape for k, v in loaded.items()}, network.parameter_shapes())
            for key in loaded:
                self.assertIn(f'hk.param "{key}"', stdout)
            self.assertEqual(stdout.count("hk.param"), len(loaded))

    def test_parameter_values(self):
        path = self.path("p.safetensors")
        words = ["--dim", "64", "--layers", "1", "-o", "/dev/null", "--params", path]
        self.run_tool(*words)
        first = safetensors_file.load(path)
        weight = first["layers.0.att.q.weight"]
        self.assertLessEqual(abs(weight).max(), 1 / 8)
        self.assertGreater(weight.std(), 0.9 / 8 / 3**0.5)
        self.assertTrue((first["norm.weight"] == 1).all())
        self.assertTrue((first["norm.bias"] == 0).all())
        self.run_tool(*words, "--seed", "1234")
        np.testing.assert_array_equal(safetensors_file.load(path)["layers.0.fi.weight"],
                                      first["layers.0.fi.weight"])
        self.run_tool(*words, "--seed", "2", "--random-norm")
        second = safetensors_file.load(path)
        self.assertFalse((second["layers.0.fi.weight"] == first["layers.0.fi.weight"]).any())
        self.assertGreater(second["norm.weight"].std(), 0.2)

    def test_parameter_types(self):
        values = {}
        for dtype in ("f32", "f16", "bf16"):
            path = self.path(dtype)
            self.run_tool("--dim", "16", "--layers", "1", "--dtype", dtype, "-o", "/dev/null",
                          "--params", path)
            values[dtype] = safetensors_file.load(path)["layers.0.fo.weight"]
        exact = values["f32"]
        np.testing.assert_array_equal(values["f16"], exact.astype(np.float16))
        np.testing.assert_array_equal(
            values["bf16"], safetensors_file.bf16_values(safetensors_file.bf16_bits(exact)))

    def test_no_file_is_left_after_an_error(self):
        self.assert_error("expects", "-o", self.path("m.mlir"), "--params", "/nonexistent/p",
                          code=3)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    CliCase.tool = sys.argv.pop(1)
    unittest.main()
