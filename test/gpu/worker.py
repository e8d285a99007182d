# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does one job after another for run_on_gpu.py: a line of JSON on stdin each, a line
with the result on stdout. A job that fails ends the process: after an error of
the GPU nothing in it can be relied on."""
import json
import pathlib
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / ".." / "python"), str(HERE / ".." / "e2e")]

MARK = "\x1e"


class Environment:
    """The folder that was packed, the device, and the runtime on it."""

    def __init__(self, folder, device):
        import hk_ctypes
        import torch

        self.folder, self.device = pathlib.Path(folder), device
        self.library = hk_ctypes.Library(str(self.folder / "lib" / "libhk_runtime.so"))
        self.context = self.library.context(device)
        self.manifest = json.loads((self.folder / "manifest.json").read_text())
        if device == "cuda":
            torch.cuda.init()

    def entry(self, name):
        return self.manifest["modules"][name]

    def module(self, name):
        return self.library.module(self.folder / self.entry(name)["file"])

    def open_plans(self, module, arrays):
        """({plan: session}, {plan: why it was skipped})."""
        import hk_ctypes

        sessions, skipped = {}, {}
        params = self.library.params(arrays)
        for name, role, _ in module.plans():
            if role == "oracle":
                continue
            try:
                sessions[name] = self.context.session(module, params, name)
            except hk_ctypes.Error as error:
                if error.code != hk_ctypes.UNSUPPORTED:
                    raise
                skipped[name] = str(error)
        if not sessions:
            raise RuntimeError(f"expects a plan that this device can run, but got none: {skipped}")
        return sessions, skipped

    def run(self, session, inputs, y):
        """Runs a session on tensors, and waits."""
        session.bind(inputs, [y], self.workspace(session, len(y)))(self.stream())
        self.synchronize()

    def workspace(self, session, batch):
        import torch

        return torch.empty(session.workspace_size(batch), dtype=torch.uint8, device=self.device)

    def stream(self):
        import torch

        return torch.cuda.current_stream().cuda_stream if self.device == "cuda" else 0

    def synchronize(self):
        import torch

        if self.device == "cuda":
            torch.cuda.synchronize()


def run_job(environment, job):
    step = job["step"]
    if step == "check":
        import work_check

        return work_check.check_shape(environment, job)
    if step == "odd":
        import work_check

        return work_check.check_case(environment, job)
    if step == "small":
        import work_check

        return work_check.check_small(environment, job)
    if step == "time":
        import work_time

        return work_time.time_shape(environment, job)
    if step == "micro":
        import work_time

        return work_time.time_kernel(environment, job)
    if step == "copy":
        import work_time

        return work_time.time_copy(environment, job)
    raise ValueError(f"expects a step of the worker, but got {step!r}")


def main():
    environment = None
    for line in sys.stdin:
        job = json.loads(line)
        start = time.time()
        try:
            environment = environment or Environment(job["folder"], job["device"])
            result = run_job(environment, job)
            result["seconds"] = round(time.time() - start, 2)
            failed = False
        except Exception as error:
            result = {"error": f"{type(error).__name__}: {error}"[:600],
                      "trace": traceback.format_exc(limit=-3)[-1500:]}
            failed = True
        print(MARK + json.dumps(result), flush=True)
        if failed:
            sys.exit(1)


if __name__ == "__main__":
    main()
