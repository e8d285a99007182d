// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_module.h"

#include "cuda_device.h"
#include "module_check.h"
#include "sm.h"

#include <vector>

namespace hk {
namespace {

using namespace cuda;

/// The log of the driver's compiler, as part of one line.
std::string oneLine(const std::vector<char> &log) {
  constexpr size_t kMaxLength = 600;
  std::string text;
  for (char c : log) {
    if (c == '\0' || text.size() >= kMaxLength)
      break;
    if (c == '\n')
      text += "; ";
    else if (c >= 0x20 && c < 0x7f)
      text += c;
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == ';'))
    text.pop_back();
  return text;
}

/// The cubin made for this very architecture, or nullptr.
const schema::Cubin *findCubin(const schema::Variant &variant, uint32_t sm) {
  for (uint32_t i = 0; i < sizeOrZero(variant.cubins()); ++i) {
    const schema::Cubin *cubin = variant.cubins()->Get(i);
    if (std::optional<Sm> made = parseSm(view(cubin->sm()));
        made && made->number == sm)
      return cubin;
  }
  return nullptr;
}

Status loadPtx(const CudaDevice &device, const Module &module,
               const schema::Variant &variant, CUmodule &handle) {
  std::string_view bytes;
  HK_TRY(module.readSection(variant.section(), bytes));
  const std::string ptx(bytes); // the driver wants a NUL at its end
  std::vector<char> log(8192);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  const CudaLibrary &library = device.library();
  const CUresult result = library.functions().cuModuleLoadDataEx(
      &handle, ptx.c_str(), 2, options, values);
  if (result == CUDA_SUCCESS)
    return Status();
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    return error(HK_UNSUPPORTED,
                 "expects PTX that the driver knows, but got PTX ",
                 ptxVersion(bytes), " and a driver for CUDA ",
                 library.versionName(), ": ", library.describe(result),
                 "; install a newer driver, or compile the module for this "
                 "one (older PTX, or a cubin for ",
                 smName(device.sm()), ")");
  const std::string text = oneLine(log);
  Status failed = library.fail(result, "cannot load PTX ", ptxVersion(bytes),
                               " for ", view(variant.isa()));
  if (result == CUDA_ERROR_INVALID_PTX)
    failed = Status(HK_MALFORMED, failed.message());
  if (text.empty())
    return failed;
  return Status(failed.code(), concat(failed.message(), ": ", text));
}

} // namespace

std::string ptxVersion(std::string_view ptx) {
  constexpr std::string_view kDirective = ".version";
  const size_t start = ptx.find(kDirective);
  if (start == std::string_view::npos)
    return "unknown";
  ptx.remove_prefix(start + kDirective.size());
  ptx.remove_prefix(std::min(ptx.find_first_not_of(" \t"), ptx.size()));
  const std::string_view version =
      ptx.substr(0, ptx.find_first_not_of("0123456789."));
  return version.empty() || version.size() > 8 ? "unknown"
                                               : std::string(version);
}

uint32_t CudaModule::section(const CudaDevice &device,
                             const schema::Variant &variant) {
  const schema::Cubin *cubin = findCubin(variant, device.sm());
  return cubin ? cubin->section() : variant.section();
}

Status CudaModule::load(const CudaDevice &device, const Module &module,
                        const schema::Variant &variant,
                        std::shared_ptr<CudaModule> &code) {
  CUmodule handle = nullptr;
  bool loaded = false;
  if (const schema::Cubin *cubin = findCubin(variant, device.sm())) {
    std::string_view bytes;
    HK_TRY(module.readSection(cubin->section(), bytes));
    // An older driver may refuse it; then there is the PTX.
    loaded = device.library().functions().cuModuleLoadDataEx(
                 &handle, bytes.data(), 0, nullptr, nullptr) == CUDA_SUCCESS;
  }
  if (!loaded)
    HK_TRY(loadPtx(device, module, variant, handle));
  code.reset(new CudaModule(device, handle));
  return Status();
}

CudaModule::~CudaModule() {
  DeviceScope scope(device_);
  if (scope.status().ok())
    (void)device_.library().functions().cuModuleUnload(handle_);
}

} // namespace hk
