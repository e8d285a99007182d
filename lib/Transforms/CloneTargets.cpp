// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-clone-targets: a function for each plan on each kind of GPU.

#include "hk/Target/Devices/Device.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"
#include "hk/Transforms/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hk {
#define GEN_PASS_DEF_CLONETARGETS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// True if `holds` for all chains of `function`, those in loops among them.
static bool allChains(func::FuncOp function,
                      function_ref<bool(ArrayRef<Operation *>)> holds) {
  auto holdsInBlock = [&](Block &block) {
    return llvm::all_of(chainsOf(block), holds);
  };
  return holdsInBlock(function.getBody().front()) &&
         !function
              .walk([&](scf::ForOp loop) {
                return holdsInBlock(*loop.getBody()) ? WalkResult::advance()
                                                     : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// True if both policies cut `function` at the same places.
static bool cutsAlike(func::FuncOp function, const CutPolicy &a,
                      const CutPolicy &b) {
  auto positions = [](const CutPolicy &policy, ArrayRef<Operation *> chain) {
    return llvm::map_to_vector(policy.cut(chain),
                               [](const Cut &cut) { return cut.position; });
  };
  return allChains(function, [&](ArrayRef<Operation *> chain) {
    return positions(a, chain) == positions(b, chain);
  });
}

/// True if the policy joins an attention with what computes its keys.
static bool projectsKeys(func::FuncOp function, const CutPolicy &policy) {
  return !allChains(function, [&](ArrayRef<Operation *> chain) {
    SmallVector<Cut> cuts = policy.cut(chain);
    size_t begin = 0;
    for (const Cut &cut : cuts) {
      if (computesKeys(chain.slice(begin, cut.position - begin)))
        return false;
      begin = cut.position;
    }
    return !computesKeys(chain.drop_front(begin));
  });
}

namespace {
class CloneTargets : public hk::impl::CloneTargetsBase<CloneTargets> {
public:
  using CloneTargetsBase::CloneTargetsBase;

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    ModuleOp module = getOperation();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr("hk.oracle_of"))
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitOpError() << "expects one block, but got control flow";
        return signalPassFailure();
      }
      for (const std::string &arch : archs)
        if (failed(clone(function, arch)))
          return signalPassFailure();
      if (!cpu) {
        function.eraseBody();
        function.setPrivate();
      }
    }
  }

private:
  LogicalResult checkOptions();
  LogicalResult clone(func::FuncOp function, StringRef arch);
  LogicalResult addClone(func::FuncOp function, PlanClone clone,
                         StringRef name);

  SmallVector<Operands> candidates;
};
} // namespace

LogicalResult CloneTargets::checkOptions() {
  Location loc = getOperation().getLoc();
  for (const std::string &arch : archs)
    if (!getDefaultDevice(arch))
      return emitError(loc) << "expects archs of sm_80, sm_86, sm_89, sm_90a "
                               "and sm_120, but got '"
                            << arch << "'";
  for (const std::string &name : operands) {
    std::optional<Operands> kind = symbolizeOperands(name);
    if (kind == Operands::BF16)
      return emitError(loc)
             << "expects operands of f16, tf32 or tf32x3, but got bf16: with "
                "its 8 significant bits, results are 3 to 4 times further off "
                "than the accuracy gate allows";
    if (!kind)
      return emitError(loc)
             << "expects operands of f16, tf32 or tf32x3, but got '" << name
             << "'";
    if (!llvm::is_contained(candidates, *kind))
      candidates.push_back(*kind);
  }
  if (candidates.empty())
    candidates.push_back(Operands::F16);
  return success();
}

LogicalResult CloneTargets::addClone(func::FuncOp function, PlanClone clone,
                                     StringRef name) {
  std::string symbol =
      (function.getSymName() + "." + clone.arch + "." + name).str();
  if (getOperation().lookupSymbol(symbol))
    return function.emitError()
           << "expects the name @" << symbol
           << " to be free for a plan, but got another symbol of that name; "
              "rename it";
  func::FuncOp copy = function.clone();
  copy.setSymName(symbol);
  copy.setPrivate();
  setPlanClone(copy, clone);
  // In order, before the next function.
  Operation *after = function;
  while (auto next = dyn_cast_or_null<func::FuncOp>(after->getNextNode())) {
    if (next->getAttr("hk.plan_of") != clone.of)
      break;
    after = next;
  }
  getOperation().insert(std::next(Block::iterator(after)), copy);
  PassRemarks("hk-clone-targets", function)
      .passed(function.getLoc(), "Plan",
              "plan @" + symbol + ", " + stringifyRole(clone.role) + ", rank " +
                  Twine(clone.rank));
  return success();
}

LogicalResult CloneTargets::clone(func::FuncOp function, StringRef arch) {
  auto of = FlatSymbolRefAttr::get(function.getSymNameAttr());
  PassRemarks remarks("hk-clone-targets", function);
  int64_t rank = 0;
  auto add = [&](StringRef plan, Operands operands, Role role) {
    std::string name = plan.str();
    if (role == Role::Candidate && operands != Operands::F16)
      name += ("_" + stringifyOperands(operands)).str();
    return addClone(function, {of, arch, plan, operands, role, rank++}, name);
  };
  std::unique_ptr<CutPolicy> safe = createOperationCutPolicy();
  FailureOr<const Device *> device = getTargetDevice(function, devices, arch);
  if (failed(device))
    return failure();
  // Policies are asked about a function that is a plan, as they will be.
  OwningOpRef<func::FuncOp> plan = function.clone();
  setPlanClone(*plan, {of, arch, "safe", Operands::F16, Role::Safe, 0});
  // Loops over layers are rotated in row chains: then attention and what
  // computes its keys are in different iterations.
  KeyProjection projection = function.getOps<scf::ForOp>().empty()
                                 ? KeyProjection::WhereItPays
                                 : KeyProjection::Never;
  auto createFused = [&](Operands operands) {
    return createCostCutPolicy(operands, **device, assumedBatch, projection);
  };
  auto addFused = [&](Operands operands) -> LogicalResult {
    if (!cutsAlike(*plan, *safe, *createFused(operands)))
      return add("fused", operands, Role::Candidate);
    remarks.missed(function.getLoc(), "NotFused",
                   "no plan with row chains of " + stringifyOperands(operands) +
                       " operands for " + arch +
                       ": every operation is a kernel of its own");
    return success();
  };
  if (llvm::is_contained(candidates, Operands::F16) &&
      failed(addFused(Operands::F16)))
    return failure();
  rank = 1;
  if (failed(add("safe", Operands::F16, Role::Safe)))
    return failure();
  // Where prediction and rule differ, measurement decides.
  std::unique_ptr<CutPolicy> chains = createChainCutPolicy(Operands::F16);
  if (llvm::is_contained(candidates, Operands::F16) &&
      !cutsAlike(*plan, *safe, *chains) &&
      !cutsAlike(*plan, *chains, *createFused(Operands::F16)) &&
      failed(add("chains", Operands::F16, Role::Candidate)))
    return failure();
  std::unique_ptr<CutPolicy> projected = createCostCutPolicy(
      Operands::F16, **device, assumedBatch, KeyProjection::WhereItCan);
  if (llvm::is_contained(candidates, Operands::F16) &&
      projectsKeys(*plan, *projected) &&
      !cutsAlike(*plan, *projected, *createFused(Operands::F16)) &&
      failed(add("projected", Operands::F16, Role::Candidate)))
    return failure();
  for (Operands operands : candidates)
    if (operands != Operands::F16 &&
        (failed(addFused(operands)) ||
         failed(add("safe", operands, Role::Candidate))))
      return failure();
  return add("reference", Operands::TF32x3, Role::Reference);
}
