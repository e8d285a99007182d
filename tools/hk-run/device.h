// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as hk-run uses it: memory, a stream, and a pair of events.
#ifndef HK_TOOLS_HK_RUN_DEVICE_H
#define HK_TOOLS_HK_RUN_DEVICE_H

#include "hk/device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hk::tools {

/// What --device says.
struct DeviceChoice {
  hk_device_kind kind = HK_DEVICE_CPU;
  uint32_t ordinal = 0;
};

/// "cpu", "cuda", "cuda:N" or "auto"; a user error for other text.
DeviceChoice parseDevice(const std::string &text);

/// Memory of a context's device, freed with this, and a stream with a clock.
class DeviceWork {
public:
  explicit DeviceWork(hk_context *context);
  DeviceWork(const DeviceWork &) = delete;
  DeviceWork &operator=(const DeviceWork &) = delete;
  ~DeviceWork();

  void *allocate(size_t size);
  void write(void *target, const void *source, size_t size);
  void read(void *target, const void *source, size_t size);

  void *stream() const { return queue; }
  void start();
  /// Waits for what was put into the stream since start(), and returns its
  /// seconds on the device.
  double finish();

private:
  struct Empty {};
  DeviceWork(hk_context *context, Empty);

  hk_context *context;
  std::vector<void *> memory;
  void *queue = nullptr;
  hk_event *begin = nullptr, *end = nullptr;
};

} // namespace hk::tools

#endif // HK_TOOLS_HK_RUN_DEVICE_H
