// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers as slices of a worker's scratch memory.

#include "LoopsKernel.h"
#include "hk/Analysis/MemoryPlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

/// A cache line, and a vector of the widest registers.
static constexpr int64_t kAlignment = 64;

/// The values that a use of a buffer makes, which are the buffer as well.
static void getAliases(OpOperand &use, SmallVectorImpl<Value> &aliases) {
  Operation *user = use.getOwner();
  if (isa<ViewLikeOpInterface>(user) || isa<arith::SelectOp>(user)) {
    llvm::append_range(aliases, user->getResults());
  } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (OpResult result = loop.getTiedLoopResult(&use)) {
      aliases.push_back(result);
      aliases.push_back(loop.getTiedLoopRegionIterArg(&use));
    }
  } else if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    aliases.push_back(parent->getResult(use.getOperandNumber()));
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      aliases.push_back(loop.getRegionIterArg(use.getOperandNumber()));
  }
}

/// The operations of the function's block that the buffer is live in. In a loop
/// it is live all along.
static BufferLifetime
getLifetime(memref::AllocOp alloc, Block &block,
            const DenseMap<Operation *, unsigned> &positions) {
  auto positionOf = [&](Operation *op) {
    return positions.lookup(block.findAncestorOpInBlock(*op));
  };
  MemRefType type = alloc.getType();
  int64_t bytes =
      type.getNumElements() *
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  BufferLifetime lifetime{bytes, positionOf(alloc), positionOf(alloc)};
  SmallVector<Value> worklist = {alloc.getResult()};
  DenseSet<Value> seen(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      lifetime.end = std::max(lifetime.end, positionOf(use.getOwner()));
      SmallVector<Value> aliases;
      getAliases(use, aliases);
      for (Value alias : aliases)
        if (seen.insert(alias).second)
          worklist.push_back(alias);
    }
  }
  return lifetime;
}

int64_t hk::assignScratch(func::FuncOp function) {
  Block &block = function.getBody().front();
  DenseMap<Operation *, unsigned> positions;
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;

  SmallVector<memref::AllocOp> allocs;
  SmallVector<BufferLifetime> lifetimes;
  function.walk([&](memref::AllocOp alloc) {
    if (!alloc.getType().hasStaticShape())
      return;
    allocs.push_back(alloc);
    lifetimes.push_back(getLifetime(alloc, block, positions));
  });
  MemoryPlan plan = planMemory(lifetimes, kAlignment);

  auto byte = IntegerType::get(function.getContext(), 8);
  // Fails on a declaration only.
  (void)function.insertArgument(function.getNumArguments(),
                                MemRefType::get({plan.size}, byte), {},
                                function.getLoc());
  Value scratch = function.getArguments().back();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (auto [alloc, position] : llvm::zip_equal(allocs, plan.offsets)) {
    Location loc = alloc.getLoc();
    Value offset = arith::ConstantIndexOp::create(builder, loc, position);
    Value view = memref::ViewOp::create(builder, loc, alloc.getType(), scratch,
                                        offset, ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
  return plan.size;
}
