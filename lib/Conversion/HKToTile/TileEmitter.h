// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the body of a tile kernel: what every unit of a CTA does for its rows,
// as the plan of the kernel says.

#ifndef HK_LIB_CONVERSION_HKTOTILE_TILEEMITTER_H
#define HK_LIB_CONVERSION_HKTOTILE_TILEEMITTER_H

#include "KernelPlan.h"

#include "hk/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>
#include <optional>

namespace hk::tile {

/// A column: `index` * `stride` + `offset`, or `offset` alone.
struct Column {
  mlir::Value index;
  int64_t stride = 0;
  int64_t offset = 0;

  Column operator+(int64_t columns) const {
    return Column{index, stride, offset + columns};
  }
};

/// Columns of a matrix in global memory.
struct MemoryView {
  mlir::Value memref;
  int64_t firstColumn = 0;
  int64_t columns = 0;

  mlir::Type getElementType() const {
    return llvm::cast<mlir::MemRefType>(memref.getType()).getElementType();
  }
};

class TileEmitter {
public:
  /// `kernel` has the arguments that the plan asks for, and an empty block.
  TileEmitter(mlir::OpBuilder &builder, KernelOp kernel,
              const KernelPlan &plan);

  /// Emits all of the variant's body.
  void emit();

private:
  using BlockFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Column column, int64_t columns, mlir::ValueRange carried)>;
  using ScalarFn = llvm::function_ref<mlir::Value(mlir::ValueRange elements)>;

  //===--- Where the CTA is
  // EmitPosition.cpp
  void emitPosition();
  mlir::Value emitPairOfBlocks(mlir::Value pair, int64_t blocks);
  mlir::Value emitItemsOfCTA(int64_t blocks, mlir::Value &block);
  mlir::Value emitIsRead();
  void emitRows(llvm::function_ref<void()> body);
  // EmitSequences.cpp
  void emitPositionOfSequences(mlir::Value group);
  mlir::Value emitIsOneRead(mlir::Value mask);
  bool multipliesTogether();
  mlir::Value publishedRow(mlir::Value row);
  /// Columns of the input of a linear operation that does not hold it whole.
  mlir::Value streamInput(mlir::Value value, Column column, int64_t columns);

  //===--- The kernel (TileEmitter.cpp)
  void emitRowsOfCTA();
  void emitBody();
  void emitZeros();
  void emitResident(mlir::Value value);
  mlir::Value computeResident(mlir::Value value);
  void emitYields();
  void emitYieldBlocks(llvm::ArrayRef<unsigned> results);
  void forRun(mlir::Value value,
              llvm::function_ref<void(Column, int64_t)> body);
  void store(unsigned result, Column column, int64_t columns);
  void storeFrag(mlir::Value frag, unsigned result, Column column,
                 int64_t columns);

  //===--- Scalars and types (TileEmitter.cpp)
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value value, int64_t constant);
  mlir::Value mul(mlir::Value value, int64_t constant);
  mlir::Value at(Column column);
  /// A scalar of a map.
  mlir::Value constant(double value);
  /// One value a row.
  FragType rowType(mlir::Type element);
  /// `columns` columns, padded in a slab; of a strip they are whole ones.
  FragType fragType(int64_t rows, int64_t columns, mlir::Type element,
                    FragLayout layout = FragLayout::Slab);
  mlir::Value map(FragType type, mlir::ValueRange inputs, ScalarFn body);
  mlir::Value splat(double value, int64_t columns,
                    FragLayout layout = FragLayout::Slab);
  mlir::Value slice(mlir::Value frag, int64_t column, int64_t columns);
  /// The flags of operations that are exact, and of those that may not be.
  mlir::arith::FastMathFlagsAttr exact();
  mlir::arith::FastMathFlagsAttr approximate();

  //===--- Memory (TileEmitter.cpp)
  /// The memref of an argument of the variant.
  mlir::Value argument(mlir::Value value);
  /// Where a value that is in memory is: an argument, a view of one, or either
  /// as it was before a cast that keeps all values.
  std::optional<MemoryView> memory(mlir::Value value);
  mlir::Value load(const MemoryView &view, Column column, int64_t columns,
                   FragLayout layout);
  /// Elements of a bias, gamma or beta, one a column.
  mlir::Value loadVector(mlir::Value packed, Column column, int64_t columns,
                         FragLayout layout);

  //===--- Blocks (TileEmitter.cpp)
  /// Calls `body` for runs of `width` of `columns`, in order: in a loop, or,
  /// with `isStatic`, one after another; and for what is left over. Each call
  /// gets what the one before returned, the first `carried`.
  /// What is carried may be null, but in a loop.
  llvm::SmallVector<mlir::Value> forBlocks(int64_t columns, int64_t width,
                                           bool isStatic,
                                           mlir::ValueRange carried,
                                           BlockFn body);
  /// Whether these blocks are a loop.
  static bool isLoop(int64_t columns, int64_t width, bool isStatic);
  /// Columns of `value`, with elements of `element` (else its own).
  mlir::Value evaluate(mlir::Value value, Column column, int64_t columns,
                       mlir::Type element = {});
  mlir::Value evaluateAll(mlir::Value value, mlir::Type element = {}) {
    return evaluate(value, Column(), getFeatures(value), element);
  }
  /// Computes what all blocks of `value` share, before a loop over them.
  void prepare(mlir::Value value);

  //===--- Operations
  // EmitElementwise.cpp
  struct Fusion;
  void gather(mlir::Value value, Column column, int64_t columns,
              Fusion &fusion);
  mlir::Value fuse(mlir::Value value, Column column, int64_t columns,
                   mlir::Type element);
  mlir::Value scalar(mlir::Value value, const Fusion &fusion,
                     mlir::ValueRange elements);
  mlir::Value widen(mlir::Value scalar);
  mlir::Value narrow(mlir::Value scalar, mlir::Type element);
  mlir::Value activation(ActivationKind kind, mlir::Value x);
  mlir::Value validRows(MaskRowsOp op);
  // EmitNorm.cpp
  mlir::Value emitNorm(mlir::Operation *op);
  mlir::Value zeroPadding(mlir::Value frag, int64_t columns);
  // EmitLinear.cpp
  /// The sums of a block of features, or of all; `c` is where they begin.
  mlir::Value emitLinear(LinearOp op, Column column, int64_t columns,
                         mlir::Value c);
  mlir::Value emitSums(LinearOp op, mlir::Value c);
  /// Some columns of a value.
  struct Block {
    mlir::Value value;
    Column column;
    int64_t columns;
  };
  /// Computes the sums that `wanted` are computed from in one pass over the
  /// input, where they are of one linear operation that streams it.
  void emitTogether(llvm::ArrayRef<Block> wanted);
  mlir::Value multiply(const LinearPlan &plan, mlir::Value a, Column k,
                       Column n, int64_t columns, mlir::Value c);
  // EmitAttention.cpp
  struct AttentionHead;
  struct SoftmaxState;
  struct BlockPowers;
  struct Weights;
  /// The context of query head `head` of the unit's rows, normalised, of f32,
  /// the columns padded to a multiple of 8.
  mlir::Value emitAttentionBlock(AttentionOp op, mlir::Value head);
  /// How the keys of a block are compared.
  enum class Masking {
    /// Every query sees every key.
    None,
    /// With the query, and of the last keys alone, as many as a warpgroup has
    /// rows: its rows see all before.
    Diagonal,
    /// With the query, if causal, and the last key.
    Ends,
    /// And with the bytes of the key mask.
    Seen
  };
  /// The keys before `leading` are all valid; none from `limit` on is seen.
  struct KeyRange {
    mlir::Value limit, leading;
  };
  KeyRange emitKeyRange(AttentionOp op);
  AttentionHead describeHead(AttentionOp op);
  /// The context of a head whose query and keys are known.
  mlir::Value emitHead(AttentionHead &head);
  mlir::Value emitScores(const AttentionHead &head, mlir::Value keys,
                         mlir::Value row, mlir::Value from, Masking masking);
  mlir::Value emitPowers(const AttentionHead &head, mlir::Value x,
                         mlir::Value base);
  mlir::Value emitBase(mlir::Value maximum, Masking masking);
  SoftmaxState emitRescaled(const AttentionHead &head, SoftmaxState state,
                            mlir::Value top, Masking masking);
  SoftmaxState emitMaximum(const AttentionHead &head, SoftmaxState state,
                           mlir::Value top, Masking masking);
  BlockPowers emitBlock(const AttentionHead &head, mlir::Value scores,
                        const SoftmaxState &state, Masking masking);
  Weights emitSum(SoftmaxState state, const BlockPowers &block);
  Weights emitWeights(const AttentionHead &head, mlir::Value scores,
                      SoftmaxState state, Masking masking);
  SoftmaxState emitKeyBlock(const AttentionHead &head, mlir::Value keys,
                            mlir::Value values, mlir::Value row,
                            mlir::Value from, SoftmaxState state,
                            Masking masking);
  SoftmaxState emitKeyParts(const AttentionHead &head, mlir::Value keys,
                            mlir::Value values, mlir::Value from,
                            mlir::Value end, SoftmaxState state,
                            Masking masking);
  mlir::Value emitFirstRow();
  mlir::Value emitLastRow();
  SoftmaxState emitKeyLoop(const AttentionHead &head, mlir::Value begin,
                           mlir::Value end, SoftmaxState state,
                           Masking masking);
  SoftmaxState emitWholeBlocks(const AttentionHead &head, mlir::Value end,
                               SoftmaxState state);
  SoftmaxState emitMaskedLoop(const AttentionHead &head, mlir::Value begin,
                              SoftmaxState state);
  mlir::Value emitContext(const AttentionHead &head, SoftmaxState state);
  // EmitProjectedAttention.cpp
  /// Bufs of keys and values of all rows of the sequence.
  struct PublishedKeys {
    mlir::Value keys, values;
  };
  /// The context of the query heads that `column` begins, beside each other.
  mlir::Value emitProjectedAttention(AttentionOp op, Column column);
  /// Publishes the keys and values of the unit's rows, of the heads that
  /// `column` begins.
  PublishedKeys publishKeys(AttentionOp op, Column column);
  /// Where a CTA has some of the sequence's rows: publishes those of the others
  /// that its queries see.
  void publishOthers(AttentionOp op, Column column);
  void forOtherRows(AttentionOp op, llvm::function_ref<void(mlir::Value)> body);
  /// The same where all heads of the CTA share them, before its own rows are
  /// there.
  void publishFirst();
  bool isFilledFirst(AttentionOp op);
  /// Calls `body` as if the unit's rows were those that are `first` behind its
  /// rows of the first CTA of the sequence.
  void withRowsFrom(mlir::Value first, llvm::function_ref<void()> body);
  /// The columns of the keys of the query heads that `column` begins.
  Column getKeyColumn(AttentionOp op, Column column);
  /// The same of the heads that share keys, of which `group` are before them.
  Column getSharedKeyColumn(AttentionOp op, mlir::Value group);
  void hideRows(AttentionOp op, mlir::Value &keys, mlir::Value &values);
  /// The columns of `value` that the CTA owns, where several blocks of them
  /// share keys.
  void forSharedKeys(AttentionOp op,
                     llvm::function_ref<void(Column, int64_t)> body);
  // EmitExactAttention.cpp
  /// `context`, or, where it is not finite, what nothing unseen has touched.
  mlir::Value emitGuard(const AttentionHead &head, mlir::Value context);
  mlir::Value emitExactContext(const AttentionHead &head);

  mlir::OpBuilder &b;
  mlir::Location loc;
  KernelOp kernel;
  const KernelPlan &plan;
  CUDAAttr schedule;

  /// The rows of a frag.
  int64_t rows;
  /// The sequence of the CTA.
  mlir::Value sequence;
  /// Of a CTA with several sequences: the first, and the first row that the CTA
  /// has of the unit's. The sequence is then that of the unit.
  mlir::Value firstSequence, keyRow;
  /// The run of columns or heads of the CTA; null if there is one only.
  mlir::Value run;
  /// The first row of the CTA: in its sequence, and in memory.
  mlir::Value firstQuery, ctaRow;
  /// The first row of the unit: in the CTA, in its sequence, and in memory.
  mlir::Value unitRow, localRow, row;
  /// The row in memory after the last that may be touched.
  mlir::Value end;
  /// The same, or null where no frag reaches it.
  mlir::Value getBound() const {
    return plan.hasWholeRows() ? mlir::Value() : end;
  }

  /// The values that are in registers whole.
  llvm::DenseMap<mlir::Value, mlir::Value> residents;
  /// What has been computed and can be used here: by value, column, columns
  /// and element type (none: the sums of a linear operation).
  using BlockKey = std::tuple<void *, void *, int64_t, int64_t, const void *>;
  static BlockKey key(mlir::Value value, Column column, int64_t columns,
                      mlir::Type element);
  std::map<BlockKey, mlir::Value> blocks;
  /// The keys that an attention reads, computed before its heads.
  llvm::DenseMap<mlir::Operation *, KeyRange> keyRanges;
  /// The keys that blocks of heads share, while there are any.
  llvm::DenseMap<mlir::Operation *, PublishedKeys> sharedKeys;
  /// The bufs that blocks of rows fill, where a CTA has some of a sequence.
  llvm::DenseMap<mlir::Operation *, PublishedKeys> filledKeys;
};

} // namespace hk::tile

#endif // HK_LIB_CONVERSION_HKTOTILE_TILEEMITTER_H
