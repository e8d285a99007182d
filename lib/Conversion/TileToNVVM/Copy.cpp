// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// copy: global memory to a slot. Packed weights are the image of a buf and are
// copied as they are, by one bulk copy or by 16 bytes a thread. A matrix is
// copied in pieces of one alignment, by threads in the order of memory: each
// has its own piece of a row, and goes down the rows.

#include "BufAddress.h"
#include "Patterns.h"
#include "Ring.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

static constexpr int64_t kChunkBytes = 16;

namespace {

/// Runs `body` where `condition` holds; always without one.
void emitWhere(Device &d, Value condition, function_ref<void(Device &)> body) {
  if (!condition) {
    body(d);
    return;
  }
  scf::IfOp::create(d.b, d.loc, condition,
                    [&](OpBuilder &builder, Location loc) {
                      Device inner(builder, loc);
                      body(inner);
                      scf::YieldOp::create(builder, loc);
                    });
}

/// The copy of a matrix by the threads of the producers.
class MatrixCopy {
public:
  MatrixCopy(KernelInfo &info, tile::CopyOp op,
             const ChannelPlan::Transfer &transfer)
      : info(info), buf(op.getSlot().getType()), isInside(transfer.isInside) {
    memrefColumns =
        cast<MemRefType>(op.getSource().getType()).getShape().back();
    element = buf.getElementBytes();
    rowBytes = memrefColumns * element;
    width = transfer.width;
    pieces = buf.getColumns() * element / width;
    threads = 32 * info.producers;
    // Rows at a time, or passes over a row.
    rows = std::max<int64_t>(1, threads / pieces);
    passes = llvm::divideCeil(pieces, threads);
    limit =
        op.getColumnsAttr() ? op.getColumnsAttr().getInt() : buf.getColumns();
    sequence = padded = buf.getRows();
    if (DenseI64ArrayAttr attr = op.getPaddedAttr()) {
      sequence = attr[0];
      padded = attr[1];
    }
  }

  /// `remaining` is the number of rows from the first on that are read, none
  /// if all are.
  void emit(Device &d, Value source, Value row, const BufOffset &column,
            Value remaining, Value slot) {
    Value thread = d.sub(info.thread, d.i32(32 * info.units));
    Value isBusy;
    laneRow = Value();
    if (rows > 1) {
      laneRow = divide(d, thread, pieces);
      if (rows * pieces != threads)
        isBusy = d.lessThan(thread, d.i32(rows * pieces));
    }
    emitWhere(d, isBusy, [&](Device &d) {
      for (int64_t pass = 0; pass < passes; ++pass) {
        Value piece = rows > 1 ? remainder(d, thread, pieces)
                               : d.add(thread, pass * threads);
        bool isPartial = rows == 1 && (pass + 1) * threads > pieces;
        emitWhere(d, isPartial ? d.lessThan(piece, d.i32(pieces)) : Value(),
                  [&](Device &d) {
                    emitPass(d, source, row, column, remaining, slot, piece);
                  });
      }
    });
  }

private:
  KernelInfo &info;
  tile::BufType buf;
  bool isInside;
  int64_t memrefColumns, element, rowBytes, width, pieces, threads, rows,
      passes, limit;
  /// So many rows of the matrix are so many of the buf.
  int64_t sequence, padded;
  Value laneRow; // none: 0

  static Value divide(Device &d, Value value, int64_t by) {
    return arith::DivUIOp::create(d.b, d.loc, value, d.i32(by));
  }
  static Value remainder(Device &d, Value value, int64_t by) {
    return arith::RemUIOp::create(d.b, d.loc, value, d.i32(by));
  }
  static Value minimum(Device &d, Value x, Value y) {
    return arith::MinSIOp::create(d.b, d.loc, x, y);
  }

  /// How many bytes of the piece are columns to read; none if all are.
  Value getValidBytes(Device &d, Value piece, const BufOffset &column) {
    Value valid; // bytes from the column on
    if (!isInside) {
      Value left = d.i32(memrefColumns - column.constant);
      if (column.value)
        left = d.sub(left, column.value);
      valid = d.mul(minimum(d, left, d.i32(limit)), element);
    } else if (limit < buf.getColumns()) {
      valid = d.i32(limit * element);
    } else {
      return Value();
    }
    valid = d.sub(valid, d.mul(piece, width));
    valid = minimum(d, valid, d.i32(width));
    return arith::MaxSIOp::create(d.b, d.loc, valid, d.i32(0));
  }

  /// All rows of a piece of a row.
  void emitPass(Device &d, Value source, Value row, const BufOffset &column,
                Value remaining, Value slot, Value piece) {
    Value valid = getValidBytes(d, piece, column);

    Value ofLane = isMixed() ? Value() : laneRow;
    Value first = ofLane ? d.add(row, ofLane) : row;
    Value from = d.address(source, first, rowBytes);
    Value columnBytes = d.mul(piece, width);
    if (column.value)
      columnBytes = d.add(columnBytes, d.mul(column.value, element));
    from = d.address(from, columnBytes, 1);
    from = d.address(from, column.constant * element);
    if (remaining && ofLane)
      remaining = d.sub(remaining, ofLane);

    SlotRows to(d, *this, slot, piece);
    for (int64_t i = 0; i < buf.getRows(); i += rows) {
      bool isPartial = i + rows > buf.getRows();
      emitWhere(
          d,
          isPartial ? d.lessThan(laneRow, d.i32(buf.getRows() - i)) : Value(),
          [&](Device &d) {
            PlaceOfRow place = getPlaceOfRow(d, i);
            Value bytes = valid;
            auto readWhere = [&](Value isRead) {
              Value all = bytes ? bytes : d.i32(width);
              bytes = d.select(isRead, all, d.i32(0));
            };
            if (remaining)
              readWhere(d.lessThan(
                  place.row ? place.row : d.i32(place.constant), remaining));
            if (place.isRow)
              readWhere(place.isRow);
            Value source = place.row
                               ? d.address(from, place.row, rowBytes)
                               : d.address(from, place.constant * rowBytes);
            if (width >= 4)
              copyAsync(d, to.get(d, i), source, width, bytes);
            else
              copyByStore(d, to.get(d, i), source, bytes);
          });
    }
  }

  /// True if the lanes that copy together may have rows of several sequences.
  bool isMixed() const { return sequence != padded && padded % rows != 0; }

  /// The row of the matrix, behind the first of the lane, that comes to row `i`
  /// behind that of the buf; with `isMixed`, behind the first of the copy. And
  /// whether it is none that pads the buf, where that is in question.
  struct PlaceOfRow {
    int64_t constant;
    Value row, isRow;
  };
  PlaceOfRow getPlaceOfRow(Device &d, int64_t i) {
    PlaceOfRow place{i, Value(), Value()};
    if (isMixed()) {
      Value row = d.add(laneRow, i);
      Value number = divide(d, row, padded), rest = remainder(d, row, padded);
      place.row = d.add(d.mul(number, sequence), rest);
      place.isRow = d.lessThan(rest, d.i32(sequence));
      return place;
    }
    int64_t rest = i % padded;
    place.constant = i / padded * sequence + rest;
    if (sequence != padded && rest + rows > sequence)
      place.isRow =
          d.lessThan(laneRow ? laneRow : d.i32(0), d.i32(sequence - rest));
    return place;
  }

  /// cp.async takes 4 bytes at least.
  void copyByStore(Device &d, const SharedAddress &target, Value source,
                   Value bytes) {
    Location loc = d.loc;
    Type type = d.b.getIntegerType(8 * static_cast<unsigned>(width));
    Value value;
    if (bytes) {
      Value isRead = d.compare(arith::CmpIPredicate::ne, bytes, d.i32(0));
      auto branch = scf::IfOp::create(
          d.b, loc, isRead,
          [&](OpBuilder &b, Location loc) {
            Value loaded = LLVM::LoadOp::create(b, loc, type, source, width);
            scf::YieldOp::create(b, loc, loaded);
          },
          [&](OpBuilder &b, Location loc) {
            Value zero = arith::ConstantOp::create(b, loc, type,
                                                   b.getIntegerAttr(type, 0));
            scf::YieldOp::create(b, loc, zero);
          });
      value = branch.getResult(0);
    } else {
      value = LLVM::LoadOp::create(d.b, loc, type, source, width);
    }
    LLVM::StoreOp::create(d.b, loc, value, sharedPointer(d, target), width);
  }

  /// Where a piece of a row lies in the slot, row by row. The swizzle repeats
  /// after 8 rows; what differs within them is computed once.
  class SlotRows {
  public:
    SlotRows(Device &d, MatrixCopy &copy, Value slot, Value piece)
        : copy(copy), rowBytes(copy.buf.getBlockBytes()),
          chunks(rowBytes / kChunkBytes) {
      Value chunk = piece;
      int64_t perChunk = kChunkBytes / copy.width;
      chunk = d.shiftRight(piece, llvm::Log2_64(perChunk));
      start = slot;
      if (copy.laneRow)
        start = d.add(start, d.mul(copy.laneRow, rowBytes));
      if (perChunk > 1)
        start = d.add(start, d.mul(d.bitAnd(piece, perChunk - 1), copy.width));
      int64_t blockBytes = copy.buf.getRows() * rowBytes;
      start = d.add(
          start, d.mul(d.shiftRight(chunk, llvm::Log2_64(chunks)), blockBytes));
      inner = d.bitAnd(chunk, chunks - 1);
    }

    SharedAddress get(Device &d, int64_t row) {
      // Which variant: what the rows add to the swizzle, where lanes begin at
      // rows below a power of two and steps are multiples of it.
      int64_t phase = row % 8;
      if (isDisjoint())
        phase = swizzle(phase);
      if (chunks == 1)
        phase = 0;
      Value &address = variants[phase];
      if (!address)
        address = isDisjoint() ? getDisjoint(d, phase) : getVariant(d, phase);
      return {address, row * rowBytes};
    }

  private:
    MatrixCopy &copy;
    int64_t rowBytes, chunks;
    Value start, inner, plain;
    Value variants[8];

    bool isDisjoint() const { return llvm::isPowerOf2_64(copy.rows); }
    int64_t swizzle(int64_t row) const {
      return row / (128 / rowBytes) % chunks;
    }
    Value getVariant(Device &d, int64_t row) {
      Value at = inner;
      if (chunks > 1) {
        Value swizzled = copy.laneRow ? d.add(copy.laneRow, row) : d.i32(row);
        swizzled = d.bitAnd(
            d.shiftRight(swizzled, llvm::Log2_64(128 / rowBytes)), chunks - 1);
        at = d.bitXor(at, swizzled);
      }
      return d.add(start, d.mul(at, kChunkBytes));
    }
    Value getDisjoint(Device &d, int64_t phase) {
      if (!plain)
        plain = getVariant(d, 0);
      return phase == 0 ? plain : d.bitXor(plain, d.i32(phase * kChunkBytes));
    }
  };
};

struct CopyLowering : TilePattern<tile::CopyOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::CopyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    const ChannelPlan::Transfer &transfer =
        info.channels.get(op.getOperation());
    Value source = adaptor.getSource().front();
    Value slot = adaptor.getSlot().front();
    SmallVector<Value> indices;
    for (ValueRange index : adaptor.getIndices())
      indices.push_back(index.front());
    if (isa<tile::TilesType>(op.getSource().getType())) {
      tile::BufType buf = op.getSlot().getType();
      Value from = d.address(source, d.fromIndex(indices[0]), buf.getBytes());
      if (transfer.channel->isBulk)
        copyInBulk(d, transfer, buf, from, slot);
      else
        copyByThreads(d, buf, from, slot);
    } else {
      MatrixCopy copy(info, op, transfer);
      unsigned first = op.getODSOperandIndexAndLength(1).first;
      BufOffset column = BufOffset::get(d, info, op, first + 1, indices[1]);
      Value row = d.fromIndex(indices[0]);
      Value remaining;
      if (op.getRows())
        remaining = d.sub(d.fromIndex(adaptor.getRows().front()), row);
      copy.emit(d, source, row, column, remaining, slot);
    }
    rewriter.eraseOp(op);
    return success();
  }

  void copyInBulk(Device &d, const ChannelPlan::Transfer &transfer,
                  tile::BufType buf, Value from, Value slot) const {
    Value isOurs = info.isFirstProducer(d);
    SharedAddress barrier =
        Ring(d, info, *transfer.channel, transfer.channel->produced).full();
    if (transfer.isFirst)
      arriveExpecting(d, barrier, transfer.bytes, isOurs);
    copyBulk(d, slot, from, buf.getBytes(), barrier, isOurs);
  }

  void copyByThreads(Device &d, tile::BufType buf, Value from,
                     Value slot) const {
    Value thread = d.sub(info.thread, d.i32(32 * info.units));
    Value bytes = d.mul(thread, kChunkBytes);
    from = d.address(from, bytes, 1);
    Value to = d.add(slot, bytes);
    int64_t step = 32 * info.producers * kChunkBytes;
    for (int64_t done = 0; done < buf.getBytes(); done += step) {
      int64_t left = buf.getBytes() - done;
      emitWhere(d, left < step ? d.lessThan(bytes, d.i32(left)) : Value(),
                [&](Device &d) {
                  copyAsync(d, {to, done}, d.address(from, done), kChunkBytes,
                            Value());
                });
    }
  }
};

} // namespace

void hk::populateCopyPatterns(const TileTypeConverter &converter,
                              RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<CopyLowering>(converter, patterns.getContext(), info);
}
