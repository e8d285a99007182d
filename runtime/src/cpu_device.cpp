// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_device.h"

#include "hk/cpu_abi.h"
#include "libm_imports.h"
#include "module_check.h"
#include "perf_map.h"

#include <algorithm>
#include <vector>

namespace hk {
namespace {

class CpuKernel final : public Kernel {
public:
  CpuKernel(hk_cpu_kernel entry, std::vector<void *> imports, Workers &workers)
      : entry_(entry), imports_(std::move(imports)), workers_(workers) {}

  void launch(const LaunchArguments &arguments) const override {
    if (arguments.workgroups == 0)
      return;
    const Region region = {this, &arguments, workers_.count()};
    // Waking the others would cost more than it brings.
    if (arguments.workgroups == 1 || region.workers == 1)
      return call(arguments, 0, 0, arguments.workgroups);
    workers_.run(&CpuKernel::share, const_cast<Region *>(&region));
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
  void call(const LaunchArguments &arguments, uint32_t worker, uint64_t first,
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
                       std::string_view name, std::unique_ptr<Kernel> &kernel) {
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

} // namespace hk
