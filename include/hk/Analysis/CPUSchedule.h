// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that choose the schedule of a kernel on a CPU.

#ifndef HK_ANALYSIS_CPUSCHEDULE_H
#define HK_ANALYSIS_CPUSCHEDULE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace hk {

/// What the rules need to know of a kernel.
struct CPUKernelShape {
  /// The rows (tokens) of one sequence.
  int64_t sequence;
  /// The widest row that a linear operation reads, in elements.
  int64_t width;
  /// The intermediate values of one row, in bytes.
  int64_t scratchPerRow;
  /// A workgroup owns whole sequences: `rows` is `sequence`.
  bool ownsSequence = false;
};

/// The parameters of #hk.cpu, but for the instruction set.
struct CPUSchedule {
  int64_t rows;
  int64_t mr;
  int64_t nr;
  int64_t keys;

  bool operator==(const CPUSchedule &other) const {
    return rows == other.rows && mr == other.mr && nr == other.nr &&
           keys == other.keys;
  }
};

/// The rows of a sequence that a workgroup owns, memory left aside.
///
/// - Up to 64 rows are one block: there is little to share out, and every
///   cut would read the weights once more.
/// - Wide networks (`width` of 512 or more) take 128 rows: a weight matrix of
///   1 MB and more comes from the outer caches, and each byte is then used by
///   twice as many rows.
/// - Else 64, if it divides the sequence; else the largest divisor between 32
///   and 128 that is a multiple of `mr` (no ragged register tile), else the
///   largest one at all (no ragged block); else 64 with a shorter last block.
int64_t chooseRows(int64_t sequence, int64_t width, int64_t mr);

/// The schedule of a kernel for `isa`, or nothing if the instruction set is
/// unknown. The register tile is as large as the registers allow with vectors
/// of two registers: 12 x 32 of 32 zmm, 6 x 16 of 16 ymm, 4 x 8 of 16 xmm.
/// Where a block of rows needs more than `scratchLimit` bytes, it is halved
/// until it fits, down to one register tile.
std::optional<CPUSchedule> chooseCPUSchedule(llvm::StringRef isa,
                                             const CPUKernelShape &shape,
                                             int64_t scratchLimit);

} // namespace hk

#endif // HK_ANALYSIS_CPUSCHEDULE_H
