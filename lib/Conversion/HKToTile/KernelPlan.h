// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a #hk.cuda kernel keeps where: which values have their rows in
// registers, which are computed by blocks of columns, and in which tiles
// weights are read. Decided, and refused, before anything is emitted.

#ifndef HK_LIB_CONVERSION_HKTOTILE_KERNELPLAN_H
#define HK_LIB_CONVERSION_HKTOTILE_KERNELPLAN_H

#include "hk/Analysis/ProjectedHeads.h"
#include "hk/Analysis/ProjectedRows.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Dialect/Tile/TileDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace hk::tile {

/// True for operations on elements: activation, add, mul, mask_rows, cast.
bool isElementwise(mlir::Operation *op);

/// The columns of an activation, or the elements of a vector.
int64_t getFeatures(mlir::Value value);

/// The operands that are activations; masks, weights and vectors are not.
mlir::ValueRange getActivations(mlir::Operation *op);

/// The columns that a slab takes for `columns`: a multiple of 8.
inline int64_t padColumns(int64_t columns) { return (columns + 7) / 8 * 8; }

/// Where a value is when it is used.
enum class Place {
  /// An argument, or computed element by element from arguments.
  Memory,
  /// In registers, all columns of a unit's rows.
  Resident,
  /// Computed by blocks of columns, where it is used.
  Blocks
};

/// How a linear operation is computed.
struct LinearPlan {
  LinearOp op;
  int64_t features = 0;
  int64_t depth = 0;
  /// All features are summed up over blocks of the input; else a block of
  /// features at a time.
  bool sums = false;
  /// The input of a block of features is one frag of all input features.
  bool wholeInput = false;
  /// The input features that are multiplied at once, if not all.
  int64_t step = 0;
  /// The shape of the tiles of the weight, and their argument.
  int64_t tileRows = 0;
  int64_t tileColumns = 0;
  unsigned weight = 0;

  int64_t getTilesPerRow() const {
    return llvm::divideCeil(depth, tileColumns);
  }
};

/// How an attention is computed.
struct AttentionPlan {
  /// The kernel computes keys or values, and a CTA those of all rows that its
  /// queries see: units publish them.
  bool isProjected = false;
  /// Of a projected one.
  ProjectedHeads heads;
};

/// A packed value that a kernel reads: a vector, or, with a layout, a weight.
struct PackedArgument {
  PackedGetOp get;
  TilesAttr layout;
  /// How many layers after that of the kernel's argument it is of.
  int64_t ahead;
};

/// The columns of a tile with `rows` rows of `bytes` an element, where a
/// schedule leaves the choice: all `columns`, or a half, a quarter and so on of
/// them, so that tiles are small.
int64_t chooseTileColumns(int64_t rows, int64_t columns, int64_t bytes);

class KernelPlan {
public:
  /// The plan of a variant, or a diagnostic.
  static mlir::FailureOr<KernelPlan> get(VariantOp variant);

  mlir::Block &getBody() const {
    VariantOp op = variant;
    return op.getBody().front();
  }
  mlir::OperandRange getYielded() const {
    return getBody().getTerminator()->getOperands();
  }

  /// The place of a value; that of an element-wise one follows from those of
  /// its operands.
  Place getPlace(mlir::Value value) const;
  bool isResident(mlir::Value value) const { return resident.contains(value); }
  /// True if computing blocks of `value` takes columns of resident values,
  /// which have to be known when the kernel is compiled.
  bool readsResident(mlir::Value value) const;
  /// The columns of a block of `value`.
  int64_t getBlockColumns(mlir::Value value) const;
  /// The attention whose heads are the blocks of `value`, if any.
  AttentionOp getAttention(mlir::Value value) const;
  /// The addition of a residual that is part of `op`: its sums begin with the
  /// residual, or, where `endsWithResidual`, it is added to them.
  AddOp getResidual(LinearOp op) const;
  /// True if the input of `op` and its residual both come from memory, and
  /// registers hold the residual beside the sums: it is then on its way while
  /// the product, which waits for its input alone, is computed.
  bool endsWithResidual(LinearOp op) const;
  const LinearPlan &getLinear(LinearOp op) const {
    return linears.find(op.getOperation())->second;
  }
  AttentionPlan getAttentionPlan(AttentionOp op) const {
    return attentions.lookup(op.getOperation());
  }
  /// The columns of the heads of `op` that are computed at once.
  int64_t getHeadColumns(AttentionOp op) const {
    return getAttentionPlan(op).heads.heads * op.getHeadDim();
  }
  /// The columns of the keys that are published at once.
  int64_t getKeyColumns(AttentionOp op) const {
    return getAttentionPlan(op).heads.keyHeads * op.getHeadDim();
  }
  /// The layout of frags of whole columns of `value`.
  FragLayout getLayout(mlir::Value value) const;
  /// True if a CTA has all rows of a sequence.
  bool ownsSequences() const { return schedule.getRows() >= sequence; }
  /// True if all rows of all frags are rows of a sequence: no frag reaches
  /// behind its end.
  bool hasWholeRows() const;
  /// True if each CTA has as many sequences as any other: the batch is known
  /// and has no rest.
  bool hasWholeBatch() const;
  /// The rows of a sequence whose keys a CTA computes, with those that pad it.
  int64_t getSequenceRows() const {
    return llvm::alignTo(sequence, projectedRows.rows);
  }
  /// The values that keys and values of `op` are computed from and that are in
  /// registers whole, in the order of the kernel.
  llvm::SmallVector<mlir::Value> getResidentSources(AttentionOp op) const;
  /// The keys that the online softmax takes at a time.
  int64_t getKeys(AttentionOp op) const;

  /// The type of what matrix units multiply.
  mlir::Type getOperandType() const;
  bool isSplit() const { return schedule.getOperands() == Operands::TF32x3; }
  /// Results need no more than the accuracy of f16.
  bool isApproximate() const {
    return schedule.getOperands() == Operands::F16 ||
           schedule.getOperands() == Operands::BF16;
  }

  VariantOp variant;
  CUDAAttr schedule;
  /// The rows of a sequence, and of a unit.
  int64_t sequence = 0;
  int64_t unitRows = 0;
  /// Where the kernel computes keys: the sequences of a CTA, and the rows that
  /// it has for each.
  ProjectedRows projectedRows;
  /// The kernel streams rows: no linear operation, no attention.
  bool isStream = false;
  /// A kernel that streams rows has the line layout, which has no rows of one
  /// column.
  bool isLine = false;
  /// The rows of a frag: those of a unit, or more; in the line layout, as many
  /// as are held at once.
  int64_t fragRows = 0;
  /// The number of runs of columns or heads that CTAs share out.
  int64_t runs = 1;

  /// In the order of the kernel's arguments.
  llvm::SmallVector<PackedArgument> packed;
  /// The argument of a bias, gamma or beta.
  llvm::DenseMap<mlir::Value, unsigned> vectors;

private:
  KernelPlan(VariantOp variant, CUDAAttr schedule)
      : variant(variant), schedule(schedule) {}

  mlir::LogicalResult setRows();
  void setLineRows();
  void markResident();
  bool planLinears();
  mlir::LogicalResult planAttentions();
  mlir::LogicalResult checkPartOfSequence(AttentionOp op) const;
  mlir::LogicalResult setProjectedRows(AttentionOp op);
  mlir::LogicalResult setHeads(AttentionOp op, AttentionPlan &plan);
  mlir::LogicalResult setTiles(LinearPlan &plan);
  mlir::LogicalResult setRuns();
  mlir::LogicalResult check();
  // PlanLayouts.cpp
  void setLayouts();
  bool isLoadedOnce(const LinearPlan &plan) const;
  int64_t getStrip(mlir::Value value) const;
  void visit(mlir::Value value,
             llvm::function_ref<void(mlir::Value)> leaf) const;
  int64_t getResidentColumns() const;
  unsigned addPacked(PackedGetOp get, TilesAttr layout);

  llvm::DenseSet<mlir::Value> resident;
  /// The values whose rows are strips.
  llvm::DenseMap<mlir::Value, FragLayout> strips;
  llvm::DenseMap<mlir::Operation *, LinearPlan> linears;
  llvm::DenseMap<mlir::Operation *, AttentionPlan> attentions;
};

/// Checks what does not depend on places: operations, element types, packed
/// values, shapes. Returns the rows of a sequence.
mlir::FailureOr<int64_t> verifyVariant(VariantOp variant);

/// `@w.t128x64.f16`: the packed value that `get` reads, in tiles of `element`,
/// rounded once. It is made if there is none.
PackedOp getTiles(mlir::SymbolTable &symbols, PackedGetOp get, TilesAttr layout,
                  mlir::Type element);

} // namespace hk::tile

#endif // HK_LIB_CONVERSION_HKTOTILE_KERNELPLAN_H
