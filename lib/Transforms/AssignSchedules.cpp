// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-assign-schedules: one schedule for each kernel and instruction set.

#include "hk/Analysis/CPUSchedule.h"
#include "hk/Analysis/CUDASchedule.h"
#include "hk/Analysis/MatrixProduct.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Target/Devices/Device.h"
#include "hk/Transforms/CutPolicy.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"

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

/// The value that `value` is a view of or was rounded from.
static Value storedValue(Value value) {
  value = viewedValue(value);
  while (auto cast = value.getDefiningOp<CastOp>())
    value = viewedValue(cast.getInput());
  return value;
}

static CUDAFamily familyOf(KernelOp kernel) {
  LinearOp linear;
  bool hasNorm = false, hasAttention = false, hasElementwise = false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<LayerNormOp, RMSNormOp>(op)) {
      hasNorm = true;
    } else if (isa<AttentionOp>(op)) {
      if (hasAttention)
        return CUDAFamily::Chain;
      hasAttention = true;
    } else if (isa<LinearOp>(op)) {
      if (linear)
        return CUDAFamily::Chain;
      linear = cast<LinearOp>(op);
    } else if (isa<ScopeOpInterface>(op) && !isa<SplitOp, CastOp>(op)) {
      hasElementwise = true;
    }
  }
  if (!linear && !hasAttention)
    return CUDAFamily::Line;
  if (hasAttention)
    return linear || hasNorm || hasElementwise ? CUDAFamily::Chain
                                               : CUDAFamily::Attention;
  Type type = linear.getResult().getType();
  bool isPlain = !hasNorm && isa<BlockArgument>(storedValue(linear.getInput()));
  return isPlain && llvm::all_of(kernel.getResultTypes(),
                                 [&](Type result) {
                                   return cast<ShapedType>(result).getShape() ==
                                          cast<ShapedType>(type).getShape();
                                 })
             ? CUDAFamily::Gemm
             : CUDAFamily::Chain;
}

static CUDAKernelShape shapeOf(KernelOp kernel, const PlanClone &clone) {
  auto type = cast<RankedTensorType>(kernel.getResult(0).getType());
  CUDAKernelShape shape;
  shape.family = familyOf(kernel);
  if (!type.isDynamicDim(0))
    shape.batch = type.getDimSize(0);
  shape.sequence = getRowsPerSequence(type);
  shape.features = type.getShape().back();
  shape.operandBytes = operandBits(clone.operands) / 8;
  for (Operation &op : kernel.getBody().front()) {
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      shape.heads = attention.getNumHeads();
      shape.headDim = attention.getHeadDim();
    } else if (auto linear = dyn_cast<LinearOp>(op)) {
      shape.depth = linear.getWeight().getType().getDimSize(1);
    }
  }
  return shape;
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
    const Device *device = getDefaultDevice(clone.arch);
    for (const std::string &name : devices) {
      const Device *named = findDevice(name);
      if (!named) {
        kernel.emitOpError() << "expects devices of " << listDevices()
                             << ", but got '" << name << "'";
        return WalkResult::interrupt();
      }
      if (named->arch == clone.arch)
        device = named;
    }
    if (!device) {
      kernel.emitOpError() << "expects hk.arch of sm_80, sm_86, sm_89, sm_90a "
                              "or sm_120, but got "
                           << clone.arch;
      return WalkResult::interrupt();
    }
    CUDASchedule s = chooseCUDASchedule({device->sms, device->sharedPerCTA},
                                        shapeOf(kernel, clone));
    Attribute schedule = CUDAAttr::get(
        &getContext(), clone.arch, s.rows, s.units, s.columns, s.heads, s.block,
        s.depth, s.keys, s.stages, clone.operands);
    SmallVector<Attribute> schedules = {schedule};
    remarkChoice(kernel, schedule);
    if (cublaslt && clone.role != Role::Reference &&
        suitsCublasLt(kernel, clone)) {
      schedules.push_back(CublasLtAttr::get(&getContext(), clone.operands));
      remarkChoice(kernel, schedules.back());
    }
    kernel.setSchedulesAttr(ArrayAttr::get(&getContext(), schedules));
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
