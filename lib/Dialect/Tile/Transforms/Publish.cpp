// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Publish.h"

#include "Uniformity.h"
#include "Uses.h"

using namespace mlir;
using namespace hk::tile;

namespace {
/// Publishes of one block between two barriers.
class Group {
public:
  /// True if the publish can go between the barriers of the group: nothing
  /// reads a buf of the group before it.
  bool takes(PublishOp publish) const {
    return !readyBefore || publish->isBeforeInBlock(readyBefore);
  }

  void add(PublishOp publish) {
    OpBuilder builder(publish);
    if (!begin) {
      begin = SyncOp::create(builder, publish.getLoc());
      readyBefore = publish->getBlock()->getTerminator();
    }
    if (Operation *user = getFirstUser(publish.getResult()))
      if (user->isBeforeInBlock(readyBefore))
        readyBefore = user;
    // Its memory is taken from the first barrier on: what was there before is
    // no longer read.
    builder.setInsertionPoint(begin);
    auto alloc = AllocOp::create(builder, publish.getLoc(),
                                 publish.getResult().getType(), IntegerAttr());
    builder.setInsertionPoint(publish);
    PutOp::create(builder, publish.getLoc(), publish.getValue(), alloc,
                  publish.getRow(), publish.getColumn());
    publish.getResult().replaceAllUsesWith(alloc);
    publish.erase();
  }

  void close() {
    if (!begin)
      return;
    OpBuilder builder(readyBefore);
    SyncOp::create(builder, begin->getLoc());
    begin = readyBefore = nullptr;
  }

private:
  Operation *begin = nullptr;
  /// The second barrier goes before this.
  Operation *readyBefore = nullptr;
};
} // namespace

static LogicalResult lowerBlock(Block &block) {
  Group group;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    // Loops and conditions have barriers of their own inside; there, memory of
    // this group may not be shared, which an alloc before them says.
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(lowerBlock(nested)))
          return failure();
    auto publish = dyn_cast<PublishOp>(op);
    if (!publish)
      continue;
    if (failed(verifyCollective(publish, {})) ||
        failed(verifyStaysInBlock(publish, publish.getResult())))
      return failure();
    if (!group.takes(publish))
      group.close();
    group.add(publish);
  }
  group.close();
  return success();
}

LogicalResult hk::tile::lowerPublishes(KernelOp kernel) {
  return lowerBlock(kernel.getBody().front());
}
