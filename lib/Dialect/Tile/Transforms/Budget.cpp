// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Uses.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEBUDGET
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// Addresses, the thread's place in its warp, and what ptxas needs besides.
static constexpr int64_t overhead = 16;
/// Fragments of B and their addresses, while an mma runs.
static constexpr int64_t mmaTemporaries = 12;

/// The registers of a frag: of f16, two elements share one.
static int64_t getRegisters(FragType type) {
  int64_t rows = type.getRows(), columns = type.getColumns();
  bool isHalf = type.getElementType().isF16() || type.getElementType().isBF16();
  if (type.isLine()) {
    // Lanes of a row, and the rows and runs of 4 columns that a lane has.
    int64_t lanes =
        columns == 1
            ? 32
            : std::min<int64_t>(32, llvm::PowerOf2Ceil((columns + 3) / 4));
    int64_t groups = rows == 1 ? 1 : llvm::divideCeil(rows, 32 / lanes);
    int64_t runs = llvm::divideCeil(columns, 4 * lanes);
    if (columns == 1)
      return groups;
    return groups * runs * (isHalf ? 2 : 4);
  }
  int64_t perThread =
      (rows == 1 ? 1 : rows / 8) * (columns == 1 ? 1 : columns / 4);
  return isHalf && columns != 1 ? perThread / 2 : perThread;
}

static int64_t getRegisters(Value value) {
  Type type = value.getType();
  if (auto frag = dyn_cast<FragType>(type))
    return getRegisters(frag);
  if (value.getDefiningOp<arith::ConstantOp>())
    return 0;
  if (isa<ChanType, MemRefType, TilesType>(type))
    return 2;
  return 1;
}

namespace {
/// The place of the most registers.
struct Peak {
  int64_t registers = 0;
  Operation *op = nullptr;
};

class Pressure {
public:
  /// Visits a block, `outside` registers being alive around it.
  void visit(Block &block, int64_t outside) {
    // Values and what comes last in this block of their uses.
    llvm::DenseMap<Operation *, SmallVector<Value>> dying;
    int64_t alive = 0;
    auto begin = [&](Value value) {
      Operation *last = getLastUser(value);
      if (!last)
        return;
      alive += getRegisters(value);
      dying[last].push_back(value);
    };
    for (Value argument : block.getArguments())
      begin(argument);
    for (Operation &op : block) {
      int64_t died = 0;
      for (Value value : dying.lookup(&op))
        died += getRegisters(value);
      int64_t given = 0;
      for (Value result : op.getResults())
        if (!result.use_empty())
          given += getRegisters(result);
      // What dies makes room for what comes.
      record(&op, outside + alive - died + std::max(died, given) +
                      (isa<MmaOp>(op) ? mmaTemporaries : 0));
      if (!isa<MapOp>(op))
        visitRegions(op, outside + alive, dying.lookup(&op));
      alive -= died;
      for (Value result : op.getResults())
        begin(result);
    }
  }

  Peak peak;

private:
  void record(Operation *op, int64_t registers) {
    if (registers > peak.registers)
      peak = {registers, op};
  }

  /// What a loop takes over and no one else uses lives on inside of it.
  void visitRegions(Operation &op, int64_t alive, ArrayRef<Value> dying) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (Value value : dying)
        if (llvm::is_contained(loop.getInitArgs(), value) && value.hasOneUse())
          alive -= getRegisters(value);
    for (Region &region : op.getRegions())
      for (Block &block : region)
        visit(block, alive);
  }
};

class BudgetPass : public hk::tile::impl::TileBudgetBase<BudgetPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();
    int64_t limit =
        std::min<int64_t>(255, arch->registers / kernel.getThreads() / 8 * 8);
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
    int64_t registers = overhead;
    for (Value value : outside)
      registers += getRegisters(value);
    Pressure pressure;
    pressure.visit(block, registers);
    Peak peak = pressure.peak;
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
