// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One head of an attention, as all that is emitted for it sees it.

#ifndef HK_LIB_CONVERSION_HKTOTILE_ATTENTIONHEAD_H
#define HK_LIB_CONVERSION_HKTOTILE_ATTENTIONHEAD_H

#include "TileEmitter.h"

namespace hk::tile {

/// Columns of an accumulator that one group of registers holds.
constexpr int64_t kGroupColumns = 8;

/// What the blocks of keys of one head have in common.
struct TileEmitter::AttentionHead {
  /// MLIR's operations are handles whose accessors are not const.
  mutable AttentionOp op;
  MemoryView key, value;
  mlir::Type operandType;
  bool split;
  int64_t keys;
  /// The columns of a head, and padded to a multiple of 8.
  int64_t headDim, paddedHeadDim;
  /// Multiplies the scores, which are then exponents of 2.
  double scale;
  /// What the scores are multiplied by only when they become exponents: the
  /// scale, unless their order depends on it.
  double factor;
  /// The query head, and its rows of the unit; where they come from, if that
  /// is memory.
  mlir::Value number, query;
  std::optional<MemoryView> queryView;
  /// The key/value head.
  mlir::Value group;
  /// Bufs of the keys and values of a whole sequence, and the column where
  /// those of the head begin; null where they come from memory.
  mlir::Value publishedKeys, publishedValues;
  int64_t publishedColumn = 0;
  /// The first row of the sequence in memory, and that after its last key.
  mlir::Value firstRow, endRow;
  /// The number of keys that some query of the CTA sees, or, of published ones,
  /// some query of the unit; and how many of those are valid up to the first
  /// that is not.
  mlir::Value limit, leading;
  /// Whether the maximum of the blocks of keys before is taken for theirs.
  bool guessesMaximum = false;
  /// The memref of the key mask, or null.
  mlir::Value mask;
};

/// Maxima, sums (in 8 columns) and the context, not yet divided.
struct TileEmitter::SoftmaxState {
  mlir::Value maximum, sum, context;

  llvm::SmallVector<mlir::Value> values() const {
    return {maximum, sum, context};
  }
  static SoftmaxState get(mlir::ValueRange values) {
    return {values[0], values[1], values[2]};
  }
};

/// The powers of 2 of a block of keys, as operands, and their sums in the
/// columns of the state's.
struct TileEmitter::BlockPowers {
  mlir::Value powers, sum;
};

/// What a block of keys adds: powers of 2 as operands of the product with the
/// values, and the state that it adds to, their sum already in it.
struct TileEmitter::Weights {
  SoftmaxState state;
  mlir::Value powers;

  llvm::SmallVector<mlir::Value> values() const {
    return {state.maximum, state.sum, state.context, powers};
  }
  static Weights get(mlir::ValueRange values) {
    return {SoftmaxState::get(values), values[3]};
  }
};

} // namespace hk::tile

#endif // HK_LIB_CONVERSION_HKTOTILE_ATTENTIONHEAD_H
