// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Passes.h"

#include "hk/Analysis/DemandedRows.h"
#include "hk/Analysis/ParameterExpressions.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace hk {
#define GEN_PASS_DEF_FOLDATTENTION
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// True if the weight and the bias of a linear can be computed when a
/// checkpoint is loaded.
static bool hasParameters(LinearOp linear) {
  return isParameterExpression(linear.getWeight()) &&
         (!linear.getBias() || isParameterExpression(linear.getBias()));
}

namespace {
/// Folds what surrounds one attention.
class AttentionFolder {
public:
  AttentionFolder(AttentionOp attention, const DemandedRows &rows,
                  const PassRemarks &remarks)
      : attention(attention), rows(rows), remarks(remarks) {}

  void foldScale();
  void dropKeyBias();
  void moveValueBias();

private:
  std::optional<std::string> findScaleObstacle(LinearOp query);
  std::optional<std::string> findValueObstacle(LinearOp value);

  AttentionOp attention;
  const DemandedRows &rows;
  const PassRemarks &remarks;
};
} // namespace

//===----------------------------------------------------------------------===//
// Scale
//===----------------------------------------------------------------------===//

std::optional<std::string> AttentionFolder::findScaleObstacle(LinearOp query) {
  if (!query)
    return "expects the query to be the result of hk.linear, but got another "
           "value";
  if (!query->hasOneUse())
    return "expects the query to be used by this attention alone, but got "
           "other uses";
  if (!hasParameters(query))
    return "expects the query's linear to have a weight and a bias made of "
           "parameters alone, but got another value";
  return std::nullopt;
}

void AttentionFolder::foldScale() {
  double factor = attention.getScaleValue();
  if (!attention.getBase2())
    factor *= llvm::numbers::log2e;
  else if (factor == 1.0)
    return;
  auto query = attention.getQuery().getDefiningOp<LinearOp>();
  if (std::optional<std::string> why = findScaleObstacle(query)) {
    remarks.missed(attention.getLoc(), "ScaleKept", *why);
    return;
  }
  OpBuilder builder(query);
  FloatAttr factorAttr = builder.getF64FloatAttr(factor);
  auto scale = [&](Value value) -> Value {
    return PackScaleOp::create(builder, query.getLoc(), value.getType(), value,
                               factorAttr);
  };
  query.getWeightMutable().assign(scale(query.getWeight()));
  if (query.getBias())
    query.getBiasMutable().assign(scale(query.getBias()));
  attention.setScaleAttr(builder.getF64FloatAttr(1.0));
  attention.setBase2(true);
  remarks.passed(attention.getLoc(), "ScaleFolded",
                 "scale and log2(e) folded into the query's linear");
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

void AttentionFolder::dropKeyBias() {
  auto key = attention.getKey().getDefiningOp<LinearOp>();
  if (!key || !key.getBias())
    return;
  if (!key->hasOneUse()) {
    remarks.missed(attention.getLoc(), "KeyBiasKept",
                   "expects the key to be used by this attention alone, but "
                   "got other uses");
    return;
  }
  key.getBiasMutable().clear();
  remarks.passed(attention.getLoc(), "KeyBiasDropped",
                 "bias of the key dropped: the softmax cancels it");
}

std::optional<std::string> AttentionFolder::findValueObstacle(LinearOp value) {
  if (!value->hasOneUse())
    return "expects the value to be used by this attention alone, but got "
           "other uses";
  if (attention.getKVHeads() != attention.getNumHeads())
    return ("expects as many key and value heads as query heads (" +
            Twine(attention.getNumHeads()) + "), but got " +
            Twine(attention.getKVHeads()))
        .str();
  if (!attention->hasOneUse())
    return "expects one use of the result, as the input of hk.linear, but got "
           "more or none";
  Operation *user = *attention->user_begin();
  auto output = dyn_cast<LinearOp>(user);
  if (!output)
    return ("expects the result to be the input of hk.linear, but got " +
            user->getName().getStringRef())
        .str();
  if (!hasParameters(value) || !hasParameters(output))
    return "expects linears with a weight and a bias made of parameters "
           "alone, but got another value";
  if (getElementTypeOrSelf(value.getBias()) !=
      getElementTypeOrSelf(output.getWeight()))
    return "expects the linears before and after to have parameters of one "
           "element type, but got two";
  Value mask = attention.getMask();
  if (mask && !rows.get(attention.getResult()).isWithin(mask))
    return "expects every row that is read to see a key, but an invalid row, "
           "which may see none, is read";
  return std::nullopt;
}

void AttentionFolder::moveValueBias() {
  auto value = attention.getValue().getDefiningOp<LinearOp>();
  if (!value || !value.getBias())
    return;
  if (std::optional<std::string> why = findValueObstacle(value)) {
    remarks.missed(attention.getLoc(), "ValueBiasKept", *why);
    return;
  }
  auto output = cast<LinearOp>(*attention->user_begin());
  OpBuilder builder(output);
  auto type = cast<RankedTensorType>(output.getWeight().getType());
  Value bias = PackMatVecOp::create(
      builder, output.getLoc(),
      RankedTensorType::get(type.getDimSize(0), type.getElementType()),
      output.getWeight(), value.getBias());
  if (output.getBias())
    bias = PackAddOp::create(builder, output.getLoc(), bias, output.getBias());
  output.getBiasMutable().assign(bias);
  value.getBiasMutable().clear();
  remarks.passed(attention.getLoc(), "ValueBiasMoved",
                 "bias of the value moved into the linear that follows: every "
                 "row that is read sees a key");
}

namespace {
class FoldAttentionPass
    : public hk::impl::FoldAttentionBase<FoldAttentionPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr("hk.oracle_of") || function.isExternal())
        continue;
      PassRemarks remarks(getArgument(), function);
      DemandedRows rows(function);
      function.walk([&](AttentionOp attention) {
        AttentionFolder folder(attention, rows, remarks);
        folder.foldScale();
        folder.dropKeyBias();
        folder.moveValueBias();
      });
    }
  }
};
} // namespace
