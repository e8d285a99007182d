// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session asks of a device: which variants it runs, and how well; and
// kernels to launch.
#ifndef HK_RUNTIME_DEVICE_H
#define HK_RUNTIME_DEVICE_H

#include "module.h"
#include "status.h"

#include <cstdint>
#include <memory>
#include <string>

namespace hk {

/// One launch. Pointers are to the device's memory.
struct LaunchArguments {
  void *const *buffers = nullptr;
  const void *const *packed = nullptr;
  int64_t batch = 0;
  uint64_t workgroups = 0;
  uint8_t *scratch = nullptr; // of worker 0, 64-byte aligned
  uint64_t scratchStride = 0; // between workers
};

/// A variant, loaded. Launches are thread-safe, and allocate nothing.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual void launch(const LaunchArguments &arguments) const = 0;
};

class Device {
public:
  virtual ~Device() = default;

  /// 0 where the variant does not run here; the highest is the best.
  virtual uint32_t preference(const schema::Variant &variant) const = 0;
  /// What the device runs, for messages: "x86-64-v3".
  virtual std::string capability() const = 0;
  /// Shares of scratch that a launch needs.
  virtual uint32_t workers() const = 0;
  /// Loads a variant with a preference above 0. The kernel refers to the
  /// module and to the device.
  virtual Status load(const Module &module, const schema::Variant &variant,
                      std::string_view name,
                      std::unique_ptr<Kernel> &kernel) = 0;
};

} // namespace hk

#endif // HK_RUNTIME_DEVICE_H
