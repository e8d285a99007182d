// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows (tokens) of a value can change a result of its function.

#ifndef HK_ANALYSIS_DEMANDEDROWS_H
#define HK_ANALYSIS_DEMANDEDROWS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hk {

/// A set of rows of a value, described from above: no row, or at most the rows
/// that are valid under each of some masks (values of `lengths` or `key_mask`);
/// without masks, all rows.
class RowDemand {
public:
  static RowDemand none() { return RowDemand(); }
  static RowDemand all() {
    RowDemand demand;
    demand.any = true;
    return demand;
  }

  bool isNone() const { return !any; }
  bool isAll() const { return any && masks.empty(); }

  /// True if every row of the set is valid under `mask`.
  bool isWithin(mlir::Value mask) const;

  /// The masks that describe the set.
  llvm::ArrayRef<mlir::Value> getMasks() const { return masks; }

  /// The rows of the set that are valid under `mask`.
  RowDemand restrictTo(mlir::Value mask) const;

  /// The set with a description by fewer masks: those that `keep` accepts.
  RowDemand withMasks(llvm::function_ref<bool(mlir::Value)> keep) const;

  /// The union with another set. Returns true if this set grew.
  bool join(const RowDemand &other);

private:
  bool any = false;
  llvm::SmallVector<mlir::Value, 2> masks;
};

/// For every value below an operation, the rows that are demanded: S(v) such
/// that the results of the function are the same whatever the other rows of v
/// hold, NaN included.
///
/// S is the least solution of these constraints, found by iteration from "no
/// row"; R is S of the result of an operation, and a mask M stands for the
/// rows that are valid under it.
/// - All rows of what a function returns, or an unknown operation uses.
/// - An operation of scope `row` needs row i of its activations for row i of
///   its result: R.
/// - `mask_rows` by M takes nothing from invalid rows: R and M.
/// - `attention` needs row i of the query for row i of its result: R. It needs
///   those rows j of key and value that a query in R sees.
///   - With a mask A these are valid under A, whatever R is: what masked keys
///     and values hold does no harm.
///   - If it is causal, j <= i. Where R is within `lengths` M, i < M and so
///     j < M: valid under M. (This is why a prefix is needed: under a
///     `key_mask`, an earlier row than a valid one can be invalid.)
///   - Else nothing is known: all rows, if R has any.
/// - A loop needs of what it is given, and of what an iteration hands on, the
///   rows that the next iteration or a use of the loop's result needs. A mask
///   that is computed in the loop is another one in each iteration, so it is
///   forgotten on the way.
///
/// If an operation is replaced by one that agrees with it in the rows S of its
/// result and needs no more of its operands than S says, then, by induction in
/// the order of execution, all values keep their rows in S, and the results of
/// the function stay the same. Several such replacements at once are right for
/// the same reason: no replacement changes S.
class DemandedRows {
public:
  explicit DemandedRows(mlir::Operation *root);

  RowDemand get(mlir::Value value) const { return demands.lookup(value); }

private:
  void visit(mlir::Operation *op);
  void add(mlir::Value value, const RowDemand &demand);

  llvm::DenseMap<mlir::Value, RowDemand> demands;
  bool changed = false;
};

} // namespace hk

#endif // HK_ANALYSIS_DEMANDEDROWS_H
