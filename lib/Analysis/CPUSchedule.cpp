// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/CPUSchedule.h"

#include <algorithm>

using namespace hk;

int64_t hk::chooseRows(int64_t sequence, int64_t width, int64_t mr) {
  constexpr int64_t small = 64, smallest = 32, largest = 128, wide = 512;
  if (sequence <= small)
    return sequence;
  if (width >= wide && (sequence <= largest || sequence % largest == 0))
    return std::min(sequence, largest);
  if (sequence % small == 0)
    return small;
  int64_t divisor = 0;
  for (int64_t rows = std::min(largest, sequence); rows >= smallest; --rows) {
    if (sequence % rows != 0)
      continue;
    if (rows % mr == 0)
      return rows;
    divisor = std::max(divisor, rows);
  }
  return divisor ? divisor : small;
}

std::optional<CPUSchedule> hk::chooseCPUSchedule(llvm::StringRef isa,
                                                 const CPUKernelShape &shape,
                                                 int64_t scratchLimit) {
  CPUSchedule schedule;
  if (isa == "x86-64-v4")
    schedule = {0, 12, 32, 0};
  else if (isa == "x86-64-v3")
    schedule = {0, 6, 16, 0};
  else if (isa == "x86-64")
    schedule = {0, 4, 8, 0};
  else
    return std::nullopt;
  schedule.mr = std::min(schedule.mr, shape.sequence);
  if (shape.ownsSequence) {
    schedule.rows = shape.sequence;
  } else {
    schedule.rows = chooseRows(shape.sequence, shape.width, schedule.mr);
    while (schedule.rows * shape.scratchPerRow > scratchLimit &&
           schedule.rows / 2 >= schedule.mr)
      schedule.rows /= 2;
  }
  schedule.keys = std::min<int64_t>(64, shape.sequence);
  return schedule;
}
