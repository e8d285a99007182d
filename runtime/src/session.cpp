// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include "checked.h"
#include "module_check.h"
#include "tensor_check.h"

#include <algorithm>

namespace hk {
namespace {

using format::kBufferAlignment;

/// Scratch of two workers shares no line, nor the pair that is fetched with it.
constexpr uint64_t kScratchAlignment = 128;

/// The variant of an executable that the device runs best, or nullptr.
const schema::Variant *bestVariant(const Device &device,
                                   const schema::Executable &executable) {
  const schema::Variant *best = nullptr;
  uint32_t preference = 0;
  for (const schema::Variant *variant : *executable.variants())
    if (uint32_t offered = device.preference(*variant); offered > preference) {
      preference = offered;
      best = variant;
    }
  return best;
}

/// The executable of a plan that the device has no variant of, or nullptr.
const schema::Executable *unrunnable(const Device &device,
                                     const schema::Module &module,
                                     const schema::Plan &plan) {
  for (const schema::Dispatch *dispatch : *plan.dispatches()) {
    const schema::Executable *executable =
        module.executables()->Get(dispatch->executable());
    if (!bestVariant(device, *executable))
      return executable;
  }
  return nullptr;
}

bool isDefaultRole(schema::Role role) {
  return role == schema::Role::Candidate || role == schema::Role::Safe;
}

/// "'a', 'b'"
template <typename Named>
std::string
nameList(const flatbuffers::Vector<flatbuffers::Offset<Named>> &all) {
  constexpr uint32_t kShown = 16;
  std::string text;
  for (uint32_t i = 0; i < std::min(all.size(), kShown); ++i)
    text += concat(i ? ", '" : "'", printable(view(all.Get(i)->name())), "'");
  return all.size() > kShown ? text + ", ..." : text;
}

std::string isaList(const schema::Executable &executable) {
  std::string text;
  for (const schema::Variant *variant : *executable.variants())
    text += concat(text.empty() ? "" : " or ", printable(view(variant->isa())));
  return text;
}

using Values = flatbuffers::Vector<flatbuffers::Offset<schema::Value>>;

/// "input 1 'mask'"
std::string tensorName(const char *kind, uint32_t index, const Values &values) {
  const std::string_view name = view(values.Get(index)->name());
  return name.empty() ? concat(kind, " ", index)
                      : concat(kind, " ", index, " '", printable(name), "'");
}

Status checkTensors(const char *kind, const Values &values,
                    DLTensor *const *tensors, int64_t &batch) {
  for (uint32_t i = 0; i < values.size(); ++i)
    if (Status status = checkTensor(tensors[i], *values.Get(i)->type(), batch);
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

/// ceil((batch * mul + add) / div); false where it overflows.
bool gridSize(const schema::GridDim &grid, uint64_t batch, uint64_t &size) {
  uint64_t sum;
  if (!multiplyAdd(batch, grid.mul(), grid.add(), sum))
    return false;
  size = sum / grid.div() + (sum % grid.div() != 0);
  return true;
}

} // namespace

Status findFunction(const Module &module, const char *name, uint32_t &index) {
  const auto &functions = *module.metadata().functions();
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (view(functions.Get(i)->name()) == name) {
      index = i;
      return Status();
    }
  return error(HK_NOT_FOUND, module.name(), ": expects one of the functions ",
               nameList(functions), ", but got '", printable(name), "'");
}

Status Session::create(std::shared_ptr<Context> context,
                       std::shared_ptr<Module> module, const Params *params,
                       const hk_session_options &options,
                       std::shared_ptr<Session> &session) {
  std::shared_ptr<Session> created(
      new Session(std::move(context), std::move(module)));
  if (options.function)
    HK_TRY(findFunction(*created->module_, options.function,
                        created->functionIndex_));
  created->function_ =
      created->module_->metadata().functions()->Get(created->functionIndex_);
  HK_TRY(created->choosePlan(options));
  HK_TRY(created->prepare(params, options.memory_limit ? options.memory_limit
                                                       : physicalMemory()));
  session = std::move(created);
  return Status();
}

Status Session::choosePlan(const hk_session_options &options) {
  const Device &device = context_->cpu();
  const schema::Module &module = module_->metadata();
  const auto &plans = *function_->plans();
  const std::string subject = concat(module_->name(), ": function '",
                                     printable(view(function_->name())), "'");

  std::vector<uint32_t> allowed;
  if (options.plan) {
    for (uint32_t i = 0; i < plans.size(); ++i)
      if (view(plans.Get(i)->name()) == options.plan)
        allowed.push_back(i);
    if (allowed.empty())
      return error(HK_NOT_FOUND, subject, ": expects one of the plans ",
                   nameList(plans), ", but got '", printable(options.plan),
                   "'");
  } else {
    const bool anyDefault =
        std::any_of(plans.begin(), plans.end(), [](const schema::Plan *plan) {
          return isDefaultRole(plan->role());
        });
    for (uint32_t i = 0; i < plans.size(); ++i)
      if (!anyDefault || isDefaultRole(plans.Get(i)->role()))
        allowed.push_back(i);
    std::sort(allowed.begin(), allowed.end(), [&](uint32_t a, uint32_t b) {
      return std::make_pair(plans.Get(a)->rank(), a) <
             std::make_pair(plans.Get(b)->rank(), b);
    });
  }

  for (uint32_t i : allowed)
    if (!unrunnable(device, module, *plans.Get(i))) {
      plan_ = plans.Get(i);
      return Status();
    }
  // The least that would do: the plan that the compiler ranked last.
  const schema::Plan &last = *plans.Get(allowed.back());
  const schema::Executable &kernel = *unrunnable(device, module, last);
  return error(HK_UNSUPPORTED, subject, ": expects a machine with ",
               isaList(kernel), " (kernel '", printable(view(kernel.name())),
               "' of plan '", printable(view(last.name())), "'), but got ",
               device.capability(),
               "; compile the module for this machine too");
}

Status Session::prepare(const Params *params, uint64_t memoryLimit) {
  Device &device = context_->cpu();
  const schema::Module &module = module_->metadata();

  std::vector<const schema::Variant *> variants(module.executables()->size());
  std::vector<bool> needed(module.packed()->size());
  std::vector<uint32_t> indices;
  for (const schema::Dispatch *dispatch : *plan_->dispatches()) {
    const schema::Variant *&variant = variants[dispatch->executable()];
    if (variant)
      continue;
    variant =
        bestVariant(device, *module.executables()->Get(dispatch->executable()));
    for (uint32_t i = 0; i < sizeOrZero(variant->packed()); ++i) {
      const uint32_t index = variant->packed()->Get(i);
      if (!needed[index])
        indices.push_back(index);
      needed[index] = true;
    }
  }
  HK_TRY(packValues(module, indices, params, context_->workers(), memoryLimit,
                    packed_)
             .in(module_->name()));

  kernels_.resize(variants.size());
  uint64_t scratch = 0;
  uint64_t widest = 0;
  uint32_t preference = 0;
  for (size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i])
      continue;
    HK_TRY(device.load(*module_, *variants[i],
                       view(module.executables()->Get(i)->name()),
                       kernels_[i]));
    scratch = std::max<uint64_t>(scratch, variants[i]->scratch());
    if (uint32_t p = device.preference(*variants[i]); p > preference) {
      preference = p;
      isa_ = variants[i]->isa()->c_str();
    }
  }
  for (const schema::Dispatch *dispatch : *plan_->dispatches()) {
    Launch launch;
    launch.kernel = kernels_[dispatch->executable()].get();
    launch.variant = variants[dispatch->executable()];
    launch.dispatch = dispatch;
    for (uint32_t i = 0; i < sizeOrZero(launch.variant->packed()); ++i)
      launch.packed.push_back(packed_.at(
          module, launch.variant->packed()->Get(i), dispatch->layer()));
    widest = std::max<uint64_t>(widest, dispatch->bindings()->size());
    launches_.push_back(std::move(launch));
  }
  // Neither overflows: scratch is capped, bindings are counted in 32 bits.
  (void)alignUp(scratch, kScratchAlignment, scratchStride_);
  (void)alignUp(widest * sizeof(void *), kBufferAlignment, tableSize_);
  return Status();
}

hk_session_info Session::info() const {
  hk_session_info info = {};
  info.function = function_->name()->c_str();
  info.function_index = functionIndex_;
  info.plan = plan_->name()->c_str();
  info.plan_rank = plan_->rank();
  info.plan_role = static_cast<hk_role>(plan_->role());
  info.isa = isa_;
  info.num_workers = context_->workers().count();
  info.num_dispatches = plan_->dispatches()->size();
  info.packed_bytes = packed_.bytes;
  return info;
}

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
      multiply(scratchStride_, context_->cpu().workers(), scratch) &&
      add(layout.scratch, scratch, layout.size) &&
      add(layout.size, kScratchAlignment - 1, layout.size) &&
      layout.size <= INT64_MAX;
  if (!fits)
    return invalidArgument("expects a workspace of less than 2^63 bytes, but "
                           "got a batch of ",
                           batch);
  for (const Launch &launch : launches_)
    if (uint64_t size; !gridSize(*launch.variant->grid(), batch, size))
      return invalidArgument("expects less than 2^64 workgroups, but got a "
                             "batch of ",
                             batch);
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

Status Session::run(DLTensor *const *inputs, uint32_t numInputs,
                    DLTensor *const *outputs, uint32_t numOutputs,
                    void *workspace, uint64_t workspaceSize) const {
  const auto &inputValues = *function_->inputs();
  const auto &outputValues = *function_->outputs();
  if (numInputs != inputValues.size() || numOutputs != outputValues.size())
    return invalidArgument("expects ", inputValues.size(), " inputs and ",
                           outputValues.size(), " outputs, but got ", numInputs,
                           " and ", numOutputs);
  if ((numInputs && !inputs) || (numOutputs && !outputs))
    return invalidArgument("expects arrays of tensors, but got NULL");

  int64_t batch = -1;
  HK_TRY(checkTensors("input", inputValues, inputs, batch));
  HK_TRY(checkTensors("output", outputValues, outputs, batch));
  if (batch == 0)
    return Status();

  WorkspaceLayout layout;
  HK_TRY(layOut(static_cast<uint64_t>(batch), layout));
  if (workspaceSize < layout.size || !workspace)
    return invalidArgument("expects a workspace of ", layout.size,
                           " bytes for a batch of ", batch, ", but got ",
                           workspace ? workspaceSize : 0);
  const ByteRange work = {static_cast<uint8_t *>(workspace), layout.size};
  HK_TRY(checkOverlaps(*function_, inputs, outputs, work));

  const uintptr_t start = reinterpret_cast<uintptr_t>(workspace);
  uint8_t *base = work.begin + (-start & (kScratchAlignment - 1));
  void **table = reinterpret_cast<void **>(base);
  LaunchArguments arguments;
  arguments.buffers = table;
  arguments.batch = batch;
  arguments.scratch = base + layout.scratch;
  arguments.scratchStride = scratchStride_;
  for (const Launch &launch : launches_) {
    const auto &bindings = *launch.dispatch->bindings();
    for (uint32_t i = 0; i < bindings.size(); ++i) {
      const schema::Binding &binding = *bindings.Get(i);
      switch (binding.kind()) {
      case schema::BindingKind::Input:
        table[i] = bytesOf(*inputs[binding.index()]).begin;
        break;
      case schema::BindingKind::Result:
        table[i] = bytesOf(*outputs[binding.index()]).begin;
        break;
      case schema::BindingKind::Workspace:
        table[i] =
            base + layout.buffers +
            static_cast<uint64_t>(batch) * binding.offset_per_sequence() +
            binding.offset_constant();
        break;
      }
    }
    arguments.packed = launch.packed.data();
    (void)gridSize(*launch.variant->grid(), static_cast<uint64_t>(batch),
                   arguments.workgroups);
    launch.kernel->launch(arguments);
  }
  return Status();
}

} // namespace hk
