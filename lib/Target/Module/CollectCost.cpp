// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a dispatch must move and compute: for tools that tell how far a
// measured time is from the machine's limits.

#include "ModuleData.h"
#include "hk/Dialect/HK/HKDialect.h"

using namespace mlir;
using namespace hk;

/// Elements of a tensor [batch, ...] for each sequence.
static uint64_t getElements(RankedTensorType type) {
  uint64_t elements = 1;
  for (int64_t size : type.getShape().drop_front())
    elements *= size;
  return elements;
}

/// Bytes for each sequence; an i1 takes one.
static uint64_t getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return 0;
  unsigned bits = tensor.getElementTypeBitWidth();
  return getElements(tensor) * ((bits + 7) / 8);
}

static uint64_t getFlops(LinearOp linear) {
  auto input = cast<RankedTensorType>(linear.getInput().getType());
  auto weight = cast<RankedTensorType>(linear.getWeight().getType());
  return 2 * getElements(input) * weight.getDimSize(0);
}

static uint64_t getFlops(AttentionOp attention) {
  uint64_t length = attention.getSequenceLength();
  uint64_t width = attention.getQueryType().getDimSize(2);
  uint64_t pairs =
      attention.getCausal() ? length * (length + 1) / 2 : length * length;
  return 4 * width * pairs;
}

CostData hk::collectCost(DispatchOp dispatch, ExecutableOp executable) {
  CostData cost;
  for (Type type : dispatch.getInputs().getTypes())
    cost.read += getBytes(type);
  for (Type type : dispatch.getResultTypes())
    cost.written += getBytes(type);
  // All variants compute the same.
  VariantOp variant = *executable.getBody().getOps<VariantOp>().begin();
  variant->walk([&](Operation *op) {
    if (auto linear = dyn_cast<LinearOp>(op))
      cost.flops += getFlops(linear);
    else if (auto attention = dyn_cast<AttentionOp>(op))
      cost.flops += getFlops(attention);
  });
  return cost;
}
