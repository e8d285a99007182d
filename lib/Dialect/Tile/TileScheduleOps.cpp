// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level S of the tile dialect: constraints.

#include "Verify.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// (C2) of a role: what comes from outside.
static LogicalResult verifyCaptures(RoleOp role) {
  WalkResult result = role.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (role.getBody().isAncestor(operand.getParentRegion()) ||
          isa<BlockArgument>(operand) || isa<ChanType>(operand.getType()) ||
          operand.getType().isIntOrIndexOrFloat())
        continue;
      op->emitOpError() << "expects values from outside of its role that are "
                           "arguments of the kernel, scalars or channels, but "
                           "got "
                        << operand.getType();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult RoleOp::verifyRegions() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel) // (C1)
    return emitOpError() << "expects a tile.kernel around it, but got "
                         << (*this)->getParentOp()->getName();
  for (auto other : kernel.getBody().getOps<RoleOp>()) // (C1)
    if (other != *this && other.getKind() == getKind() &&
        other->isBeforeInBlock(*this))
      return emitOpError() << "expects one role of each kind, but got a second "
                           << stringifyRoleKind(getKind());
  if (failed(verifyCaptures(*this))) // (C2)
    return failure();
  bool isProducer = getKind() == RoleKind::Producer;
  WalkResult result = walk([&](Operation *op) { // (C3)
    bool isWrong = isProducer ? isa<WaitOp, ReleaseOp>(op)
                              : isa<AcquireOp, CopyOp, CommitOp>(op);
    if (!isWrong)
      return WalkResult::advance();
    op->emitOpError() << "expects a role of the other kind around it, but got "
                         "a "
                      << stringifyRoleKind(getKind());
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ChanOp::verify() {
  if (!isa<KernelOp>((*this)->getParentOp())) // (C1)
    return emitOpError() << "expects a tile.kernel around it, but got "
                         << (*this)->getParentOp()->getName();
  auto isAligned = [](IntegerAttr offset, int64_t alignment) {
    return !offset ||
           (offset.getInt() >= 0 && offset.getInt() % alignment == 0);
  };
  if (!isAligned(getOffsetAttr(), 1024) ||
      !isAligned(getBarriersAttr(), 8)) // (C2)
    return emitOpError() << "expects slots at a multiple of 1024 bytes and "
                            "barriers at one of 8, but got "
                         << getOffset().value_or(0) << " and "
                         << getBarriers().value_or(0);
  return success();
}

static LogicalResult verifySlot(Operation *op, ChanType chan, BufType type) {
  if (type.getBytes() > chan.getSlotType().getBytes()) // (C1)
    return op->emitOpError()
           << "expects a buf of at most the " << chan.getSlotType().getBytes()
           << " bytes of a slot, but got " << type;
  return success();
}

LogicalResult AcquireOp::verify() {
  return verifySlot(*this, getChan().getType(), getType());
}

LogicalResult WaitOp::verify() {
  return verifySlot(*this, getChan().getType(), getType());
}

LogicalResult CopyOp::verify() {
  if (!getSlot().getDefiningOp<AcquireOp>()) // (C2)
    return emitOpError() << "expects a slot that tile.acquire gives, but got "
                            "another buf";
  return verifyStaged(*this, getSource().getType(), getIndices(), getRows(),
                      getColumnsAttr(), getPaddedAttr(),
                      getSlot().getType()); // (C1)
}

LogicalResult GridWaitOp::verify() {
  if (!isa<KernelOp, RoleOp>((*this)->getParentOp())) // (C1)
    return emitOpError()
           << "expects a tile.kernel or a tile.role around it, but got "
           << (*this)->getParentOp()->getName();
  return success();
}

LogicalResult PutOp::verify() {
  return verifyPartOfBuf(*this, getValue().getType(), getTarget().getType(),
                         getRow(), getColumn()); // (C1), (C2)
}
