# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with the projection of its keys and values, where a CTA has several
sequences, or some rows of one, against NumPy in float64."""

import functools

import projections
from variants import VariantSuite

suite = VariantSuite()
project = functools.partial(projections.project, suite)

# A CTA with several sequences, the last of which may be no more there.
project("runs_of_16", 16, 32, 2, 16, batch=5, sequences=4, rows=64, units=4, keys=16, nan="second")
project("runs_of_7", 7, 40, 2, 8, run=2, batch=9, sequences=8, rows=128, units=8, keys=16, nan="second")
project("runs_of_1", 1, 32, 2, 16, batch=3, sequences=2, rows=32, units=2, keys=16)
project("runs_of_20", 20, 32, 4, 16, kv_heads=2, run=4, batch=3, sequences=2, rows=64, units=4, keys=16)
project("runs_of_100", 100, 32, 1, 16, batch=2, sequences=2, rows=224, units=14, keys=16)
project("runs_of_large_units", 20, 32, 2, 16, batch=3, sequences=2, rows=64, units=2, keys=32)
project("runs_behind", 20, 32, 2, 16, run=0, behind=True, batch=3, sequences=2, rows=64, units=4, keys=16)
project("runs_not_causal", 32, 32, 2, 16, causal=False, batch=3, sequences=4, rows=128, units=8, keys=32)
project("runs_in_loops", 32, 40, 8, 16, kv_heads=2, run=8, batch=3, sequences=2, rows=64, units=4, keys=32, block=32)
project("runs_wide", 32, 320, 1, 32, norm=False, batch=3, sequences=2, rows=64, units=4, keys=32)
project("runs_wider", 16, 800, 1, 16, norm=False, batch=3, sequences=2, rows=32, units=2, keys=16)
project("runs_wider_padded", 12, 800, 1, 16, norm=False, batch=3, sequences=2, rows=32, units=2, keys=16)
# Steps of f16 that come through shared memory: rows that pad a sequence are not
# in memory. Lanes that copy together have rows of one sequence, or of several.
half = {"norm": False, "half": True, "nan": "second"}
project("runs_half", 16, 800, 1, 16, batch=3, sequences=2, rows=32, units=2, keys=16, **half)
project("runs_half_12", 12, 808, 1, 16, causal=False, batch=3, sequences=2, rows=32, units=2, keys=16, **half)
project("runs_half_12_mixed", 12, 800, 1, 16, causal=False, batch=3, sequences=2, rows=32, units=2, keys=16,
        depth=32, **half)
project("runs_half_20", 20, 400, 1, 16, causal=False, batch=3, sequences=2, rows=64, units=2, keys=32, **half)
project("runs_half_7", 7, 780, 1, 16, batch=5, sequences=4, rows=64, units=4, keys=16, depth=16, **half)
project("runs_half_33", 33, 400, 1, 16, batch=3, sequences=2, rows=128, units=4, keys=32, run=1, **half)
project("runs_half_1", 1, 800, 2, 8, run=2, batch=3, sequences=2, rows=32, units=2, keys=16, **half)
project("runs_tf32x3", 20, 32, 2, 8, operands="tf32x3", batch=3, sequences=2, rows=64, units=4, keys=16,
        mask="key_mask", pattern="holes", nan="hidden")
for causal in (True, False):
    suffix = "" if causal else "_all"
    for mask, pattern in (("key_mask", "holes"), ("key_mask", "prefix"), ("key_mask", "empty"),
                          ("lengths", "prefix"), ("lengths", "empty")):
        project(f"runs_{mask}_{pattern}{suffix}", 20, 32, 1, 16, causal=causal, mask=mask, pattern=pattern,
                nan="hidden", batch=3, sequences=2, rows=64, units=4, keys=16)
# A CTA of which no sequence is read, and one that has part of its sequences.
for mask in ("key_mask", "lengths"):
    project(f"runs_skip_{mask}", 20, 32, 1, 16, mask=mask, pattern="late", nan="hidden", skip=True, batch=5,
            sequences=2, rows=64, units=4, keys=16)
    project(f"runs_skip_some_{mask}", 16, 32, 1, 16, mask=mask, pattern="late", nan="hidden", skip=True, batch=5,
            sequences=4, rows=64, units=4, keys=16)
    project(f"runs_skip_holes_{mask}", 16, 32, 1, 16, mask=mask, pattern="prefix", nan="hidden", skip=True,
            batch=3, sequences=2, rows=32, units=2, keys=16)
# Warpgroups with rows of one sequence, and of several.
project("runs_together", 64, 64, 1, 32, batch=3, sequences=2, mma="wgmma", ctas=1, rows=128, units=8, keys=64)
project("runs_together_masked", 50, 64, 1, 32, batch=3, sequences=2, mma="wgmma", ctas=1, rows=128, units=8,
        keys=32, mask="key_mask", pattern="holes", nan="hidden")
project("runs_apart", 32, 64, 1, 32, batch=3, sequences=2, mma="wgmma", rows=64, units=4, keys=32)
project("runs_apart_all", 16, 64, 1, 32, causal=False, batch=5, sequences=4, mma="wgmma", rows=64, units=4, keys=16)
# CTAs that have some rows of a sequence.
for causal in (True, False):
    suffix = "" if causal else "_all"
    project(f"part_100{suffix}", 100, 32, 2, 16, rows=32, units=2, keys=32, causal=causal)
    project(f"part_129{suffix}", 129, 32, 1, 16, rows=64, units=4, keys=32, batch=1, causal=causal)
    project(f"part_39_of_16{suffix}", 39, 32, 2, 16, rows=16, units=1, keys=16, causal=causal)
    project(f"part_wide{suffix}", 33, 320, 1, 16, rows=16, units=1, keys=16, norm=False, depth=64,
            causal=causal)
    for pattern in ("full", "prefix", "holes", "empty"):
        project(f"part_key_mask_{pattern}{suffix}", 39, 32, 1, 16, rows=16, units=1, keys=16,
                causal=causal, mask="key_mask", pattern=pattern, nan="hidden")
    for pattern in ("prefix", "empty"):
        project(f"part_lengths_{pattern}{suffix}", 39, 32, 1, 16, rows=16, units=1, keys=16,
                causal=causal, mask="lengths", pattern=pattern, nan="hidden")
part = {"rows": 16, "units": 1, "keys": 16}
project("part_7", 7, 32, 1, 16, batch=1, **part)
project("part_heads_8", 36, 40, 4, 8, run=4, **part)
project("part_heads_40", 36, 40, 2, 40, block=32, **part)
project("part_heads_80", 36, 32, 1, 80, batch=1, **part)
project("part_heads_in_loops", 36, 40, 4, 16, run=4, block=32, **part)
project("part_grouped", 36, 32, 4, 16, kv_heads=2, run=4, **part)
project("part_grouped_part", 36, 32, 4, 16, kv_heads=1, run=2, block=16, **part)
project("part_grouped_in_loops", 36, 32, 8, 16, kv_heads=2, run=8, block=32, batch=1, **part)
project("part_all_heads", 36, 40, 2, 16, run=0, **part)
project("part_behind", 36, 32, 2, 16, run=0, behind=True, **part)
project("part_plain", 36, 64, 2, 16, norm=False, **part)
project("part_separate", 36, 40, 2, 16, separate=True, **part)
for mask in ("key_mask", "lengths"):
    project(f"part_skip_{mask}", 39, 32, 1, 16, mask=mask, pattern="late", nan="hidden", skip=True,
            batch=3, **part)
    project(f"part_skip_holes_{mask}", 39, 32, 1, 16, mask=mask, pattern="prefix", nan="hidden",
            skip=True, causal=False, **part)
project("part_nan_behind", 36, 32, 1, 16, nan="last", **part)
project("part_bf16", 36, 32, 1, 16, operands="bf16", batch=1, causal=False, **part)
project("part_tf32x3", 36, 32, 2, 8, operands="tf32x3", mask="key_mask", pattern="holes",
        nan="hidden", **part)
project("part_tf32x3_wide", 36, 256, 1, 16, operands="tf32x3", norm=False, batch=1, **part)
project("part_together", 100, 64, 1, 32, batch=1, rows=64, units=4, keys=64, mma="wgmma", ctas=1)
project("part_together_masked", 129, 32, 2, 16, run=2, batch=1, rows=64, units=4, keys=32,
        mma="wgmma", mask="key_mask", pattern="holes", nan="hidden")
project("part_together_wide", 100, 320, 1, 32, norm=False, batch=1, rows=64, units=4, keys=32,
        mma="wgmma")

suite.main()
