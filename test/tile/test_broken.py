# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every barrier, wait and arrival of a kernel matters: without it, or off by
one, the emulator finds a fault or the numbers are wrong."""

import numpy as np

import breaking
from harness import Out, Suite, equal
from movement import copy
from products import product

suite = Suite()
# One channel each, so that no other one orders what it should; more tiles than
# slots.
product(suite, "product", n=24, k=192, depth=32, units=4, m=70, through=False)
copy(suite, "copy", "f16", 160, 32)
copy(suite, "copy_narrow", "f16", 37, 8, producers=2)
FRAG, BUF = "!tile.frag<16x32xf16>", "!tile.buf<64x32xf16>"
suite.kernel(
    "exchange",
    "%x: memref<?x32xf16>, %y: memref<?x32xf16>, %batch: index",
    f"""
  %unit = tile.unit
  %mine = arith.muli %unit, %c16 : index
  %next = arith.addi %unit, %c1 : index
  %other = arith.remui %next, %c4 : index
  %theirs = arith.muli %other, %c16 : index
  %b = tile.alloc {{offset = 0 : i64}} : {BUF}
  scf.for %i = %c0 to %c2 step %c1 {{
    %down = arith.muli %i, %c64 : index
    %row = arith.addi %down, %mine : index
    %f = tile.load %x[%row, %c0] rows(%batch) : memref<?x32xf16> -> {FRAG}
    tile.sync
    tile.put %f to %b[%mine, %c0] : {FRAG}, {BUF}
    tile.sync
    %g = tile.fetch %b[%theirs, %c0] : {BUF} -> {FRAG}
    tile.store %g to %y[%row, %c0] rows(%batch) : {FRAG}, memref<?x32xf16>
  }}""",
    units=4,
    attributes=", shared = 4096 : i64",
)
X = np.arange(128 * 32).astype(np.float16).reshape(128, 32)
suite.run(
    "exchange",
    [X, Out(np.zeros_like(X)), 128],
    equal(np.concatenate([np.roll(X[:64], -16, 0), np.roll(X[64:], -16, 0)])),
    threads=128,
    shared=4096,
)

breaking.main(suite)
