# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, maps, reductions, masks: all that a warp does on its own."""

import numpy as np

from harness import Out, Suite, close, equal

TYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8}
rng = np.random.default_rng(3)


def random(kind, *shape):
    if kind == "i8":
        return rng.integers(0, 2, shape).astype(np.int8)
    return rng.standard_normal(shape).astype(TYPES[kind])


def frag_type(layout, rows, columns, kind):
    # One value a row is a slab in a strip too.
    is_slab = layout == "slab" or (layout != "line" and columns == 1)
    return f"!tile.frag<{rows}x{columns}x{kind}{'' if is_slab else ', ' + layout}>"


def position(step):
    """Rows of a unit: `step` for each, the units of a CTA beside each other."""
    return f"""
  %item = tile.item
  %unit = tile.unit
  %cta = arith.muli %item, %c{2 * step} : index
  %mine = arith.muli %unit, %c{step} : index
  %row = arith.addi %cta, %mine : index
"""


def copies(suite):
    """A window of one matrix to a window of another, in every alignment."""
    cases = [
        # layout, rows and columns of a frag, columns of the memrefs, first
        # column, `columns`
        ("line", 4, 128, 128, 0, None),
        ("line", 4, 128, 256, 128, None),
        ("line", 2, 1024, 1024, 0, None),
        ("line", 4, 100, 100, 0, None),
        ("line", 4, 130, 130, 0, None),
        ("line", 4, 131, 131, 0, None),
        ("line", 16, 6, 6, 0, None),
        ("line", 32, 2, 3, 1, None),
        ("line", 8, 16, 64, 20, None),
        ("line", 8, 16, 64, 20, 10),
        ("line", 8, 16, 64, 56, None),
        ("slab", 16, 64, 64, 0, None),
        ("slab", 32, 64, 128, 64, None),
        ("slab", 16, 64, 100, 64, None),
        ("slab", 16, 40, 37, 0, None),
        ("slab", 16, 48, 44, 0, None),
        ("slab", 32, 32, 96, 64, None),
        ("slab", 16, 32, 72, 48, None),
        ("slab", 16, 32, 160, 96, 20),
        # Elements of 16 bits in runs of 16 bytes, of which some are missing.
        ("slab", 16, 128, 128, 0, None),
        ("slab", 32, 64, 104, 64, None),
        ("slab", 16, 96, 160, 64, 72),
        ("slab", 16, 128, 136, 8, 24),
        ("slab", 16, 256, 256, 0, None),
        ("slab", 16, 40, 64, 3, None),
        ("slab", 16, 40, 64, 2, 33),
        ("slab", 16, 8, 64, 8, 5),
        # 16 bytes of f32 a lane, of 16 bits, or two of f32; and less, where
        # a row or a bound is no multiple of that.
        ("strip16", 16, 64, 64, 0, None),
        ("strip16", 32, 48, 112, 48, None),
        ("strip16", 16, 32, 70, 16, 21),
        ("strip16", 16, 32, 40, 16, None),
        ("strip32", 16, 64, 64, 0, None),
        ("strip32", 32, 96, 128, 32, None),
        ("strip32", 16, 32, 68, 36, 30),
        ("strip32", 16, 64, 99, 32, None),
    ]
    for layout, rows, columns, width, first, limit in cases:
        for kind in TYPES:
            for is_dynamic in (False, True):
                copy(suite, layout, rows, columns, width, first, limit, kind, is_dynamic)


def copy(suite, layout, rows, columns, width, first, limit, kind, is_dynamic):
    name = f"copy_{layout}_{rows}_{columns}_{width}_{first}_{limit}_{kind}"
    name += "_dynamic" if is_dynamic else ""
    frag = frag_type(layout, rows, columns, kind)
    memref = f"memref<?x{width}x{kind}>"
    bound = f"columns({limit})" if limit else ""
    column = f"%c{first}"
    body = position(rows) + "%end = arith.subi %b, %c1 : index\n"
    if is_dynamic:  # a column that is not known, but what divides it
        factor = first & -first or 64
        body += f"""
  %zero = arith.subi %b, %b : index
  %one = arith.addi %zero, %c{first // factor} : index
  %column = arith.muli %one, %c{factor} : index
"""
        column = "%column"
    body += f"""
  %x = tile.load %m[%row, {column}] rows(%end) {bound} : {memref} -> {frag}
  tile.store %x to %o[%row, {column}] rows(%end) {bound} : {frag}, {memref}
"""
    suite.kernel(name, f"%m: {memref}, %o: {memref}, %b: index", body)
    total = 4 * rows - 3
    source = random(kind, total, width)
    before = random(kind, total, width)
    expected = before.copy()
    last = min(width, first + (limit or columns))
    expected[: total - 1, first:last] = source[: total - 1, first:last]
    suite.run(name, [source, Out(before), total], equal(expected), grid=2)


def zeros(suite):
    """What lies outside is loaded as zeros: seen by a second store."""
    for layout, rows, columns, width in [("line", 8, 24, 20), ("slab", 16, 24, 19), ("strip16", 16, 32, 19)]:
        for kind in TYPES:
            name = f"zeros_{layout}_{kind}"
            frag = frag_type(layout, rows, columns, kind)
            suite.kernel(
                name,
                f"%m: memref<?x{width}x{kind}>, %o: memref<?x{columns}x{kind}>, %b: index",
                position(rows)
                + f"""
  %x = tile.load %m[%row, %c0] rows(%b) : memref<?x{width}x{kind}> -> {frag}
  tile.store %x to %o[%row, %c0] : {frag}, memref<?x{columns}x{kind}>
""",
            )
            total = 2 * rows - 5
            source = random(kind, total, width)
            expected = np.zeros((2 * rows, columns), TYPES[kind])
            expected[:total, :width] = source
            out = random(kind, 2 * rows, columns)
            suite.run(name, [source, Out(out), total], equal(expected))


def vectors(suite):
    """Rows and columns from vectors, in both layouts, with and without ends."""
    shapes = [("line", 8, 40), ("slab", 32, 40), ("slab", 16, 24), ("strip16", 16, 48), ("strip32", 32, 64)]
    for layout, rows, columns in shapes:
        for kind in TYPES:
            name = f"vectors_{layout}_{rows}_{kind}"

            def frag(r, c, k=kind):
                return frag_type(layout, r, c, k)

            add = "arith.addi" if kind == "i8" else "arith.addf"
            suite.kernel(
                name,
                f"%v: memref<{columns - 3}x{kind}>, %r: memref<?x{kind}>, "
                f"%o: memref<?x{columns}x{kind}>, %b: index",
                position(rows)
                + f"""
  %x = tile.load %v[%c0] : memref<{columns - 3}x{kind}> -> {frag(1, columns)}
  %y = tile.load %r[%row] rows(%b) : memref<?x{kind}> -> {frag(rows, 1)}
  %z = tile.map %x, %y : {frag(1, columns)}, {frag(rows, 1)} -> {frag(rows, columns)} {{
  ^bb0(%p: {kind}, %q: {kind}):
    %s = {add} %p, %q : {kind}
    tile.yield %s : {kind}
  }}
  tile.store %z to %o[%row, %c0] : {frag(rows, columns)}, memref<?x{columns}x{kind}>
""",
            )
            total = 2 * rows - 1
            v, r = random(kind, columns - 3), random(kind, total)
            expected = np.zeros((2 * rows, columns), TYPES[kind])
            expected[:, : columns - 3] += v
            expected[:total] += r[:, None]
            out = random(kind, 2 * rows, columns)
            suite.run(name, [v, r, Out(out), total], equal(expected))


def norm(suite):
    """A layer norm of rows, f32 or f16 in memory."""
    for layout, rows, columns, kind in [
        ("line", 4, 128, "f32"),
        ("line", 2, 1000, "f32"),
        ("line", 8, 24, "f32"),
        ("line", 16, 7, "f32"),
        ("line", 4, 96, "f16"),
        ("slab", 16, 64, "f32"),
        ("slab", 32, 48, "f16"),
        ("strip16", 32, 48, "f16"),
        ("strip32", 16, 64, "f32"),
    ]:
        name = f"norm_{layout}_{columns}_{kind}"

        def frag(r, c, k="f32"):
            return frag_type(layout, r, c, k)

        memref = f"memref<?x{columns}x{kind}>"
        full, single = frag(rows, columns), frag(rows, 1)
        widen = "%a = arith.extf %e : f16 to f32" if kind == "f16" else ""
        narrow = "%n = arith.truncf %g : f32 to f16" if kind == "f16" else ""
        suite.kernel(
            name,
            f"%m: {memref}, %w: memref<{columns}xf32>, %o: {memref}, %b: index",
            position(rows)
            + f"""
  %k = arith.constant {1 / columns:e} : f32
  %eps = arith.constant 1.0e-5 : f32
  %raw = tile.load %m[%row, %c0] rows(%b) : {memref} -> {frag(rows, columns, kind)}
  %x = tile.map %raw : {frag(rows, columns, kind)} -> {full} {{
  ^bb0({'%e' if widen else '%a'}: {kind}):
    {widen}
    tile.yield %a : f32
  }}
  %sum = tile.row_reduce add %x : {full} -> {single}
  %d = tile.map %x, %sum : {full}, {single} -> {full} {{
  ^bb0(%p: f32, %s: f32):
    %mean = arith.mulf %s, %k : f32
    %c = arith.subf %p, %mean : f32
    tile.yield %c : f32
  }}
  %sq = tile.map %d : {full} -> {full} {{
  ^bb0(%p: f32):
    %c = arith.mulf %p, %p : f32
    tile.yield %c : f32
  }}
  %var = tile.row_reduce add %sq : {full} -> {single}
  %scale = tile.map %var : {single} -> {single} {{
  ^bb0(%p: f32):
    %mean = arith.mulf %p, %k : f32
    %c = arith.addf %mean, %eps : f32
    %r = math.rsqrt %c : f32
    tile.yield %r : f32
  }}
  %weight = tile.load %w[%c0] : memref<{columns}xf32> -> {frag(1, columns)}
  %y = tile.map %d, %scale, %weight : {full}, {single}, {frag(1, columns)} -> {frag(rows, columns, kind)} {{
  ^bb0(%p: f32, %s: f32, %q: f32):
    %f = arith.mulf %p, %s : f32
    %g = arith.mulf %f, %q : f32
    {narrow}
    tile.yield {'%n' if narrow else '%g'} : {kind}
  }}
  tile.store %y to %o[%row, %c0] rows(%b) : {frag(rows, columns, kind)}, {memref}
""",
        )
        total = 4 * rows - 3
        x, w = random(kind, total, columns), random("f32", columns)
        wide = x.astype(np.float64)
        d = wide - wide.mean(1, keepdims=True)
        expected = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * w
        out = Out(random(kind, total, columns))
        tolerance = (1e-3, 1e-3) if kind == "f16" else (2e-6, 2e-6)
        suite.run(name, [x, w, out, total], close(expected, *tolerance), grid=2)


def masks(suite):
    """Scores masked by causality, a number of keys, and a mask of keys; the
    maximum of a row; which rows see nothing."""
    for flags in ["c", "k", "s", "cks"]:
        parts = ("keys(%n) " if "k" in flags else "") + (
            "seen(%seen : !tile.frag<1x40xi8>)" if "s" in flags else ""
        )
        name = f"mask_{flags}"
        suite.kernel(
            name,
            "%m: memref<?x40xf32>, %k: memref<48xi8>, %o: memref<?x40xf32>, "
            "%top: memref<?x1xf32>, %b: index",
            position(32)
            + f"""
  %s = tile.load %m[%row, %c0] : memref<?x40xf32> -> !tile.frag<32x40xf32>
  %seen = tile.load %k[%c8] : memref<48xi8> -> !tile.frag<1x40xi8>
  %n = arith.addi %b, %c8 : index
  %x = tile.mask %s at(%row, %c8) {parts} {'{causal}' if 'c' in flags else ''}
      : !tile.frag<32x40xf32>
  %max = tile.row_reduce max %x : !tile.frag<32x40xf32> -> !tile.frag<32x1xf32>
  tile.store %x to %o[%row, %c0] : !tile.frag<32x40xf32>, memref<?x40xf32>
  tile.store %max to %top[%row, %c0] : !tile.frag<32x1xf32>, memref<?x1xf32>
""",
        )
        x, k, count = random("f32", 64, 40), random("i8", 48), 29
        keep = np.ones((64, 40), bool)
        rows, columns = np.arange(64)[:, None], np.arange(40)[None] + 8
        if "c" in flags:
            keep &= columns <= rows
        if "k" in flags:
            keep &= columns < count + 8
        if "s" in flags:
            keep &= k[None, 8:] != 0
        expected = np.where(keep, x, np.float32(-np.inf))

        def check(o, top, expected=expected):
            equal(expected)(o)
            equal(expected.max(1, keepdims=True))(top)

        outs = [Out(random("f32", 64, 40)), Out(random("f32", 64, 1))]
        suite.run(name, [x, k, *outs, count], check)


def extents(suite):
    for size, begin, is_dynamic in [
        (128, 256, False),
        (128, 256, True),
        (4096, 0, True),
        (4096, 4096, False),
        (1000, 24, True),
        (77, 3, False),
        (777, 3, True),
        (7, 1, True),
    ]:
        for leading in (False, True):
            extent(suite, size, begin, is_dynamic, leading)


def extent(suite, size, begin, is_dynamic, leading):
    """The end of what is not zero, or where the first zero is."""
    kind = "leading" if leading else "extent"
    name = f"{kind}_{size}_{begin}_{'dynamic' if is_dynamic else 'static'}"
    body = "  %zero = arith.subi %b, %b : index\n"
    divisor = np.gcd(size, 16)
    if is_dynamic:
        body += f"""
  %q = arith.addi %zero, %c{size // divisor} : index
  %size = arith.muli %q, %c{divisor} : index
"""
    size_value = "%size" if is_dynamic else f"%c{size}"
    body += f"""
  %item = tile.item
  %unit = tile.unit
  %begin = arith.constant {begin} : index
  %n = tile.extent %m[%begin] of({size_value}) {'{leading}' if leading else ''} : memref<?xi8>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %x = tile.splat %f : f32 -> !tile.frag<16x1xf32>
  %at = arith.muli %unit, %c16 : index
  tile.store %x to %o[%at, %c0] : !tile.frag<16x1xf32>, memref<?x1xf32>
"""
    suite.kernel(name, "%m: memref<?xi8>, %o: memref<?x1xf32>, %b: index", body)
    for last in {0, 1, size // 3, size - 1, size}:
        mask = np.ones(begin + size + 40, np.int8)
        mask[begin + last : begin + size] = 0
        mask[begin : begin + max(last - 1, 0)] = rng.integers(0, 2, max(last - 1, 0))
        mask = mask[: begin + size + (40 if last % 2 else 0)]
        if leading:  # the other way round, beyond the end zeros
            mask = 1 - mask[::-1].copy()
            mask = np.roll(mask, begin - (len(mask) - begin - size))
            part = mask[begin : begin + size]
            last = int(np.argmin(part)) if (part == 0).any() else size
        expected = np.full((32, 1), last, np.float32)
        out = Out(random("f32", 32, 1))
        suite.run(name, [mask, out, 1], equal(expected))


def control(suite):
    """Frags carried by loops and branches; row numbers, votes, parts of
    frags."""
    suite.kernel(
        "control",
        "%m: memref<?x128xf32>, %o: memref<?x64xf32>, %b: index",
        position(16)
        + """
  %none = arith.constant 0.0 : f32
  %z = tile.splat %none : f32 -> !tile.frag<16x64xf32>
  %sum = scf.for %j = %c0 to %c128 step %c64 iter_args(%a = %z) -> (!tile.frag<16x64xf32>) {
    %x = tile.load %m[%row, %j] rows(%b) : memref<?x128xf32> -> !tile.frag<16x64xf32>
    %y = tile.map %a, %x : !tile.frag<16x64xf32>, !tile.frag<16x64xf32> -> !tile.frag<16x64xf32> {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tile.yield %s : f32
    }
    scf.yield %y : !tile.frag<16x64xf32>
  }
  %left = tile.slice %sum[0] : !tile.frag<16x64xf32> -> !tile.frag<16x24xf32>
  %right = tile.slice %sum[24] : !tile.frag<16x64xf32> -> !tile.frag<16x40xf32>
  %turned = tile.concat %right, %left
      : !tile.frag<16x40xf32>, !tile.frag<16x24xf32> -> !tile.frag<16x64xf32>
  %i = tile.row_index %row : !tile.frag<16x1xi32>
  %even = tile.map %i : !tile.frag<16x1xi32> -> !tile.frag<16x1xi1> {
  ^bb0(%p: i32):
    %limit = arith.constant 20 : i32
    %s = arith.cmpi sge, %p, %limit : i32
    tile.yield %s : i1
  }
  %any = tile.vote any %even : !tile.frag<16x1xi1>
  %all = tile.vote all %even : !tile.frag<16x1xi1>
  %once = scf.if %any -> (!tile.frag<16x64xf32>) {
    %y = tile.map %turned, %i : !tile.frag<16x64xf32>, !tile.frag<16x1xi32> -> !tile.frag<16x64xf32> {
    ^bb0(%p: f32, %q: i32):
      %f = arith.sitofp %q : i32 to f32
      %s = arith.addf %p, %f : f32
      tile.yield %s : f32
    }
    scf.yield %y : !tile.frag<16x64xf32>
  } else {
    scf.yield %turned : !tile.frag<16x64xf32>
  }
  %twice = scf.if %all -> (!tile.frag<16x64xf32>) {
    %y = tile.map %once : !tile.frag<16x64xf32> -> !tile.frag<16x64xf32> {
    ^bb0(%p: f32):
      %s = arith.addf %p, %p : f32
      tile.yield %s : f32
    }
    scf.yield %y : !tile.frag<16x64xf32>
  } else {
    scf.yield %once : !tile.frag<16x64xf32>
  }
  tile.store %twice to %o[%row, %c0] rows(%b) : !tile.frag<16x64xf32>, memref<?x64xf32>
""",
    )
    x = random("f32", 61, 128)
    total = x[:, :64] + x[:, 64:]
    expected = np.concatenate([total[:, 24:], total[:, :24]], 1)
    rows = np.arange(61, dtype=np.float32)[:, None]
    expected[16:] += rows[16:]  # units 1, 2 and 3 have rows from 20 on
    expected[32:] *= 2
    suite.run(
        "control", [x, Out(random("f32", 61, 64)), 61], equal(expected), grid=2
    )


def lengths(suite):
    """Bounds from numbers in memory: of a vector, of a matrix."""
    suite.kernel(
        "lengths",
        "%n: memref<?xi32>, %k: memref<?x3xi32>, %m: memref<?x16xf32>, "
        "%o: memref<?x16xf32>, %b: index",
        position(16)
        + """
  %p = memref.load %n[%item] : memref<?xi32>
  %q = memref.load %k[%item, %c2] : memref<?x3xi32>
  %s = arith.addi %p, %q : i32
  %count = arith.index_cast %s : i32 to index
  %end = arith.addi %cta, %count : index
  %x = tile.load %m[%row, %c0] : memref<?x16xf32> -> !tile.frag<16x16xf32>
  tile.store %x to %o[%row, %c0] rows(%end) : !tile.frag<16x16xf32>, memref<?x16xf32>
""",
    )
    x, before = random("f32", 96, 16), random("f32", 96, 16)
    n = np.array([3, 0, 12], np.int32)
    k = np.array([[9, 9, 4], [9, 9, 0], [9, 9, 20]], np.int32)
    expected = before.copy()
    for item, count in enumerate(n + k[:, 2]):
        expected[32 * item : 32 * item + count] = x[32 * item : 32 * item + count]
    suite.run("lengths", [n, k, x, Out(before), 1], equal(expected), grid=3)


def main():
    suite = Suite()
    copies(suite)
    zeros(suite)
    vectors(suite)
    norm(suite)
    masks(suite)
    extents(suite)
    control(suite)
    lengths(suite)
    suite.main()


main()
