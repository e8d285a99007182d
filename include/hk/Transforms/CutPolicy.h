// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a chain of operations is cut into kernels.

#ifndef HK_TRANSFORMS_CUTPOLICY_H
#define HK_TRANSFORMS_CUTPOLICY_H

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/Operation.h"

#include <memory>
#include <string>

namespace hk {

struct Device;

/// A cut: the operation at `position` of the chain begins a new kernel.
struct Cut {
  size_t position;
  /// Why, as a clause: "attention reads rows of other workgroups".
  std::string reason;
};

/// Decides where a chain is cut. The chain is the operations of one block, or
/// of one of the parts that loops divide it into, in order; views (hk.split)
/// and packed values are not in it.
class CutPolicy {
public:
  virtual ~CutPolicy();

  /// The cuts of `chain`, in order, without one at position 0. All rows of a
  /// kernel must be of one sequence length. A kernel that computes keys or
  /// values of an attention in it owns whole sequences. `joins`, if given, gets
  /// the positions at which the policy decided against a cut, with the reasons.
  virtual mlir::SmallVector<Cut>
  cut(mlir::ArrayRef<mlir::Operation *> chain,
      mlir::SmallVectorImpl<Cut> *joins = nullptr) const = 0;
};

/// What createGreedyCutPolicy needs to know.
struct GreedyCutOptions {
  /// Rows of a block for which scratch is estimated.
  int64_t rows;
  /// Bytes of intermediate values that a workgroup may keep.
  int64_t scratchLimit;
  /// The least static batch for which a workgroup may own whole sequences; 0
  /// for none.
  int64_t sequenceBatch;
};

/// A chain with attention whose intermediate values of a whole sequence fit is
/// one kernel, if the batch alone has enough sequences for all workers.
///
/// Otherwise it is cut where it must be: before attention that reads keys or
/// values of the same kernel, where the sequence length changes, and where a
/// block of rows needs more scratch than the limit. In the last case, of all
/// places that keep the kernel within the limit, the one where the fewest
/// bytes cross is taken.
std::unique_ptr<CutPolicy>
createGreedyCutPolicy(const GreedyCutOptions &options);

/// For GPUs, one kernel for each operation that is more than element by
/// element:
///
/// - a norm, with the element-wise operations before it, in a chain, and after;
/// - a linear operation with the element-wise operations on its result;
/// - attention, by itself.
///
/// What else is element by element is a kernel of its own. An element-wise
/// operation never joins a kernel whose result it reads in part (hk.split).
std::unique_ptr<CutPolicy> createOperationCutPolicy();

/// For GPUs, row chains: the kernels of createOperationCutPolicy, joined in
/// order as long as each reads what the one before computes, attention comes
/// first, and a warp can keep the values of its rows in registers
/// (include/hk/Analysis/RowResidency.h), as operands of `operands`.
std::unique_ptr<CutPolicy> createChainCutPolicy(Operands operands);

/// Whether attention may be in one kernel with the projection of its keys and
/// values: a CTA has room for the keys of a sequence then.
enum class KeyProjection {
  Never,
  /// Where it is predicted to be faster.
  WhereItPays,
  /// Wherever it can be, to be measured beside what is predicted; with several
  /// CTAs a sequence, not where that is predicted to be much slower.
  WhereItCan
};

/// For GPUs, row chains where they pay, and attention with the projection of
/// its keys and values: of all ways to join kernels of createOperationCutPolicy
/// to such kernels, the one of least predicted time: the sum over kernels of
/// the best schedule's time (include/hk/Analysis/CostModel.h) on `device`, with
/// matrix units that multiply `operands`. A dynamic batch is taken to be
/// `batch`.
std::unique_ptr<CutPolicy>
createCostCutPolicy(Operands operands, const Device &device, int64_t batch,
                    KeyProjection projection = KeyProjection::WhereItPays);

/// A split is a view, repeated in every kernel that reads through it, unless
/// one of its results leaves the kernels; and so, in a plan for a GPU, whose
/// kernels load any type, is a cast that keeps all values.
bool isView(mlir::Operation *op);

/// The chains of a block, in order: its operations, but for views, in runs that
/// end at loops and at kernels.
mlir::SmallVector<mlir::SmallVector<mlir::Operation *>>
chainsOf(mlir::Block &block);

/// The value that `value` is, or is a view of.
mlir::Value viewedValue(mlir::Value value);

/// Why `next` cannot follow `kernel` in one kernel because sequences have other
/// lengths, or an empty string.
std::string whyRowsDiffer(mlir::ArrayRef<mlir::Operation *> kernel,
                          mlir::Operation *next);

/// True if `ops` compute keys or values of an attention among them.
bool computesKeys(mlir::ArrayRef<mlir::Operation *> ops);

} // namespace hk

#endif // HK_TRANSFORMS_CUTPOLICY_H
