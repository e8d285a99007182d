// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/Retype.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace hk {
#define GEN_PASS_DEF_MAKEORACLEPASS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

static constexpr llvm::StringLiteral kOracleOf = "hk.oracle_of";

static Type withDynamicBatch(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = ShapedType::kDynamic;
  return tensor.clone(shape);
}

/// Nothing crosses sequences, so a check may run a few of a static batch. What
/// depends on an input has the batch as dimension 0; what does not is a
/// parameter. A value from elsewhere, such as a constant mask, keeps the batch
/// of the function as it is.
static void freeBatch(func::FuncOp oracle) {
  Block &body = oracle.getBody().front();
  for (Operation &op : body)
    if (!isa<ParamOp, ScopeOpInterface, func::ReturnOp>(op))
      return;
  llvm::SmallDenseSet<Value> batched;
  auto free = [&](Value value) {
    value.setType(withDynamicBatch(value.getType()));
    batched.insert(value);
  };
  for (BlockArgument argument : body.getArguments())
    free(argument);
  for (Operation &op : body)
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return batched.contains(operand); }))
      llvm::for_each(op.getResults(), free);
  oracle.setFunctionType(
      Builder(oracle.getContext())
          .getFunctionType(body.getArgumentTypes(),
                           body.getTerminator()->getOperandTypes()));
}

namespace {
struct MakeOracle : hk::impl::MakeOraclePassBase<MakeOracle> {
  using MakeOraclePassBase::MakeOraclePassBase;

  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function.isPublic() && !function.isDeclaration() &&
          !function->hasAttr(kOracleOf) && failed(addOracle(function)))
        return signalPassFailure();
  }

  LogicalResult addOracle(func::FuncOp function) {
    std::string name = (function.getSymName() + ".oracle").str();
    auto symbol = FlatSymbolRefAttr::get(function.getSymNameAttr());
    if (Operation *existing = getOperation().lookupSymbol(name)) {
      if (existing->getAttr(kOracleOf) == symbol)
        return success();
      return function.emitError()
             << "expects the name @" << name
             << " to be free for the oracle, but got another symbol of that "
                "name; rename it";
    }

    func::FuncOp oracle = function.clone();
    oracle.setSymName(name);
    oracle->setAttr(kOracleOf, symbol);
    getOperation().insert(std::next(Block::iterator(function)), oracle);
    auto f64 = Float64Type::get(&getContext());
    FloatRetyping retyping;
    auto toF64 = [f64](FloatType) -> FloatType { return f64; };
    retyping.elementType = toF64;
    retyping.keepResults = false;
    retyping.keepRounding = false;
    if (failed(retypeFloats(oracle, retyping)))
      return failure();
    freeBatch(oracle);
    remark::passed(function.getLoc(), remark::RemarkOpts::name("Oracle")
                                          .category("hk-make-oracle")
                                          .function(function.getSymName()))
        << "oracle added: computes in f64";
    return success();
  }
};
} // namespace
