// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hk;

/// Scratch is handed out in cache lines.
static constexpr int64_t kAlignment = 64;

KernelEmitter::KernelEmitter(VectorBuilder &builder, CPUAttr schedule,
                             const KernelGroups &groups,
                             const KernelOperands &operands, int64_t rows,
                             Value firstRow)
    : v(builder), schedule(schedule), groups(groups), operands(operands),
      rows(rows), firstRow(firstRow) {}

LogicalResult KernelEmitter::emit() {
  for (auto [index, group] : llvm::enumerate(groups.groups)) {
    v.loc = group.root->getLoc();
    if (failed(emitGroup(group)))
      return failure();
    releaseDead(index);
  }
  // Results that are not where they were computed: an argument or a view of
  // one, or a value that is yielded twice.
  for (auto [index, value] : llvm::enumerate(groups.yield->getOperands())) {
    View from = view(value);
    Value memref = operands.results[index];
    if (from.memref != memref)
      emitCopy(from, View{memref, firstRow, 0, from.columns});
  }
  return success();
}

/// The kernels compute in f32: a value of another type is loaded and stored by
/// element-wise operations alone.
static LogicalResult verifyElements(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (type && isa<FloatType>(type.getElementType()) &&
        !type.getElementType().isF32())
      return op->emitOpError()
             << "expects f32 operands in a #hk.cpu kernel, but got " << type
             << " (hk-widen inserts the casts)";
  }
  return success();
}

LogicalResult KernelEmitter::emitGroup(const KernelGroup &group) {
  Operation *op = group.root;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (result.getElementType().isF64())
    return op->emitOpError()
           << "expects no f64 in a #hk.cpu kernel, but got " << result;
  if (!isElementwise(op) && failed(verifyElements(op)))
    return failure();
  View to = destination(op->getResult(0));
  places[op->getResult(0)] = to;
  if (group.core) {
    if (failed(verifyElements(group.core)))
      return failure();
    return emitLinear(group, to);
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<LayerNormOp, RMSNormOp>([&](Operation *norm) {
        emitNorm(norm, to);
        return success();
      })
      .Case([&](AttentionOp attention) {
        emitAttention(attention, to);
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        if (!isElementwise(op))
          return op->emitOpError()
                 << "expects an operation that #hk.cpu has a lowering for, but "
                    "got "
                 << op->getName();
        emitElementwise(group, to);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

View KernelEmitter::view(Value value) {
  auto place = places.find(value);
  if (place != places.end())
    return place->second;
  auto type = cast<RankedTensorType>(value.getType());
  View result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = View{operands.arguments[argument.getArgNumber()], firstRow, 0,
                  type.getShape().back()};
  } else {
    auto split = cast<SplitOp>(value.getDefiningOp());
    result = view(split.getInput());
    result.firstColumn +=
        split.getColumnOffset(cast<OpResult>(value).getResultNumber());
    result.columns = type.getShape().back();
  }
  places[value] = result;
  return result;
}

View KernelEmitter::destination(Value value) {
  int64_t columns = cast<RankedTensorType>(value.getType()).getShape().back();
  int index = groups.resultIndex(value);
  if (index >= 0)
    return View{operands.results[index], firstRow, 0, columns};
  auto [memref, slice] = allocate({rows, columns});
  sliceOf[value] = slice;
  return View{memref, v.index(0), 0, columns};
}

std::pair<Value, unsigned> KernelEmitter::allocate(ArrayRef<int64_t> shape) {
  int64_t size =
      llvm::alignTo(4 * ShapedType::getNumElements(shape), kAlignment);
  // The smallest free slice that is large enough; a free slice is as large as
  // it was when it was made.
  Slice *best = nullptr;
  for (Slice &slice : slices)
    if (!slice.inUse && slice.size >= size &&
        (!best || slice.size < best->size))
      best = &slice;
  if (!best) {
    slices.push_back(Slice{scratchBytes, size, false});
    scratchBytes += size;
    best = &slices.back();
  }
  best->inUse = true;
  return {operands.scratch(best->offset, shape),
          static_cast<unsigned>(best - slices.data())};
}

void KernelEmitter::releaseDead(unsigned group) {
  for (auto [value, slice] : sliceOf)
    if (groups.lastUse(value) == group)
      slices[slice].inUse = false;
}

void KernelEmitter::emitCopy(const View &from, const View &to) {
  Type element = cast<MemRefType>(to.memref.getType()).getElementType();
  forEach(rows, [&](Value row) {
    forTiles(from.columns, v.lanes, [&](Value column, int64_t width) {
      storeVector(v.narrow(loadVector(from, row, column, width), element), to,
                  row, column);
    });
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void KernelEmitter::forEach(int64_t count, function_ref<void(Value)> body) {
  forTiles(count, 1, [&](Value index, int64_t) { body(index); });
}

void KernelEmitter::forTiles(int64_t count, int64_t step, TileFn body) {
  int64_t whole = count - count % step;
  if (whole == step) {
    body(v.index(0), step);
  } else if (whole > 0) {
    auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), v.index(whole),
                                   v.index(step));
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar(), step);
  }
  if (whole != count)
    body(v.index(whole), count - whole);
}

SmallVector<std::pair<int64_t, int64_t>> KernelEmitter::chunks(int64_t width) {
  SmallVector<std::pair<int64_t, int64_t>> result;
  for (int64_t first = 0; first < width; first += v.lanes)
    result.emplace_back(first, std::min(v.lanes, width - first));
  return result;
}

Value KernelEmitter::loadVector(const View &from, Value row, Value column,
                                int64_t width) {
  Type element = cast<MemRefType>(from.memref.getType()).getElementType();
  Value vector = vector::LoadOp::create(
      v.b, v.loc, VectorType::get({width}, element), from.memref,
      ValueRange{v.addIndex(from.firstRow, row),
                 v.addIndex(column, from.firstColumn)});
  return v.widen(vector);
}

void KernelEmitter::storeVector(Value vector, const View &to, Value row,
                                Value column) {
  vector::StoreOp::create(v.b, v.loc, vector, to.memref,
                          ValueRange{v.addIndex(to.firstRow, row),
                                     v.addIndex(column, to.firstColumn)});
}

Value KernelEmitter::loadScalar(Value memref, Value row, Value column) {
  return memref::LoadOp::create(v.b, v.loc, memref, ValueRange{row, column});
}

SmallVector<Value>
KernelEmitter::emitTile(int64_t m, int64_t n, Value depth,
                        function_ref<Value(int64_t, Value)> a,
                        function_ref<Value(int64_t, Value)> b,
                        SmallVector<Value> sums, bool skipZeros) {
  auto loop =
      scf::ForOp::create(v.b, v.loc, v.index(0), depth, v.index(1), sums);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  SmallVector<Value> columns, counts;
  for (int64_t j = 0; j < n; ++j) {
    columns.push_back(b(j, k));
    if (skipZeros) // NaN counts
      counts.push_back(arith::CmpFOp::create(
          v.b, v.loc, arith::CmpFPredicate::UNE, columns[j],
          v.constant(0.0, columns[j].getType())));
  }
  SmallVector<Value> next;
  for (int64_t i = 0; i < m; ++i) {
    Value scalar = a(i, k);
    for (int64_t j = 0; j < n; ++j) {
      int64_t width = cast<VectorType>(columns[j].getType()).getDimSize(0);
      Value before = loop.getRegionIterArgs()[i * n + j];
      Value after = v.fma(v.splat(scalar, width), columns[j], before);
      next.push_back(skipZeros ? v.select(counts[j], after, before) : after);
    }
  }
  scf::YieldOp::create(v.b, v.loc, next);
  return SmallVector<Value>(loop.getResults());
}
