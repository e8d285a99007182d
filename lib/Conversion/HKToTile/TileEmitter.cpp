// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a kernel: which values are computed when, loops over blocks of
// columns, and memory.

#include "TileEmitter.h"

#include "hk/Analysis/Storage.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// So many blocks are computed one after another, without a loop.
static constexpr int64_t kUnrolledBlocks = 2;
/// The columns of zeros that are stored at once.
static constexpr int64_t kZeroColumns = 64;

TileEmitter::TileEmitter(OpBuilder &builder, KernelOp kernel,
                         const KernelPlan &plan)
    : b(builder), loc(kernel.getLoc()), kernel(kernel), plan(plan),
      schedule(plan.schedule), rows(plan.fragRows) {}

void TileEmitter::emit() {
  b.setInsertionPointToStart(&kernel.getBody().front());
  emitPosition();
  emitRowsOfCTA();
  b.setInsertionPointToEnd(&kernel.getBody().front());
  ReturnOp::create(b, loc);
}

/// One block of rows, or zeros if nobody reads any of it.
void TileEmitter::emitRowsOfCTA() {
  // What masks and lengths say of keys, before what may wait for other kernels.
  for (auto attention : plan.getBody().getOps<AttentionOp>()) {
    loc = attention.getLoc();
    emitKeyRange(attention);
  }
  if (Value isRead = emitIsRead()) {
    auto choice = scf::IfOp::create(b, loc, isRead, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    emitRows([&] { emitBody(); });
    b.setInsertionPointToStart(choice.elseBlock());
    emitRows([&] { emitZeros(); });
  } else {
    emitRows([&] { emitBody(); });
  }
}

/// Zeros in the part of the results that the CTA owns: rows that nobody reads
/// are not computed, but are no garbage either.
void TileEmitter::emitZeros() {
  for (auto [result, value] : llvm::enumerate(plan.getYielded())) {
    Type element = getElementTypeOrSelf(value);
    auto storeZeros = [&, result = result](Column column, int64_t columns) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
      storeFrag(SplatOp::create(b, loc, fragType(rows, columns, element), zero),
                result, column, columns);
      return SmallVector<Value>();
    };
    int64_t features = getFeatures(value);
    if (run) {
      forRun(value, [&](Column column, int64_t columns) {
        storeZeros(column, columns);
      });
      continue;
    }
    forBlocks(features, plan.isLine ? features : kZeroColumns,
              /*isStatic=*/false, {},
              [&](Column column, int64_t columns, ValueRange) {
                return storeZeros(column, columns);
              });
  }
}

/// Resident values in the order of the variant, each stored as soon as it is
/// there; then what is computed by blocks.
void TileEmitter::emitBody() {
  publishFirst();
  for (Operation &op : plan.getBody().without_terminator()) {
    if (!isa<ScopeOpInterface>(op))
      continue;
    auto linear = dyn_cast<LinearOp>(op);
    if (linear && plan.getResidual(linear))
      continue; // With what it is added to.
    for (Value result : op.getResults())
      if (plan.isResident(result))
        emitResident(result);
  }
  emitYields();
}

Value TileEmitter::computeResident(Value value) {
  Operation *op = value.getDefiningOp();
  loc = op->getLoc();
  if (isa<LayerNormOp, RMSNormOp>(op))
    return emitNorm(op);
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    SmallVector<Value> heads;
    forBlocks(getFeatures(value), plan.getHeadColumns(attention),
              /*isStatic=*/true, {},
              [&](Column column, int64_t columns, ValueRange) {
                heads.push_back(fuse(value, column, columns, b.getF32Type()));
                return SmallVector<Value>();
              });
    return ConcatOp::create(
        b, loc, fragType(rows, getFeatures(value), b.getF32Type()), heads);
  }
  return fuse(value, Column(), getFeatures(value), getElementTypeOrSelf(value));
}

void TileEmitter::emitResident(Value value) {
  residents[value] = computeResident(value);
  for (auto [index, yielded] : llvm::enumerate(plan.getYielded()))
    if (yielded == value)
      store(index, Column(), getFeatures(value));
}

/// Results that are computed by the same blocks share them.
void TileEmitter::emitYields() {
  llvm::MapVector<std::pair<int64_t, int64_t>, SmallVector<unsigned>> groups;
  for (auto [index, value] : llvm::enumerate(plan.getYielded())) {
    if (plan.isResident(value))
      continue;
    int64_t columns = getFeatures(value);
    groups[{columns, plan.isLine ? columns : plan.getBlockColumns(value)}]
        .push_back(index);
  }
  for (auto &[shape, results] : groups)
    emitYieldBlocks(results);
}

void TileEmitter::emitYieldBlocks(ArrayRef<unsigned> results) {
  auto storeAll = [&](Column column, int64_t columns) {
    for (unsigned result : results)
      store(result, column, columns);
  };
  Value first = plan.getYielded()[results.front()];
  int64_t features = getFeatures(first);
  if (plan.isLine)
    return storeAll(Column(), features);
  bool isStatic = false;
  for (unsigned result : results) {
    prepare(plan.getYielded()[result]);
    isStatic |= plan.readsResident(plan.getYielded()[result]);
  }
  if (AttentionOp attention = plan.getAttention(first)) {
    ProjectedHeads heads = plan.getAttentionPlan(attention).heads;
    if (heads.sharing > heads.heads)
      return forSharedKeys(attention, storeAll);
  }
  if (run)
    return forRun(first, storeAll);
  int64_t width = plan.getBlockColumns(first);
  forBlocks(features, width, isStatic, {},
            [&](Column column, int64_t columns, ValueRange) {
              storeAll(column, columns);
              return SmallVector<Value>();
            });
}

/// The columns of `value` that the CTA owns, or block of heads by block.
void TileEmitter::forRun(Value value,
                         function_ref<void(Column, int64_t)> body) {
  int64_t width = plan.getBlockColumns(value);
  int64_t count = 1;
  if (AttentionOp attention = plan.getAttention(value))
    count = schedule.getHeads() / plan.getAttentionPlan(attention).heads.heads;
  if (count <= 1)
    return body(Column{run, width, 0}, width);
  Value lower = mul(run, count);
  Value upper = arith::MinUIOp::create(b, loc, add(lower, count),
                                       index(getFeatures(value) / width));
  auto loop = scf::ForOp::create(b, loc, lower, upper, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(Column{loop.getInductionVar(), width, 0}, width);
}

void TileEmitter::store(unsigned result, Column column, int64_t columns) {
  Value value = plan.getYielded()[result];
  storeFrag(evaluate(value, column, columns, getElementTypeOrSelf(value)),
            result, column, columns);
}

void TileEmitter::storeFrag(Value frag, unsigned result, Column column,
                            int64_t columns) {
  unsigned first = llvm::count_if(plan.getBody().getArgumentTypes(),
                                  llvm::IsaPred<RankedTensorType>);
  bool isPadded = cast<FragType>(frag.getType()).getColumns() != columns;
  StoreOp::create(b, loc, frag, kernel.getArgument(first + result), row,
                  at(column), getBound(),
                  isPadded ? b.getI64IntegerAttr(columns) : IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Scalars and types
//===----------------------------------------------------------------------===//

Value TileEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TileEmitter::add(Value value, int64_t constant) {
  return constant == 0 ? value
                       : arith::AddIOp::create(b, loc, value, index(constant))
                             .getResult();
}

Value TileEmitter::mul(Value value, int64_t constant) {
  return constant == 1 ? value
                       : arith::MulIOp::create(b, loc, value, index(constant))
                             .getResult();
}

Value TileEmitter::at(Column column) {
  return column.index ? add(mul(column.index, column.stride), column.offset)
                      : index(column.offset);
}

Value TileEmitter::constant(double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

FragType TileEmitter::rowType(Type element) {
  return FragType::get(rows, 1, element,
                       plan.isLine ? FragLayout::Line : FragLayout::Slab);
}

FragType TileEmitter::fragType(int64_t rows, int64_t columns, Type element,
                               FragLayout layout) {
  if (plan.isLine)
    return FragType::get(rows, columns, element, FragLayout::Line);
  return FragType::get(rows, padColumns(columns), element, layout);
}

Value TileEmitter::map(FragType type, ValueRange inputs, ScalarFn body) {
  return MapOp::create(b, loc, type, inputs,
                       [&](OpBuilder &, Location, ValueRange elements) {
                         return body(elements);
                       });
}

Value TileEmitter::splat(double value, int64_t columns, FragLayout layout) {
  return SplatOp::create(
      b, loc, fragType(rows, columns, b.getF32Type(), layout), constant(value));
}

Value TileEmitter::slice(Value frag, int64_t column, int64_t columns) {
  auto type = cast<FragType>(frag.getType());
  int64_t padded = plan.isLine ? columns : padColumns(columns);
  if (column == 0 && padded == type.getColumns())
    return frag;
  return SliceOp::create(b, loc, type.withColumns(padded), frag, column);
}

arith::FastMathFlagsAttr TileEmitter::exact() {
  return arith::FastMathFlagsAttr::get(b.getContext(),
                                       arith::FastMathFlags::contract);
}

arith::FastMathFlagsAttr TileEmitter::approximate() {
  arith::FastMathFlags flags = arith::FastMathFlags::contract;
  if (plan.isApproximate())
    flags = flags | arith::FastMathFlags::afn;
  return arith::FastMathFlagsAttr::get(b.getContext(), flags);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value TileEmitter::argument(Value value) {
  return kernel.getArgument(cast<BlockArgument>(value).getArgNumber());
}

std::optional<MemoryView> TileEmitter::memory(Value value) {
  if (!isa<BlockArgument>(getStorage(value)))
    return std::nullopt;
  if (isa<BlockArgument>(value))
    return MemoryView{argument(value), 0, getFeatures(value)};
  if (auto split = value.getDefiningOp<SplitOp>()) {
    std::optional<MemoryView> view = memory(split.getInput());
    if (view) {
      view->firstColumn +=
          split.getColumnOffset(cast<OpResult>(value).getResultNumber());
      view->columns = getFeatures(value);
    }
    return view;
  }
  return memory(value.getDefiningOp<CastOp>().getInput());
}

Value TileEmitter::load(const MemoryView &view, Column column, int64_t columns,
                        FragLayout layout) {
  FragType type = fragType(rows, columns, view.getElementType(), layout);
  bool isPadded = type.getColumns() != columns;
  return LoadOp::create(
      b, loc, type, view.memref, ValueRange{row, at(column + view.firstColumn)},
      getBound(), isPadded ? b.getI64IntegerAttr(columns) : IntegerAttr());
}

Value TileEmitter::loadVector(Value packed, Column column, int64_t columns,
                              FragLayout layout) {
  unsigned first = kernel.getNumArguments() - 1 - plan.packed.size();
  Value memref = kernel.getArgument(first + plan.vectors.lookup(packed));
  FragType type = fragType(1, columns, b.getF32Type(), layout);
  bool isPadded = type.getColumns() != columns;
  return LoadOp::create(b, loc, type, memref, ValueRange{at(column)}, Value(),
                        isPadded ? b.getI64IntegerAttr(columns)
                                 : IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool TileEmitter::isLoop(int64_t columns, int64_t width, bool isStatic) {
  return columns / width > kUnrolledBlocks && !isStatic;
}

SmallVector<Value> TileEmitter::forBlocks(int64_t columns, int64_t width,
                                          bool isStatic, ValueRange carried,
                                          BlockFn body) {
  int64_t whole = columns / width;
  SmallVector<Value> values(carried);
  if (isLoop(columns, width, isStatic)) {
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(whole), index(1), values);
    // What is computed in the loop is not there after it.
    auto outside = blocks;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> next = body(Column{loop.getInductionVar(), width, 0},
                                     width, loop.getRegionIterArgs());
      if (!next.empty())
        scf::YieldOp::create(b, loc, next);
    }
    blocks = std::move(outside);
    values.assign(loop.result_begin(), loop.result_end());
  } else {
    for (int64_t i = 0; i < whole; ++i)
      values = body(Column{Value(), 0, i * width}, width, values);
  }
  if (columns % width != 0)
    values = body(Column{Value(), 0, whole * width}, columns % width, values);
  return values;
}

TileEmitter::BlockKey TileEmitter::key(Value value, Column column,
                                       int64_t columns, Type element) {
  return {value.getAsOpaquePointer(), column.index.getAsOpaquePointer(),
          column.offset, columns, element.getAsOpaquePointer()};
}

Value TileEmitter::evaluate(Value value, Column column, int64_t columns,
                            Type element) {
  if (!element)
    element = getElementTypeOrSelf(value);
  // A cast to a wider type that is undone.
  while (auto cast = value.getDefiningOp<CastOp>()) {
    auto from = mlir::cast<FloatType>(getElementTypeOrSelf(cast.getInput()));
    auto to = mlir::cast<FloatType>(getElementTypeOrSelf(value));
    if (from != element || !isValuePreserving(from, to) ||
        residents.count(value))
      break;
    value = cast.getInput();
  }
  BlockKey name = key(value, column, columns, element);
  if (auto known = blocks.find(name); known != blocks.end())
    return known->second;
  Value frag = fuse(value, column, columns, element);
  blocks[name] = frag;
  return frag;
}

void TileEmitter::prepare(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || plan.isResident(value))
    return;
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    emitKeyRange(attention);
    for (Value operand : op->getOperands().take_front(3))
      prepare(operand);
    return;
  }
  if (auto linear = dyn_cast<LinearOp>(op)) {
    if (plan.getLinear(linear).wholeInput)
      evaluateAll(linear.getInput(), plan.getOperandType());
    return;
  }
  if (isElementwise(op) || isa<SplitOp>(op))
    for (Value operand : op->getOperands())
      if (isa<FloatType>(getElementTypeOrSelf(operand)))
        prepare(operand);
}
