// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "status.h"

namespace hk {

std::string printable(std::string_view text, size_t maxLength) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (char c : text.substr(0, maxLength)) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  if (text.size() > maxLength)
    out += "...";
  return out;
}

} // namespace hk
