// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-cut: chains of operations become kernels.

#include "hk/Analysis/RowResidency.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/CutPolicy.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace hk {
#define GEN_PASS_DEF_CUT
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// True if somebody outside of `inside` reads `value`, itself or through views.
static bool isReadOutside(Value value, const DenseSet<Operation *> &inside) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (inside.contains(user))
      return false;
    return !isView(user) || llvm::any_of(user->getResults(), [&](Value view) {
      return isReadOutside(view, inside);
    });
  });
}

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

/// Makes one kernel of a run of operations.
class KernelBuilder {
public:
  explicit KernelBuilder(ArrayRef<Operation *> ops)
      : ops(ops), inside(ops.begin(), ops.end()) {}

  FailureOr<KernelOp> build(StringRef name, Scope scope);

private:
  LogicalResult collectInputs(Value value);
  Value map(OpBuilder &builder, Value value);

  ArrayRef<Operation *> ops;
  DenseSet<Operation *> inside;
  llvm::SetVector<Value> inputs;
  Value layer;
  IRMapping mapping;
};

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
};

} // namespace

//===----------------------------------------------------------------------===//
// KernelBuilder
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::collectInputs(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && inside.contains(op))
    return success();
  if (op && isView(op))
    return collectInputs(op->getOperand(0));
  auto get = dyn_cast_if_present<PackedGetOp>(op);
  if (!get) {
    inputs.insert(value);
    return success();
  }
  if (!get.getLayer())
    return success();
  if (layer && layer != get.getLayer())
    return get.emitOpError()
           << "expects the packed values of a kernel to be of one layer, but "
              "got two indices";
  layer = get.getLayer();
  return success();
}

/// The value in the kernel that stands for `value`.
Value KernelBuilder::map(OpBuilder &builder, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  // Neither an input nor computed inside: a view or a packed value.
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map(builder, operand);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

FailureOr<KernelOp> KernelBuilder::build(StringRef name, Scope scope) {
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (failed(collectInputs(operand)))
        return failure();
  if (inputs.empty())
    return ops.front()->emitOpError()
           << "expects an operand that depends on an input of the function, "
              "but got parameters alone";
  if (layer)
    inputs.insert(layer);

  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (isReadOutside(result, inside))
        results.push_back(result);

  OpBuilder builder(ops.front());
  Location loc = ops.front()->getLoc();
  auto kernel = KernelOp::create(
      builder, loc, TypeRange(ValueRange(results)), builder.getStringAttr(name),
      inputs.getArrayRef(), ScopeAttr::get(builder.getContext(), scope),
      ArrayAttr(), IntegerAttr());
  Block *body = builder.createBlock(&kernel.getBody());
  for (Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      map(builder, operand);
    builder.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  YieldOp::create(builder, loc, yielded);

  for (auto [from, to] : llvm::zip_equal(results, kernel.getResults()))
    from.replaceAllUsesWith(to);
  for (Operation *op : llvm::reverse(ops)) {
    op->dropAllUses(); // By views that nothing reads any more.
    op->erase();
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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
  if (clone)
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
  SmallVector<Cut> cuts;
  if (!isOracle)
    cuts = policy->cut(chain);
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
          << remark::add("a workgroup of kernel @{0} owns whole sequences, "
                         "keys and values included",
                         name);
    }
    if (failed(KernelBuilder(ops).build(name, scope)))
      return failure();
    begin = end;
  }
  return success();
}

LogicalResult CutPass::cutBlock(Block &block) {
  SmallVector<Operation *> transient;
  for (Operation &op : block.without_terminator()) {
    if (matchPattern(&op, m_Constant()) || isa<KernelOp>(op))
      continue;
    if (isa<PackedGetOp>(op) || isView(&op)) {
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
  std::unique_ptr<CutPolicy> chosen =
      clone ? createCutPolicy(*clone)
            : createGreedyCutPolicy({rows, scratchLimit, sequenceBatch});
  policy = chosen.get();
  if (failed(cutBlock(function.getBody().front())))
    signalPassFailure();
}
