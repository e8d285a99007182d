// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of a session. Nothing here allocates, unless for an error.
#include "session.h"

#include "checked.h"
#include "module_check.h"
#include "tensor_check.h"

#include <algorithm>

namespace hk {
namespace {

/// The first byte of the workspace that is used.
constexpr uint64_t kWorkspaceAlignment = 256;

using Values = flatbuffers::Vector<flatbuffers::Offset<schema::Value>>;

/// "input 1 'mask'"
std::string tensorName(const char *kind, uint32_t index, const Values &values) {
  const std::string_view name = view(values.Get(index)->name());
  return name.empty() ? concat(kind, " ", index)
                      : concat(kind, " ", index, " '", printable(name), "'");
}

Status checkTensors(const Device &device, const char *kind,
                    const Values &values, DLTensor *const *tensors,
                    int64_t &batch) {
  for (uint32_t i = 0; i < values.size(); ++i)
    if (Status status =
            checkTensor(device, tensors[i], *values.Get(i)->type(), batch);
        !status.ok())
      return std::move(status).in(tensorName(kind, i, values));
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

/// ceil((batch * mul + add) / div) * times; false where it overflows.
bool gridSize(const schema::Variant &variant, uint64_t batch, uint64_t &size) {
  const schema::GridDim &grid = *variant.grid();
  uint64_t sum;
  if (!multiplyAdd(batch, grid.mul(), grid.add(), sum))
    return false;
  return multiply(sum / grid.div() + (sum % grid.div() != 0),
                  variant.grid_times(), size);
}

} // namespace

int64_t Session::staticBatch() const {
  return function_->outputs()->Get(0)->type()->shape()->Get(0);
}

// [pointers of one launch | buffers of the plan | scratch of each worker]
Status Session::layOut(uint64_t batch, WorkspaceLayout &layout) const {
  uint64_t buffers, scratch;
  layout.buffers = tableSize_;
  const bool fits =
      multiplyAdd(batch, plan_->workspace_per_sequence(),
                  plan_->workspace_constant(), buffers) &&
      add(layout.buffers, buffers, layout.scratch) &&
      alignUp(layout.scratch, kScratchAlignment, layout.scratch) &&
      multiply(scratchStride_, device().workers(), scratch) &&
      add(layout.scratch, scratch, layout.size) &&
      // Nothing needs no alignment.
      (layout.size == 0 ||
       add(layout.size, kWorkspaceAlignment - 1, layout.size)) &&
      layout.size <= INT64_MAX;
  if (!fits)
    return invalidArgument("expects a workspace of less than 2^63 bytes, but "
                           "got a batch of ",
                           batch);
  for (const Launch &launch : launches_)
    if (uint64_t size; !gridSize(*launch.variant, batch, size) ||
                       size > device().maxWorkgroups())
      return invalidArgument("expects at most ", device().maxWorkgroups(),
                             " workgroups, but got a batch of ", batch);
  return Status();
}

Status Session::workspaceSize(int64_t batch, uint64_t &size) const {
  if (batch < 0)
    return invalidArgument("expects a batch of 0 or more, but got ", batch);
  if (staticBatch() != -1 && staticBatch() != batch)
    return invalidArgument("expects the module's static batch of ",
                           staticBatch(), ", but got ", batch);
  WorkspaceLayout layout;
  HK_TRY(layOut(static_cast<uint64_t>(batch), layout));
  size = layout.size;
  return Status();
}

Status Session::checkRun(const RunArguments &run, int64_t &batch,
                         WorkspaceLayout &layout) const {
  const auto &inputValues = *function_->inputs();
  const auto &outputValues = *function_->outputs();
  if (run.numInputs != inputValues.size() ||
      run.numOutputs != outputValues.size())
    return invalidArgument("expects ", inputValues.size(), " inputs and ",
                           outputValues.size(), " outputs, but got ",
                           run.numInputs, " and ", run.numOutputs);
  if ((run.numInputs && !run.inputs) || (run.numOutputs && !run.outputs))
    return invalidArgument("expects arrays of tensors, but got NULL");

  if (device().inHostMemory() && run.stream)
    return invalidArgument("expects a NULL stream for the CPU, but got one");
  batch = -1;
  HK_TRY(checkTensors(device(), "input", inputValues, run.inputs, batch));
  HK_TRY(checkTensors(device(), "output", outputValues, run.outputs, batch));
  if (batch == 0)
    return Status();

  HK_TRY(layOut(static_cast<uint64_t>(batch), layout));
  if (run.workspaceSize < layout.size || (layout.size > 0 && !run.workspace))
    return invalidArgument("expects a workspace of ", layout.size,
                           " bytes for a batch of ", batch, ", but got ",
                           run.workspace ? run.workspaceSize : 0);
  const ByteRange work = {static_cast<uint8_t *>(run.workspace), layout.size};
  HK_TRY(checkOverlaps(*function_, run.inputs, run.outputs, work));
  return Status();
}

Status Session::runOnStream(const RunArguments &run) const {
  int64_t batch;
  WorkspaceLayout layout;
  HK_TRY(checkRun(run, batch, layout));
  if (batch == 0)
    return Status();
  DeviceScope scope(device());
  HK_TRY(scope.status());

  const uintptr_t start = reinterpret_cast<uintptr_t>(run.workspace);
  uint8_t *base = static_cast<uint8_t *>(run.workspace) +
                  (-start & (kWorkspaceAlignment - 1));
  // Addresses for one launch: a CPU kernel takes any number of them, kept in
  // the workspace; a CUDA kernel has a limit, and they are the host's.
  void *onStack[kMaxKernelParameters];
  void **table = tableSize_ > 0 ? reinterpret_cast<void **>(base) : &onStack[0];
  LaunchArguments arguments;
  arguments.buffers = table;
  arguments.batch = batch;
  arguments.scratch = base + layout.scratch;
  arguments.scratchStride = scratchStride_;
  arguments.stream = run.stream;
  for (const Launch &launch : launches_) {
    const auto &bindings = *launch.dispatch->bindings();
    for (uint32_t i = 0; i < bindings.size(); ++i) {
      const schema::Binding &binding = *bindings.Get(i);
      switch (binding.kind()) {
      case schema::BindingKind::Input:
        table[i] = bytesOf(*run.inputs[binding.index()]).begin;
        break;
      case schema::BindingKind::Result:
        table[i] = bytesOf(*run.outputs[binding.index()]).begin;
        break;
      case schema::BindingKind::Workspace:
        table[i] =
            base + layout.buffers +
            static_cast<uint64_t>(batch) * binding.offset_per_sequence() +
            binding.offset_constant();
        break;
      }
    }
    arguments.numBuffers = bindings.size();
    arguments.packed = launch.packed.data();
    arguments.numPacked = static_cast<uint32_t>(launch.packed.size());
    arguments.programmatic = launch.dispatch->programmatic();
    (void)gridSize(*launch.variant, static_cast<uint64_t>(batch),
                   arguments.workgroups);
    HK_TRY(launch.kernel->launch(arguments));
  }
  return Status();
}

Status Session::run(const RunArguments &run) const {
  HK_TRY(runOnStream(run));
  DeviceScope scope(device());
  HK_TRY(scope.status());
  return device().synchronize(run.stream);
}

Status Session::capture(RunArguments run,
                        std::unique_ptr<CapturedGraph> &graph) const {
  DeviceScope scope(device());
  HK_TRY(scope.status());
  HK_TRY(device().createStream(run.stream));
  Status status = device().beginCapture(run.stream);
  if (status.ok()) {
    status = runOnStream(run);
    Status ended = device().endCapture(run.stream, status.ok(), graph);
    if (status.ok())
      status = std::move(ended);
  }
  (void)device().destroyStream(run.stream);
  return status;
}

} // namespace hk
