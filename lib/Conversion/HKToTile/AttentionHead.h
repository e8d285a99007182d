// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One head of an attention, as all that is emitted for it sees it.

#ifndef HK_LIB_CONVERSION_HKTOTILE_ATTENTIONHEAD_H
#define HK_LIB_CONVERSION_HKTOTILE_ATTENTIONHEAD_H

#include "TileEmitter.h"

namespace hk::tile {

/// What the blocks of keys of one head have in common.
struct TileEmitter::AttentionHead {
  /// MLIR's operations are handles whose accessors are not const.
  mutable AttentionOp op;
  MemoryView queryView, key, value;
  mlir::Type operandType;
  bool split;
  int64_t keys;
  /// The columns of a head, and padded to a multiple of 8.
  int64_t headDim, paddedHeadDim;
  /// Multiplies the scores, which are then exponents of 2.
  double scale;
  /// The query head, and its rows of the unit.
  mlir::Value number, query;
  /// The key/value head.
  mlir::Value group;
  /// The first row of the sequence in memory, and that after its last key.
  mlir::Value firstRow, endRow;
  /// The number of keys that some query of the CTA sees.
  mlir::Value limit;
  /// The memref of the key mask, or null.
  mlir::Value mask;
};

} // namespace hk::tile

#endif // HK_LIB_CONVERSION_HKTOTILE_ATTENTIONHEAD_H
