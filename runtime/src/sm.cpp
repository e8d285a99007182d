// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sm.h"

namespace hk {

std::optional<Sm> parseSm(std::string_view name) {
  constexpr std::string_view kPrefix = "sm_";
  if (name.substr(0, kPrefix.size()) != kPrefix)
    return std::nullopt;
  name.remove_prefix(kPrefix.size());
  Sm sm;
  if (!name.empty() && name.back() == 'a') {
    sm.exact = true;
    name.remove_suffix(1);
  }
  if (name.size() < 2 || name.size() > 3 || name.front() == '0')
    return std::nullopt;
  for (char c : name) {
    if (c < '0' || c > '9')
      return std::nullopt;
    sm.number = sm.number * 10 + static_cast<uint32_t>(c - '0');
  }
  return sm;
}

std::string smName(uint32_t number) { return "sm_" + std::to_string(number); }

} // namespace hk
