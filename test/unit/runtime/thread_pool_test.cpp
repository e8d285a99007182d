// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_pool.h"

#include "expect_status.h"

#include <chrono>
#include <thread>

namespace hk {
namespace {

struct Counters {
  explicit Counters(uint32_t workers) : calls(workers) {}
  std::vector<std::atomic<uint32_t>> calls;

  static void count(void *state, uint32_t worker) {
    ++static_cast<Counters *>(state)->calls[worker];
  }
};

class ThreadPoolTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(ThreadPoolTest, EveryWorkerIsCalledOnceARegion) {
  std::unique_ptr<Workers> pool;
  test::expectOk(ThreadPool::create(GetParam(), pool));
  ASSERT_EQ(pool->count(), GetParam());
  Counters counters(pool->count());
  for (uint32_t region = 1; region <= 200; ++region) {
    pool->run(Counters::count, &counters);
    for (auto &calls : counters.calls)
      ASSERT_EQ(calls.load(), region);
    // Long enough, at times, for the workers to park.
    if (region % 50 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_P(ThreadPoolTest, RegionsOfSeveralCallersTakeTurns) {
  std::unique_ptr<Workers> pool;
  test::expectOk(ThreadPool::create(GetParam(), pool));
  constexpr uint32_t kCallers = 4, kRegions = 100;
  std::vector<std::unique_ptr<Counters>> counters;
  std::vector<std::thread> callers;
  for (uint32_t i = 0; i < kCallers; ++i)
    counters.push_back(std::make_unique<Counters>(pool->count()));
  for (uint32_t i = 0; i < kCallers; ++i)
    callers.emplace_back([&pool, mine = counters[i].get()] {
      for (uint32_t region = 1; region <= kRegions; ++region) {
        pool->run(Counters::count, mine);
        for (auto &calls : mine->calls)
          ASSERT_EQ(calls.load(), region);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

INSTANTIATE_TEST_SUITE_P(Workers, ThreadPoolTest,
                         ::testing::Values(1, 2, 3, 8));

TEST(ThreadPoolTest, UnusedPoolsStop) {
  for (int i = 0; i < 20; ++i) {
    std::unique_ptr<Workers> pool;
    test::expectOk(ThreadPool::create(3, pool));
  }
}

TEST(ThreadPoolTest, WorkerZeroIsTheCaller) {
  std::unique_ptr<Workers> pool;
  test::expectOk(ThreadPool::create(2, pool));
  std::thread::id seen[2];
  pool->run(
      [](void *state, uint32_t worker) {
        static_cast<std::thread::id *>(state)[worker] =
            std::this_thread::get_id();
      },
      seen);
  EXPECT_EQ(seen[0], std::this_thread::get_id());
  EXPECT_NE(seen[1], seen[0]);
}

} // namespace
} // namespace hk
