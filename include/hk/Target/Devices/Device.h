// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a GPU before anything runs on it: the figures that schedules
// are chosen by. They are data (lib/Target/Devices/*.json), so that a device is
// added by writing them down.

#ifndef HK_TARGET_DEVICES_DEVICE_H
#define HK_TARGET_DEVICES_DEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace hk {

/// Floating-point operations of a multiprocessor in a clock (a product and a
/// sum count two), dense, with f32 accumulators; 0 where there is no such
/// instruction.
struct TensorRate {
  double f16 = 0;
  double tf32 = 0;
};

/// A GPU. "SM" is a streaming multiprocessor; rates "in a clock" are of one SM.
struct Device {
  std::string name;
  /// What it is, for people.
  std::string description;
  /// Where the figures come from.
  std::string source;
  /// The architecture that its code is made for, such as "sm_90a".
  std::string arch;

  int64_t sms = 0;
  /// Hz, under load.
  double clock = 0;
  /// 32-bit registers of an SM.
  int64_t registers = 0;
  int64_t threadsPerSM = 0;
  int64_t ctasPerSM = 0;
  /// Bytes of shared memory.
  int64_t sharedPerSM = 0, sharedPerCTA = 0;
  /// CTAs of a cluster, 1 where clusters gain nothing.
  int64_t maxCluster = 1;
  /// Bytes, and bytes a second to all SMs together.
  int64_t l2Size = 0;
  double l2Bandwidth = 0;
  /// Bytes a second that a copy reaches, reads and writes added up.
  double memoryBandwidth = 0;

  TensorRate mmaSync, wgmma;
  /// Special functions (2^x, tanh, ..), instructions of a thread that are
  /// issued, f32 fused multiply-adds, and bytes of shared memory, in a clock.
  double mufu = 0, issue = 0, fma = 0, sharedBytes = 0;

  /// Seconds from the launch of a graph to its end, of one kernel that does
  /// nothing; and what each further kernel adds.
  double launch = 0, nextLaunch = 0;
};

/// The devices that hk knows, oldest first.
llvm::ArrayRef<Device> getDevices();

/// The device of that name, or null. Also finds one that was loaded.
const Device *findDevice(llvm::StringRef name);

/// The device that schedules are made for where only an architecture is
/// named, or null where hk knows none.
const Device *getDefaultDevice(llvm::StringRef arch);

/// Reads a description. Every figure has to be there, and no other, and be
/// greater than zero; but the rate of an instruction that there is not is 0.
llvm::Expected<Device> parseDevice(llvm::StringRef json);

/// Reads a description from a file and keeps it, so that `findDevice` finds it
/// by its name, which no device of ours may have. Not for several threads.
llvm::Expected<const Device *> loadDevice(llvm::StringRef path);

/// "a100, rtx3090, ..", for messages.
std::string listDevices();

} // namespace hk

#endif // HK_TARGET_DEVICES_DEVICE_H
