# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups: every swizzle, along and across K, from each kind of
memory that fills a buf, against NumPy in float64."""

import functools
import itertools

from harness import Suite
from warpgroups import product

suite = Suite(arches=("sm_90a",))
case = functools.partial(product, suite)

# What is not under test in a case takes turns.
sources = itertools.cycle(("bulk", "async", "publish"))
elements = itertools.cycle(("f16", "bf16"))
rows = itertools.cycle((0, 8, 24, 0, 16))
movings = itertools.cycle((False, False, True, False))
freshes = itertools.cycle((False, True, False, False, False))


def turns(n):
    slabs = itertools.cycle((1, 2, 1)) if n <= 128 else itertools.repeat(1)
    for slab in slabs:
        yield dict(source=next(sources), element=next(elements), row=next(rows),
                   moving=next(movings), fresh=next(freshes), slabs=slab)


# Bufs of 40 columns have blocks of 8, of which K may begin at each; others have
# blocks of 16 (16 columns), 32 and 64.
COLUMNS = {16: (0,), 32: (16, 0), 40: (8, 0, 24), 64: (48, 0, 16), 128: (64, 16, 96, 0),
           192: (128, 0, 48)}
for n in (8, 24, 64, 128, 256, 320):
    turn = turns(n)
    for k in (16, 64, 128):
        for width, firsts in COLUMNS.items():
            column = next((c for c in firsts if c + k <= width), None)
            if column is not None:
                case(f"along_{n}_{k}_{width}", n, k, width, column=column, **next(turn))
# Across K, N begins a block or lies within one.
ACROSS = {
    8: {8: 0, 16: 8, 32: 24, 40: 16, 64: 40, 128: 120, 192: 0},
    24: {24: 0, 32: 8, 40: 16, 64: 40, 128: 64, 192: 136},
    64: {64: 0, 72: 8, 128: 64, 192: 64},
    128: {128: 0, 192: 64},
    256: {256: 0, 264: 8},
    320: {320: 0, 336: 16, 384: 64},
}
for n, widths in ACROSS.items():
    turn = turns(n)
    for k in (16, 64, 128):
        for width, column in widths.items():
            case(f"across_{n}_{k}_{width}", n, k, width, column=column, transposed=True,
                 **next(turn))
# Two and three warpgroups; sums that take two pieces of PTX; longer rings.
for transposed in (False, True):
    suffix = "_across" * transposed
    case("groups" + suffix, 64, 64, 64, units=8, source="async", transposed=transposed)
    case("three_groups" + suffix, 40, 32, 64, units=12, transposed=transposed)
    case("two_pieces" + suffix, 192, 16, 192, slabs=2, source="publish", transposed=transposed)
    case("three_slabs" + suffix, 96, 16, 96, slabs=3, transposed=transposed)
    case("long_ring" + suffix, 64, 64, 64, steps=9, slots=4, source="async",
         transposed=transposed)
    # Of warps and of warpgroups in turn: they share their registers.
    for source in ("bulk", "async", "publish"):
        case(f"mixed_{source}{suffix}", 40, 32, 40, source=source, mixed=True, steps=5,
             transposed=transposed)
    # Registers of 80, 64 and 56 a thread as the kernel starts: instructions of 96, 64
    # and 48 columns. Across K, none goes from within a block into the next one.
    for n in (72, 104, 128):
        for units, ctas in ((4, 3), (12, 2), (8, 3)):
            for width in (n, 192, 208):
                name = f"few_{n}_{units}_{width}{suffix}"
                case(name, n, 32, width, units=units, ctas=ctas, slots=1,
                     transposed=transposed, column=64 if width == 192 else 0,
                     element=next(elements))
                # Units have 120, 72 and 64 registers then.
                if units > 4:
                    suite.cramped.add(name)
    case("few_within" + suffix, 56, 32, 64, units=8, ctas=3, transposed=transposed,
         column=8 * transposed)

suite.main()
