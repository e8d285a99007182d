// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Passes.h"

#include "hk/Analysis/ParameterExpressions.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

namespace hk {
#define GEN_PASS_DEF_PACKLINEARS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// The type of `first` with dimension 0 of size `size`.
static RankedTensorType withRows(Value first, int64_t size) {
  auto type = cast<RankedTensorType>(first.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// Tensors one below the other.
static Value concat(OpBuilder &builder, Location loc, ArrayRef<Value> values,
                    int64_t rows) {
  return PackConcatOp::create(builder, loc, withRows(values.front(), rows),
                              values, builder.getI64IntegerAttr(0));
}

/// Replaces linears of one input, in the order of the program, by one.
static void pack(ArrayRef<LinearOp> linears) {
  LinearOp first = linears.front();
  SmallVector<Location> locations;
  SmallVector<Value> weights;
  SmallVector<Type> types;
  int64_t rows = 0;
  bool hasBias = false;
  for (LinearOp linear : linears) {
    moveParameterExpressionBefore(linear.getWeight(), first);
    if (linear.getBias())
      moveParameterExpressionBefore(linear.getBias(), first);
    locations.push_back(linear.getLoc());
    weights.push_back(linear.getWeight());
    types.push_back(linear.getType());
    rows += cast<RankedTensorType>(weights.back().getType()).getDimSize(0);
    hasBias |= bool(linear.getBias());
  }

  OpBuilder builder(first);
  Location loc = builder.getFusedLoc(locations);
  Value weight = concat(builder, loc, weights, rows);
  Value bias;
  if (hasBias) {
    SmallVector<Value> biases;
    for (LinearOp linear : linears) {
      auto type = cast<RankedTensorType>(linear.getWeight().getType());
      biases.push_back(linear.getBias()
                           ? linear.getBias()
                           : PackZerosOp::create(
                                 builder, loc,
                                 RankedTensorType::get(type.getDimSize(0),
                                                       type.getElementType()))
                                 .getResult());
    }
    bias = concat(builder, loc, biases, rows);
  }
  auto packed = LinearOp::create(builder, loc, first.getInput(), weight, bias);
  auto split = SplitOp::create(builder, loc, types, packed.getResult());
  for (auto [linear, result] : llvm::zip(linears, split.getResults())) {
    linear->replaceAllUsesWith(ValueRange(result));
    linear->erase();
  }
}

/// True if a function or a loop gives out the result.
static bool isGivenOut(LinearOp linear) {
  return llvm::any_of(linear->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

namespace {
class PackLinearsPass : public hk::impl::PackLinearsBase<PackLinearsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr("hk.oracle_of"))
        continue;
      PassRemarks remarks(getArgument(), function);
      function.walk([&](Block *block) { runOnBlock(*block, remarks); });
    }
  }

  void runOnBlock(Block &block, const PassRemarks &remarks) {
    llvm::MapVector<Value, SmallVector<LinearOp>> groups;
    for (auto linear : block.getOps<LinearOp>())
      groups[linear.getInput()].push_back(linear);
    for (auto &[input, linears] : groups) {
      if (linears.size() < 2)
        continue;
      llvm::erase_if(linears, [&](LinearOp linear) {
        return !canBePacked(linear, remarks);
      });
      if (linears.size() < 2 || !haveOneElementType(linears, remarks))
        continue;
      remarks.passed(linears.front().getLoc(), "Packed",
                     "packed " + Twine(linears.size()) +
                         " linears of one input into one");
      pack(linears);
    }
  }

  bool canBePacked(LinearOp linear, const PassRemarks &remarks) {
    if (isGivenOut(linear)) {
      remarks.missed(linear.getLoc(), "NotPacked",
                     "expects a value that other operations use, but got one "
                     "that is given out, in a tensor of its own");
      return false;
    }
    if (!isParameterExpression(linear.getWeight()) ||
        (linear.getBias() && !isParameterExpression(linear.getBias()))) {
      remarks.missed(linear.getLoc(), "NotPacked",
                     "expects a weight and a bias made of parameters alone, "
                     "but got another value");
      return false;
    }
    return true;
  }

  bool haveOneElementType(ArrayRef<LinearOp> linears,
                          const PassRemarks &remarks) {
    auto elementType = [](LinearOp linear) {
      return getElementTypeOrSelf(linear.getWeight());
    };
    for (LinearOp linear : linears.drop_front()) {
      if (elementType(linear) == elementType(linears.front()))
        continue;
      remarks.missed(linear.getLoc(), "NotPacked",
                     "expects the linears of one input to have weights of one "
                     "element type, but got several");
      return false;
    }
    return true;
  }
};
} // namespace
