// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/PlanClone.h"

using namespace mlir;
using namespace hk;

static constexpr llvm::StringLiteral kOf = "hk.plan_of", kArch = "hk.arch",
                                     kPlan = "hk.plan", kRole = "hk.role",
                                     kOperands = "hk.operands",
                                     kRank = "hk.rank";

void hk::setPlanClone(func::FuncOp function, const PlanClone &clone) {
  Builder builder(function.getContext());
  function->setAttr(kOf, clone.of);
  function->setAttr(kArch, builder.getStringAttr(clone.arch));
  function->setAttr(kPlan, builder.getStringAttr(clone.plan));
  function->setAttr(kOperands,
                    builder.getStringAttr(stringifyOperands(clone.operands)));
  function->setAttr(kRole, builder.getStringAttr(stringifyRole(clone.role)));
  function->setAttr(kRank, builder.getI64IntegerAttr(clone.rank));
}

FailureOr<std::optional<PlanClone>> hk::getPlanClone(func::FuncOp function) {
  if (!function->hasAttr(kOf))
    return std::optional<PlanClone>();
  auto text = [&](StringRef name) {
    auto attr = function->getAttrOfType<StringAttr>(name);
    return attr ? attr.getValue() : StringRef();
  };
  auto of = function->getAttrOfType<FlatSymbolRefAttr>(kOf);
  auto rank = function->getAttrOfType<IntegerAttr>(kRank);
  std::optional<Operands> operands = symbolizeOperands(text(kOperands));
  std::optional<Role> role = symbolizeRole(text(kRole));
  StringRef plan = text(kPlan);
  bool isPlan = plan == "safe" || plan == "fused" || plan == "reference";
  if (!of || !rank || !operands || !role || !isPlan || text(kArch).empty())
    return function.emitOpError()
           << "expects the attributes hk.plan_of, hk.arch, hk.plan, "
              "hk.operands, hk.role and hk.rank of a clone "
              "(hk-clone-targets), but got "
           << function->getDiscardableAttrDictionary();
  return std::optional<PlanClone>(PlanClone{
      of, text(kArch), plan, *operands, *role, rank.getValue().getSExtValue()});
}

int64_t hk::operandBits(Operands operands) {
  return operands == Operands::F16 || operands == Operands::BF16 ? 16 : 32;
}

std::unique_ptr<CutPolicy> hk::createCutPolicy(const PlanClone &clone) {
  if (clone.plan == "fused")
    return createChainCutPolicy(operandBits(clone.operands));
  return createOperationCutPolicy();
}
