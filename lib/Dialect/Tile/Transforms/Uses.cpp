// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Uses.h"

using namespace mlir;
using namespace hk::tile;

static Operation *getAncestor(Value value, Operation *user) {
  return value.getParentBlock()->findAncestorOpInBlock(*user);
}

Operation *hk::tile::getFirstUser(Value value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = getAncestor(value, user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

Operation *hk::tile::getLastUser(Value value) {
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = getAncestor(value, user);
    if (!last || last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  return last;
}

LogicalResult hk::tile::verifyStaysInBlock(Operation *op, Value buf) {
  for (Operation *user : buf.getUsers())
    if (user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() != 0)
      return op->emitOpError()
             << "expects a buf that is used by operations of its block or "
                "inside them, but got a use by "
             << user->getName();
  return success();
}
