// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/NVPTX/Occupancy.h"

#include "hk/Target/NVPTX/Arch.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace hk;
using llvm::alignTo;
using llvm::divideCeil;

// All architectures have these in common. A multiprocessor deals the warps of
// its CTAs to four schedulers, and each has registers for itself; they are
// given out in eights. Of its shared memory, the system takes a KiB for each
// CTA, and one CTA can have the rest.
static constexpr unsigned kWarp = 32, kSchedulers = 4, kGranule = 8,
                          kReserved = 1024;
/// Registers of a lane of a scheduler.
static constexpr unsigned kRegistersOfLane = 65536 / kSchedulers / kWarp;

unsigned hk::getResidentCTAs(const Arch &arch, unsigned threads,
                             unsigned shared, unsigned registers) {
  unsigned warps = divideCeil(threads, kWarp);
  unsigned ofScheduler =
      kRegistersOfLane /
      unsigned(alignTo(std::max(registers, kGranule), kGranule));
  return std::min(
      {ofScheduler * kSchedulers / warps, arch.threadsPerSM / (warps * kWarp),
       (arch.maxShared + kReserved) / (shared + kReserved), arch.ctasPerSM});
}

unsigned hk::getRegisterLimit(unsigned threads, unsigned ctas) {
  unsigned warps = ctas * divideCeil(threads, kWarp);
  unsigned ofThread = kRegistersOfLane / divideCeil(warps, kSchedulers);
  return std::min(kMaxRegisters, ofThread / kGranule * kGranule);
}
