// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights in the layout that a kernel reads.

#include "KernelPlan.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hk;

PackedOp hk::tile::getTiles(SymbolTable &symbols, PackedGetOp get,
                            TilesAttr layout, Type element) {
  auto source = symbols.lookup<PackedOp>(get.getSymbol());
  OpBuilder b(get.getContext());
  Location loc = source.getLoc();
  auto type =
      RankedTensorType::get(source.getTensorType().getShape(), element, layout);
  std::string name;
  llvm::raw_string_ostream text(name);
  text << get.getSymbol() << ".t" << layout.getRows() << 'x'
       << layout.getColumns();
  if (layout.getStripRows() != 8 || layout.getStripColumns() != 8)
    text << ".s" << layout.getStripRows() << 'x' << layout.getStripColumns();
  text << '.' << element;
  if (auto known = symbols.lookup<PackedOp>(name);
      known && known.getType() == type &&
      known.getLayerBegin() == source.getLayerBegin() &&
      known.getLayerEnd() == source.getLayerEnd())
    return known;

  // The initialiser is repeated, not read: what it yields is rounded to the
  // type of its symbol, and would be rounded twice.
  auto packed = PackedOp::create(b, loc, b.getStringAttr(name),
                                 source.getLayerBeginAttr(),
                                 source.getLayerEndAttr(), TypeAttr::get(type));
  IRMapping mapping;
  source.getBody().cloneInto(&packed.getBody(), mapping);
  auto yield = cast<hk::YieldOp>(packed.getBody().front().getTerminator());
  b.setInsertionPoint(yield);
  Value value = yield.getOperand(0);
  auto laidOut = RankedTensorType::get(
      type.getShape(), cast<RankedTensorType>(value.getType()).getElementType(),
      layout);
  yield.setOperand(0, PackLayoutOp::create(b, loc, laidOut, value));
  symbols.insert(packed, std::next(source->getIterator()));
  return packed;
}
