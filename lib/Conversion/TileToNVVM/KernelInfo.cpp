// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelInfo.h"

#include "Device.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace hk;

/// What `value` is always a multiple of; 0 for 0 itself.
static int64_t divisorOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return std::gcd(divisorOf(loop.getLowerBound()),
                      divisorOf(loop.getStep()));
    return 1;
  }
  auto both = [](Operation *op) {
    return std::gcd(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  };
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::RemSIOp,
            arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(
          [&](Operation *op) { return both(op); })
      .Case([&](arith::MulIOp op) {
        // Of factors that are not huge: an address in bytes fits 63 bits.
        int64_t left = divisorOf(op.getLhs()), right = divisorOf(op.getRhs());
        constexpr int64_t kHuge = int64_t(1) << 31;
        return left < kHuge && right < kHuge ? left * right
                                             : std::max(left, right);
      })
      .Case([&](arith::SelectOp op) {
        return std::gcd(divisorOf(op.getTrueValue()),
                        divisorOf(op.getFalseValue()));
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](Operation *op) { return divisorOf(op->getOperand(0)); })
      .Default([](Operation *) { return 1; });
}

KernelInfo::KernelInfo(tile::KernelOp op, const GPUTarget &gpu)
    : kernel(op), target(gpu), units(op.getUnits()),
      producers(op.getProducers().value_or(0)) {
  auto ctas = kernel->getAttrOfType<IntegerAttr>("hk.ctas");
  if (ctas && target.hasWarpgroups())
    if (auto split = tile::RegisterSplit::get(units, producers, ctas.getInt(),
                                              kRegistersOfSM))
      registers = Registers{*split, ctas.getInt()};
  DenseSet<Value> written;
  int64_t widest = 0;
  auto look = [&](Value value) {
    usesShared |= isa<tile::BufType, tile::ChanType>(value.getType());
    auto frag = dyn_cast<tile::FragType>(value.getType());
    if (frag && frag.isLine() && frag.getColumns() > 1)
      widest = std::max(widest, frag.getColumns());
  };
  kernel.walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      look(result);
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          look(argument);
    waitsForGrid |= isa<tile::GridWaitOp>(inner) && target.hasGridControl();
    if (auto store = dyn_cast<tile::StoreOp>(inner))
      written.insert(store.getTarget());
    if (isa<tile::TileDialect>(inner->getDialect()))
      for (OpOperand &operand : inner->getOpOperands())
        if (operand.get().getType().isIndex())
          divisors[{inner, operand.getOperandNumber()}] =
              divisorOf(operand.get());
  });
  if (widest > 0)
    lineLanes = RegisterLayout::lanesFor(widest);
  auto addInvariant = [&](Operation *reader, Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (argument && argument.getOwner() == &kernel.getBody().front() &&
        !written.contains(source) &&
        (!waitsForGrid || kernel.isConstant(source)))
      invariant.insert(reader);
  };
  kernel.walk([&](Operation *inner) {
    llvm::TypeSwitch<Operation *>(inner)
        .Case<tile::LoadOp, tile::CopyOp>(
            [&](auto reader) { addInvariant(reader, reader.getSource()); })
        .Case([&](memref::LoadOp reader) {
          addInvariant(reader, reader.getMemRef());
        })
        .Case([&](tile::ExtentOp reader) {
          addInvariant(reader, reader.getMask());
        });
  });
}

LogicalResult KernelInfo::verify() {
  for (Type type : kernel.getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && (!memref.getLayout().isIdentity() ||
                   memref.getElementType().isInteger(1) ||
                   (memref.getRank() == 2 && memref.isDynamicDim(1))))
      return kernel.emitOpError()
             << "expects memrefs of a static number of columns, row-major and "
                "of elements of a byte or more, but got "
             << memref;
  }
  int64_t step = 32 / lineLanes;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<tile::AllocOp>(op);
        alloc && !alloc.getOffsetAttr()) {
      alloc.emitOpError() << "expects an offset in shared memory (of "
                             "tile-allocate), but got none";
      return WalkResult::interrupt();
    }
    for (Value value : op->getResults()) {
      auto frag = dyn_cast<tile::FragType>(value.getType());
      if (frag && frag.isLine() && frag.getRows() != 1 &&
          frag.getRows() % step != 0) {
        op->emitOpError() << "expects line frags whose rows are a multiple of "
                          << step << " in this kernel, but got " << frag;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return channels.analyse(*this);
}

Value KernelInfo::isFirstProducer(Device &d) const {
  return d.compare(arith::CmpIPredicate::eq, thread, d.i32(32 * units));
}

void KernelInfo::emitEntry() {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Device d(builder, kernel.getLoc());
  thread = d.threadId();
  lane = d.bitAnd(thread, 31);
  // From one lane to all: branches on it are then known to be uniform.
  warp = d.shuffleFrom(d.shiftRight(thread, 5), 0);
  slabRow = d.shiftRight(lane, 2);
  slabColumn = d.mul(d.bitAnd(lane, 3), 2);
  strip16Column = d.mul(d.bitAnd(lane, 3), 4);
  strip32Column = d.mul(d.bitAnd(lane, 3), 8);
  lineRow = d.shiftRight(lane, llvm::Log2_64(lineLanes));
  lineColumn = d.mul(d.bitAnd(lane, lineLanes - 1), 4);
  if (usesShared) {
    Value base = LLVM::AddressOfOp::create(
        builder, kernel.getLoc(),
        LLVM::LLVMPointerType::get(builder.getContext(), 3), kSharedName);
    sharedBase = LLVM::PtrToIntOp::create(builder, kernel.getLoc(),
                                          builder.getI32Type(), base);
  }
  channels.emitEntry(d, *this);
  // As early as can be: what the next kernel does before it waits is for it to
  // know. The barriers are older, so that they delay nothing.
  if (waitsForGrid)
    launchDependents(d);
  entry = &*std::prev(builder.getInsertionPoint());
}

Value KernelInfo::atEntry(Device &d, ArrayRef<int64_t> key,
                          function_ref<Value(Device &)> compute) {
  Value &value = entryValues[key.vec()];
  if (!value) {
    OpBuilder::InsertionGuard guard(d.b);
    d.b.setInsertionPointAfter(entry);
    value = compute(d);
  }
  return value;
}
