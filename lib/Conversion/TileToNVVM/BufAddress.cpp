// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufAddress.h"

#include "IndexBound.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

static constexpr int64_t kChunkBytes = 16;

/// The chunks of 8 rows of 16 bytes repeat their swizzle.
static constexpr int64_t kLineBytes = 128;

BufOffset BufOffset::get(Device &d, const KernelInfo &info, Operation *op,
                         unsigned position, Value converted) {
  BufOffset offset;
  if (std::optional<int64_t> constant = getConstant(op->getOperand(position))) {
    offset.constant = *constant;
    return offset;
  }
  offset.value = d.fromIndex(converted);
  offset.divisor = std::max(offset.divisor, info.divisor(op, position));
  return offset;
}

LaneOffset LaneOffset::getMatrix(Device &d, const KernelInfo &info,
                                 int64_t rows, int64_t chunks,
                                 bool isRowFirst) {
  LaneOffset offset;
  offset.span = chunks;
  Value matrix = d.shiftRight(info.lane, 3);
  if (isRowFirst || chunks == 1) {
    offset.row = rows == 4 ? info.lane : d.bitAnd(info.lane, 8 * rows - 1);
    if (chunks > 1)
      offset.chunk =
          d.bitAnd(d.shiftRight(info.lane, rows == 2 ? 4 : 3), chunks - 1);
    return offset;
  }
  offset.row = d.bitAnd(info.lane, 7);
  if (rows > 1) // two by two
    offset.row = d.bitOr(offset.row, d.bitAnd(d.shiftRight(info.lane, 1), 8));
  offset.chunk = d.bitAnd(matrix, chunks - 1);
  return offset;
}

LaneOffset LaneOffset::getPair(Device &d, const KernelInfo &info) {
  LaneOffset offset;
  offset.row = info.slabRow;
  offset.chunk = d.bitAnd(d.shiftRight(info.lane, 1), 1);
  offset.span = 2;
  offset.byte = d.mul(d.bitAnd(info.lane, 1), 8);
  return offset;
}

static Value shiftLeft(Device &d, Value value, int64_t bits) {
  return d.mul(value, int64_t(1) << bits);
}

BufAddress::BufAddress(Device &d, tile::BufType type, Value base,
                       const BufOffset &row, const BufOffset &column,
                       const LaneOffset &lane)
    : d(d), rowBytes(type.getBlockBytes()),
      blockBytes(type.getRows() * rowBytes),
      blockChunks(rowBytes / kChunkBytes), span(lane.span), start(base),
      startRow(row.constant) {
  int64_t bytes = type.getElementBytes();
  startChunk = column.constant * bytes / kChunkBytes;
  start = d.add(start, d.mul(lane.row, rowBytes));
  if (row.value)
    start = d.add(start, d.mul(row.value, rowBytes));
  if (lane.byte)
    start = d.add(start, lane.byte);
  // Rows in steps of 8 have the same swizzle.
  if (blockChunks > 1)
    swizzle =
        d.bitAnd(d.shiftRight(lane.row, llvm::Log2_64(kLineBytes / rowBytes)),
                 blockChunks - 1);

  bool isWholeBlocks =
      !column.value || column.divisor % type.getBlockColumns() == 0;
  isSimple = isWholeBlocks && startChunk % span == 0;
  if (!isSimple) {
    laneChunk = lane.chunk;
    if (column.value) {
      // Of 16-byte chunks, a column of f32 is a quarter and one of f16 an
      // eighth.
      Value chunk =
          d.shiftRight(column.value, llvm::Log2_64(kChunkBytes / bytes));
      laneChunk = laneChunk ? d.add(laneChunk, chunk) : chunk;
    }
    return;
  }
  if (column.value)
    start = d.add(start, d.mul(column.value, type.getRows() * bytes));
  Value inner;
  if (lane.chunk && span > blockChunks) {
    int64_t bits = llvm::Log2_64(blockChunks);
    start = d.add(start, d.mul(d.shiftRight(lane.chunk, bits), blockBytes));
    if (blockChunks > 1)
      inner = d.bitAnd(lane.chunk, blockChunks - 1);
  } else {
    inner = lane.chunk;
  }
  if (swizzle)
    inner = inner ? d.bitXor(inner, swizzle) : swizzle;
  if (inner)
    start = d.add(start, shiftLeft(d, inner, 4));
}

/// The address `chunk` chunks from the first of the buf, row 0.
Value BufAddress::getStep(int64_t chunk) {
  int64_t inner = chunk % blockChunks;
  auto [it, isNew] = steps.try_emplace(isSimple ? inner : chunk);
  if (!isNew)
    return it->second;
  Value address = start;
  if (isSimple) {
    if (inner != 0)
      address = d.bitXor(start, d.i32(inner * kChunkBytes));
  } else {
    Value at = laneChunk ? d.add(laneChunk, chunk) : d.i32(chunk);
    int64_t bits = llvm::Log2_64(blockChunks);
    address = d.add(address, d.mul(d.shiftRight(at, bits), blockBytes));
    if (blockChunks > 1)
      address = d.add(
          address,
          shiftLeft(d, d.bitXor(d.bitAnd(at, blockChunks - 1), swizzle), 4));
  }
  steps[isSimple ? inner : chunk] = address;
  return address;
}

SharedAddress BufAddress::get(int64_t row, int64_t chunk) {
  int64_t at = startChunk + chunk;
  int64_t offset = (startRow + row) * rowBytes;
  if (isSimple)
    offset += at / blockChunks * blockBytes;
  return {getStep(at), offset};
}
