// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HK_* variables (docs/environment.md), read when a context is created.
#ifndef HK_RUNTIME_ENVIRONMENT_H
#define HK_RUNTIME_ENVIRONMENT_H

#include "isa.h"
#include "status.h"

#include <cstdint>
#include <string>

namespace hk {

constexpr uint32_t kMaxWorkers = 1024;

struct Environment {
  uint32_t threads = 0;     // HK_THREADS; 0: not set
  Isa isaCap = Isa::V4;     // HK_ISA
  bool perfMap = false;     // HK_PERF_MAP
  bool tunes = true;        // HK_TUNE
  uint32_t tuneSeconds = 4; // HK_TUNE_SECONDS
  bool logs = false;        // HK_LOG
  bool overlaps = true;     // HK_PDL
  std::string cudaDriver;   // HK_CUDA_DRIVER
  std::string cublasLt;     // HK_CUBLASLT

  /// HK_ENVIRONMENT where a value cannot be read. An empty value counts as
  /// not set.
  static Status read(Environment &environment);
};

/// The cores this process may run on, at least 1.
uint32_t availableCores();

} // namespace hk

#endif // HK_RUNTIME_ENVIRONMENT_H
