// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-assign-schedules: one schedule for each kernel and instruction set.

#include "ExecutableBuilder.h"

#include "hk/Analysis/CPUSchedule.h"
#include "hk/Analysis/CUDACandidates.h"
#include "hk/Analysis/MatrixProduct.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Target/Devices/Device.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"
#include "hk/Transforms/Remarks.h"

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
    if (!isa<ScopeOpInterface>(op))
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

/// The operations of a kernel.
static SmallVector<Operation *> getOps(KernelOp kernel) {
  return llvm::map_to_vector(kernel.getBody().front().without_terminator(),
                             [](Operation &op) { return &op; });
}

/// Whether the kernel is a product of f16 operands, of sizes that the library
/// reads 16 bytes at a time.
static bool suitsCublasLt(KernelOp kernel, const PlanClone &clone) {
  if (clone.operands != Operands::F16)
    return false;
  std::optional<MatrixProduct> product =
      matchMatrixProduct(kernel.getBody().front());
  return product && product->getInputElement().isF16() &&
         (product->getResultElement().isF16() ||
          product->getResultElement().isF32()) &&
         product->getColumns() % 8 == 0 && product->getDepth() % 8 == 0;
}

namespace {
class AssignSchedules : public hk::impl::AssignSchedulesBase<AssignSchedules> {
public:
  using AssignSchedulesBase::AssignSchedulesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool isOracle = function->hasAttr("hk.oracle_of");
    FailureOr<std::optional<PlanClone>> clone = getPlanClone(function);
    if (failed(clone))
      return signalPassFailure();
    WalkResult result = function.walk([&](KernelOp kernel) {
      if (kernel.getSchedules())
        return WalkResult::advance();
      if (kernel.getNumResults() == 0) {
        kernel.emitOpError() << "expects a kernel with results, but got none";
        return WalkResult::interrupt();
      }
      if (*clone)
        return assignCUDA(kernel, **clone);
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

  WalkResult assignCUDA(KernelOp kernel, const PlanClone &clone) {
    FailureOr<const Device *> device =
        getTargetDevice(kernel, devices, clone.arch);
    if (failed(device))
      return WalkResult::interrupt();
    KernelDescription description(getOps(kernel), clone.operands, assumedBatch);
    // The reference is not there to be fast.
    int64_t most = clone.role == Role::Reference ? 1 : int64_t(candidates);
    CUDACandidates found =
        rankCUDASchedules(description, **device, std::max<int64_t>(most, 1));
    SmallVector<Attribute> schedules;
    SmallVector<double> times;
    for (const CUDACandidate &candidate : found.best) {
      const CUDASchedule &s = candidate.schedule;
      schedules.push_back(CUDAAttr::get(
          &getContext(), clone.arch, s.rows, s.units, s.columns, s.heads,
          s.block, s.depth, s.keys, s.stages, clone.operands,
          s.usesWarpgroups ? MmaKind::Wgmma : MmaKind::Sync, s.ctas,
          s.rowBlocks, s.isPersistent));
      remarkChoice(kernel, schedules.back());
      if (candidate.cost.fits())
        times.push_back(candidate.cost.total);
    }
    if (cublaslt && clone.role != Role::Reference &&
        suitsCublasLt(kernel, clone)) {
      schedules.push_back(CublasLtAttr::get(&getContext(), clone.operands));
      remarkChoice(kernel, schedules.back());
    }
    kernel.setSchedulesAttr(ArrayAttr::get(&getContext(), schedules));
    if (!times.empty()) {
      kernel->setAttr(kPredictedTime,
                      DenseF64ArrayAttr::get(&getContext(), times));
      kernel->setAttr(kPredictedBatch,
                      IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                       description.getBatch()));
    }
    remarkCandidates(kernel, found, description);
    return WalkResult::advance();
  }

  /// Why these schedules, and not others.
  void remarkCandidates(KernelOp kernel, const CUDACandidates &found,
                        const KernelDescription &description) {
    CUDAFamily family = description.getShape().family;
    std::string subject = ("kernel @" + kernel.getName() + ": ").str();
    PassRemarks remarks("hk-assign-schedules", getOperation());
    for (const CUDACandidate &candidate : found.best)
      if (candidate.cost.fits())
        remarks.analysis(kernel.getLoc(), "Predicted",
                         subject + describe(candidate.schedule, family) + ": " +
                             describe(candidate.cost) + " for " +
                             Twine(description.getBatch()) + " sequences");
      else
        remarks.missed(kernel.getLoc(), "NotPredicted",
                       subject + "no schedule is known to fit; " +
                           describe(candidate.schedule, family) +
                           " is that of the rules");
    if (found.next)
      remarks.missed(kernel.getLoc(), "Slower",
                     subject + "of " + Twine(found.legal) +
                         " schedules that fit, the next is " +
                         describe(found.next->schedule, family) + ": " +
                         describe(found.next->cost));
    for (const RefusedSchedules &refused : found.refused)
      remarks.missed(kernel.getLoc(), "Refused",
                     subject + Twine(refused.count) +
                         " schedules refused for " + refused.kind +
                         ", the first with " + describe(refused.first, family) +
                         ": " + refused.reason);
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
