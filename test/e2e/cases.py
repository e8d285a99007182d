# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of end-to-end cases: networks, and what is run on each.

A network is compiled once, then run on each of its inputs. An input has a batch
and a pattern of valid tokens:

    full     every token
    prefix   a random number of tokens from the start, at least one
    left     a random number of tokens at the end: left padding
    holes    any token may be missing
    empty    prefixes, the first of which has no token at all
    beyond   with "lengths": below zero and above S, which count as zero and S

`nan` fills what is not valid with NaN and infinity. With mask "none" the
pattern is not passed, so `nan` makes tokens that only later queries see.
"""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Run:
    pattern: str = "full"
    batch: int = 2
    nan: bool = False
    isa: str = ""  # HK_ISA
    threads: int = 2
    all_plans: bool = False
    check: bool = False  # hk-run --check=all as well: needs Case.oracle

    def label(self):
        words = [self.pattern, f"B={self.batch}"]
        words += ["nan"] if self.nan else []
        words += [self.isa] if self.isa else []
        words += [f"threads={self.threads}"] if self.threads != 2 else []
        return " ".join(words)


@dataclass(frozen=True)
class Case:
    group: str
    name: str
    network: dict = field(default_factory=dict)  # options of reference.Network
    runs: tuple = (Run(),)
    oracle: bool = False  # hk-compile --oracle
    sharp: float = 1  # scales the queries, so that softmax is far from uniform
    recompile: bool = False  # a second module must be the same, byte for byte


# The benchmark's shapes by number: S, D, heads, and the batch that is run.
SHAPES = {
    1: (128, 128, 4, 2), 2: (128, 128, 4, 1), 3: (128, 128, 4, 4), 4: (128, 128, 4, 2),
    5: (128, 128, 4, 2), 6: (128, 128, 4, 3), 7: (128, 32, 4, 2), 8: (128, 1024, 4, 1),
    9: (128, 128, 1, 2), 10: (128, 128, 2, 2), 11: (128, 128, 16, 2), 12: (32, 128, 4, 2),
    13: (1024, 128, 4, 1),
}
# Shapes that differ in the batch alone are one network of dynamic batch.
SAME_NETWORK = {3: 1, 4: 1, 5: 1, 6: 1}


def shapes():
    for number, (seq, dim, heads, batch) in SHAPES.items():
        if number in SAME_NETWORK:
            continue
        batches = [batch] + [SHAPES[n][3] for n, same in SAME_NETWORK.items() if same == number]
        # Even numbers have a static batch, as the benchmark states them.
        static = batch if number % 2 == 0 else None
        network = dict(seq=seq, dim=dim, heads=heads, batch=static)
        runs = [Run(batch=b) for b in sorted(set(batches))] + [Run("prefix", batch)]
        yield Case("shapes", f"shape{number:02d}", network, tuple(runs))


SMALL = dict(seq=20, dim=64, layers=2)
PATTERNS = ("full", "prefix", "left", "holes", "empty")

ODD = [
    Case("odd", "seq-1", {**SMALL, "seq": 1}, (Run(batch=1), Run(batch=5), Run("empty", 3))),
    Case("odd", "seq-1-no-mask-lengths", {**SMALL, "seq": 1, "mask": "lengths"},
         (Run(batch=2), Run("empty", 3))),
    Case("odd", "seq-7", {**SMALL, "seq": 7}, (Run(batch=3), Run("prefix", 3, nan=True))),
    Case("odd", "seq-100", {**SMALL, "seq": 100}, (Run(), Run("holes"))),
    Case("odd", "seq-129", {**SMALL, "seq": 129, "mask": "lengths"}, (Run(), Run("prefix"))),
    Case("odd", "head-dim-8", {**SMALL, "dim": 24, "heads": 3}),
    Case("odd", "head-dim-40", {**SMALL, "dim": 80, "heads": 2}, (Run(), Run("prefix"))),
    Case("odd", "head-dim-80", {**SMALL, "dim": 80, "heads": 1}, (Run(), Run("prefix"))),
    Case("odd", "dim-40-ffn-160-seq-129", {**SMALL, "dim": 40, "heads": 1, "ffn": 160, "seq": 129}),
    Case("odd", "ffn-4d", {**SMALL, "ffn": 256}, (Run(), Run("prefix"))),
    Case("odd", "ffn-37", {**SMALL, "ffn": 37}),
    Case("odd", "dim-1", {**SMALL, "dim": 1, "heads": 1, "norm": "rms_norm"}),
    Case("odd", "one-head", {**SMALL, "heads": 1}),
    Case("odd", "one-layer", {**SMALL, "layers": 1}, (Run(), Run("prefix"))),
    Case("odd", "many-layers", {**SMALL, "layers": 9}),
    Case("odd", "grouped-queries", {**SMALL, "heads": 8, "kv_heads": 2}, (Run(), Run("holes"))),
    Case("odd", "one-kv-head", {**SMALL, "heads": 4, "kv_heads": 1, "mask": "lengths"},
         (Run(), Run("empty"))),
    Case("odd", "rms-silu-gated",
         {**SMALL, "norm": "rms_norm", "activation": "silu", "gated": True, "ffn": 96},
         (Run(), Run("prefix"))),
    Case("odd", "llama-like",
         {**SMALL, "norm": "rms_norm", "activation": "silu", "gated": True, "ffn": 160, "heads": 8,
          "kv_heads": 2, "bias": False, "mask": "lengths"}, (Run(), Run("empty", 3, nan=True))),
    Case("odd", "gelu-tanh", {**SMALL, "activation": "gelu_tanh"}),
    Case("odd", "relu", {**SMALL, "activation": "relu"}),
    Case("odd", "no-bias", {**SMALL, "bias": False}, (Run(), Run("left"))),
    Case("odd", "static-batch", {**SMALL, "batch": 3}, (Run(batch=3), Run("empty", 3))),
    Case("odd", "sharp-softmax", {**SMALL, "seq": 200}, (Run(), Run("holes")), sharp=16),
    Case("odd", "sharp-not-causal", {**SMALL, "seq": 150, "causal": False},
         (Run(), Run("left")), sharp=16),
]

MASKS = [
    Case("masks", "key-mask", SMALL,
         tuple(Run(p, 4) for p in PATTERNS) +
         tuple(Run(p, 4, nan=True) for p in PATTERNS if p != "full"), oracle=True),
    Case("masks", "key-mask-no-mask-rows", {**SMALL, "mask_rows": False},
         tuple(Run(p, 4) for p in PATTERNS) +
         tuple(Run(p, 4, nan=True) for p in PATTERNS if p != "full")),
    Case("masks", "lengths", {**SMALL, "mask": "lengths"},
         tuple(Run(p, 4, nan=n) for p in ("full", "prefix", "empty") for n in (False, True)
               if not (p == "full" and n)), oracle=True),
    Case("masks", "lengths-no-mask-rows", {**SMALL, "mask": "lengths", "mask_rows": False},
         (Run("prefix", 4), Run("empty", 4), Run("prefix", 4, nan=True), Run("beyond", 5))),
    Case("masks", "key-mask-not-causal", {**SMALL, "causal": False},
         tuple(Run(p, 4) for p in PATTERNS) + (Run("holes", 4, nan=True),)),
    Case("masks", "key-mask-not-causal-no-mask-rows",
         {**SMALL, "causal": False, "mask_rows": False},
         (Run("left", 4), Run("empty", 4), Run("empty", 4, nan=True))),
    Case("masks", "lengths-not-causal", {**SMALL, "mask": "lengths", "causal": False},
         (Run("prefix", 4), Run("empty", 4), Run("empty", 4, nan=True), Run("beyond", 5))),
    Case("masks", "no-mask", {**SMALL, "mask": "none"}, (Run(), Run("prefix", 4, nan=True))),
    Case("masks", "no-mask-not-causal", {**SMALL, "mask": "none", "causal": False}),
    Case("masks", "key-mask-long", {**SMALL, "seq": 150},
         (Run("empty", 4, nan=True), Run("left", 4, nan=True), Run("holes", 4, nan=True))),
    Case("masks", "lengths-long", {**SMALL, "seq": 150, "mask": "lengths"},
         (Run("empty", 4, nan=True), Run("prefix", 4, nan=True), Run("beyond", 5, nan=True))),
]

# From this batch on, if it is static, a workgroup may own whole sequences: other
# kernels than those above.
MANY = 33
SEQUENCES = [
    *(Case("sequences", f"shape{n:02d}-batch-32",
           dict(seq=SHAPES[n][0], dim=SHAPES[n][1], heads=SHAPES[n][2], batch=32),
           (Run("full", 32), Run("prefix", 32))) for n in (1, 7, 11, 12)),
    Case("sequences", "key-mask", {**SMALL, "batch": MANY},
         tuple(Run(p, MANY, nan=p != "full") for p in PATTERNS) + (Run("holes", MANY, threads=1),),
         oracle=True),
    Case("sequences", "key-mask-no-mask-rows", {**SMALL, "batch": MANY, "mask_rows": False},
         (Run("left", MANY), Run("empty", MANY, nan=True))),
    Case("sequences", "lengths", {**SMALL, "batch": MANY, "mask": "lengths", "seq": 100},
         (Run("full", MANY), Run("empty", MANY, nan=True), Run("beyond", MANY))),
    Case("sequences", "no-mask", {**SMALL, "batch": MANY, "mask": "none"},
         (Run("full", MANY), Run("prefix", MANY, nan=True))),
    Case("sequences", "not-causal", {**SMALL, "batch": MANY, "causal": False, "seq": 37},
         (Run("full", MANY), Run("holes", MANY))),
    Case("sequences", "seq-1", {**SMALL, "batch": MANY, "seq": 1}, (Run("full", MANY),)),
    Case("sequences", "seq-129-dim-40", {**SMALL, "batch": MANY, "seq": 129, "dim": 40, "heads": 5,
                                         "ffn": 160}, (Run("prefix", MANY, nan=True),)),
    Case("sequences", "llama-like",
         {**SMALL, "batch": MANY, "norm": "rms_norm", "activation": "silu", "gated": True,
          "ffn": 160, "heads": 8, "kv_heads": 2, "bias": False}, (Run("holes", MANY),)),
    *(Case("sequences", dtype, {**SMALL, "batch": MANY, "dtype": dtype},
           (Run("full", MANY), Run("prefix", MANY, nan=True))) for dtype in ("f16", "bf16")),
    Case("sequences", "isa", {**SMALL, "batch": MANY, "seq": 65},
         tuple(Run("prefix", MANY, isa=isa, all_plans=True)
               for isa in ("x86-64-v4", "x86-64-v3", "x86-64"))),
]

TYPES = [
    Case("types", f"{dtype}-{name}", {**SMALL, "dtype": dtype, **options}, runs)
    for dtype in ("f16", "bf16")
    for name, options, runs in (
        ("key-mask", {}, (Run(), Run("holes"), Run("prefix", nan=True))),
        ("llama-like", {"norm": "rms_norm", "activation": "silu", "gated": True, "ffn": 160,
                        "kv_heads": 2, "bias": False, "mask": "lengths", "seq": 33},
         (Run(), Run("empty"))),
        ("shape12", {"seq": 32, "dim": 128, "layers": 4}, (Run(), Run("prefix"))),
    )
]

ISAS = ("x86-64-v4", "x86-64-v3", "x86-64")
MACHINE = [
    Case("machine", "isa", dict(layers=2, seq=100),
         tuple(Run(p, isa=isa, all_plans=True) for isa in ISAS for p in ("full", "holes")),
         recompile=True),
    Case("machine", "isa-odd", {**SMALL, "dim": 40, "heads": 5, "ffn": 72, "mask": "lengths"},
         tuple(Run("empty", 3, nan=True, isa=isa) for isa in ISAS)),
    Case("machine", "isa-f16", {**SMALL, "dtype": "f16"}, tuple(Run(isa=isa) for isa in ISAS)),
    Case("machine", "isa-bf16", {**SMALL, "dtype": "bf16"}, tuple(Run(isa=isa) for isa in ISAS)),
    Case("machine", "threads", dict(layers=2, seq=65),
         (Run(batch=1, threads=1), Run(batch=1, threads=3), Run("prefix", 7, threads=1),
          Run("prefix", 7, threads=3), Run(batch=0), Run(batch=16, threads=5))),
    Case("machine", "plans-and-oracle", dict(layers=3),
         (Run("empty", 3, all_plans=True, check=True), Run("full", 1, all_plans=True, check=True)),
         oracle=True),
    Case("machine", "plans-lengths", dict(layers=3, mask="lengths"),
         (Run("empty", 3, all_plans=True, check=True),), oracle=True),
    Case("machine", "oracle-static-gated",
         {**SMALL, "batch": 3, "gated": True, "norm": "rms_norm", "activation": "silu",
          "heads": 4, "kv_heads": 2}, (Run("left", 3, check=True),), oracle=True),
    Case("machine", "oracle-f16", {**SMALL, "dtype": "f16", "activation": "gelu_tanh"},
         (Run("prefix", check=True),), oracle=True),
]

CASES = [*shapes(), *ODD, *MASKS, *SEQUENCES, *TYPES, *MACHINE]
GROUPS = ("shapes", "odd", "masks", "sequences", "types", "machine")
