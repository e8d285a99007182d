# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks of attention, and how its results are judged."""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "e2e")]
import reference  # noqa: E402
from tolerance import GATE_ATOL, GATE_RTOL  # noqa: E402


def make_valid(pattern, batch, seq, rng):
    if pattern == "full":
        return np.ones((batch, seq), bool)
    if pattern == "prefix":
        return np.arange(seq) < rng.integers(1, seq + 1, batch)[:, None]
    if pattern == "empty":
        return np.arange(seq) < (np.arange(batch) * (seq // 2))[:, None]
    if pattern == "late":
        return np.ones((batch, seq), bool) & (np.arange(batch) >= 2)[:, None]
    return rng.random((batch, seq)) < 0.6  # holes


def check_close(expected, operands):
    # bf16 has three bits less than f16.
    scale = 8 if operands == "bf16" else 1
    judged = np.isfinite(expected)
    assert judged.any()

    def check(actual):
        got, want = actual[judged].astype(np.float64), expected[judged]
        error = np.abs(got - want)
        wrong = ~(error <= scale * np.maximum(GATE_ATOL, GATE_RTOL * np.abs(want)))
        if wrong.any():
            raise AssertionError(
                f"{wrong.sum()} of {wrong.size} are wrong; the first at "
                f"{np.argwhere(judged)[wrong.argmax()].tolist()}: expects "
                f"{want[wrong.argmax()]}, but got {got[wrong.argmax()]}"
            )
        # Who sees NaN says so.
        if np.isfinite(actual[~judged]).any():
            raise AssertionError("expects NaN where a query sees it, but got a number")

    return check


__all__ = ["check_close", "make_valid", "reference"]
