# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's C API through ctypes, on arrays of NumPy or tensors of PyTorch.

    library = Library("libhk_runtime.so")
    context = library.context("cuda")
    module = library.module("model.hkm")
    session = context.session(module, library.params({"norm.weight": array, ...}))
    call = session.bind([x, valid], [y], workspace)
    call()                    # on the current stream of PyTorch, not waited for

A tensor is a NumPy array (the CPU) or anything with data_ptr(), shape, dtype and
device as PyTorch has them. Failures raise Error with the runtime's message.
Nothing is copied: what is bound must stay alive and where it is.
"""
import ctypes
import json
from ctypes import POINTER, byref, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np

CPU, CUDA = 0, 1
ROLES = ("candidate", "safe", "reference", "oracle")
# Of the C API, by name of the type in NumPy.
DTYPES = {"float64": 1, "float32": 2, "float16": 3, "bfloat16": 4, "int32": 5, "bool": 6}
# DLPack: (code, bits).
DL_DTYPES = {"float64": (2, 64), "float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16),
             "int32": (0, 32), "bool": (6, 8), "uint8": (1, 8)}


class Error(Exception):
    """What the runtime says; `code` is its hk_code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


UNSUPPORTED = 4


class Status(ctypes.Structure):
    _fields_ = [("code", c_int32), ("message", c_char * 1024)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class ContextOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_uint32), ("parallel_for", c_void_p),
                ("parallel_for_user", c_void_p), ("isa", c_char_p), ("device", c_int32),
                ("device_ordinal", c_uint32)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("function", c_char_p), ("plan", c_char_p),
                ("memory_limit", c_uint64)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("ordinal", c_uint32), ("name", c_char_p), ("sm", c_uint32),
                ("driver_version", c_uint32), ("multiprocessors", c_uint32), ("memory", c_uint64)]


class RunnerInfo(ctypes.Structure):
    _fields_ = [("plan", c_char_p), ("mode", c_int32), ("num_sets", c_uint32),
                ("direct_microseconds", ctypes.c_double), ("graph_microseconds", ctypes.c_double)]


class SessionInfo(ctypes.Structure):
    _fields_ = [("function", c_char_p), ("function_index", c_uint32), ("plan", c_char_p),
                ("plan_rank", c_uint32), ("plan_role", c_int32), ("isa", c_char_p),
                ("num_workers", c_uint32), ("num_dispatches", c_uint32), ("packed_bytes", c_uint64)]


def address_of(tensor):
    """The address of the first byte."""
    return tensor.ctypes.data if isinstance(tensor, np.ndarray) else tensor.data_ptr()


def dtype_name(tensor):
    """"float32", of either library."""
    return str(tensor.dtype).replace("torch.", "")


class Handle:
    """A handle of the library, destroyed with this object."""

    def __init__(self, library, kind, pointer):
        self.library, self.kind, self.pointer = library, kind, pointer

    def __del__(self):
        if getattr(self, "pointer", None):
            self.library.function(f"hk_{self.kind}_destroy", None)(self.pointer)
            self.pointer = None


class Library:
    def __init__(self, path):
        self.dll = ctypes.CDLL(path)

    def function(self, name, result=c_int32):
        function = getattr(self.dll, name)
        function.restype = result
        return function

    def call(self, name, *words):
        """Calls a function whose last argument is a status."""
        status = Status()
        if self.function(name)(*words, byref(status)) != 0:
            raise Error(status.code, status.message.decode(errors="replace"))

    def make(self, kind, name, *words):
        pointer = c_void_p()
        self.call(name, *words, byref(pointer))
        return pointer

    def version(self):
        return self.function("hk_version", c_char_p)().decode()

    def context(self, device="cuda", ordinal=0, threads=0):
        return Context(self, device, ordinal, threads)

    def module(self, path):
        return Module(self, path)

    def params(self, arrays):
        return Params(self, arrays)


class Module(Handle):
    def __init__(self, library, path):
        super().__init__(library, "module", library.make("module", "hk_module_load", str(path).encode()))

    def metadata(self):
        """What the file says, as hk-run --dump-metadata prints it."""
        text = c_char_p()
        self.library.call("hk_module_to_json", self.pointer, byref(text))
        try:
            return json.loads(text.value.decode(errors="replace"))
        finally:
            self.library.function("hk_string_free", None)(text)

    def plans(self, function=0):
        """[(name, role, launches)] of a function, in the file's order."""
        return [(plan["name"], plan["role"].lower(), len(plan["dispatches"]))
                for plan in self.metadata()["functions"][function]["plans"]]


class Params(Handle):
    """A dict from key to NumPy array."""

    def __init__(self, library, arrays):
        super().__init__(library, "params", library.make("params", "hk_params_create"))
        self.arrays = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
        for key, array in self.arrays.items():
            shape = (c_int64 * array.ndim)(*array.shape)
            library.call("hk_params_add", self.pointer, key.encode(), c_int32(DTYPES[dtype_name(array)]),
                         c_uint32(array.ndim), shape, c_void_p(address_of(array)))


class Context(Handle):
    def __init__(self, library, device, ordinal, threads):
        options = ContextOptions(struct_size=ctypes.sizeof(ContextOptions), threads=threads,
                                 device={"cpu": CPU, "cuda": CUDA}[device], device_ordinal=ordinal)
        pointer = c_void_p()
        library.call("hk_context_create", byref(options), byref(pointer))
        super().__init__(library, "context", pointer)

    def device(self):
        info = DeviceInfo()
        self.library.function("hk_context_get_device", None)(self.pointer, byref(info))
        return info

    def session(self, module, params, plan=None, function=None):
        return Session(self, module, params, plan, function)


class DeviceArray:
    """An array in the memory of a context's device, for callers without a GPU
    library of their own. Starts with the values of a NumPy array."""

    class Device:
        type, index = "cuda", 0

    def __init__(self, context, values):
        self.context, self.library = context, context.library
        self.shape, self.dtype, self.nbytes = values.shape, values.dtype, values.nbytes
        self.device = self.Device()
        pointer = c_void_p()
        self.library.call("hk_device_alloc", context.pointer, c_size_t(self.nbytes), byref(pointer))
        self.pointer = pointer
        values = np.ascontiguousarray(values)
        self.library.call("hk_device_write", context.pointer, pointer, c_void_p(values.ctypes.data),
                          c_size_t(self.nbytes))

    def __del__(self):
        if getattr(self, "pointer", None):
            self.library.call("hk_device_free", self.context.pointer, self.pointer)

    def data_ptr(self):
        return self.pointer.value

    def numel(self):
        return self.nbytes

    def element_size(self):
        return 1

    def numpy(self):
        """The values as they are now, behind all that was started."""
        self.library.call("hk_device_synchronize", self.context.pointer)
        values = np.empty(self.shape, self.dtype)
        self.library.call("hk_device_read", self.context.pointer, c_void_p(values.ctypes.data), self.pointer,
                          c_size_t(self.nbytes))
        return values


class Session(Handle):
    def __init__(self, context, module, params, plan, function):
        options = SessionOptions(struct_size=ctypes.sizeof(SessionOptions),
                                 function=function.encode() if function else None,
                                 plan=plan.encode() if plan else None)
        library = context.library
        pointer = c_void_p()
        library.call("hk_session_create", context.pointer, module.pointer,
                     params.pointer if params else None, byref(options), byref(pointer))
        super().__init__(library, "session", pointer)
        self.context = context

    def info(self):
        info = SessionInfo()
        self.library.function("hk_session_get_info", None)(self.pointer, byref(info))
        return info

    def plan(self):
        return self.info().plan.decode()

    def role(self):
        return ROLES[self.info().plan_role]

    def workspace_size(self, batch):
        size = c_size_t()
        self.library.call("hk_session_workspace_size", self.pointer, c_int64(batch), byref(size))
        return size.value

    def report(self):
        """What was measured when it chose plans, as a dict."""
        text = c_char_p()
        self.library.call("hk_session_report", self.pointer, byref(text))
        try:
            return json.loads(text.value.decode(errors="replace"))
        finally:
            self.library.function("hk_string_free", None)(text)

    def runner(self, inputs, output_sets, workspace, stream=0):
        """A Runner that writes each of `output_sets`, lists of tensors, in turn."""
        return Runner(self, inputs, output_sets, workspace, stream)

    def bind(self, inputs, outputs, workspace):
        """A Call on these tensors; the workspace is a tensor too, of bytes."""
        return Call(self, inputs, outputs, workspace)


class Call:
    """A run of a session on tensors that stay where they are. Calling it puts the
    run on `stream` (an integer; 0 is the default stream) and does not wait."""

    def __init__(self, session, inputs, outputs, workspace):
        self.session, self.library = session, session.library
        self.keep = (inputs, outputs, workspace)
        self.shapes = []
        self.status = Status()
        self.inputs = [self.describe(t) for t in inputs]
        self.outputs = [self.describe(t) for t in outputs]
        size = workspace.nbytes if isinstance(workspace, np.ndarray) else workspace.numel() * workspace.element_size()
        self.words = (self.pointers(self.inputs), c_uint32(len(inputs)), self.pointers(self.outputs),
                      c_uint32(len(outputs)), c_void_p(address_of(workspace) if size else None), c_size_t(size))
        self.run = self.library.function("hk_session_run_on_stream")
        self.graph = None

    def describe(self, tensor):
        shape = (c_int64 * len(tensor.shape))(*tensor.shape)
        self.shapes.append(shape)
        code, bits = DL_DTYPES[dtype_name(tensor)]
        on_gpu = not isinstance(tensor, np.ndarray) and tensor.device.type == "cuda"
        return DLTensor(data=address_of(tensor), device_type=2 if on_gpu else 1,
                        device_id=(tensor.device.index or 0) if on_gpu else 0, ndim=len(tensor.shape), code=code,
                        bits=bits, lanes=1, shape=shape)

    @staticmethod
    def pointers(tensors):
        return (POINTER(DLTensor) * len(tensors))(*map(ctypes.pointer, tensors))

    def __call__(self, stream=0):
        if self.run(self.session.pointer, c_void_p(stream), *self.words, byref(self.status)) != 0:
            raise Error(self.status.code, self.status.message.decode(errors="replace"))

    def capture(self):
        """A Graph that replays this call."""
        return Graph(self)


class Graph(Handle):
    def __init__(self, call):
        pointer = c_void_p()
        call.library.call("hk_graph_create", call.session.pointer, *call.words, byref(pointer))
        super().__init__(call.library, "graph", pointer)
        self.call, self.status = call, Status()
        self.launch = call.library.function("hk_graph_launch")

    def __call__(self, stream=0):
        if self.launch(self.pointer, c_void_p(stream), byref(self.status)) != 0:
            raise Error(self.status.code, self.status.message.decode(errors="replace"))


class Runner(Handle):
    """Runs on the same inputs, launched in the faster way. Calling it gives the index
    of the set of outputs that is being written."""

    def __init__(self, session, inputs, output_sets, workspace, stream=0):
        flat = [tensor for outputs in output_sets for tensor in outputs]
        call = Call(session, inputs, flat, workspace)
        described_inputs, num_inputs, described_outputs, _, address, size = call.words
        pointer = c_void_p()
        call.library.call("hk_runner_create", session.pointer, c_void_p(stream), described_inputs, num_inputs,
                          described_outputs, c_uint32(len(output_sets[0])), c_uint32(len(output_sets)), address,
                          size, byref(pointer))
        super().__init__(call.library, "runner", pointer)
        self.call, self.status, self.set = call, Status(), c_uint32()
        self.run = call.library.function("hk_runner_run")

    def info(self):
        info = RunnerInfo()
        self.library.function("hk_runner_get_info", None)(self.pointer, byref(info))
        return info

    def __call__(self, stream=0):
        if self.run(self.pointer, c_void_p(stream), None, c_uint32(0), byref(self.set), byref(self.status)) != 0:
            raise Error(self.status.code, self.status.message.decode(errors="replace"))
        return self.set.value
