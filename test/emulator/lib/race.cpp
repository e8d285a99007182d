// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "race.h"

#include <algorithm>

namespace hk::emulator {

void Clocks::reset(size_t slots) {
  seen.assign(slots, 0);
  fenced.assign(slots, 0);
}

void Clocks::join(const Clocks &other) {
  for (size_t i = 0; i < other.seen.size(); ++i) {
    seen[i] = std::max(seen[i], other.seen[i]);
    fenced[i] = std::max(fenced[i], other.fenced[i]);
  }
}

void Clocks::clear() { reset(seen.size()); }

RaceDetector::RaceDetector(size_t bytes, size_t slots)
    : slots(slots), cells((bytes + kCell - 1) / kCell) {}

std::string RaceDetector::who(uint32_t slot, unsigned line) const {
  const std::string at = " (line " + std::to_string(line) + ")";
  return slot + 1 == slots
             ? "a bulk copy" + at
             : "warp " + std::to_string(slot) + " of the cluster" + at;
}

void RaceDetector::noteRead(Cell &cell, uint32_t slot, uint32_t clock,
                            unsigned line) {
  cell.readLine = line;
  if (cell.reader == kNobody || cell.reader == slot) {
    cell.reader = static_cast<uint16_t>(slot);
    cell.readClock = clock;
    return;
  }
  if (cell.reader != kMany) {
    std::vector<uint32_t> row(slots, 0);
    row[cell.reader] = cell.readClock;
    // Row 0 means "none yet": rows are counted from one.
    if (cell.many == 0) {
      readers.emplace_back();
      cell.many = static_cast<uint32_t>(readers.size());
    }
    readers[cell.many - 1] = std::move(row);
    cell.reader = kMany;
  }
  readers[cell.many - 1][slot] = clock;
}

std::string RaceDetector::read(uint32_t offset, uint32_t size, uint32_t slot,
                               const Clocks &clocks, unsigned line) {
  for (uint32_t c = offset / kCell; c <= (offset + size - 1) / kCell; ++c) {
    Cell &cell = cells[c];
    if (cell.writer != kNobody && cell.writer != slot &&
        clocks.seen[cell.writer] < cell.writeClock)
      return "expects a barrier between a write and this read of shared byte " +
             std::to_string(c * kCell) + ", but got none after " +
             who(cell.writer, cell.writeLine);
    noteRead(cell, slot, clocks.seen[slot], line);
  }
  return {};
}

std::string RaceDetector::asyncRead(uint32_t offset, uint32_t size,
                                    uint32_t slot, const Clocks &clocks,
                                    unsigned line) {
  std::string wrong = read(offset, size, slot, clocks, line);
  if (!wrong.empty())
    return wrong;
  for (uint32_t c = offset / kCell; c <= (offset + size - 1) / kCell; ++c) {
    const Cell &cell = cells[c];
    // Bulk copies write through the async proxy themselves.
    if (cell.writer != kNobody && cell.writer + 1u != slots &&
        clocks.fenced[cell.writer] < cell.writeClock)
      return "expects a fence.proxy.async between a write and this read by the "
             "async proxy of shared byte " +
             std::to_string(c * kCell) + ", but got none after " +
             who(cell.writer, cell.writeLine);
  }
  return {};
}

std::string RaceDetector::write(uint32_t offset, uint32_t size, uint32_t slot,
                                const Clocks &clocks, unsigned line) {
  for (uint32_t c = offset / kCell; c <= (offset + size - 1) / kCell; ++c) {
    Cell &cell = cells[c];
    const auto place = [&] {
      return " and this write of shared byte " + std::to_string(c * kCell);
    };
    if (cell.writer != kNobody && cell.writer != slot &&
        clocks.seen[cell.writer] < cell.writeClock)
      return "expects a barrier between a write" + place() +
             ", but got none after " + who(cell.writer, cell.writeLine);
    if (cell.reader == kMany) {
      const std::vector<uint32_t> &row = readers[cell.many - 1];
      for (uint32_t s = 0; s < slots; ++s)
        if (s != slot && clocks.seen[s] < row[s])
          return "expects a barrier between a read" + place() +
                 ", but got none after " + who(s, cell.readLine);
    } else if (cell.reader != kNobody && cell.reader != slot &&
               clocks.seen[cell.reader] < cell.readClock) {
      return "expects a barrier between a read" + place() +
             ", but got none after " + who(cell.reader, cell.readLine);
    }
    cell.writer = static_cast<uint16_t>(slot);
    cell.writeClock = clocks.seen[slot];
    cell.writeLine = line;
    cell.reader = kNobody;
  }
  return {};
}

} // namespace hk::emulator
