// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_pool.h"

#include <chrono>
#include <system_error>

namespace hk {
namespace {

/// Longer than the gap between two dispatches, shorter than what a scheduler
/// would notice.
constexpr std::chrono::microseconds kSpin{50};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Waits for `condition`, at most kSpin; its last value.
template <typename Condition> bool spinUntil(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition())
        return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

} // namespace

Status ThreadPool::create(uint32_t count, std::unique_ptr<Workers> &pool) {
  std::unique_ptr<ThreadPool> created(new ThreadPool(count));
  try {
    created->threads_.reserve(count - 1);
    for (uint32_t worker = 1; worker < count; ++worker)
      created->threads_.emplace_back(
          [self = created.get(), worker] { self->work(worker); });
  } catch (const std::system_error &failure) {
    return error(HK_ENVIRONMENT, "cannot start ", count,
                 " worker threads: ", failure.code().message());
  }
  pool = std::move(created);
  return Status();
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(parkMutex_);
    stop_.store(true);
  }
  wake_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

// Parking and waking are a pair of flags each side sets before it reads the
// other's (sequentially consistent), so one of the two sees the other.
void ThreadPool::run(hk_parallel_body body, void *state) {
  if (threads_.empty()) {
    body(state, 0);
    return;
  }
  std::lock_guard<std::mutex> region(regionMutex_);
  body_ = body;
  state_ = state;
  pending_.store(static_cast<uint32_t>(threads_.size()));
  generation_.fetch_add(1);
  if (parked_.load() > 0) {
    {
      std::lock_guard<std::mutex> lock(parkMutex_);
    }
    wake_.notify_all();
  }

  body(state, 0);

  auto finished = [this] { return pending_.load() == 0; };
  if (spinUntil(finished))
    return;
  std::unique_lock<std::mutex> lock(parkMutex_);
  callerParked_.store(true);
  done_.wait(lock, finished);
  callerParked_.store(false);
}

void ThreadPool::work(uint32_t worker) {
  uint64_t seen = 0;
  auto ready = [this, &seen] {
    return generation_.load() != seen || stop_.load();
  };
  for (;;) {
    if (!spinUntil(ready)) {
      std::unique_lock<std::mutex> lock(parkMutex_);
      parked_.fetch_add(1);
      wake_.wait(lock, ready);
      parked_.fetch_sub(1);
    }
    if (stop_.load())
      return;
    ++seen;
    body_(state_, worker);
    if (pending_.fetch_sub(1) == 1 && callerParked_.load()) {
      {
        std::lock_guard<std::mutex> lock(parkMutex_);
      }
      done_.notify_one();
    }
  }
}

} // namespace hk
