# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-run from the outside, on the module of make_module.cpp: y = x + x * g."""
import json
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python"))
import safetensors_file
from cli_case import CliCase

MODULE = None


class RunCase(CliCase):
    def save(self, name, array):
        path = self.path(name)
        np.save(path, array)
        return path


class Runs(RunCase):
    def test_help(self):
        self.assertIn("--check", self.assert_short_help())

    def test_version(self):
        self.assertIn("hk-run ", self.run_tool("--version")[0])

    def test_files(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        weights = self.path("w.safetensors")
        safetensors_file.save(weights, {"norm.weight": np.array([0, 1, 2, 3], np.float32)})
        y = self.path("y.npy")
        stdout, _ = self.run_tool(MODULE, "--params", weights, "--input", self.save("x.npy", x),
                                  "--input", self.save("m.npy", np.ones((2, 3), bool)),
                                  "--output", y, "--threads", "2")
        np.testing.assert_array_equal(np.load(y), x * np.array([1, 2, 3, 4], np.float32))
        self.assertRegex(stdout.splitlines()[-1],
                         r"^twice: [\d.]+ (us|ms|s), plan right, x86-64, 2 threads, not checked$")

    def test_inputs_by_name(self):
        x = np.ones((5, 3, 4), np.float32)
        y = self.path("y.npy")
        self.run_tool(MODULE, "--function", "lonely",
                      "--input", "len=" + self.save("n.npy", np.full(5, 3, np.int32)),
                      "--input", "x=" + self.save("x.npy", x), "--output", y)
        np.testing.assert_array_equal(np.load(y), 2 * x)

    def test_random_inputs_are_those_of_the_seed(self):
        for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
            self.run_tool(MODULE, "--batch", "3", "--seed", seed, "--output", self.path(name))
        a, b, c = (np.load(self.path(name)) for name in "abc")
        self.assertEqual(a.shape, (3, 3, 4))
        np.testing.assert_array_equal(a, b)
        self.assertFalse((a == c).any())

    def test_batch_zero(self):
        self.run_tool(MODULE, "--batch", "0", "--output", self.path("y.npy"))
        self.assertEqual(np.load(self.path("y.npy")).shape, (0, 3, 4))

    def test_repeat(self):
        stdout, _ = self.run_tool(MODULE, "--repeat", "20")
        self.assertRegex(stdout, r"times: +median .*, p10 .*, p90 .*, min .*, spread .* %, "
                                 r"20 runs after 3\n")

    def test_guard(self):
        stdout, _ = self.run_tool(MODULE, "--guard", "--batch", "5", "--check", "--repeat", "3")
        self.assertIn("check passed", stdout)

    def test_list(self):
        stdout, _ = self.run_tool(MODULE, "--list")
        for line in ("function twice", "  input x: f32 [?, 3, 4]", "  input valid: i1 [?, 3]",
                     "  output y: f32 [?, 3, 4]", "  plan right: rank 0, candidate, 1 dispatches",
                     "  oracle twice_oracle"):
            self.assertIn(line + "\n", stdout)

    def test_dump_metadata(self):
        self.assertIn("norm.weight", json.dumps(json.loads(self.run_tool(MODULE,
                                                                         "--dump-metadata")[0])))

    def test_json(self):
        path = self.path("report.json")
        self.run_tool(MODULE, "--batch", "9", "--check", "--json", path, "--repeat", "3")
        with open(path) as stream:
            report = json.load(stream)
        self.assertEqual(report["plan"], "right")
        self.assertEqual(report["batch"], 9)
        self.assertEqual(report["seconds"]["repeats"], 3)
        self.assertEqual(report["check"]["compared"], 4 * 12)
        self.assertTrue(report["check"]["passed"])

    def test_json_on_stdout_is_alone(self):
        stdout, stderr = self.run_tool(MODULE, "--json", "-")
        self.assertEqual(json.loads(stdout)["function"], "twice")
        self.assertIn("not checked", stderr)

    def test_isa_cap_is_told(self):
        stdout, _ = self.run_tool(MODULE, env={"HK_ISA": "x86-64"})
        self.assertIn("x86-64,", stdout)


class Checks(RunCase):
    def test_passes(self):
        for words in (["--check"], ["--check=all"], ["--check", "--random-norm"],
                      ["--check", "--padding"], ["--check", "--function", "fixed"]):
            stdout, _ = self.run_tool(MODULE, *words, *(["--batch", "7"] if "fixed" not in words
                                                        else []))
            self.assertIn("check passed", stdout.splitlines()[-1])

    def test_sample_and_all(self):
        stdout, _ = self.run_tool(MODULE, "--batch", "50", "--check", "--check-samples", "6")
        self.assertIn("6 of 50 sequences, 72 elements, 0 failed", stdout)
        stdout, _ = self.run_tool(MODULE, "--batch", "50", "--check=all")
        self.assertIn("50 of 50 sequences, 600 elements, 0 failed", stdout)

    def test_static_batch_larger_than_the_sample(self):
        stdout, _ = self.run_tool(MODULE, "--function", "fixed", "--check")
        self.assertIn("4 of 6 sequences, 48 elements, 0 failed", stdout)

    def test_wrong_plan_fails(self):
        x = np.ones((1, 3, 4), np.float32)
        x[0, 0, :2] = 0
        x[0, 1, 1] = 5
        stdout, _ = self.run_tool(MODULE, "--plan", "wrong", "--check",
                                  "--input", self.save("x.npy", x), code=1)
        # 3 x instead of 2 x: all but the zeros fail, all by the same ratio.
        self.assertIn("12 elements, 10 failed, max |y - ref| 5,", stdout)
        self.assertIn("fails:   output 0 at [0, 0, 2]: expects 2, but got 3 (error 1,", stdout)
        self.assertIn("fails:   output 0 at [0, 1, 1]: expects 10, but got 15 (error 5,", stdout)
        self.assertIn("fails:   and 2 more elements", stdout)
        self.assertIn("worst:", stdout)
        self.assertIn("check FAILED", stdout.splitlines()[-1])

    def test_tolerances(self):
        stdout, _ = self.run_tool(MODULE, "--plan", "wrong", "--check", "--rtol", "0.6")
        self.assertIn("check passed", stdout)
        self.run_tool(MODULE, "--plan", "wrong", "--check", "--atol", "1000")
        self.run_tool(MODULE, "--check", "--atol", "0", "--rtol", "0")  # 2 x is exact

    def test_elements_that_nobody_writes_fail(self):
        stdout, _ = self.run_tool(MODULE, "--plan", "idle", "--check", code=1)
        self.assertIn("12 elements, 12 failed, max |y - ref| inf", stdout)

    def test_nothing_compared_fails(self):
        stdout, _ = self.run_tool(MODULE, "--batch", "0", "--check", code=1)
        self.assertIn("check FAILED: expects elements to compare, but got none", stdout)

    def test_reference_must_be_finite(self):
        x = np.ones((1, 3, 4), np.float32)
        x[0, 2, 1] = np.nan
        self.assert_error("expects a finite reference, but got nan for output 0 at [0, 2, 1]",
                          MODULE, "--check", "--input", self.save("x.npy", x))

    def test_no_oracle(self):
        self.assert_error("expects a module with an fp64 oracle to check against, but got none for "
                          "'lonely'; compile with hk-compile --oracle",
                          MODULE, "--function", "lonely", "--check")


class Refuses(RunCase):
    def test_words(self):
        self.assert_error("expects a module (.hkm), but got none; see --help")
        self.assert_error("expects only what --help lists, but got 'stray'", MODULE, "stray")
        self.assert_error("expects --check or --check=all, but got '--check=some'", MODULE,
                          "--check=some")
        self.assert_error("expects --random-norm with random parameters, but got --params", MODULE,
                          "--random-norm", "--params", "w")
        self.assert_error("expects another number of values", MODULE, "--plan")

    def test_numbers(self):
        for option, low, high in (("--threads", 1, 1024), ("--batch", 0, 10**9),
                                  ("--seed", 0, 2**63 - 1), ("--repeat", 1, 10**9),
                                  ("--warmup", 0, 10**9), ("--check-samples", 1, 10**9)):
            for text in ("x", "-1", "1e3"):
                self.assert_error(f"expects {option} to be an integer from {low} to {high}, but got "
                                  f"'{text}'", MODULE, f"{option}={text}")
        for option in ("--atol", "--rtol"):
            for text in ("x", "-1", "nan", "inf"):
                self.assert_error(f"expects {option} to be a finite number, zero or above, but got "
                                  f"'{text}'", MODULE, f"{option}={text}")

    def test_names(self):
        self.assert_error("nothing", MODULE, "--function", "nothing")
        self.assert_error("nothing", MODULE, "--plan", "nothing")

    def test_missing_and_broken_modules(self):
        self.assert_error("/nonexistent.hkm", "/nonexistent.hkm")
        path = self.path("broken.hkm")
        with open(path, "wb") as stream:
            stream.write(b"NOMODULE" + bytes(100))
        self.assert_error("broken.hkm", path)
        with open(path, "wb") as stream:
            stream.write(b"HKMODULE" + bytes(100))
        self.assert_error("broken.hkm: expects module format version", path, code=2)

    def test_inputs(self):
        x = self.save("x.npy", np.ones((1, 3, 4)))
        self.assert_error("x.npy: expects f32 [?, 3, 4] for input 0 ('x'), but got f64 [1, 3, 4]",
                          MODULE, "--input", x)
        x = self.save("x.npy", np.ones((1, 3, 4), np.float32))
        mask = self.save("m.npy", np.ones((1, 3), bool))
        self.assert_error("expects at most 2 inputs, but got one more", MODULE, "--input", x,
                          "--input", mask, "--input", x)
        self.assert_error("expects an input among x, valid, but got 'z'", MODULE, "--input", "z=" + x)
        self.assert_error("expects one batch for all inputs, but got 6 from the module and 1 from "
                          "--batch", MODULE, "--function", "fixed", "--batch", "1")
        self.assert_error("/nonexistent.npy: expects a file that can be read, but got: No such file",
                          MODULE, "--input", "/nonexistent.npy", code=3)

    def test_outputs(self):
        self.assert_error("expects at most 1 outputs, but got 2", MODULE, "--output", "a",
                          "--output", "b")
        self.assert_error("/nonexistent/y.npy: expects a path that can be written", MODULE,
                          "--output", "/nonexistent/y.npy", code=3)
        self.assert_error("/nonexistent/r.json: expects a path that can be written", MODULE,
                          "--json", "/nonexistent/r.json", code=3)

    def test_parameters(self):
        path = self.path("w.safetensors")
        safetensors_file.save(path, {"other": np.ones(4, np.float32)})
        self.assert_error("norm.weight", MODULE, "--params", path)
        safetensors_file.save(path, {"norm.weight": np.ones(5, np.float32)})
        self.assert_error("norm.weight", MODULE, "--params", path)
        self.assert_error("/nonexistent", MODULE, "--params", "/nonexistent")

    def test_environment(self):
        self.assert_error("HK_ISA", MODULE, env={"HK_ISA": "pentium"}, code=3)


if __name__ == "__main__":
    CliCase.tool, MODULE = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
