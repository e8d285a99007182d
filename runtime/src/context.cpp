// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include "cuda_device.h"
#include "environment.h"

#include <algorithm>

namespace hk {

Status Context::create(const hk_context_options &options,
                       std::shared_ptr<Context> &context) {
  Environment environment;
  HK_TRY(Environment::read(environment));

  Isa cap = environment.isaCap;
  if (options.isa) {
    std::optional<Isa> isa = parseIsa(options.isa);
    if (!isa)
      return invalidArgument("isa: expects 'x86-64', 'x86-64-v3' or "
                             "'x86-64-v4', but got '",
                             printable(options.isa), "'");
    cap = *isa;
  }

  uint32_t threads = options.threads;
  if (threads > kMaxWorkers)
    return invalidArgument("threads: expects at most ", kMaxWorkers,
                           ", but got ", threads);
  if (threads == 0)
    threads = environment.threads;
  if (threads == 0)
    threads = std::min(availableCores(), kMaxWorkers);

  auto created = std::make_shared<Context>();
  created->log_ = {options.log, options.log_user, environment.logs};
  created->tunes_ = environment.tunes;
  created->tuneSeconds_ = environment.tuneSeconds;
  created->overlaps_ = environment.overlaps;
  if (options.parallel_for)
    created->workers_ = std::make_unique<ExternalWorkers>(
        threads, options.parallel_for, options.parallel_for_user);
  else
    HK_TRY(ThreadPool::create(threads, created->workers_));
  created->cpu_ = std::make_unique<CpuDevice>(
      std::min(cap, detectIsa()), *created->workers_, environment.perfMap);
  switch (options.device) {
  case HK_DEVICE_CPU:
    break;
  case HK_DEVICE_CUDA:
    HK_TRY(CudaDevice::create(environment.cudaDriver, environment.cublasLt,
                              options.device_ordinal, created->gpu_));
    break;
  case HK_DEVICE_AUTO:
    // Whatever keeps the GPU from being used, the CPU is there.
    (void)CudaDevice::create(environment.cudaDriver, environment.cublasLt,
                             options.device_ordinal, created->gpu_);
    break;
  default:
    return invalidArgument("device: expects an hk_device_kind, but got ",
                           static_cast<int>(options.device));
  }
  context = std::move(created);
  return Status();
}

} // namespace hk
