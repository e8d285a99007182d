// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_CONTEXT_H
#define HK_RUNTIME_CONTEXT_H

#include "cpu_device.h"
#include "log.h"
#include "thread_pool.h"

#include <memory>

namespace hk {

/// Workers and devices. Outlives the sessions made in it.
class Context {
public:
  static Status create(const hk_context_options &options,
                       std::shared_ptr<Context> &context);

  Workers &workers() { return *workers_; }
  CpuDevice &cpu() { return *cpu_; }
  const Log &log() const { return log_; }
  /// Whether sessions measure plans unless told otherwise.
  bool tunes() const { return tunes_; }
  /// How long one choice may take before it tries no more variants.
  uint32_t tuneSeconds() const { return tuneSeconds_; }
  /// Whether kernels may start before those in front of them have ended.
  bool overlaps() const { return overlaps_; }
  /// Where sessions run: the CPU or a GPU.
  Device &device() { return gpu_ ? *gpu_ : static_cast<Device &>(*cpu_); }

private:
  Log log_;
  bool tunes_ = true;
  uint32_t tuneSeconds_ = 0;
  bool overlaps_ = true;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<CpuDevice> cpu_;
  std::unique_ptr<Device> gpu_; // or null
};

} // namespace hk

#endif // HK_RUNTIME_CONTEXT_H
