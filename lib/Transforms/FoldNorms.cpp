// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Passes.h"

#include "hk/Analysis/ParameterExpressions.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace hk {
#define GEN_PASS_DEF_FOLDNORMS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// Why gamma and beta cannot go into the operations that use the norm; nothing
/// if they can.
static std::optional<std::string> findObstacle(Operation *norm, Value gamma,
                                               Value beta) {
  auto isOther = [](Value value) {
    return value && !isParameterExpression(value);
  };
  if (isOther(gamma) || isOther(beta))
    return "expects gamma and beta made of parameters alone, but got another "
           "value";
  for (Operation *user : norm->getUsers()) {
    auto linear = dyn_cast<LinearOp>(user);
    if (!linear)
      return ("expects the norm to be used as the input of hk.linear only, but "
              "got a use by " +
              user->getName().getStringRef())
          .str();
    if (isOther(linear.getWeight()) || isOther(linear.getBias()))
      return "expects linears with a weight and a bias made of parameters "
             "alone, but got another value";
    Type type = getElementTypeOrSelf(linear.getWeight());
    if (getElementTypeOrSelf(gamma) != type ||
        (beta && getElementTypeOrSelf(beta) != type))
      return "expects the norm and the linears to have parameters of one "
             "element type, but got several";
  }
  return std::nullopt;
}

static void foldInto(LinearOp linear, Value gamma, Value beta) {
  OpBuilder builder(linear);
  Location loc = linear.getLoc();
  Value weight = linear.getWeight();
  if (beta) {
    auto type = cast<RankedTensorType>(weight.getType());
    Value bias = PackMatVecOp::create(
        builder, loc,
        RankedTensorType::get(type.getDimSize(0), type.getElementType()),
        weight, beta);
    if (linear.getBias())
      bias = PackAddOp::create(builder, loc, bias, linear.getBias());
    linear.getBiasMutable().assign(bias);
  }
  linear.getWeightMutable().assign(
      PackScaleDimOp::create(builder, loc, weight.getType(), weight, gamma,
                             builder.getI64IntegerAttr(1)));
}

namespace {
class FoldNormsPass : public hk::impl::FoldNormsBase<FoldNormsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr("hk.oracle_of"))
        continue;
      PassRemarks remarks(getArgument(), function);
      function.walk([&](Operation *op) {
        if (auto norm = dyn_cast<LayerNormOp>(op)) {
          if (fold(op, norm.getGamma(), norm.getBeta(), remarks)) {
            norm.getBetaMutable().clear();
            norm.getGammaMutable().clear();
          }
        } else if (auto norm = dyn_cast<RMSNormOp>(op)) {
          if (fold(op, norm.getGamma(), Value(), remarks))
            norm.getGammaMutable().clear();
        }
      });
    }
  }

  bool fold(Operation *norm, Value gamma, Value beta,
            const PassRemarks &remarks) {
    if (!gamma || norm->use_empty())
      return false;
    if (std::optional<std::string> why = findObstacle(norm, gamma, beta)) {
      remarks.missed(norm->getLoc(), "NotFolded", *why);
      return false;
    }
    unsigned linears = 0;
    for (Operation *user : llvm::make_early_inc_range(norm->getUsers())) {
      foldInto(cast<LinearOp>(user), gamma, beta);
      ++linears;
    }
    remarks.passed(norm->getLoc(), "Folded",
                   Twine(beta ? "gamma and beta" : "gamma") + " folded into " +
                       Twine(linears) +
                       (linears == 1 ? " linear" : " linears"));
    return true;
  }
};
} // namespace
