# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types and the image of a buf, `!tile.buf` and `#hk.tiles`, in NumPy."""

import numpy as np

# bf16 is an f32 until it is written.
TYPES = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32}


def random(rng, shape, element):
    """Multiples of 1/4 from -2 to 2, of which sums of products are exact."""
    values = rng.integers(-8, 9, shape) / 4
    return values.astype(np.float16 if element == "f16" else np.float32)


def to_bits(values, element):
    """The array as it lies in memory."""
    if element != "bf16":
        return np.ascontiguousarray(values.astype(TYPES[element]))
    words = np.ascontiguousarray(values.astype(np.float32)).view(np.uint32)
    assert not np.any(words & 0xFFFF), "expects values of bf16"
    return (words >> 16).astype(np.uint16)


def places(rows, columns, size):
    """The byte at which each element lies, as an array of the tile's shape."""
    block = next(b for b in (128, 64, 32, 16) if columns * size % b == 0)
    row = np.arange(rows)[:, None]
    byte = np.arange(columns)[None, :] * size
    chunk = byte % block // 16 ^ (row * block // 128 & block // 16 - 1)
    return byte // block * rows * block + row * block + chunk * 16 + byte % 16


def in_strips(count, strip):
    """What is in each of `count` places in the order of strips."""
    place = np.arange(count)
    return place // strip * strip + strip // 4 * (place // 2 % 4) + 2 * (place % strip // 8) + place % 2


def pack(tile, element, strips=(8, 8)):
    """The bytes of the tile as a buf, rows and columns in the order of strips."""
    rows, columns = (in_strips(count, strip) for count, strip in zip(tile.shape, strips))
    bits = to_bits(tile[rows][:, columns], element)
    image = np.empty(bits.size, bits.dtype)
    image[places(*bits.shape, bits.itemsize) // bits.itemsize] = bits
    return image
