# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""End-to-end tests: hk-model, hk-compile and hk-run against NumPy in float64.

    run_e2e.py --bin build/release/bin [--group masks] [--filter seq-] [--jobs 2]

Prints a line for each run and, last, "N passed, N failed".
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import traceback
import zlib

# Each job computes one reference at a time: more threads would only contend.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../python"))
import cases  # noqa: E402
import reference  # noqa: E402
import safetensors_file  # noqa: E402
import tolerance  # noqa: E402


class Failure(Exception):
    """What is wrong with a run, in one line."""


def run_tool(words, env=None):
    """Runs a tool and returns its stdout; a Failure where it fails."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(env or {})})
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["(no message)"]
        if done.returncode < 0:  # of a crash, what is no address
            lines = [line for line in lines if "0x" not in line and "PLEASE" not in line] or lines
        raise Failure(f"{os.path.basename(words[0])} exits with {done.returncode}: "
                      + " | ".join(lines[:3])[:400])
    return done.stdout


def generator(*names):
    """A generator of random numbers that depends on the names alone."""
    return np.random.default_rng(zlib.crc32("/".join(map(str, names)).encode()))


def make_valid(pattern, batch, seq, rng):
    """([B, S] bool, [B] lengths: of use where the pattern is a prefix)."""
    lengths = rng.integers(1, seq + 1, batch)
    if pattern == "full":
        lengths[:] = seq
    if pattern == "empty":
        lengths[:1] = 0
    if pattern == "beyond":
        lengths = np.resize([-(2**31), seq + 1, -1, 2**31 - 1, seq // 2], batch)
    valid = reference.valid_of_lengths(lengths, seq)
    if pattern == "left":
        valid = valid[:, ::-1].copy()
    if pattern == "holes":
        valid = rng.random((batch, seq)) < 0.6
    return valid, lengths.astype(np.int32)


def stored(values, dtype):
    """`values` rounded to a type, as the array that goes to the file."""
    if dtype == "bf16":
        return safetensors_file.bf16_bits(values)
    return values.astype({"f32": np.float32, "f16": np.float16}[dtype])


def widened(array):
    """The float64 values of an array of a file."""
    if array.dtype == np.uint16:
        array = safetensors_file.bf16_values(array)
    return array.astype(np.float64)


def make_inputs(case, run, network):
    """(x as stored, mask or None, valid) of a run."""
    rng = generator(case.group, case.name, run.pattern, run.batch)
    valid, lengths = make_valid(run.pattern, run.batch, network.seq, rng)
    x = rng.normal(size=(run.batch, network.seq, network.dim))
    if run.nan:
        x[~valid] = np.nan
        x[..., ::7][~valid] = np.inf
    # Any byte but zero is true.
    true_bytes = np.where(valid, rng.integers(1, 256, valid.shape), 0).astype(np.uint8)
    mask = {"none": None, "key_mask": true_bytes.view(bool), "lengths": lengths}[network.mask]
    return stored(x, network.dtype), mask, valid


# How far a result may be from the reference: as float32 arithmetic is, a little
# more (matrix products in three tf32 terms), or as the gate says.
TIGHT, CLOSE, GATE = "tight", "close", "gate"


def allowed_error(network, sharp, expected, bound):
    """The largest error that passes, element by element."""
    if bound == GATE:
        return np.maximum(tolerance.GATE_ATOL, tolerance.GATE_RTOL * np.abs(expected))
    factor = {TIGHT: 1, CLOSE: 4}[bound]
    return factor * tolerance.allowed(network, expected, sharp)


def compare(network, sharp, y, expected, valid, has_nan, bound=TIGHT):
    """The worst error over what is allowed; a Failure above 1."""
    if y.shape != expected.shape:
        raise Failure(f"expects shape {expected.shape}, but got {y.shape}")
    judged = np.isfinite(expected)
    if not has_nan and not judged.all():
        raise Failure("expects a finite reference, but got another")
    if network.mask == "none" and has_nan:
        valid_rows = valid
    else:
        valid_rows = np.ones_like(valid) if network.mask_rows else valid
    if (valid_rows[:, :, None] & ~judged).any():
        raise Failure("expects a finite reference in valid rows, but got another")
    if network.mask != "none" and network.mask_rows and (y[~valid] != 0).any():
        raise Failure("expects zeros in the rows of invalid tokens, but got "
                      f"{np.abs(y[~valid]).max()}")
    if not judged.any():
        if y.size == 0:
            return 0.0, 0.0
        raise Failure("expects elements to compare, but got none")
    got, want = y[judged], expected[judged]
    with np.errstate(invalid="ignore"):
        error = np.abs(got - want)
        ratio = error / allowed_error(network, sharp, want, bound)
    ratio = np.where(np.isfinite(got), ratio, np.inf)
    worst = int(ratio.argmax())
    where = np.argwhere(judged)[worst].tolist()
    told = f"at {where}: expects {want[worst]:.9g}, but got {got[worst]:.9g}"
    outside = int(tolerance.gate(got, want).sum())
    if outside:
        raise Failure(f"{outside} of {got.size} elements outside the gate; worst {told}")
    if ratio[worst] > 1:
        raise Failure(f"{int((ratio > 1).sum())} of {got.size} elements outside the tolerance "
                      f"(worst {ratio[worst]:.2f} times what is allowed) {told}")
    return float(error.max()), float(ratio[worst])


class Prepared:
    """A network that is compiled."""

    def __init__(self, case, tools, folder):
        self.case, self.tools, self.folder = case, tools, folder
        self.network = reference.Network(**case.network)
        self.module = self.path("model.hkm")
        self.weights = self.path("w.safetensors")
        run_tool([tools["hk-model"], *self.network.arguments(), "-o", self.path("model.mlir"),
                  "--params", self.weights, "--random-norm", "--seed",
                  zlib.crc32(case.name.encode())])
        self.parameters = safetensors_file.load(self.weights)
        if case.sharp != 1:
            for key in self.parameters:
                if ".att.q." in key:
                    self.parameters[key] = self.parameters[key] * np.float32(case.sharp)
            safetensors_file.save(self.weights, self.parameters)
        self.compile(self.module)
        if case.recompile:
            again = self.path("again.hkm")
            self.compile(again)
            with open(self.module, "rb") as one, open(again, "rb") as two:
                if one.read() != two.read():
                    raise Failure("expects the same module again, but got other bytes")
        listing = run_tool([tools["hk-run"], self.module, "--list"])
        self.plans = re.findall(r"^  plan (\S+):", listing.split("function ")[1], re.M)

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, path):
        run_tool([self.tools["hk-compile"], self.path("model.mlir"), "-o", path,
                  *(["--oracle"] if self.case.oracle else [])])

    def run(self, run):
        """Yields (plan, max error, error over what is allowed)."""
        x, mask, valid = make_inputs(self.case, run, self.network)
        expected = self.network.forward(
            widened(x), self.parameters, valid if self.network.mask == "key_mask" else mask)
        np.save(self.path("x.npy"), x)
        words = ["--params", self.weights, "--input", self.path("x.npy")]
        if mask is not None:
            np.save(self.path("mask.npy"), mask)
            words += ["--input", self.path("mask.npy")]
        for plan in self.plans if run.all_plans else [None]:
            output = self.path("y.npy")
            command = [self.tools["hk-run"], self.module, *words, "--output", output,
                       "--threads", run.threads, "--guard"]
            command += ["--plan", plan] if plan else []
            command += ["--check=all"] if run.check else []
            run_tool(command, {"HK_ISA": run.isa} if run.isa else None)
            y = np.load(output)
            if y.dtype != x.dtype:
                raise Failure(f"expects type {x.dtype}, but got {y.dtype}")
            error, ratio = compare(self.network, self.case.sharp, widened(y), expected, valid,
                                   run.nan)
            yield plan, error, ratio


def run_case(case, tools, keep):
    """A list of (passed, line)."""
    lines = []
    with tempfile.TemporaryDirectory(prefix="hk-e2e-") as folder:
        if keep:
            folder = os.path.join(keep, case.group, case.name)
            os.makedirs(folder, exist_ok=True)
        try:
            prepared = Prepared(case, tools, folder)
        except (Failure, OSError, subprocess.TimeoutExpired) as problem:
            return [(False, f"FAIL {case.group}/{case.name} {run.label()}: {problem}")
                    for run in case.runs]
        for run in case.runs:
            title = f"{case.group}/{case.name} {run.label()}"
            plan = None
            try:
                for plan, error, ratio in prepared.run(run):
                    named = f" plan {plan}" if plan else ""
                    lines.append((True, f"ok   {title}{named}: max error {error:.2e}, "
                                        f"{ratio:.2f} of what is allowed"))
            except (Failure, OSError, subprocess.TimeoutExpired) as problem:
                lines.append((False, f"FAIL {title}: {problem}"))
            except Exception:  # a broken test is a failed test
                lines.append((False, f"FAIL {title}: {traceback.format_exc(limit=2)}"))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", help="folder of the tools")
    for tool in ("hk-model", "hk-compile", "hk-run"):
        parser.add_argument(f"--{tool}", help=f"path of {tool} (default: in --bin)")
    parser.add_argument("--group", choices=cases.GROUPS, help="cases of one group")
    parser.add_argument("--filter", default="", help="cases whose name matches this regex")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="leave all files in this folder")
    options = parser.parse_args()
    tools = {}
    for tool in ("hk-model", "hk-compile", "hk-run"):
        tools[tool] = getattr(options, tool.replace("-", "_")) or (
            os.path.join(options.bin, tool) if options.bin else None)
        if not tools[tool] or not os.access(tools[tool], os.X_OK):
            parser.error(f"expects {tool} to be a program, but got {tools[tool]}")
    chosen = [case for case in cases.CASES
              if options.group in (None, case.group)
              and re.search(options.filter, f"{case.group}/{case.name}")]
    if not chosen:
        parser.error("expects at least one case, but got a filter that matches none")

    counts = {True: 0, False: 0}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(run_case, case, tools, options.keep) for case in chosen]
        for future in futures:
            for passed, line in future.result():
                counts[passed] += 1
                print(line, flush=True)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] or not counts[True] else 0


if __name__ == "__main__":
    sys.exit(main())
