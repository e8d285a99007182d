// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_TEST_EXPECT_STATUS_H
#define HK_TEST_EXPECT_STATUS_H

#include "status.h"

#include <gtest/gtest.h>
#include <ostream>

namespace hk {

inline void PrintTo(const Status &status, std::ostream *out) {
  *out << hk_code_name(status.code()) << ": " << status.message();
}

namespace test {

inline void expectOk(const Status &status) {
  EXPECT_TRUE(status.ok()) << ::testing::PrintToString(status);
}

/// An error of that kind, with that text in its one line of message.
inline void expectError(const Status &status, hk_code code,
                        const std::string &text) {
  EXPECT_EQ(status.code(), code) << ::testing::PrintToString(status);
  EXPECT_NE(status.message().find(text), std::string::npos)
      << "expects '" << text << "' in '" << status.message() << "'";
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

} // namespace test
} // namespace hk

#endif // HK_TEST_EXPECT_STATUS_H
