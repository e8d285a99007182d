// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_kernel.h"

#include "cuda_device.h"
#include "module_check.h"
#include "sm.h"

#include <algorithm>

namespace hk {
namespace {

using namespace cuda;

/// Dynamic shared memory that needs no permission.
constexpr uint32_t kDefaultShared = 48 * 1024;
/// The largest cluster that every device with clusters runs.
constexpr uint32_t kPortableCluster = 8;
/// Clusters and programmatic launches came with it. Code for devices before it
/// cannot wait for the kernel in front, wherever it runs.
constexpr uint32_t kHopper = 90;
/// The version of CUDA whose graphs keep programmatic launches as such.
constexpr int kProgrammaticEdges = 12030;

class CudaKernel final : public Kernel {
public:
  CudaKernel(const CudaDevice &device, std::string_view name,
             const schema::Variant &variant, std::shared_ptr<CudaModule> code,
             CUfunction function)
      : device_(device), launch_(device.library().functions().cuLaunchKernelEx),
        name_(printable(name)), cluster_(variant.cluster()),
        mostCtas_(uint64_t(variant.persistent()) * device.multiprocessors() /
                  variant.cluster() * variant.cluster()),
        code_(std::move(code)), function_(function) {
    const std::optional<Sm> sm = parseSm(view(variant.isa()));
    canOverlap_ = sm && sm->number >= kHopper &&
                  device.library().version() >= kProgrammaticEdges;
    config_.gridDimY = config_.gridDimZ = 1;
    config_.blockDimX = variant.threads();
    config_.blockDimY = config_.blockDimZ = 1;
    config_.sharedMemBytes = variant.shared();
    // A launch takes the first, the second, or both.
    attributes_[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes_[0].value.clusterDim = {cluster_, 1, 1};
    attributes_[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes_[1].value.programmaticStreamSerializationAllowed = 1;
    config_.attrs = cluster_ > 1 ? &attributes_[0] : &attributes_[1];
    config_.numAttrs = cluster_ > 1;
  }

  Status launch(const LaunchArguments &arguments) const override {
    if (arguments.workgroups == 0)
      return Status();
    if (cluster_ > 1 && arguments.workgroups % cluster_ != 0)
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

    CUlaunchConfig config = config_;
    uint64_t ctas = arguments.workgroups;
    if (mostCtas_ > 0)
      ctas = std::min(ctas, mostCtas_);
    config.gridDimX = static_cast<unsigned>(ctas);
    config.hStream = static_cast<CUstream>(arguments.stream);
    config.numAttrs += arguments.programmatic && canOverlap_;
    const CUresult result = launch_(&config, function_, parameters, nullptr);
    if (result == CUDA_SUCCESS)
      return Status();
    return device_.library().fail(
        result, "kernel '", name_, "': cannot launch ", ctas, " CTAs of ",
        config_.blockDimX, " threads for a batch of ", arguments.batch,
        " (clusters of ", cluster_, ", ", config_.sharedMemBytes,
        " bytes of dynamic shared memory)");
  }

private:
  const CudaDevice &device_;
  decltype(DriverFunctions::cuLaunchKernelEx) launch_;
  std::string name_;
  uint32_t cluster_;
  uint64_t mostCtas_; // 0: no limit
  bool canOverlap_ = false;
  CUlaunchAttribute attributes_[2] = {};
  CUlaunchConfig config_ = {}; // but for the grid and the stream
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
