// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run that is repeated: all that can be done once is done at its creation.
#ifndef HK_RUNTIME_RUNNER_H
#define HK_RUNTIME_RUNNER_H

#include "session.h"

namespace hk {

/// Not thread-safe.
class Runner {
public:
  static constexpr uint32_t kMaxSets = 8;

  /// `run.outputs` holds `numSets` sets, one after another.
  static Status create(std::shared_ptr<Session> session,
                       const RunArguments &run, uint32_t numSets,
                       std::unique_ptr<Runner> &runner);

  /// Launches a run into the next set of outputs. `inputs`: nullptr for those
  /// of the creation. Allocates nothing unless it fails.
  Status run(void *stream, DLTensor *const *inputs, uint32_t numInputs,
             uint32_t &set);

  hk_runner_info info() const;

private:
  /// A set of outputs, and the launches that write it.
  struct Set {
    std::unique_ptr<CapturedGraph> graph; // unless it is slower
    LoadedPlan::Bound bound;
  };
  /// A tensor, with a shape of its own.
  struct Tensor {
    explicit Tensor(const DLTensor &given);
    Tensor(const Tensor &) = delete;
    DLTensor view;
    std::vector<int64_t> shape;
  };

  explicit Runner(std::shared_ptr<Session> session)
      : session_(std::move(session)) {}
  Status prepare(const RunArguments &run, uint32_t numSets);
  Status chooseMode(void *stream);
  static Status launch(const LoadedPlan::Bound &bound, void *stream);
  bool sameInputs(DLTensor *const *inputs, uint32_t numInputs) const;
  /// The run that writes that set.
  RunArguments arguments(uint32_t set) const;

  std::shared_ptr<Session> session_;
  std::shared_ptr<const LoadedPlan> plan_;
  // All that a run reads where it launches a graph.
  std::vector<Set> sets_;
  uint32_t next_ = 0;

  int64_t batch_ = 0;
  WorkspaceLayout layout_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::vector<DLTensor *> inputs_, outputs_; // all sets
  uint32_t numOutputs_ = 0;                  // of a set
  void *workspace_ = nullptr;
  uint64_t workspaceSize_ = 0;
  double direct_ = 0, graph_ = 0; // milliseconds
};

} // namespace hk

#endif // HK_RUNTIME_RUNNER_H
