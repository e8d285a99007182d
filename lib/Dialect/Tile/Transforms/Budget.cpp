// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Pressure.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEBUDGET
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

namespace {
/// The place of the most registers.
struct Peak {
  int64_t registers = 0;
  Operation *op = nullptr;
};

class BudgetPass : public hk::tile::impl::TileBudgetBase<BudgetPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();
    int64_t limit =
        getRegisterLimit(*arch, kernel, kernel.getProducers().value_or(0));
    auto roles = llvm::to_vector(kernel.getBody().getOps<RoleOp>());
    for (RoleOp role : roles)
      report(role.getBody().front(), stringifyRoleKind(role.getKind()), role,
             limit);
    if (roles.empty())
      report(kernel.getBody().front(), "kernel", kernel, limit);
    markAllAnalysesPreserved();
  }

  void report(Block &block, StringRef name, Operation *parent, int64_t limit) {
    // What the role uses from outside is alive all the time.
    llvm::DenseSet<Value> outside;
    parent->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!parent->getRegion(0).isAncestor(operand.getParentRegion()))
          outside.insert(operand);
    });
    int64_t registers = kRegisterOverhead;
    for (Value value : outside)
      registers += getRegisters(value);
    Peak peak;
    visitPressure(block, registers, [&](Operation *op, int64_t needed) {
      if (needed > peak.registers)
        peak = {needed, op};
    });
    if (!peak.op)
      return;
    PassRemarks remarks(getArgument(), getOperation());
    remarks.analysis(peak.op->getLoc(), "Registers",
                     name + Twine(": about ") + Twine(peak.registers) +
                         " registers a thread of " + Twine(limit) +
                         ", the most at " + peak.op->getName().getStringRef());
    if (peak.registers > limit)
      remarks.missed(peak.op->getLoc(), "Spills",
                     "expects at most " + Twine(limit) +
                         " registers a thread, but got about " +
                         Twine(peak.registers));
  }
};
} // namespace
