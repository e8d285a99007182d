// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of the online softmax: a block of keys against a block of queries.

#ifndef HK_LIB_CONVERSION_HKTOVECTOR_KEYBLOCK_H
#define HK_LIB_CONVERSION_HKTOVECTOR_KEYBLOCK_H

#include "KernelEmitter.h"

namespace hk {

/// What is fixed for all blocks of one attention.
struct AttentionBlocks {
  mutable AttentionOp op; ///< its accessors are not const
  View query, key, value, context;
  int64_t sequence, headDim;
  int64_t registers;       ///< of queries
  int64_t queries;         ///< in a block: registers * lanes
  int64_t keys;            ///< in a block
  int64_t tile;            ///< keys in a register tile
  double scale;            ///< of the scores, towards base 2
  mlir::Value limit;       ///< no key from here on is visible
  mlir::Value mask;        ///< bytes, or null
  mlir::Value packedQuery; ///< [headDim, queries]
  mlir::Value scores;      ///< [keys, queries]
  mlir::Value sums;        ///< [headDim, queries]: the context, not yet divided
  mlir::Value packedValues; ///< [keys, headDim], with a mask only

  bool mayOverrun(int64_t rows) const { return rows % queries != 0; }
};

/// The largest divisor of `count` up to `limit`, or, where that would waste
/// the registers, `limit` itself.
int64_t attentionTile(int64_t count, int64_t limit);

/// The first column of a head. Of keys and values, a group of heads shares one.
mlir::Value headColumn(VectorBuilder &v, const View &view, mlir::Value head,
                       int64_t group, int64_t headDim);

class KeyBlock {
public:
  /// Keys [key, key + keys) for the queries from `query` on. No key from
  /// `keyEnd` on is visible. In an edge block some queries may not see some of
  /// the keys; in others all see all.
  KeyBlock(KernelEmitter &emitter, const AttentionBlocks &at, mlir::Value head,
           mlir::Value query, mlir::Value key, mlir::Value keyEnd, bool edge);

  /// Takes and returns the state: for each register of queries the maximum of
  /// its scores and the sum of their powers, so far.
  llvm::SmallVector<mlir::Value> emit(mlir::ValueRange state);

private:
  mlir::Value load(mlir::Value memref, mlir::Value row, int64_t j);
  void store(mlir::Value vector, mlir::Value memref, mlir::Value row,
             int64_t j);
  mlir::Value isValid(mlir::Value token);

  void emitScores();
  llvm::SmallVector<mlir::Value> emitScoreTile(mlir::Value tile, int64_t m,
                                               mlir::ValueRange before);
  mlir::Value maskScore(mlir::Value score, int64_t j, mlir::Value visible,
                        mlir::Value token);
  void emitPowers(mlir::ValueRange state);
  void copyValues();
  mlir::Value areFinite();
  void emitContext();
  void accumulate(bool skipZeros);

  KernelEmitter &emitter;
  VectorBuilder &v;
  const AttentionBlocks &at;
  const int64_t n; ///< registers of queries
  const bool edge;
  mlir::Value key, keyEnd, count;
  mlir::Value keyColumn, valueColumn;
  mlir::Value zero, lowest;
  llvm::SmallVector<mlir::Value> tokens; ///< of the queries; causal edges only
  llvm::SmallVector<mlir::Value> maxima, decays, totals;
  /// Where the values are: the memref, its first row and first column.
  mlir::Value values, firstValue, firstElement;
};

} // namespace hk

#endif // HK_LIB_CONVERSION_HKTOVECTOR_KEYBLOCK_H
