// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise operations: one map for all that lie between a value and what
// it is computed from, the sums of linear operations among that.

#include "TileEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The inputs of a map, and what they are.
struct TileEmitter::Fusion {
  SmallVector<Value> inputs;
  /// The input that is a value, before its bias if it has one.
  DenseMap<Value, unsigned> values;
  DenseMap<Value, unsigned> biases;
  /// The bytes of a mask, or the numbers of the rows.
  DenseMap<Operation *, unsigned> masks;
  /// The lengths that numbers of rows are compared with.
  DenseMap<Operation *, Value> lengths;

  unsigned add(Value frag) {
    auto *known = llvm::find(inputs, frag);
    if (known == inputs.end()) {
      inputs.push_back(frag);
      return inputs.size() - 1;
    }
    return known - inputs.begin();
  }
};

void TileEmitter::gather(Value value, Column column, int64_t columns,
                         Fusion &fusion) {
  if (fusion.values.count(value))
    return;
  auto addValue = [&](Value frag) { fusion.values[value] = fusion.add(frag); };
  if (Value whole = residents.lookup(value)) {
    assert(!column.index && "a column of registers is static");
    return addValue(slice(whole, column.offset, columns));
  }
  auto known =
      blocks.find(key(value, column, columns, getElementTypeOrSelf(value)));
  if (known != blocks.end())
    return addValue(known->second);
  if (isa<BlockArgument>(value) || value.getDefiningOp<SplitOp>()) {
    if (std::optional<MemoryView> view = memory(value))
      return addValue(load(*view, column, columns, plan.getLayout(value)));
    auto split = value.getDefiningOp<SplitOp>();
    int64_t offset =
        split.getColumnOffset(cast<OpResult>(value).getResultNumber());
    return addValue(evaluate(split.getInput(), column + offset, columns));
  }

  Operation *op = value.getDefiningOp();
  loc = op->getLoc();
  auto addLinear = [&](Value sums, LinearOp linear, Value c) {
    fusion.values[sums] = fusion.add(emitLinear(linear, column, columns, c));
    if (linear.getBias())
      fusion.biases[sums] = fusion.add(
          loadVector(linear.getBias(), column, columns, plan.getLayout(sums)));
  };
  if (auto linear = dyn_cast<LinearOp>(op))
    return addLinear(value, linear, Value());
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    if (plan.getAttentionPlan(attention).isProjected)
      return addValue(emitProjectedAttention(attention, column));
    Value head = column.index ? column.index
                              : index(column.offset / attention.getHeadDim());
    return addValue(emitAttentionBlock(attention, head));
  }
  if (auto sum = dyn_cast<AddOp>(op)) {
    for (Value operand : sum->getOperands()) {
      auto linear = operand.getDefiningOp<LinearOp>();
      if (!linear || plan.getResidual(linear) != sum)
        continue;
      Value other = operand == sum.getLhs() ? sum.getRhs() : sum.getLhs();
      if (!plan.endsWithResidual(linear))
        return addLinear(value, linear, evaluate(other, column, columns));
      gather(other, column, columns, fusion);
      loc = linear.getLoc();
      return addLinear(operand, linear, Value());
    }
  }
  if (auto mask = dyn_cast<MaskRowsOp>(op)) {
    fusion.masks[op] = fusion.add(validRows(mask));
    if (mask.getLengths()) {
      Value length = memref::LoadOp::create(b, loc, argument(mask.getLengths()),
                                            ValueRange{sequence});
      fusion.lengths[op] = length;
    }
    return gather(mask.getInput(), column, columns, fusion);
  }
  assert(isElementwise(op) && "norms are resident");
  for (Value operand : op->getOperands())
    gather(operand, column, columns, fusion);
}

/// For each row the byte of its mask, or its number in the sequence.
Value TileEmitter::validRows(MaskRowsOp op) {
  if (op.getLengths()) {
    BlockKey name{nullptr, row.getAsOpaquePointer(), 0, 1, nullptr};
    Value &numbers = blocks[name];
    if (!numbers)
      numbers = RowIndexOp::create(b, loc, rowType(b.getI32Type()), localRow);
    return numbers;
  }
  Value mask = op.getKeyMask();
  Value &bytes = blocks[key(mask, Column(), 1, Type())];
  if (!bytes)
    bytes = LoadOp::create(b, loc, rowType(b.getI8Type()), argument(mask),
                           ValueRange{row}, getBound(), IntegerAttr());
  return bytes;
}

Value TileEmitter::fuse(Value value, Column column, int64_t columns,
                        Type element) {
  Fusion fusion;
  gather(value, column, columns, fusion);
  auto whole = fusion.values.find(value);
  if (whole != fusion.values.end() && !fusion.biases.count(value)) {
    Value frag = fusion.inputs[whole->second];
    if (cast<FragType>(frag.getType()).getElementType() == element)
      return frag;
  }
  return map(fragType(rows, columns, element, plan.getLayout(value)),
             fusion.inputs, [&](ValueRange elements) {
               return narrow(scalar(value, fusion, elements), element);
             });
}

/// An element of `value`, as f32.
Value TileEmitter::scalar(Value value, const Fusion &fusion,
                          ValueRange elements) {
  auto input = fusion.values.find(value);
  if (input != fusion.values.end()) {
    Value x = widen(elements[input->second]);
    auto bias = fusion.biases.find(value);
    if (bias != fusion.biases.end())
      x = arith::AddFOp::create(b, loc, x, elements[bias->second], exact());
    return x;
  }
  Operation *op = value.getDefiningOp();
  Value x = scalar(op->getOperand(0), fusion, elements);
  if (auto cast = dyn_cast<CastOp>(op))
    return widen(narrow(x, getElementTypeOrSelf(value)));
  if (auto function = dyn_cast<ActivationOp>(op))
    return activation(function.getKind(), x);
  if (isa<AddOp>(op))
    return arith::AddFOp::create(
        b, loc, x, scalar(op->getOperand(1), fusion, elements), exact());
  if (isa<MulOp>(op))
    return arith::MulFOp::create(
        b, loc, x, scalar(op->getOperand(1), fusion, elements), exact());
  // Not a product: a row of zeros takes nothing from its input.
  Value mask = elements[fusion.masks.lookup(op)], valid;
  if (Value length = fusion.lengths.lookup(op))
    valid =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, mask, length);
  else
    valid = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, mask,
        arith::ConstantIntOp::create(b, loc, b.getI8Type(), 0));
  return arith::SelectOp::create(b, loc, valid, x, constant(0.0));
}

Value TileEmitter::widen(Value scalar) {
  if (scalar.getType().isF32())
    return scalar;
  return arith::ExtFOp::create(b, loc, b.getF32Type(), scalar);
}

Value TileEmitter::narrow(Value scalar, Type element) {
  if (scalar.getType() == element)
    return scalar;
  // Widened just before, from this type.
  if (auto widened = scalar.getDefiningOp<arith::ExtFOp>();
      widened && widened.getIn().getType() == element)
    return widened.getIn();
  return arith::TruncFOp::create(b, loc, element, scalar);
}

Value TileEmitter::activation(ActivationKind kind, Value x) {
  auto times = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(b, loc, lhs, rhs, exact());
  };
  auto plus = [&](Value lhs, Value rhs) -> Value {
    return arith::AddFOp::create(b, loc, lhs, rhs, exact());
  };
  switch (kind) {
  case ActivationKind::Relu: // NaN stays NaN
    return arith::MaximumFOp::create(b, loc, x, constant(0.0));
  case ActivationKind::GeluErf: {
    Value erf = math::ErfOp::create(
        b, loc, times(x, constant(0.70710678118654752)), approximate());
    Value half = times(x, constant(0.5));
    return plus(times(half, erf), half);
  }
  case ActivationKind::GeluTanh: {
    Value cubic =
        plus(times(times(x, x), constant(0.044715 * 0.79788456080286536)),
             constant(0.79788456080286536));
    Value tanh = math::TanhOp::create(b, loc, times(x, cubic), approximate());
    Value half = times(x, constant(0.5));
    return plus(times(half, tanh), half);
  }
  case ActivationKind::Silu: {
    Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x),
                                      approximate());
    return arith::DivFOp::create(b, loc, x, plus(power, constant(1.0)),
                                 approximate());
  }
  }
  llvm_unreachable("all activations are listed");
}
