// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_CUDA_DEVICE_H
#define HK_RUNTIME_CUDA_DEVICE_H

#include "cublaslt_library.h"
#include "cuda_library.h"
#include "cuda_module.h"
#include "device.h"

#include <map>
#include <mutex>

namespace hk {

/// One GPU, in its primary context, which other users of the process share.
class CudaDevice final : public Device {
public:
  /// HK_UNSUPPORTED where there is no driver or no such device.
  static Status create(const std::string &driver, const std::string &cublasLt,
                       uint32_t ordinal, std::unique_ptr<Device> &device);
  ~CudaDevice() override;

  const CudaLibrary &library() const { return *library_; }
  /// 10 * major + minor.
  uint32_t sm() const { return sm_; }
  /// Bytes of shared memory that a CTA may ask for, static ones included.
  uint32_t maxShared() const { return maxShared_; }
  uint32_t multiprocessors() const { return multiprocessors_; }

  uint32_t preference(const schema::Variant &variant) const override;
  std::string capability() const override;
  uint32_t workers() const override { return 0; }
  uint64_t maxWorkgroups() const override { return INT32_MAX; }
  bool inHostMemory() const override { return false; }
  void describe(hk_device_info &info) const override;
  Status checkPlacement(const DLDevice &device) const override;
  DLDevice placement() const override {
    return {kDLCUDA, static_cast<int32_t>(ordinal_)};
  }
  uint64_t tensorAlignment() const override { return 16; }

  Status enter(bool &entered) const override;
  void leave() const override;
  uint32_t algorithms(const schema::Variant &variant) const override;
  uint64_t scratch(const schema::Variant &variant) const override;
  Status load(const Module &module, const schema::Variant &variant,
              uint32_t algorithm, std::string_view name,
              std::unique_ptr<Kernel> &kernel) override;

  Status allocate(uint64_t size, void *&address) override;
  Status free(void *address) override;
  Status write(void *target, const void *source, uint64_t size) override;
  Status read(void *target, const void *source, uint64_t size) override;
  Status fill(void *target, uint8_t value, uint64_t size,
              void *stream) override;
  Status allocateStaging(uint64_t size, void *&address) override;
  Status freeStaging(void *address) override;
  Status startRead(void *target, const void *source, uint64_t size,
                   void *stream) override;
  Status createStream(void *&stream) override;
  Status destroyStream(void *stream) override;
  Status synchronize(void *stream) override;
  Status synchronizeAll() override;
  Status createEvent(std::unique_ptr<Event> &event) override;
  bool isCapturing(void *stream) const override;
  Status beginCapture(void *stream) override;
  Status endCapture(void *stream, bool keep,
                    std::unique_ptr<CapturedGraph> &graph) override;

private:
  CudaDevice() = default;
  Status open(const std::string &driver, uint32_t ordinal);
  /// Opened at the first call; null where there is none.
  const std::shared_ptr<const CublasLt> &cublasLt() const;

  std::shared_ptr<const CudaLibrary> library_;
  uint32_t ordinal_ = 0;
  cuda::CUdevice handle_ = 0;
  cuda::CUcontext context_ = nullptr;
  std::string name_;
  uint32_t sm_ = 0;
  uint32_t maxShared_ = 0;
  uint32_t multiprocessors_ = 0;
  uint64_t memory_ = 0;

  std::string cublasLtPath_;
  mutable std::once_flag cublasLtOnce_;
  mutable std::shared_ptr<const CublasLt> cublasLt_;

  // Code in use, so that kernels of one section share it. A key stays valid
  // for as long as its code is in use: kernels live in sessions, which keep
  // their module.
  std::mutex codeMutex_;
  std::map<std::pair<const Module *, uint32_t>, std::weak_ptr<CudaModule>>
      code_;
};

} // namespace hk

#endif // HK_RUNTIME_CUDA_DEVICE_H
