# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every barrier, wait and arrival of a kernel matters: without it, or off by
one, the emulator finds a fault or the numbers are wrong."""

import re

import numpy as np

from harness import ARCHES, Out, Suite, equal
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


def change(function):
    """The last number of a line, changed."""
    return lambda line: re.sub(r"(\d+);", lambda n: f"{function(int(n[1]))};", line)


# What is broken: a line of PTX, and what it becomes.
BREAKS = [
    (r"^\s*(bar\.sync|mbarrier\.init)", lambda line: ""),
    (r"^\s*bar\.sync 1", change(lambda n: n - 32)),
    (r"^\s*mbarrier\.init", change(lambda n: n + 1)),
    # One arrival less, or those of a warp, whose lanes arrive together.
    (r"^\s*mbarrier\.init.* ([2-9]|\d\d+);", change(lambda n: n - (32 if n > 32 else 1))),
    # A wait that does not look, and one for the other phase.
    (
        r"mbarrier\.t(ry|est)_wait",
        lambda line: re.sub(r".*b64 (%p\d+).*", r"setp.eq.u32 \1, 0, 0;", line),
    ),
    (
        r"mbarrier\.t(ry|est)_wait",
        lambda line: re.sub(r"^(.*b64 (%p\d+).*)$", r"\1 not.pred \2, \2;", line),
    ),
    (r"mbarrier\.arrive|cp\.async\.(bulk|mbarrier|cg)", lambda line: ""),
    (r"expect_tx", change(lambda n: n - 16)),
]
MODES = [["--lazy", "--races"]] + [["--races", "--seed", str(s)] for s in range(1, 9)]


def fails(path, run):
    for mode in MODES:
        try:
            run[2](*suite.emulate(path, run, mode + ["--budget", "3000000"]))
        except AssertionError:
            return True
    return False


def lines_of(lines, kernel):
    """The lines of a kernel."""
    start = next(i for i, l in enumerate(lines) if f".entry {kernel}(" in l)
    return range(start, lines.index("}", start))


missed, tried = [], 0
for arch in ARCHES:
    lines = suite.compile(arch).read_text().splitlines()
    path = suite.folder / "broken.ptx"
    for run in suite.runs:
        path.write_text("\n".join(lines))
        assert not fails(path, run), f"{arch}: {run[0]} fails as it is"
        for at in lines_of(lines, run[0]):
            for pattern, change in BREAKS:
                if not re.search(pattern, lines[at]):
                    continue
                broken = lines[:at] + [change(lines[at])] + lines[at + 1 :]
                path.write_text("\n".join(broken) + "\n")
                tried += 1
                if not fails(path, run):
                    missed.append(
                        f"{arch} {run[0]} line {at + 1}: {lines[at].strip()} -> "
                        f"{broken[at].strip() or 'nothing'}"
                    )
print(f"{tried} broken kernels, {len(missed)} not found", *missed, sep="\n")
raise SystemExit(1 if missed else 0)
