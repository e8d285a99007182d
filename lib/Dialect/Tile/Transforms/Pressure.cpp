// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pressure.h"

#include "hk/Dialect/Tile/RegisterSplit.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

int64_t hk::tile::getRegisterLimit(const Arch &arch, KernelOp kernel,
                                   int64_t producers) {
  int64_t units = kernel.getUnits();
  if (auto ctas = kernel->getAttrOfType<IntegerAttr>("hk.ctas"))
    if (auto split = RegisterSplit::get(units, llvm::alignTo(producers, 4),
                                        ctas.getInt(), arch.registers))
      return split->consumer;
  return std::min<int64_t>(255,
                           arch.registers / (32 * (units + producers)) / 8 * 8);
}

/// Fragments of B and their addresses, while an mma runs.
static constexpr int64_t mmaTemporaries = 12;

/// The registers of a frag: of f16, two elements share one.
static int64_t getFragRegisters(FragType type) {
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

int64_t hk::tile::getRegisters(Value value) {
  Type type = value.getType();
  if (auto frag = dyn_cast<FragType>(type))
    return getFragRegisters(frag);
  if (value.getDefiningOp<arith::ConstantOp>())
    return 0;
  if (isa<ChanType, MemRefType, TilesType>(type))
    return 2;
  return 1;
}

/// The last operation of `block` that uses `value` or a slice of it, or has one
/// inside that does.
static Operation *getLastUserIn(Value value, Block &block) {
  Operation *last = nullptr;
  auto consider = [&](Operation *op) {
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  for (Operation *user : value.getUsers()) {
    consider(block.findAncestorOpInBlock(*user));
    if (isa<SliceOp>(user))
      consider(getLastUserIn(user->getResult(0), block));
  }
  return last;
}

namespace {
class Pressure {
public:
  explicit Pressure(function_ref<void(Operation *, int64_t)> record)
      : record(record) {}

  /// Visits a block, `outside` registers being alive around it, besides what is
  /// `inherited` and dies here.
  void visit(Block &block, int64_t outside, ValueRange inherited = {}) {
    // Values and what comes last in this block of their uses.
    llvm::DenseMap<Operation *, SmallVector<Value>> dying;
    int64_t alive = 0;
    auto begin = [&](Value value) {
      // A slice has the registers of what it is of.
      Operation *last = getLastUserIn(value, block);
      if (!last || value.getDefiningOp<SliceOp>())
        return;
      alive += getRegisters(value);
      dying[last].push_back(value);
    };
    for (Value argument : block.getArguments())
      begin(argument);
    for (Value value : inherited)
      begin(value);
    for (Operation &op : block) {
      int64_t died = 0;
      for (Value value : dying.lookup(&op))
        died += getRegisters(value);
      int64_t given = 0;
      for (Value result : op.getResults())
        if (!result.use_empty() && !isa<SliceOp>(op))
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

private:
  /// What a loop takes over and no one else uses lives on inside of it.
  void visitRegions(Operation &op, int64_t alive, ArrayRef<Value> dying) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (Value value : dying)
        if (llvm::is_contained(loop.getInitArgs(), value) && value.hasOneUse())
          alive -= getRegisters(value);
    // What a branch is the last to use dies inside of it.
    SmallVector<Value> inherited;
    if (isa<scf::IfOp>(op))
      for (Value value : dying)
        if (!llvm::is_contained(op.getOperands(), value)) {
          inherited.push_back(value);
          alive -= getRegisters(value);
        }
    for (Region &region : op.getRegions())
      for (Block &block : region)
        visit(block, alive, inherited);
  }

  function_ref<void(Operation *, int64_t)> record;
};
} // namespace

void hk::tile::visitPressure(
    Block &block, int64_t outside,
    function_ref<void(Operation *, int64_t)> record) {
  Pressure(record).visit(block, outside);
}
