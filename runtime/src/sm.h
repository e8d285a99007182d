// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Architectures of NVIDIA GPUs, as PTX and cubins name them.
#ifndef HK_RUNTIME_SM_H
#define HK_RUNTIME_SM_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hk {

/// What code is for: "sm_86", or with its architecture's own features "sm_90a".
struct Sm {
  uint32_t number = 0; // 10 * major + minor
  bool exact = false;  // the "a": runs nowhere else

  /// Whether PTX for this runs on a device with that number.
  bool runsOn(uint32_t device) const {
    return exact ? number == device : number <= device;
  }
};

/// Nothing for other names, and for suffixes of other meanings ("sm_100f").
std::optional<Sm> parseSm(std::string_view name);

/// "sm_90"
std::string smName(uint32_t number);

} // namespace hk

#endif // HK_RUNTIME_SM_H
