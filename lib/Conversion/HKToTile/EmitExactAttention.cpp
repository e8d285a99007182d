// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a query does not see has no part in its context, whatever it holds. The
// weight of such a key is zero, but zero times NaN or infinity is NaN. Values
// that are not finite are rare (rows of padding that nobody has cleared), so
// they are not looked for: where a context is not finite, the unit computes it
// once more, key by key, and leaves out what has no weight. That code takes no
// part in the exchange with other warps. It is rarely run and may be slow, but
// its registers count: so it goes by blocks of columns, and computes the scores
// again for each.

#include "AttentionHead.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The columns of a product, and of the context, that are there at once.
static constexpr int64_t kScoreColumns = 32, kContextColumns = 64;

Value TileEmitter::emitGuard(const AttentionHead &head, Value context) {
  auto type = cast<FragType>(context.getType());
  Value sum = RowReduceOp::create(b, loc, rowType(b.getF32Type()),
                                  Reduction::Add, context);
  // (A sum may overflow; then nothing is wrong, and computed once more.)
  Value isWrong = map(rowType(b.getI1Type()), sum, [&](ValueRange x) -> Value {
    Value zero = arith::MulFOp::create(b, loc, x[0], constant(0.0));
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, zero,
                                 zero);
  });
  Value any = VoteOp::create(b, loc, b.getI1Type(), VoteKind::Any, isWrong);
  auto choice = scf::IfOp::create(b, loc, TypeRange{type}, any,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, emitExactContext(head));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, context);
  return choice.getResult(0);
}

Value TileEmitter::emitExactContext(const AttentionHead &head) {
  Type f32 = b.getF32Type();
  FragType perRow = rowType(f32);
  double lowest = -std::numeric_limits<float>::infinity();
  Value numbers;
  if (head.op.getCausal())
    numbers = RowIndexOp::create(b, loc, rowType(b.getI32Type()), localRow);

  /// The columns of a block of a head, as those of `view`.
  auto columnOf = [&](const MemoryView &view, Value number, Column block) {
    Value first = at({number, head.headDim, view.firstColumn});
    return arith::AddIOp::create(b, loc, first, at(block)).getResult();
  };
  auto loadRow = [&](const MemoryView &view, Value key, Column block,
                     int64_t columns) -> Value {
    FragType row = fragType(1, columns, view.getElementType());
    bool isPadded = row.getColumns() != columns;
    return LoadOp::create(
        b, loc, row, view.memref,
        ValueRange{arith::AddIOp::create(b, loc, head.firstRow, key),
                   columnOf(view, head.group, block)},
        Value(), isPadded ? b.getI64IntegerAttr(columns) : IntegerAttr());
  };
  // Columns of the query, scaled: loaded again, so that they need not be kept
  // until here.
  auto getQuery = [&](Column block, int64_t columns) -> Value {
    Value query;
    if (head.queryView) {
      FragType type = fragType(rows, columns, head.queryView->getElementType());
      bool isPadded = type.getColumns() != columns;
      query = LoadOp::create(
          b, loc, type, head.queryView->memref,
          ValueRange{row, columnOf(*head.queryView, head.number, block)},
          getBound(), isPadded ? b.getI64IntegerAttr(columns) : IntegerAttr());
    } else {
      query = slice(head.query, block.offset, columns);
    }
    return map(
        fragType(rows, columns, f32), query, [&](ValueRange x) -> Value {
          return arith::MulFOp::create(b, loc, widen(x[0]),
                                       constant(head.scale));
        });
  };
  Value whole; // All columns, if they are one block.
  if (head.headDim <= kScoreColumns)
    whole = getQuery(Column(), head.headDim);
  // The score of a key, one a row; minus infinity where it is not seen.
  auto scores = [&](Value key) -> Value {
    Value zero = SplatOp::create(b, loc, perRow, constant(0.0));
    auto addBlock = [&](Column block, int64_t columns, ValueRange before) {
      Value products = map(fragType(rows, columns, f32),
                           {whole ? whole : getQuery(block, columns),
                            loadRow(head.key, key, block, columns)},
                           [&](ValueRange x) -> Value {
                             return arith::MulFOp::create(b, loc, x[0],
                                                          widen(x[1]));
                           });
      Value part =
          RowReduceOp::create(b, loc, perRow, Reduction::Add, products);
      if (whole)
        return SmallVector<Value>{part};
      Value sum = map(perRow, {before[0], part}, [&](ValueRange x) -> Value {
        return arith::AddFOp::create(b, loc, x[0], x[1]);
      });
      return SmallVector<Value>{sum};
    };
    Value score = forBlocks(head.headDim, kScoreColumns,
                            /*isStatic=*/!head.queryView, zero, addBlock)
                      .front();
    Value isValid;
    if (head.mask) {
      Value byte = memref::LoadOp::create(
          b, loc, head.mask,
          ValueRange{arith::AddIOp::create(b, loc, head.firstRow, key)});
      isValid = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne, byte,
          arith::ConstantIntOp::create(b, loc, b.getI8Type(), 0));
    }
    Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), key);
    SmallVector<Value> inputs{score};
    if (numbers)
      inputs.push_back(numbers);
    return map(perRow, inputs, [&](ValueRange x) -> Value {
      Value isSeen = isValid;
      if (numbers) {
        isSeen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, x[1],
                                       number);
        if (isValid)
          isSeen = arith::AndIOp::create(b, loc, isSeen, isValid);
      }
      return arith::SelectOp::create(b, loc, isSeen, x[0], constant(lowest));
    });
  };
  auto forKeys = [&](ValueRange carried,
                     function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop =
        scf::ForOp::create(b, loc, index(0), head.limit, index(1), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return SmallVector<Value>(loop.getResults());
  };

  Value maximum = SplatOp::create(b, loc, perRow, constant(lowest));
  maximum = forKeys(maximum, [&](Value key, ValueRange before) {
    Value next =
        map(perRow, {before[0], scores(key)}, [&](ValueRange x) -> Value {
          return arith::MaxNumFOp::create(b, loc, x[0], x[1]);
        });
    return SmallVector<Value>{next};
  })[0];
  // A row that sees no key: all its powers are zeros.
  maximum = map(perRow, maximum, [&](ValueRange x) -> Value {
    Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                         x[0], constant(lowest));
    return arith::SelectOp::create(b, loc, isNone, constant(0.0), x[0]);
  });

  // A block of the context over all keys, then the next.
  auto emitBlock = [&](Column block, int64_t columns) -> Value {
    FragType type = fragType(rows, columns, f32);
    SmallVector<Value> state{SplatOp::create(b, loc, perRow, constant(0.0)),
                             splat(0.0, columns)};
    state = forKeys(state, [&](Value key, ValueRange before) {
      Value power =
          map(perRow, {scores(key), maximum}, [&](ValueRange x) -> Value {
            Value exponent = arith::SubFOp::create(b, loc, x[0], x[1]);
            return math::Exp2Op::create(b, loc, exponent, approximate());
          });
      Value sum = map(perRow, {before[0], power}, [&](ValueRange x) -> Value {
        return arith::AddFOp::create(b, loc, x[0], x[1]);
      });
      Value context =
          map(type,
              {before[1], power, loadRow(head.value, key, block, columns)},
              [&](ValueRange x) -> Value {
                Value term = arith::MulFOp::create(b, loc, x[1], widen(x[2]));
                Value after = arith::AddFOp::create(b, loc, x[0], term);
                // NaN counts.
                Value counts = arith::CmpFOp::create(
                    b, loc, arith::CmpFPredicate::UNE, x[1], constant(0.0));
                return arith::SelectOp::create(b, loc, counts, after, x[0]);
              });
      return SmallVector<Value>{sum, context};
    });
    return map(type, {state[1], state[0]}, [&](ValueRange x) -> Value {
      Value quotient = arith::DivFOp::create(b, loc, x[0], x[1]);
      Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                            x[1], constant(0.0));
      return arith::SelectOp::create(b, loc, isEmpty, constant(0.0), quotient);
    });
  };
  SmallVector<Value> parts;
  forBlocks(head.headDim, kContextColumns, /*isStatic=*/true, {},
            [&](Column block, int64_t columns, ValueRange) {
              parts.push_back(emitBlock(block, columns));
              return SmallVector<Value>();
            });
  if (parts.size() == 1)
    return parts.front();
  return ConcatOp::create(b, loc, fragType(rows, head.headDim, f32), parts);
}
