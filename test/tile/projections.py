# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of attention with the projection of its keys and values, and what NumPy
computes in float64."""

import numpy as np

from attentions import check_close, make_valid, reference
from harness import Out
from variants import packed

# Rows of padding are not cleared.
NAN = np.float32("nan")


def project(suite, name, seq, dim, heads, head_dim, kv_heads=None, causal=True, mask=None,
            pattern="full", nan="", norm=True, batch=2, operands="f16", run=1, separate=False,
            sequences=1, skip=False, behind=False, half=False, **fields):
    """`nan`: rows that hold it, "hidden" behind the mask, the "last" one, or all of the "second"
    sequence. `sequences`: of a CTA. `skip`: nobody reads rows that are not valid.
    `behind`: a linear operation and a residual follow. `half`: the input is f16 in memory."""
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
    h_type, rows_name = (x_type.replace("f32", "f16"), "%r") if half else (x_type, "%x")
    body = f"    %r = hk.cast %x : {h_type} to {x_type}\n" if half else ""
    body += f"    %n = hk.rms_norm {rows_name} : {x_type}\n" if norm else ""
    source = "%n" if norm else rows_name
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
    result, tail = types[0], ""
    if behind:
        output = rng.normal(size=(dim, widths[0])).astype(np.float32) / np.sqrt(widths[0])
        weights[f"{name}_o"], result = output, x_type
        tail = f"""    %wo = hk.packed.get @{name}_o : tensor<{dim}x{widths[0]}xf32>
    %o = hk.linear %a, %wo : {types[0]}, tensor<{dim}x{widths[0]}xf32>
    %y = hk.add {rows_name}, %o : {x_type}, {x_type}
"""
    flags = f"num_heads = {heads} : i32, num_kv_heads = {kv_heads} : i32" + ", causal" * causal
    words, mask_word = ("", "") if mask is None else (f", %m: {mask_type}", f" {mask}(%m)")
    suite.variant(
        name,
        "".join(packed(*item) for item in weights.items()) + f"""
hk.executable @{name} {{
  hk.variant $schedule grid(affine_map<()[B] -> (B)>){" skip_rows(1)" * skip} {{
  ^bb0(%x: {h_type}{words}):
{body}    %a = hk.attention %q, %k, %v{mask_word} {{{flags}}} : {", ".join(types)}{", " * bool(mask)}{mask_type}
{tail}    hk.yield {"%y" if behind else "%a"} : {result}
  }}
}}""",
        fields, weights, operands=operands,
    )
    x = rng.normal(size=(batch, seq, dim)).astype(np.float16 if half else np.float32)
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
        if behind:
            expected = wide + reference.linear(expected, output)
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


__all__ = ["project"]
