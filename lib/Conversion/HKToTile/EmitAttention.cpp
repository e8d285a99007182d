// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention: one head of a unit's queries, over all keys.

#include "TileEmitter.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

FailureOr<Value> TileEmitter::emitAttentionBlock(hk::AttentionOp op, Value) {
  return op.emitOpError() << "expects an operation that #hk.cuda has a "
                             "lowering for, but got "
                          << op->getName();
}
