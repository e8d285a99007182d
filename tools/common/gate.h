// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accuracy gate: every element of a result against its reference.
#ifndef HK_TOOLS_COMMON_GATE_H
#define HK_TOOLS_COMMON_GATE_H

#include "common/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hk::tools {

/// An element passes where it is finite and |y - ref| <= atol or
/// |y - ref| <= rtol * |ref|.
struct Gate {
  double atol = 2e-3;
  double rtol = 2e-2;
};

struct ElementError {
  std::string output; ///< "output 0 at [1, 2, 3]"
  double value = 0, reference = 0;
  /// |y - ref|; infinite where y is not finite.
  double error = 0;
  /// The error over what the gate allows: above 1 it fails.
  double ratio = -1;
};

struct GateReport {
  static constexpr size_t kMaxListed = 8;
  int64_t compared = 0, failed = 0;
  double maxError = 0;
  ElementError worst;               ///< by ratio
  std::vector<ElementError> listed; ///< the first failing elements

  bool passed() const { return compared > 0 && failed == 0; }
};

/// Compares sequence `sequence` of `output` with sequence `referenceSequence`
/// of `reference`, which have the same shape but for the batch. Throws a user
/// error where the reference is not finite: such inputs have no right answer.
void compareSequence(const Gate &gate, size_t outputIndex, const Tensor &output,
                     int64_t sequence, const Tensor &reference,
                     int64_t referenceSequence, GateReport &report);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_GATE_H
