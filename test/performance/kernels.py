# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed of single kernels on one core: GF/s of the networks in kernels/.

    python3 kernels.py --compile            # writes MODULES/*.hkm
    taskset -c 2 python3 kernels.py --run   # times them, one thread

Counts the flops that are needed: of causal attention the lower triangle.
"""
import argparse
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# name: (batch, flops a sequence)
KERNELS = {
    "linear_128": (64, 2 * 128 * 128 * 128),
    "linear_1024": (8, 2 * 128 * 1024 * 1024),
    "attention_128": (64, 4 * 4 * 32 * 128 * 129 // 2),
    "attention_1024": (4, 4 * 4 * 32 * 1024 * 1025 // 2),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="folder of hk-compile and hk-run")
    parser.add_argument("--modules", default="build/kernels", help="folder of the modules")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--repeat", type=int, default=100)
    args = parser.parse_args()
    modules = pathlib.Path(args.modules)
    if args.compile:
        modules.mkdir(parents=True, exist_ok=True)
        for name in KERNELS:
            subprocess.run([f"{args.bin}/hk-compile", HERE / "kernels" / f"{name}.mlir", "-o", modules / f"{name}.hkm"],
                           check=True)  # fmt: skip
    if args.run:
        print(f"{'kernel':>15} {'batch':>5} {'median us':>10} {'spread':>7} {'GF/s':>6} isa")
        for name, (batch, flops) in KERNELS.items():
            done = subprocess.run([f"{args.bin}/hk-run", modules / f"{name}.hkm", "--threads", "1", "--batch", str(batch),
                                   "--repeat", str(args.repeat), "--json", "-"],
                                  check=True, capture_output=True, text=True)  # fmt: skip
            report = json.loads(done.stdout)
            seconds = report["seconds"]
            print(f"{name:>15} {batch:>5} {1e6 * seconds['median']:>10.1f} {100 * seconds['spread']:>6.1f}%"
                  f" {1e-9 * batch * flops / seconds['median']:>6.1f} {report['isa']}")  # fmt: skip


if __name__ == "__main__":
    main()
