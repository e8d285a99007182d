// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what one workgroup of a #hk.cpu kernel does: the operations of a
// variant, on a block of rows of one sequence, as loops over vectors.

#ifndef HK_LIB_CONVERSION_HKTOVECTOR_KERNELEMITTER_H
#define HK_LIB_CONVERSION_HKTOVECTOR_KERNELEMITTER_H

#include "KernelGroups.h"
#include "VectorBuilder.h"

#include "hk/Dialect/HK/HKDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace hk {

struct AttentionBlocks;

/// Where the rows of a value lie. Element (row, column) of the workgroup's
/// block is `memref`[firstRow + row, firstColumn + column].
struct View {
  mlir::Value memref;
  mlir::Value firstRow;
  int64_t firstColumn = 0;
  int64_t columns = 0;
};

/// What the emitter is given for the arguments and results of a variant, for
/// the sequence of the workgroup.
struct KernelOperands {
  /// By argument: an activation `[S, D]` or a mask `[S]` of bytes as a memref,
  /// or the length of the sequence as an index.
  llvm::SmallVector<mlir::Value> arguments;
  /// By result: `[S, D]`.
  llvm::SmallVector<mlir::Value> results;
  /// By packed value: `elements` of it from element `offset` on, as a memref of
  /// the given shape.
  std::function<mlir::Value(PackedGetOp, llvm::ArrayRef<int64_t> shape,
                            int64_t offset)>
      packed;
  /// `[rows, columns]` of f32 at byte `offset` of the scratch.
  std::function<mlir::Value(int64_t offset, llvm::ArrayRef<int64_t> shape)>
      scratch;
};

class KernelEmitter {
public:
  /// Emits for blocks of `rows` rows from row `firstRow` of the sequence on.
  KernelEmitter(VectorBuilder &builder, CPUAttr schedule,
                const KernelGroups &groups, const KernelOperands &operands,
                int64_t rows, mlir::Value firstRow);

  /// Emits all of the variant's body. Fails with a diagnostic where an
  /// operation is not supported.
  mlir::LogicalResult emit();

  /// The bytes of scratch that what was emitted needs.
  int64_t getScratchBytes() const { return scratchBytes; }

private:
  using TileFn = llvm::function_ref<void(mlir::Value index, int64_t count)>;

  //===--- Values (KernelEmitter.cpp)
  //--------------------------------------===//
  mlir::LogicalResult emitGroup(const KernelGroup &group);
  /// The place of a value that is in memory.
  View view(mlir::Value value);
  /// A new place for `value`: the result it is yielded as, or scratch.
  View destination(mlir::Value value);
  /// Scratch of f32, and the slice it is in.
  std::pair<mlir::Value, unsigned> allocate(llvm::ArrayRef<int64_t> shape);
  /// Frees the scratch of the values that no later group uses.
  void releaseDead(unsigned group);
  void emitCopy(const View &from, const View &to);

  //===--- Loops (KernelEmitter.cpp)
  //---------------------------------------===//
  /// Calls `body` for 0 <= i < count in a loop.
  void forEach(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Calls `body` for runs of `step`, in a loop, and for what is left over.
  void forTiles(int64_t count, int64_t step, TileFn body);
  /// The registers that `width` elements take: (first element, lanes).
  llvm::SmallVector<std::pair<int64_t, int64_t>> chunks(int64_t width);
  mlir::Value loadVector(const View &view, mlir::Value row, mlir::Value column,
                         int64_t width);
  void storeVector(mlir::Value vector, const View &view, mlir::Value row,
                   mlir::Value column);
  /// One scalar, not from the element's own row but row `row` of the memref.
  mlir::Value loadScalar(mlir::Value memref, mlir::Value row,
                         mlir::Value column);

  /// acc[i][j] += sum_k a(i, k) * b(j, k), all in registers. `sums` are the
  /// accumulators, i-major. With `skipZeros` a zero b adds nothing, whatever a
  /// is.
  llvm::SmallVector<mlir::Value>
  emitTile(int64_t m, int64_t n, mlir::Value depth,
           llvm::function_ref<mlir::Value(int64_t, mlir::Value)> a,
           llvm::function_ref<mlir::Value(int64_t, mlir::Value)> b,
           llvm::SmallVector<mlir::Value> sums, bool skipZeros = false);

  //===--- Operations
  //------------------------------------------------------===//
  // EmitElementwise.cpp
  mlir::Value evaluate(mlir::Value value, mlir::Value row, mlir::Value column,
                       int64_t width, const KernelGroup &group,
                       mlir::Value core);
  mlir::Value rowIsValid(MaskRowsOp op, mlir::Value row);
  void emitElementwise(const KernelGroup &group, const View &to);
  // EmitNorm.cpp
  void emitNorm(mlir::Operation *op, const View &to);
  // EmitLinear.cpp
  mlir::LogicalResult emitLinear(const KernelGroup &group, const View &to);
  // EmitAttention.cpp
  friend class KeyBlock;
  void emitAttention(AttentionOp op, const View &to);
  void emitAttentionBlock(const AttentionBlocks &at, mlir::Value head,
                          mlir::Value query);
  mlir::Value isUnmasked(const AttentionBlocks &at, mlir::Value key,
                         mlir::Value whole);
  void packQueries(const AttentionBlocks &at, mlir::Value head,
                   mlir::Value query);
  void storeContext(const AttentionBlocks &at, mlir::Value head,
                    mlir::Value query, mlir::ValueRange state);
  /// Transposes as many vectors as a vector has lanes.
  llvm::SmallVector<mlir::Value>
  transpose(llvm::SmallVector<mlir::Value> vectors);

  VectorBuilder &v;
  CPUAttr schedule;
  const KernelGroups &groups;
  const KernelOperands &operands;
  int64_t rows;
  mlir::Value firstRow;

  llvm::DenseMap<mlir::Value, View> places;
  struct Slice {
    int64_t offset, size;
    bool inUse;
  };
  llvm::SmallVector<Slice> slices;
  llvm::DenseMap<mlir::Value, unsigned> sliceOf;
  int64_t scratchBytes = 0;
};

} // namespace hk

#endif // HK_LIB_CONVERSION_HKTOVECTOR_KERNELEMITTER_H
