// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hk;

/// Indices are 32 bits wide; what is larger is not a bound.
static constexpr int64_t kLargest = (int64_t(1) << 31) - 1;

using Bound = std::optional<int64_t>;

Bound hk::getConstant(Value index) {
  APInt value;
  if (matchPattern(index, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

static Bound getLastIteration(scf::ForOp loop) {
  Bound end = getUpperBound(loop.getUpperBound());
  if (!end)
    return std::nullopt;
  Bound begin = getConstant(loop.getLowerBound());
  Bound step = getConstant(loop.getStep());
  if (begin && step && *end > *begin && *step > 0)
    return *begin + (*end - 1 - *begin) / *step * *step;
  return *end - 1;
}

static Bound combine(Operation *op,
                     llvm::function_ref<int64_t(int64_t, int64_t)> function) {
  Bound x = getUpperBound(op->getOperand(0));
  Bound y = getUpperBound(op->getOperand(1));
  if (!x || !y || *x < 0 || *y < 0)
    return std::nullopt;
  int64_t result = function(*x, *y);
  return result <= kLargest ? Bound(result) : std::nullopt;
}

Bound hk::getUpperBound(Value index) {
  if (Bound constant = getConstant(index))
    return *constant <= kLargest ? constant : std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop =
        dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() ? getLastIteration(loop)
                                                      : std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, Bound>(index.getDefiningOp())
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto op) -> Bound {
        Bound modulus = getUpperBound(op.getRhs());
        return modulus ? Bound(*modulus - 1) : std::nullopt;
      })
      .Case([](arith::AddIOp op) {
        return combine(op, [](int64_t x, int64_t y) { return x + y; });
      })
      .Case([](arith::MulIOp op) {
        return combine(op, [](int64_t x, int64_t y) { return x * y; });
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto op) -> Bound {
        Bound x = getUpperBound(op.getLhs()), y = getUpperBound(op.getRhs());
        return x && y ? Bound(std::min(*x, *y)) : x ? x : y;
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [](auto op) { return getUpperBound(op.getIn()); })
      .Default([](Operation *) { return std::nullopt; });
}
