// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace hk;

/// Of shuffles and votes: all lanes take part.
static constexpr int64_t kAllLanes = -1;

Type Device::globalPointer() {
  return LLVM::LLVMPointerType::get(b.getContext(), 1);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value Device::i32(int64_t value) {
  return arith::ConstantOp::create(
      b, loc, i32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value Device::f32(double value) {
  return arith::ConstantOp::create(b, loc, b.getF32Type(),
                                   b.getF32FloatAttr(value));
}

Value Device::fromIndex(Value index) {
  return arith::IndexCastOp::create(b, loc, i32Type(), index);
}

Value Device::toIndex(Value value) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

Value Device::add(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value Device::add(Value x, int64_t y) { return y == 0 ? x : add(x, i32(y)); }

Value Device::sub(Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
}

Value Device::mul(Value x, int64_t y) {
  return y == 1 ? x : arith::MulIOp::create(b, loc, x, i32(y)).getResult();
}

Value Device::shiftRight(Value x, int64_t bits) {
  return bits == 0 ? x
                   : arith::ShRUIOp::create(b, loc, x, i32(bits)).getResult();
}

Value Device::bitAnd(Value x, int64_t mask) { return bitAnd(x, i32(mask)); }

Value Device::bitAnd(Value x, Value y) {
  return arith::AndIOp::create(b, loc, x, y);
}

Value Device::bitOr(Value x, Value y) {
  return arith::OrIOp::create(b, loc, x, y);
}

Value Device::bitXor(Value x, Value y) {
  return arith::XOrIOp::create(b, loc, x, y);
}

Value Device::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}

Value Device::lessThan(Value x, Value y) {
  return compare(arith::CmpIPredicate::slt, x, y);
}

Value Device::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value Device::bitcast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(b, loc, type, value);
}

Value Device::address(Value base, Value index, int64_t scale) {
  // A product of 32 by 32 bits is one instruction (mul.wide).
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), index);
  if (scale != 1)
    wide = arith::MulIOp::create(
        b, loc, wide,
        arith::ConstantOp::create(b, loc, b.getI64Type(),
                                  b.getI64IntegerAttr(scale)),
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{wide});
}

Value Device::address(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  Value wide = arith::ConstantOp::create(b, loc, b.getI64Type(),
                                         b.getI64IntegerAttr(bytes));
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{wide});
}

//===----------------------------------------------------------------------===//
// Threads and warps
//===----------------------------------------------------------------------===//

Value Device::threadId() {
  return NVVM::ThreadIdXOp::create(b, loc, i32Type());
}

Value Device::ctaId() { return NVVM::BlockIdXOp::create(b, loc, i32Type()); }

Value Device::ctaCount() { return NVVM::GridDimXOp::create(b, loc, i32Type()); }

static Value shuffle(Device &d, Value value, int64_t lane,
                     NVVM::ShflKind kind) {
  Type type = value.getType();
  bool isWord = type.isF32() || type.isInteger(32);
  Value word = isWord ? value : d.bitcast(value, d.i32Type());
  Value result =
      NVVM::ShflOp::create(d.b, d.loc, word.getType(), d.i32(kAllLanes), word,
                           d.i32(lane), d.i32(31), kind, UnitAttr());
  return d.bitcast(result, type);
}

Value Device::shuffleXor(Value value, int64_t mask) {
  return shuffle(*this, value, mask, NVVM::ShflKind::bfly);
}

Value Device::shuffleFrom(Value value, int64_t lane) {
  return shuffle(*this, value, lane, NVVM::ShflKind::idx);
}

Value Device::vote(Value predicate, bool all) {
  return NVVM::VoteSyncOp::create(
      b, loc, b.getI1Type(), i32(kAllLanes), predicate,
      all ? NVVM::VoteSyncKind::all : NVVM::VoteSyncKind::any);
}

Value Device::warpMax(Value value) {
  return NVVM::ReduxOp::create(b, loc, i32Type(), value, NVVM::ReduxKind::UMAX,
                               i32(kAllLanes));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Value Device::intrinsic(StringRef name, Type result, ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                       arguments)
      .getResult(0);
}

SmallVector<Value> Device::ptx(StringRef text, StringRef constraints,
                               TypeRange results, ValueRange arguments,
                               bool hasSideEffects) {
  Type type = results.empty() ? Type()
              : results.size() == 1
                  ? results[0]
                  : LLVM::LLVMStructType::getLiteral(
                        b.getContext(), SmallVector<Type>(results));
  auto op = LLVM::InlineAsmOp::create(
      b, loc, type ? TypeRange(type) : TypeRange(), arguments, text,
      constraints, hasSideEffects, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  if (results.empty())
    return {};
  if (results.size() == 1)
    return {op.getRes()};
  SmallVector<Value> values;
  for (int64_t i = 0, e = results.size(); i < e; ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, op.getRes(), i));
  return values;
}
