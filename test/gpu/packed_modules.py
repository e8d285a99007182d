# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules that travel to the GPU's machine, by name."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / ".." / "python"), str(HERE / ".." / "e2e")]
import cases  # noqa: E402
import gpu_cases  # noqa: E402
import reference  # noqa: E402

SHAPES = range(1, 14)
# Groups of cases.py whose networks run on a GPU; "shapes" and "sequences" are as
# good as SHAPES or about the CPU's kernels alone.
GROUPS = ("odd", "masks", "types")


def attention(head_dim):
    batch, seq, width = 16, 1024, 2048
    return dict(source=f"attention_hd{head_dim}.mlir", batch=batch, seq=seq, width=width, inputs=3,
                heads=width // head_dim, dtype="f16", peer="sdpa", bytes=4 * 2 * batch * seq * width,
                flops=4 * batch * width * seq * (seq + 1) // 2)


def linear(features):
    batch, seq, width = 64, 128, 1024
    rows = batch * seq
    return dict(source=f"linear_{features}.mlir", batch=batch, seq=seq, width=width, features=features, inputs=1,
                dtype="f16", peer="linear", bytes=2 * (rows * (width + features) + features * width),
                flops=2 * rows * width * features)


KERNELS = {
    **{f"attention_hd{head_dim}": attention(head_dim) for head_dim in (32, 64, 128)},
    **{f"linear_{features}": linear(features) for features in (1024, 3072)},
    "norm_1024": dict(source="norm_1024.mlir", batch=512, seq=128, width=1024, inputs=1, dtype="f32",
                      peer="layer_norm", bytes=2 * 4 * 512 * 128 * 1024, flops=0),
}


def small_cases():
    """What runs on the emulated device too: {name: Case}."""
    return {f"small/{case.group}/{case.name}": case for case in gpu_cases.CASES}


def odd_cases():
    """The cases that a GPU takes: {name: Case}."""
    return {f"{case.group}/{case.name}": case for case in cases.CASES
            if case.group in GROUPS and reference.Network(**case.network).dtype != "bf16"}
