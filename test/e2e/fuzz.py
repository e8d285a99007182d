# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks through the end-to-end driver; by hand, not a part of ctest.

    fuzz.py --bin build/release/bin --first 0 --count 100

Network N is the same everywhere. Prints the networks that fail, and last
"N passed, N failed".
"""
import argparse
import concurrent.futures
import os
import random
import sys

import cases
import run_e2e

PATTERNS = {"key_mask": cases.PATTERNS, "lengths": ("full", "prefix", "empty", "beyond"),
            "none": ("full",)}


def make_case(number):
    draw = random.Random(number)
    heads = draw.choice([1, 1, 2, 3, 4, 5, 6, 8, 12, 16])
    head_dim = draw.choice([2, 3, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 40, 64, 65, 80])
    if heads * head_dim > 400:
        heads = 1
    dim = heads * head_dim
    mask = draw.choice(["none", "key_mask", "key_mask", "lengths", "lengths"])
    batch = draw.choice([None, None, None, 1, 3, 32, 40])
    network = dict(
        batch=batch, seq=draw.choice([1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100,
                                      127, 130, 257]),
        dim=dim, heads=heads, kv_heads=draw.choice([k for k in range(1, heads + 1)
                                                    if heads % k == 0]),
        ffn=draw.choice([None, 1, 3, 4 * dim, dim + 1, draw.randint(1, 300)]),
        layers=draw.choice([1, 2, 2, 3, 5]),
        # The variance of a few elements may be next to nothing.
        norm=draw.choice(["layer_norm", "rms_norm"]) if dim > 4 else "rms_norm",
        activation=draw.choice(["gelu_erf", "gelu_tanh", "relu", "silu"]),
        gated=draw.random() < 0.4, mask=mask, mask_rows=draw.random() < 0.75,
        causal=draw.random() < 0.7, bias=draw.random() < 0.7,
        dtype=draw.choice(["f32"] * 4 + ["f16", "bf16"]))
    oracle = draw.random() < 0.25
    runs = []
    for _ in range(4):
        pattern = draw.choice(PATTERNS[mask])
        size = batch or draw.choice([1, 2, 3, 5, 9])
        # Without mask_rows a batch without tokens leaves nothing to compare.
        nan = pattern != "full" and draw.random() < 0.5 and (size > 1 or network["mask_rows"])
        runs.append(cases.Run(pattern, size, nan, draw.choice(["", *cases.ISAS]),
                              draw.choice([1, 2, 3]), all_plans=True, check=oracle and not nan))
    return cases.Case("fuzz", str(number), network, tuple(runs), oracle,
                      draw.choice([1, 1, 1, 8]))


def run_number(number, tools):
    case = make_case(number)
    return case, run_e2e.run_case(case, tools, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tools = {name: os.path.join(options.bin, name) for name in ("hk-model", "hk-compile", "hk-run")}
    numbers = range(options.first, options.first + options.count)
    counts = {True: 0, False: 0}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for case, lines in pool.map(run_number, numbers, [tools] * len(numbers)):
            for passed, line in lines:
                counts[passed] += 1
                if not passed:
                    print(line, "sharp" if case.sharp != 1 else "", case.network, flush=True)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] or not counts[True] else 0


if __name__ == "__main__":
    sys.exit(main())
