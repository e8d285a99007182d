# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes safetensors files with NumPy alone.

NumPy has no bfloat16: a BF16 tensor is read as float32, which is exact, and
`bf16_bits` gives the uint16 array of the bits of values rounded to bf16.
"""
import json
import struct

import numpy as np

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I32": "<i4", "BOOL": "|b1"}


def bf16_bits(values):
    """The bits of `values` rounded to nearest even bf16, as uint16."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    is_nan = np.isnan(values)
    return np.where(is_nan, (bits >> 16).astype(np.uint16) | 0x40, rounded).astype(np.uint16)


def bf16_values(bits):
    """The float32 values of an array of bf16 bits."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def load(path):
    """A dict from key to array."""
    with open(path, "rb") as stream:
        (size,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(size))
        data = stream.read()
    tensors = {}
    for key, entry in header.items():
        if key == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw = data[begin:end]
        if entry["dtype"] == "BF16":
            array = bf16_values(np.frombuffer(raw, "<u2"))
        else:
            array = np.frombuffer(raw, DTYPES[entry["dtype"]])
        tensors[key] = array.reshape(entry["shape"])
    return tensors


def save(path, tensors, bf16=()):
    """Writes a dict from key to array; keys in `bf16` are rounded to BF16."""
    header, chunks, offset = {}, [], 0
    for key, array in tensors.items():
        if key in bf16:
            name, raw = "BF16", bf16_bits(array).astype("<u2").tobytes()
        else:
            name = next(n for n, d in DTYPES.items() if np.dtype(d) == array.dtype)
            raw = np.ascontiguousarray(array).tobytes()
        header[key] = {
            "dtype": name,
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(raw)],
        }
        chunks.append(raw)
        offset += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))
