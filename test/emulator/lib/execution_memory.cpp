// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses to bytes, with all checks; messages of faults.
#include "execution.h"

#include <sstream>

namespace hk::emulator {
namespace {

// A wgmma's list of accumulators would hide the rest of a message.
std::string shortened(const std::string &text) {
  constexpr size_t kLimit = 120;
  return text.size() <= kLimit ? text : text.substr(0, kLimit) + "...";
}

std::string hex(uint64_t value) {
  std::ostringstream stream;
  stream << "0x" << std::hex << value;
  return stream.str();
}

} // namespace

std::string describeThread(const Warp &warp, unsigned lane,
                           const LaunchConfig &config) {
  const uint32_t thread = warp.index * kWarpSize + lane;
  const auto &id = warp.cta->id;
  std::ostringstream stream;
  stream << "CTA (" << id[0] << ", " << id[1] << ", " << id[2] << ") thread "
         << thread;
  if (config.block[1] > 1 || config.block[2] > 1)
    stream << " (" << thread % config.block[0] << ", "
           << thread / config.block[0] % config.block[1] << ", "
           << thread / config.block[0] / config.block[1] << ")";
  return stream.str();
}

void Execution::fault(uint32_t mask, const std::string &message) const {
  throw Fault("line " + std::to_string(instruction->text->line) + ": '" +
              shortened(instruction->text->text) +
              "': " + describeThread(*warp, firstLane(mask), launch.config) +
              ": " + message);
}

void Execution::invalidRegister(uint32_t reg, uint32_t mask) {
  const auto &names = launch.program->text->registers;
  const std::string name = reg < names.size() ? names[reg].name : "special";
  if (warp->inFlight[reg])
    inFlightRegister(reg, mask);
  fault(mask & ~warp->valid[reg], "expects a written register, but got '" +
                                      name + "', which nothing wrote");
}

void Execution::inFlightRegister(uint32_t reg, uint32_t mask) {
  fault(mask, "expects wgmma.wait_group before its accumulators are used, but "
              "got '" +
                  launch.program->text->registers[reg].name +
                  "', which is in flight");
}

Place Execution::shared(uint64_t address, uint32_t size, uint32_t alignment,
                        unsigned lane, const char *what) {
  uint64_t offset = address;
  if (offset >= kSharedWindow && offset - kSharedWindow < (uint64_t(1) << 32))
    offset -= kSharedWindow;
  Cta *cta = warp->cta;
  if (const uint64_t rank = offset >> kRankShift) {
    if (rank > cluster.ctas.size())
      fault(1u << lane, std::string("expects ") + what +
                            " in shared memory of the cluster, but got "
                            "address " +
                            hex(address));
    cta = cluster.ctas[rank - 1].get();
    offset &= (uint64_t(1) << kRankShift) - 1;
  }
  if (alignment > 1 && offset % alignment)
    fault(1u << lane, std::string("expects ") + what + " aligned to " +
                          std::to_string(alignment) +
                          " bytes, but got shared address " + hex(offset));
  if (size > cta->shared.size() || offset > cta->shared.size() - size)
    fault(1u << lane, std::string("expects ") + what + " inside the " +
                          std::to_string(cta->shared.size()) +
                          " bytes of shared memory, but got " +
                          std::to_string(size) + " bytes at " + hex(offset));
  return {&cta->shared, offset, cta};
}

Place Execution::place(Space space, uint64_t address, uint32_t size,
                       uint32_t alignment, unsigned lane) {
  if (space == Space::Generic) {
    if (address >= kLocalWindow)
      space = Space::Local;
    else if (address >= kSharedWindow)
      space = Space::Shared;
    else
      space = Space::Global;
  }
  if (space == Space::Shared || space == Space::SharedCluster) {
    if (space == Space::Shared && address < kSharedWindow &&
        address >> kRankShift)
      fault(1u << lane, "expects an address in the CTA's own shared memory, "
                        "but got " +
                            hex(address));
    return shared(address, size, alignment, lane, "an access");
  }
  if (address % alignment)
    fault(1u << lane, "expects an address aligned to " +
                          std::to_string(alignment) + " bytes, but got " +
                          hex(address));
  if (space == Space::Local) {
    const uint64_t offset =
        address >= kLocalWindow ? address - kLocalWindow : address;
    std::unique_ptr<Bytes> &local = warp->local[lane];
    if (!local)
      local = std::make_unique<Bytes>(launch.program->localBytes);
    if (size > local->size() || offset > local->size() - size)
      fault(1u << lane, "expects an access inside the thread's local memory, "
                        "but got " +
                            hex(offset));
    return {local.get(), offset, nullptr};
  }
  Allocation *allocation = lastGlobal;
  if (!allocation || address < allocation->base ||
      address - allocation->base >= allocation->bytes.size()) {
    allocation = launch.memory->find(address);
    if (!allocation)
      fault(1u << lane, "expects an address in global memory, but got " +
                            hex(address) + ", which is in no allocation");
    lastGlobal = allocation;
  }
  const uint64_t offset = address - allocation->base;
  if (size > allocation->bytes.size() ||
      offset > allocation->bytes.size() - size)
    fault(1u << lane, "expects an access inside " + allocation->name + " of " +
                          std::to_string(allocation->bytes.size()) +
                          " bytes, but got " + std::to_string(size) +
                          " bytes at offset " + std::to_string(offset));
  if (early(1u << lane) && allocation->bytes.isRecent(offset, size))
    fault(1u << lane, "expects griddepcontrol.wait before an access to what a "
                      "kernel in front writes, but got none before one to "
                      "byte " +
                          std::to_string(offset) + " of " + allocation->name);
  return {&allocation->bytes, offset, nullptr, true};
}

void Execution::expectValid(const Place &from, uint32_t size, unsigned lane) {
  const size_t bad = from.bytes->firstNotValid(from.offset, size);
  if (bad == size)
    return;
  const std::string byte =
      (from.cta ? "shared byte " : "byte ") + std::to_string(from.offset + bad);
  switch (from.bytes->at(from.offset + bad)) {
  case Shadow::Pending:
    fault(1u << lane, "expects a wait for an asynchronous copy before its "
                      "destination is read, but " +
                          byte + " is in flight");
  case Shadow::Barrier:
    fault(1u << lane, "expects mbarrier instructions on an mbarrier, but got a "
                      "read of " +
                          byte);
  default:
    fault(1u << lane, "expects initialised memory, but nothing wrote " + byte);
  }
}

void Execution::expectWritable(const Place &to, uint32_t size, unsigned lane) {
  for (size_t i = 0; i < size; ++i) {
    const Shadow shadow = to.bytes->at(to.offset + i);
    if (shadow == Shadow::Pending)
      fault(1u << lane, "expects a wait for an asynchronous copy before its "
                        "destination is written, but shared byte " +
                            std::to_string(to.offset + i) + " is in flight");
    if (shadow == Shadow::Barrier)
      fault(1u << lane, "expects mbarrier.inval before an mbarrier's memory is "
                        "used again, but got a write of shared byte " +
                            std::to_string(to.offset + i));
  }
}

void Execution::load(const Place &from, uint32_t size, void *to, unsigned lane,
                     bool ordered) {
  expectValid(from, size, lane);
  if (ordered)
    noteRead(from, size, lane);
  std::memcpy(to, from.data(), size);
}

void Execution::store(const Place &to, uint32_t size, const void *from,
                      unsigned lane, bool ordered) {
  if (to.cta) {
    expectWritable(to, size, lane);
    if (ordered)
      noteWrite(to, size, lane);
  }
  if (to.isGlobal)
    noteGlobalWrite(to, size, lane);
  std::memcpy(to.data(), from, size);
  to.bytes->mark(to.offset, size, Shadow::Valid);
}

void Execution::noteGlobalWrite(const Place &to, uint32_t size, unsigned lane) {
  if (early(1u << lane))
    fault(1u << lane, "expects griddepcontrol.wait before a write, which a "
                      "kernel in front may come to read, but got none");
  to.bytes->markRecent(to.offset, size);
}

void Execution::noteRead(const Place &from, uint32_t size, unsigned lane) {
  if (!races() || !from.cta)
    return;
  const std::string wrong =
      from.cta->races->read(static_cast<uint32_t>(from.offset), size,
                            warp->slot, warp->clocks, instruction->text->line);
  if (!wrong.empty())
    fault(1u << lane, wrong);
}

void Execution::noteWrite(const Place &to, uint32_t size, unsigned lane) {
  if (!races() || !to.cta)
    return;
  const std::string wrong =
      to.cta->races->write(static_cast<uint32_t>(to.offset), size, warp->slot,
                           warp->clocks, instruction->text->line);
  if (!wrong.empty())
    fault(1u << lane, wrong);
}

void Execution::release(Clocks &to) {
  if (!races())
    return;
  if (to.seen.empty())
    to.reset(warp->clocks.seen.size());
  to.join(warp->clocks);
  ++warp->clocks.seen[warp->slot];
}

void Execution::acquire(const Clocks &from) {
  if (races() && !from.seen.empty())
    warp->clocks.join(from);
}

} // namespace hk::emulator
