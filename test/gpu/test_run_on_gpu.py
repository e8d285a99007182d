# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_on_gpu.py: a job that fails, hangs or crashes stops no other."""
import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_on_gpu  # noqa: E402

# Stands in for worker.py: does what the job's "shape" says.
STUB = """
import json, os, sys, time
for line in sys.stdin:
    job = json.loads(line)
    print("noise")
    if job["shape"] == 1: time.sleep(60)
    if job["shape"] == 2: os._exit(7)
    if job["shape"] == 3:
        print(chr(30) + json.dumps({"error": "RuntimeError: out of order"}), flush=True)
        sys.exit(1)
    plan = {"fp32": {"failed": 0, "max_error": 1e-4, "max_ratio": 0.1}, "fp64": {"failed": 0, "max_ratio": 0.1},
            "unequal_runs": 0}
    print(chr(30) + json.dumps({"passed": job["shape"] != 4, "plans": {"safe": plan}}), flush=True)
"""
TIME = {"median_us": 10.0, "p10_us": 9.0, "p90_us": 11.0, "min_us": 8.0, "calls": 300}


def time_of(median, **more):
    return {**TIME, "median_us": median, **more}


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "stub.py").write_text(STUB)
        self.out = self.folder / "results.json"

    def run_shapes(self, shapes, deadline=100):
        args = argparse.Namespace(folder=self.folder, device="cpu", deadline=deadline, rounds=None, calls=None,
                                  warmup=None, batch=None, shapes=shapes, seeds=[1], repeat=2, steps=["check"],
                                  patience=0.1, out=self.out)
        manifest = {"missing": {}, "modules": {f"shape{n:02d}": {"kind": "shape"} for n in range(1, 14)}}
        run = run_on_gpu.Run(args, manifest)
        run.worker = run_on_gpu.Worker(self.folder, "cpu", self.folder / "stub.py")
        run.worker.grace = 0
        self.said = io.StringIO()
        with contextlib.redirect_stdout(self.said):
            run.run()
            bad = run_on_gpu.conclude(run.results)
        return run.results["steps"]["check"], bad

    def test_one_failure_stops_no_other(self):
        results, bad = self.run_shapes([5, 1, 6, 2, 7, 3, 8, 4, 9])
        errors = {name: result.get("error") for name, result in results.items()}
        self.assertRegex(errors["shape01"], "expects an end within 6.0 s, but got none")
        self.assertEqual(errors["shape02"], "the worker ended with 7")
        self.assertEqual(errors["shape03"], "RuntimeError: out of order")
        self.assertFalse(results["shape04"]["passed"])
        for name in ("shape05", "shape06", "shape07", "shape08", "shape09"):
            self.assertTrue(results[name]["passed"], name)
        self.assertEqual(bad, 4)
        self.assertEqual(json.loads(self.out.read_text())["steps"]["check"], results)
        self.assertIn("5 passed, 4 failed", self.said.getvalue())

    def test_no_time_left(self):
        results, bad = self.run_shapes([5, 6], deadline=1)
        self.assertEqual(bad, 2)
        self.assertIn("no time was left", results["shape06"]["error"])

    def test_programs(self):
        self.assertEqual(run_on_gpu.run_program(["sh", "-c", "echo hello; exit 3"], 10), {"rc": 3, "output": "hello\n"})
        self.assertIn("expects an end", run_on_gpu.run_program(["sleep", "30"], 0.2)["error"])
        self.assertIn("error", run_on_gpu.run_program(["/no/such/program"], 1))


    def test_sanitizers_are_clean_by_their_summaries(self):
        clean = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
        self.assertTrue(run_on_gpu.is_clean(clean))
        self.assertTrue(run_on_gpu.is_clean("median 3 us\n========= ERROR SUMMARY: 0 errors\n"))
        self.assertFalse(run_on_gpu.is_clean(clean.replace("SUMMARY: 0", "SUMMARY: 12")))
        self.assertFalse(run_on_gpu.is_clean("median 3 us\n"))


class Tells(unittest.TestCase):
    def test_graphs_do_not_count_as_the_result(self):
        times = {"hk safe": time_of(30.0), "hk fused": time_of(20.0, failed=1), "hk safe graph": time_of(15.0),
                 "strong": time_of(60.0), "eager": time_of(300.0)}
        self.assertEqual(run_on_gpu.best_times(times), ("hk safe", 30.0, 15.0, 60.0, 300.0))
        self.assertTrue(run_on_gpu.failed({"times": times}))
        self.assertIn("FAILED 1", run_on_gpu.tell("time", "shape01", {"times": times}))

    def test_first_choices(self):
        choice = {"launch": "graph", "plan": "fused", "predicted": 30e-6, "seconds": 50e-6, "best": "safe",
                  "best_is_chosen": True, "best_seconds": 40e-6, "ratio": 1.25, "within": False}
        variants = [{"schedule": "#a", "seconds": 4e-6, "predicted": 2e-6, "terms": "issue 1.2, latency 1.9",
                     "reason": ""},
                    {"schedule": "#b", "seconds": 3e-6, "predicted": None, "terms": "", "reason": ""}]
        kernel = {"kernel": "linear", "best": 1, "first_is_within": False, "variants": variants}
        reports = {"shape01": {"first_choice": [choice], "plans": [{"name": "safe", "kernels": [kernel]}]},
                   "shape02": {"first_choice": [{**choice, "within": True}],
                               "plans": [{"name": "safe", "kernels": [{**kernel, "first_is_within": True}]}]}}
        self.assertEqual(run_on_gpu.first_choices(reports), [
            "first choice of plan, graph: within 15 % of the best on 1 of 2 shapes",
            "    shape01: fused takes 50.0 us (predicted 30.0), the best, safe by variants that were measured, 40.0: "
            "1.25",
            "first choice of variant: within 15 % of the best in 1 of 2 kernels",
            "    shape01 safe linear:",
            "        first 4.0 us, predicted 2.0 (issue 1.2, latency 1.9)  #a",
            "        best  3.0 us, predicted - (-)  #b"])
        self.assertEqual(run_on_gpu.first_choices({}), [])

    def test_host_times(self):
        def plan(name, idle, row, timed, alone=None, row_alone=None, round_alone=None):
            return {"name": name, "launches": 9, "runner_launch": "graph", "runner_host_us": idle,
                    "runner_host_row_us": row, "runner_host_round_us": timed, "runner_host_alone_us": alone,
                    "runner_host_row_alone_us": row_alone, "runner_host_round_alone_us": round_alone}

        times = [{"plan": "safe", "median": 60e-6}, {"plan": "fused", "median": 50e-6}]
        reports = {"shape01": {"times": times, "plans": [plan("safe", 9.0, 9.0, 9.0),
                                                         plan("fused", 2.04, 1.3, 1.4, 1.5, 1.2, 2.1)]},
                   "shape02": {"times": times[:1], "plans": [plan("safe", 1.9, 1.4, 2.2)]},
                   "shape03": {"times": times[:1], "plans": [plan("safe", None, None, None)]}}
        self.assertEqual(run_on_gpu.host_times(reports), [
            "host's time of a runner: at most 2 us after a wait on 1, in a row on 2, in rounds on 1 of 2 shapes; with a "
            "core of its own on 1, 1 and 0",
            "    shape01: fused, graph, 9 launches: 2.0 us after a wait, 1.3 in a row, 1.4 in rounds; with a core of its "
            "own 1.5, 1.2 and 2.1",
            "    shape02: safe, graph, 9 launches: 1.9 us after a wait, 1.4 in a row, 2.2 in rounds; with a core of its "
            "own -, - and -"])
        self.assertEqual(run_on_gpu.host_times({}), [])

    def test_nothing_right(self):
        self.assertEqual(run_on_gpu.best_times({"hk safe": time_of(1.0, failed=3)}), (None,) * 5)


if __name__ == "__main__":
    unittest.main()
