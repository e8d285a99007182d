# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Channels and matrix products of level S, against NumPy."""

import functools

from harness import Suite
from products import keys_and_values, product

suite = Suite()
case = functools.partial(product, suite)

for element in ("f16", "bf16"):
    case(f"product_{element}", element)
    case(f"transposed_{element}", element, transposed=True)
# Units of several slabs; more units and producers; rings of all lengths.
case("slabs", rows=32, m=70)
case("slabs_transposed", rows=48, transposed=True, units=1)
case("units", units=4, producers=2, m=130)
case("producers", producers=4, slots=3, k=320)
case("one_slot", slots=1, k=256)
case("long_ring", slots=5, k=512, n=32)
case("held", slots=3, k=256, held=2)
case("loaded", through=False)
# Odd numbers of columns, and depths that are no multiple of 16 or of a block.
case("narrow", n=8, k=192)
case("odd_columns", n=40, k=128)
case("odd_columns_transposed", n=40, k=128, transposed=True)
case("odd_depth", n=64, k=120, depth=40)
case("odd_depth_transposed", n=56, k=120, depth=40, transposed=True)
case("shallow", n=72, k=24, depth=8)
case("shallow_transposed", n=24, k=24, depth=8, transposed=True)
case("deep", n=24, k=384, depth=192, slots=2)
case("half_block", n=32, k=96, depth=32)
case("half_block_transposed", n=32, k=96, depth=32, transposed=True)
case("quarter_block", n=16, k=48, depth=16)
case("quarter_block_transposed", n=16, k=48, depth=16, transposed=True)
# tf32, and as exact as f32.
case("tf32", "f32", n=40, k=64, depth=32)
case("tf32_transposed", "f32", n=40, k=64, depth=32, transposed=True)
case("tf32_blocks", "f32", n=64, k=128, depth=64, rows=32)
case("tf32_shallow", "f32", n=16, k=24, depth=8, through=False)
case("split", "f32", n=40, k=64, depth=32, split=True)
case("split_transposed", "f32", n=40, k=80, depth=40, split=True, transposed=True)
# Keys and values, whose last block is not whole.
keys_and_values(suite, "keys_and_values")
keys_and_values(suite, "keys_and_values_narrow", head=40, width=120, slots=2)

suite.main()
