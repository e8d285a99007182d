// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_CPU_DEVICE_H
#define HK_RUNTIME_CPU_DEVICE_H

#include "device.h"
#include "isa.h"
#include "thread_pool.h"

namespace hk {

/// The host: kernels are machine code that the workers run in place.
class CpuDevice final : public Device {
public:
  /// `perfMap`: whether to list code that is loaded in /tmp/perf-PID.map.
  CpuDevice(Isa isa, Workers &workers, bool perfMap)
      : isa_(isa), workers_(workers), perfMap_(perfMap) {}

  Isa isa() const { return isa_; }

  uint32_t preference(const schema::Variant &variant) const override;
  std::string capability() const override { return isaName(isa_); }
  uint32_t workers() const override { return workers_.count(); }
  bool inHostMemory() const override { return true; }
  void describe(hk_device_info &info) const override;
  Status checkPlacement(const DLDevice &device) const override;
  DLDevice placement() const override { return {kDLCPU, 0}; }
  Status load(const Module &module, const schema::Variant &variant,
              uint32_t algorithm, std::string_view name,
              std::unique_ptr<Kernel> &kernel) override;

  Status allocate(uint64_t size, void *&address) override;
  Status free(void *address) override;
  Status write(void *target, const void *source, uint64_t size) override;
  Status read(void *target, const void *source, uint64_t size) override;
  Status fill(void *target, uint8_t value, uint64_t size,
              void *stream) override;
  Status allocateStaging(uint64_t size, void *&address) override {
    return allocate(size, address);
  }
  Status freeStaging(void *address) override { return free(address); }
  Status startRead(void *target, const void *source, uint64_t size,
                   void *) override {
    return read(target, source, size);
  }
  // All that is asked for has been done when a call returns: there is but one
  // stream.
  Status createStream(void *&stream) override;
  Status destroyStream(void *stream) override;
  Status synchronize(void *stream) override;
  Status synchronizeAll() override { return Status(); }
  Status createEvent(std::unique_ptr<Event> &event) override;
  bool isCapturing(void *) const override { return false; }
  Status beginCapture(void *stream) override;
  Status endCapture(void *stream, bool keep,
                    std::unique_ptr<CapturedGraph> &graph) override;

private:
  Isa isa_;
  Workers &workers_;
  bool perfMap_;
};

} // namespace hk

#endif // HK_RUNTIME_CPU_DEVICE_H
