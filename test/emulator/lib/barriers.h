// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that other files' instructions share.
#ifndef HK_EMULATOR_BARRIERS_H
#define HK_EMULATOR_BARRIERS_H

#include "decoder.h"

namespace hk::emulator {

void decodeClusterBarrier(Decoder &d); // barrier.cluster
void decodeSyncwarp(Decoder &d);       // bar.warp.sync

/// Lets barrier.cluster's phase end if all threads that have not exited are
/// there.
void completeClusterBarrier(Cluster &cluster);

/// The mbarrier at a shared address. Faults where none was initialised.
Mbarrier &mbarrierAt(Execution &x, uint64_t address, unsigned lane);
/// `count` arrivals; completes the phase where it can.
void arriveAt(Execution &x, Mbarrier &barrier, uint32_t count, unsigned lane);
/// Bytes of asynchronous copies that arrive. Needs no running thread.
void completeBytes(Cluster &cluster, Mbarrier &barrier, int64_t bytes);
/// Lets the phase end if nothing is missing, and wakes who waits.
void completePhase(Cluster &cluster, Mbarrier &barrier);

} // namespace hk::emulator

#endif // HK_EMULATOR_BARRIERS_H
