// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers as slices of a worker's scratch memory.

#include "LoopsKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

namespace {
/// A buffer, and the operations of the function's block that it is live in:
/// those from `begin` to `end`, both included. In a loop it is live all along.
struct LiveBuffer {
  memref::AllocOp alloc;
  int64_t bytes = 0;
  unsigned begin = 0, end = 0;
  int64_t offset = 0;
};
} // namespace

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

static void computeLiveRange(LiveBuffer &buffer, Block &block,
                             const DenseMap<Operation *, unsigned> &positions) {
  auto positionOf = [&](Operation *op) {
    return positions.lookup(block.findAncestorOpInBlock(*op));
  };
  buffer.begin = buffer.end = positionOf(buffer.alloc);
  SmallVector<Value> worklist = {buffer.alloc.getResult()};
  DenseSet<Value> seen(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      buffer.end = std::max(buffer.end, positionOf(use.getOwner()));
      SmallVector<Value> aliases;
      getAliases(use, aliases);
      for (Value alias : aliases)
        if (seen.insert(alias).second)
          worklist.push_back(alias);
    }
  }
}

/// First fit, largest first; ties in the order of the code. Returns the total.
static int64_t assignOffsets(MutableArrayRef<LiveBuffer> buffers) {
  SmallVector<LiveBuffer *> order;
  for (LiveBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::stable_sort(
      order, [](LiveBuffer *a, LiveBuffer *b) { return a->bytes > b->bytes; });
  int64_t total = 0;
  SmallVector<LiveBuffer *> placed; // by offset
  for (LiveBuffer *buffer : order) {
    int64_t offset = 0;
    for (LiveBuffer *other : placed) {
      if (other->begin > buffer->end || other->end < buffer->begin)
        continue;
      if (offset + buffer->bytes <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer->offset = offset;
    total = std::max(total, offset + buffer->bytes);
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](LiveBuffer *a, LiveBuffer *b) {
                                      return a->offset < b->offset;
                                    }),
                  buffer);
  }
  return total;
}

static int64_t getByteSize(MemRefType type) {
  int64_t element =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  return llvm::alignTo(type.getNumElements() * element, kAlignment);
}

FailureOr<int64_t> hk::assignScratch(func::FuncOp function) {
  Block &block = function.getBody().front();
  DenseMap<Operation *, unsigned> positions;
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;

  SmallVector<LiveBuffer> buffers;
  WalkResult walk =
      function.walk([&](memref::AllocOp alloc) {
        if (!alloc.getType().hasStaticShape()) {
          alloc.emitError()
              << "expects buffers of static size in a kernel, but got "
              << alloc.getType();
          return WalkResult::interrupt();
        }
        LiveBuffer buffer;
        buffer.alloc = alloc;
        buffer.bytes = getByteSize(alloc.getType());
        computeLiveRange(buffer, block, positions);
        buffers.push_back(buffer);
        return WalkResult::advance();
      });
  if (walk.wasInterrupted())
    return failure();
  int64_t total = assignOffsets(buffers);

  auto bytes = IntegerType::get(function.getContext(), 8);
  if (failed(function.insertArgument(function.getNumArguments(),
                                     MemRefType::get({total}, bytes), {},
                                     function.getLoc())))
    return failure();
  Value scratch = function.getArguments().back();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (LiveBuffer &buffer : buffers) {
    Value offset = arith::ConstantIndexOp::create(
        builder, buffer.alloc.getLoc(), buffer.offset);
    Value view = memref::ViewOp::create(builder, buffer.alloc.getLoc(),
                                        buffer.alloc.getType(), scratch, offset,
                                        ValueRange());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
  return total;
}
