# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether results are right: the benchmark's shapes against PyTorch in fp32 and
fp64, the cases of the end-to-end tests against NumPy in fp64."""
import gc
import zlib

import numpy as np
import torch

import cases
import gpu_cases
import reference
import run_e2e
import run_gpu_e2e
from torch_network import SHAPES, make_eager

ATOL, RTOL = 2e-3, 2e-2
DTYPES = {"f32": torch.float32, "f16": torch.float16}
# The score matrices of the reference stay below this.
REFERENCE_BYTES = 4 << 30


def generator(device, seed):
    return torch.Generator(device=device).manual_seed(seed)


def make_valid(pattern, batch, seq, device, seed):
    if pattern == "full":
        return torch.ones(batch, seq, dtype=torch.bool, device=device)
    draw = generator(device, seed + 77)
    if pattern == "holes":
        return torch.rand(batch, seq, generator=draw, device=device) < 0.6
    lengths = torch.randint(1, seq + 1, (batch,), generator=draw, device=device)
    if pattern == "empty":
        lengths[0] = 0
    return torch.arange(seq, device=device)[None, :] < lengths[:, None]


def chunked(model, x, valid, heads):
    """The model by parts of the batch, so that its score matrices fit."""
    batch, seq = valid.shape
    part = max(1, min(batch, REFERENCE_BYTES // (x.element_size() * 3 * heads * seq * seq)))
    return torch.cat([model(x[i : i + part], valid[i : i + part]) for i in range(0, batch, part)])


def judge(y, expected):
    """The gate of the contract, element by element."""
    error = (y.to(expected.dtype) - expected).abs()
    good = torch.isfinite(y) & ((error <= ATOL) | (error <= RTOL * expected.abs()))
    allowed = torch.clamp(RTOL * expected.abs(), min=ATOL)
    worst = float(torch.nan_to_num(error / allowed, nan=np.inf, posinf=np.inf).max())
    return {"failed": int((~good).sum()), "compared": y.numel(), "max_ratio": worst,
            "max_error": float(torch.nan_to_num(error, nan=np.inf, posinf=np.inf).max())}


def add(total, part):
    for key, value in part.items():
        total[key] = max(total.get(key, 0), value) if key.startswith("max") else total.get(key, 0) + value


def poisoned(shape, dtype, device):
    return torch.full(shape, float("nan"), dtype=dtype, device=device)


def same_bits(a, b):
    return torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))


def weights_of(model):
    return {key: value.detach().cpu().numpy() for key, value in model.state_dict().items()}


def count_unequal(env, session, inputs, y, runs):
    """How many of `runs` runs differ from y in a bit."""
    out = torch.empty_like(y)
    call = session.bind(inputs, [out], env.workspace(session, len(y)))
    unequal = 0
    for _ in range(runs):
        out.fill_(float("nan"))
        call(env.stream())
        unequal += not same_bits(out, y)
    return unequal


def graph_differs(env, session, inputs, y):
    out = torch.full_like(y, float("nan"))
    call = session.bind(inputs, [out], env.workspace(session, len(y)))
    env.synchronize()
    graph = call.capture()
    graph(env.stream())
    env.synchronize()
    return not same_bits(out, y)


def check_shape(env, job):
    number = job["shape"]
    batch, seq, dim, heads = SHAPES[number][:4]
    batch = job.get("batch") or batch
    device = env.device
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    eager = make_eager(number)
    weights = weights_of(eager)
    eager = eager.to(device)
    exact = make_eager(number).to(device).double()
    module = env.module(f"shape{number:02d}")
    sessions, skipped = env.open_plans(module, weights)
    plans = {name: {"fp32": {}, "fp64": {}} for name in sessions}
    rounds = [(seed, "full") for seed in job["seeds"]]
    rounds += [(job["seeds"][0], pattern) for pattern in ("prefix", "holes", "empty")]
    few = min(batch, 4)
    with torch.inference_mode():
        for index, (seed, pattern) in enumerate(rounds):
            x = torch.randn(batch, seq, dim, generator=generator(device, seed), device=device)
            valid = make_valid(pattern, batch, seq, device, seed)
            expected = chunked(eager, x, valid, heads)
            expected64 = exact(x[:few].double(), valid[:few])
            for name, session in sessions.items():
                y = poisoned(x.shape, torch.float32, device)
                env.run(session, [x, valid], y)
                add(plans[name]["fp32"], judge(y, expected))
                add(plans[name]["fp64"], judge(y[:few], expected64))
                if index == 0:
                    plans[name]["unequal_runs"] = count_unequal(env, session, [x, valid], y, job["repeat"])
                    if device == "cuda":
                        plans[name]["graph_differs"] = graph_differs(env, session, [x, valid], y)
                del y
            del x, valid, expected, expected64
    for plan in plans.values():
        plan["passed"] = not (plan["fp32"]["failed"] or plan["fp64"]["failed"] or plan["unequal_runs"]
                              or plan.get("graph_differs"))
    sessions.clear()
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
    return {"plans": plans, "skipped": skipped, "batch": batch,
            "passed": all(plan["passed"] for plan in plans.values())}


def make_parameters(network, name, sharp):
    """As hk-model draws them, gamma and beta too, from another generator."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    shapes, parameters = network.parameter_shapes(), {}
    for key, shape in shapes.items():
        weight = shapes[key.rsplit(".", 1)[0] + ".weight"]
        if len(weight) == 2:
            bound = 1 / np.sqrt(weight[1])
            value = rng.uniform(-bound, bound, shape)
        else:
            value = rng.uniform(0.5, 1.5, shape) if key.endswith("weight") else rng.uniform(-0.5, 0.5, shape)
        scale = sharp if ".att.q." in key else 1
        parameters[key] = (scale * value).astype(np.float32 if network.dtype == "f32" else np.float16)
    return parameters


def check_case(env, job):
    """One case of cases.py, on every plan and each of its inputs."""
    case = next(c for c in cases.CASES if f"{c.group}/{c.name}" == job["case"])
    network = reference.Network(**case.network)
    parameters = make_parameters(network, case.name, case.sharp)
    module = env.module(job["case"])
    sessions, skipped = env.open_plans(module, parameters)
    failures, worst, runs = [], 0.0, 0
    seen = set()
    for run in case.runs:
        if (run.pattern, run.batch, run.nan) in seen or not run.batch:
            continue
        seen.add((run.pattern, run.batch, run.nan))
        x, mask, valid = run_e2e.make_inputs(case, run, network)
        expected = network.forward(x.astype(np.float64), parameters,
                                   valid if network.mask == "key_mask" else mask)
        inputs = [torch.from_numpy(a).to(env.device) for a in (x, mask) if a is not None]
        for name, session in sessions.items():
            y = poisoned(x.shape, inputs[0].dtype, env.device)
            env.run(session, inputs, y)
            exact = session.role() == "reference"
            if case.sharp != 1 and not exact:
                continue  # beyond what f16 operands can do
            runs += 1
            try:
                _, ratio = run_e2e.compare(network, case.sharp, y.cpu().numpy().astype(np.float64), expected,
                                           valid, run.nan, run_e2e.CLOSE if exact else run_e2e.GATE)
                worst = max(worst, ratio)
            except run_e2e.Failure as failure:
                failures.append(f"{name} {run.label()}: {failure}")
    if not runs:
        failures.append("expects a plan that is exact enough for this case, but got none")
    return {"passed": not failures, "runs": runs, "max_ratio": worst, "failures": failures,
            "skipped": skipped}


def check_small(env, job):
    """One case of gpu_cases.py, on every plan and each of its inputs."""
    case = next(c for c in gpu_cases.CASES if f"small/{c.group}/{c.name}" == job["case"])
    network = case.build()
    parameters = network.draw_parameters(run_gpu_e2e.generator(case.group, case.name))
    sessions, skipped = env.open_plans(env.module(job["case"]), parameters)
    failures, worst, runs = [], 0.0, 0
    for run in case.runs:
        arrays, _ = run_gpu_e2e.make_inputs(case, run, network)
        expected = network.evaluate(arrays, parameters)
        inputs = [torch.from_numpy(arrays[name]).to(env.device) for name, _ in network.arguments]
        for name, session in sessions.items():
            y = poisoned(expected.shape, DTYPES[network.dtype], env.device)
            env.run(session, inputs, y)
            runs += 1
            try:
                exact = session.role() == "reference" and network.dtype == "f32"
                worst = max(worst, run_gpu_e2e.compare(y.cpu().numpy(), expected, exact)[1])
            except run_e2e.Failure as failure:
                failures.append(f"{name} {run.label()}: {failure}")
    return {"passed": not failures, "runs": runs, "max_ratio": worst, "failures": failures, "skipped": skipped}
