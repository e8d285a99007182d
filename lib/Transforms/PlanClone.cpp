// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/PlanClone.h"

#include "hk/Target/Devices/Device.h"

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
  bool isPlan =
      llvm::is_contained({"safe", "fused", "chains", "projected", "reference"},
                         plan);
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

FailureOr<const Device *> hk::getTargetDevice(Operation *op,
                                              ArrayRef<std::string> devices,
                                              StringRef arch) {
  const Device *device = getDefaultDevice(arch);
  for (const std::string &name : devices) {
    const Device *named = findDevice(name);
    if (!named)
      return op->emitOpError() << "expects devices of " << listDevices()
                               << ", but got '" << name << "'";
    if (named->arch == arch)
      device = named;
  }
  if (!device)
    return op->emitOpError() << "expects hk.arch of sm_80, sm_86, sm_89, "
                                "sm_90a or sm_120, but got "
                             << arch;
  return device;
}

std::unique_ptr<CutPolicy> hk::createCutPolicy(const PlanClone &clone,
                                               const Device &device,
                                               int64_t batch) {
  if (clone.plan == "fused")
    return createCostCutPolicy(clone.operands, device, batch);
  if (clone.plan == "chains")
    return createChainCutPolicy(clone.operands);
  if (clone.plan == "projected")
    return createCostCutPolicy(clone.operands, device, batch,
                               KeyProjection::WhereItCan);
  return createOperationCutPolicy();
}
