// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel may do before the kernels in front of it have ended: which of
// its memory is constant, and where it waits ((C4) and (C5) of a kernel).

#include "hk/Dialect/Tile/TileDialect.h"

using namespace mlir;
using namespace hk::tile;

bool KernelOp::isConstant(Value value) {
  if (isa<TilesType>(value.getType()))
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->getParentOp() == *this &&
         getArgAttr(argument.getArgNumber(), getConstantAttrName());
}

bool KernelOp::isAccess(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) && !isConstant(operand);
  });
}

bool KernelOp::hasAccess(Operation *op) {
  return op
      ->walk([&](Operation *nested) {
        return isAccess(nested) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

bool KernelOp::haveAllRoles() {
  bool hasConsumer = false, hasProducer = getProducers().value_or(0) == 0;
  for (auto role : getBody().getOps<RoleOp>())
    (role.getKind() == RoleKind::Consumer ? hasConsumer : hasProducer) = true;
  return hasConsumer && hasProducer;
}

/// Fails, with an error, if `op` or anything inside is an access.
static LogicalResult verifyNoAccess(KernelOp kernel, Operation *op) {
  WalkResult result = op->walk([&](Operation *nested) {
    if (!kernel.isAccess(nested))
      return WalkResult::advance();
    nested->emitOpError() << "expects a tile.grid_wait in front of an access "
                             "to memory that is not constant, but got none";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Follows a thread through a role. `waits`: it has waited before.
static LogicalResult verifyRole(KernelOp kernel, RoleOp role, bool waits) {
  for (Operation &op : role.getBody().front()) {
    if (isa<GridWaitOp>(op)) {
      if (waits)
        return op.emitOpError()
               << "expects one wait of each thread, but got a second";
      waits = true;
    } else if (!waits && failed(verifyNoAccess(kernel, &op))) {
      return failure();
    }
  }
  if (!waits)
    return role.emitOpError() << "expects a tile.grid_wait, which other "
                                 "threads of the kernel reach, but got none";
  return success();
}

/// Follows all threads through the kernel.
static LogicalResult verifyGridWaits(KernelOp kernel) {
  bool waits = false, hasRole = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<GridWaitOp>(op)) {
      if (waits || hasRole)
        return op.emitOpError() << "expects one wait of each thread, in front "
                                   "of the roles, but got another";
      waits = true;
    } else if (auto role = dyn_cast<RoleOp>(op)) {
      if (failed(verifyRole(kernel, role, waits)))
        return failure();
      hasRole = true;
    } else if (!waits && failed(verifyNoAccess(kernel, &op))) {
      return failure();
    }
  }
  if (!waits && !kernel.haveAllRoles())
    return kernel.emitOpError() << "expects a tile.grid_wait that all threads "
                                   "reach, but got one for some roles only";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  WalkResult result = walk([&](StoreOp store) { // (C4)
    if (!isConstant(store.getTarget()))
      return WalkResult::advance();
    store.emitOpError() << "expects a target without " << getConstantAttrName()
                        << ", but got one with it";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  bool waits = walk([](GridWaitOp) { return WalkResult::interrupt(); })
                   .wasInterrupted();
  return waits ? verifyGridWaits(*this) : success(); // (C5)
}
