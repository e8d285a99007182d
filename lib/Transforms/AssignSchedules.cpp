// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-assign-schedules: one schedule for each kernel and instruction set.

#include "hk/Analysis/CPUSchedule.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

namespace hk {
#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

static CPUKernelShape shapeOf(KernelOp kernel) {
  CPUKernelShape shape = {1, 1, 0, false};
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<PackedGetOp>(op))
      continue;
    ops.push_back(&op);
    if (auto linear = dyn_cast<LinearOp>(op)) {
      auto weight = cast<RankedTensorType>(linear.getWeight().getType());
      shape.width = std::max(shape.width, weight.getDimSize(1));
    }
  }
  shape.sequence = getRowsPerSequence(kernel.getResult(0).getType());
  shape.scratchPerRow = estimateScratchPerRow(ops);
  shape.ownsSequence = kernel.getScope() == Scope::Sequence;
  return shape;
}

namespace {
class AssignSchedules : public hk::impl::AssignSchedulesBase<AssignSchedules> {
public:
  using AssignSchedulesBase::AssignSchedulesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool isOracle = function->hasAttr("hk.oracle_of");
    WalkResult result = function.walk([&](KernelOp kernel) {
      if (kernel.getSchedules())
        return WalkResult::advance();
      if (kernel.getNumResults() == 0) {
        kernel.emitOpError() << "expects a kernel with results, but got none";
        return WalkResult::interrupt();
      }
      return isOracle ? assignLoops(kernel) : assignCPU(kernel);
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  void remarkChoice(KernelOp kernel, Attribute schedule) {
    std::string text;
    llvm::raw_string_ostream(text) << schedule;
    remark::analysis(kernel.getLoc(), remark::RemarkOpts::name("Schedule")
                                          .category("hk-assign-schedules")
                                          .function(getOperation().getName()))
        << remark::add("kernel @{0}: {1}", kernel.getName(), text);
  }

  WalkResult assignLoops(KernelOp kernel) {
    Attribute schedule =
        LoopsAttr::get(&getContext(), "x86-64",
                       getRowsPerSequence(kernel.getResult(0).getType()));
    kernel.setSchedulesAttr(ArrayAttr::get(&getContext(), schedule));
    remarkChoice(kernel, schedule);
    return WalkResult::advance();
  }

  WalkResult assignCPU(KernelOp kernel) {
    SmallVector<StringRef> names = {"x86-64-v4", "x86-64-v3", "x86-64"};
    if (!isas.empty())
      names.assign(isas.begin(), isas.end());
    SmallVector<Attribute> schedules;
    for (StringRef isa : names) {
      std::optional<CPUSchedule> choice =
          chooseCPUSchedule(isa, shapeOf(kernel), scratchLimit);
      if (!choice) {
        kernel.emitOpError() << "expects isas of x86-64-v4, x86-64-v3 and "
                                "x86-64, but got "
                             << isa;
        return WalkResult::interrupt();
      }
      schedules.push_back(CPUAttr::get(&getContext(), isa, choice->rows,
                                       choice->mr, choice->nr, choice->keys));
      remarkChoice(kernel, schedules.back());
    }
    kernel.setSchedulesAttr(ArrayAttr::get(&getContext(), schedules));
    return WalkResult::advance();
  }
};
} // namespace
