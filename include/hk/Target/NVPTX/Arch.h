// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The architectures of NVIDIA GPUs that code is made for.

#ifndef HK_TARGET_NVPTX_ARCH_H
#define HK_TARGET_NVPTX_ARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace hk {

/// An architecture, as PTX names it. LLVM ends the process on code that an
/// architecture or a version of PTX cannot express, so both are chosen here and
/// nowhere else.
struct Arch {
  llvm::StringLiteral name;
  /// The version of PTX, times ten: the lowest that knows the architecture. A
  /// driver refuses PTX that is newer than itself.
  unsigned ptx;
  /// Bytes of shared memory that a CTA can have.
  unsigned maxShared;
  /// CTAs of a cluster, 1 where there are no clusters.
  unsigned maxCluster;
  /// Threads and CTAs that a multiprocessor can hold.
  unsigned threadsPerSM, ctasPerSM;

  /// Whether kernels can be started before the one in front of them has ended.
  /// It came with clusters.
  bool hasGridControl() const { return maxCluster > 1; }
};

/// The architectures, oldest first.
llvm::ArrayRef<Arch> getArchs();

/// The architecture of that name, or null.
const Arch *findArch(llvm::StringRef name);

/// "sm_80, sm_86, .. or sm_120", for messages.
std::string listArchs();

} // namespace hk

#endif // HK_TARGET_NVPTX_ARCH_H
