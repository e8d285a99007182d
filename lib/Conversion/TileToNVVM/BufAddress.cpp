// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufAddress.h"

#include "IndexBound.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

static constexpr int64_t kChunkBytes = 16;

/// All banks of shared memory.
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

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

LanePattern LanePattern::matrix(int64_t rows, int64_t chunks, bool isRowFirst) {
  return {Matrix, rows, chunks, isRowFirst};
}

LanePattern LanePattern::pair(int64_t elementBytes) {
  return {Pair, 8, elementBytes / 2, elementBytes};
}

LanePattern LanePattern::across(int64_t step) { return {Across, 8, 2, step}; }

LanePattern::Offset LanePattern::emit(Device &d, const KernelInfo &info) const {
  Value lane = info.lane;
  Offset offset;
  switch (kind) {
  case Matrix: {
    bool isRowFirst = detail != 0 || chunks == 1;
    if (isRowFirst) {
      offset.row = rows == 4 ? lane : d.bitAnd(lane, 8 * rows - 1);
      if (chunks > 1)
        offset.chunk =
            d.bitAnd(d.shiftRight(lane, rows == 2 ? 4 : 3), chunks - 1);
      break;
    }
    offset.row = d.bitAnd(lane, 7);
    if (rows > 1) // two by two
      offset.row = d.bitOr(offset.row, d.bitAnd(d.shiftRight(lane, 1), 8));
    offset.chunk = d.bitAnd(d.shiftRight(lane, 3), chunks - 1);
    break;
  }
  case Pair:
    offset.row = info.slabRow;
    if (chunks == 1) {
      offset.byte = d.mul(info.slabColumn, detail);
      break;
    }
    offset.chunk = d.bitAnd(d.shiftRight(lane, 1), 1);
    offset.byte = d.mul(d.bitAnd(lane, 1), 2 * detail);
    break;
  case Across:
    offset.row = d.add(info.slabColumn, detail);
    offset.chunk = d.shiftRight(info.slabRow, 2);
    offset.byte = d.mul(d.bitAnd(info.slabRow, 3), 4);
    break;
  }
  return offset;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static Value shiftLeft(Device &d, Value value, int64_t bits) {
  return d.mul(value, int64_t(1) << bits);
}

/// What a row adds to its chunks, bit by bit. Rows in steps of 8 have the same.
Value BufAddress::getSwizzle(Device &d, Value row) const {
  if (blockChunks == 1)
    return Value();
  return d.bitAnd(d.shiftRight(row, llvm::Log2_64(kLineBytes / rowBytes)),
                  blockChunks - 1);
}

/// The lane's part of an address whose chunk is a multiple of the span.
Value BufAddress::getLanes(Device &d, const LanePattern::Offset &lane) const {
  Value bytes = d.mul(lane.row, rowBytes);
  if (lane.byte)
    bytes = d.add(bytes, lane.byte);
  Value inner = lane.chunk;
  if (inner && span > blockChunks) {
    int64_t bits = llvm::Log2_64(blockChunks);
    bytes = d.add(bytes, d.mul(d.shiftRight(inner, bits), blockBytes));
    inner = blockChunks > 1 ? d.bitAnd(inner, blockChunks - 1) : Value();
  }
  if (Value swizzle = getSwizzle(d, lane.row))
    inner = inner ? d.bitXor(inner, swizzle) : swizzle;
  return inner ? d.add(bytes, shiftLeft(d, inner, 4)) : bytes;
}

BufAddress::BufAddress(Device &d, KernelInfo &info, tile::BufType type,
                       Value base, const BufOffset &row,
                       const BufOffset &column, const LanePattern &lanes)
    : d(d), rowBytes(type.getBlockBytes()),
      blockBytes(type.getRows() * rowBytes),
      blockChunks(rowBytes / kChunkBytes), span(lanes.span()), start(base),
      startRow(row.constant) {
  int64_t bytes = type.getElementBytes();
  startChunk = column.constant * bytes / kChunkBytes;
  if (row.value)
    start = d.add(start, d.mul(row.value, rowBytes));
  bool isWholeBlocks =
      !column.value || column.divisor % type.getBlockColumns() == 0;
  isSimple = isWholeBlocks && startChunk % span == 0;
  if (isSimple) {
    if (column.value)
      start = d.add(start, d.mul(column.value, type.getRows() * bytes));
    auto [kind, rows, chunks, detail] = lanes.key();
    Value lane = info.atEntry(
        d, {kind, rows, chunks, detail, rowBytes, blockBytes},
        [&](Device &d) { return getLanes(d, lanes.emit(d, info)); });
    start = d.add(start, lane);
    return;
  }
  LanePattern::Offset lane = lanes.emit(d, info);
  start = d.add(start, d.mul(lane.row, rowBytes));
  if (lane.byte)
    start = d.add(start, lane.byte);
  swizzle = getSwizzle(d, lane.row);
  laneChunk = lane.chunk;
  if (column.value) {
    // Of 16-byte chunks, a column of f32 is a quarter and one of f16 an
    // eighth.
    Value chunk =
        d.shiftRight(column.value, llvm::Log2_64(kChunkBytes / bytes));
    laneChunk = laneChunk ? d.add(laneChunk, chunk) : chunk;
  }
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
