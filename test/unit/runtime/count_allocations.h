// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the allocations of a binary that links count_allocations.cpp.

#ifndef HK_TEST_UNIT_RUNTIME_COUNT_ALLOCATIONS_H
#define HK_TEST_UNIT_RUNTIME_COUNT_ALLOCATIONS_H

#include <atomic>
#include <cstdint>

namespace hk {
namespace test {

/// How often memory was allocated so far, by any thread.
extern std::atomic<uint64_t> allocations;

} // namespace test
} // namespace hk

#endif // HK_TEST_UNIT_RUNTIME_COUNT_ALLOCATIONS_H
