// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads wait for the kernels in front of theirs.

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Uses.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEPLACEGRIDWAITS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk::tile;

/// The first operation of `block` with an access, or null.
static Operation *findAccess(KernelOp kernel, Block &block) {
  for (Operation &op : block)
    if (kernel.hasAccess(&op))
      return &op;
  return nullptr;
}

namespace {
class PlaceGridWaitsPass
    : public hk::tile::impl::TilePlaceGridWaitsBase<PlaceGridWaitsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (contains<GridWaitOp>(kernel))
      return;
    Block &body = kernel.getBody().front();
    Operation *first = findAccess(kernel, body);
    auto roles = body.getOps<RoleOp>();
    bool isInRoles = kernel.haveAllRoles() &&
                     (!first || !first->isBeforeInBlock(*roles.begin()));
    OpBuilder builder(kernel.getContext());
    if (!isInRoles) {
      builder.setInsertionPoint(first ? first : body.getTerminator());
      GridWaitOp::create(builder, builder.getInsertionPoint()->getLoc());
      return;
    }
    for (RoleOp role : roles) {
      Block &block = role.getBody().front();
      builder.setInsertionPointToEnd(&block);
      // A role that has none waits for the sake of those that come after the
      // kernel: it must not end before what is in front of it.
      if (Operation *access = findAccess(kernel, block))
        builder.setInsertionPoint(access);
      GridWaitOp::create(builder, role.getLoc());
    }
  }
};
} // namespace
