// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy gate: a plan's outputs against those of the reference plan, both
// on the device.
#ifndef HK_RUNTIME_ACCURACY_GATE_H
#define HK_RUNTIME_ACCURACY_GATE_H

#include "device.h"
#include "thread_pool.h"

#include <vector>

namespace hk {

/// An element passes where it is finite and |y - ref| <= kGateAbsolute or
/// |y - ref| <= kGateRelative * |ref|; an integer where it is equal.
constexpr double kGateAbsolute = 2e-3;
constexpr double kGateRelative = 2e-2;

struct GateResult {
  uint64_t compared = 0;
  uint64_t failed = 0;
  double maxError = 0; // of the elements that are finite
  /// Where the error is the largest part of what is allowed:
  /// "output 0 at [1, 2]: expects 0.5, but got 0.75".
  std::string worst;
  /// The first element whose reference is not finite: "output 0 at [1, 2]".
  /// Such inputs have no right answer.
  std::string notFinite;
};

/// Compares outputs that passed checkTensor with `references`, memory of the
/// same sizes. Waits for the stream that wrote them first. The device is
/// entered.
Status compareOutputs(Device &device, Workers &workers,
                      const schema::Function &function,
                      DLTensor *const *outputs,
                      const std::vector<const uint8_t *> &references,
                      GateResult &result);

} // namespace hk

#endif // HK_RUNTIME_ACCURACY_GATE_H
