# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that move data through shared memory and change nothing."""

import numpy as np

from harness import Out, equal
from tiles import TYPES, random, to_bits

RNG = np.random.default_rng(2)


def exchange(suite, name, element, columns, buf_columns=None, column=0, rows=16, units=4):
    """Each unit gets the rows of the next one, through shared memory."""
    total = rows * units
    buf_columns = buf_columns or columns
    frag = f"!tile.frag<{rows}x{columns}x{element}>"
    buf = f"!tile.buf<{total}x{buf_columns}x{element}>"
    memref = f"memref<?x{columns}x{element}>"
    shared = total * buf_columns * np.dtype(TYPES[element]).itemsize + 1024
    suite.kernel(
        name,
        f"%x: {memref}, %y: {memref}, %batch: index",
        f"""
  %b = tile.alloc {{offset = 1024 : i64}} : {buf}
  %unit = tile.unit
  %mine = arith.muli %unit, %c{rows} : index
  %next = arith.addi %unit, %c1 : index
  %other = arith.remui %next, %c{units} : index
  %theirs = arith.muli %other, %c{rows} : index
  %f = tile.load %x[%mine, %c0] rows(%batch) : {memref} -> {frag}
  tile.put %f to %b[%mine, %c{column}] : {frag}, {buf}
  tile.sync
  %g = tile.fetch %b[%theirs, %c{column}] : {buf} -> {frag}
  tile.store %g to %y[%mine, %c0] rows(%batch) : {frag}, {memref}""",
        units=units,
        attributes=f", shared = {shared} : i64",
    )
    x = to_bits(random(RNG, (total, columns), element), element)
    suite.run(
        name,
        [x, Out(np.zeros_like(x)), total],
        equal(np.roll(x, -rows, 0)),
        threads=32 * units,
        shared=shared,
    )


def copy(
    suite,
    name,
    element,
    memref_columns,
    columns,
    limit=None,
    first=0,
    producers=1,
):
    """Blocks of columns of a matrix, one after another, by a channel.

    From column `first` on, to the last of the matrix: what is beyond is zero.
    """
    blocks = -(-(memref_columns - first) // columns)
    size = np.dtype(TYPES[element]).itemsize
    units, rows, m = 2, 32, 25
    stride = -(-rows * columns * size // 1024) * 1024
    shared = 2 * stride + 32
    x_type = f"memref<?x{memref_columns}x{element}>"
    y_type = f"memref<?x{columns * blocks}x{element}>"
    buf, frag = f"!tile.buf<{rows}x{columns}x{element}>", f"!tile.frag<16x{columns}x{element}>"
    chan = f"!tile.chan<{rows}x{columns}x{element}, 2>"
    clause = f" columns({limit})" if limit else ""
    at = "%at = arith.muli %j, %w : index"
    suite.kernel(
        name,
        f"%x: {x_type}, %y: {y_type}, %batch: index",
        f"""
  %a = tile.chan async {{offset = 0 : i64, barriers = {2 * stride} : i64}} : {chan}
  %w = arith.constant {columns} : index
  tile.role producer {{
    scf.for %j = %c0 to %c{blocks} step %c1 {{
      {at}
      %from = arith.addi %at, %c{first} : index
      %s = tile.acquire %a : {chan} -> {buf}
      tile.copy %x[%c0, %from] rows(%batch){clause} to %s : {x_type} -> {buf}
      tile.commit %a : {chan}
    }}
  }}
  tile.role consumer {{
    %unit = tile.unit
    %mine = arith.muli %unit, %c16 : index
    scf.for %j = %c0 to %c{blocks} step %c1 {{
      {at}
      %s = tile.wait %a : {chan} -> {buf}
      %f = tile.fetch %s[%mine, %c0] : {buf} -> {frag}
      tile.release %a : {chan}
      tile.store %f to %y[%mine, %at] : {frag}, {y_type}
    }}
  }}""",
        units=units,
        attributes=f", producers = {producers} : i64, shared = {shared} : i64",
    )
    x = to_bits(random(RNG, (m, memref_columns), element), element)
    y = np.zeros((rows, columns * blocks), x.dtype)
    y[:m, : memref_columns - first] = x[:, first:]
    if limit:
        y[:, np.arange(columns * blocks) % columns >= limit] = 0
    suite.run(
        name,
        [x, Out(np.full_like(y, 7)), m],
        equal(y),
        threads=32 * (units + producers),
        shared=shared,
    )
