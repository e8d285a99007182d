// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, the end of threads, and instructions that only guide the hardware.
#include "lanes.h"

namespace hk::emulator {
namespace {

void branch(Execution &x, const Instruction &i, uint32_t mask) {
  x.branch(mask, i.target);
}

void end(Execution &x, const Instruction &, uint32_t mask) { x.exit(mask); }

void trap(Execution &x, const Instruction &, uint32_t mask) {
  x.fault(mask, "the kernel trapped");
}

void nothing(Execution &, const Instruction &, uint32_t) {}

void waitForGrid(Execution &x, const Instruction &, uint32_t mask) {
  x.warp->gridWaited |= mask;
}

void sleep(Execution &x, const Instruction &, uint32_t) { x.yield(); }

/// setmaxnreg: counts are multiples of 8 from 24 to 256, and .inc and .dec go
/// the way they say.
void setRegisters(Execution &x, const Instruction &i, uint32_t mask) {
  if (!x.converge(mask, x.warp->alive()))
    return;
  uint32_t &budget = x.warp->registerBudget;
  const bool increases = i.flags;
  if (budget && (increases ? i.option < budget : i.option > budget))
    x.fault(mask, std::string("expects setmaxnreg to ") +
                      (increases ? "raise" : "lower") + " the count from " +
                      std::to_string(budget) + ", but got " +
                      std::to_string(i.option));
  budget = i.option;
}

void decodeSetmaxnreg(Decoder &d) {
  const int way = d.takeOneOf({"inc", "dec"});
  if (way < 0)
    d.fail("expects '.inc' or '.dec'");
  d.take("sync");
  d.take("aligned");
  d.take("u32");
  d.expectOperands(1, 1);
  const uint64_t count = d.immediate(0);
  if (count < 24 || count > 256 || count % 8)
    d.fail("expects a multiple of 8 from 24 to 256 registers, but got " +
           std::to_string(count));
  d.result.flags = way == 0;
  d.result.option = static_cast<uint32_t>(count);
  d.result.run = setRegisters;
}

} // namespace

void addControlInstructions(DecodeTable &table) {
  table["bra"] = [](Decoder &d) {
    d.take("uni");
    d.expectOperands(1, 1);
    if (d.operand(0).kind != TextOperand::Label)
      d.fail("expects a label to go to");
    d.result.target = d.operand(0).index;
    d.result.run = branch;
  };
  table["ret"] = table["exit"] = [](Decoder &d) {
    d.take("uni");
    d.expectOperands(0, 0);
    d.result.run = end;
  };
  table["trap"] = [](Decoder &d) { d.result.run = trap; };
  table["nanosleep"] = [](Decoder &d) {
    d.takeType();
    d.result.run = sleep;
  };
  table["griddepcontrol"] = [](Decoder &d) {
    const int what = d.takeOneOf({"wait", "launch_dependents"});
    if (what < 0)
      d.fail("expects '.wait' or '.launch_dependents'");
    d.result.run = what == 0 ? waitForGrid : nothing;
  };
  table["setmaxnreg"] = decodeSetmaxnreg;
  // A cache policy is a number that means nothing here.
  table["createpolicy"] = [](Decoder &d) {
    d.takeOneOf({"fractional", "range"});
    d.takeMemoryHints();
    d.take("b64");
    d.result.to = d.destination(0);
    d.result.run = [](Execution &x, const Instruction &i, uint32_t mask) {
      setLanes(x, i.to, mask, [](unsigned) { return uint64_t(0); });
    };
  };
  for (const char *name : {"pmevent", "discard", "applypriority"})
    table[name] = [](Decoder &d) {
      d.unsupported("hints to the hardware of this kind");
    };
}

} // namespace hk::emulator
