# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hk-bench from the outside: on the module of make_module.cpp on the CPU, and on
that of make_affine_module.cpp on a CUDA driver without a GPU."""
import csv
import json
import sys
import unittest

from cli_case import CliCase

TWICE = MODULE = PARAMS = DRIVER = None
FEW = ("--rounds", "2", "--calls", "3", "--warmup", "1")


class BenchCase(CliCase):
    def report(self, *words, code=0, env=None):
        path = self.path("report.json")
        self.run_tool(*words, *FEW, "--json", path, code=code, env=env)
        with open(path) as stream:
            return json.load(stream)


class OnTheCpu(BenchCase):
    def test_wrong_plans_fail(self):
        report = self.report(TWICE, "--device", "cpu", "--batch", "9", "--check", code=1)
        verdicts = {plan["name"]: plan["verdict"] for plan in report["plans"]}
        self.assertEqual(verdicts["right"], "passed")
        for name in ("wrong", "idle"):
            self.assertRegex(verdicts[name], r"^FAILED: \d+ of \d+ elements against the oracle$")
        self.assertFalse(report["passed"])

    def test_plans_by_name(self):
        report = self.report(TWICE, "--device", "cpu", "--plan", "right", "--plan", "idle")
        self.assertEqual([plan["name"] for plan in report["plans"]], ["right", "idle"])
        self.assertEqual([plan["verdict"] for plan in report["plans"]], ["not checked"] * 2)

    def test_repeated_runs(self):
        words = (TWICE, "--device", "cpu", "--plan", "right", "--repeat-check", "4")
        (plan,) = self.report(*words)["plans"]
        self.assertEqual(plan["unequal_runs"], 0)
        self.assertEqual(plan["verdict"], "passed")

    def test_padding_and_files(self):
        self.report(TWICE, "--device", "cpu", "--plan", "right", "--batch", "5", "--padding",
                    "--check", "--check-seeds", "2")

    def test_csv(self):
        stdout, _ = self.run_tool(TWICE, "--device", "cpu", "--plan", "right", *FEW, "--csv", "-")
        (row,) = csv.DictReader(stdout.splitlines())
        self.assertEqual((row["plan"], row["launch"], row["batch"]), ("right", "direct", "1"))
        self.assertGreater(float(row["median_us"]), 0)
        self.assertEqual((row["chosen"], row["host_us"], row["host_row_us"], row["of_bandwidth"]),
                         ("0", "", "", ""))

    def test_shares_of_the_peaks(self):
        words = (TWICE, "--device", "cpu", "--plan", "right", "--dispatches", "--peak-bandwidth", "2",
                 "--peak-flops", "3", "--batch", "500")
        report = self.report(*words)
        (time,), (plan,) = report["times"], report["plans"]
        moved = sum(plan["cost"][key] for key in ("read", "written", "packed"))
        self.assertGreater(moved, 0)
        self.assertAlmostEqual(time["of_bandwidth"], moved / time["median"] / 2e9)
        self.assertEqual(time["of_flops"], 0)
        self.assertEqual(report["peak_flops_per_second"], 3e12)
        self.assertIn("of_flops", plan["dispatches"][0])
        self.assertIsNone(time["host_us"])
        self.assertIsNone(time["host_row_us"])
        stdout, _ = self.run_tool(*words, *FEW)
        self.assertRegex(stdout, r"right +direct .* \d+ % ")

    def test_first_choice(self):
        words = (TWICE, "--device", "cpu", "--batch", "2")
        (choice,) = self.report(*words)["first_choice"]
        self.assertEqual((choice["launch"], choice["plan"]), ("direct", "right"))
        self.assertGreaterEqual(choice["ratio"], 1)
        self.assertEqual(choice["within"], choice["ratio"] <= 1.15)
        stdout, _ = self.run_tool(*words, *FEW)
        self.assertRegex(stdout, r"first choice, direct: right, .* \(predicted 250(\.0+)? us\), the best ")
        # Without a prediction there is none.
        self.assertEqual(self.report(TWICE, "--device", "cpu", "--batch", "3")["first_choice"], [])

    def test_variants(self):
        words = (TWICE, "--device", "cpu", "--plan", "right", "--variants")
        (kernel,) = self.report(*words)["plans"][0]["kernels"]
        self.assertEqual((kernel["kernel"], kernel["best"], kernel["first_is_within"]), ("right", 0, True))
        (variant,) = kernel["variants"]
        self.assertEqual((variant["schedule"], variant["reason"]), ("x86-64", ""))
        self.assertIsNotNone(variant["seconds"])
        stdout, _ = self.run_tool(*words, *FEW)
        self.assertRegex(stdout, r"kernel right\n  \* .*, predicted +-  x86-64")

    def test_predicted_times(self):
        words = (TWICE, "--device", "cpu", "--plan", "right", "--plan", "idle", "--dispatches")
        report = self.report(*words, "--batch", "2")
        right, idle = report["plans"]
        self.assertAlmostEqual(right["predicted"], 250e-6)
        self.assertIsNone(idle["predicted"])
        self.assertEqual([d["predicted"] for d in right["dispatches"]], [None])
        # Those of another batch are no predictions.
        self.assertIsNone(self.report(*words, "--batch", "3")["plans"][0]["predicted"])
        stdout, _ = self.run_tool(*words, *FEW, "--batch", "2")
        self.assertRegex(stdout, r"plan +launch +launches .* predicted ")
        self.assertRegex(stdout, r"right +direct .* 250(\.0+)? us ")

    def test_help(self):
        self.assert_short_help()


class OnAGpu(BenchCase):
    def gpu(self, *words, **more):
        return self.report(MODULE, "--params", PARAMS, *words, env={"HK_CUDA_DRIVER": DRIVER},
                           **more)

    def test_both_launches(self):
        report = self.gpu("--batch", "7", "--check", "--check-seeds", "2", "--repeat-check", "3")
        self.assertEqual(report["device"], "Fake GPU")
        self.assertTrue(report["passed"])
        times = {(t["plan"], t["launch"]): t for t in report["times"]}
        self.assertEqual(set(times), {(p, l) for p in ("layers", "folded")
                                      for l in ("direct", "graph")})
        for plan, launches in (("layers", 2), ("folded", 1)):
            direct = times[plan, "direct"]
            self.assertEqual(direct["calls"], 6)
            # The driver says: a millisecond a launch.
            self.assertAlmostEqual(direct["median"], launches * 1e-3)
            for launch in ("direct", "graph"):
                for key in ("host_us", "host_row_us", "host_round_us"):
                    self.assertGreater(times[plan, launch][key], 0)
                    self.assertGreater(times[plan, launch][key.replace("_us", "_alone_us")] or 1, 0)
        for plan in report["plans"]:
            for key in ("runner_host_us", "runner_host_row_us", "runner_host_round_us"):
                self.assertGreater(plan[key], 0)
                self.assertGreater(plan[key.replace("_us", "_alone_us")] or 1, 0)
            self.assertEqual(plan["runner_launch"], "graph")

    def test_one_way_to_launch(self):
        for word, launch in (("on", "graph"), ("off", "direct")):
            report = self.gpu("--graph", word, "--plan", "folded")
            self.assertEqual([t["launch"] for t in report["times"]], [launch])

    def test_dispatches(self):
        report = self.gpu("--dispatches", "--plan", "layers")
        dispatches = report["plans"][0]["dispatches"]
        self.assertEqual([d["layer"] for d in dispatches], [0, 1])
        self.assertEqual([d["kernel"] for d in dispatches], ["affine"] * 2)

    def test_what_the_runtime_chooses(self):
        # The module has no reference plan, so that nothing is measured.
        stdout, _ = self.run_tool(MODULE, "--params", PARAMS, *FEW, "--choose",
                                  env={"HK_CUDA_DRIVER": DRIVER})
        self.assertIn("chosen: nothing was measured", stdout)
        self.assertEqual(self.gpu("--choose")["choice"]["tunings"], [])

    def test_peaks_of_known_gpus(self):
        def peaks(name, *words):
            report = self.report(MODULE, "--params", PARAMS, "--plan", "folded", *words,
                                 env={"HK_CUDA_DRIVER": DRIVER, "HK_FAKE_CUDA_NAME": name})
            return report["peak_bytes_per_second"], report["peak_flops_per_second"]
        bandwidth, flops = peaks("NVIDIA H200")
        self.assertTrue(3e12 < bandwidth < 5e12 and 8e14 < flops < 1e15)
        self.assertEqual(peaks("NVIDIA H200", "--peak-bandwidth", "7"), (7e9, flops))
        self.assertLess(peaks("NVIDIA GeForce RTX 4090")[0], 1.1e12)
        self.assertEqual(peaks("Fake GPU"), (0, 0))

    def test_floor(self):
        report = self.gpu("--peak-bandwidth", "1", "--plan", "folded")
        plan = report["plans"][0]
        self.assertAlmostEqual(plan["floor"], plan["cost"]["packed"] * 1e-9)


class Refuses(CliCase):
    def test_words(self):
        for message, *words in (
                ("expects a module (.hkm), but got none",),
                ("expects a plan among right, wrong, idle, but got 'left'", TWICE, "--plan", "left"),
                ("expects --plan or --all-plans, but got both", TWICE, "--plan", "right",
                 "--all-plans"),
                ("expects --random-norm with random parameters, but got --params", TWICE,
                 "--random-norm", "--params", "w"),
                ("expects --json and --csv in different places, but got '-' for both", TWICE,
                 "--json", "-", "--csv", "-"),
                ("expects --graph auto or off on the CPU, but got 'on'", TWICE, "--graph", "on"),
                ("expects a reference plan that this device can run, or an fp64 oracle, to check "
                 "against, but got neither for 'lonely'", TWICE, "--function", "lonely",
                 "--check")):
            self.assert_error(message, *words, "--device", "cpu")

    def test_machines(self):
        self.assert_error("expects a plan that this device can run, but got none", TWICE, code=2,
                          env={"HK_CUDA_DRIVER": DRIVER})


if __name__ == "__main__":
    CliCase.tool, TWICE, MODULE, PARAMS, DRIVER = sys.argv[1:6]
    unittest.main(argv=sys.argv[:1])
