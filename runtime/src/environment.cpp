// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "environment.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace hk {
namespace {

/// The variable's value; empty where it is not set.
std::string_view variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// 0 or 1; `value` is left where the variable is not set.
Status readSwitch(const char *name, bool &value) {
  const std::string_view text = variable(name);
  if (text.empty())
    return Status();
  if (text != "0" && text != "1")
    return error(HK_ENVIRONMENT, name, ": expects 0 or 1, but got '",
                 printable(text), "'");
  value = text == "1";
  return Status();
}

/// A number in a range; `value` is left where the variable is not set.
Status readNumber(const char *name, uint32_t least, uint32_t most,
                  uint32_t &value) {
  const std::string_view text = variable(name);
  if (text.empty())
    return Status();
  uint32_t read = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), read);
  if (code != std::errc() || end != text.data() + text.size() || read < least ||
      read > most)
    return error(HK_ENVIRONMENT, name, ": expects a number from ", least,
                 " to ", most, ", but got '", printable(text), "'");
  value = read;
  return Status();
}

} // namespace

Status Environment::read(Environment &environment) {
  Environment result;
  HK_TRY(readNumber("HK_THREADS", 1, kMaxWorkers, result.threads));
  HK_TRY(readNumber("HK_TUNE_SECONDS", 0, 86400, result.tuneSeconds));
  if (std::string_view text = variable("HK_ISA"); !text.empty()) {
    std::optional<Isa> isa = parseIsa(text);
    if (!isa)
      return error(HK_ENVIRONMENT,
                   "HK_ISA: expects 'x86-64', 'x86-64-v3' or 'x86-64-v4', but "
                   "got '",
                   printable(text), "'");
    result.isaCap = *isa;
  }
  HK_TRY(readSwitch("HK_PERF_MAP", result.perfMap));
  HK_TRY(readSwitch("HK_TUNE", result.tunes));
  HK_TRY(readSwitch("HK_LOG", result.logs));
  HK_TRY(readSwitch("HK_PDL", result.overlaps));
  result.cudaDriver = variable("HK_CUDA_DRIVER");
  result.cublasLt = variable("HK_CUBLASLT");
  environment = std::move(result);
  return Status();
}

uint32_t availableCores() {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    int count = CPU_COUNT(&set);
    if (count > 0)
      return static_cast<uint32_t>(count);
  }
#endif
  unsigned count = std::thread::hardware_concurrency();
  return count ? count : 1;
}

} // namespace hk
