# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are broken in one place: the emulator finds a fault, or the numbers
are wrong."""

import re


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


def fails(suite, lines, run):
    ptx = "\n".join(lines) + "\n"
    for mode in MODES:
        try:
            run[2](*suite.emulate(ptx, run, mode + ["--budget", "3000000"]))
        except AssertionError:
            return True
    return False


def main(suite, breaks=BREAKS):
    """Breaks each line of each kernel that a pattern matches."""
    missed, tried = [], 0
    for arch in suite.arches:
        kernels = suite.compile(arch)
        for run in suite.runs:
            lines = kernels[run[0]].splitlines()
            assert not fails(suite, lines, run), f"{arch}: {run[0]} fails as it is"
            for at, line in enumerate(lines):
                for pattern, change in breaks:
                    if not re.search(pattern, line):
                        continue
                    broken = lines[:at] + [change(line)] + lines[at + 1 :]
                    tried += 1
                    if not fails(suite, broken, run):
                        missed.append(
                            f"{arch} {run[0]} line {at + 1}: {line.strip()} -> "
                            f"{broken[at].strip() or 'nothing'}"
                        )
    print(f"{tried} broken kernels, {len(missed)} not found", *missed, sep="\n")
    raise SystemExit(1 if missed else 0)
