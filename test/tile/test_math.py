# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on a GPU, exact and approximate, against float64.

The emulator computes the hardware's approximations exactly: what is measured is
the error of the expansion.
"""

import math

import numpy as np

from harness import Out, Suite

EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e38, -1e38]


def erf(x):
    return np.vectorize(math.erf)(x)


def silu(x):
    return x / (1 + np.exp(-x))


# name: text of one element, function, range, error of the exact form (units in
# the last place, or absolute), absolute or relative error of the other.
FUNCTIONS = {
    "exp": ("%y = math.exp %x FM : f32", np.exp, (-104, 89), "ulp", 3, 2e-5),
    "exp2": ("%y = math.exp2 %x FM : f32", np.exp2, (-125, 127), "ulp", 2, 1e-6),
    "erf": ("%y = math.erf %x FM : f32", erf, (-6, 6), "abs", 2e-7, 1e-4),
    "tanh": ("%y = math.tanh %x FM : f32", np.tanh, (-10, 10), "ulp", 3, 1e-4),
    "rsqrt": ("%y = math.rsqrt %x FM : f32", lambda x: 1 / np.sqrt(x), (1e-3, 1e3), "ulp", 2, 1e-6),
    "sqrt": ("%y = math.sqrt %x FM : f32", np.sqrt, (0, 1e3), "ulp", 1, 1e-6),
    "inverse": (
        "%one = arith.constant 1.0 : f32\n%y = arith.divf %one, %x FM : f32",
        lambda x: 1 / x, (-100, 100), "ulp", 2, 1e-6,
    ),
    "gelu": (  # the factor of erf is one of the coefficients
        "%k = arith.constant 0.70710678 : f32\n%h = arith.constant 0.5 : f32\n"
        "%s = arith.mulf %x, %k : f32\n%e = math.erf %s FM : f32\n"
        "%t = arith.mulf %x, %h : f32\n%p = arith.mulf %t, %e : f32\n"
        "%y = arith.addf %p, %t : f32",
        lambda x: x * (1 + erf(x / 2**0.5)) / 2, (-6, 6), "abs", 1e-6, 2e-4,
    ),
    "silu": (
        "%one = arith.constant 1.0 : f32\n%n = arith.negf %x : f32\n"
        "%e = math.exp %n FM : f32\n%d = arith.addf %one, %e : f32\n"
        "%y = arith.divf %x, %d FM : f32",
        silu, (-80, 80), "ulp", 6, 2e-5,
    ),
}


def check_function(name, x, approximate):
    _, function, _, kind, exact, rough = FUNCTIONS[name]

    def check(y):
        with np.errstate(all="ignore"):
            wide = x.astype(np.float64)
            expected = function(wide)
            narrow = expected.astype(np.float32)
        # Not numbers and infinities: exactly.
        if not approximate:
            special = ~np.isfinite(narrow)
            assert np.array_equal(np.isnan(y), np.isnan(narrow)), (name, x[np.isnan(y) != np.isnan(narrow)])
            same = (y == narrow) | np.isnan(narrow)
            assert same[special].all(), (name, x[special & ~same])
        finite = np.isfinite(narrow) & (np.abs(narrow) > 1.2e-38)
        error = np.abs(y[finite].astype(np.float64) - expected[finite])
        size = np.abs(expected)[finite]
        if approximate:
            limit = rough * np.maximum(1, size)
        elif kind == "ulp":
            limit = exact * np.spacing(narrow[finite].astype(np.float32)).astype(np.float64)
            limit = np.abs(limit)
        else:
            limit = np.full_like(size, exact)
        worst = np.argmax(error / limit)
        assert (error <= limit).all(), (
            f"{name}: expects an error of {limit[worst]:.3g} at {x[finite][worst]}, but got "
            f"{error[worst]:.3g} ({(error > limit).sum()} of {len(error)})"
        )

    return check


def main():
    suite = Suite()
    for name, (text, _, (low, high), *_) in FUNCTIONS.items():
        for approximate in (False, True):
            flags = "fastmath<afn>" if approximate else ""
            full = f"{name}_{'approximate' if approximate else 'exact'}"
            suite.kernel(
                full,
                "%m: memref<?x128xf32>, %o: memref<?x128xf32>, %b: index",
                f"""
  %item = tile.item
  %unit = tile.unit
  %cta = arith.muli %item, %c8 : index
  %mine = arith.muli %unit, %c4 : index
  %row = arith.addi %cta, %mine : index
  %v = tile.load %m[%row, %c0] : memref<?x128xf32> -> !tile.frag<4x128xf32, line>
  %w = tile.map %v : !tile.frag<4x128xf32, line> -> !tile.frag<4x128xf32, line> {{
  ^bb0(%x: f32):
    {text.replace('FM', flags)}
    tile.yield %y : f32
  }}
  tile.store %w to %o[%row, %c0] : !tile.frag<4x128xf32, line>, memref<?x128xf32>
""",
            )
            x = np.linspace(low, high, 64 * 128).astype(np.float32)
            if low < 0 < high:  # and near 0
                x[::7] = np.geomspace(1e-6, 1, len(x[::7]))
                x[3::7] = -np.geomspace(1e-6, 1, len(x[3::7]))
            if not approximate:
                x[: len(EDGES)] = EDGES
            x = x.reshape(64, 128)
            suite.run(
                full, [x, Out(np.zeros_like(x)), 1],
                check_function(name, x, approximate), grid=8,
            )
    suite.main()


main()
