// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-outline: functions become plans with a place for every value; their
// kernels become executables.

#include "ExecutableBuilder.h"

#include "hk/Analysis/MemoryPlan.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace hk {
#define GEN_PASS_DEF_OUTLINE
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

namespace {

/// A value of a plan: an input of the function, or a result of a dispatch.
struct PlanValue {
  Type type;
  /// The dispatch that computes it; none for an input.
  std::optional<unsigned> dispatch;
  /// The last dispatch that reads it.
  unsigned lastUse = 0;
  /// The result of the function that it is, if any.
  std::optional<int64_t> result;
};

struct Dispatch {
  KernelOp kernel;
  ExecutableOp executable;
  SmallVector<unsigned> inputs;
  SmallVector<unsigned> results;
  std::optional<int64_t> layer;
};

/// Makes the plan of one function.
class PlanBuilder {
public:
  PlanBuilder(func::FuncOp function, std::optional<PlanClone> clone,
              ExecutableBuilder &executables)
      : function(function), clone(clone), executables(executables) {}

  LogicalResult build();

private:
  LogicalResult walk(Block &block);
  LogicalResult unroll(scf::ForOp loop);
  LogicalResult dispatch(KernelOp kernel);
  LogicalResult setResults(func::ReturnOp op);
  FailureOr<unsigned> lookup(Value value, Operation *user);
  std::optional<double> predict() const;
  void create();

  func::FuncOp function;
  /// What the function is a clone of, if it is one.
  std::optional<PlanClone> clone;
  ExecutableBuilder &executables;
  SmallVector<PlanValue> values;
  SmallVector<Dispatch> dispatches;
  SmallVector<unsigned> returned;
  /// The value of the plan, or the layer, that stands for a value of the IR
  /// at this point of the walk.
  DenseMap<Value, unsigned> plan;
  DenseMap<Value, int64_t> layers;
};

} // namespace

FailureOr<unsigned> PlanBuilder::lookup(Value value, Operation *user) {
  auto it = plan.find(value);
  if (it != plan.end())
    return it->second;
  return user->emitOpError()
         << "expects operands that are inputs of the function or results of "
            "kernels, but got a value of type "
         << value.getType();
}

LogicalResult PlanBuilder::dispatch(KernelOp kernel) {
  FailureOr<ExecutableOp> executable = executables.get(kernel, function);
  if (failed(executable))
    return failure();
  Dispatch record = {kernel, *executable, {}, {}, std::nullopt};
  for (Value input : kernel.getInputs()) {
    if (input.getType().isIndex()) {
      APInt constant;
      if (input != kernel.getInputs().back())
        return kernel.emitOpError()
               << "expects one index among the operands, the last, but got "
                  "one before it";
      if (auto it = layers.find(input); it != layers.end())
        record.layer = it->second;
      else if (matchPattern(input, m_ConstantInt(&constant)))
        record.layer = constant.getSExtValue();
      else
        return kernel.emitOpError() << "expects a layer that is constant when "
                                       "loops are unrolled";
      continue;
    }
    FailureOr<unsigned> value = lookup(input, kernel);
    if (failed(value))
      return failure();
    values[*value].lastUse = dispatches.size();
    record.inputs.push_back(*value);
  }
  for (Value result : kernel.getResults()) {
    unsigned index = values.size();
    unsigned now = dispatches.size();
    values.push_back({result.getType(), now, now, std::nullopt});
    plan[result] = index;
    record.results.push_back(index);
  }
  dispatches.push_back(std::move(record));
  return success();
}

LogicalResult PlanBuilder::unroll(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive())
    return loop.emitOpError()
           << "expects constant bounds and a positive constant step, so that "
              "its layers can be listed in a plan";
  SmallVector<unsigned> carried;
  for (Value init : loop.getInitArgs()) {
    FailureOr<unsigned> value = lookup(init, loop);
    if (failed(value))
      return failure();
    carried.push_back(*value);
  }
  for (int64_t l = lower.getSExtValue(); l < upper.getSExtValue();
       l += step.getSExtValue()) {
    layers[loop.getInductionVar()] = l;
    for (auto [argument, value] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      plan[argument] = value;
    if (failed(walk(*loop.getBody())))
      return failure();
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (auto [value, operand] :
         llvm::zip_equal(carried, yield.getOperands())) {
      FailureOr<unsigned> next = lookup(operand, yield);
      if (failed(next))
        return failure();
      value = *next;
    }
  }
  for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
    plan[result] = value;
  return success();
}

LogicalResult PlanBuilder::walk(Block &block) {
  for (Operation &op : block) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      if (failed(dispatch(kernel)))
        return failure();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(unroll(loop)))
        return failure();
    } else if (!isa<func::ReturnOp, scf::YieldOp>(op) &&
               !matchPattern(&op, m_Constant())) {
      return op.emitError() << "expects a function of kernels (hk-cut) that is "
                               "to be outlined, but got "
                            << op.getName();
    }
  }
  return success();
}

LogicalResult PlanBuilder::setResults(func::ReturnOp op) {
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    FailureOr<unsigned> value = lookup(operand, op);
    if (failed(value))
      return failure();
    if (!values[*value].dispatch)
      return op.emitOpError()
             << "expects every result to be computed by a kernel, but got an "
                "input of the function as result "
             << index;
    if (values[*value].result)
      return op.emitOpError()
             << "expects different values as results, but got the same as "
                "results "
             << *values[*value].result << " and " << index;
    values[*value].result = index;
    returned.push_back(*value);
  }
  return success();
}

/// The sum over the dispatches, each at its best schedule, in us.
std::optional<double> PlanBuilder::predict() const {
  double sum = 0;
  for (const Dispatch &dispatch : dispatches) {
    std::optional<double> time = getPredictedTime(dispatch.kernel, 0);
    if (!time || !dispatch.kernel->hasAttr(kPredictedBatch))
      return std::nullopt;
    sum += *time;
  }
  return dispatches.empty() ? std::nullopt : std::optional<double>(sum);
}

void PlanBuilder::create() {
  constexpr int64_t alignment = 256;
  SmallVector<BufferLifetime> buffers;
  SmallVector<unsigned> buffered;
  for (auto [index, value] : llvm::enumerate(values))
    if (value.dispatch && !value.result) {
      buffers.push_back(
          {getRowsPerSequence(value.type) * getBytesPerRow(value.type),
           *value.dispatch, value.lastUse});
      buffered.push_back(index);
    }
  MemoryPlan memory = planMemory(buffers, alignment);

  OpBuilder builder(function);
  SmallVector<Attribute> places(values.size());
  for (auto [index, offset] : llvm::zip_equal(buffered, memory.offsets))
    places[index] = WorkspaceAttr::get(function.getContext(), offset);
  for (auto [index, value] : llvm::enumerate(values))
    if (value.result)
      places[index] = ResultAttr::get(function.getContext(), *value.result);

  Role role = function->hasAttr("hk.oracle_of") ? Role::Oracle
              : clone                           ? clone->role
                                                : Role::Candidate;
  // A clone is named after the plan that it is.
  std::string name = clone ? function.getSymName().str()
                           : (function.getName() + ".default").str();
  AffineMap workspace =
      AffineMap::get(0, 1, builder.getAffineSymbolExpr(0) * memory.size);
  auto op = PlanOp::create(
      builder, function.getLoc(), builder.getStringAttr(name),
      clone ? clone->of : FlatSymbolRefAttr::get(function.getNameAttr()),
      builder.getI64IntegerAttr(clone ? clone->rank : 0),
      RoleAttr::get(function.getContext(), role),
      AffineMapAttr::get(workspace));
  op->remove();
  executables.getSymbols().insert(op, function->getIterator());

  if (std::optional<double> time = predict()) {
    op->setAttr(kPredictedTime, builder.getF64FloatAttr(*time));
    op->setAttr(kPredictedBatch,
                dispatches.front().kernel->getAttr(kPredictedBatch));
  }

  Block *block = builder.createBlock(&op.getBody());
  SmallVector<Value> ssa(values.size());
  for (BlockArgument argument : function.getArguments())
    ssa[argument.getArgNumber()] =
        block->addArgument(argument.getType(), argument.getLoc());
  auto select = [&](ArrayRef<unsigned> indices) {
    return llvm::to_vector(
        llvm::map_range(indices, [&](unsigned i) { return ssa[i]; }));
  };
  for (Dispatch &dispatch : dispatches) {
    SmallVector<Attribute> at;
    SmallVector<Type> types;
    for (unsigned result : dispatch.results) {
      at.push_back(places[result]);
      types.push_back(values[result].type);
    }
    auto created = DispatchOp::create(
        builder, dispatch.kernel.getLoc(), types,
        FlatSymbolRefAttr::get(dispatch.executable.getSymNameAttr()),
        select(dispatch.inputs),
        dispatch.layer ? builder.getI64IntegerAttr(*dispatch.layer)
                       : IntegerAttr(),
        builder.getArrayAttr(at));
    for (auto [result, value] :
         llvm::zip_equal(dispatch.results, created.getResults()))
      ssa[result] = value;
  }
  YieldOp::create(builder, function.getLoc(), select(returned));

  remark::analysis(function.getLoc(), remark::RemarkOpts::name("Plan")
                                          .category("hk-outline")
                                          .function(function.getName()))
      << remark::add("plan @{0}: {1} dispatches, {2} bytes of workspace a "
                     "sequence",
                     op.getSymName(), dispatches.size(), memory.size);
}

LogicalResult PlanBuilder::build() {
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    plan[argument] = values.size();
    values.push_back({argument.getType(), std::nullopt, 0, std::nullopt});
  }
  if (failed(walk(body)) ||
      failed(setResults(cast<func::ReturnOp>(body.getTerminator()))))
    return failure();
  create();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class Outline : public hk::impl::OutlineBase<Outline> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        functions.push_back(function);
    ExecutableBuilder executables(module);
    for (func::FuncOp function : functions) {
      if (!function.getBody().hasOneBlock()) {
        function.emitOpError() << "expects one block, but got control flow";
        return signalPassFailure();
      }
      FailureOr<std::optional<PlanClone>> clone = getPlanClone(function);
      if (failed(clone))
        return signalPassFailure();
      if (*clone) // The plan takes the name.
        executables.getSymbols().remove(function);
      if (failed(PlanBuilder(function, *clone, executables).build()))
        return signalPassFailure();
    }
    // Kernels are compared with those of earlier functions, so bodies go last.
    for (func::FuncOp function : functions) {
      if (function->hasAttr("hk.plan_of")) {
        function.erase();
        continue;
      }
      function.eraseBody();
      function.setPrivate();
    }
  }
};
} // namespace
