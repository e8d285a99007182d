// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_TEST_CHECK_CASES_H
#define HK_TEST_CHECK_CASES_H

#include "module.h"

#include "expect_status.h"
#include "module_builder.h"

namespace hk {
namespace test {

/// A change to affineModule() and what the reader says of it.
struct Case {
  const char *message;
  void (*change)(schema::ModuleT &module);
};

inline void checkCases(const std::vector<Case> &cases) {
  for (const Case &bad : cases) {
    ModuleFile file = affineModule();
    file.change = bad.change;
    const Bytes bytes = file.bytes();
    std::shared_ptr<Module> module;
    expectError(Module::loadMemory(bytes.data(), bytes.size(), module),
                HK_MALFORMED, bad.message);
  }
}

} // namespace test
} // namespace hk

#endif // HK_TEST_CHECK_CASES_H
