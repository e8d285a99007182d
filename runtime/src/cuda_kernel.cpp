// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_kernel.h"

#include "cuda_device.h"
#include "module_check.h"

namespace hk {
namespace {

using namespace cuda;

/// Dynamic shared memory that needs no permission.
constexpr uint32_t kDefaultShared = 48 * 1024;
/// The largest cluster that every device with clusters runs.
constexpr uint32_t kPortableCluster = 8;
/// Clusters and programmatic launches came with it.
constexpr uint32_t kHopper = 90;

class CudaKernel final : public Kernel {
public:
  CudaKernel(const CudaDevice &device, std::string_view name,
             const schema::Variant &variant, std::shared_ptr<CudaModule> code,
             CUfunction function)
      : device_(device), name_(printable(name)), threads_(variant.threads()),
        cluster_(variant.cluster()), shared_(variant.shared()),
        code_(std::move(code)), function_(function) {}

  Status launch(const LaunchArguments &arguments) const override {
    if (arguments.workgroups == 0)
      return Status();
    if (arguments.workgroups % cluster_ != 0)
      return malformed("kernel '", name_,
                       "': expects a grid of whole clusters "
                       "of ",
                       cluster_, " CTAs, but got ", arguments.workgroups,
                       " CTAs for a batch of ", arguments.batch);
    // Addresses of the parameters' values, which stay where they are.
    void *parameters[kMaxKernelParameters];
    void **next = parameters;
    for (uint32_t i = 0; i < arguments.numBuffers; ++i)
      *next++ = const_cast<void **>(arguments.buffers + i);
    for (uint32_t i = 0; i < arguments.numPacked; ++i)
      *next++ = const_cast<const void **>(arguments.packed + i);
    int64_t batch = arguments.batch;
    *next = &batch;

    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = {};
    config.gridDimX = static_cast<unsigned>(arguments.workgroups);
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = threads_;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shared_;
    config.hStream = static_cast<CUstream>(arguments.stream);
    config.attrs = attributes;
    if (cluster_ > 1) {
      CUlaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute = {};
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim = {cluster_, 1, 1};
    }
    if (arguments.programmatic && device_.sm() >= kHopper) {
      CUlaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute = {};
      attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      attribute.value.programmaticStreamSerializationAllowed = 1;
    }
    const CUresult result = device_.library().functions().cuLaunchKernelEx(
        &config, function_, parameters, nullptr);
    if (result == CUDA_SUCCESS)
      return Status();
    return device_.library().fail(
        result, "kernel '", name_, "': cannot launch ", arguments.workgroups,
        " CTAs of ", threads_, " threads for a batch of ", arguments.batch,
        " (clusters of ", cluster_, ", ", shared_,
        " bytes of dynamic shared memory)");
  }

private:
  const CudaDevice &device_;
  std::string name_;
  uint32_t threads_, cluster_, shared_;
  std::shared_ptr<CudaModule> code_;
  CUfunction function_;
};

/// What the compiled kernel asks of the device, against what there is.
Status prepare(const CudaDevice &device, const schema::Variant &variant,
               CUfunction function) {
  const CudaLibrary &library = device.library();
  const DriverFunctions &driver = library.functions();
  int threads = 0, fixed = 0;
  HK_TRY(library.check(
      driver.cuFuncGetAttribute(
          &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
      "cannot read the kernel's attributes"));
  if (variant.threads() > static_cast<uint32_t>(threads))
    return error(HK_UNSUPPORTED, "expects CTAs of ", variant.threads(),
                 " threads, but got registers for ", threads);
  HK_TRY(
      library.check(driver.cuFuncGetAttribute(
                        &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
                    "cannot read the kernel's attributes"));
  const uint64_t shared = uint64_t(variant.shared()) + fixed;
  if (shared > device.maxShared())
    return error(HK_UNSUPPORTED, "expects ", shared,
                 " bytes of shared memory a CTA, but got a device with ",
                 device.maxShared());
  if (shared > kDefaultShared)
    HK_TRY(library.check(
        driver.cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            static_cast<int>(variant.shared())),
        "cannot raise the kernel's limit of dynamic shared memory"));
  if (variant.cluster() > kPortableCluster)
    HK_TRY(library.check(
        driver.cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "cannot allow the kernel clusters of more than 8 CTAs"));
  return Status();
}

} // namespace

Status makeCudaKernel(const CudaDevice &device, std::string_view name,
                      const schema::Variant &variant,
                      std::shared_ptr<CudaModule> code,
                      std::unique_ptr<Kernel> &kernel) {
  const std::string symbol(view(variant.kernel()));
  CUfunction function = nullptr;
  const CUresult result = device.library().functions().cuModuleGetFunction(
      &function, code->handle(), symbol.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return malformed("expects the entry '", printable(symbol),
                     "' in its code, but got none of that name");
  if (result != CUDA_SUCCESS)
    return device.library().fail(result, "cannot load the entry '",
                                 printable(symbol), "'");
  HK_TRY(prepare(device, variant, function));
  kernel = std::make_unique<CudaKernel>(device, name, variant, std::move(code),
                                        function);
  return Status();
}

} // namespace hk
