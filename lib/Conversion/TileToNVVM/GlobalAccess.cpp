// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GlobalAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hk;

namespace {

/// How an access is written in PTX and in LLVM.
struct Shape {
  int64_t bytes; // of the access
  int64_t words; // registers
  Type word;     // i8, i16 or i32
};

} // namespace

static Shape shapeOf(const GlobalAccess &access, OpBuilder &b) {
  int64_t bytes = access.count * access.element.getIntOrFloatBitWidth() / 8;
  int64_t word = std::min<int64_t>(bytes, 4);
  return {bytes, bytes / word, b.getIntegerType(8 * word)};
}

/// `.v4.b32` and the like.
static std::string suffix(const Shape &shape) {
  std::string vector =
      shape.words > 1 ? llvm::formatv(".v{0}", shape.words).str() : "";
  return vector +
         llvm::formatv(".b{0}", shape.word.getIntOrFloatBitWidth()).str();
}

/// `{$first, $first + 1, ..}`, or the one.
static std::string registers(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += llvm::formatv("{0}${1}", i ? ", " : "", first + i).str();
  return count > 1 ? "{" + text + "}" : text;
}

SmallVector<Value> GlobalAccess::loadWords(Device &d) const {
  Shape shape = shapeOf(*this, d.b);
  if (!predicate) {
    Type type = shape.words > 1 ? VectorType::get({shape.words}, shape.word)
                                : shape.word;
    Value loaded = LLVM::LoadOp::create(
        d.b, d.loc, type, d.address(address, offset), shape.bytes,
        /*isVolatile=*/false, /*isNonTemporal=*/false, isInvariant);
    if (shape.words == 1)
      return {loaded};
    SmallVector<Value> words;
    for (int64_t i = 0; i < shape.words; ++i)
      words.push_back(
          LLVM::ExtractElementOp::create(d.b, d.loc, loaded, d.i32(i)));
    return words;
  }
  // Bytes lie in 16-bit registers. The results are tied to zeros, which stay
  // where the predicate is false.
  Type word = shape.bytes == 1 ? d.b.getI16Type() : shape.word;
  bool isShort = shape.bytes < 4;
  std::string constraints, zeros;
  SmallVector<Value> arguments{predicate, address};
  Value zero =
      arith::ConstantOp::create(d.b, d.loc, word, d.b.getIntegerAttr(word, 0));
  for (int64_t i = 0; i < shape.words; ++i) {
    constraints += isShort ? "=h," : "=r,";
    zeros += llvm::formatv(",{0}", i).str();
    arguments.push_back(zero);
  }
  std::string text =
      llvm::formatv("@${0} ld.global{1}{2} {3}, [${4}+{5}];", shape.words,
                    isInvariant ? ".nc" : "", suffix(shape),
                    registers(0, shape.words), shape.words + 1, offset)
          .str();
  SmallVector<Value> words =
      d.ptx(text, constraints + "b,l" + zeros,
            SmallVector<Type>(shape.words, word), arguments,
            /*hasSideEffects=*/!isInvariant);
  if (shape.bytes == 1)
    words[0] = arith::TruncIOp::create(d.b, d.loc, shape.word, words[0]);
  return words;
}

void GlobalAccess::storeWords(Device &d, ValueRange words) const {
  Shape shape = shapeOf(*this, d.b);
  if (!predicate) {
    Value value = words[0];
    if (shape.words > 1) {
      Type type = VectorType::get({shape.words}, shape.word);
      value = LLVM::PoisonOp::create(d.b, d.loc, type);
      for (auto [i, word] : llvm::enumerate(words))
        value = LLVM::InsertElementOp::create(d.b, d.loc, type, value, word,
                                              d.i32(i));
    }
    LLVM::StoreOp::create(d.b, d.loc, value, d.address(address, offset),
                          shape.bytes);
    return;
  }
  SmallVector<Value> arguments{predicate, address};
  std::string constraints = "b,l";
  for (Value word : words) {
    constraints += shape.bytes < 4 ? ",h" : ",r";
    arguments.push_back(
        shape.bytes == 1
            ? arith::ExtUIOp::create(d.b, d.loc, d.b.getI16Type(), word)
                  .getResult()
            : word);
  }
  std::string text =
      llvm::formatv("@$0 st.global{0} [$1+{1}], {2};", suffix(shape), offset,
                    registers(2, shape.words))
          .str();
  d.ptx(text, constraints, {}, arguments, /*hasSideEffects=*/true);
}

SmallVector<Value> GlobalAccess::load(Device &d) const {
  SmallVector<Value> elements;
  int64_t bits = element.getIntOrFloatBitWidth();
  for (Value word : loadWords(d)) {
    int64_t perWord = word.getType().getIntOrFloatBitWidth() / bits;
    if (perWord == 1) {
      elements.push_back(d.bitcast(word, element));
      continue;
    }
    Value vector = d.bitcast(word, VectorType::get({perWord}, element));
    for (int64_t i = 0; i < perWord; ++i)
      elements.push_back(
          LLVM::ExtractElementOp::create(d.b, d.loc, vector, d.i32(i)));
  }
  return elements;
}

void GlobalAccess::store(Device &d, ValueRange elements) const {
  Shape shape = shapeOf(*this, d.b);
  int64_t perWord = count / shape.words;
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; i += perWord) {
    Value word = elements[i];
    if (perWord > 1) {
      Type type = VectorType::get({perWord}, element);
      word = LLVM::PoisonOp::create(d.b, d.loc, type);
      for (int64_t j = 0; j < perWord; ++j)
        word = LLVM::InsertElementOp::create(d.b, d.loc, type, word,
                                             elements[i + j], d.i32(j));
    }
    words.push_back(d.bitcast(word, shape.word));
  }
  storeWords(d, words);
}
