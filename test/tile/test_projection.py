# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with the projection of its keys and values in one kernel: sequences
and heads of all sizes, every mask, and NaN where nobody looks, against NumPy in
float64."""

import numpy as np

from attentions import check_close, make_valid, reference
from harness import Out
from variants import VariantSuite, packed

suite = VariantSuite()
# Rows of padding are not cleared.
NAN = np.float32("nan")


def project(name, seq, dim, heads, head_dim, kv_heads=None, causal=True, mask=None,
            pattern="full", nan="", norm=True, batch=2, operands="f16", run=1, separate=False,
            sequences=1, skip=False, **fields):
    """`nan`: rows that hold it, "hidden" behind the mask, the "last" one, or all of the "second"
    sequence. `sequences`: of a CTA. `skip`: nobody reads rows that are not valid."""
    kv_heads = kv_heads or heads
    rng = np.random.default_rng(list(name.encode()))
    widths = heads * head_dim, kv_heads * head_dim, kv_heads * head_dim
    total = sum(widths)
    rows = -(-seq // 16) * 16
    fields = {"rows": rows, "units": rows // 16, "heads": run, "block": 64, "depth": 64,
              "keys": min(rows, 64) if rows % 64 == 0 else 16, "stages": 3, **fields}
    x_type = f"tensor<?x{seq}x{dim}xf32>"
    types = [f"tensor<?x{seq}x{width}xf32>" for width in widths]
    weights = {
        f"{name}_w": rng.normal(size=(total, dim)).astype(np.float32) / np.sqrt(dim),
        f"{name}_b": rng.normal(size=total).astype(np.float32) / 4,
    }
    w, bias = weights[f"{name}_w"], weights[f"{name}_b"]
    parts = np.split(np.arange(total), np.cumsum(widths)[:-1])
    mask_type = {"key_mask": f"tensor<?x{seq}xi1>", "lengths": "tensor<?xi32>", None: ""}[mask]
    body = f"    %n = hk.rms_norm %x : {x_type}\n" if norm else ""
    source = "%n" if norm else "%x"
    if separate:
        weights = {}
        for letter, part in zip("qkv", parts):
            weights[f"{name}_w{letter}"], weights[f"{name}_b{letter}"] = w[part], bias[part]
        for letter, type_, width in zip("qkv", types, widths):
            body += f"""    %w{letter} = hk.packed.get @{name}_w{letter} : tensor<{width}x{dim}xf32>
    %b{letter} = hk.packed.get @{name}_b{letter} : tensor<{width}xf32>
    %{letter} = hk.linear {source}, %w{letter}, %b{letter} : {x_type}, tensor<{width}x{dim}xf32>, tensor<{width}xf32>
"""
    else:
        body += f"""    %w = hk.packed.get @{name}_w : tensor<{total}x{dim}xf32>
    %b = hk.packed.get @{name}_b : tensor<{total}xf32>
    %p = hk.linear {source}, %w, %b : {x_type}, tensor<{total}x{dim}xf32>, tensor<{total}xf32>
    %q, %k, %v = hk.split %p : tensor<?x{seq}x{total}xf32> -> {", ".join(types)}
"""
    flags = f"num_heads = {heads} : i32, num_kv_heads = {kv_heads} : i32" + ", causal" * causal
    words, mask_word = ("", "") if mask is None else (f", %m: {mask_type}", f" {mask}(%m)")
    suite.variant(
        name,
        "".join(packed(*item) for item in weights.items()) + f"""
hk.executable @{name} {{
  hk.variant $schedule grid(affine_map<()[B] -> (B)>){" skip_rows(1)" * skip} {{
  ^bb0(%x: {x_type}{words}):
{body}    %a = hk.attention %q, %k, %v{mask_word} {{{flags}}} : {", ".join(types)}{", " * bool(mask)}{mask_type}
    hk.yield %a : {types[0]}
  }}
}}""",
        fields, weights, operands=operands,
    )
    x = rng.normal(size=(batch, seq, dim)).astype(np.float32)
    valid = make_valid(pattern, batch, seq, rng)
    if nan == "hidden":
        x[~valid] = NAN
        x[..., ::7][~valid] = np.inf
    elif nan == "last":
        x[:, -1] = NAN
    elif nan == "second":
        x[1] = NAN
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        h = reference.rms_norm(wide) if norm else wide
        q, k, v = (reference.linear(h, w[part], bias[part]) for part in parts)
        expected = reference.attention(q, k, v, heads, kv_heads, causal, valid if mask else None)
    inputs = [x]
    if mask == "lengths":
        inputs.append(valid.sum(1).astype(np.int32))
    elif mask:
        inputs.append(np.where(valid, rng.integers(1, 256, valid.shape), 0).astype(np.uint8))
    runs = -(-heads // fields["heads"]) if fields["heads"] else 1
    runs *= -(-seq // fields["rows"])
    check = check_close(expected, operands)
    if skip:
        check = lambda actual, close=check_close(expected[valid], operands): close(actual[valid])
    suite.run_variant(name, inputs, [Out(np.full(expected.shape, 7, np.float32))], batch,
                      -(-batch // sequences) * runs, check)


# Sequences: of one row, of part of a tile, and of whole tiles.
project("seq_1", 1, 32, 2, 16)
project("seq_7", 7, 40, 2, 8, run=2)
project("seq_100", 100, 32, 2, 16, keys=16)
project("seq_100_all_keys", 100, 32, 1, 16, rows=128, units=8, keys=64, batch=1)
project("seq_129", 129, 32, 1, 16, keys=48, batch=1)
project("rows_of_32", 64, 32, 1, 32, units=2, keys=32)
project("not_causal", 33, 32, 1, 32, causal=False)
project("not_causal_whole", 32, 32, 1, 32, causal=False, keys=16)
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
project("part_plain", 36, 64, 2, 16, norm=False, **part)
project("part_separate", 36, 40, 2, 16, separate=True, **part)
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
# A CTA with several sequences, the last of which may be no more there.
project("runs_of_16", 16, 32, 2, 16, batch=5, sequences=4, rows=64, units=4, keys=16, nan="second")
project("runs_of_7", 7, 40, 2, 8, run=2, batch=9, sequences=8, rows=128, units=8, keys=16, nan="second")
project("runs_of_1", 1, 32, 2, 16, batch=3, sequences=2, rows=32, units=2, keys=16)
project("runs_of_20", 20, 32, 4, 16, kv_heads=2, run=4, batch=3, sequences=2, rows=64, units=4, keys=16)
project("runs_of_100", 100, 32, 1, 16, batch=2, sequences=2, rows=224, units=14, keys=16)
project("runs_of_large_units", 20, 32, 2, 16, batch=3, sequences=2, rows=64, units=2, keys=32)
project("runs_not_causal", 32, 32, 2, 16, causal=False, batch=3, sequences=4, rows=128, units=8, keys=32)
project("runs_in_loops", 32, 40, 8, 16, kv_heads=2, run=8, batch=3, sequences=2, rows=64, units=4, keys=32, block=32)
project("runs_wide", 32, 320, 1, 32, norm=False, batch=3, sequences=2, rows=64, units=4, keys=32)
project("runs_wider", 16, 800, 1, 16, norm=False, batch=3, sequences=2, rows=32, units=2, keys=16)
project("runs_wider_padded", 12, 800, 1, 16, norm=False, batch=3, sequences=2, rows=32, units=2, keys=16)
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
# Later rows are not seen by earlier ones.
project("nan_behind", 20, 32, 1, 16, nan="last")
project("nan_behind_plain", 33, 32, 1, 16, nan="last", norm=False)
# Other operands.
project("bf16", 20, 32, 1, 16, operands="bf16", batch=1, causal=False)
project("tf32", 20, 32, 1, 16, operands="tf32")
project("tf32x3", 20, 32, 2, 8, operands="tf32x3", mask="key_mask", pattern="holes", nan="hidden")

suite.main()
