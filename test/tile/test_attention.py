# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose products are those of warpgroups, of warps, or of both in one
kernel, against NumPy in float64."""

import re

import numpy as np

from attentions import check_close, make_valid, reference
from harness import Out
from variants import VariantSuite

class AttentionSuite(VariantSuite):
    """Knows which products of a kernel have to be those of warpgroups: of scores (B
    along K), and of what they weigh (across K)."""

    def __init__(self):
        super().__init__(arches=("sm_90a",))
        self.across = {}

    def compile(self, arch):
        kernels = super().compile(arch)
        for name, expected in self.across.items():
            found = set(re.findall(r"m64n\d+k16.*? 1, 1, ([01]);", kernels[name]))
            assert found == expected, f"{name}: expects {expected}, but got {found}"
            assert found == {"0", "1"} or "mma.sync" in kernels[name], name
        return kernels


suite = AttentionSuite()


def attend(name, seq, heads, head_dim, kv_heads=None, causal=False, mask=None, pattern="full",
           nan=False, batch=1, operands="f16", spread=1.0, **fields):
    """`nan`: keys that the mask hides hold it. `spread` multiplies the scores."""
    kv_heads = kv_heads or heads
    rng = np.random.default_rng(list(name.encode()))
    fields = {"rows": 64, "units": 4, "heads": 1, "block": 64, "depth": 64, "keys": 64,
              "stages": 2, "mma": "wgmma", **fields}
    widths = heads * head_dim, kv_heads * head_dim, kv_heads * head_dim
    total = sum(widths)
    element = "bf16" if operands == "bf16" else "f16"
    types = [f"tensor<?x{seq}x{width}xf32>" for width in widths]
    mask_type = {"key_mask": f"tensor<?x{seq}xi1>", "lengths": "tensor<?xi32>", None: ""}[mask]
    words, mask_word = ("", "") if mask is None else (f", %m: {mask_type}", f" {mask}(%m)")
    flags = f"num_heads = {heads} : i32, num_kv_heads = {kv_heads} : i32" + ", causal" * causal
    suite.variant(
        name,
        f"""
hk.executable @{name} {{
  hk.variant $schedule grid(affine_map<()[B] -> (B)>) {{
  ^bb0(%x: tensor<?x{seq}x{total}x{element}>{words}):
    %w = hk.cast %x : tensor<?x{seq}x{total}x{element}> to tensor<?x{seq}x{total}xf32>
    %q, %k, %v = hk.split %w : tensor<?x{seq}x{total}xf32> -> {", ".join(types)}
    %a = hk.attention %q, %k, %v{mask_word} {{{flags}}} : {", ".join(types)}{", " * bool(mask)}{mask_type}
    hk.yield %a : {types[0]}
  }}
}}""",
        fields, {}, operands=operands,
    )
    x = rng.normal(size=(batch, seq, total)).astype(np.float32)
    x[..., : widths[0]] *= spread
    valid = make_valid(pattern, batch, seq, rng)
    if nan:
        x[..., widths[0] :][~valid] = np.nan
    if element == "bf16":
        bits = (x.view(np.uint32) & 0xFFFF0000).view(np.float32)
        stored, x = (bits.view(np.uint32) >> 16).astype(np.uint16), bits
    else:
        stored = x.astype(np.float16)
        x = stored.astype(np.float32)
    q, k, v = np.split(x.astype(np.float64), np.cumsum(widths)[:-1], axis=-1)
    with np.errstate(invalid="ignore"):
        expected = reference.attention(q, k, v, heads, kv_heads, causal, valid if mask else None)
    # K of the products: the columns of a head, and keys.
    depths = {"0": head_dim, "1": min(fields["keys"], -(-seq // 8) * 8)}
    suite.across[name] = {
        way for way, k in depths.items() if k % 16 == 0 and fields["mma"] == "wgmma"
    }
    inputs = [stored]
    if mask == "lengths":
        inputs.append(valid.sum(1).astype(np.int32))
    elif mask:
        inputs.append(valid.astype(np.uint8))
    ctas = batch * -(-seq // fields["rows"]) * -(-heads // fields["heads"])
    suite.run_variant(name, inputs, [Out(np.full(expected.shape, 7, np.float32))], batch, ctas,
                      check_close(expected, operands))


# Both products by warpgroups; sequences of less than a block, and of more.
attend("seq_1", 1, 2, 64, batch=2)
attend("seq_7", 7, 2, 32, causal=True)
attend("seq_100", 100, 2, 64, causal=True)
attend("seq_129", 129, 1, 64)
attend("whole", 128, 1, 128, keys=32)
attend("wide", 100, 1, 256, causal=True, keys=32)
# Scores of heads of 8 and 40 columns are products of warps, since K is no multiple of
# 16; what they weigh is a product of warpgroups. (With 8 keys, as of seq_7, it is the
# other way round.)
for head_dim in (8, 40):
    attend(f"mixed_{head_dim}", 129, 2, head_dim)
    attend(f"mixed_{head_dim}_causal", 129, 2, head_dim, causal=True, ctas=2)
attend("mixed_40_bf16", 129, 1, 40, causal=True, operands="bf16")
attend("mixed_40_lengths", 129, 1, 40, mask="lengths", pattern="empty", nan=True, batch=2)
attend("mixed_40_holes", 129, 1, 40, causal=True, mask="key_mask", pattern="holes", nan=True)
attend("head_dim_80", 129, 1, 80, causal=True)
attend("keys_of_48", 100, 1, 64, keys=48)
# Two and three warpgroups, whose last rows differ; registers that are shared out.
attend("two_groups", 129, 1, 64, causal=True, rows=128, units=8, ctas=1)
attend("three_groups", 200, 1, 64, causal=True, rows=192, units=12, ctas=1)
attend("slabs", 129, 1, 64, causal=True, rows=128, units=4, ctas=1)
attend("grouped", 100, 4, 32, kv_heads=2, causal=True)
# Masks: of all keys as well.
for causal in (False, True):
    for pattern in ("prefix", "holes", "empty"):
        attend(f"mask_{pattern}" + "_causal" * causal, 100, 1, 64, mask="key_mask",
               pattern=pattern, nan=True, causal=causal, batch=2)
# Maxima that grow by less and by more than what the context is scaled for.
for spread in (0.1, 4.0, 16.0):
    attend(f"spread_{int(spread * 10)}", 129, 1, 64, spread=spread, keys=16)
    attend(f"spread_{int(spread * 10)}_warps", 129, 1, 64, spread=spread, keys=16, mma="sync")

suite.main()
