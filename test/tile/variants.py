# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of the hk dialect, through hk-to-tile and all below it, as runs of a
Suite: with a schedule that a test chooses, not the cost model."""

import re

import numpy as np

from harness import ARCHES, MODES, Suite
from tiles import pack

FIELDS = ("rows", "units", "columns", "heads", "block", "depth", "keys", "stages")
# With wgmma: where there is none, warps multiply alone.
WARPGROUPS = ("mma", "ctas")
ELEMENTS = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "tf32x3": "f32"}


def schedule(arch, operands="f16", **fields):
    words = ", ".join(f"{field} = {fields.get(field, 0)}" for field in FIELDS)
    words += f", operands = {operands}"
    if arch == "sm_90a":
        words += "".join(f", {key} = {fields[key]}" for key in WARPGROUPS if key in fields)
    return f'#hk.cuda<arch = "{arch}", {words}>'


def packed(name, array):
    """A symbol for a weight or a vector; its values come with the run."""
    dims = "x".join(map(str, array.shape))
    return f"""
hk.packed @{name} : tensor<{dims}xf32> {{
  %w = hk.param "{name}" from f32 : tensor<{dims}xf64>
  hk.yield %w : tensor<{dims}xf64>
}}"""


def images(weight, rows, columns, element, strips):
    """The weight as tiles, row by row of them, zeros behind its ends."""
    counts = -(-weight.shape[0] // rows), -(-weight.shape[1] // columns)
    padded = np.zeros((counts[0] * rows, counts[1] * columns), np.float32)
    padded[: weight.shape[0], : weight.shape[1]] = weight
    if element == "bf16":
        bits = padded.view(np.uint32)
        bits += 0x7FFF + (bits >> 16 & 1)
        bits &= np.uint32(0xFFFF0000)
    return np.concatenate(
        [
            pack(padded[r : r + rows, c : c + columns], element, strips)
            for r in range(0, len(padded), rows)
            for c in range(0, padded.shape[1], columns)
        ]
    )


def tiles_of(type_):
    """Rows, columns, element and strips of `!tile.tiles`."""
    shape = re.match(r"!tile.tiles<(\d+)x(\d+)x(\w+)", type_)
    strips = (re.search(rf"strip_{name} = (\d+)", type_) for name in ("rows", "columns"))
    return int(shape[1]), int(shape[2]), shape[3], [int(strip[1]) if strip else 8 for strip in strips]


class Variant:
    """One kernel: `text` has hk.packed operations and an hk.executable of its
    name, with $schedule for the schedule."""

    def __init__(self, name, text, fields, weights, operands="f16"):
        self.name, self.text, self.fields = name, text, fields
        self.weights, self.operands = weights, operands


class VariantSuite(Suite):
    def __init__(self, arches=tuple(ARCHES)):
        super().__init__("tile-schedule-pipeline,hk-tile-to-llvm", arches)
        self.variants, self.pending = [], []
        self.is_roomy = True

    def variant(self, *words, **options):
        self.variants.append(Variant(*words, **options))

    def run_variant(self, name, inputs, outputs, batch, ctas, check):
        """`inputs` in the order of the variant's operands; `outputs` are Outs."""
        self.pending.append((name, inputs, outputs, batch, ctas, check))

    def level_v(self, arch):
        """The text of the kernels of all variants."""
        text = "\n".join(
            variant.text.replace(
                "$schedule", schedule(arch, variant.operands, **variant.fields)
            )
            for variant in self.variants
        )
        tiles = self.tool(
            [
                self.options.hk_opt,
                "--pass-pipeline=builtin.module(hk-to-tile,"
                "builtin.module(tile.kernel(canonicalize,cse)))",
            ],
            text,
        )
        begin = tiles.index(f"  module @{arch}")
        return tiles[begin : tiles.index("\n  }\n", begin) + 5]

    def compile(self, arch):
        text = self.level_v(arch)
        self.kernels = [text[text.index("\n") + 1 : text.rindex("}")]]
        staged = self.tool(
            [
                self.options.hk_opt,
                "--pass-pipeline=builtin.module(tile-schedule-pipeline)",
            ],
            text,
        )
        self.runs = []
        for name, inputs, outputs, batch, ctas, check in self.pending:
            head = re.search(rf"tile.kernel @{name}\((.*?)\) attributes {{(.*?)}} {{", text)
            facts = re.search(rf"tile.kernel @{name}\(.*?\) attributes {{(.*?)}} {{", staged)
            number = lambda key: int((re.findall(rf"\b{key} = (\d+)", facts[1]) or [0])[0])
            variant = next(v for v in self.variants if v.name == name)
            symbols = re.findall(r"@([\w.]+)", head[2].split("hk.packed = [")[1].split("]")[0])
            types = [a.split(": ")[1] for a in head[1].split(", %")][-1 - len(symbols) : -1]
            packs = []
            for symbol, type_ in zip(symbols, types):
                array = variant.weights[symbol.split(".")[0]]
                packs.append(images(array, *tiles_of(type_)) if "tiles" in type_ else array)
            threads = 32 * (number("units") + number("producers"))
            arguments = [*inputs, *outputs, *packs, batch]
            self.runs.append((name, arguments, check, ctas, threads, number("shared")))
        return super().compile(arch)


__all__ = ["ARCHES", "MODES", "Variant", "VariantSuite", "packed", "schedule"]
