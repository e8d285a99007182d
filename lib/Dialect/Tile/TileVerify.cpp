// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level V of the tile dialect: constraints. The labels (C1).. are those of the
// operations' descriptions.

#include "Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

//===----------------------------------------------------------------------===//
// Checks that several operations share
//===----------------------------------------------------------------------===//

static LogicalResult verifyIndices(Operation *op, Type source, size_t expected,
                                   ValueRange indices) {
  if (indices.size() != expected)
    return op->emitOpError() << "expects " << expected << " indices of "
                             << source << ", but got " << indices.size();
  return success();
}

static LogicalResult verifyColumns(Operation *op, IntegerAttr columns,
                                   int64_t limit) {
  if (columns && (columns.getInt() < 1 || columns.getInt() > limit))
    return op->emitOpError() << "expects columns of 1 to " << limit
                             << ", but got " << columns.getInt();
  return success();
}

static LogicalResult verifyElements(Operation *op, Type expected, Type type,
                                    Type got) {
  if (expected != got)
    return op->emitOpError()
           << "expects elements of " << expected << ", but got " << type;
  return success();
}

LogicalResult hk::tile::verifyStaged(Operation *op, Type source,
                                     ValueRange indices, Value rows,
                                     IntegerAttr columns,
                                     DenseI64ArrayAttr padded, BufType type) {
  if (auto tiles = dyn_cast<TilesType>(source)) {
    if (failed(verifyIndices(op, source, 1, indices))) // (C1)
      return failure();
    if (tiles.getBufType() != type) // (C2)
      return op->emitOpError() << "expects a buf like the tiles, "
                               << tiles.getBufType() << ", but got " << type;
    if (rows || columns || padded) // (C3)
      return op->emitOpError()
             << "expects rows, columns and padded with a matrix only, but got "
             << source;
    return success();
  }
  auto matrix = cast<MemRefType>(source);
  if (matrix.getRank() != 2) // (C1)
    return op->emitOpError()
           << "expects packed weights or a matrix, but got " << source;
  if (failed(verifyIndices(op, source, 2, indices)) || // (C1)
      failed(verifyElements(op, matrix.getElementType(), type,
                            type.getElementType()))) // (C2)
    return failure();
  if (padded && (padded.size() != 2 || padded[0] < 1 || padded[0] > padded[1] ||
                 type.getRows() % padded[1] != 0)) // (C4)
    return op->emitOpError()
           << "expects padded of two numbers of rows, of which the first is "
              "positive and at most the second, and that divides "
           << type.getRows() << " rows, but got " << padded;
  return verifyColumns(op, columns, type.getColumns()); // (C3)
}

LogicalResult hk::tile::verifyPlace(Operation *op, Value row, Value column) {
  for (Value index : {row, column}) {
    APInt value;
    if (matchPattern(index, m_ConstantInt(&value)) &&
        value.getSExtValue() % 8 != 0)
      return op->emitOpError()
             << "expects a row and a column of a buf that are "
                "multiples of 8, but got "
             << value.getSExtValue();
  }
  return success();
}

LogicalResult hk::tile::verifyPartOfBuf(Operation *op, FragType frag,
                                        BufType buf, Value row, Value column) {
  if (frag.getLayout() != FragLayout::Slab || buf.getStripRows() != 8 ||
      buf.getStripColumns() != 8 ||
      frag.getElementType() != buf.getElementType() || frag.getRows() == 1 ||
      frag.getColumns() == 1 || frag.getRows() > buf.getRows() ||
      frag.getColumns() > buf.getColumns())
    return op->emitOpError()
           << "expects a slab of " << buf.getElementType() << " of at most "
           << buf.getRows() << " rows and " << buf.getColumns()
           << " columns, but got " << frag;
  return verifyPlace(op, row, column);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  auto memref = cast<MemRefType>(getSource().getType());
  FragType type = getType();
  if (failed(verifyIndices(*this, memref, memref.getRank(),
                           getIndices())) || // (C1)
      failed(verifyElements(*this, memref.getElementType(), type,
                            type.getElementType()))) // (C2)
    return failure();
  bool isVector = type.getRows() == 1 || type.getColumns() == 1;
  // One row of a matrix is a row that is the same for all.
  bool isRow = type.getColumns() != 1;
  if (memref.getRank() == 1 ? !isVector : isVector && !isRow) // (C3)
    return emitOpError() << "expects a frag of one row or one column of a "
                            "vector, and not one column of a matrix, but got "
                         << type << " of " << memref;
  return verifyColumns(*this, getColumnsAttr(), type.getColumns()); // (C4)
}

LogicalResult StoreOp::verify() {
  FragType type = getValue().getType();
  auto memref = cast<MemRefType>(getTarget().getType());
  if (failed(verifyElements(*this, type.getElementType(), memref,
                            memref.getElementType()))) // (C1)
    return failure();
  return verifyColumns(*this, getColumnsAttr(), type.getColumns()); // (C2)
}

LogicalResult StageOp::verify() {
  return verifyStaged(*this, getSource().getType(), getIndices(), getRows(),
                      getColumnsAttr(), getPaddedAttr(), getType());
}

LogicalResult PublishOp::verify() {
  return verifyPartOfBuf(*this, getValue().getType(), getResult().getType(),
                         getRow(), getColumn()); // (C1), (C2)
}

LogicalResult FetchOp::verify() {
  return verifyPartOfBuf(*this, getType(), getSource().getType(), getRow(),
                         getColumn()); // (C1), (C2)
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  return verifyElements(*this, getType().getElementType(), // (C1)
                        getValue().getType(), getValue().getType());
}

/// (C3) of mma: `size` from `offset` on lies within `limit`.
static LogicalResult verifyExtent(MmaOp op, StringRef name, int64_t size,
                                  Value offset, int64_t limit) {
  if (size % 8 != 0)
    return op.emitOpError()
           << "expects " << name << " to be a multiple of 8, but got " << size;
  int64_t begin = getConstantIntValue(offset).value_or(0);
  if (begin < 0 || begin + size > limit)
    return op.emitOpError()
           << "expects " << name << " within the " << limit << " of B, but got "
           << size << " from " << begin << " on";
  return success();
}

/// (C7) of mma: positions of the result and of A are those of B.
static LogicalResult verifyStrips(MmaOp op) {
  BufType b = op.getB().getType();
  bool transposes = op.getTransposeB();
  auto verify = [&](StringRef name, FragType frag, int64_t strip,
                    Value offset) -> LogicalResult {
    if (frag.getStrip() != strip)
      return op.emitOpError() << "expects " << name << " in strips of " << strip
                              << ", as B is " << b << ", but got " << frag;
    int64_t begin = getConstantIntValue(offset).value_or(0);
    if (begin % strip != 0)
      return op.emitOpError() << "expects a multiple of " << strip
                              << " in the order of strips, but got " << begin;
    return success();
  };
  // Rows of B are those of N and columns those of K, or the other way round.
  int64_t rows = b.getStripRows(), columns = b.getStripColumns();
  if (failed(verify("A", op.getA().getType(), transposes ? rows : columns,
                    transposes ? op.getRow() : op.getColumn())))
    return failure();
  return verify("the result", op.getType(), transposes ? columns : rows,
                transposes ? op.getColumn() : op.getRow());
}

LogicalResult MmaOp::verify() {
  FragType a = getA().getType(), d = getType();
  BufType b = getB().getType();
  bool isFloat = a.getElementType().isF16() || a.getElementType().isBF16() ||
                 a.getElementType().isF32();
  if (a.isLine() || a.getRows() == 1 || !isFloat) // (C1), (C2)
    return emitOpError()
           << "expects A to be a slab of f16, bf16 or f32, but got " << a;
  FragType expected =
      FragType::get(a.getRows(), d.getColumns(), Float32Type::get(getContext()),
                    d.isLine() ? FragLayout::Slab : d.getLayout());
  if (d != expected) // (C1)
    return emitOpError() << "expects a result of type " << expected
                         << ", but got " << d;
  if (getC() && getC().getType() != expected) // (C1)
    return emitOpError() << "expects C of type " << expected << ", but got "
                         << getC().getType();
  if (failed(verifyElements(*this, a.getElementType(), b,
                            b.getElementType()))) // (C2)
    return failure();
  // Of B, rows are those of N and columns those of K, or the other way round.
  int64_t n = d.getColumns(), k = a.getColumns();
  if (failed(verifyExtent(*this, getTransposeB() ? "K" : "N",
                          getTransposeB() ? k : n, getRow(), b.getRows())) ||
      failed(verifyExtent(*this, getTransposeB() ? "N" : "K",
                          getTransposeB() ? n : k, getColumn(),
                          b.getColumns()))) // (C3)
    return failure();
  if (getSplit() && !a.getElementType().isF32()) // (C4)
    return emitOpError() << "expects f32 with split, but got "
                         << a.getElementType();
  if (failed(verifyPlace(*this, getRow(), getColumn())) || // (C5)
      failed(verifyStrips(*this)))                         // (C7)
    return failure();
  if (!getWarpgroup())
    return success();
  std::string why = whyNotWarpgroup(); // (C6)
  return why.empty() ? success() : emitOpError(why);
}

LogicalResult MapOp::verifyRegions() {
  FragType type = getType();
  auto isPartOf = [](int64_t size, int64_t of) {
    return size == of || size == 1;
  };
  for (Value input : getInputs()) {
    auto frag = cast<FragType>(input.getType());
    // One value a row is the same in a slab and in a strip.
    bool isAlike = frag.getColumns() == 1
                       ? frag.isLine() == type.isLine()
                       : frag.getLayout() == type.getLayout();
    if (!isAlike || !isPartOf(frag.getRows(), type.getRows()) ||
        !isPartOf(frag.getColumns(), type.getColumns())) // (C1)
      return emitOpError() << "expects operands of the layout of " << type
                           << " and of its sizes or 1, but got " << frag;
  }
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size()) // (C2)
    return emitOpError() << "expects a region of " << getInputs().size()
                         << " arguments, but got " << block.getNumArguments();
  for (auto [input, argument] :
       llvm::zip_equal(getInputs(), block.getArguments())) {
    Type element = cast<FragType>(input.getType()).getElementType();
    if (argument.getType() != element) // (C2)
      return emitOpError() << "expects an argument of " << element
                           << ", but got " << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != type.getElementType()) { // (C2)
    InFlightDiagnostic diag = emitOpError()
                              << "expects the region to yield "
                              << type.getElementType() << ", but got ";
    if (yield)
      return diag << yield.getValue().getType();
    return diag << block.getTerminator()->getName();
  }
  return success();
}

LogicalResult RowReduceOp::verify() {
  FragType input = getInput().getType();
  if (!input.getElementType().isF32() ||
      getType() != input.withColumns(1)) // (C1)
    return emitOpError() << "expects f32 and a result of one column like the "
                            "input, but got "
                         << input << " and " << getType();
  return success();
}

LogicalResult MaskOp::verify() {
  FragType scores = getScores().getType();
  if (scores.getLayout() != FragLayout::Slab ||
      !scores.getElementType().isF32()) // (C1)
    return emitOpError() << "expects scores that are a slab of f32, but got "
                         << scores;
  if (getSeen()) { // (C2)
    FragType expected = FragType::get(1, scores.getColumns(),
                                      IntegerType::get(getContext(), 8));
    if (getSeen().getType() != expected)
      return emitOpError() << "expects seen of type " << expected
                           << ", but got " << getSeen().getType();
  }
  if (!getCausal() && !getKeys() && !getSeen()) // (C3)
    return emitOpError() << "expects causal, keys or seen, but got none";
  return success();
}

LogicalResult RowIndexOp::verify() {
  if (!getType().getElementType().isInteger(32) ||
      getType().getColumns() != 1) // (C1)
    return emitOpError() << "expects a result of one column of i32, but got "
                         << getType();
  return success();
}

LogicalResult VoteOp::verify() {
  FragType input = getInput().getType();
  if (!input.getElementType().isInteger(1)) // (C1)
    return emitOpError() << "expects a frag of i1, but got " << input;
  return success();
}

LogicalResult SliceOp::verify() {
  FragType input = getInput().getType();
  if (getType() != input.withColumns(getType().getColumns())) // (C1)
    return emitOpError() << "expects a result like " << input
                         << " but for its columns, but got " << getType();
  int64_t column = getColumnAttr().getInt();
  if (input.isLine() || column % input.getStrip() != 0) // (C2)
    return emitOpError() << "expects a slab and a column that is a multiple "
                            "of 8, or a strip and one of its width, but got "
                         << input << " and " << column;
  if (column < 0 ||
      column + getType().getColumns() > input.getColumns()) // (C3)
    return emitOpError() << "expects columns within the " << input.getColumns()
                         << " of the input, but got " << getType().getColumns()
                         << " from " << column << " on";
  return success();
}

LogicalResult ConcatOp::verify() {
  int64_t columns = 0;
  for (Value input : getInputs()) {
    auto frag = cast<FragType>(input.getType());
    if (frag.withColumns(getType().getColumns()) != getType()) // (C1)
      return emitOpError() << "expects inputs like " << getType()
                           << " but for their columns, but got " << frag;
    columns += frag.getColumns();
  }
  if (columns != getType().getColumns()) // (C1)
    return emitOpError() << "expects inputs of " << getType().getColumns()
                         << " columns, but got " << columns;
  if (getType().isLine()) // (C2)
    return emitOpError() << "expects slabs, but got " << getType();
  return success();
}
