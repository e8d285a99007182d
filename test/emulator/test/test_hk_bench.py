# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-bench on a module that the compiler made, on the emulated device: variants
of kernels, the cost model's terms, and what the runtime chooses."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# As few calls as can be; plans are tried, variants are not.
FEW = ("--rounds", "1", "--calls", "1", "--warmup", "0")


def run(*words, **env):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **env})
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def expect(condition, what):
    if not condition:
        raise AssertionError(f"expects {what}")


def main():
    bin_folder, driver = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(bin_folder / "hk-model", "--batch", 2, "--seq", 4, "--dim", 16, "--heads", 2, "--layers", 1, "-o",
            folder / "small.mlir")
        run(bin_folder / "hk-compile", folder / "small.mlir", "--target", "sm_90a", "-o", folder / "small.hkm")
        text = run(bin_folder / "hk-bench", folder / "small.hkm", "--batch", 2, *FEW, "--choose", "--variants",
                   "--peak-bandwidth", 4800, "--json", folder / "report.json",
                   HK_CUDA_DRIVER=driver, HK_TUNE_SECONDS="0", HK_CUBLASLT="none")
        report = json.loads((folder / "report.json").read_text())

    plans = {plan["name"].split(".")[-1]: plan for plan in report["plans"]}
    expect(set(plans) >= {"safe", "fused"}, f"a safe and a fused plan, but got {set(plans)}")
    for plan in plans.values():
        expect(plan["predicted"] > 0 and plan["runner_host_us"] > 0, "times of each plan")
    kernels = [kernel for plan in plans.values() for kernel in plan["kernels"]]
    variants = [variant for kernel in kernels for variant in kernel["variants"]]
    ours = [variant for variant in variants if variant["schedule"].startswith("#hk.cuda<")]
    expect(len(ours) > len(kernels), "kernels with several variants")
    for variant in ours:
        expect(variant["seconds"] > 0 and variant["predicted"] > 0, f"both times, but got {variant}")
        # The remark that tells them is found.
        expect("latency" in variant["terms"], f"terms with the latency, but got {variant}")
    library = [variant for variant in variants if variant not in ours]
    expect(library, "variants of cuBLASLt")
    for variant in library:
        expect(variant["seconds"] is None and "cublaslt" in variant["reason"], f"a reason, but got {variant}")
    for kernel in kernels:
        times = [variant["seconds"] for variant in kernel["variants"] if variant["seconds"]]
        expect(kernel["variants"][kernel["best"]]["seconds"] == min(times), f"the fastest as the best, but got {kernel}")
        expect(kernel["first_is_within"] == (times[0] <= 1.15 * min(times)), f"15 %, but got {kernel}")

    tunings = {tuning["launch"]: tuning for tuning in report["choice"]["tunings"]}
    expect(set(tunings) == {"direct", "graph"}, f"both ways of launching, but got {set(tunings)}")
    for tuning in tunings.values():
        verdicts = [contender["verdict"] for contender in tuning["contenders"]]
        expect(len(verdicts) >= 2 and set(verdicts) == {"passed"}, f"plans that all pass, but got {verdicts}")
        expect(tuning["choose_ms"]["total"] > 0, "the time of the choice")
    choices = {choice["launch"]: choice for choice in report["first_choice"]}
    expect(set(choices) == {"direct", "graph"} and all(choice["ratio"] >= 1 for choice in choices.values()),
           f"first choices, but got {choices}")
    expect(sum(time["chosen"] for time in report["times"]) == 2, "what was chosen to be timed")
    first = min(report["plans"], key=lambda plan: plan["predicted"])["name"]
    expect(f"first choice, graph: {first}" in text, f"the plan of the least prediction, but got {text}")


if __name__ == "__main__":
    main()
