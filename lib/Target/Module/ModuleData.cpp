// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and sizes of the IR, in the terms of a module file.

#include "ModuleData.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace hk;

schema::DType hk::getDType(Type type) {
  if (type.isF64())
    return schema::DType::F64;
  if (type.isF32())
    return schema::DType::F32;
  if (type.isF16())
    return schema::DType::F16;
  if (type.isBF16())
    return schema::DType::BF16;
  if (type.isSignlessInteger(32))
    return schema::DType::I32;
  if (type.isSignlessInteger(1))
    return schema::DType::I1;
  return schema::DType::Invalid;
}

TensorData hk::getTensorData(RankedTensorType type) {
  TensorData data;
  data.dtype = getDType(type.getElementType());
  for (int64_t size : type.getShape())
    data.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return data;
}

/// B * mul + add, or nothing.
static std::optional<GridData> getLinear(AffineExpr expr) {
  GridData grid;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    if (constant.getValue() < 0)
      return std::nullopt;
    grid.add = constant.getValue();
    return grid;
  }
  if (isa<AffineSymbolExpr>(expr)) {
    grid.mul = 1;
    return grid;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto lhs = getLinear(binary.getLHS()), rhs = getLinear(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    grid.mul = lhs->mul + rhs->mul;
    grid.add = lhs->add + rhs->add;
    return grid;
  }
  // Affine maps keep the constant factor on the right.
  if (expr.getKind() == AffineExprKind::Mul && rhs->mul == 0) {
    grid.mul = lhs->mul * rhs->add;
    grid.add = lhs->add * rhs->add;
    return grid;
  }
  return std::nullopt;
}

/// A linear expression, rounded up to a multiple of a constant or not.
static std::optional<GridData> getQuotient(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != AffineExprKind::CeilDiv)
    return getLinear(expr);
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto grid = getLinear(binary.getLHS());
  if (!grid || !divisor || divisor.getValue() <= 0)
    return std::nullopt;
  grid->div = divisor.getValue();
  return grid;
}

std::optional<GridData> hk::getGrid(AffineMap map) {
  AffineExpr expr = map.getResult(0);
  if (auto grid = getQuotient(expr))
    return grid;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto times = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto grid = getQuotient(binary.getLHS());
  if (!grid || !times || times.getValue() <= 0)
    return std::nullopt;
  grid->times = times.getValue();
  return grid;
}
