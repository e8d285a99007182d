# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""put, sync and fetch; copies of matrices of every alignment, with bounds."""

import functools

from harness import Suite
from movement import copy, exchange
from tiles import TYPES

suite = Suite()
# Left alone, ptxas puts 8 bytes of it by for the sake of one CTA more.
suite.roomy = {"copy_256_4"}
move = functools.partial(exchange, suite)
load = functools.partial(copy, suite)

for element in TYPES:
    move(f"exchange_{element}", element, 64)
    move(f"exchange_{element}_wide", element, 128, rows=32, units=2)
    move(f"exchange_{element}_part", element, 32, buf_columns=96, column=64)
    move(f"exchange_{element}_odd", element, 40, buf_columns=48, column=8)
    move(f"exchange_{element}_narrow", element, 8, rows=48, units=2)

for producers in (1, 2, 4):
    # Rows and columns that threads share out evenly, and others.
    for columns in (64, 32, 128, 40, 24, 72, 256, 320):
        load(f"copy_{columns}_{producers}", "f16", columns, columns, producers=producers)
    # Alignment to 8, 4 and 2 bytes.
    for columns in (60, 38, 37):
        load(f"copy_{columns}_{producers}", "f16", columns, 64, producers=producers)
load("copy_f32", "f32", 36, 40)
load("copy_f32_odd", "f32", 37, 16)
load("copy_bf16", "bf16", 64, 64)
# Columns that begin or end within the matrix, or are left out.
load("copy_blocks", "f16", 104, 64)
load("copy_many_blocks", "f16", 320, 64)
load("copy_limit", "f16", 128, 64, limit=50)
load("copy_limit_odd", "f16", 130, 64, limit=51)
load("copy_from", "f16", 128, 48, first=32)
load("copy_from_odd", "f16", 101, 48, first=3)

suite.main()
