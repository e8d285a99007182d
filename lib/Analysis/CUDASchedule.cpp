// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/CUDASchedule.h"

#include "hk/Analysis/ProjectedHeads.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace hk;

namespace {

constexpr int64_t kTileRows = 16;

class Chooser {
public:
  Chooser(const CUDALimits &limits, const CUDAKernelShape &shape)
      : limits(limits), shape(shape),
        wide(std::max<int64_t>(shape.operandBytes / 2, 1)) {
    schedule = {16, 1, 0, 0, 64 / wide, 64 / wide, 64 / wide, 2};
  }

  CUDASchedule choose() {
    switch (shape.family) {
    case CUDAFamily::Line:
      line();
      break;
    case CUDAFamily::Gemm:
      gemm();
      break;
    case CUDAFamily::Attention:
      attention();
      break;
    case CUDAFamily::Projection:
      projection();
      break;
    case CUDAFamily::Chain:
      chain();
      break;
    }
    return schedule;
  }

private:
  /// The CTAs of the grid, or nothing if the batch is dynamic.
  std::optional<int64_t> ctas() const {
    if (!shape.batch)
      return std::nullopt;
    int64_t count =
        *shape.batch * llvm::divideCeil(shape.sequence, schedule.rows);
    if (schedule.columns)
      count *= llvm::divideCeil(shape.features, schedule.columns);
    if (schedule.heads)
      count *= llvm::divideCeil(shape.heads, schedule.heads);
    return count;
  }
  /// True if much less than `processors` have a CTA. A tenth may be idle: to
  /// halve a tile costs more.
  bool leavesIdle(int64_t processors) const {
    std::optional<int64_t> count = ctas();
    return count && *count * 10 < processors * 9;
  }
  bool leavesIdle() const { return leavesIdle(limits.processors); }

  /// No more rows than the sequence needs, in tiles of the matrix units.
  void limitRows() {
    while (schedule.rows > kTileRows && schedule.rows / 2 >= shape.sequence)
      schedule.rows /= 2;
  }
  void setUnits() {
    schedule.units = std::min<int64_t>(4, schedule.rows / kTileRows);
  }

  int64_t rowsComputed(int64_t rows) const {
    return llvm::alignTo(shape.sequence, rows);
  }

  void line();
  void gemm();
  void attention();
  void projection();
  void chain();
  void chooseKeys();

  const CUDALimits &limits;
  const CUDAKernelShape &shape;
  /// How much wider an operand is than one of 16 bits.
  int64_t wide;
  CUDASchedule schedule;
};

} // namespace

void Chooser::line() {
  constexpr int64_t bytesOfWarp = 2048, mostRows = 8;
  int64_t rowBytes = 4 * shape.features;
  int64_t rows = std::clamp<int64_t>(
      llvm::bit_floor<uint64_t>(std::max<int64_t>(bytesOfWarp / rowBytes, 1)),
      1, mostRows);
  schedule.units = 8;
  schedule.rows = schedule.units * rows;
  while (schedule.rows > schedule.units &&
         (schedule.rows / 2 >= shape.sequence ||
          leavesIdle(2 * limits.processors)))
    schedule.rows /= 2;
  while (schedule.units > 1 && (schedule.rows / 2 >= shape.sequence ||
                                (schedule.units > 4 && leavesIdle()))) {
    schedule.rows /= 2;
    schedule.units /= 2;
  }
}

void Chooser::gemm() {
  constexpr int64_t leastRows = 64, leastColumns = 32;
  schedule.rows = 128;
  // A half is worth it where the last block would be mostly empty.
  if (rowsComputed(128) * 10 > rowsComputed(64) * 11)
    schedule.rows = 64;
  limitRows();
  schedule.columns =
      std::min<int64_t>(128 / wide, llvm::alignTo(shape.features, 8));
  while (schedule.rows > leastRows && leavesIdle())
    schedule.rows /= 2;
  while (schedule.columns > leastColumns && schedule.columns % 16 == 0 &&
         leavesIdle())
    schedule.columns /= 2;
  setUnits();
  schedule.block = schedule.columns;
  schedule.depth =
      std::min<int64_t>(schedule.depth, llvm::alignTo(shape.depth, 8));
  constexpr int64_t ctasOfProcessor = 2, mostStages = 4, fewStages = 3;
  auto stages = [&] {
    int64_t bytes = (schedule.rows + schedule.columns) * schedule.depth *
                    shape.operandBytes;
    return limits.sharedPerCTA / ctasOfProcessor / bytes;
  };
  if (stages() < fewStages && schedule.depth % 32 == 0)
    schedule.depth /= 2;
  schedule.stages = std::clamp<int64_t>(stages(), 2, mostStages);
}

void Chooser::chooseKeys() {
  int64_t keys = schedule.keys;
  if (shape.headDim > 128)
    keys = 32 / wide;
  keys = std::min<int64_t>(keys, llvm::alignTo(shape.sequence, kTileRows));
  auto bytes = [&] {
    return schedule.stages * 2 * keys * shape.headDim * shape.operandBytes;
  };
  while (keys > kTileRows && bytes() > limits.sharedPerCTA)
    keys = llvm::alignTo(keys / 2, kTileRows);
  schedule.keys = keys;
}

void Chooser::attention() {
  constexpr int64_t longSequence = 512, smallHead = 64;
  bool isLong = shape.sequence >= longSequence && shape.headDim <= smallHead;
  schedule.rows = isLong ? 128 : 64;
  schedule.heads = 1;
  if (isLong)
    schedule.keys = 128 / wide;
  limitRows();
  if (schedule.rows > 64 && leavesIdle())
    schedule.rows = 64;
  setUnits();
  chooseKeys();
}

void Chooser::projection() {
  constexpr int64_t smallHead = 16;
  schedule.rows = llvm::alignTo(shape.sequence, kTileRows);
  schedule.units = schedule.rows / kTileRows;
  while (schedule.rows % schedule.keys != 0)
    schedule.keys -= kTileRows;
  schedule.heads = 1;
  if (shape.headDim < smallHead)
    for (int64_t heads = 2; heads * shape.headDim <= schedule.block; ++heads)
      if (ProjectedHeads::areLegal(heads, shape.heads, shape.group))
        schedule.heads = heads;
  schedule.stages = 3;
}

void Chooser::chain() {
  schedule.rows = 64;
  limitRows();
  while (schedule.rows > kTileRows && leavesIdle())
    schedule.rows /= 2;
  setUnits();
  int64_t slot = schedule.block * schedule.depth;
  if (shape.headDim) {
    chooseKeys();
    slot = std::max(slot, schedule.keys * shape.headDim);
  }
  constexpr int64_t ctasOfProcessor = 2;
  schedule.stages = std::clamp<int64_t>(limits.sharedPerCTA / ctasOfProcessor /
                                            (slot * shape.operandBytes),
                                        2, 4);
}

CUDASchedule hk::chooseCUDASchedule(const CUDALimits &limits,
                                    const CUDAKernelShape &shape) {
  return Chooser(limits, shape).choose();
}
