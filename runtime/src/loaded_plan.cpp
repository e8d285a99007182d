// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loaded_plan.h"

#include "checked.h"
#include "module_check.h"
#include "tensor_check.h"

#include <algorithm>

namespace hk {
namespace {

using format::kBufferAlignment;

/// The first byte of the workspace that is used.
constexpr uint64_t kWorkspaceAlignment = 256;

uint8_t *alignedBase(void *workspace) {
  const uintptr_t start = reinterpret_cast<uintptr_t>(workspace);
  return static_cast<uint8_t *>(workspace) +
         (-start & (kWorkspaceAlignment - 1));
}

} // namespace

bool LoadedPlan::Grid::size(uint64_t batch, uint64_t &size) const {
  uint64_t sum;
  if (!multiplyAdd(batch, mul, add, sum))
    return false;
  if (div != 1)
    sum = sum / div + (sum % div != 0);
  return multiply(sum, times, size);
}

Status LoadedPlan::load(Context &context, const Module &module,
                        const schema::Plan &plan, const VariantChoice &variants,
                        PackedStore &store, const Params *params,
                        uint64_t memoryLimit,
                        std::shared_ptr<const LoadedPlan> &loaded) {
  std::shared_ptr<LoadedPlan> created(new LoadedPlan(context, plan, variants));
  HK_TRY(created->load(module, store, params, memoryLimit));
  loaded = std::move(created);
  return Status();
}

Status LoadedPlan::load(const Module &loadedModule, PackedStore &store,
                        const Params *params, uint64_t memoryLimit) {
  Device &device = context_.device();
  const schema::Module &module = loadedModule.metadata();

  std::vector<size_t> positions(module.packed()->size(), SIZE_MAX);
  std::vector<uint32_t> indices;
  for (const ChosenVariant &chosen : variants_)
    for (uint32_t i = 0; chosen && i < sizeOrZero(chosen.variant->packed());
         ++i) {
      const uint32_t index = chosen.variant->packed()->Get(i);
      if (positions[index] == SIZE_MAX) {
        positions[index] = indices.size();
        indices.push_back(index);
      }
    }
  HK_TRY(store.get(indices, params, memoryLimit, packed_));

  kernels_.resize(variants_.size());
  uint64_t scratch = 0;
  uint64_t widest = 0;
  uint32_t preference = 0;
  for (size_t i = 0; i < variants_.size(); ++i) {
    const schema::Variant *variant = variants_[i].variant;
    if (!variant)
      continue;
    HK_TRY(device.load(loadedModule, *variant, variants_[i].algorithm,
                       view(module.executables()->Get(i)->name()),
                       kernels_[i]));
    scratch = std::max<uint64_t>(scratch, variant->scratch());
    sharedScratch_ = std::max(sharedScratch_, device.scratch(*variant));
    if (uint32_t p = device.preference(*variant); p > preference) {
      preference = p;
      isa_ = variant->isa()->c_str();
    }
  }
  bool followsOurs = false;
  for (const schema::Dispatch *dispatch : *plan_.dispatches()) {
    Launch launch;
    const schema::Variant &variant =
        *variants_[dispatch->executable()].variant;
    launch.kernel = kernels_[dispatch->executable()].get();
    launch.grid = {variant.grid()->mul(), variant.grid()->add(),
                   variant.grid()->div(), variant.grid_times()};
    // After a kernel of our own. In front of the first are the caller's, which
    // do not say that they have ended only after all before them; and nothing
    // is known of what a library launches.
    launch.programmatic =
        dispatch->programmatic() && context_.overlaps() && followsOurs;
    followsOurs = variant.target() == schema::Target::Cuda;
    for (const schema::Binding *binding : *dispatch->bindings())
      launch.buffers.push_back({binding->kind(), binding->index(),
                                binding->offset_per_sequence(),
                                binding->offset_constant()});
    for (uint32_t i = 0; i < sizeOrZero(variant.packed()); ++i)
      launch.packed.push_back(
          packed_[positions[variant.packed()->Get(i)]]->at(
              static_cast<int32_t>(layerOfSlot(*dispatch, variant, i))));
    widest = std::max<uint64_t>(widest, launch.buffers.size());
    launches_.push_back(std::move(launch));
  }
  // Neither overflows: scratch is capped, bindings are counted in 32 bits.
  (void)alignUp(scratch, kScratchAlignment, scratchStride_);
  if (device.inHostMemory())
    (void)alignUp(widest * sizeof(void *), kBufferAlignment, tableSize_);
  // Whatever grows with the batch: checked for the largest, so that runs need
  // not.
  perSequence_ = plan_.workspace_per_sequence();
  constant_ = plan_.workspace_constant();
  WorkspaceLayout layout;
  if (layOutChecked(0, layout).ok()) {
    scratchSize_ = scratchStride_ * device.workers() + sharedScratch_;
    for (uint64_t bit = uint64_t(1) << 62; bit > 0; bit >>= 1)
      if (layOutChecked(largestBatch_ + bit, layout).ok())
        largestBatch_ += bit;
  }
  return Status();
}

uint64_t LoadedPlan::packedBytes() const {
  uint64_t bytes = 0;
  for (const auto &value : packed_) {
    bytes += value->bytes();
    // As packValues counts them.
    (void)alignUp(bytes, kBufferAlignment, bytes);
  }
  return bytes;
}

// [pointers of one launch | buffers of the plan | scratch of each worker]
bool LoadedPlan::layOut(const schema::Plan &plan, uint64_t batch,
                        uint64_t table, uint64_t scratch,
                        WorkspaceLayout &layout) {
  uint64_t buffers;
  layout.buffers = table;
  return multiplyAdd(batch, plan.workspace_per_sequence(),
                     plan.workspace_constant(), buffers) &&
         add(layout.buffers, buffers, layout.scratch) &&
         alignUp(layout.scratch, kScratchAlignment, layout.scratch) &&
         add(layout.scratch, scratch, layout.size) &&
         // Nothing needs no alignment.
         (layout.size == 0 ||
          add(layout.size, kWorkspaceAlignment - 1, layout.size)) &&
         layout.size <= INT64_MAX;
}

Status LoadedPlan::layOutChecked(uint64_t batch,
                                 WorkspaceLayout &layout) const {
  uint64_t scratch;
  if (!multiply(scratchStride_, device().workers(), scratch) ||
      !add(scratch, sharedScratch_, scratch) ||
      !layOut(plan_, batch, tableSize_, scratch, layout))
    return invalidArgument("expects a workspace of less than 2^63 bytes, but "
                           "got a batch of ",
                           batch);
  for (const Launch &launch : launches_)
    if (uint64_t size; !launch.grid.size(batch, size) ||
                       size > device().maxWorkgroups())
      return invalidArgument("expects at most ", device().maxWorkgroups(),
                             " workgroups, but got a batch of ", batch);
  return Status();
}

Status LoadedPlan::layOut(uint64_t batch, WorkspaceLayout &layout) const {
  if (batch > largestBatch_)
    return layOutChecked(batch, layout);
  layout.buffers = tableSize_;
  layout.scratch = (tableSize_ + batch * perSequence_ + constant_ +
                    kScratchAlignment - 1) &
                   ~(kScratchAlignment - 1);
  layout.size = layout.scratch + scratchSize_;
  if (layout.size > 0)
    layout.size += kWorkspaceAlignment - 1;
  return Status();
}

void LoadedPlan::describe(const Launch &launch, const RunArguments &run,
                          int64_t batch, const WorkspaceLayout &layout,
                          uint8_t *base, void **table,
                          LaunchArguments &arguments) const {
  void **next = table;
  for (const Buffer &buffer : launch.buffers)
    switch (buffer.kind) {
    case schema::BindingKind::Input:
      *next++ = addressOf(*run.inputs[buffer.index]);
      break;
    case schema::BindingKind::Result:
      *next++ = addressOf(*run.outputs[buffer.index]);
      break;
    case schema::BindingKind::Workspace:
      *next++ = base + layout.buffers +
                static_cast<uint64_t>(batch) * buffer.perSequence +
                buffer.constant;
      break;
    }
  arguments.buffers = table;
  arguments.numBuffers = static_cast<uint32_t>(launch.buffers.size());
  arguments.packed = launch.packed.data();
  arguments.numPacked = static_cast<uint32_t>(launch.packed.size());
  arguments.batch = batch;
  arguments.programmatic = launch.programmatic;
  arguments.scratch = base + layout.scratch;
  arguments.scratchStride = scratchStride_;
  (void)launch.grid.size(static_cast<uint64_t>(batch), arguments.workgroups);
}

Status LoadedPlan::launch(const RunArguments &run, int64_t batch,
                          const WorkspaceLayout &layout) const {
  uint8_t *base = alignedBase(run.workspace);
  // Addresses for one launch: a CPU kernel takes any number of them, kept in
  // the workspace; a CUDA kernel has a limit, and they are the host's.
  void *onStack[kMaxKernelParameters];
  void **table = tableSize_ > 0 ? reinterpret_cast<void **>(base) : &onStack[0];
  LaunchArguments arguments;
  arguments.stream = run.stream;
  for (const Launch &launch : launches_) {
    describe(launch, run, batch, layout, base, table, arguments);
    HK_TRY(launch.kernel->launch(arguments));
  }
  return Status();
}

Status LoadedPlan::capture(RunArguments run, int64_t batch,
                           const WorkspaceLayout &layout,
                           std::unique_ptr<CapturedGraph> &graph) const {
  HK_TRY(device().createStream(run.stream));
  Status status = device().beginCapture(run.stream);
  if (status.ok()) {
    status = batch > 0 ? launch(run, batch, layout) : Status();
    Status ended = device().endCapture(run.stream, status.ok(), graph);
    if (status.ok())
      status = std::move(ended);
  }
  (void)device().destroyStream(run.stream);
  return status;
}

void LoadedPlan::bind(const RunArguments &run, int64_t batch,
                      const WorkspaceLayout &layout, Bound &bound) const {
  size_t size = 0;
  for (const Launch &launch : launches_)
    size += launch.buffers.size();
  bound.kernels.clear();
  bound.arguments.assign(launches_.size(), LaunchArguments());
  bound.table.resize(size);
  void **table = bound.table.data();
  for (size_t i = 0; i < launches_.size(); ++i) {
    bound.kernels.push_back(launches_[i].kernel);
    describe(launches_[i], run, batch, layout, alignedBase(run.workspace),
             table, bound.arguments[i]);
    table += launches_[i].buffers.size();
  }
}

} // namespace hk
