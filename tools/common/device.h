// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as the tools use it: memory, a stream, and events.
#ifndef HK_TOOLS_COMMON_DEVICE_H
#define HK_TOOLS_COMMON_DEVICE_H

#include "hk/device.h"

#include <cstdint>
#include <memory>
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
  /// Waits for what is in the stream.
  void synchronize();

private:
  struct Empty {};
  DeviceWork(hk_context *context, Empty);

  hk_context *context;
  std::vector<void *> memory;
  void *queue = nullptr;
  hk_event *begin = nullptr, *end = nullptr;
};

/// Pairs of events around calls that are not waited for one by one.
class EventPairs {
public:
  EventPairs(hk_context *context, size_t count);

  /// Put the events of pair `index` into a stream.
  void begin(size_t index, void *stream);
  void end(size_t index, void *stream);
  /// From one to the other, on the device; waits for the second.
  double seconds(size_t index) const;

private:
  struct Destroy {
    void operator()(hk_event *event) const { hk_event_destroy(event); }
  };
  using Event = std::unique_ptr<hk_event, Destroy>;
  std::vector<Event> begins, ends;
};

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_DEVICE_H
