// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

/// The threads of a warp.
static constexpr int64_t kWarp = 32;

RegisterLayout::RegisterLayout(tile::FragType type, int64_t lineLanes)
    : frag(type), isLine(type.isLine()), lanes(lineLanes) {
  int64_t rows = type.getRows(), columns = type.getColumns();
  if (isLine) {
    rowCount = rows == 1 ? 1 : rows / (kWarp / lanes);
    columnCount = columns == 1 ? 1 : 4 * llvm::divideCeil(columns, 4 * lanes);
  } else {
    rowCount = rows == 1 ? 1 : rows / 8;
    columnCount = columns == 1 ? 1 : columns / 4;
  }
  Type element = type.getElementType();
  packed = columns != 1 && (element.isF16() || element.isBF16());
}

int64_t RegisterLayout::lanesFor(int64_t columns) {
  return std::min<int64_t>(
      kWarp, llvm::PowerOf2Ceil(llvm::divideCeil(columns, int64_t(4))));
}

int64_t RegisterLayout::rowOffset(int64_t i) const {
  return isLine ? i * (kWarp / lanes) : 8 * i;
}

int64_t RegisterLayout::columnOffset(int64_t k) const {
  int64_t run = isLine ? 4 : frag.getStrip() / 4;
  return k / run * run * (isLine ? lanes : 4) + k % run;
}

int64_t RegisterLayout::size() const {
  return rowCount * columnCount / (packed ? 2 : 1);
}

Type RegisterLayout::registerType() const {
  Type element = frag.getElementType();
  return packed ? VectorType::get({2}, element) : element;
}

RegisterLayout::Place RegisterLayout::place(int64_t i, int64_t k) const {
  int64_t half = packed ? k % 2 : 0;
  if (isLine || rowCount == 1 || columnCount == 1)
    return {(i * columnCount + k) / (packed ? 2 : 1), half};
  // Slab or strip: both rows of a 16x8 tile, tile after tile.
  int64_t groups = columnCount / 2;
  int64_t tile = i / 2 * groups + k / 2;
  if (packed)
    return {tile * 2 + i % 2, half};
  return {tile * 4 + i % 2 * 2 + k % 2, 0};
}

Value FragElements::get(int64_t i, int64_t k) const {
  RegisterLayout::Place place =
      layout.place(layout.rows() == 1 ? 0 : i, layout.columns() == 1 ? 0 : k);
  Value value = registers[place.index];
  if (!layout.isPacked())
    return value;
  Value half = arith::ConstantOp::create(b, loc, b.getI32Type(),
                                         b.getI32IntegerAttr(place.half));
  return LLVM::ExtractElementOp::create(b, loc, value, half);
}

void FragAssembler::set(int64_t i, int64_t k, Value value) {
  RegisterLayout::Place place = layout.place(i, k);
  Value &slot = registers[place.index];
  Type element = layout.type().getElementType();
  auto round = [&](Value wide, Type to) -> Value {
    return LLVM::FPTruncOp::create(b, loc, to, wide);
  };
  if (!layout.isPacked()) {
    slot = value.getType() == element ? value : round(value, element);
    return;
  }
  if (place.half == 0) { // kept until its neighbour is there
    slot = value;
    return;
  }
  Value first = slot;
  if (first.getType() != value.getType()) {
    first = first.getType() == element ? first : round(first, element);
    value = value.getType() == element ? value : round(value, element);
  }
  Type pair = VectorType::get({2}, value.getType());
  Value both = LLVM::PoisonOp::create(b, loc, pair);
  for (auto [half, single] : llvm::enumerate(ValueRange{first, value})) {
    Value at = arith::ConstantOp::create(b, loc, b.getI32Type(),
                                         b.getI32IntegerAttr(half));
    both = LLVM::InsertElementOp::create(b, loc, pair, both, single, at);
  }
  slot = value.getType() == element ? both : round(both, layout.registerType());
}
