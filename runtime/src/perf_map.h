// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_PERF_MAP_H
#define HK_RUNTIME_PERF_MAP_H

#include "module.h"

namespace hk {

/// Appends the kernels of a section, mapped at `code`, to /tmp/perf-PID.map,
/// where `perf report` looks for names. Best effort: failures are ignored.
void writePerfMap(const schema::Module &module, uint32_t section,
                  const uint8_t *code);

} // namespace hk

#endif // HK_RUNTIME_PERF_MAP_H
