// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Publish.h"

#include "Uniformity.h"
#include "Uses.h"

using namespace mlir;
using namespace hk::tile;

/// The first operation of its block that reads a buf, or has what does inside.
static Operation *getFirstReader(EmptyOp empty) {
  Operation *first = nullptr;
  for (Operation *user : empty.getResult().getUsers()) {
    if (isa<PutOp>(user))
      continue;
    Operation *ancestor = empty->getBlock()->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

namespace {
/// Publishes of one block between two barriers, and bufs that puts fill.
class Group {
public:
  /// True if `op` can go between the barriers of the group: nothing reads a buf
  /// of the group before it.
  bool takes(Operation *op) const {
    return !readyBefore || op->isBeforeInBlock(readyBefore);
  }

  void add(PublishOp publish) {
    AllocOp alloc =
        open(publish, publish.getResult(), getFirstUser(publish.getResult()));
    OpBuilder builder(publish);
    PutOp::create(builder, publish.getLoc(), publish.getValue(), alloc,
                  publish.getRow(), publish.getColumn());
    publish.getResult().replaceAllUsesWith(alloc);
    publish.erase();
  }

  void add(EmptyOp empty) {
    AllocOp alloc = open(empty, empty.getResult(), getFirstReader(empty));
    empty.getResult().replaceAllUsesWith(alloc);
    empty.erase();
  }

  void close() {
    if (!begin)
      return;
    OpBuilder builder(readyBefore);
    SyncOp::create(builder, begin->getLoc());
    begin = readyBefore = nullptr;
  }

private:
  /// Memory for `buf`, which is read by `reader` first, if at all.
  AllocOp open(Operation *op, TypedValue<BufType> buf, Operation *reader) {
    OpBuilder builder(op);
    if (!begin) {
      begin = SyncOp::create(builder, op->getLoc());
      readyBefore = op->getBlock()->getTerminator();
    }
    if (reader && reader->isBeforeInBlock(readyBefore))
      readyBefore = reader;
    // It is taken from the first barrier on: what was there before is no longer
    // read.
    builder.setInsertionPoint(begin);
    return AllocOp::create(builder, op->getLoc(), buf.getType(), IntegerAttr());
  }

  Operation *begin = nullptr;
  /// The second barrier goes before this.
  Operation *readyBefore = nullptr;
};
} // namespace

/// What is read has been put there: by operations before it, since between the
/// two there is a barrier in the block.
static LogicalResult verifyPuts(EmptyOp empty) {
  Operation *reader = getFirstReader(empty);
  for (Operation *user : empty.getResult().getUsers()) {
    Operation *ancestor = empty->getBlock()->findAncestorOpInBlock(*user);
    if (!reader || !isa<PutOp>(user) || ancestor->isBeforeInBlock(reader))
      continue;
    InFlightDiagnostic diag =
        empty.emitOpError()
        << "expects all puts before the first other use, but got one behind "
        << reader->getName();
    diag.attachNote(user->getLoc()) << "here";
    return diag;
  }
  return success();
}

static LogicalResult lowerBlock(Block &block) {
  Group group;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    // Loops and conditions have barriers of their own inside; there, memory of
    // this group may not be shared, which an alloc before them says.
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(lowerBlock(nested)))
          return failure();
    if (!isa<PublishOp, EmptyOp>(op))
      continue;
    if (failed(verifyCollective(&op, {})) ||
        failed(verifyStaysInBlock(&op, op.getResult(0))))
      return failure();
    auto empty = dyn_cast<EmptyOp>(op);
    if (empty && failed(verifyPuts(empty)))
      return failure();
    if (!group.takes(&op))
      group.close();
    if (empty)
      group.add(empty);
    else
      group.add(cast<PublishOp>(op));
  }
  group.close();
  return success();
}

LogicalResult hk::tile::lowerPublishes(KernelOp kernel) {
  return lowerBlock(kernel.getBody().front());
}
