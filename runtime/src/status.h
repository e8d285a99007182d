// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors inside the runtime: an error code and one line of text.
#ifndef HK_RUNTIME_STATUS_H
#define HK_RUNTIME_STATUS_H

#include "hk/runtime.h"

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace hk {

/// Success costs two words, and neither to make nor to destroy it a call.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(hk_code code, std::string message)
      : code_(code),
        message_(std::make_unique<std::string>(std::move(message))) {}

  bool ok() const { return code_ == HK_OK; }
  hk_code code() const { return code_; }
  const std::string &message() const {
    static const std::string empty;
    return message_ ? *message_ : empty;
  }

  /// The same error, said of `subject`: "subject: message".
  Status in(std::string_view subject) && {
    if (message_)
      message_->insert(0, std::string(subject) + ": ");
    return std::move(*this);
  }

private:
  hk_code code_ = HK_OK;
  std::unique_ptr<std::string> message_;
};

namespace detail {
inline void append(std::string &out, std::string_view text) { out += text; }
template <typename T,
          std::enable_if_t<std::is_arithmetic_v<std::decay_t<T>>, int> = 0>
void append(std::string &out, T value) {
  out += std::to_string(value);
}
} // namespace detail

/// Strings and numbers, one after another.
template <typename... Args> std::string concat(const Args &...args) {
  std::string out;
  (detail::append(out, args), ...);
  return out;
}

template <typename... Args> Status error(hk_code code, const Args &...args) {
  return Status(code, concat(args...));
}
template <typename... Args> Status malformed(const Args &...args) {
  return error(HK_MALFORMED, args...);
}
template <typename... Args> Status invalidArgument(const Args &...args) {
  return error(HK_INVALID_ARGUMENT, args...);
}

/// Text from a file, made fit for one line of a message.
std::string printable(std::string_view text, size_t maxLength = 80);

} // namespace hk

#define HK_TRY(expression)                                                     \
  do {                                                                         \
    if (::hk::Status hkTryStatus = (expression); !hkTryStatus.ok())            \
      return hkTryStatus;                                                      \
  } while (false)

#endif // HK_RUNTIME_STATUS_H
