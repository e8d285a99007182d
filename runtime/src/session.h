// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of a module, ready to run. Each run brings its own workspace. On a
// GPU a session chooses its plan by measurement, for each batch once.
#ifndef HK_RUNTIME_SESSION_H
#define HK_RUNTIME_SESSION_H

#include "loaded_plan.h"
#include "tensor_check.h"
#include "tuner.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

namespace hk {

/// Thread-safe.
class Session {
public:
  static Status create(std::shared_ptr<Context> context,
                       std::shared_ptr<Module> module, const Params *params,
                       const hk_session_options &options,
                       std::shared_ptr<Session> &session);

  hk_session_info info() const;
  /// Enough for every plan that a run may take.
  Status workspaceSize(int64_t batch, uint64_t &size) const;
  /// Launches the plan on the stream and returns.
  Status runOnStream(const RunArguments &run);
  /// The same, and waits until the outputs are written.
  Status run(const RunArguments &run);

  /// A run, checked, with the plan for it.
  struct Prepared {
    const std::shared_ptr<const LoadedPlan> *plan = nullptr; // the session's
    int64_t batch = 0; // where it is 0, there is no layout
    WorkspaceLayout layout;
  };
  /// Checks a run that will be launched in that way, and chooses its plan. The
  /// device is entered.
  Status prepare(const RunArguments &run, hk_launch_mode mode,
                 Prepared &prepared);
  /// Checks a run and launches this plan, which is one of the session's. The
  /// device is entered.
  Status launch(const RunArguments &run, const LoadedPlan &plan) const;
  /// Captures a run; of the arguments the stream is not used. `plan` has to
  /// outlive the graph.
  Status capture(const RunArguments &run, std::unique_ptr<CapturedGraph> &graph,
                 std::shared_ptr<const LoadedPlan> &plan);

  /// Chooses the plan for the run's batch anew. The outputs are overwritten.
  /// Does nothing where there is nothing to choose.
  Status tune(const RunArguments &run, hk_launch_mode mode);
  /// What was measured, as JSON.
  std::string report() const;

  Context &context() const { return *context_; }
  Device &device() const { return context_->device(); }

private:
  /// A plan chosen for a batch. Never changed, nor freed before the session.
  struct Choice {
    int64_t batch;
    hk_launch_mode mode;
    std::shared_ptr<const LoadedPlan> plan;
    bool measured;       // or else taken over from the nearest batch
    const Choice *older; // of its chain
  };
  using Chain = std::atomic<const Choice *>;

  Session(std::shared_ptr<Context> context, std::shared_ptr<Module> module)
      : context_(std::move(context)), module_(std::move(module)),
        store_(*context_, *module_) {}

  Status open(const Params *params, const hk_session_options &options);
  /// Checks what the caller brought, all but the workspace.
  Status checkTensors(const RunArguments &run, int64_t &batch) const;
  Status checkWorkspace(const RunArguments &run, int64_t batch,
                        uint64_t size) const;
  int64_t staticBatch() const;

  /// The latest choice for the batch, or nullptr.
  const Choice *find(int64_t batch, hk_launch_mode mode) const;
  /// The plan of a run, which is measured now where it has to be.
  Status choose(const RunArguments &run, int64_t batch, hk_launch_mode mode,
                const std::shared_ptr<const LoadedPlan> *&plan);
  /// The same, and its layout; `prepared.batch` is set.
  Status resolve(const RunArguments &run, hk_launch_mode mode,
                 Prepared &prepared);
  // With the mutex held.
  Status chooseLocked(const RunArguments &run, int64_t batch,
                      hk_launch_mode mode, const Choice *&choice);
  Status tuneLocked(const RunArguments &run, int64_t batch,
                    hk_launch_mode mode);
  void publish(Tuning tuning);
  const Choice &addChoice(const Choice &choice);
  Chain &chainOf(int64_t batch) const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<Module> module_;
  uint32_t functionIndex_ = 0;
  const schema::Function *function_ = nullptr;
  std::vector<TensorSpec> inputs_, outputs_;
  uint64_t memoryLimit_ = 0;
  std::shared_ptr<const LoadedPlan> default_; // where nothing was chosen

  // Of sessions that choose.
  std::unique_ptr<Tuner> tuner_; // or null
  Params params_;
  Chain latest_{nullptr}; // of those that were measured
  /// A table by batch, of which each run asks.
  static constexpr size_t kChains = 64;
  mutable Chain chains_[kChains] = {};
  mutable std::mutex mutex_;
  PackedStore store_;
  std::deque<Choice> choices_;
  uint32_t batches_[2] = {}; // measured, by mode
  std::vector<Tuning> tunings_;
  uint32_t undecided_ = 0; // attempts whose inputs told nothing
};

} // namespace hk

#endif // HK_RUNTIME_SESSION_H
