// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Passes.h"

#include "hk/Analysis/DemandedRows.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hk {
#define GEN_PASS_DEF_DROPMASKS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// Why the mask of an attention has to stay; nothing if it can be dropped.
static std::optional<std::string> findObstacle(AttentionOp attention,
                                               const DemandedRows &rows) {
  if (attention.getKeyMask())
    return "expects lengths, but got a key_mask: it may have any pattern, so "
           "that a valid query sees an earlier masked key";
  if (!attention.getCausal())
    return "expects causal attention, but got one in which every query sees "
           "every key";
  if (!rows.get(attention.getResult()).isWithin(attention.getLengths()))
    return "expects hk.mask_rows by the same lengths on all ways to a result, "
           "but rows past the length are read";
  return std::nullopt;
}

namespace {
class DropMasksPass : public hk::impl::DropMasksBase<DropMasksPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr("hk.oracle_of") && !function.isExternal())
        runOnFunction(function);
  }

  void runOnFunction(func::FuncOp function) {
    PassRemarks remarks(getArgument(), function);
    // Dropping masks changes no demanded row, and so not the analysis.
    DemandedRows rows(function);
    function.walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op))
        drop(attention, rows, remarks);
      else if (auto mask = dyn_cast<MaskRowsOp>(op))
        drop(mask, rows, remarks);
    });
  }

  void drop(AttentionOp attention, const DemandedRows &rows,
            const PassRemarks &remarks) {
    if (!attention.getMask())
      return;
    if (std::optional<std::string> why = findObstacle(attention, rows)) {
      remarks.missed(attention.getLoc(), "MaskKept", *why);
      return;
    }
    attention.getLengthsMutable().clear();
    remarks.passed(attention.getLoc(), "MaskDropped",
                   "lengths dropped: the attention is causal, and no row past "
                   "the length is read");
  }

  void drop(MaskRowsOp mask, const DemandedRows &rows,
            const PassRemarks &remarks) {
    // A result is read whole: that is what its mask is for.
    if (llvm::all_of(mask->getUsers(), [](Operation *user) {
          return user->hasTrait<OpTrait::ReturnLike>() &&
                 isa<func::FuncOp>(user->getParentOp());
        }))
      return;
    if (!rows.get(mask.getResult()).isWithin(mask.getMask())) {
      remarks.missed(mask.getLoc(), "RowsKept",
                     "expects hk.mask_rows by the same mask on all ways to a "
                     "result, but rows that this one zeroes are read");
      return;
    }
    remarks.passed(mask.getLoc(), "RowsDropped",
                   "hk.mask_rows dropped: no row that it zeroes is read");
    mask.getResult().replaceAllUsesWith(mask.getInput());
    mask.erase();
  }
};
} // namespace
