# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end-to-end driver itself: a wrong result must not pass."""
import os
import sys
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../python")]
import cases
import gpu_cases
import reference
import run_e2e
import run_gpu_e2e
import tolerance


class Compare(unittest.TestCase):
    network = reference.Network(seq=4, dim=8, heads=1)
    valid = np.array([[True, True, True, False]])

    def setUp(self):
        self.expected = np.random.default_rng(1).normal(size=(1, 4, 8))
        self.expected[~self.valid] = 0

    def judge(self, y, expected=None, network=None, has_nan=False):
        expected = self.expected if expected is None else expected
        return run_e2e.compare(network or self.network, 1, y, expected, self.valid, has_nan)

    def assert_fails(self, message, *words, **more):
        with self.assertRaisesRegex(run_e2e.Failure, message):
            self.judge(*words, **more)

    def test_equal_passes(self):
        self.assertEqual(self.judge(self.expected.copy()), (0.0, 0.0))

    def test_outside_the_gate(self):
        y = self.expected.copy()
        y[0, 1, 2] += 0.1
        self.assert_fails(r"1 of 32 elements outside the gate; worst at \[0, 1, 2\]", y)

    def test_outside_the_tolerance(self):
        y = self.expected.copy()
        y[0, 1, 2] += 1e-3
        self.assert_fails(r"1 of 32 elements outside the tolerance .* at \[0, 1, 2\]", y)

    def test_nan_and_infinity(self):
        for bad in (np.nan, np.inf):
            y = self.expected.copy()
            y[0, 0, 0] = bad
            self.assert_fails("outside the gate", y)

    def test_masked_rows_are_exactly_zero(self):
        for bad in (1e-30, np.nan):
            y = self.expected.copy()
            y[0, 3, 0] = bad
            self.assert_fails("expects zeros in the rows of invalid tokens", y)

    def test_shape(self):
        self.assert_fails(r"expects shape \(1, 4, 8\), but got \(2, 4, 8\)", np.zeros((2, 4, 8)))

    def test_reference_that_is_not_finite(self):
        expected = self.expected.copy()
        expected[0, 0, 0] = np.nan
        self.assert_fails("expects a finite reference, but", expected, expected)
        self.assert_fails("expects a finite reference in valid rows", expected, expected,
                          has_nan=True)

    def test_invalid_rows_without_mask_rows_may_be_anything(self):
        network = reference.Network(seq=4, dim=8, heads=1, mask_rows=False)
        expected = self.expected.copy()
        expected[0, 3] = np.nan
        y = self.expected.copy()
        y[0, 3] = 7
        self.assertEqual(self.judge(y, expected, network, True), (0.0, 0.0))


class SmallNetworks(unittest.TestCase):
    """The driver of kernels for GPUs."""

    def test_what_passes(self):
        y = np.array([[1.0, -2.0, 0.0]])
        self.assertEqual(run_gpu_e2e.compare(y, y.copy(), True), (0.0, 0.0))
        # By the gate, but not of a reference plan.
        near = y + [[1e-2, 0, 1e-3]]
        self.assertLess(run_gpu_e2e.compare(near, y, False)[1], 1)
        with self.assertRaisesRegex(run_e2e.Failure, r"2 of 3 elements .* worst at \[0, 0\]"):
            run_gpu_e2e.compare(near, y, True)

    def test_what_does_not(self):
        y = np.ones((1, 2))
        for bad, message in ((np.array([[1, np.nan]]), r"1 of 2 elements .* at \[0, 1\]"),
                             (np.ones((2, 1)), "expects shape"),
                             (y + 3e-2, "2 of 2 elements")):
            with self.assertRaisesRegex(run_e2e.Failure, message):
                run_gpu_e2e.compare(bad, y, False)
        with self.assertRaisesRegex(run_e2e.Failure, "expects elements to compare"):
            run_gpu_e2e.compare(y, np.full((1, 2), np.nan), False)

    def test_nan_is_only_where_nobody_may_look(self):
        for case in gpu_cases.CASES:
            network = case.build()
            parameters = network.draw_parameters(run_e2e.generator(case.name))
            for run in case.runs:
                inputs, valid = run_gpu_e2e.make_inputs(case, run, network)
                with self.subTest(case=case.name, run=run.label()):
                    y = network.evaluate(inputs, parameters)
                    self.assertTrue(np.isfinite(y[valid]).all())
                    self.assertEqual(y.shape[:2], valid.shape)

    def test_names_are_unique(self):
        names = [(case.group, case.name) for case in gpu_cases.CASES]
        self.assertEqual(len(names), len(set(names)))


class Tolerance(unittest.TestCase):
    def test_half_a_unit_in_the_last_place(self):
        for dtype, unit in (("f16", 2.0**-11), ("bf16", 2.0**-8)):
            network = reference.Network(layers=1, dtype=dtype)
            allowed = tolerance.allowed(network, np.array([1.0, 1.99]))
            self.assertGreater(allowed[0], unit)
            self.assertLess(allowed[1], 2.1 * unit)

    def test_float32_is_tight(self):
        network = reference.Network(dim=128, layers=4)
        self.assertLess(tolerance.allowed(network, np.array([1.0]))[0], 2e-5)


class Cases(unittest.TestCase):
    def test_names_are_unique(self):
        names = [(case.group, case.name) for case in cases.CASES]
        self.assertEqual(len(names), len(set(names)))

    def test_patterns(self):
        rng = np.random.default_rng(1)
        make = lambda pattern: run_e2e.make_valid(pattern, 3, 10, rng)[0]
        self.assertTrue(make("full").all())
        self.assertFalse(make("empty")[0].any())
        prefix, left = make("prefix"), make("left")
        self.assertTrue(prefix[:, 0].all() and (np.diff(prefix.astype(int), axis=1) <= 0).all())
        self.assertTrue(left[:, -1].all() and (np.diff(left.astype(int), axis=1) >= 0).all())


if __name__ == "__main__":
    unittest.main()
