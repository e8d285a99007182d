// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of a session. Nothing here allocates, unless for an error.
#include "session.h"

#include "tensor_check.h"

#include <algorithm>

namespace hk {
namespace {

using Values = flatbuffers::Vector<flatbuffers::Offset<schema::Value>>;

/// "input 1 'mask'"
std::string tensorName(const char *kind, uint32_t index, const Values &values) {
  const std::string_view name = view(values.Get(index)->name());
  return name.empty() ? concat(kind, " ", index)
                      : concat(kind, " ", index, " '", printable(name), "'");
}

Status checkEach(const Device &device, const char *kind, const Values &values,
                 const std::vector<TensorSpec> &specs, DLTensor *const *tensors,
                 int64_t &batch) {
  for (uint32_t i = 0; i < specs.size(); ++i) {
    if (specs[i].accepts(tensors[i], batch))
      continue;
    if (Status status =
            checkTensor(device, tensors[i], *values.Get(i)->type(), batch);
        !status.ok())
      return std::move(status).in(tensorName(kind, i, values));
  }
  return Status();
}

/// What is written may not overlap anything else: outputs and the workspace.
Status checkOverlaps(const schema::Function &function, DLTensor *const *inputs,
                     DLTensor *const *outputs, const ByteRange &workspace) {
  const Values &in = *function.inputs(), &out = *function.outputs();
  auto refuse = [](const std::string &what, const std::string &other) {
    return invalidArgument(what,
                           ": expects memory of its own, but got some "
                           "that overlaps ",
                           other);
  };
  for (uint32_t i = 0; i < in.size(); ++i)
    if (bytesOf(*inputs[i]).overlaps(workspace))
      return refuse(tensorName("input", i, in), "the workspace");
  for (uint32_t o = 0; o < out.size(); ++o) {
    const ByteRange range = bytesOf(*outputs[o]);
    if (range.overlaps(workspace))
      return refuse(tensorName("output", o, out), "the workspace");
    for (uint32_t i = 0; i < in.size(); ++i)
      if (range.overlaps(bytesOf(*inputs[i])))
        return refuse(tensorName("output", o, out), tensorName("input", i, in));
    for (uint32_t other = 0; other < o; ++other)
      if (range.overlaps(bytesOf(*outputs[other])))
        return refuse(tensorName("output", o, out),
                      tensorName("output", other, out));
  }
  return Status();
}

} // namespace

int64_t Session::staticBatch() const {
  return function_->outputs()->Get(0)->type()->shape()->Get(0);
}

Status Session::workspaceSize(int64_t batch, uint64_t &size) const {
  if (batch < 0)
    return invalidArgument("expects a batch of 0 or more, but got ", batch);
  if (staticBatch() != -1 && staticBatch() != batch)
    return invalidArgument("expects the module's static batch of ",
                           staticBatch(), ", but got ", batch);
  WorkspaceLayout layout;
  HK_TRY(default_->layOut(static_cast<uint64_t>(batch), layout));
  size = layout.size;
  if (tuner_)
    size = std::max(size, tuner_->workspaceSize(static_cast<uint64_t>(batch)));
  return Status();
}

Status Session::checkTensors(const RunArguments &run, int64_t &batch) const {
  const auto &inputValues = *function_->inputs();
  const auto &outputValues = *function_->outputs();
  if (run.numInputs != inputs_.size() || run.numOutputs != outputs_.size())
    return invalidArgument("expects ", inputs_.size(), " inputs and ",
                           outputs_.size(), " outputs, but got ",
                           run.numInputs, " and ", run.numOutputs);
  if ((run.numInputs && !run.inputs) || (run.numOutputs && !run.outputs))
    return invalidArgument("expects arrays of tensors, but got NULL");

  if (device().inHostMemory() && run.stream)
    return invalidArgument("expects a NULL stream for the CPU, but got one");
  batch = -1;
  HK_TRY(
      checkEach(device(), "input", inputValues, inputs_, run.inputs, batch));
  return checkEach(device(), "output", outputValues, outputs_, run.outputs,
                   batch);
}

Status Session::checkWorkspace(const RunArguments &run, int64_t batch,
                               uint64_t size) const {
  if (run.workspaceSize < size || (size > 0 && !run.workspace))
    return invalidArgument("expects a workspace of ", size,
                           " bytes for a batch of ", batch, ", but got ",
                           run.workspace ? run.workspaceSize : 0);
  const ByteRange work = {static_cast<uint8_t *>(run.workspace), size};
  return checkOverlaps(*function_, run.inputs, run.outputs, work);
}

Status Session::resolve(const RunArguments &run, hk_launch_mode mode,
                        Prepared &prepared) {
  HK_TRY(choose(run, prepared.batch, mode, prepared.plan));
  HK_TRY((*prepared.plan)
             ->layOut(static_cast<uint64_t>(prepared.batch), prepared.layout));
  return checkWorkspace(run, prepared.batch, prepared.layout.size);
}

Status Session::runOnStream(const RunArguments &run) {
  Prepared prepared;
  HK_TRY(checkTensors(run, prepared.batch));
  if (prepared.batch == 0)
    return Status();
  DeviceScope scope(device());
  HK_TRY(scope.status());
  HK_TRY(resolve(run, HK_LAUNCH_DIRECT, prepared));
  return (*prepared.plan)->launch(run, prepared.batch, prepared.layout);
}

Status Session::run(const RunArguments &run) {
  HK_TRY(runOnStream(run));
  DeviceScope scope(device());
  HK_TRY(scope.status());
  return device().synchronize(run.stream);
}

Status Session::prepare(const RunArguments &run, hk_launch_mode mode,
                        Prepared &prepared) {
  HK_TRY(checkTensors(run, prepared.batch));
  prepared.plan = &default_;
  return prepared.batch == 0 ? Status() : resolve(run, mode, prepared);
}

Status Session::launch(const RunArguments &run, const LoadedPlan &plan) const {
  int64_t batch;
  HK_TRY(checkTensors(run, batch));
  if (batch == 0)
    return Status();
  WorkspaceLayout layout;
  HK_TRY(plan.layOut(static_cast<uint64_t>(batch), layout));
  HK_TRY(checkWorkspace(run, batch, layout.size));
  return plan.launch(run, batch, layout);
}

Status Session::capture(const RunArguments &given,
                        std::unique_ptr<CapturedGraph> &graph,
                        std::shared_ptr<const LoadedPlan> &plan) {
  DeviceScope scope(device());
  HK_TRY(scope.status());
  RunArguments run = given;
  run.stream = nullptr;
  Prepared prepared;
  HK_TRY(prepare(run, HK_LAUNCH_GRAPH, prepared));
  HK_TRY(
      (*prepared.plan)->capture(run, prepared.batch, prepared.layout, graph));
  plan = *prepared.plan;
  return Status();
}

} // namespace hk
