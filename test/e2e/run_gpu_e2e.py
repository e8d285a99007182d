# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for GPUs without a GPU: hk-compile and hk-run on the emulated device,
against NumPy in float64.

    run_gpu_e2e.py --bin build/release/bin --driver libhk_emulated_cuda.so --target sm_90a
                   [--group attention] [--filter head-dim] [--jobs 2]

Every plan runs as it comes and, but for the reference plan, with every asynchronous
operation as late as its wait allows and races looked for. Where there is a ptxas,
the compiler has it for each of --assemble; the PTX of such a module is assembled
here, and refused where ptxas serialises a wgmma (C75xx) or, in kernels of attention,
spills. --target cpu runs the same table on the CPU. Prints a line for each run and,
last, "N passed, N failed".
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../python"))
import gpu_cases  # noqa: E402
import safetensors_file  # noqa: E402
from run_e2e import Failure, generator, make_valid, run_tool  # noqa: E402
from tolerance import GATE_ATOL, GATE_RTOL  # noqa: E402

# Told to ctest where the compiler was built without a target.
SKIPPED = 77
MODES = {"eager": {}, "lazy": {"HK_EMULATOR_LAZY": "1", "HK_EMULATOR_RACES": "1"}}
# A ptxas that keeps what it says.
LISTENER = """#!/bin/sh
{ptxas} "$@" 2> {log}.part
status=$?
cat {log}.part >> {log}
cat {log}.part >&2
exit $status
"""
# Of the reference plan: float32 sums of a few hundred terms.
CLOSE = 1e-4


def find_ptxas():
    """As the compiler looks for it, or None."""
    home = os.environ.get("CUDA_HOME")
    for path in (os.environ.get("HK_PTXAS"), home and os.path.join(home, "bin/ptxas")):
        if path and os.access(path, os.X_OK):
            return path
    return shutil.which("ptxas")


def make_inputs(case, run, network):
    """({name: array}, [B, S] bool of the rows that are judged)."""
    rng = generator(case.group, case.name, run.pattern, run.batch)
    valid, lengths = make_valid(run.pattern, run.batch, network.seq, rng)
    inputs = {}
    for name, value in network.arguments:
        if name in network.masks:
            bits = np.where(valid, rng.integers(1, 256, valid.shape), 0).astype(np.uint8).view(bool)
            inputs[name] = lengths if network.masks[name] == "lengths" else bits
            continue
        x = rng.normal(size=(run.batch, network.seq, value.width))
        if run.nan and name != "q":  # a query is read wherever its row is
            x[~valid] = np.nan
            x[..., ::7][~valid] = np.inf
        inputs[name] = x.astype({"f32": np.float32, "f16": np.float16}[network.dtype])
    return inputs, valid


def compare(y, expected, exact):
    """(worst error, over what is allowed) of the elements that have a right value."""
    if y.shape != expected.shape:
        raise Failure(f"expects shape {expected.shape}, but got {y.shape}")
    judged = np.isfinite(expected)
    if not judged.any():
        raise Failure("expects elements to compare, but got none")
    got, want = y[judged].astype(np.float64), expected[judged]
    error = np.abs(got - want)
    allowed = CLOSE * (1 + np.abs(want)) if exact else np.maximum(GATE_ATOL, GATE_RTOL * np.abs(want))
    ratio = np.where(np.isfinite(got), error / allowed, np.inf)
    worst = int(ratio.argmax())
    if ratio[worst] > 1:
        raise Failure(f"{int((ratio > 1).sum())} of {got.size} elements outside of what is allowed; worst at "
                      f"{np.argwhere(judged)[worst].tolist()}: expects {want[worst]:.9g}, but got {got[worst]:.9g}")
    return float(error.max()), float(ratio[worst])


def plans_of(options, module):
    """[(name, role)] of the module's plans for the target."""
    listing = run_tool([options.run, module, "--list"])
    plans = re.findall(r"^  plan (\S+): rank \d+, (\w+)", listing.split("function ")[1], re.M)
    return [plan for plan in plans if options.target == "cpu" or f".{options.target}." in plan[0]]


def with_schedule(kernels, target, schedule):
    """The text of kernels (hk-compile --emit=kernels) whose attentions and products that multiply f16 have one
    schedule: what #hk.cuda says behind the architecture."""
    kernels, count = re.subn(r"(@(?:attention|linear)[^\n]*schedules )\[[^\]]*operands = f16[^\]]*\]",
                             rf'\1[#hk.cuda<arch = "{target}", {schedule}>]', kernels)
    if not count:
        raise Failure("expects kernels of attention or of products, but got none")
    return re.sub(r"hk.predicted_us = array<f64: [^>]*>", "hk.predicted_us = array<f64: 1.0>", kernels)


class Prepared:
    """A case, compiled for one target."""

    def __init__(self, case, options, folder):
        self.case, self.options, self.folder = case, options, folder
        self.network = case.build()
        self.parameters = self.network.draw_parameters(generator(case.group, case.name))
        with open(self.path("n.mlir"), "w") as stream:
            stream.write(self.network.text())
        self.words = []
        self.listened = set()  # targets whose modules ptxas has seen
        if options.assemble_only:
            return
        # The emulator refuses cubins, and the runtime takes the PTX beside them.
        if options.ptxas and self.assembles(options.target):
            self.compile_listened(options.target, self.path("n.hkm"))
        else:
            self.compile(options.target, self.path("n.hkm"), ptxas="none")
        if self.parameters:
            safetensors_file.save(self.path("w.safetensors"), self.parameters)
            self.words = ["--params", self.path("w.safetensors")]
        self.plans = plans_of(options, self.path("n.hkm"))
        if not self.plans:
            raise Failure(f"expects a plan for {options.target}, but got none")

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, target, module, ptxas):
        def compile_(source, output, *words):
            run_tool([self.options.compile, self.path(source), f"--target={target}", "-o", output, *words],
                     {"HK_PTXAS": ptxas})

        if not self.case.schedule:
            return compile_("n.mlir", module)
        compile_("n.mlir", self.path("kernels.mlir"), "--emit=kernels")
        kernels = pathlib.Path(self.path("kernels.mlir"))
        kernels.write_text(with_schedule(kernels.read_text(), target, self.case.schedule))
        return compile_("kernels.mlir", module, "--from=kernels")

    def assembles(self, target):
        return target in self.options.assemble and (not self.case.targets or target in self.case.targets)

    def compile_listened(self, target, module):
        """Keeps what ptxas says of the module."""
        log, listener = (pathlib.Path(self.path(f"{target}.ptxas{suffix}")) for suffix in (".log", ""))
        listener.write_text(LISTENER.format(ptxas=shlex.quote(self.options.ptxas), log=shlex.quote(str(log))))
        listener.chmod(0o755)
        log.write_text("")
        self.compile(target, module, str(listener))
        self.listened.add(target)

    def environment(self, mode):
        if self.options.target == "cpu":
            return {}
        capability = re.match(r"sm_(\d+)(\d)", self.options.target)
        return {"HK_CUDA_DRIVER": self.options.driver, "HK_EMULATOR_SM": ".".join(capability.groups()),
                **MODES[mode]}

    def run(self, run):
        """Yields (what, worst error, over what is allowed)."""
        inputs, valid = make_inputs(self.case, run, self.network)
        expected = self.network.evaluate(inputs, self.parameters)
        words = list(self.words)
        for name, array in inputs.items():
            np.save(self.path(name + ".npy"), array)
            words += ["--input", f"{name}={self.path(name + '.npy')}"]
        device = "cpu" if self.options.target == "cpu" else "cuda"
        for plan, role in self.plans:
            exact = (role == "reference" or device == "cpu") and self.network.dtype == "f32"
            for mode in ("eager",) if exact else MODES:
                run_tool([self.options.run, self.path("n.hkm"), "--device", device, "--plan", plan, "--threads", "1",
                          "--output", self.path("y.npy"), *words], self.environment(mode))
                yield (f"{plan} {mode}", *compare(np.load(self.path("y.npy")), expected, exact))

    def assemble(self, target):
        """Yields (kernel, registers, spilled bytes) as ptxas tells the compiler."""
        if target not in self.listened:
            self.compile_listened(target, self.path(f"{target}.hkm"))
        said = pathlib.Path(self.path(f"{target}.ptxas.log")).read_text()
        serialised = re.findall(r"\bC75\d\d\b", said)
        if serialised:
            raise Failure(f"ptxas serialises wgmma for {target}: {sorted(set(serialised))}")
        # A kernel that spills is tried again with other bounds, until it does not.
        kernels = {}
        for part in said.split("Compiling entry function '")[1:]:
            spilled = sum(map(int, re.findall(r"(\d+) bytes spill", part)))
            registers = re.search(r"Used (\d+) registers", part)
            name, best = part.split("'")[0], (spilled, int(registers.group(1)) if registers else 0)
            kernels[name] = min(kernels.get(name, best), best)
        if not kernels:
            raise Failure(f"expects ptxas to tell of kernels for {target}, but got none")
        for name, (spilled, registers) in kernels.items():
            yield name, registers, spilled


def guarded(title, lines, work):
    """Runs `work`, which yields passing lines; what it raises becomes a failing one."""
    try:
        for line in work():
            lines.append((True, f"ok   {title} {line}"))
    except (Failure, OSError, subprocess.TimeoutExpired) as problem:
        lines.append((False, f"FAIL {title}: {problem}"))
    except Exception:  # a broken test is a failed test
        lines.append((False, f"FAIL {title}: {traceback.format_exc(limit=2)}"))


def run_case(index, options):
    """A list of (passed, line); the case by its index, for it holds functions."""
    case = gpu_cases.CASES[index]
    lines = []
    with tempfile.TemporaryDirectory(prefix="hk-gpu-e2e-") as folder:
        if options.keep:
            folder = os.path.join(options.keep, case.group, case.name)
            os.makedirs(folder, exist_ok=True)
        prepared = []
        title = f"{case.group}/{case.name}"

        def prepare():
            prepared.append(Prepared(case, options, folder))
            yield from ()

        guarded(title, lines, prepare)
        for ready in prepared:
            for run in () if options.assemble_only else case.runs:
                guarded(f"{title} {run.label()}", lines, lambda: (
                    f"{what}: max error {error:.1e}, {ratio:.2f} of what is allowed"
                    for what, error, ratio in ready.run(run)))
            for target in options.assemble if options.ptxas else ():
                if ready.assembles(target):
                    guarded(f"{title} {target}", lines, lambda: check_assembled(ready, target))
    return lines


def check_assembled(ready, target):
    for kernel, registers, spilled in ready.assemble(target):
        if spilled and "attention" in kernel:
            raise Failure(f"expects no spills in {kernel}, but got {spilled} bytes")
        yield f"{kernel}: {registers} registers, {spilled} bytes spilled"


def has_target(options):
    """Whether the compiler makes plans for the target."""
    if options.target == "cpu":
        return True
    with tempfile.TemporaryDirectory(prefix="hk-gpu-e2e-") as folder:
        module = os.path.join(folder, "n.hkm")
        network = gpu_cases.CASES[0].build()
        source = os.path.join(folder, "n.mlir")
        with open(source, "w") as stream:
            stream.write(network.text())
        done = subprocess.run([options.compile, source, f"--target={options.target}", "-o", module],
                              capture_output=True, text=True, timeout=120)
        if "--target expects" in done.stderr:
            return False
        # A compiler that fails has the target, and fails its tests.
        return done.returncode != 0 or bool(plans_of(options, module))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of hk-compile and hk-run")
    parser.add_argument("--driver", help="the emulated driver")
    parser.add_argument("--target", default="sm_90a", help="of hk-compile, or cpu")
    parser.add_argument("--assemble", default="", help="targets for ptxas, by commas")
    parser.add_argument("--assemble-only", action="store_true", help="run nothing")
    parser.add_argument("--group", choices=gpu_cases.GROUPS, help="cases of one group")
    parser.add_argument("--filter", default="", help="cases whose name matches this regex")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="leave all files in this folder")
    options = parser.parse_args()
    options.run, options.compile = (os.path.join(options.bin, tool) for tool in ("hk-run", "hk-compile"))
    options.assemble = [target for target in options.assemble.split(",") if target]
    options.ptxas = find_ptxas()
    if options.target != "cpu" and not (options.driver and os.path.exists(options.driver)):
        parser.error(f"expects --driver to be a library, but got {options.driver}")
    chosen = [index for index, case in enumerate(gpu_cases.CASES) if options.group in (None, case.group)
              and (not case.targets or options.target in case.targets)
              and re.search(options.filter, f"{case.group}/{case.name}")]
    if not chosen:
        parser.error("expects at least one case, but got a filter that matches none")
    if not has_target(options):
        print(f"this hk-compile makes no plans for {options.target}")
        return SKIPPED
    if options.assemble and not options.ptxas:
        print("no ptxas here: nothing is assembled")
        if options.assemble_only:
            return SKIPPED

    counts = {True: 0, False: 0}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(run_case, index, options) for index in chosen]:
            for passed, line in future.result():
                counts[passed] += 1
                print(line, flush=True)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] or not counts[True] else 0


if __name__ == "__main__":
    sys.exit(main())
