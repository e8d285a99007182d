// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "count_allocations.h"

#include <cstdlib>
#include <new>

std::atomic<uint64_t> hk::test::allocations{0};

// Not inlined: g++ would see memory of one function freed by another.
#define HK_COUNTED __attribute__((noinline))

HK_COUNTED void *operator new(size_t size) {
  ++hk::test::allocations;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
HK_COUNTED void *operator new[](size_t size) { return operator new(size); }
HK_COUNTED void operator delete(void *memory) noexcept { std::free(memory); }
HK_COUNTED void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}
HK_COUNTED void operator delete[](void *memory) noexcept { std::free(memory); }
HK_COUNTED void operator delete[](void *memory, size_t) noexcept {
  std::free(memory);
}
