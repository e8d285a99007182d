// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of the 16-byte chunks of a buf: its blocks and its swizzle.

#ifndef HK_LIB_CONVERSION_TILETONVVM_BUFADDRESS_H
#define HK_LIB_CONVERSION_TILETONVVM_BUFADDRESS_H

#include "Instructions.h"
#include "KernelInfo.h"

#include "llvm/ADT/DenseMap.h"

namespace hk {

/// A place in a buf: a row and a column, multiples of 8.
struct BufOffset {
  /// The part that is known when the kernel is compiled.
  int64_t constant = 0;
  /// The rest, an i32, or none.
  mlir::Value value;
  /// What divides the rest.
  int64_t divisor = 8;

  /// Of the index operand in `position` of `op`; `converted` is its value
  /// during the conversion.
  static BufOffset get(Device &d, const KernelInfo &info, mlir::Operation *op,
                       unsigned position, mlir::Value converted);
};

/// Where the lanes of a warp are around a place of a buf: in whole rows, less
/// than 32, chunks, less than `span`, and bytes within a chunk.
class LanePattern {
public:
  /// Of ldmatrix: rows of a grid of 8x8 matrices (in 16-bit elements), `rows`
  /// x `chunks` of them, one or two or four in all, counted along rows or
  /// chunks first.
  static LanePattern matrix(int64_t rows, int64_t chunks, bool isRowFirst);
  /// Of two columns in a slab, in elements of f32 or 16 bits: row lane / 4,
  /// columns 2 (lane mod 4) and the next.
  static LanePattern pair(int64_t elementBytes);
  /// Of one element of f32, across: row 2 (lane mod 4) + `step`, column
  /// lane / 4.
  static LanePattern across(int64_t step);

  int64_t span() const { return chunks; }
  /// What names the pattern.
  std::array<int64_t, 4> key() const { return {kind, rows, chunks, detail}; }

  struct Offset {
    mlir::Value row;
    mlir::Value chunk; // none: 0
    mlir::Value byte;  // none: 0
  };
  Offset emit(Device &d, const KernelInfo &info) const;

private:
  enum Kind : int64_t { Matrix, Pair, Across };
  Kind kind;
  int64_t rows, chunks, detail;

  LanePattern(Kind kind, int64_t rows, int64_t chunks, int64_t detail)
      : kind(kind), rows(rows), chunks(chunks), detail(detail) {}
};

/// Addresses around one place of a buf. Steps along rows are constants for the
/// instruction to add, steps along chunks one XOR each, which all rows share.
class BufAddress {
public:
  /// `base` is the address of the buf, an i32.
  BufAddress(Device &d, KernelInfo &info, tile::BufType type, mlir::Value base,
             const BufOffset &row, const BufOffset &column,
             const LanePattern &lanes);

  /// The address `row` rows, a multiple of 8, and `chunk` chunks, a multiple
  /// of the lane's span, further.
  SharedAddress get(int64_t row, int64_t chunk);

private:
  Device &d;
  int64_t rowBytes;   // S, the bytes of a row of a block
  int64_t blockBytes; // of all rows of a block
  int64_t blockChunks;
  int64_t span;
  /// The address without the chunk, or with it where steps are XORs. All that
  /// depends on the lane alone is computed once a kernel.
  mlir::Value start;
  /// Of the place: its constant part.
  int64_t startRow, startChunk;
  /// XOR or, if the chunk is not known well enough, arithmetic.
  bool isSimple;
  mlir::Value laneChunk; // with the unknown part of the column
  mlir::Value swizzle;
  llvm::DenseMap<int64_t, mlir::Value> steps;

  mlir::Value getSwizzle(Device &d, mlir::Value row) const;
  mlir::Value getLanes(Device &d, const LanePattern::Offset &lane) const;
  mlir::Value getStep(int64_t chunk);
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_BUFADDRESS_H
