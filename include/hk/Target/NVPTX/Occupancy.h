// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many CTAs share a multiprocessor, and how many registers that leaves
// each.

#ifndef HK_TARGET_NVPTX_OCCUPANCY_H
#define HK_TARGET_NVPTX_OCCUPANCY_H

namespace hk {

struct Arch;

/// The most registers that a thread can have.
inline constexpr unsigned kMaxRegisters = 255;

/// The CTAs of `threads` threads with `registers` each and `shared` bytes that
/// a multiprocessor holds at once; 0 where it cannot hold one.
unsigned getResidentCTAs(const Arch &arch, unsigned threads, unsigned shared,
                         unsigned registers);

/// The registers that a thread can have where `ctas` CTAs of `threads` threads
/// share a multiprocessor: what ptxas makes of `.minnctapersm`. 0 where they do
/// not fit.
unsigned getRegisterLimit(unsigned threads, unsigned ctas);

} // namespace hk

#endif // HK_TARGET_NVPTX_OCCUPANCY_H
