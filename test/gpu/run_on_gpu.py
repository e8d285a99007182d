# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything that wants a GPU, in one call: checks, times, sanitizers.

    python3 build/gpu-pack/python/run_on_gpu.py --out results.json

Steps, most wanted first:
    small     the emulated device's kernels, here on the GPU
    check     every shape on every plan: seeds 1234..1238, masks, 50 runs to the bit
    time      hk beside PyTorch, by the benchmark's contract
    bench     hk-bench: which dispatch and which variant takes what
    micro     single kernels beside PyTorch's, and a measured copy
    odd       the end-to-end tests' networks: odd sizes, masks, NaN
    sanitize  compute-sanitizer (with --sanitizer) on small networks
    ncu       Nsight Compute's summary of each kernel (with --ncu)
Each job has a timeout, and one that fails stops no other. Results are written
after each. The exit code is 1 where something failed.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent
MARK = "\x1e"
STEPS = ("small", "check", "time", "bench", "micro", "odd", "sanitize", "ncu")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Networks for the sanitizers, which are slow: each family of kernels, one sequence or few.
SANITIZED = ("odd/seq-7", "odd/head-dim-40", "odd/seq-129", "odd/ffn-4d", "odd/rms-silu-gated", "odd/grouped-queries",
             "masks/key-mask", "masks/lengths-long", "small/linear/persistent", "small/wide/persistent-key-mask",
             "small/projection/seq-520", "attention_hd64", "shape02", "shape07", "shape13")
# Programs that run at once where nothing is timed.
SANITIZERS_AT_ONCE = 8
TIMEOUTS = {"small": 20, "check": 60, "time": 90, "bench": 90, "micro": 30, "odd": 20, "sanitize": 180, "ncu": 60}


class Worker:
    """worker.py in a process of its own, started anew after a failure."""

    # PyTorch takes its time to start.
    grace = 60

    def __init__(self, folder, device, script=HERE / "worker.py"):
        self.base = {"folder": str(folder), "device": device}
        self.script, self.process = script, None

    def start(self):
        self.process = subprocess.Popen([sys.executable, str(self.script)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read, args=(self.process, self.lines), daemon=True)
        self.reader.start()

    @staticmethod
    def read(process, lines):
        for line in process.stdout:
            if line.startswith(MARK):
                lines.put(json.loads(line[1:]))
            else:
                print(line, end="", flush=True)
        lines.put(None)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.reader.join()
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            self.process.stdout.close()
        self.process = None

    def do(self, job, timeout):
        fresh = self.process is None
        if fresh:
            self.start()
        try:
            self.process.stdin.write(json.dumps({**self.base, **job}) + "\n")
            result = self.lines.get(timeout=timeout + (self.grace if fresh else 0))
        except queue.Empty:
            result = {"error": f"expects an end within {timeout} s, but got none"}
        except OSError as error:
            result = {"error": f"the worker is gone: {error}"}
        if result is None:
            result = {"error": f"the worker ended with {self.process.wait()}"}
        if "error" in result:
            self.stop()
        return result


def run_program(words, timeout):
    """{"rc", "output"} of a program, or {"error"}."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, errors="replace")
    except subprocess.TimeoutExpired:
        return {"error": f"expects an end within {timeout} s, but got none"}
    except OSError as error:
        return {"error": str(error)}
    return {"rc": done.returncode, "output": done.stdout + done.stderr}


class Run:
    def __init__(self, args, manifest):
        self.args, self.manifest = args, manifest
        self.worker = Worker(args.folder, args.device)
        self.start = time.time()
        self.results = {"machine": self.describe_machine(), "missing": manifest["missing"],
                        "steps": {step: {} for step in STEPS}}

    def describe_machine(self):
        words = ["nvidia-smi", "--format=csv,noheader",
                 "--query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.limit,temperature.gpu"]
        return {"gpu": run_program(words, 20).get("output", "").strip(), "cores": os.cpu_count(),
                "date": time.strftime("%Y-%m-%d %H:%M")}

    def left(self):
        return self.args.deadline - (time.time() - self.start)

    def has(self, name):
        return name in self.manifest["modules"]

    def jobs(self, step):
        """(name, job) of a step, most wanted first."""
        args = self.args
        few = {key: value for key, value in
               dict(rounds=args.rounds, calls=args.calls, warmup=args.warmup, batch=args.batch).items()
               if value is not None}
        shapes = [n for n in args.shapes if self.has(f"shape{n:02d}")]
        if step == "check":
            for n in shapes:
                yield f"shape{n:02d}", dict(step=step, shape=n, seeds=args.seeds, repeat=args.repeat, **few)
        if step == "time":
            for n in shapes:
                yield f"shape{n:02d}", dict(step=step, shape=n, compile=args.compile, padding=args.padding, **few)
        if step == "bench":
            for n in shapes:
                yield f"shape{n:02d}", self.bench_words(n)
        if step == "micro":
            yield "copy", dict(step="copy", bytes=args.copy_bytes, **few)
            for name, entry in self.manifest["modules"].items():
                if entry["kind"] == "kernel":
                    yield name, dict(step="micro", kernel=name, **few)
        if step in ("odd", "small"):
            for name, entry in self.manifest["modules"].items():
                if entry["kind"] == step and re.search(args.filter, name):
                    yield name, dict(step=step, case=name)
        if step == "sanitize":
            for tool in TOOLS if args.sanitizer else ():
                for name in SANITIZED:
                    for plan in self.plans(name):
                        yield f"{tool} {name} {plan}", ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9",
                                                        *self.run_words(name, plan), "--padding"]
        if step == "ncu" and args.ncu:
            for name in (f"shape{n:02d}" for n in shapes):
                for plan in self.plans(name):
                    yield f"{name} {plan}", ["ncu", "--csv", "--section", "SpeedOfLight", "--section", "Occupancy",
                                             "--section", "LaunchStats", *self.run_words(name, plan)]

    def program(self, name):
        return self.args.folder / "bin" / name

    def plans(self, name):
        return self.manifest["modules"][name]["plans"] if self.has(name) else []

    def run_words(self, name, plan):
        return [self.program("hk-run"), self.args.folder / self.manifest["modules"][name]["file"],
                "--device", self.args.device, "--plan", plan]

    def bench_words(self, n):
        words = [self.program("hk-bench"), self.args.folder / f"modules/shape{n:02d}.hkm", "--device",
                 self.args.device, "--choose", "--dispatches", "--variants", "--peak-bandwidth",
                 self.args.peak_bandwidth, "--peak-flops", self.args.peak_flops, "--json", "-"]
        if self.args.calls:
            words += ["--calls", self.args.calls]
        return words

    def do(self, step, job, timeout):
        if isinstance(job, dict):
            return self.worker.do(job, timeout)
        if not shutil.which(str(job[0])):
            return {"error": f"expects {job[0]} on this machine, but got none"}
        result = run_program(job, timeout)
        output = result.get("output", "")
        if step == "bench" and output.lstrip().startswith("{"):
            end = output.rindex("\n}\n") + 3
            result = {"rc": result["rc"], "report": json.loads(output[:end]), "table": output[end:]}
        else:
            result["output"] = output[-12000:]
        if result.get("rc", 0) != 0 and "error" not in result:
            result["error"] = f"exits with {result['rc']}: " + output.strip()[-300:]
        elif step == "sanitize" and "error" not in result and not is_clean(output):
            result["error"] = "expects a summary without errors or hazards, but got: " + output.strip()[-300:]
        return result

    def do_in_time(self, step, job):
        timeout = min(TIMEOUTS[step] * self.args.patience, self.left())
        return self.do(step, job, timeout) if timeout >= 5 else {"error": "not run: no time was left"}

    def run(self):
        for step in self.args.steps:
            jobs = list(self.jobs(step))
            at_once = SANITIZERS_AT_ONCE if step == "sanitize" else 1
            with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
                results = pool.map(lambda job, step=step: self.do_in_time(step, job[1]), jobs)
                for (name, _), result in zip(jobs, results):
                    self.results["steps"][step][name] = result
                    print(f"[{time.time() - self.start:5.0f} s] {tell(step, name, result)}", flush=True)
                    self.save()
        self.worker.stop()
        self.save()

    def save(self):
        if self.args.out:
            temporary = self.args.out.with_suffix(".tmp")
            temporary.write_text(json.dumps(self.results, indent=1) + "\n")
            temporary.replace(self.args.out)


def is_clean(output):
    """Whether compute-sanitizer's summaries, one at least, tell of nothing: racecheck's exit code passes warnings."""
    summaries = re.findall(r"^=+ (?:\w+ )?SUMMARY: (\d+)", output, re.M)
    return bool(summaries) and not any(int(found) for found in summaries)


def unpack_modules(folder):
    """What pack.py compressed, beside it."""
    if not (folder / "modules").exists() and (folder / "modules.tar.xz").exists():
        with tarfile.open(folder / "modules.tar.xz") as archive:
            # Python before 3.12 may not have it.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            archive.extractall(folder)


def is_ours(contender):
    return contender.split(" ")[0] == "hk"


def failed(result):
    if "error" in result or result.get("passed") is False:
        return True
    return any(entry.get("failed") for name, entry in result.get("times", {}).items() if is_ours(name))


def tell(step, name, result):
    """A line or a small table for people."""
    head = f"{step} {name}: "
    if "error" in result:
        return head + "ERROR " + result["error"]
    if step == "check":
        lines = [head + ("passed" if result["passed"] else "FAILED")]
        for plan, found in result["plans"].items():
            lines.append(f"    {plan:32s} fp32 {found['fp32']['failed']} failed, max error "
                         f"{found['fp32']['max_error']:.1e} ({found['fp32']['max_ratio']:.2f} of the gate), fp64 "
                         f"{found['fp64']['failed']} failed ({found['fp64']['max_ratio']:.2f}), unequal runs "
                         f"{found['unequal_runs']}, graph {'DIFFERS' if found.get('graph_differs') else 'equal'}")
        return "\n".join(lines)
    if step in ("odd", "small"):
        text = head + (f"passed, {result['runs']} runs, {result['max_ratio']:.2f} of what is allowed"
                       if result["passed"] else "FAILED")
        return "\n    ".join([text, *result["failures"][:6]])
    if "times" in result:
        lines = [head + (f"without a name hk takes {result['chosen']}" if "chosen" in result else "")]
        for contender, t in result["times"].items():
            rates = "".join(f" {t[key] * scale:8.1f} {unit}" for key, scale, unit in
                            (("flops_per_second", 1e-12, "TF/s"), ("bytes_per_second", 1e-9, "GB/s")) if key in t)
            right = f" FAILED {t['failed']}" if t.get("failed") else ""
            lines.append(f"    {contender:36s} {t['median_us']:10.1f} us  p10 {t['p10_us']:10.1f}  p90 "
                         f"{t['p90_us']:10.1f}  min {t['min_us']:10.1f}{rates}{right}")
        return "\n".join(lines)
    if "table" in result:
        return head.rstrip() + "\n" + result["table"].rstrip()
    return head + "done: " + " | ".join(result.get("output", "").strip().splitlines()[-2:])


def best_times(times):
    """(plan, hk with outputs of its own, hk as a graph, strong, eager), in us or None."""
    right = {name: t["median_us"] for name, t in times.items() if is_ours(name) and not t.get("failed")}
    right = {name: t for name, t in right.items() if not name.endswith(" padded")}
    # Graphs and runners write the same outputs again.
    direct = {name: t for name, t in right.items() if not name.endswith((" graph", " runner"))}
    graphs = [t for name, t in right.items() if name not in direct]
    plan = min(direct, key=direct.get, default=None)
    other = lambda name: times.get(name, {}).get("median_us")
    return plan, direct.get(plan), min(graphs, default=None), other("strong"), other("eager")


def first_choices(reports):
    """Lines on how good the cost model's first choices were, of hk-bench's reports by shape."""
    choices = {(name, choice["launch"]): choice for name, report in reports.items() for choice in report["first_choice"]}
    lines = []
    for launch in ("graph", "direct"):
        found = {name: choice for (name, way), choice in choices.items() if way == launch}
        if found:
            within = sum(choice["within"] for choice in found.values())
            lines.append(f"first choice of plan, {launch}: within 15 % of the best on {within} of {len(found)} shapes")
        for name, choice in found.items():
            if not choice["within"]:
                lines.append(f"    {name}: {choice['plan']} takes {1e6 * choice['seconds']:.1f} us (predicted "
                             f"{microseconds(choice['predicted'])}), the best, {choice['best']}"
                             f"{' by variants that were measured' if choice['best_is_chosen'] else ''}, "
                             f"{1e6 * choice['best_seconds']:.1f}: {choice['ratio']:.2f}")
    kernels = [(name, plan, kernel) for name, report in reports.items() for plan in report["plans"]
               for kernel in plan["kernels"]]
    if kernels:
        within = sum(kernel["first_is_within"] for _, _, kernel in kernels)
        lines.append(f"first choice of variant: within 15 % of the best in {within} of {len(kernels)} kernels")
    for name, plan, kernel in kernels:
        if not kernel["first_is_within"]:
            lines.append(f"    {name} {plan['name']} {kernel['kernel']}:")
            for what, variant in (("first", kernel["variants"][0]), ("best", kernel["variants"][kernel["best"]])):
                lines.append(f"        {what:5s} {microseconds(variant['seconds'])} us, predicted "
                             f"{microseconds(variant['predicted'])} ({variant['terms'] or variant['reason'] or '-'})  "
                             f"{variant['schedule']}")
    return lines


def host_times(reports, most=2.0):
    """Lines on the host's time of a call of each shape's runner, of its fastest plan, against `most` us."""
    lines, kept = [], {f"runner_host_{key}": 0 for key in (
        "us", "row_us", "round_us", "alone_us", "row_alone_us", "round_alone_us")}
    for name, report in reports.items():
        plans = {plan["name"]: plan for plan in report["plans"] if plan["runner_host_us"] is not None}
        times = [time for time in report["times"] if time["plan"] in plans]
        if not times:
            continue
        plan = plans[min(times, key=lambda time: time["median"])["plan"]]
        lines.append(f"    {name}: {plan['name']}, {plan['runner_launch']}, {plan['launches']} launches: "
                     f"{plan['runner_host_us']:.1f} us after a wait, {plan['runner_host_row_us']:.1f} in a row, "
                     f"{plan['runner_host_round_us']:.1f} in rounds; with a core of its own "
                     f"{known(plan['runner_host_alone_us'])}, {known(plan['runner_host_row_alone_us'])} and "
                     f"{known(plan['runner_host_round_alone_us'])}")
        for key in kept:
            kept[key] += plan[key] is not None and plan[key] <= most
    if not lines:
        return []
    return [f"host's time of a runner: at most {most:g} us after a wait on {kept['runner_host_us']}, in a row on "
            f"{kept['runner_host_row_us']}, in rounds on {kept['runner_host_round_us']} of {len(lines)} shapes; with a "
            f"core of its own on {kept['runner_host_alone_us']}, {kept['runner_host_row_alone_us']} and "
            f"{kept['runner_host_round_alone_us']}"] + lines


def known(us):
    return "-" if us is None else f"{us:.1f}"


def microseconds(seconds):
    return "-" if seconds is None else f"{1e6 * seconds:.1f}"


def conclude(results):
    """The tables of times and of first choices, and the number of jobs that failed."""
    rows = {name: best_times(result["times"]) for name, result in results["steps"]["time"].items()
            if result.get("times")}
    if rows:
        # A graph writes one and the same output, which the contract does not count, and a runner two.
        print(f"\n{'shape':8s} {'hk us':>10s} {'graph us':>10s} {'strong us':>10s} {'eager us':>10s} {'strong/hk':>9s} "
              f"{'eager/hk':>9s}  plan")
        number = lambda value: f"{value:10.1f}" if value else f"{'-':>10s}"
        ratio = lambda value, by: f"{value / by:9.2f}" if value and by else f"{'-':>9s}"
        for name, (plan, ours, graph, strong, eager) in rows.items():
            print(f"{name:8s} {number(ours)} {number(graph)} {number(strong)} {number(eager)} {ratio(strong, ours)} "
                  f"{ratio(eager, ours)}  {plan}")
    reports = {name: result["report"] for name, result in results["steps"]["bench"].items() if "report" in result}
    for line in first_choices(reports) + host_times(reports):
        print(line)
    all_jobs = [result for step in results["steps"].values() for result in step.values()]
    bad = sum(map(failed, all_jobs))
    print(f"{len(all_jobs) - bad} passed, {bad} failed" +
          (f", modules left out: {', '.join(results['missing'])}" if results["missing"] else ""))
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word for word in text.split(",") if word]
    numbers = lambda text: [int(word) for word in words(text)]
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER, help="what pack.py made")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", type=words, default=list(STEPS), help=",".join(STEPS))
    parser.add_argument("--shapes", type=numbers, default=list(range(1, 14)), help="numbers, by commas")
    parser.add_argument("--filter", default="", help="odd and small cases whose name matches this regex")
    parser.add_argument("--deadline", type=float, default=570, help="seconds for all of it (570)")
    parser.add_argument("--patience", type=float, default=1, help="factor on the timeouts of jobs")
    parser.add_argument("--seeds", type=numbers, default=[1234, 1235, 1236, 1237, 1238])
    parser.add_argument("--repeat", type=int, default=50, help="runs that must agree to the last bit (50)")
    parser.add_argument("--rounds", type=int, help="of the contract (3)")
    parser.add_argument("--calls", type=int, help="of a contender in a round (100)")
    parser.add_argument("--warmup", type=int, help="calls before (20)")
    parser.add_argument("--batch", type=int, help="another batch than the shapes'; for modules of dynamic batch")
    parser.add_argument("--copy-bytes", type=int, default=1 << 30, help="of the measured copy")
    parser.add_argument("--peak-bandwidth", type=float, default=4800, help="GB/s, for the floors (H200: 4800)")
    parser.add_argument("--peak-flops", type=float, default=989, help="TF/s, for the floors (H200: 989)")
    parser.add_argument("--compile", action="store_true", help="time torch.compile max-autotune too; slow")
    parser.add_argument("--padding", action="store_true", help="time hk on sequences of random lengths too")
    parser.add_argument("--sanitizer", action="store_true", help="run compute-sanitizer")
    parser.add_argument("--ncu", action="store_true", help="run Nsight Compute")
    parser.add_argument("--out", type=pathlib.Path, help="where the results go as JSON")
    args = parser.parse_args()
    unknown = [step for step in args.steps if step not in STEPS]
    if unknown:
        parser.error(f"expects steps among {', '.join(STEPS)}, but got {', '.join(unknown)}")
    unpack_modules(args.folder)
    run = Run(args, json.loads((args.folder / "manifest.json").read_text()))
    print(json.dumps(run.results["machine"]), flush=True)
    run.run()
    return 1 if conclude(run.results) else 0


if __name__ == "__main__":
    sys.exit(main())
