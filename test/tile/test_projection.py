# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with the projection of its keys and values in one kernel: sequences
and heads of all sizes, every mask, and NaN where nobody looks, against NumPy in
float64."""

import functools

import projections
from variants import VariantSuite

suite = VariantSuite()
project = functools.partial(projections.project, suite)

# Sequences: of one row, of part of a tile, and of whole tiles.
project("seq_1", 1, 32, 2, 16)
project("seq_7", 7, 40, 2, 8, run=2)
project("seq_100", 100, 32, 2, 16, keys=16)
project("seq_100_all_keys", 100, 32, 1, 16, rows=128, units=8, keys=64, batch=1)
project("seq_129", 129, 32, 1, 16, keys=48, batch=1)
project("rows_of_32", 64, 32, 1, 32, units=2, keys=32)
project("not_causal", 33, 32, 1, 32, causal=False)
project("not_causal_whole", 32, 32, 1, 32, causal=False, keys=16)
# Heads: one at a time, several at once, in groups that share their keys.
project("head_dim_8", 20, 40, 4, 8, run=4)
project("head_dim_8_alone", 20, 40, 3, 8)
project("head_dim_40", 20, 40, 2, 40, block=32)
project("head_dim_80", 20, 32, 1, 80)
project("head_dim_128", 18, 64, 1, 128)
project("heads_in_loops", 20, 40, 4, 16, run=4, block=32)
project("grouped", 20, 32, 4, 16, kv_heads=2, run=4)
project("grouped_part", 20, 32, 4, 16, kv_heads=1, run=2, block=16)
project("grouped_alone", 20, 32, 4, 16, kv_heads=2)
project("grouped_in_loops", 20, 32, 8, 16, kv_heads=2, run=8, block=32)
project("grouped_pairs", 20, 32, 8, 8, kv_heads=4, run=8, block=32)
project("all_heads", 20, 40, 2, 16, run=0)
project("behind", 20, 40, 2, 16, run=0, behind=True)
# Warpgroups, where there are any.
warpgroups = {"mma": "wgmma", "units": 4, "rows": 64, "keys": 64}
project("together", 64, 64, 1, 32, batch=1, **warpgroups)
project("together_masked", 50, 32, 2, 16, run=2, mask="key_mask", pattern="holes", nan="hidden", **warpgroups)
project("together_two_groups", 100, 32, 1, 32, batch=1, mma="wgmma", ctas=1, units=8, rows=128, keys=32)
project("together_wide", 64, 320, 1, 32, norm=False, batch=1, **warpgroups)
# The schedule of the benchmark's first shape.
project("two_heads_of_32", 128, 128, 2, 32, run=2, batch=1, mask="lengths", pattern="prefix", nan="hidden")
# Inputs that are wider than registers, or whose features are no whole steps.
project("wide", 33, 320, 2, 32, norm=False, depth=64)
project("wide_odd", 20, 424, 1, 16, norm=False, depth=32)
project("wide_large_heads", 18, 400, 1, 128, norm=False, depth=64)
project("plain", 20, 64, 2, 16, norm=False)
project("separate", 20, 40, 2, 16, separate=True)
# Masks.
for causal in (True, False):
    suffix = "" if causal else "_all"
    for pattern in ("full", "prefix", "holes", "empty"):
        project(f"key_mask_{pattern}{suffix}", 35, 32, 1, 16, causal=causal, mask="key_mask",
                pattern=pattern, nan="hidden")
    for pattern in ("prefix", "empty"):
        project(f"lengths_{pattern}{suffix}", 35, 32, 1, 16, causal=causal, mask="lengths",
                pattern=pattern, nan="hidden")
project("key_mask_groups", 40, 32, 4, 8, kv_heads=2, mask="key_mask", pattern="holes",
        nan="hidden", run=4)
# Later rows are not seen by earlier ones.
project("nan_behind", 20, 32, 1, 16, nan="last")
project("nan_behind_plain", 33, 32, 1, 16, nan="last", norm=False)
# Other operands.
project("bf16", 20, 32, 1, 16, operands="bf16", batch=1, causal=False)
project("tf32", 20, 32, 1, 16, operands="tf32")
project("tf32x3", 20, 32, 2, 8, operands="tf32x3", mask="key_mask", pattern="holes", nan="hidden")

suite.main()
