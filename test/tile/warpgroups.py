# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups (wgmma) as kernels of level S.

Operands are small multiples of 1/4, as those of products.py: results are compared
bit by bit.
"""

import numpy as np

from harness import Out, equal
from tiles import pack, random, to_bits

RNG = np.random.default_rng(4)
SLAB = 16
# Of a CTA of sm_90a.
SHARED = 227 * 1024


def align(value, to):
    return -(-value // to) * to


class Product:
    """Four units or more multiply x with a part of each of some bufs.

    `source` is how a buf is filled: by a `bulk` copy of packed weights, by `async`
    copies of lanes, or by a `publish` of all units. The part begins at `row` and
    `column`; if it is `moving`, 8 rows further on in each buf. With `fresh`, sums
    begin with zeros in each, and each has a result; else all add up. `mixed`: half
    of K is multiplied by warps alone (mma.sync). `ctas`: registers are cut out for so
    many CTAs on an SM.
    """

    def __init__(self, name, n, k, columns, *, row=0, column=0, moving=False,
                 transposed=False, element="f16", slabs=1, units=4, source="bulk",
                 fresh=False, mixed=False, steps=3, slots=2, ctas=0):
        self.__dict__.update(locals())
        self.rows, self.cta = SLAB * slabs, SLAB * slabs * units
        self.firsts = [row + 8 * i * moving for i in range(steps)]
        deep, wide = (k, n) if transposed else (n, k)
        assert column + wide <= columns
        self.height = align(self.firsts[-1] + deep, 16 if transposed else 8)
        if source == "publish":
            self.height = align(self.height, SLAB * units)
        self.image = align(self.height * columns * 2, 1024)
        if slots * (self.image + 16) > SHARED:
            self.slots = slots = 1
        self.shape = f"{self.height}x{columns}"
        self.buf = f"!tile.buf<{self.shape}x{element}>"
        self.chan = f"!tile.chan<{self.shape}x{element}, {slots}>"
        self.a = f"!tile.frag<{self.rows}x{k}x{element}>"
        self.c = f"!tile.frag<{self.rows}x{n}xf32>"
        self.x = f"memref<?x{k * steps}x{element}>"
        self.y = f"memref<?x{n}xf32>"
        self.matrix = f"memref<?x{columns}x{element}>"
        self.tiles = f"!tile.tiles<{self.shape}x{element}>"

    def multiply(self):
        """From %b and what the sums begin with to %d."""
        flags = ["transpose_b"] if self.transposed else []
        both = "{" + ", ".join(flags + ["warpgroup"]) + "}"
        one = "{" + ", ".join(flags) + "}"
        sums, its_type = ("", "") if self.fresh else (", %c", f", {self.c}")
        text = f"""
      %down = arith.muli %i, %c{8 if self.moving else 0} : index
      %from = arith.addi %down, %c{self.row} : index
      %at = arith.muli %i, %c{self.k} : index
      %a = tile.load %x[%mine, %at] rows(%batch) : {self.x} -> {self.a}"""
        if not self.mixed:
            return text + f"""
      %d = tile.mma %a, %b[%from, %c{self.column}]{sums} {both}
        : {self.a}, {self.buf}{its_type} -> {self.c}"""
        half = self.k // 2
        a = f"!tile.frag<{self.rows}x{half}x{self.element}>"
        row = f"""
      %next = arith.addi %from, %c{half if self.transposed else 0} : index"""
        column = self.column + (0 if self.transposed else half)
        return text + row + f"""
      %a0 = tile.slice %a[0] : {self.a} -> {a}
      %a1 = tile.slice %a[{half}] : {self.a} -> {a}
      %m = tile.mma %a0, %b[%from, %c{self.column}]{sums} {one}
        : {a}, {self.buf}{its_type} -> {self.c}
      %d = tile.mma %a1, %b[%next, %c{column}], %m {both}
        : {a}, {self.buf}, {self.c} -> {self.c}"""

    def loop(self, before, after):
        """The units' loop over bufs, and their stores."""
        store = lambda value, row, bound: f"""
      tile.store {value} to %y[{row}, %c0]{bound} : {self.c}, {self.y}"""
        head = f"""
    %unit = tile.unit
    %mine = arith.muli %unit, %c{self.rows} : index"""
        body = before + self.multiply() + after
        if self.fresh:
            return head + f"""
    scf.for %i = %c0 to %c{self.steps} step %c1 {{{body}
      %block = arith.muli %i, %c{self.cta} : index
      %below = arith.addi %block, %mine : index{store("%d", "%below", "")}
    }}"""
        return head + f"""
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> {self.c}
    %sum = scf.for %i = %c0 to %c{self.steps} step %c1 iter_args(%c = %z) -> ({self.c}) {{{body}
      scf.yield %d : {self.c}
    }}{store("%sum", "%mine", " rows(%batch)")}"""

    def published(self):
        """Each unit writes a slab of every `cta`."""
        frag = f"!tile.frag<{SLAB}x{self.columns}x{self.element}>"
        before = "\n      tile.sync"
        for first in range(0, self.height, SLAB * self.units):
            before += f"""
      %image{first} = arith.muli %i, %c{self.height} : index
      %r{first} = arith.addi %slab, %c{first} : index
      %s{first} = arith.addi %image{first}, %r{first} : index
      %f{first} = tile.load %w[%s{first}, %c0] : {self.matrix} -> {frag}
      tile.put %f{first} to %b[%r{first}, %c0] : {frag}, {self.buf}"""
        return f"""
  %b = tile.alloc {{offset = 0 : i64}} : {self.buf}
  %u = tile.unit
  %slab = arith.muli %u, %c{SLAB} : index{self.loop(before + '''
      tile.sync''', "")}"""

    def copied(self):
        if self.source == "bulk":
            copy = f"tile.copy %w[%i] to %s : {self.tiles} -> {self.buf}"
        else:
            copy = f"tile.copy %w[%row, %c0] to %s : {self.matrix} -> {self.buf}"
        wait = f"""
      %b = tile.wait %k : {self.chan} -> {self.buf}"""
        release = f"""
      tile.release %k : {self.chan}"""
        return f"""
  %k = tile.chan {self.source} {{offset = 0 : i64, barriers = {self.slots * self.image} : i64}} : {self.chan}
  tile.role producer {{
    scf.for %i = %c0 to %c{self.steps} step %c1 {{
      %row = arith.muli %i, %c{self.height} : index
      %s = tile.acquire %k : {self.chan} -> {self.buf}
      {copy}
      tile.commit %k : {self.chan}
    }}
  }}
  tile.role consumer {{{self.loop(wait, release)}
  }}"""

    def add(self, suite):
        is_published = self.source == "publish"
        shared = self.image if is_published else self.slots * (self.image + 16)
        producers = 0 if is_published else 4 if self.ctas else 1
        attributes = f", shared = {shared} : i64"
        if producers:
            attributes += f", producers = {producers} : i64"
        if self.ctas:
            attributes += f", hk.ctas = {self.ctas} : i64"
        suite.kernel(
            self.name,
            f"%x: {self.x}, %w: {self.tiles if self.source == 'bulk' else self.matrix}, "
            f"%y: {self.y}, %batch: index",
            self.published() if is_published else self.copied(),
            units=self.units,
            attributes=attributes,
        )
        m = self.cta if self.fresh else self.cta - 3
        x = random(RNG, (m, self.k * self.steps), self.element)
        w = random(RNG, (self.steps, self.height, self.columns), self.element)
        parts = []
        for i, first in enumerate(self.firsts):
            b = w[i, first:, self.column :].astype(np.float64)
            b = b[: self.k, : self.n] if self.transposed else b[: self.n, : self.k].T
            parts.append(x[:, i * self.k : (i + 1) * self.k].astype(np.float64) @ b)
        expected = np.concatenate(parts) if self.fresh else sum(parts)
        if self.source == "bulk":
            images = np.concatenate([pack(tile, self.element) for tile in w])
        else:
            images = to_bits(w.reshape(-1, self.columns), self.element)
        suite.run(
            self.name,
            [to_bits(x, self.element), images, Out(np.full_like(expected, 7, np.float32)), m],
            equal(expected.astype(np.float32)),
            threads=32 * (self.units + producers),
            shared=shared,
        )


def product(suite, *words, **options):
    Product(*words, **options).add(suite)
