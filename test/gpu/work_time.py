# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times, taken as the benchmark's contract says, of hk and of PyTorch side by side:
20 calls of each contender first, then three rounds of 100 in which they take
turns, an event pair around each call on one stream, nothing waited for in between.
"""
import gc
import time

import torch
import torch.nn.functional as F

from torch_network import SHAPES, Expert, make_eager
from work_check import chunked, generator, judge, make_valid, weights_of

WARMUP, ROUNDS, CALLS = 20, 3, 100
# Contenders slower than this, in seconds, get fewer calls.
SLOW = 0.02


class Clock:
    """Times calls: by events on a GPU, by the host's clock elsewhere."""

    def __init__(self, device):
        self.on_gpu = device == "cuda"

    def times(self, function, count):
        if not self.on_gpu:
            seconds = []
            for _ in range(count):
                start = time.perf_counter()
                function()
                seconds.append(time.perf_counter() - start)
            return seconds
        make = lambda: [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        starts, ends = make(), make()
        torch.cuda.synchronize()
        for start, end in zip(starts, ends):
            start.record()
            function()
            end.record()
        torch.cuda.synchronize()
        return [1e-3 * a.elapsed_time(b) for a, b in zip(starts, ends)]


def summary(seconds):
    ordered = sorted(seconds)
    at = lambda fraction: 1e6 * ordered[min(len(ordered) - 1, int(fraction * (len(ordered) - 1) + 0.5))]
    return {"median_us": at(0.5), "p10_us": at(0.1), "p90_us": at(0.9), "min_us": at(0), "calls": len(ordered)}


def race(device, contenders, job):
    """{name: summary} of functions by name, by the contract."""
    clock = Clock(device)
    rounds, calls, warmup = (job.get(key, value) for key, value in
                             (("rounds", ROUNDS), ("calls", CALLS), ("warmup", WARMUP)))  # fmt: skip
    counts, times = {}, {name: [] for name in contenders}
    for name, function in contenders.items():
        one = min(clock.times(function, 2))
        counts[name] = calls if one < SLOW else max(1, calls // 10)
        clock.times(function, warmup if one < SLOW else 2)
    names = list(contenders)
    for index in range(rounds):
        for name in names if index % 2 == 0 else names[::-1]:
            times[name] += clock.times(contenders[name], counts[name])
    return {name: summary(seconds) for name, seconds in times.items()}


def fresh_outputs(env, session, inputs, shape, dtype=torch.float32):
    """A call whose output the framework's allocator gives anew each time."""
    y = torch.empty(shape, dtype=dtype, device=env.device)
    call = session.bind(inputs, [y], env.workspace(session, shape[0]))
    described, device = call.outputs[0], env.device

    def run():
        out = torch.empty(shape, dtype=dtype, device=device)
        described.data = out.data_ptr()
        call(env.stream())
        return out

    return run


def graph_call(env, session, inputs, shape, dtype=torch.float32):
    """The launch of a captured graph, which writes one and the same output."""
    y = torch.empty(shape, dtype=dtype, device=env.device)
    graph = session.bind(inputs, [y], env.workspace(session, shape[0])).capture()

    def run():
        graph(env.stream())
        return y

    return run


def runner_call(env, session, inputs, shape):
    """The runtime's own fastest way, results in two sets of outputs in turn."""
    sets = [[torch.empty(shape, dtype=torch.float32, device=env.device)] for _ in range(2)]
    runner = session.runner(inputs, sets, env.workspace(session, shape[0]), env.stream())

    def run():
        return sets[runner(env.stream())][0]

    return run


def torch_graph(function):
    """A CUDA graph of what the function does."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = function()

    def run():
        graph.replay()
        return y

    return run


def hk_contenders(env, sessions, inputs, shape, dtype=torch.float32):
    contenders = {}
    for name, session in sessions.items():
        if session.role() == "reference":
            continue  # there to be right
        contenders[f"hk {name}"] = fresh_outputs(env, session, inputs, shape, dtype)
        if env.device == "cuda":
            contenders[f"hk {name} graph"] = graph_call(env, session, inputs, shape, dtype)
    return contenders


def torch_contenders(env, job, eager, x, valid):
    """PyTorch's routes by name; one that fails is told and left out."""
    contenders, failed = {}, {}
    half = torch.float16 if env.device == "cuda" else torch.float32

    def compiled(model, *inputs):
        model = torch.compile(model, mode="max-autotune")
        for _ in range(5):
            model(*inputs)
        return lambda: model(*inputs)

    expert = Expert(eager, half)
    routes = {"eager": lambda: (lambda: eager(x, valid))}
    if env.device == "cuda":
        routes["strong"] = lambda: torch_graph(lambda: expert(x))
    else:
        routes["strong"] = lambda: (lambda: expert(x))
    if job.get("compile"):
        routes["eager max-autotune"] = lambda: compiled(eager, x, valid)
        routes["strong max-autotune"] = lambda: compiled(expert, x)
    for name, make in routes.items():
        try:
            contenders[name] = make()
        except Exception as error:
            failed[name] = str(error)[:300]
            gc.collect()
    return contenders, failed


def time_shape(env, job):
    number = job["shape"]
    batch, seq, dim, heads = SHAPES[number][:4]
    batch = job.get("batch") or batch
    device = env.device
    eager = make_eager(number)
    module, weights = env.module(f"shape{number:02d}"), weights_of(eager)
    sessions, skipped = env.open_plans(module, weights)
    # What a user gets who names no plan.
    chosen = env.context.session(module, env.library.params(weights))
    eager = eager.to(device)
    with torch.inference_mode():
        x = torch.randn(batch, seq, dim, generator=generator(device, 101234), device=device)
        valid = torch.ones(batch, seq, dtype=torch.bool, device=device)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        expected = chunked(eager, x, valid, heads)
        if job.get("padding"):
            prefix = make_valid("prefix", batch, seq, device, 101234)
            expected_padded = chunked(eager, x, prefix, heads)
        # As the contract's harness ships it.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        theirs, failed = torch_contenders(env, job, eager, x, valid)
        contenders = {**hk_contenders(env, sessions, [x, valid], x.shape),
                      "hk": fresh_outputs(env, chosen, [x, valid], x.shape), **theirs}
        if device == "cuda":
            contenders["hk runner"] = runner_call(env, chosen, [x, valid], x.shape)
        accuracy = {name: judge(run(), expected) for name, run in contenders.items()}
        if job.get("padding"):
            for name, run in hk_contenders(env, sessions, [x, prefix], x.shape).items():
                contenders[f"{name} padded"] = run
                accuracy[f"{name} padded"] = judge(run(), expected_padded)
        env.synchronize()
        times = race(device, contenders, job)
    for name, result in times.items():
        result["failed"] = accuracy[name]["failed"]
        result["max_error"] = accuracy[name]["max_error"]
    chosen_plan, choice = chosen.plan(), chosen.report()
    chosen = None
    contenders.clear(), theirs.clear(), sessions.clear()
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
    return {"times": times, "skipped": skipped, "torch_failed": failed, "batch": batch,
            "chosen": chosen_plan, "choice": choice}


def time_copy(env, job):
    """The bandwidth that a copy of `bytes` reaches, both ways counted."""
    size = job["bytes"]
    source = torch.empty(size // 4, dtype=torch.float32, device=env.device).normal_()
    target = torch.empty_like(source)
    (result,) = race(env.device, {"copy": lambda: target.copy_(source)}, job).values()
    result["bytes_per_second"] = 2 * size / (1e-6 * result["median_us"])
    return {"times": {"copy": result}}


def peers(kernel, inputs, arrays):
    """What PyTorch offers for a kernel of kernels/: {name: function}. `torch` gets
    the same memory; heads that lie apart are copies, made beforehand."""
    if kernel["peer"] == "sdpa":
        heads = kernel["heads"]
        split = [t.view(*t.shape[:2], heads, -1).transpose(1, 2) for t in inputs]
        apart = [t.contiguous() for t in split]
        return {"torch": lambda: F.scaled_dot_product_attention(*split, is_causal=True),
                "torch, heads apart": lambda: F.scaled_dot_product_attention(*apart, is_causal=True)}
    if kernel["peer"] == "linear":
        weight, bias = (torch.from_numpy(arrays[key]).to(inputs[0]) for key in ("weight", "bias"))
        return {"torch": lambda: F.linear(inputs[0], weight, bias)}
    if kernel["peer"] == "layer_norm":
        return {"torch": lambda: F.layer_norm(inputs[0], inputs[0].shape[-1:])}
    return {}


def time_kernel(env, job):
    """One kernel of kernels/ beside PyTorch's, with the rates they reach."""
    import numpy as np

    kernel = env.entry(job["kernel"])
    module = env.module(job["kernel"])
    rng = np.random.default_rng(1234)
    numpy_types = {"f16": np.float16, "f32": np.float32}
    arrays = {}
    for parameter in module.metadata()["parameters"]:
        shape = parameter["type"]["shape"]
        values = rng.uniform(-1, 1, shape) / np.sqrt(shape[-1])
        arrays[parameter["key"]] = values.astype(numpy_types[parameter["type"]["dtype"]])
    sessions, skipped = env.open_plans(module, arrays)
    dtype = {"f16": torch.float16, "f32": torch.float32}[kernel["dtype"]]
    shape = (job.get("batch") or kernel["batch"], kernel["seq"], kernel["width"])
    inputs = [torch.randn(shape, generator=generator(env.device, 1234 + i), device=env.device).to(dtype)
              for i in range(kernel["inputs"])]  # fmt: skip
    out_shape = (*shape[:2], kernel.get("features", kernel["width"]))
    contenders = hk_contenders(env, sessions, inputs, out_shape, dtype)
    of_torch = peers(kernel, inputs, arrays)
    accuracy = {}
    with torch.inference_mode():
        if of_torch:
            expected = of_torch["torch"]().float()
            if kernel["peer"] == "sdpa":
                expected = expected.transpose(1, 2).reshape(out_shape)
            accuracy = {name: judge(run(), expected) for name, run in contenders.items()}
            contenders.update(of_torch)
        times = race(env.device, contenders, job)
    scale = shape[0] / kernel["batch"]
    for name, result in times.items():
        result["flops_per_second"] = scale * kernel["flops"] / (1e-6 * result["median_us"])
        result["bytes_per_second"] = scale * kernel["bytes"] / (1e-6 * result["median_us"])
        if name in accuracy:
            result.update(failed=accuracy[name]["failed"], max_error=accuracy[name]["max_error"])
    return {"times": times, "skipped": skipped}
