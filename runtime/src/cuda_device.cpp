// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_device.h"

#include "cuda_kernel.h"
#include "cuda_stream.h"
#include "gemm_kernel.h"
#include "module_check.h"
#include "sm.h"

#include <algorithm>
#include <cstring>

namespace hk {

using namespace cuda;

Status CudaDevice::create(const std::string &driver,
                          const std::string &cublasLt, uint32_t ordinal,
                          std::unique_ptr<Device> &device) {
  std::unique_ptr<CudaDevice> created(new CudaDevice);
  created->cublasLtPath_ = cublasLt;
  HK_TRY(created->open(driver, ordinal));
  device = std::move(created);
  return Status();
}

Status CudaDevice::open(const std::string &driver, uint32_t ordinal) {
  HK_TRY(CudaLibrary::open(driver, library_));
  const DriverFunctions &f = library_->functions();
  int count = 0;
  HK_TRY(library_->check(f.cuDeviceGetCount(&count), "cannot count GPUs"));
  if (ordinal >= static_cast<uint32_t>(count))
    return error(HK_UNSUPPORTED, "expects a GPU ", ordinal, ", but got ", count,
                 count == 1 ? " GPU" : " GPUs", " in this machine");
  ordinal_ = ordinal;
  HK_TRY(library_->check(f.cuDeviceGet(&handle_, static_cast<int>(ordinal)),
                         "cannot open the GPU"));
  char name[256] = "";
  HK_TRY(library_->check(f.cuDeviceGetName(name, sizeof(name) - 1, handle_),
                         "cannot read the GPU's name"));
  name_ = name;
  auto attribute = [&](CUdevice_attribute which, uint32_t &value) {
    int got = 0;
    HK_TRY(library_->check(f.cuDeviceGetAttribute(&got, which, handle_),
                           "cannot read an attribute of the GPU"));
    value = static_cast<uint32_t>(std::max(got, 0));
    return Status();
  };
  uint32_t major = 0, minor = 0;
  HK_TRY(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major));
  HK_TRY(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor));
  HK_TRY(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, multiprocessors_));
  HK_TRY(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                   maxShared_));
  sm_ = 10 * major + minor;
  size_t memory = 0;
  HK_TRY(library_->check(f.cuDeviceTotalMem_v2(&memory, handle_),
                         "cannot read the size of the GPU's memory"));
  memory_ = memory;
  return library_->check(f.cuDevicePrimaryCtxRetain(&context_, handle_),
                         "cannot open the GPU's primary context");
}

CudaDevice::~CudaDevice() {
  if (cublasLt_) {
    DeviceScope scope(*this);
    cublasLt_.reset();
  }
  if (context_)
    (void)library_->functions().cuDevicePrimaryCtxRelease_v2(handle_);
}

const std::shared_ptr<const CublasLt> &CudaDevice::cublasLt() const {
  std::call_once(cublasLtOnce_, [this] {
    DeviceScope scope(*this);
    // Without it there are other variants.
    if (scope.status().ok())
      (void)CublasLt::open(cublasLtPath_, cublasLt_);
  });
  return cublasLt_;
}

uint32_t CudaDevice::algorithms(const schema::Variant &variant) const {
  return variant.target() == schema::Target::CublasLt ? kGemmAlgorithms : 1;
}

uint64_t CudaDevice::scratch(const schema::Variant &variant) const {
  return variant.target() == schema::Target::CublasLt ? kGemmScratch : 0;
}

uint32_t CudaDevice::preference(const schema::Variant &variant) const {
  // Behind any code that is the module's own.
  if (variant.target() == schema::Target::CublasLt)
    return cublasLt() ? 1 : 0;
  if (variant.target() != schema::Target::Cuda)
    return 0;
  const std::optional<Sm> sm = parseSm(view(variant.isa()));
  if (!sm || !sm->runsOn(sm_))
    return 0;
  return 2 * sm->number + sm->exact;
}

std::string CudaDevice::capability() const {
  return concat(smName(sm_), " (", name_, ", CUDA ", library_->versionName(),
                ")");
}

void CudaDevice::describe(hk_device_info &info) const {
  info.kind = HK_DEVICE_CUDA;
  info.ordinal = ordinal_;
  info.name = name_.c_str();
  info.sm = sm_;
  info.driver_version = static_cast<uint32_t>(library_->version());
  info.multiprocessors = multiprocessors_;
  info.memory = memory_;
}

Status CudaDevice::checkPlacement(const DLDevice &device) const {
  const DLDeviceType type = device.device_type;
  if (type == kDLCUDAManaged ||
      (type == kDLCUDA && device.device_id == static_cast<int32_t>(ordinal_)))
    return Status();
  if (type == kDLCUDA)
    return invalidArgument("expects a tensor on GPU ", ordinal_,
                           ", but got one on GPU ", device.device_id);
  return invalidArgument("expects a tensor on GPU ", ordinal_,
                         ", but got device type ", static_cast<int>(type));
}

Status CudaDevice::enter(bool &entered) const {
  entered = false;
  const DriverFunctions &f = library_->functions();
  CUcontext current = nullptr;
  if (f.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context_)
    return Status();
  HK_TRY(library_->check(f.cuCtxPushCurrent_v2(context_),
                         "cannot make the GPU's context current"));
  entered = true;
  return Status();
}

void CudaDevice::leave() const {
  CUcontext popped = nullptr;
  (void)library_->functions().cuCtxPopCurrent_v2(&popped);
}

Status CudaDevice::load(const Module &module, const schema::Variant &variant,
                        uint32_t algorithm, std::string_view name,
                        std::unique_ptr<Kernel> &kernel) {
  if (variant.target() == schema::Target::CublasLt) {
    kernel = makeGemmKernel(cublasLt(), name, *variant.gemm(), algorithm);
    return Status();
  }
  const std::string subject =
      concat(module.name(), ": kernel '", printable(name), "'");
  std::shared_ptr<CudaModule> code;
  {
    std::lock_guard<std::mutex> lock(codeMutex_);
    std::weak_ptr<CudaModule> &entry =
        code_[{&module, CudaModule::section(*this, variant)}];
    code = entry.lock();
    if (!code) {
      HK_TRY(CudaModule::load(*this, module, variant, code).in(subject));
      entry = code;
    }
  }
  return makeCudaKernel(*this, name, variant, std::move(code), kernel)
      .in(subject);
}

Status CudaDevice::allocate(uint64_t size, void *&address) {
  // The driver refuses 0.
  CUdeviceptr pointer = 0;
  const CUresult result = library_->functions().cuMemAlloc_v2(
      &pointer, std::max<uint64_t>(size, 1));
  if (result != CUDA_SUCCESS)
    return library_->fail(result, "cannot allocate ", size,
                          " bytes on the GPU");
  address = reinterpret_cast<void *>(pointer);
  return Status();
}

Status CudaDevice::free(void *address) {
  return library_->check(library_->functions().cuMemFree_v2(
                             reinterpret_cast<CUdeviceptr>(address)),
                         "cannot free memory of the GPU");
}

Status CudaDevice::write(void *target, const void *source, uint64_t size) {
  if (size == 0)
    return Status();
  const CUresult result = library_->functions().cuMemcpyHtoD_v2(
      reinterpret_cast<CUdeviceptr>(target), source, size);
  if (result != CUDA_SUCCESS)
    return library_->fail(result, "cannot copy ", size, " bytes to the GPU");
  return Status();
}

Status CudaDevice::read(void *target, const void *source, uint64_t size) {
  if (size == 0)
    return Status();
  const CUresult result = library_->functions().cuMemcpyDtoH_v2(
      target, reinterpret_cast<CUdeviceptr>(source), size);
  if (result != CUDA_SUCCESS)
    return library_->fail(result, "cannot copy ", size, " bytes from the GPU");
  return Status();
}

Status CudaDevice::fill(void *target, uint8_t value, uint64_t size,
                        void *stream) {
  if (size == 0)
    return Status();
  return library_->check(library_->functions().cuMemsetD8Async(
                             reinterpret_cast<CUdeviceptr>(target), value, size,
                             static_cast<CUstream>(stream)),
                         "cannot set memory of the GPU");
}

Status CudaDevice::allocateStaging(uint64_t size, void *&address) {
  const CUresult result = library_->functions().cuMemAllocHost_v2(
      &address, std::max<uint64_t>(size, 1));
  if (result != CUDA_SUCCESS)
    return library_->fail(result, "cannot allocate ", size,
                          " bytes of page-locked memory");
  return Status();
}

Status CudaDevice::freeStaging(void *address) {
  return library_->check(library_->functions().cuMemFreeHost(address),
                         "cannot free page-locked memory");
}

Status CudaDevice::startRead(void *target, const void *source, uint64_t size,
                             void *stream) {
  if (size == 0)
    return Status();
  const CUresult result = library_->functions().cuMemcpyDtoHAsync_v2(
      target, reinterpret_cast<CUdeviceptr>(source), size,
      static_cast<CUstream>(stream));
  if (result != CUDA_SUCCESS)
    return library_->fail(result, "cannot copy ", size, " bytes from the GPU");
  return Status();
}

Status CudaDevice::createStream(void *&stream) {
  CUstream created = nullptr;
  HK_TRY(library_->check(
      library_->functions().cuStreamCreate(&created, CU_STREAM_NON_BLOCKING),
      "cannot create a stream"));
  stream = created;
  return Status();
}

Status CudaDevice::destroyStream(void *stream) {
  return library_->check(
      library_->functions().cuStreamDestroy_v2(static_cast<CUstream>(stream)),
      "cannot destroy a stream");
}

Status CudaDevice::synchronize(void *stream) {
  return library_->check(
      library_->functions().cuStreamSynchronize(static_cast<CUstream>(stream)),
      "a kernel or a copy failed");
}

Status CudaDevice::synchronizeAll() {
  return library_->check(library_->functions().cuCtxSynchronize(),
                         "a kernel or a copy failed");
}

Status CudaDevice::createEvent(std::unique_ptr<Event> &event) {
  return createCudaEvent(*this, event);
}

bool CudaDevice::isCapturing(void *stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return library_->functions().cuStreamIsCapturing(
             static_cast<CUstream>(stream), &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

Status CudaDevice::beginCapture(void *stream) {
  // Relaxed: what other threads do meanwhile is their own affair.
  return library_->check(
      library_->functions().cuStreamBeginCapture_v2(
          static_cast<CUstream>(stream), CU_STREAM_CAPTURE_MODE_RELAXED),
      "cannot begin to capture a graph");
}

Status CudaDevice::endCapture(void *stream, bool keep,
                              std::unique_ptr<CapturedGraph> &graph) {
  return endCudaCapture(*this, stream, keep, graph);
}

} // namespace hk
