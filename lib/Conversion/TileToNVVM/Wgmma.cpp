// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of a warpgroup: wgmma with A in registers and B in shared
// memory, which the instruction reads by a descriptor. A slab of 16 rows a warp
// is what m64nNk16 wants of each of its four.
//
// A product is one piece of inline PTX, from the fence to the wait: what ptxas
// sees between them it may serialise (docs/tile-to-nvvm.md). Warps of other
// warpgroups run meanwhile.

#include "Wgmma.h"

#include "BufAddress.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hk;

/// K of an instruction, the most columns that there are, and the most
/// accumulators of a piece of PTX.
static constexpr int64_t kDepth = 16, kColumns = 256, kAccumulators = 128;
/// What ptxas wants of registers beside the sums of an instruction (C7602).
static constexpr int64_t kRegistersBeside = 30;

/// The most columns of an instruction. ptxas refuses one that does not fit into
/// the registers which a thread has as the kernel starts, however many setmaxnreg
/// adds to them.
static int64_t getMostColumns(const KernelInfo &info) {
  int64_t threads = 32 * (info.units + info.producers);
  int64_t registers = info.registers
                          ? info.registers->launch
                          : KernelInfo::kRegistersOfSM / threads / 8 * 8;
  int64_t sums = registers - kRegistersBeside;
  return std::clamp<int64_t>(2 * sums / 8 * 8, 8, kColumns);
}

namespace {
/// Where B lies, as a descriptor says, in bytes.
struct Matrix {
  /// Rows of a swizzled block, and from one block of columns to the next.
  int64_t rowBytes, blockBytes;
  int64_t blockColumns;
  bool isTransposed;
  /// The column that the product begins at.
  int64_t column;

  /// 1, 2, 3 for swizzles of 128, 64, 32 bytes; 0 for none.
  int64_t getMode() const {
    return rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : rowBytes == 32 ? 3 : 0;
  }
  int64_t getGroupBytes() const { return 8 * rowBytes; }
  /// From one run of the contiguous direction to the next, and from 8 rows
  /// across it to the next; without a swizzle, and across K, the other way
  /// round.
  int64_t getLeadingBytes() const {
    if (isTransposed)
      return getMode() == 0 ? getGroupBytes() : blockBytes;
    return getMode() == 0 ? blockBytes : 16;
  }
  int64_t getStrideBytes() const {
    return isTransposed && getMode() == 0 ? blockBytes : getGroupBytes();
  }

  int64_t getColumnBytes(int64_t from) const {
    return from / blockColumns * blockBytes + from % blockColumns * 2;
  }
  /// Where the columns of C from `n` on, and K from `k` on, begin.
  int64_t getOffset(int64_t n, int64_t k) const {
    return isTransposed ? k * rowBytes + getColumnBytes(column + n)
                        : n * rowBytes + getColumnBytes(column + k);
  }
};

/// Some columns of a slab of C, which one run of instructions over K computes.
struct Part {
  int64_t slab, column, columns;
};

/// The text of a piece of PTX and its operands.
class Text {
public:
  Text(Type element, const Matrix &b, bool isProxyFenced)
      : element(element), b(b) {
    os << "{ .reg .pred p, q; .reg .b32 l, h; .reg .b64 m; "
          "setp.eq.b32 p, 0, 0; setp.ne.b32 q, 0, 0; "
       << "mov.b32 h, " << (b.getStrideBytes() / 16 | b.getMode() << 30)
       << "; ";
    if (isProxyFenced)
      os << "fence.proxy.async.shared::cta; ";
    os << "wgmma.fence.sync.aligned; ";
  }

  /// Adds the products of a part; `c` may be empty. Operands are numbered by
  /// their kind: the results first, then what they begin with, the descriptor,
  /// and A.
  void add(const Part &part, ValueRange a, int64_t firstSum, int64_t low,
           int64_t firstA, bool hasC) {
    StringRef type = element.isF16() ? "f16" : "bf16";
    int64_t steps = static_cast<int64_t>(a.size()) / 4;
    for (int64_t k = 0; k < steps; ++k) {
      os << "add.s32 l, $" << low << ", "
         << b.getOffset(part.column, kDepth * k) / 16
         << "; mov.b64 m, {l, h}; wgmma.mma_async.sync.aligned.m64n"
         << part.columns << "k16.f32." << type << "." << type << " {";
      list(firstSum, part.columns / 2);
      os << "}, {";
      list(firstA + 4 * k, 4);
      os << "}, m, " << (hasC || k > 0 ? "p" : "q") << ", 1, 1, "
         << (b.isTransposed ? 1 : 0) << "; ";
    }
  }

  std::string finish() {
    os << "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }";
    return std::move(text);
  }

private:
  void list(int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      os << (i == 0 ? "$" : ", $") << first + i;
  }

  Type element;
  const Matrix &b;
  std::string text;
  llvm::raw_string_ostream os{text};
};

class Product {
public:
  Product(Device &d, const KernelInfo &info, tile::MmaOp op, ValueRange a,
          ValueRange c)
      : d(d), op(op), a(a), c(c), mostColumns(getMostColumns(info)),
        element(op.getA().getType().getElementType()),
        slabs(op.getA().getType().getRows() / 16),
        columns(op.getType().getColumns()),
        depth(op.getA().getType().getColumns()) {
    tile::BufType type = op.getB().getType();
    b = {type.getBlockBytes(), type.getRows() * type.getBlockBytes(),
         type.getBlockColumns(), op.getTransposeB(),
         getConstantIntValue(op.getColumn()).value()};
  }

  /// `start` is the address of B where the product's row begins.
  SmallVector<Value> emit(Value start, bool isProxyFenced) {
    // The low word of the descriptor: where, and the leading distance.
    Value low = d.add(d.bitAnd(d.shiftRight(start, 4), 0x3fff),
                      b.getLeadingBytes() / 16 << 16);
    sums.resize(slabs * columns / 2);
    SmallVector<Part> parts;
    int64_t accumulators = 0;
    for (int64_t slab = 0; slab < slabs; ++slab)
      for (int64_t column = 0; column < columns;
           column += getPartColumns(column)) {
        Part part{slab, column, getPartColumns(column)};
        if (accumulators + part.columns / 2 > kAccumulators && !parts.empty()) {
          emitParts(parts, low, isProxyFenced);
          parts.clear();
          accumulators = 0;
        }
        parts.push_back(part);
        accumulators += part.columns / 2;
      }
    emitParts(parts, low, isProxyFenced);
    return sums;
  }

private:
  /// The columns of the instructions that begin at `column` of C. Across K, they
  /// are within a block of B, or begin one.
  int64_t getPartColumns(int64_t column) const {
    int64_t left = columns - column, count = std::min(mostColumns, left);
    if (!b.isTransposed)
      return count;
    int64_t begin = (b.column + column) % b.blockColumns;
    if (begin != 0)
      return std::min(count, b.blockColumns - begin);
    return count < left && count > b.blockColumns
               ? count / b.blockColumns * b.blockColumns
               : count;
  }

  /// Where the registers of a part are among those of C.
  int64_t firstOf(const Part &part) const {
    return (part.slab * columns + part.column) / 2;
  }

  void emitParts(ArrayRef<Part> parts, Value low, bool isProxyFenced) {
    int64_t count = 0;
    for (const Part &part : parts)
      count += part.columns / 2;
    SmallVector<Value> operands;
    std::string constraints;
    auto addConstraint = [&](const Twine &constraint) {
      if (!constraints.empty())
        constraints += ",";
      constraints += constraint.str();
    };
    for (int64_t i = 0; i < count; ++i)
      addConstraint("=f");
    if (!c.empty())
      for (const Part &part : parts)
        for (int64_t i = 0; i < part.columns / 2; ++i) {
          addConstraint(Twine(operands.size()));
          operands.push_back(c[firstOf(part) + i]);
        }
    int64_t lowNumber = count + static_cast<int64_t>(operands.size());
    addConstraint("r");
    operands.push_back(low);
    Text text(element, b, isProxyFenced);
    // Parts of one slab have the same A.
    DenseMap<int64_t, int64_t> firstA;
    int64_t firstSum = 0;
    for (const Part &part : parts) {
      ValueRange registers =
          a.slice(part.slab * depth / 4, static_cast<size_t>(depth / 4));
      auto [it, isNew] = firstA.try_emplace(
          part.slab, count + static_cast<int64_t>(operands.size()));
      if (isNew)
        for (Value value : registers) {
          addConstraint("r");
          operands.push_back(d.bitcast(value, d.i32Type()));
        }
      text.add(part, registers, firstSum, lowNumber, it->second, !c.empty());
      firstSum += part.columns / 2;
    }
    addConstraint("~{memory}");
    SmallVector<Value> results =
        d.ptx(text.finish(), constraints,
              SmallVector<Type>(count, d.b.getF32Type()), operands,
              /*hasSideEffects=*/true);
    firstSum = 0;
    for (const Part &part : parts) {
      llvm::copy(ArrayRef<Value>(results).slice(firstSum, part.columns / 2),
                 sums.begin() + firstOf(part));
      firstSum += part.columns / 2;
    }
  }

  Device &d;
  tile::MmaOp op;
  ValueRange a, c;
  int64_t mostColumns;
  Type element;
  int64_t slabs, columns, depth;
  Matrix b;
  SmallVector<Value> sums;
};
} // namespace

/// Whether threads wrote B, which wgmma does not see without a fence. (That of
/// a slot comes with the wait.)
static bool isWrittenByThreads(Value b) {
  return !b.getDefiningOp<tile::WaitOp>();
}

SmallVector<Value> hk::emitWarpgroupMma(Device &d, KernelInfo &info,
                                        tile::MmaOp op, ValueRange a, Value b,
                                        Value row, ValueRange c) {
  int64_t rowBytes = op.getB().getType().getBlockBytes();
  BufOffset offset = BufOffset::get(d, info, op, 2, row);
  Value start = d.add(b, offset.constant * rowBytes);
  if (offset.value)
    start = d.add(start, d.mul(offset.value, rowBytes));
  return Product(d, info, op, a, c).emit(start, isWrittenByThreads(op.getB()));
}
