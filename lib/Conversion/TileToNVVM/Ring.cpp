// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ring.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hk;

Ring::Ring(Device &d, const KernelInfo &info, const Channel &channel,
           const RingPosition &position)
    : d(d), base(info.sharedBase), channel(channel), position(position) {
  if (position.slot)
    slot = load(position.slot);
}

Value Ring::address() {
  Value start = d.add(base, channel.offset);
  return slot ? d.add(start, d.mul(slot, channel.slotBytes)) : start;
}

SharedAddress Ring::full() { return {barrierBase(), channel.barriers}; }

SharedAddress Ring::empty() {
  return {barrierBase(), channel.barriers + 8 * channel.slots};
}

Value Ring::parity() { return load(position.parity); }

void Ring::advance() {
  Value change = d.i32(1);
  if (slot) {
    Value next = d.add(slot, 1);
    Value wraps =
        d.compare(arith::CmpIPredicate::eq, next, d.i32(channel.slots));
    store(d.select(wraps, d.i32(0), next), position.slot);
    change = arith::ExtUIOp::create(d.b, d.loc, d.i32Type(), wraps);
  }
  if (position.parity)
    store(d.bitXor(parity(), change), position.parity);
}

Value Ring::barrierBase() { return slot ? d.add(base, d.mul(slot, 8)) : base; }

Value Ring::load(Value address) {
  return LLVM::LoadOp::create(d.b, d.loc, d.i32Type(), address);
}

void Ring::store(Value value, Value address) {
  LLVM::StoreOp::create(d.b, d.loc, value, address);
}
