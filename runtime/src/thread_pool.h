// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workers of a context: its own threads, or the caller's pool.
#ifndef HK_RUNTIME_THREAD_POOL_H
#define HK_RUNTIME_THREAD_POOL_H

#include "status.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hk {

class Workers {
public:
  virtual ~Workers() = default;
  uint32_t count() const { return count_; }

  /// Calls body(state, worker) for each worker in [0, count) and returns when
  /// all have returned. Thread-safe; regions do not nest.
  virtual void run(hk_parallel_body body, void *state) = 0;

protected:
  explicit Workers(uint32_t count) : count_(count) {}

private:
  uint32_t count_;
};

/// `count` - 1 threads that spin for a while between regions, then park. The
/// calling thread is worker 0. Regions of several callers take turns.
class ThreadPool final : public Workers {
public:
  /// HK_ENVIRONMENT where threads cannot be started.
  static Status create(uint32_t count, std::unique_ptr<Workers> &pool);
  ~ThreadPool() override;

  void run(hk_parallel_body body, void *state) override;

private:
  explicit ThreadPool(uint32_t count) : Workers(count) {}
  void work(uint32_t worker);

  std::vector<std::thread> threads_;
  std::mutex regionMutex_; // one region at a time

  // The region: written before `generation_` is raised, read after.
  hk_parallel_body body_ = nullptr;
  void *state_ = nullptr;

  // On lines of their own: workers spin on one and write the other.
  alignas(64) std::atomic<uint64_t> generation_{0};
  alignas(64) std::atomic<uint32_t> pending_{0};

  alignas(64) std::mutex parkMutex_;
  std::condition_variable wake_; // workers wait for a generation
  std::condition_variable done_; // the caller waits for the last worker
  std::atomic<uint32_t> parked_{0};
  std::atomic<bool> callerParked_{false};
  std::atomic<bool> stop_{false};
};

/// Workers that are the caller's `parallel_for`.
class ExternalWorkers final : public Workers {
public:
  ExternalWorkers(uint32_t count, hk_parallel_for parallelFor, void *user)
      : Workers(count), parallelFor_(parallelFor), user_(user) {}
  void run(hk_parallel_body body, void *state) override {
    parallelFor_(user_, count(), body, state);
  }

private:
  hk_parallel_for parallelFor_;
  void *user_;
};

} // namespace hk

#endif // HK_RUNTIME_THREAD_POOL_H
