# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk beside PyTorch on the CPU: the contract's network in fp32, same cores, one run.

For each shape: a PyTorch model under seed 1234 (its default initialisation),
the same weights through a safetensors file into hk-run, the largest absolute
difference of the outputs, and the median time of both, in alternating rounds.
Two PyTorch models: `eager` is the reference (full score matrix, masks), `sdpa`
what an expert would write (one QKV projection, scaled_dot_product_attention).

    taskset -c 0,1 python3 cpu_vs_torch.py --hk-run BIN --modules DIR --threads 2

DIR holds shapeNN.hkm. PyTorch is not a dependency of hk; install it by hand.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import safetensors_file  # noqa: E402
from torch_network import SHAPES, Expert, make_eager  # noqa: E402


def milliseconds(function, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def run_hk(args, number, files, batch, repeat):
    module = os.path.join(args.modules, f"shape{number:02d}.hkm")
    report = files["report"]
    command = [args.hk_run, module, "--params", files["params"], "--input", files["x"], "--input",
               files["valid"], "--output", files["y"], "--threads", str(args.threads),
               "--repeat", str(repeat), "--json", report]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(pathlib.Path(report).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hk-run", required=True, help="the hk-run binary")
    parser.add_argument("--modules", required=True, help="folder with shapeNN.hkm")
    parser.add_argument("--shapes", default="1,8,13", help="numbers, by commas (default: 1,8,13)")
    parser.add_argument("--threads", type=int, default=2, help="of both (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds (default: 3)")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each contender and round (default: 4)")
    parser.add_argument("--json", help="where the table goes as JSON")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print(f"torch {torch.__version__}, {args.threads} threads, cores {sorted(os.sched_getaffinity(0))}")
    print(f"{'shape':>5} {'hk ms':>9} {'eager ms':>9} {'sdpa ms':>9} {'eager/hk':>8} {'sdpa/hk':>8} {'max diff':>9}")
    table, failed = [], False
    for number in map(int, args.shapes.split(",")):
        batch, seq, dim = SHAPES[number][:3]
        eager = make_eager(number)
        sdpa = Expert(eager).eval()
        generator = torch.Generator().manual_seed(101234)
        x = torch.randn(batch, seq, dim, generator=generator)
        valid = torch.ones(batch, seq, dtype=torch.bool)
        with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
            files = {name: os.path.join(folder, file) for name, file in
                     dict(params="w.safetensors", x="x.npy", valid="valid.npy", y="y.npy", report="report.json").items()}
            safetensors_file.save(files["params"], {k: t.numpy() for k, t in eager.state_dict().items()})
            np.save(files["x"], x.numpy())
            np.save(files["valid"], valid.numpy())
            expected = eager(x, valid)
            one = milliseconds(lambda: eager(x, valid), 1)[0]
            count = max(3, min(200, int(1e3 * args.seconds / one)))
            times = {"hk": [], "eager": [], "sdpa": []}
            sdpa(x, valid)
            for _ in range(args.rounds):
                report = run_hk(args, number, files, batch, count)
                times["hk"].append(1e3 * report["seconds"]["median"])
                times["eager"] += milliseconds(lambda: eager(x, valid), count)
                times["sdpa"] += milliseconds(lambda: sdpa(x, valid), count)
            difference = float(np.abs(np.load(files["y"]) - expected.numpy()).max())
        ms = {name: statistics.median(values) for name, values in times.items()}
        row = dict(shape=number, **{f"{name}_ms": value for name, value in ms.items()},
                   eager_ratio=ms["eager"] / ms["hk"], sdpa_ratio=ms["sdpa"] / ms["hk"],
                   max_difference=difference, isa=report.get("isa"))  # fmt: skip
        failed |= not difference <= 1e-4
        table.append(row)
        print(f"{number:>5} {ms['hk']:>9.2f} {ms['eager']:>9.2f} {ms['sdpa']:>9.2f} {row['eager_ratio']:>8.2f}"
              f" {row['sdpa_ratio']:>8.2f} {difference:>9.1e}", flush=True)  # fmt: skip
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(table, indent=1) + "\n")
    if failed:
        print("expects outputs within 1e-4 of PyTorch's, but got more (see max diff)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
