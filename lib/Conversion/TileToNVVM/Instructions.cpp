// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever orders memory is inline PTX that clobbers it: to LLVM, the
// intrinsics of barriers touch the barrier alone, and loads could move over
// them.

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hk;

Value hk::sharedPointer(Device &d, const SharedAddress &address) {
  Type type = LLVM::LLVMPointerType::get(d.b.getContext(), 3);
  Value pointer = LLVM::IntToPtrOp::create(d.b, d.loc, type, address.base);
  if (address.offset == 0)
    return pointer;
  return LLVM::GEPOp::create(
      d.b, d.loc, type, d.b.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(address.offset)});
}

/// `[$n]` or `[$n+offset]`.
static std::string operand(const SharedAddress &address, int number) {
  std::string text = "[$" + std::to_string(number);
  if (address.offset != 0)
    text += "+" + std::to_string(address.offset);
  return text + "]";
}

static void effect(Device &d, StringRef text, StringRef constraints,
                   ValueRange arguments) {
  std::string all = constraints.str();
  all += constraints.empty() ? "~{memory}" : ",~{memory}";
  d.ptx(text, all, TypeRange(), arguments, /*hasSideEffects=*/true);
}

void hk::growRegisters(Device &d, int64_t registers) {
  effect(d,
         "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(registers) + ";",
         "", {});
}

void hk::shrinkRegisters(Device &d, int64_t registers) {
  effect(d,
         "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(registers) + ";",
         "", {});
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static NVVM::LdStMatrixShapeAttr getMatrixShape(MLIRContext *context) {
  return NVVM::LdStMatrixShapeAttr::get(context, 8, 8);
}

static SmallVector<Value> unpack(Device &d, Value structure, int64_t count) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(d.b, d.loc, structure, ArrayRef{i}));
  return values;
}

SmallVector<Value> hk::loadMatrices(Device &d, const SharedAddress &address,
                                    int64_t count, bool isTransposed) {
  MLIRContext *context = d.b.getContext();
  Type word = d.i32Type();
  Type type = count == 1 ? word
                         : LLVM::LLVMStructType::getLiteral(
                               context, SmallVector<Type>(count, word));
  Value result = NVVM::LdMatrixOp::create(
      d.b, d.loc, type, sharedPointer(d, address), static_cast<uint32_t>(count),
      isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      getMatrixShape(context), NVVM::LdStMatrixEltType::B16);
  return count == 1 ? SmallVector<Value>{result} : unpack(d, result, count);
}

void hk::storeMatrices(Device &d, const SharedAddress &address,
                       ValueRange registers) {
  NVVM::StMatrixOp::create(
      d.b, d.loc, sharedPointer(d, address), registers, NVVM::MMALayout::row,
      getMatrixShape(d.b.getContext()), NVVM::LdStMatrixEltType::B16);
}

SmallVector<Value> hk::multiplyAdd(Device &d, Type element, ValueRange a,
                                   ValueRange b, ValueRange c) {
  Type f32 = d.b.getF32Type();
  Type type = LLVM::LLVMStructType::getLiteral(d.b.getContext(),
                                               SmallVector<Type>(4, f32));
  std::optional<std::array<NVVM::MMATypes, 2>> types;
  if (element.isBF16())
    types = {NVVM::MMATypes::bf16, NVVM::MMATypes::bf16};
  else if (element.isF32())
    types = {NVVM::MMATypes::tf32, NVVM::MMATypes::tf32};
  // Two elements a register, or one of tf32.
  int64_t depth = static_cast<int64_t>(a.size()) * (element.isF32() ? 2 : 4);
  Value result = NVVM::MmaOp::create(
      d.b, d.loc, type, a, b, c, ArrayRef<int64_t>{16, 8, depth},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt, types,
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  return unpack(d, result, 4);
}

Value hk::toTF32(Device &d, Value value) {
  return NVVM::ConvertFloatToTF32Op::create(
      d.b, d.loc, d.i32Type(), value, NVVM::FPRoundingMode::RNA,
      NVVM::SaturationMode::NONE, /*relu=*/false);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void hk::copyAsync(Device &d, const SharedAddress &target, Value source,
                   int64_t bytes, Value valid) {
  // Of 16 bytes, past L1: they are used once.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(d.b, d.loc, sharedPointer(d, target), source,
                          static_cast<uint32_t>(bytes), cache, valid);
}

void hk::waitForCopies(Device &d) { effect(d, "cp.async.wait_all;", "", {}); }

void hk::copyBulk(Device &d, Value target, Value source, int64_t bytes,
                  const SharedAddress &barrier, Value predicate) {
  Value address =
      LLVM::PtrToIntOp::create(d.b, d.loc, d.b.getI64Type(), source);
  effect(d,
         "@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
         "bytes [$0], [$1], $2, " +
             operand(barrier, 3) + ";",
         "r,l,r,r,b", {target, address, d.i32(bytes), barrier.base, predicate});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void hk::syncThreads(Device &d, int64_t id, int64_t threads) {
  std::string text = "bar.sync " + std::to_string(id);
  if (threads != 0)
    text += ", " + std::to_string(threads);
  effect(d, text + ";", "", {});
}

void hk::fenceProxies(Device &d) {
  effect(d, "fence.proxy.async.shared::cta;", "", {});
}

void hk::launchDependents(Device &d) {
  effect(d, "griddepcontrol.launch_dependents;", "", {});
}

void hk::waitForGrid(Device &d, Value condition) {
  if (condition)
    effect(d, "@$0 griddepcontrol.wait;", "b", {condition});
  else
    effect(d, "griddepcontrol.wait;", "", {});
}

void hk::fenceReads(Device &d, const GPUTarget &target) {
  effect(d,
         target.hasBulkCopy() ? "fence.proxy.async.shared::cta;"
                              : "fence.acq_rel.cta;",
         "", {});
}

void hk::initBarrier(Device &d, const SharedAddress &barrier,
                     int64_t arrivals) {
  effect(d,
         "mbarrier.init.shared.b64 " + operand(barrier, 0) + ", " +
             std::to_string(arrivals) + ";",
         "r", {barrier.base});
}

void hk::fenceBarrierInit(Device &d) {
  effect(d, "fence.mbarrier_init.release.cluster;", "", {});
}

void hk::arrive(Device &d, const SharedAddress &barrier, Value predicate) {
  std::string text = "mbarrier.arrive.shared.b64 s, " + operand(barrier, 0);
  if (!predicate) {
    effect(d, "{ .reg .b64 s; " + text + "; }", "r", {barrier.base});
    return;
  }
  // A branch would end the block, and with it what can be scheduled.
  effect(d, "{ .reg .b64 s; @$1 " + text + "; }", "r,b",
         {barrier.base, predicate});
}

void hk::arriveAfterCopies(Device &d, const SharedAddress &barrier) {
  effect(d,
         "cp.async.mbarrier.arrive.noinc.shared.b64 " + operand(barrier, 0) +
             ";",
         "r", {barrier.base});
}

void hk::arriveExpecting(Device &d, const SharedAddress &barrier, int64_t bytes,
                         Value predicate) {
  effect(d,
         "@$1 mbarrier.arrive.expect_tx.shared.b64 _, " + operand(barrier, 0) +
             ", " + std::to_string(bytes) + ";",
         "r,b", {barrier.base, predicate});
}

void hk::waitForPhase(Device &d, const GPUTarget &target,
                      const SharedAddress &barrier, Value parity) {
  // try_wait sleeps for a while, test_wait does not.
  constexpr int64_t kTries = 1 << 22, kTests = 1 << 26;
  std::string text = target.hasTryWait() ? "try_wait" : "test_wait";
  int64_t limit = target.hasTryWait() ? kTries : kTests;
  Value zero = d.i32(0);
  auto loop = scf::WhileOp::create(d.b, d.loc, TypeRange(d.i32Type()),
                                   ValueRange(zero));
  OpBuilder::InsertionGuard guard(d.b);
  Block *before = d.b.createBlock(&loop.getBefore(), {}, d.i32Type(), d.loc);
  // All lanes go on together. Where some saw the phase end and others did not,
  // the warp would split, and the way out of the loop that traps keeps ptxas
  // from joining it again in front of the next matrix product.
  Value isOver =
      d.ptx("mbarrier." + text + ".parity.shared.b64 $0, " +
                operand(barrier, 1) + ", $2; vote.sync.all.pred $0, $0, -1;",
            "=b,r,r,~{memory}", d.b.getI1Type(), {barrier.base, parity},
            /*hasSideEffects=*/true)[0];
  Value again = arith::XOrIOp::create(
      d.b, d.loc, isOver,
      arith::ConstantOp::create(d.b, d.loc, d.b.getBoolAttr(true)));
  scf::ConditionOp::create(d.b, d.loc, again, before->getArguments());
  Block *after = d.b.createBlock(&loop.getAfter(), {}, d.i32Type(), d.loc);
  Value count = d.add(after->getArgument(0), 1);
  Value isTooMany = d.compare(arith::CmpIPredicate::eq, count, d.i32(limit));
  scf::IfOp::create(d.b, d.loc, isTooMany, [&](OpBuilder &b, Location loc) {
    LLVM::Trap::create(b, loc);
    scf::YieldOp::create(b, loc);
  });
  scf::YieldOp::create(d.b, d.loc, count);
}
