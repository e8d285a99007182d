# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices as kernels of level S.

Operands are small multiples of 1/4, so that every product and sum is exact in
every element type: results are compared bit by bit, but for `split`.
"""

import numpy as np

from harness import Out, close, equal
from tiles import TYPES, pack, random, to_bits

RNG = np.random.default_rng(1)


def product(
    suite,
    name,
    element="f16",
    rows=16,
    units=2,
    n=64,
    k=128,
    depth=64,
    slots=2,
    producers=1,
    transposed=False,
    split=False,
    through=True,
    m=45,
    held=1,
):
    """y = x w^T, by tiles of w of `depth` of K through a channel.

    `through`: x goes through a channel as well, else it is loaded. `held`: the
    tiles that a unit holds at once. `m` is the number of rows.
    """
    cta = rows * units
    steps = k // depth
    shape = f"{depth}x{n}" if transposed else f"{n}x{depth}"
    row, column = np.array(shape.split("x"), int)
    size = np.dtype(TYPES[element]).itemsize
    stride = lambda r, c: -(-r * c * size // 1024) * 1024
    w_bytes = slots * stride(row, column)
    x_bytes = slots * stride(cta, depth) if through else 0
    barriers = w_bytes + x_bytes
    shared = barriers + 2 * slots * 16
    buf, chan = f"!tile.buf<{shape}x{element}>", f"!tile.chan<{shape}x{element}, {slots}>"
    a_buf = f"!tile.buf<{cta}x{depth}x{element}>"
    a_chan = f"!tile.chan<{cta}x{depth}x{element}, {slots}>"
    a_frag, c_frag = f"!tile.frag<{rows}x{depth}x{element}>", f"!tile.frag<{rows}x{n}xf32>"
    x_type = f"memref<?x{k}x{element}>"
    flags = ", ".join(
        f for f, on in (("transpose_b", transposed), ("split", split)) if on
    )
    channels = f"""
  %w = tile.chan $bulk {{offset = 0 : i64, barriers = {barriers} : i64}} : {chan}"""
    produce = f"""
      %s = tile.acquire %w : {chan} -> {buf}
      tile.copy %tiles[%i] to %s : !tile.tiles<{shape}x{element}> -> {buf}
      tile.commit %w : {chan}"""
    if through:
        channels += f"""
  %a = tile.chan async {{offset = {w_bytes} : i64, barriers = {barriers + 16 * slots} : i64}} : {a_chan}"""
        produce += f"""
      %t = tile.acquire %a : {a_chan} -> {a_buf}
      tile.copy %x[%first, %k] rows(%batch) to %t : {x_type} -> {a_buf}
      tile.commit %a : {a_chan}"""

    def consume(index, name, c, d):
        text = f"""
      %k{name} = arith.muli {index}, %c{depth} : index"""
        if through:
            text += f"""
      %p{name} = tile.wait %a : {a_chan} -> {a_buf}
      %f{name} = tile.fetch %p{name}[%mine, %c0] : {a_buf} -> {a_frag}"""
        else:
            text += f"""
      %f{name} = tile.load %x[%row, %k{name}] rows(%batch) : {x_type} -> {a_frag}"""
        return text + f"""
      %q{name} = tile.wait %w : {chan} -> {buf}
      %{d} = tile.mma %f{name}, %q{name}[%c0, %c0], %{c} {{{flags}}}
        : {a_frag}, {buf}, {c_frag} -> {c_frag}"""

    release = f"""
      tile.release %w : {chan}""" + (
        f"""
      tile.release %a : {a_chan}"""
        if through
        else ""
    )
    if held == 1:
        middle = consume("%i", "0", "c", "d0") + release
        last, step = "%d0", "%c1"
    else:
        middle = consume("%i", "0", "c", "d0")
        middle += "\n      %i1 = arith.addi %i, %c1 : index"
        middle += consume("%i1", "1", "d0", "d1") + release + release
        last, step = "%d1", "%c2"
    suite.kernel(
        name,
        f"%x: {x_type}, %tiles: !tile.tiles<{shape}x{element}>, "
        f"%y: memref<?x{n}xf32>, %batch: index",
        f"""
  %item = tile.item
  %first = arith.muli %item, %c{cta} : index{channels}
  tile.role producer {{
    scf.for %i = %c0 to %c{steps} step %c1 {{
      %k = arith.muli %i, %c{depth} : index{produce}
    }}
  }}
  tile.role consumer {{
    %unit = tile.unit
    %mine = arith.muli %unit, %c{rows} : index
    %row = arith.addi %first, %mine : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> {c_frag}
    %sum = scf.for %i = %c0 to %c{steps} step {step} iter_args(%c = %z) -> ({c_frag}) {{{middle}
      scf.yield {last} : {c_frag}
    }}
    tile.store %sum to %y[%row, %c0] rows(%batch) : {c_frag}, memref<?x{n}xf32>
  }}""",
        units=units,
        attributes=f", producers = {producers} : i64, shared = {shared} : i64",
    )
    x, w = random(RNG, (m, k), element), random(RNG, (n, k), element)
    if split:
        x, w = (RNG.standard_normal(a.shape).astype(np.float32) for a in (x, w))
    expected = x.astype(np.float64) @ w.astype(np.float64).T
    tiles = [w[:, i : i + depth] for i in range(0, k, depth)]
    packed = np.concatenate(
        [pack(t.T if transposed else t, element) for t in tiles]
    )
    y = np.full((m, n), 7, np.float32)
    check = (
        close(expected, 2e-6 * np.sqrt(k) * 3)
        if split
        else equal(expected.astype(np.float32))
    )
    suite.run(
        name,
        [to_bits(x, element), packed, Out(y), m],
        check,
        grid=-(-m // cta),
        threads=32 * (units + producers),
        shared=shared,
    )


def keys_and_values(suite, name, keys=100, slots=3, head=64, width=192):
    """y = (q k^T) v: keys and values take turns in one channel.

    Keys past the last are zeros, and scores of no key but those matter.
    """
    units, rows, block = 4, 16, 64
    cta = units * rows
    buf, chan = f"!tile.buf<{block}x{head}xf16>", f"!tile.chan<{block}x{head}xf16, {slots}>"
    memref = f"memref<?x{width}xf16>"
    frag = lambda columns, element: f"!tile.frag<{rows}x{columns}x{element}>"
    stage = lambda column: f"""
      %s{column} = tile.acquire %kv : {chan} -> {buf}
      tile.copy %qkv[%j, %c{column}] rows(%batch) to %s{column} : {memref} -> {buf}
      tile.commit %kv : {chan}"""
    barriers = slots * block * head * 2
    shared = barriers + 16 * slots
    suite.kernel(
        name,
        f"%qkv: {memref}, %y: memref<?x{head}xf32>, %batch: index",
        f"""
  %item = tile.item
  %first = arith.muli %item, %c{cta} : index
  %kv = tile.chan async {{offset = 0 : i64, barriers = {barriers} : i64}} : {chan}
  tile.role producer {{
    scf.for %j = %c0 to %batch step %c{block} {{{stage(head)}{stage(2 * head)}
    }}
  }}
  tile.role consumer {{
    %unit = tile.unit
    %mine = arith.muli %unit, %c{rows} : index
    %row = arith.addi %first, %mine : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> {frag(head, "f32")}
    %q = tile.load %qkv[%row, %c0] rows(%batch) : {memref} -> {frag(head, "f16")}
    %o = scf.for %j = %c0 to %batch step %c{block} iter_args(%c = %z) -> ({frag(head, "f32")}) {{
      %k = tile.wait %kv : {chan} -> {buf}
      %s = tile.mma %q, %k[%c0, %c0] : {frag(head, "f16")}, {buf} -> {frag(block, "f32")}
      tile.release %kv : {chan}
      %p = tile.map %s : {frag(block, "f32")} -> {frag(block, "f16")} {{
      ^bb0(%e: f32):
        %h = arith.truncf %e : f32 to f16
        tile.yield %h : f16
      }}
      %v = tile.wait %kv : {chan} -> {buf}
      %d = tile.mma %p, %v[%c0, %c0], %c {{transpose_b}}
        : {frag(block, "f16")}, {buf}, {frag(head, "f32")} -> {frag(head, "f32")}
      tile.release %kv : {chan}
      scf.yield %d : {frag(head, "f32")}
    }}
    tile.store %o to %y[%row, %c0] rows(%batch) : {frag(head, "f32")}, memref<?x{head}xf32>
  }}""",
        units=units,
        attributes=f", producers = 1 : i64, shared = {shared} : i64",
    )
    # Small integers: scores are exact in f16.
    qkv = RNG.integers(-1, 2, (keys, width)).astype(np.float16)
    q, k, v = (qkv[:, i * head : (i + 1) * head].astype(np.float64) for i in range(3))
    suite.run(
        name,
        [qkv, Out(np.full((keys, head), 7, np.float32)), keys],
        equal((q @ k.T @ v).astype(np.float32)),
        grid=-(-keys // cta),
        threads=32 * (units + 1),
        shared=shared,
    )
