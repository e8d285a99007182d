# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every fence, wait, distance and arrival of a product of a warpgroup matters."""

import re

import breaking
from harness import Suite
from warpgroups import product

suite = Suite(arches=("sm_90a",))
# More bufs than slots, and more than one block, group of rows and step of K.
product(suite, "bulk", 24, 64, 64, steps=5)
product(suite, "async_bf16", 24, 32, 64, column=16, source="async", steps=5, element="bf16")
product(suite, "across", 72, 32, 128, source="async", transposed=True, steps=5)
product(suite, "no_swizzle", 16, 32, 40, column=8, source="async", steps=5)
product(suite, "no_swizzle_across", 24, 32, 40, source="async", transposed=True, steps=5)
product(suite, "publish", 24, 32, 32, source="publish")
product(suite, "slabs", 24, 32, 32, source="async", steps=5, slabs=2)


def drop(text):
    return r"wgmma\.mma_async.*" + text, lambda line: re.sub(text, "", line, count=1)


def stride(by):
    """The high word of the descriptor: the stride is in its low bits."""
    return (
        r"mov\.b32 h, ",
        lambda line: re.sub(r"h, (\d+)", lambda n: f"h, {int(n[1]) + by}", line),
    )


def offset(by):
    """The last step of K, elsewhere."""
    return (
        r"add\.s32 l, ",
        lambda line: re.sub(
            r"(.*add\.s32 l, [^,]*, )(\d+)", lambda n: f"{n[1]}{int(n[2]) + by}", line
        ),
    )


BREAKS = breaking.BREAKS + [
    # That of a wait for copies of lanes; of a product of what units wrote it is in
    # the piece.
    (r"^\s*fence\.proxy\.async", lambda line: ""),
    drop(r"fence\.proxy\.async\.shared::cta; "),
    drop(r"wgmma\.fence\.sync\.aligned; "),
    drop(r"wgmma\.commit_group\.sync\.aligned; "),
    drop(r"wgmma\.wait_group\.sync\.aligned 0; "),
    (r"wait_group\.sync", lambda line: line.replace("aligned 0;", "aligned 1;")),
    stride(1),
    stride(-1),
    stride(1 << 30),  # the swizzle
    offset(1),
    offset(8),
    # B the other way round; sums that forget those of the step before.
    (r"1, 1, [01];", lambda line: re.sub(r"1, 1, ([01]);",
                                         lambda n: f"1, 1, {1 - int(n[1])};", line)),
    (r"m, p, ", lambda line: line.replace("m, p, ", "m, q, ")),
]
breaking.main(suite, BREAKS)
