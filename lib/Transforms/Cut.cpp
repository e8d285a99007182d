// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-cut: chains of operations become kernels.

#include "KernelBuilder.h"

#include "hk/Analysis/RowResidency.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/CutPolicy.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace hk {
#define GEN_PASS_DEF_CUT
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// A name that says what a kernel does: "norm_linear".
static std::string nameOf(ArrayRef<Operation *> ops) {
  SmallVector<StringRef> chief, all;
  auto append = [](SmallVectorImpl<StringRef> &names, StringRef name) {
    if (names.empty() || names.back() != name)
      names.push_back(name);
  };
  for (Operation *op : ops) {
    StringRef name = op->getName().stripDialect();
    if (isa<LayerNormOp, RMSNormOp>(op))
      name = "norm";
    append(all, name);
    if (isa<LayerNormOp, RMSNormOp, LinearOp, AttentionOp>(op))
      append(chief, name);
  }
  constexpr size_t longest = 6;
  ArrayRef<StringRef> names = chief.empty() ? all : chief;
  return llvm::join(names.take_front(longest), "_");
}

namespace {

class CutPass : public hk::impl::CutBase<CutPass> {
public:
  using CutBase::CutBase;
  void runOnOperation() override;

private:
  remark::RemarkOpts remarkOpts(StringRef name) {
    return remark::RemarkOpts::name(name).category("hk-cut").function(
        getOperation().getName());
  }
  LogicalResult cutBlock(Block &block);
  LogicalResult cutChain(ArrayRef<Operation *> chain);
  LogicalResult checkChainOp(Operation *op);
  void remarkKernel(ArrayRef<Operation *> ops, StringRef name);

  bool isOracle = false;
  std::optional<PlanClone> clone;
  const CutPolicy *policy = nullptr;
  /// Only on a GPU.
  std::optional<DemandedRows> demanded;
};

} // namespace

/// True if `op` computes the index of another layer.
static bool isLayerSum(Operation *op) {
  return isa<arith::AddIOp>(op) && op->getResult(0).getType().isIndex();
}

LogicalResult CutPass::checkChainOp(Operation *op) {
  if (isa<ScopeOpInterface>(op))
    return success();
  if (isa<ParamOp>(op) || op->getName().getStringRef().starts_with("hk.pack."))
    return op->emitOpError() << "expects parameter-only operations to be "
                                "hoisted before a function is cut "
                                "(hk-hoist-packed)";
  return getOperation().emitError()
         << "expects hk operations in a function that is to be cut, but got "
         << op->getName();
}

void CutPass::remarkKernel(ArrayRef<Operation *> ops, StringRef name) {
  Location loc = ops.front()->getLoc();
  if (clone && computesKeys(ops))
    remark::analysis(loc, remarkOpts("Kernel")) << remark::add(
        "kernel @{0}: {1} operations, attention with its projection", name,
        ops.size());
  else if (clone)
    remark::analysis(loc, remarkOpts("Kernel")) << remark::add(
        "kernel @{0}: {1} operations, as a row chain {2} registers of resident "
        "values",
        name, ops.size(),
        estimateRowResidency(ops, operandBits(clone->operands)).registers);
  else
    remark::analysis(loc, remarkOpts("Kernel")) << remark::add(
        "kernel @{0}: {1} operations, {2} bytes of scratch a row", name,
        ops.size(), estimateScratchPerRow(ops));
}

LogicalResult CutPass::cutChain(ArrayRef<Operation *> chain) {
  SmallVector<Cut> cuts, joins;
  if (!isOracle)
    cuts = policy->cut(chain, &joins);
  for (const Cut &join : joins)
    remark::passed(chain[join.position]->getLoc(), remarkOpts("Joined"))
        << remark::add("no cut before {0}: {1}",
                       chain[join.position]->getName().getStringRef(),
                       join.reason);
  size_t begin = 0;
  for (size_t i = 0; i <= cuts.size(); ++i) {
    size_t end = i < cuts.size() ? cuts[i].position : chain.size();
    assert(begin < end && end <= chain.size() && "cuts out of order");
    ArrayRef<Operation *> ops = chain.slice(begin, end - begin);
    if (i < cuts.size())
      remark::passed(chain[end]->getLoc(), remarkOpts("Cut"))
          << remark::add("cut before {0}: {1}",
                         chain[end]->getName().getStringRef(), cuts[i].reason);
    std::string name =
        isOracle ? (getOperation().getName() + ".network").str() : nameOf(ops);
    remarkKernel(ops, name);
    Scope scope = Scope::Row;
    if (isOracle || computesKeys(ops)) {
      scope = Scope::Sequence;
      remark::passed(ops.front()->getLoc(), remarkOpts("Sequence"))
          << remark::add("a workgroup of kernel @{0} computes the keys and "
                         "values that its rows see",
                         name);
    }
    Location loc = ops.front()->getLoc();
    FailureOr<KernelOp> kernel =
        KernelBuilder(ops, demanded ? &*demanded : nullptr).build(name, scope);
    if (failed(kernel))
      return failure();
    if (std::optional<uint64_t> mask = kernel->getSkipRows())
      remark::passed(loc, remarkOpts("SkipRows")) << remark::add(
          "kernel @{0} may skip rows that are not valid under its operand {1}",
          name, *mask);
    begin = end;
  }
  return success();
}

LogicalResult CutPass::cutBlock(Block &block) {
  SmallVector<Operation *> transient;
  for (Operation &op : block.without_terminator()) {
    if (matchPattern(&op, m_Constant()) || isa<KernelOp>(op))
      continue;
    if (isa<PackedGetOp>(op) || isView(&op) || isLayerSum(&op)) {
      transient.push_back(&op);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      if (failed(checkChainOp(&op)))
        return failure();
      continue;
    }
    if (isOracle)
      return loop.emitOpError()
             << "expects an oracle without loops, but got a loop";
    if (failed(cutBlock(*loop.getBody())))
      return failure();
  }
  for (ArrayRef<Operation *> chain : chainsOf(block))
    if (failed(cutChain(chain)))
      return failure();
  for (Operation *op : llvm::reverse(transient)) {
    if (op->use_empty()) {
      op->erase();
      continue;
    }
    if (isa<PackedGetOp>(op))
      return op->emitOpError()
             << "expects packed values to be read by kernels alone, but got a "
                "use in "
             << (*op->user_begin())->getName();
  }
  return success();
}

void CutPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  if (!function.getBody().hasOneBlock()) {
    function.emitOpError() << "expects one block, but got control flow";
    return signalPassFailure();
  }
  isOracle = function->hasAttr("hk.oracle_of");
  FailureOr<std::optional<PlanClone>> found = getPlanClone(function);
  if (failed(found))
    return signalPassFailure();
  clone = *found;
  std::unique_ptr<CutPolicy> chosen;
  if (clone) {
    demanded.emplace(function);
    FailureOr<const Device *> device =
        getTargetDevice(function, devices, clone->arch);
    if (failed(device))
      return signalPassFailure();
    chosen = createCutPolicy(*clone, **device, assumedBatch);
  } else {
    chosen = createGreedyCutPolicy({rows, scratchLimit, sequenceBatch});
  }
  policy = chosen.get();
  if (failed(cutBlock(function.getBody().front())))
    signalPassFailure();
}
