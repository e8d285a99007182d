// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-check: what a network must be for the passes and code generation to take
// it as it is.

#include "hk/Transforms/Passes.h"

#include "hk/Analysis/ParameterExpressions.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

namespace hk {
#define GEN_PASS_DEF_CHECK
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// Loops are unrolled into the list of what is run, so they have an end.
static constexpr int64_t kMaxLayers = 4096;

/// The layers [lower, upper) of a loop that a network may have.
static std::optional<std::pair<int64_t, int64_t>> getLayers(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne() ||
      lower.isNegative() || lower.sge(upper))
    return std::nullopt;
  return std::pair(lower.getSExtValue(), upper.getSExtValue());
}

static bool isParameterElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

namespace {
/// The parameters of a module: one stored type for each key.
class ParameterChecker {
public:
  /// Adds what one operation reads.
  LogicalResult add(ParamOp param);

private:
  LogicalResult addKey(ParamOp param, StringRef key, Type stored);

  llvm::StringMap<std::pair<ParamOp, Type>> parameters;
};
} // namespace

LogicalResult ParameterChecker::addKey(ParamOp param, StringRef key,
                                       Type stored) {
  auto [it, isNew] = parameters.try_emplace(key, param, stored);
  if (isNew || it->second.second == stored)
    return success();
  InFlightDiagnostic error = param.emitError()
                             << "expects parameter \"" << key
                             << "\" to be stored as " << it->second.second
                             << " as elsewhere, but got " << stored;
  error.attachNote(it->second.first.getLoc()) << "the other use is here";
  return error;
}

LogicalResult ParameterChecker::add(ParamOp param) {
  auto type = cast<RankedTensorType>(param.getType());
  Type element = param.getFrom().value_or(type.getElementType());
  for (Type each : {element, type.getElementType()})
    if (!isParameterElement(each))
      return param.emitError()
             << "expects a parameter of f16, bf16 or f32, but got " << each;
  Type stored = type.clone(element);
  if (!param.getLayer())
    return addKey(param, param.getKey(), stored);

  auto argument = dyn_cast<BlockArgument>(param.getLayer());
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || loop.getInductionVar() != param.getLayer())
    return param.emitError() << "expects the layer of a parameter to be the "
                                "index of a loop, but got another value";
  auto layers = getLayers(loop);
  if (!layers || layers->second - layers->first > kMaxLayers)
    return success(); // The loop gets the error.
  auto [head, tail] = param.getKey().split("{}");
  for (int64_t layer = layers->first; layer < layers->second; ++layer)
    if (failed(addKey(param, (head + Twine(layer) + tail).str(), stored)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// Checks one function. All its tensors share a batch and a sequence length,
/// those of the first that has them.
class FunctionChecker {
public:
  FunctionChecker(func::FuncOp function, ParameterChecker &parameters)
      : function(function), parameters(parameters) {}

  LogicalResult check();

private:
  LogicalResult checkSignature();
  LogicalResult checkType(Location loc, const Twine &what, Type type,
                          bool mayBeMask);
  LogicalResult checkReturn(func::ReturnOp op);
  LogicalResult checkOperation(Operation *op);

  func::FuncOp function;
  ParameterChecker &parameters;
  std::optional<int64_t> batch, sequence;
};
} // namespace

static std::string printSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

LogicalResult FunctionChecker::checkType(Location loc, const Twine &what,
                                         Type type, bool mayBeMask) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return emitError(loc) << "expects " << what
                          << " to be a ranked tensor without an encoding, but "
                             "got "
                          << type;
  Type element = tensor.getElementType();
  if (isParameterElement(element)) {
    if (tensor.getRank() != 3)
      return emitError(loc)
             << "expects " << what << " to be an activation [B, S, D], but got "
             << type;
  } else if (mayBeMask && element.isInteger(32)) {
    if (tensor.getRank() != 1)
      return emitError(loc)
             << "expects " << what << " to be lengths [B], but got " << type;
  } else if (mayBeMask && element.isInteger(1)) {
    if (tensor.getRank() != 2)
      return emitError(loc) << "expects " << what
                            << " to be a key mask [B, S], but got " << type;
  } else {
    return emitError(loc) << "expects " << what
                          << " to have elements of f16, bf16 or f32"
                          << (mayBeMask
                                  ? ", or of i32 (lengths) or i1 (a key mask)"
                                  : "")
                          << ", but got " << type;
  }
  bool isDynamic =
      llvm::any_of(tensor.getShape().drop_front(), ShapedType::isDynamic);
  if (isDynamic || llvm::is_contained(tensor.getShape(), 0))
    return emitError(loc) << "expects " << what
                          << " to be static but for the batch and not empty, "
                             "but got "
                          << type;
  if (!batch)
    batch = tensor.getDimSize(0);
  if (tensor.getDimSize(0) != *batch)
    return emitError(loc) << "expects " << what << " to have the batch "
                          << printSize(*batch) << " as dimension 0, but got "
                          << type;
  if (tensor.getRank() < 2)
    return success();
  if (!sequence)
    sequence = tensor.getDimSize(1);
  if (tensor.getDimSize(1) != *sequence)
    return emitError(loc) << "expects " << what
                          << " to have the sequence length " << *sequence
                          << " as dimension 1, but got " << type;
  return success();
}

LogicalResult FunctionChecker::checkSignature() {
  if (function.getNumArguments() == 0 || function.getNumResults() == 0)
    return function.emitError()
           << "expects at least one input and one result, but got "
           << function.getNumArguments() << " and " << function.getNumResults();
  bool fails = false;
  for (BlockArgument argument : function.getArguments())
    fails |= failed(checkType(argument.getLoc(),
                              "input #" + Twine(argument.getArgNumber()),
                              argument.getType(), /*mayBeMask=*/true));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    fails |= failed(checkType(function.getLoc(), "result #" + Twine(i), type,
                              /*mayBeMask=*/false));
  return failure(fails);
}

LogicalResult FunctionChecker::checkReturn(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    if (isa<BlockArgument>(value))
      return op.emitError() << "expects result #" << i
                            << " to be computed by the function, but got an "
                               "input";
    auto before = llvm::find(op.getOperands(), value);
    if (before.getIndex() != ssize_t(i))
      return op.emitError() << "expects result #" << i
                            << " to be a value of its own, but got that of "
                               "result #"
                            << before.getIndex();
  }
  return success();
}

LogicalResult FunctionChecker::checkOperation(Operation *op) {
  if (auto param = dyn_cast<ParamOp>(op))
    return parameters.add(param);
  if (isa<ScopeOpInterface>(op)) {
    for (Type type : op->getResultTypes())
      if (failed(checkType(op->getLoc(),
                           "the result of " + op->getName().getStringRef(),
                           type, /*mayBeMask=*/false)))
        return failure();
    return success();
  }
  if (isParameterOp(op) && !isa<PackedGetOp, PackLayoutOp>(op))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto layers = getLayers(loop);
    if (!layers)
      return op->emitError()
             << "expects a loop over layers with constant bounds, the lower "
                "one at least 0 and below the upper one, and a step of 1, but "
                "got another";
    if (layers->second - layers->first > kMaxLayers)
      return op->emitError()
             << "expects at most " << kMaxLayers << " layers, but got "
             << layers->second - layers->first;
    return success();
  }
  if (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp()))
    return success();
  if (isa<arith::ConstantOp>(op) && op->getResult(0).getType().isIndex())
    return success();
  if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    return checkReturn(returnOp);
  InFlightDiagnostic error =
      op->emitError() << "expects the operations of a network, and scf.for, "
                         "but got "
                      << op->getName().getStringRef();
  if (isa<func::CallOp>(op))
    error << ": inline it first (-inline -symbol-dce)";
  return error;
}

LogicalResult FunctionChecker::check() {
  if (function.isExternal())
    return function.emitError()
           << "expects a function with a body, but got a declaration";
  if (!function.isPublic())
    return function.emitError()
           << "expects public functions only, but got a private one: inline "
              "it first (-inline -symbol-dce)";
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "expects a function of one block, but got "
                                << function.getBody().getBlocks().size();
  if (failed(checkSignature()))
    return failure();
  bool fails = false;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (succeeded(checkOperation(op)))
      return WalkResult::advance();
    fails = true;
    return WalkResult::skip();
  });
  return failure(fails);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class CheckPass : public hk::impl::CheckBase<CheckPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ParameterChecker parameters;
    bool fails = false;
    unsigned functions = 0;
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function) {
        op.emitError() << "expects functions in a module, but got "
                       << op.getName().getStringRef();
        fails = true;
        continue;
      }
      if (function->hasAttr("hk.oracle_of"))
        continue;
      ++functions;
      fails |= failed(FunctionChecker(function, parameters).check());
    }
    if (functions == 0 && !fails) {
      module.emitError() << "expects a module with at least one public "
                            "function, but got none";
      fails = true;
    }
    if (fails)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
