// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_device.h"

#include "hk/cpu_abi.h"
#include "libm_imports.h"
#include "module_check.h"
#include "perf_map.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace hk {
namespace {

class CpuKernel final : public Kernel {
public:
  CpuKernel(hk_cpu_kernel entry, std::vector<void *> imports, Workers &workers)
      : entry_(entry), imports_(std::move(imports)), workers_(workers) {}

  Status launch(const LaunchArguments &arguments) const override {
    if (arguments.workgroups == 0)
      return Status();
    const Region region = {this, &arguments, workers_.count()};
    // Waking the others would cost more than it brings.
    if (arguments.workgroups == 1 || region.workers == 1)
      call(arguments, 0, 0, arguments.workgroups);
    else
      workers_.run(&CpuKernel::share, const_cast<Region *>(&region));
    return Status();
  }

private:
  struct Region {
    const CpuKernel *kernel;
    const LaunchArguments *arguments;
    uint32_t workers;
  };

  /// The first workgroup of a worker. Shares are contiguous and the same in
  /// every launch of that size, so a worker meets its sequences again.
  static uint64_t begin(const Region &region, uint32_t worker) {
    const uint64_t count = region.arguments->workgroups;
    const uint64_t share = count / region.workers;
    const uint64_t rest = count % region.workers;
    return worker * share + std::min<uint64_t>(worker, rest);
  }

  static void share(void *state, uint32_t worker) {
    const Region &region = *static_cast<const Region *>(state);
    const uint64_t first = begin(region, worker);
    const uint64_t last = begin(region, worker + 1);
    if (first < last)
      region.kernel->call(*region.arguments, worker, first, last);
  }

  // UBSan looks for a type in front of the callee; a kernel of a module has
  // none, and may start its page.
#if defined(__clang__)
  __attribute__((no_sanitize("function")))
#endif
  void
  call(const LaunchArguments &arguments, uint32_t worker, uint64_t first,
       uint64_t last) const {
    hk_cpu_args args;
    args.buffers = arguments.buffers;
    args.packed = arguments.packed;
    args.batch = arguments.batch;
    args.scratch = arguments.scratch + worker * arguments.scratchStride;
    args.imports = imports_.data();
    entry_(&args, first, last);
  }

  hk_cpu_kernel entry_;
  std::vector<void *> imports_;
  Workers &workers_;
};

class CpuEvent final : public Event {
public:
  Status record(void *) override {
    time_ = Clock::now();
    return Status();
  }
  Status elapsed(const Event &start, float &milliseconds) override {
    const auto duration = time_ - static_cast<const CpuEvent &>(start).time_;
    milliseconds = std::chrono::duration<float, std::milli>(duration).count();
    return Status();
  }
  Status wait() override { return Status(); }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point time_;
};

Status noStreams() {
  return error(HK_UNSUPPORTED,
               "expects a CUDA device for streams and graphs, but got the CPU");
}

} // namespace

uint32_t CpuDevice::preference(const schema::Variant &variant) const {
  if (variant.target() != schema::Target::Cpu)
    return 0;
  std::optional<Isa> isa = parseIsa(view(variant.isa()));
  if (!isa || *isa > isa_)
    return 0;
  return static_cast<uint32_t>(*isa);
}

Status CpuDevice::load(const Module &module, const schema::Variant &variant,
                       uint32_t, std::string_view name,
                       std::unique_ptr<Kernel> &kernel) {
  std::vector<void *> imports;
  for (uint32_t i = 0; i < sizeOrZero(variant.imports()); ++i) {
    const std::string_view import = view(variant.imports()->Get(i));
    void *function = findLibmImport(import);
    if (!function)
      return error(HK_UNSUPPORTED, module.name(), ": kernel '", printable(name),
                   "': expects the function '", printable(import),
                   "', but got a runtime that has no such import");
    imports.push_back(function);
  }
  const uint8_t *code = nullptr;
  bool fresh = false;
  HK_TRY(module.mapCode(variant.section(), code, fresh));
  if (fresh && perfMap_)
    writePerfMap(module.metadata(), variant.section(), code);
  const auto entry = reinterpret_cast<hk_cpu_kernel>(
      const_cast<uint8_t *>(code) + variant.entry());
  kernel = std::make_unique<CpuKernel>(entry, std::move(imports), workers_);
  return Status();
}

void CpuDevice::describe(hk_device_info &info) const {
  info.kind = HK_DEVICE_CPU;
  info.name = isaName(isa_);
  info.memory = physicalMemory();
}

Status CpuDevice::checkPlacement(const DLDevice &device) const {
  if (device.device_type == kDLCPU || device.device_type == kDLCUDAHost)
    return Status();
  return invalidArgument("expects a tensor on the CPU, but got device type ",
                         static_cast<int>(device.device_type));
}

Status CpuDevice::allocate(uint64_t size, void *&address) {
  constexpr uint64_t kAlignment = 256; // as memory of a GPU has
  void *allocated = nullptr;
  if (size > SIZE_MAX - kAlignment ||
      posix_memalign(&allocated, kAlignment, std::max<uint64_t>(size, 1)) != 0)
    return error(HK_OUT_OF_MEMORY, "cannot allocate ", size, " bytes");
  address = allocated;
  return Status();
}

Status CpuDevice::free(void *address) {
  std::free(address);
  return Status();
}

Status CpuDevice::write(void *target, const void *source, uint64_t size) {
  if (size > 0)
    std::memcpy(target, source, size);
  return Status();
}

Status CpuDevice::read(void *target, const void *source, uint64_t size) {
  return write(target, source, size);
}

Status CpuDevice::fill(void *target, uint8_t value, uint64_t size, void *) {
  if (size > 0)
    std::memset(target, value, size);
  return Status();
}

Status CpuDevice::createStream(void *&) { return noStreams(); }

Status CpuDevice::destroyStream(void *) { return noStreams(); }

Status CpuDevice::synchronize(void *) { return Status(); }

Status CpuDevice::createEvent(std::unique_ptr<Event> &event) {
  event = std::make_unique<CpuEvent>();
  return Status();
}

Status CpuDevice::beginCapture(void *) { return noStreams(); }

Status CpuDevice::endCapture(void *, bool, std::unique_ptr<CapturedGraph> &) {
  return noStreams();
}

} // namespace hk
