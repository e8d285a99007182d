// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time that a kernel takes on a GPU, predicted from what it asks of each
// of the GPU's resources. See docs/cost-model.md.

#ifndef HK_ANALYSIS_COSTMODEL_H
#define HK_ANALYSIS_COSTMODEL_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace hk {

struct Device;

/// What a kernel asks of a GPU: sums over all CTAs, unless it says otherwise.
/// What is computed for nothing (padding, masked blocks) counts.
struct KernelWork {
  /// Floating-point operations of the matrix units; of tf32x3, three products.
  double f16Flops = 0, tf32Flops = 0;
  /// Of f16, by warpgroups (wgmma).
  double warpgroupFlops = 0;
  /// Results of special functions.
  double mufu = 0;
  /// Instructions of a thread, those for matrix units and special functions
  /// included.
  double instructions = 0;
  /// Bytes that cross the port of shared memory, in either direction.
  double sharedBytes = 0;
  /// Bytes between the second-level cache and the SMs, in either direction.
  double l2Bytes = 0;
  /// Bytes between memory and the second-level cache: those touched first.
  double memoryBytes = 0;

  int64_t ctas = 1;
  /// Of a CTA: the warps that compute, and all threads.
  int64_t units = 1, threads = 32;
  /// Of a thread that computes; of all, if `ctasOfSM` is 0.
  int64_t registers = 32;
  /// The CTAs that the registers of an SM are cut out for; 0: as many as fit.
  int64_t ctasOfSM = 0;
  /// Bytes of a CTA.
  int64_t shared = 0;
  /// The work of the largest CTA over that of the mean one.
  double imbalance = 1;

  /// The dependent steps of one CTA that nothing in the same warp hides:
  /// products whose sums the next step reads, reductions of rows;
  double stages = 0;
  /// trips to memory before and after all else;
  double loads = 0;
  /// Bytes that are moved then, while the CTA computes nothing: those of all
  /// CTAs together;
  double exposedBytes = 0;
  /// trips to memory behind which a ring is empty. They run beside the stages.
  double trips = 0;
};

/// A resource that can bound a kernel.
enum class Bound {
  Tensor,
  Shared,
  Issue,
  Mufu,
  L2,
  Memory,
  /// The dependent steps of a warp.
  Latency,
  Launch
};

/// "tensor cores", "the shared-memory port", ..
llvm::StringRef describe(Bound bound);

/// Microseconds. Those of a resource are what it alone would take, on the SM
/// with the most CTAs.
struct KernelCost {
  double tensor = 0, shared = 0, issue = 0, mufu = 0, l2 = 0, memory = 0;
  /// One warp's steps, one after another, for each time that an SM is filled;
  /// and the start of each CTA.
  double latency = 0;
  /// The kernel's share of the launch of a graph.
  double launch = 0;
  /// Of all together.
  double total = 0;

  /// CTAs that an SM holds at once; 0 if it cannot hold one.
  int64_t resident = 0;
  /// How often the GPU is filled with CTAs, the last time counting in part.
  double waves = 0;
  /// The greatest of the times above.
  Bound bound = Bound::Launch;

  bool fits() const { return resident > 0; }
};

/// Predicts the time of one kernel among others of a graph. If an SM cannot
/// hold a CTA, all times are 0.
///
/// Resources that all warps share are used at once, and contend: their times
/// are added up in the 4-norm, that is a little more than the greatest. A warp
/// by itself does one thing after another: the sum of what its share of each
/// takes, and latencies. Time is the 3-norm of both, and the launch.
KernelCost predictCost(const KernelWork &work, const Device &device);

/// "12.3 us (tensor cores 8.1, latency 6.2, launch 1.3; 2.10 waves of 2 CTAs an
/// SM)", of the resources that matter.
std::string describe(const KernelCost &cost);

} // namespace hk

#endif // HK_ANALYSIS_COSTMODEL_H
