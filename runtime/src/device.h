// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session asks of a device: which variants it runs, and how well;
// memory; and kernels to launch.
#ifndef HK_RUNTIME_DEVICE_H
#define HK_RUNTIME_DEVICE_H

#include "module.h"
#include "status.h"

#include "hk/dlpack_abi.h"

#include <cstdint>
#include <memory>
#include <string>

namespace hk {

/// One launch. Pointers are to the device's memory, but for the arrays of
/// them, which are the host's.
struct LaunchArguments {
  void *const *buffers = nullptr;
  const void *const *packed = nullptr;
  uint32_t numBuffers = 0;
  uint32_t numPacked = 0;
  int64_t batch = 0;
  uint64_t workgroups = 0;
  uint8_t *scratch = nullptr; // of worker 0, 64-byte aligned
  uint64_t scratchStride = 0; // between workers
  void *stream = nullptr;
  bool programmatic = false;
};

/// A variant, loaded. Launches are thread-safe, and allocate nothing unless
/// they fail. Messages name the kernel.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual Status launch(const LaunchArguments &arguments) const = 0;
};

/// Launches that were captured, to be replayed. The device need not be entered.
class CapturedGraph {
public:
  virtual ~CapturedGraph() = default;
  virtual Status launch(void *stream) const = 0;
};

/// A point in a stream.
class Event {
public:
  virtual ~Event() = default;
  virtual Status record(void *stream) = 0;
  /// Milliseconds from `start` to here; waits until this one has passed. Both
  /// are recorded, and of one device.
  virtual Status elapsed(const Event &start, float &milliseconds) = 0;
  /// Waits until it has passed.
  virtual Status wait() = 0;
};

/// A device. Thread-safe. All but the queries want the device entered.
class Device {
public:
  virtual ~Device() = default;

  /// 0 where the variant does not run here; the highest is the best.
  virtual uint32_t preference(const schema::Variant &variant) const = 0;
  /// What the device runs, for messages: "x86-64-v3".
  virtual std::string capability() const = 0;
  /// Shares of scratch that a launch needs.
  virtual uint32_t workers() const = 0;
  virtual uint64_t maxWorkgroups() const { return UINT64_MAX; }
  /// Whether kernels run in the host's memory.
  virtual bool inHostMemory() const = 0;
  virtual void describe(hk_device_info &info) const = 0;

  /// Whether kernels may use a tensor that is there; messages of tensor_check.
  virtual Status checkPlacement(const DLDevice &device) const = 0;
  /// Where tensors of the device usually are.
  virtual DLDevice placement() const = 0;
  /// What kernels expect of the addresses of inputs and outputs, beyond the
  /// alignment of elements.
  virtual uint64_t tensorAlignment() const { return 1; }

  /// Makes the device the calling thread's own, until left if `entered`.
  virtual Status enter(bool &entered) const {
    entered = false;
    return Status();
  }
  virtual void leave() const {}

  /// How many ways there are to run a variant, of which the measurement finds
  /// the best.
  virtual uint32_t algorithms(const schema::Variant &) const { return 1; }
  /// Scratch that a launch needs beside the variant's own a worker.
  virtual uint64_t scratch(const schema::Variant &) const { return 0; }

  /// Loads a variant with a preference above 0, to be run in that way. The
  /// kernel refers to the module and to the device.
  virtual Status load(const Module &module, const schema::Variant &variant,
                      uint32_t algorithm, std::string_view name,
                      std::unique_ptr<Kernel> &kernel) = 0;

  // Memory. Copies return when the bytes have arrived.
  virtual Status allocate(uint64_t size, void *&address) = 0;
  virtual Status free(void *address) = 0;
  virtual Status write(void *target, const void *source, uint64_t size) = 0;
  virtual Status read(void *target, const void *source, uint64_t size) = 0;
  /// Sets bytes, in the order of the stream.
  virtual Status fill(void *target, uint8_t value, uint64_t size,
                      void *stream) = 0;
  /// The host's memory to which copies are fast, and go on while it works.
  virtual Status allocateStaging(uint64_t size, void *&address) = 0;
  virtual Status freeStaging(void *address) = 0;
  /// Copies to staging memory, in the order of the stream, and returns at once.
  virtual Status startRead(void *target, const void *source, uint64_t size,
                           void *stream) = 0;

  // Streams; nullptr is the one that there always is.
  virtual Status createStream(void *&stream) = 0;
  virtual Status destroyStream(void *stream) = 0;
  virtual Status synchronize(void *stream) = 0;
  virtual Status synchronizeAll() = 0;
  virtual Status createEvent(std::unique_ptr<Event> &event) = 0;

  /// Whether what is launched on `stream` is recorded and not run, or cannot be
  /// launched for the sake of another stream that is recorded.
  virtual bool isCapturing(void *stream) const = 0;
  /// What is launched on `stream` from here on is recorded and not run.
  virtual Status beginCapture(void *stream) = 0;
  /// Ends the capture; with `keep`, as a graph that can be launched.
  virtual Status endCapture(void *stream, bool keep,
                            std::unique_ptr<CapturedGraph> &graph) = 0;
};

/// The calling thread is in the device for as long as this lives.
class DeviceScope {
public:
  explicit DeviceScope(const Device &device) : device_(device) {
    status_ = device.enter(entered_);
  }
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;
  ~DeviceScope() {
    if (entered_)
      device_.leave();
  }
  /// Of entering; asked once.
  Status status() { return std::move(status_); }
  /// Whether the thread was not in the device before.
  bool entered() const { return entered_; }

private:
  const Device &device_;
  bool entered_ = false;
  Status status_;
};

/// Memory of a device, freed at the end.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;
  ~DeviceBuffer() { reset(); }
  void reset() {
    if (!address_)
      return;
    DeviceScope scope(*device_);
    if (scope.status().ok())
      (void)device_->free(address_);
    address_ = nullptr;
  }
  Status allocate(Device &device, uint64_t size) {
    device_ = &device;
    return device.allocate(size, address_);
  }
  uint8_t *data() const { return static_cast<uint8_t *>(address_); }

private:
  Device *device_ = nullptr;
  void *address_ = nullptr;
};

} // namespace hk

#endif // HK_RUNTIME_DEVICE_H
