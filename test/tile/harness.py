# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile kernels as text, through hk-opt and LLVM to PTX, on the emulator."""

import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np

# Architecture and the PTX version that its instructions need.
ARCHES = {"sm_80": "+ptx71", "sm_90a": "+ptx80"}
# How each kernel is run: as it comes, and with all that is late or unordered.
MODES = ([], ["--lazy", "--races", "--seed", "7"])

NAMES = {"f4": "f32", "f2": "f16", "i4": "s32", "i1": "s8", "u1": "u8", "u2": "u16"}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hk-opt", required=True)
    parser.add_argument("--hk-emulate", required=True)
    parser.add_argument("--llvm", type=pathlib.Path, required=True)
    return parser.parse_args()


class Out:
    """An output buffer: what it holds before, or a number of elements."""

    def __init__(self, initial):
        self.initial = initial


class Suite:
    """Kernels that are compiled together, and then run one by one.

    A kernel's text is what stands between the braces of `tile.kernel`, after
    constants %c0, %c1, .. of all indices that it names. `$bulk` in it is the
    transport of packed weights: `bulk` where the architecture has it.
    """

    def __init__(self, pipeline="hk-tile-to-llvm", arches=tuple(ARCHES)):
        self.options = options()
        self.pipeline, self.arches = pipeline, arches
        self.kernels, self.runs = [], []
        # Spills are judged with all registers of a multiprocessor for one CTA:
        # by itself ptxas weighs them against one CTA more.
        # That holds for all kernels, or for those that are named.
        self.is_roomy = False
        self.roomy = set()
        # Kernels that have too few registers: they may spill, and ptxas may serialise
        # their wgmma.
        self.cramped = set()
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def kernel(self, name, arguments, body, units=2, attributes=""):
        self.kernels.append(
            f"tile.kernel @{name}({arguments})\n"
            f"    attributes {{units = {units} : i64{attributes}}} {{\n"
            f"{constants(body)}{body}\n  tile.return\n}}\n"
        )

    def run(self, name, arguments, check, grid=1, threads=64, shared=0):
        """`arguments` are arrays, Outs and integers (the batch); `check` gets
        the contents of the Outs."""
        self.runs.append((name, arguments, check, grid, threads, shared))

    def tool(self, command, text=None):
        result = subprocess.run(
            [str(c) for c in command], input=text, capture_output=True, text=True
        )
        if result.returncode:
            raise SystemExit(f"{command[0]}: {result.stderr[:4000]}")
        return result.stdout

    def compile(self, arch):
        """{kernel: PTX of it alone}; all of them go through ptxas on the way. The
        emulator reads the whole of a file for each run."""
        llvm = self.options.llvm
        module = "\n".join(self.kernels)
        module = module.replace("$bulk", "async" if arch == "sm_80" else "bulk")
        text = f'module @{arch} attributes {{hk.isa = "{arch}"}} {{\n{module}}}\n'
        lowered = self.tool(
            [self.options.hk_opt, f"--pass-pipeline=builtin.module({self.pipeline})"],
            text,
        )
        ir = self.tool([llvm / "mlir-translate", "--mlir-to-llvmir"], lowered)
        passes = "--passes=sroa,early-cse,instsimplify,simplifycfg,dce"
        ir = self.tool([llvm / "opt", passes, "-S"], ir)
        target = [f"-mcpu={arch}", f"-mattr={ARCHES[arch]}", "--nvptx-short-ptr"]
        ptx = self.tool([llvm / "llc", "-march=nvptx64", *target], ir)
        path = self.folder / f"{arch}.ptx"
        path.write_text(ptx)
        ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
        if ptxas:
            source = path
            if self.is_roomy or self.roomy:
                source = self.folder / f"{arch}.roomy.ptx"
                source.write_text(roomy(ptx, None if self.is_roomy else self.roomy))
            words = subprocess.run(
                [ptxas, f"-arch={arch}", "-v", source, "-o", self.folder / "cubin"],
                capture_output=True,
                text=True,
            )
            assert words.returncode == 0, words.stderr
            serialised = set(re.findall(r"C75\d\d.*function '(\w+)'", words.stderr))
            serialised -= self.cramped
            assert not serialised, f"{arch}: wgmma is serialised: {sorted(serialised)}"
            kernel = ""
            for line in words.stderr.splitlines():
                kernel = line.split("'")[1] if "Compiling" in line else kernel
                spills = "spill" in line and " 0 bytes spill stores" not in line
                spills &= kernel not in self.cramped
                assert not spills, f"{arch} {kernel}: {line}"
        return split(ptx)

    def emulate(self, ptx, run, mode):
        """The contents of the Outs; `ptx` holds the kernel."""
        name, arguments, _, grid, threads, shared = run
        path = self.folder / "kernel.ptx"
        path.write_text(ptx)
        command = [self.options.hk_emulate, path, "--kernel", name, "--grid", grid]
        command += ["--block", threads, "--shared", shared, *mode]
        outs = []
        for i, argument in enumerate(arguments):
            if isinstance(argument, int):
                command += ["--arg", f"s64:{argument}"]
                continue
            file = self.folder / f"{i}.bin"
            if not isinstance(argument, Out):
                argument.tofile(file)
                command += ["--arg", f"in:{file}"]
                continue
            initial = argument.initial
            initial.tofile(file)
            kind = NAMES[initial.dtype.str[1:]]
            after = self.folder / f"{i}.out"
            command += ["--arg", f"inout:{kind}:{file}:{after}"]
            outs.append((after, initial))
        result = subprocess.run(
            [str(c) for c in command], capture_output=True, text=True
        )
        if result.returncode:
            raise AssertionError(f"{name} {mode}: {result.stderr or result.stdout}")
        return [np.fromfile(f, a.dtype).reshape(a.shape) for f, a in outs]

    def main(self):
        failed = 0
        for arch in self.arches:
            kernels = self.compile(arch)
            for run in self.runs:
                for mode in MODES:
                    try:
                        run[2](*self.emulate(kernels[run[0]], run, mode))
                    except AssertionError as error:
                        print(f"{arch} {run[0]} {' '.join(mode)}: {error}")
                        failed += 1
                        break
        print(f"{len(self.runs)} runs on {', '.join(self.arches)}, {failed} failed")
        shutil.rmtree(self.folder)
        raise SystemExit(1 if failed else 0)


def split(ptx):
    """{kernel: PTX of it alone}, by the comment that LLVM writes in front of each.
    Shared memory is declared in front of the first kernel that has it."""
    head, *kernels = re.split(r"^(?=[ \t]*// \.globl\s)", ptx, flags=re.M)
    shared = re.findall(r"^\.extern \.shared .*\n", ptx, re.M)
    texts = {}
    for kernel in kernels:
        name = re.search(r"\.entry (\w+)\(", kernel).group(1)
        texts[name] = head + "".join(line for line in shared if line not in kernel) + kernel
    return texts


def roomy(ptx, names):
    """The PTX, with one CTA a multiprocessor where a kernel says nothing of it: all
    kernels, or those of `names`."""

    def change(kernel):
        name = kernel.split("(")[0].strip()
        if ".minnctapersm" in kernel or (names is not None and name not in names):
            return kernel
        return kernel.replace(".reqntid", ".minnctapersm 1\n.reqntid")

    return ".entry ".join(map(change, ptx.split(".entry ")))


def constants(body):
    """Definitions of the constants %c<number> that `body` uses."""
    numbers = sorted({int(n) for n in re.findall(r"%c(\d+)\b", body)})
    return "".join(f"  %c{n} = arith.constant {n} : index\n" for n in numbers)


def equal(expected):
    """A check that the one output is `expected`, bit by bit."""

    def check(actual):
        where = np.argwhere(actual.view(f"u{actual.itemsize}")
                            != expected.view(f"u{expected.itemsize}"))
        if len(where):
            at = tuple(where[0])
            raise AssertionError(
                f"expects {expected[at]} at {at}, but got {actual[at]}; "
                f"{len(where)} differ"
            )

    return check


def close(expected, absolute, relative=0.0):
    """A check that the one output is near `expected`, in float64."""

    def check(actual):
        actual = actual.astype(np.float64)
        both = np.isnan(actual) == np.isnan(expected)
        same = actual == expected  # infinities
        near = np.abs(actual - expected) <= absolute + relative * np.abs(expected)
        bad = np.argwhere(~(both & (same | near | np.isnan(expected))))
        if len(bad):
            at = tuple(bad[0])
            raise AssertionError(
                f"expects {expected[at]} at {at}, but got {actual[at]}; "
                f"{len(bad)} of {actual.size} differ"
            )

    return check
