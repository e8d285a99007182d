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
  Status load(const Module &module, const schema::Variant &variant,
              std::string_view name, std::unique_ptr<Kernel> &kernel) override;

private:
  Isa isa_;
  Workers &workers_;
  bool perfMap_;
};

} // namespace hk

#endif // HK_RUNTIME_CPU_DEVICE_H
