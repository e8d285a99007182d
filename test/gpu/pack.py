# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and collects what travels to a machine with a GPU, into one folder.

    pack.py --build build/release --out build/gpu-pack [--targets sm_90a] [--only shape]

The machine there needs Python with NumPy and PyTorch, and nothing else. A module
that does not compile is told and left out; run_on_gpu.py says which are missing.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import packed_modules
import reference
import run_gpu_e2e

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("hk-run", "hk-bench")
SCRIPTS = ("gpu/*.py", "e2e/*.py", "python/reference.py", "python/safetensors_file.py",
           "python/torch_network.py")


def run(words):
    """(passed, what it said)."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False, f"{words[0]} takes more than 300 s"
    return done.returncode == 0, (done.stderr or done.stdout).strip()


class Packer:
    def __init__(self, build, out, targets):
        self.bin, self.out = build / "bin", out
        self.targets = targets

    def call_compiler(self, source, output, targets, words=()):
        return run([self.bin / "hk-compile", source, *(f"--target={target}" for target in targets), *words,
                    "-o", output])

    def compile(self, name, source, words=(), targets=None):
        file = pathlib.Path("modules") / (name.replace("/", "-") + ".hkm")
        passed, said = self.call_compiler(source, self.out / file, targets or self.targets, words)
        return str(file) if passed else None, said

    def plans(self, file):
        """The plans of a module's first function."""
        _, listing = run([self.bin / "hk-run", self.out / file, "--list"])
        return re.findall(r"^  plan (\S+):", listing.split("function ")[1], re.M)

    def network(self, name, model_words, oracle):
        source = self.out / "networks" / (name.replace("/", "-") + ".mlir")
        passed, said = run([self.bin / "hk-model", *model_words, "-o", source])
        if not passed:
            return None, said
        return self.compile(name, source, ["--oracle"] if oracle else [])

    def small(self, name, case):
        """A case of gpu_cases.py, by its schedule where it has one, and for one target then."""
        source = self.out / "networks" / (name.replace("/", "-") + ".mlir")
        source.write_text(case.build().text())
        if not case.schedule:
            return self.compile(name, source)
        targets = [target for target in self.targets if not case.targets or target in case.targets][:1]
        if not targets:
            return None, f"expects a target among {', '.join(case.targets)}, but got {', '.join(self.targets)}"
        kernels = source.with_suffix(".kernels.mlir")
        passed, said = self.call_compiler(source, kernels, targets, ["--emit=kernels"])
        if not passed:
            return None, said
        kernels.write_text(run_gpu_e2e.with_schedule(kernels.read_text(), *targets, case.schedule))
        return self.compile(name, kernels, ["--from=kernels"], targets)

    def jobs(self):
        """(name, facts, a function that gives (file or None, message))."""
        for number in packed_modules.SHAPES:
            name = f"shape{number:02d}"
            yield name, {"kind": "shape"}, lambda name=name, number=number: self.network(
                name, ["--shape", number], oracle=True)
        for name, facts in packed_modules.KERNELS.items():
            yield name, {"kind": "kernel", **facts}, lambda name=name, facts=facts: self.compile(
                name, HERE / "kernels" / facts["source"])
        for name, case in packed_modules.odd_cases().items():
            words = reference.Network(**case.network).arguments()
            yield name, {"kind": "odd"}, lambda name=name, words=words: self.network(name, words, oracle=False)
        for name, case in packed_modules.small_cases().items():
            yield name, {"kind": "small"}, lambda name=name, case=case: self.small(name, case)


def collect_files(build, out):
    for folder in ("bin", "lib", "modules", "networks", "python"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        shutil.copy2(build / "bin" / program, out / "bin")
    shutil.copy2(build / "runtime" / "libhk_runtime.so", out / "lib")
    for pattern in SCRIPTS:
        files = sorted((HERE / "..").glob(pattern))
        if not files:
            sys.exit(f"pack.py: error: expects files {pattern}, but got none")
        for file in files:
            shutil.copy2(file, out / "python")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path, help="the build folder")
    parser.add_argument("--out", default="build/gpu-pack", type=pathlib.Path, help="where the files go")
    parser.add_argument("--targets", default="sm_90a", help="of hk-compile, by commas (default: sm_90a)")
    parser.add_argument("--only", default="", help="names that begin with this")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    collect_files(args.build, args.out)
    packer = Packer(args.build, args.out, args.targets.split(","))
    modules, missing = {}, {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        chosen = [job for job in packer.jobs() if job[0].startswith(args.only)]
        for (name, facts, _), (file, said) in zip(chosen, pool.map(lambda job: job[2](), chosen)):
            if file:
                modules[name] = {"file": file, "plans": packer.plans(file), **facts}
            else:
                missing[name] = said[-400:]
                print(f"left out {name}: {said.splitlines()[0] if said else '(no message)'}")
    manifest = {"targets": args.targets, "modules": modules, "missing": missing}
    (args.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    # PTX shrinks to a tenth; run_on_gpu.py unpacks it.
    with tarfile.open(args.out / "modules.tar.xz", "w:xz") as archive:
        archive.add(args.out / "modules", "modules")
    for folder in ("modules", "networks"):
        shutil.rmtree(args.out / folder)
    size = sum(file.stat().st_size for file in args.out.rglob("*") if file.is_file())
    print(f"{args.out}: {len(modules)} modules, {len(missing)} left out, {size / 2**20:.1f} MiB")
    return 1 if not modules else 0


if __name__ == "__main__":
    sys.exit(main())
