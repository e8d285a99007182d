// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.h"

#include "tensor_check.h"

#include <algorithm>

namespace hk {

Runner::Tensor::Tensor(const DLTensor &given)
    : view(given), shape(given.shape, given.shape + given.ndim) {
  view.shape = shape.data();
  view.strides = nullptr; // dense, as was checked
}

Status Runner::create(std::shared_ptr<Session> session, const RunArguments &run,
                      uint32_t numSets, std::unique_ptr<Runner> &runner) {
  if (numSets < 1 || numSets > kMaxSets)
    return invalidArgument("expects 1 to ", kMaxSets,
                           " sets of outputs, but got ", numSets);
  if (session->device().inHostMemory())
    return error(HK_UNSUPPORTED,
                 "expects a CUDA device for runners, but got the CPU");
  std::unique_ptr<Runner> created(new Runner(std::move(session)));
  HK_TRY(created->prepare(run, numSets));
  runner = std::move(created);
  return Status();
}

RunArguments Runner::arguments(uint32_t set) const {
  return {inputs_.data(),
          static_cast<uint32_t>(inputs_.size()),
          outputs_.data() + uint64_t(set) * numOutputs_,
          numOutputs_,
          workspace_,
          workspaceSize_,
          nullptr};
}

Status Runner::prepare(const RunArguments &run, uint32_t numSets) {
  DeviceScope scope(session_->device());
  HK_TRY(scope.status());
  for (uint32_t set = 0; set < numSets; ++set) {
    RunArguments one = run;
    if (run.outputs)
      one.outputs = run.outputs + uint64_t(set) * run.numOutputs;
    Session::Prepared prepared;
    HK_TRY(session_->prepare(one, HK_LAUNCH_GRAPH, prepared)
               .in(concat("set ", set)));
    if (set == 0) {
      plan_ = *prepared.plan;
      batch_ = prepared.batch;
      layout_ = prepared.layout;
    } else if (prepared.batch != batch_) {
      return invalidArgument("set ", set, ": expects the batch of set 0, ",
                             batch_, ", but got ", prepared.batch);
    }
  }
  auto keep = [this](const DLTensor &tensor) {
    tensors_.push_back(std::make_unique<Tensor>(tensor));
    return &tensors_.back()->view;
  };
  for (uint32_t i = 0; i < run.numInputs; ++i)
    inputs_.push_back(keep(*run.inputs[i]));
  for (uint64_t o = 0; o < uint64_t(numSets) * run.numOutputs; ++o)
    outputs_.push_back(keep(*run.outputs[o]));
  numOutputs_ = run.numOutputs;
  workspace_ = run.workspace;
  workspaceSize_ = run.workspaceSize;
  sets_.resize(numSets);
  if (batch_ == 0)
    return Status();
  for (uint32_t set = 0; set < numSets; ++set)
    plan_->bind(arguments(set), batch_, layout_, sets_[set].bound);
  return chooseMode(run.stream);
}

Status Runner::chooseMode(void *stream) {
  // Of one launch too: the driver takes less for a graph than for a kernel.
  Device &device = session_->device();
  if (plan_->numLaunches() == 0 || device.isCapturing(stream))
    return Status();
  for (uint32_t set = 0; set < sets_.size(); ++set)
    HK_TRY(plan_->capture(arguments(set), batch_, layout_, sets_[set].graph));
  LaunchTimer timer(device, stream);
  uint32_t direct = 0, replayed = 0;
  auto turn = [this](uint32_t &set) -> Set & {
    return sets_[set++ % sets_.size()];
  };
  TimedLauncher directly, replaying;
  directly.launch = [&] { return launch(turn(direct).bound, stream); };
  replaying.launch = [&] { return turn(replayed).graph->launch(stream); };
  HK_TRY(timer.race({&directly, &replaying}));
  direct_ = directly.median;
  graph_ = replaying.median;
  // Of a tie the graph: it takes the host one call, however many launches.
  if (direct_ < (1 - kTimingNoise) * graph_)
    for (Set &set : sets_)
      set.graph.reset();
  return Status();
}

Status Runner::launch(const LoadedPlan::Bound &bound, void *stream) {
  for (size_t i = 0; i < bound.kernels.size(); ++i) {
    LaunchArguments arguments = bound.arguments[i];
    arguments.stream = stream;
    HK_TRY(bound.kernels[i]->launch(arguments));
  }
  return Status();
}

bool Runner::sameInputs(DLTensor *const *inputs, uint32_t numInputs) const {
  if (!inputs)
    return true;
  if (numInputs != inputs_.size())
    return false;
  for (uint32_t i = 0; i < numInputs; ++i) {
    const DLTensor *given = inputs[i], &kept = *inputs_[i];
    // Strides are left to the checks of a run: NULL is the usual case.
    if (!given || !given->shape || given->strides || given->ndim != kept.ndim ||
        static_cast<uint8_t *>(given->data) + given->byte_offset !=
            static_cast<uint8_t *>(kept.data) + kept.byte_offset ||
        given->device.device_type != kept.device.device_type ||
        given->device.device_id != kept.device.device_id ||
        given->dtype.code != kept.dtype.code ||
        given->dtype.bits != kept.dtype.bits ||
        given->dtype.lanes != kept.dtype.lanes ||
        !std::equal(kept.shape, kept.shape + kept.ndim, given->shape))
      return false;
  }
  return true;
}

Status Runner::run(void *stream, DLTensor *const *inputs, uint32_t numInputs,
                   uint32_t &set) {
  set = next_;
  const Set &outputs = sets_[next_];
  const bool same = sameInputs(inputs, numInputs);
  if (same && outputs.graph) {
    HK_TRY(outputs.graph->launch(stream));
  } else if (same && batch_ == 0) {
    return Status();
  } else {
    DeviceScope scope(session_->device());
    HK_TRY(scope.status());
    RunArguments changed = arguments(next_);
    changed.inputs = inputs;
    changed.numInputs = numInputs;
    changed.stream = stream;
    HK_TRY(same ? launch(outputs.bound, stream)
                : session_->launch(changed, *plan_));
  }
  next_ = next_ + 1 == sets_.size() ? 0 : next_ + 1;
  return Status();
}

hk_runner_info Runner::info() const {
  hk_runner_info info = {};
  info.plan = plan_->plan().name()->c_str();
  info.mode = sets_[0].graph ? HK_LAUNCH_GRAPH : HK_LAUNCH_DIRECT;
  info.num_sets = static_cast<uint32_t>(sets_.size());
  info.direct_microseconds = 1000 * direct_;
  info.graph_microseconds = 1000 * graph_;
  return info;
}

} // namespace hk
