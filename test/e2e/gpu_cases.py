# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of what runs on the emulated GPU: kernels of every family and whole
networks, on shapes that are small and odd, for the emulator is slow.

A case is a function that builds a SmallNetwork, and the inputs it is run on: a
batch and a pattern of valid tokens as in cases.py; `nan` fills what nobody may see.
"""
import dataclasses
from typing import Callable

from small_network import SmallNetwork

GROUPS = ("rows", "linear", "attention", "wide", "projection", "chain", "network")


@dataclasses.dataclass(frozen=True)
class Run:
    pattern: str = "full"
    batch: int = 1
    nan: bool = False

    def label(self):
        return " ".join([self.pattern, f"B={self.batch}"] + ["nan"] * self.nan)


@dataclasses.dataclass(frozen=True)
class Case:
    group: str
    name: str
    build: Callable
    runs: tuple = (Run(),)
    # What #hk.cuda says behind the architecture, instead of the compiler's choice, in
    # plans that multiply f16; and the targets that it is for (empty: all).
    schedule: str = ""
    targets: tuple = ()


def masked(network, kind):
    """The mask of a network, or None; it is the last input."""
    return {"none": lambda: None, "key_mask": network.key_mask, "lengths": network.lengths}[kind]()


# Row-wise kernels.

def rows(seq, dim, norm="layer_norm", affine=True, residual=False, mask="none"):
    def build():
        n = SmallNetwork(seq)
        x = n.input("x", dim)
        r = n.input("r", dim) if residual else None
        m = masked(n, mask)
        h = n.add(x, r) if residual else x
        h = n.layer_norm(h, affine) if norm == "layer_norm" else n.rms_norm(h)
        n.output(n.mask_rows(h, m) if m else h)
        return n

    return build


ROWS = [
    Case("rows", "seq-1-dim-8", rows(1, 8), (Run(batch=1), Run(batch=3))),
    Case("rows", "seq-7-dim-40", rows(7, 40), (Run(batch=2),)),
    Case("rows", "dim-128-plain", rows(33, 128, affine=False)),
    Case("rows", "dim-1024", rows(3, 1024)),
    Case("rows", "dim-65", rows(5, 65)),
    Case("rows", "rms", rows(7, 80, "rms_norm"), (Run(batch=2),)),
    Case("rows", "residual-key-mask", rows(17, 48, residual=True, mask="key_mask"),
         (Run("holes", 2), Run("empty", 2, nan=True))),
    Case("rows", "residual-lengths", rows(17, 48, residual=True, mask="lengths"),
         (Run("empty", 3, nan=True), Run("beyond", 5))),
]

# One linear operation and what follows it.

def linear(seq, dim, features, activation=None, residual=False, mask="none", bias=True):
    def build():
        n = SmallNetwork(seq)
        x = n.input("x", dim)
        r = n.input("r", features) if residual else None
        m = masked(n, mask)
        h = n.linear(x, features, bias)
        h = n.activation(activation, h) if activation else h
        h = n.add(r, h) if residual else h
        n.output(n.mask_rows(h, m) if m else h)
        return n

    return build


LINEAR = [
    Case("linear", "seq-1", linear(1, 32, 32), (Run(batch=1), Run(batch=3))),
    Case("linear", "seq-7", linear(7, 64, 64, "gelu_erf"), (Run(batch=2),)),
    Case("linear", "seq-33-ffn-4d", linear(33, 40, 160, "gelu_erf")),
    Case("linear", "seq-65-4d-back", linear(65, 160, 40, residual=True)),
    Case("linear", "128-to-128", linear(33, 128, 128, "gelu_tanh")),
    Case("linear", "deep", linear(16, 320, 24, "relu")),
    Case("linear", "wide", linear(9, 24, 264, "silu")),
    Case("linear", "persistent", linear(100, 64, 192), (Run(batch=3),),
         "rows = 64, units = 4, columns = 64, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, "
         "operands = f16, mma = wgmma, ctas = 1, persistent = true", ("sm_90a",)),
    Case("linear", "odd-sizes", linear(5, 37, 19, "gelu_erf")),
    Case("linear", "no-bias", linear(7, 48, 48, bias=False), (Run(batch=2),)),
    Case("linear", "residual-key-mask", linear(19, 64, 64, residual=True, mask="key_mask"),
         (Run("holes", 2), Run("empty", 2, nan=True))),
    Case("linear", "residual-lengths", linear(19, 64, 64, residual=True, mask="lengths"),
         (Run("prefix", 3, nan=True), Run("beyond", 5))),
]

# Attention, keys and values from memory.

def attention(seq, heads, head_dim, kv_heads=None, causal=True, mask="none", dtype="f32", sharp=1):
    def build():
        n = SmallNetwork(seq, dtype)
        q = n.input("q", heads * head_dim)
        k, v = (n.input(name, (kv_heads or heads) * head_dim) for name in "kv")
        m = masked(n, mask)
        n.output(n.attention(q, k, v, heads, kv_heads, causal, m, sharp))
        return n

    return build


PATTERNS = tuple(Run(p, 2, nan=p != "full") for p in ("full", "left", "holes", "empty"))
LENGTHS = (Run("prefix", 2, nan=True), Run("empty", 2, nan=True), Run("beyond", 5))
ATTENTION = [
    Case("attention", "seq-1", attention(1, 2, 16), (Run(batch=2),)),
    Case("attention", "seq-7", attention(7, 2, 32), (Run(batch=2),)),
    Case("attention", "seq-33", attention(33, 2, 32)),
    Case("attention", "seq-65", attention(65, 1, 32)),
    Case("attention", "seq-33-not-causal", attention(33, 1, 32, causal=False)),
    Case("attention", "seq-129", attention(129, 1, 16)),
    Case("attention", "head-dim-1", attention(9, 3, 1), (Run(batch=2),)),
    Case("attention", "head-dim-5", attention(9, 2, 5, mask="key_mask"), (Run("holes", 2, nan=True),)),
    Case("attention", "head-dim-8", attention(20, 3, 8)),
    Case("attention", "head-dim-40", attention(20, 2, 40)),
    Case("attention", "head-dim-64", attention(17, 1, 64)),
    Case("attention", "head-dim-80", attention(20, 1, 80)),
    Case("attention", "head-dim-128", attention(18, 1, 128)),
    Case("attention", "head-dim-200", attention(20, 1, 200, mask="lengths"), (Run("empty", 2, nan=True),)),
    Case("attention", "head-dim-256", attention(70, 1, 256, mask="key_mask"), (Run("holes", 1, nan=True),)),
    Case("attention", "grouped", attention(20, 4, 16, kv_heads=2)),
    Case("attention", "key-mask", attention(35, 1, 32, mask="key_mask"), PATTERNS),
    Case("attention", "key-mask-not-causal", attention(35, 1, 32, causal=False, mask="key_mask"), PATTERNS),
    Case("attention", "lengths", attention(35, 1, 32, mask="lengths"), LENGTHS),
    Case("attention", "lengths-not-causal", attention(35, 1, 32, causal=False, mask="lengths"), LENGTHS),
    Case("attention", "whole-rows", attention(64, 1, 32, mask="key_mask"),
         (Run("left", 2, nan=True), Run("empty", 2, nan=True))),
]

# Products of warpgroups, as long sequences have them: queries that the producers
# bring, blocks of rows in pairs, blocks of keys that are wider than a warpgroup.

def wide(name, rows, keys, heads, row_blocks, build, runs=(Run(),), persistent=False):
    schedule = (f"rows = {rows}, units = {rows // 16}, columns = 0, heads = {heads}, block = 64, depth = 64, "
                f"keys = {keys}, stages = 4, operands = f16, mma = wgmma, ctas = 1, row_blocks = {row_blocks}"
                + ", persistent = true" * persistent)
    return Case("wide", name, build, runs, schedule, ("sm_90a",))


def persistent(name, rows, keys, build, runs, heads=1):
    return wide(name, rows, keys, heads, 1, build, runs, persistent=True)


WIDE = [
    wide("pairs", 128, 128, 2, 2, attention(300, 2, 64, dtype="f16")),
    wide("pairs-one-block", 128, 128, 1, 2, attention(100, 2, 32, dtype="f16"), (Run(batch=2),)),
    wide("pairs-of-small-blocks", 64, 64, 1, 2, attention(129, 2, 32, kv_heads=1, dtype="f16")),
    wide("key-mask", 128, 128, 1, 2, attention(200, 1, 64, mask="key_mask", dtype="f16"),
         tuple(Run(p, 1, nan=p != "full") for p in ("full", "left", "holes")) + (Run("empty", 2, nan=True),)),
    wide("lengths", 128, 128, 1, 1, attention(200, 1, 40, mask="lengths", dtype="f16"),
         (Run("prefix", 2, nan=True), Run("empty", 2, nan=True))),
    wide("not-causal", 128, 128, 2, 1, attention(150, 2, 64, causal=False, dtype="f16")),
    wide("three-warpgroups", 192, 64, 1, 2, attention(200, 1, 64, dtype="f16")),
    wide("queries-in-steps", 64, 64, 2, 2, attention(70, 2, 256, dtype="f16")),
    # Many blocks of keys, of which later ones have scores far above those of the first.
    wide("sharp", 128, 32, 1, 1, attention(200, 1, 64, dtype="f16", sharp=40)),
    wide("sharp-whole", 64, 32, 1, 1, attention(128, 2, 32, causal=False, dtype="f16", sharp=40), (Run(batch=2),)),
    wide("sharp-not-causal", 64, 32, 1, 1, attention(129, 1, 32, causal=False, mask="key_mask", dtype="f16", sharp=40),
         (Run("left", 1, nan=True), Run("holes", 1, nan=True))),
    # The emulated GPU holds four of these CTAs.
    persistent("persistent", 64, 32, attention(129, 3, 32, dtype="f16"), (Run(), Run(batch=4))),
    persistent("persistent-few", 64, 64, attention(100, 1, 64, dtype="f16"), (Run(), Run(batch=2))),
    persistent("persistent-not-causal", 64, 64, attention(70, 4, 16, kv_heads=2, causal=False, dtype="f16"),
               (Run(batch=3),), heads=2),
    persistent("persistent-key-mask", 128, 128, attention(200, 1, 64, mask="key_mask", dtype="f16"),
               (Run("holes", 5, nan=True), Run("empty", 5, nan=True))),
    persistent("persistent-lengths", 64, 64, attention(129, 2, 40, mask="lengths", dtype="f16"),
               (Run("prefix", 3, nan=True), Run("empty", 3, nan=True))),
]

# Attention and the projection of its keys, one kernel where the plan says so.

def project(seq, heads, head_dim, kv_heads=None, dim=None, causal=True, mask="none", norm=True, batch=None):
    def build():
        n = SmallNetwork(seq, batch=batch)
        x = n.input("x", dim or heads * head_dim)
        m = masked(n, mask)
        h = n.layer_norm(x) if norm else x
        q = n.linear(h, heads * head_dim)
        k, v = (n.linear(h, (kv_heads or heads) * head_dim) for _ in "kv")
        n.output(n.attention(q, k, v, heads, kv_heads, causal, m))
        return n

    return build


PROJECTION = [
    Case("projection", "seq-1", project(1, 2, 16), (Run(batch=2),)),
    Case("projection", "seq-7-head-dim-8", project(7, 4, 8), (Run(batch=2),)),
    Case("projection", "seq-16-several-a-cta", project(16, 2, 16), (Run(batch=9),)),
    Case("projection", "wide-several-a-cta", project(20, 2, 16, dim=416, norm=False), (Run(batch=5),)),
    Case("projection", "seq-33-not-causal", project(33, 2, 16, causal=False)),
    Case("projection", "seq-100", project(100, 1, 32)),
    Case("projection", "seq-520", project(520, 1, 16)),
    Case("projection", "head-dim-40", project(20, 2, 40)),
    Case("projection", "head-dim-80", project(20, 1, 80, dim=40)),
    Case("projection", "head-dim-128", project(18, 1, 128, dim=64)),
    Case("projection", "grouped", project(20, 4, 16, kv_heads=2)),
    Case("projection", "wide", project(20, 2, 16, dim=416, norm=False)),
    Case("projection", "key-mask", project(35, 2, 16, mask="key_mask"), PATTERNS),
    Case("projection", "key-mask-not-causal", project(35, 2, 16, causal=False, mask="key_mask"), PATTERNS),
    Case("projection", "lengths", project(35, 2, 16, mask="lengths"), LENGTHS),
    # No sequence and no CTA has a rest.
    Case("projection", "whole-batch", project(16, 2, 16, batch=8), (Run(batch=8),)),
    Case("projection", "whole-batch-key-mask", project(32, 2, 16, mask="key_mask", batch=4),
         (Run("holes", 4, nan=True), Run("empty", 4, nan=True))),
    Case("projection", "whole-batch-lengths", project(32, 2, 16, mask="lengths", batch=4),
         (Run("empty", 4, nan=True),)),
]

# Chains of rows.

def ffn(seq, dim, hidden, norm="layer_norm", activation="gelu_erf", gated=False, mask="none"):
    def build():
        n = SmallNetwork(seq)
        x = n.input("x", dim)
        m = masked(n, mask)
        h = n.layer_norm(x) if norm == "layer_norm" else n.rms_norm(x)
        u = n.linear(h, hidden)
        u = n.mul(n.activation(activation, n.linear(h, hidden)), u) if gated else n.activation(activation, u)
        y = n.add(x, n.linear(u, dim))
        n.output(n.layer_norm(n.mask_rows(y, m) if m else y))
        return n

    return build


def attend(seq, heads, head_dim, mask="none", causal=True):
    """What a layer does behind its projections."""
    def build():
        n = SmallNetwork(seq)
        dim = heads * head_dim
        x = n.input("x", dim)
        q, k, v = (n.input(name, dim) for name in "qkv")
        m = masked(n, mask)
        o = n.linear(n.attention(q, k, v, heads, None, causal, m), dim)
        x = n.add(x, n.mask_rows(o, m) if m else o)
        u = n.activation("gelu_erf", n.linear(n.layer_norm(x), dim))
        y = n.add(x, n.linear(u, dim))
        n.output(n.mask_rows(y, m) if m else y)
        return n

    return build


def project_back(seq, dim, mask="none"):
    """What a layer does behind its attention."""
    def build():
        n = SmallNetwork(seq)
        x, c = n.input("x", dim), n.input("c", dim)
        m = masked(n, mask)
        o = n.linear(c, dim)
        x = n.add(x, n.mask_rows(o, m) if m else o)
        y = n.add(x, n.linear(n.activation("gelu_erf", n.linear(n.layer_norm(x), dim)), dim))
        n.output(n.layer_norm(n.mask_rows(y, m) if m else y))
        return n

    return build


CHAIN = [
    Case("chain", "ffn-seq-1", ffn(1, 32, 32), (Run(batch=2),)),
    Case("chain", "ffn-4d", ffn(7, 40, 160), (Run(batch=2),)),
    Case("chain", "ffn-128", ffn(33, 128, 128)),
    Case("chain", "ffn-gated", ffn(9, 64, 96, "rms_norm", "silu", gated=True)),
    Case("chain", "ffn-lengths", ffn(17, 48, 48, mask="lengths"), (Run("empty", 3, nan=True),)),
    # Residuals that come from memory: 128 and 40 columns beside the sums, 192 before them.
    Case("chain", "back-128", project_back(64, 128)),
    Case("chain", "back-40", project_back(7, 40), (Run(batch=3),)),
    Case("chain", "back-192", project_back(17, 192)),
    Case("chain", "back-key-mask", project_back(64, 64, "key_mask"),
         (Run("holes", 2, nan=True), Run("empty", 2, nan=True))),
    Case("chain", "attend", attend(33, 2, 32)),
    Case("chain", "attend-whole-rows", attend(64, 2, 16, "key_mask"), (Run("left", 2, nan=True),)),
    Case("chain", "attend-head-dim-8", attend(20, 4, 8)),
    Case("chain", "attend-key-mask", attend(33, 2, 32, "key_mask"),
         (Run("holes", 2, nan=True), Run("empty", 2, nan=True))),
    Case("chain", "attend-lengths", attend(33, 1, 40, "lengths"), (Run("empty", 2, nan=True),)),
    Case("chain", "attend-not-causal", attend(20, 1, 32, "key_mask", causal=False), (Run("left", 2, nan=True),)),
]

# Whole networks; the last of each layer's operations meet the next one's first.

def network(seq, dim, heads, layers, hidden=None, mask="key_mask", norm="layer_norm", causal=True, gated=False):
    def build():
        n = SmallNetwork(seq)
        x = n.input("x", dim)
        m = masked(n, mask)
        make_norm = n.layer_norm if norm == "layer_norm" else n.rms_norm
        clear = (lambda h: n.mask_rows(h, m)) if m else (lambda h: h)
        for _ in range(layers):
            h = make_norm(x)
            q, k, v = (n.linear(h, dim) for _ in range(3))
            x = n.add(x, clear(n.linear(n.attention(q, k, v, heads, None, causal, m), dim)))
            h = make_norm(x)
            u = n.activation("gelu_erf", n.linear(h, hidden or dim))
            u = n.mul(u, n.linear(h, hidden or dim)) if gated else u
            x = clear(n.add(x, n.linear(u, dim)))
        n.output(clear(make_norm(x)))
        return n

    return build


NETWORK = [
    Case("network", "seq-1", network(1, 32, 2, 2), (Run(batch=2),)),
    Case("network", "seq-20", network(20, 64, 2, 3), (Run("full", 2), Run("holes", 2, nan=True))),
    Case("network", "seq-33-ffn-4d", network(33, 40, 1, 2, 160, "lengths"), (Run("empty", 2, nan=True),)),
    Case("network", "dim-128", network(17, 128, 4, 2)),
    Case("network", "no-mask-rms", network(9, 48, 3, 2, mask="none", norm="rms_norm")),
    Case("network", "dim-1", network(7, 1, 1, 2, norm="rms_norm"), (Run("prefix", 2, nan=True),)),
    Case("network", "head-dim-5", network(9, 15, 3, 2, 37, gated=True), (Run("holes", 2, nan=True),)),
    Case("network", "head-dim-100", network(9, 100, 1, 1, mask="lengths"), (Run("empty", 2, nan=True),)),
    Case("network", "head-dim-256", network(20, 256, 1, 1)),
    Case("network", "not-causal", network(18, 32, 1, 2, causal=False), (Run("left", 2, nan=True),)),
]

CASES = [*ROWS, *LINEAR, *ATTENTION, *WIDE, *PROJECTION, *CHAIN, *NETWORK]
