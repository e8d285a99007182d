// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan of a function on a device: kernels loaded, parameters packed. All that
// a run adds is the addresses of its tensors and workspace.
#ifndef HK_RUNTIME_LOADED_PLAN_H
#define HK_RUNTIME_LOADED_PLAN_H

#include "module_check.h"
#include "packed_store.h"
#include "plan_choice.h"

#include <memory>
#include <vector>

namespace hk {

/// What a caller brings to a run.
struct RunArguments {
  DLTensor *const *inputs = nullptr;
  uint32_t numInputs = 0;
  DLTensor *const *outputs = nullptr;
  uint32_t numOutputs = 0;
  void *workspace = nullptr;
  uint64_t workspaceSize = 0;
  void *stream = nullptr;
};

/// Where the parts of a workspace lie, from its first aligned byte.
struct WorkspaceLayout {
  uint64_t buffers = 0;
  uint64_t scratch = 0;
  uint64_t size = 0; // slack for alignment included
};

/// Immutable, and thread-safe. Refers to the module and to the context.
class LoadedPlan {
public:
  /// The device is entered. `variants`: by executable of the module, those of
  /// the plan.
  static Status load(Context &context, const Module &module,
                     const schema::Plan &plan, const VariantChoice &variants,
                     PackedStore &store, const Params *params,
                     uint64_t memoryLimit,
                     std::shared_ptr<const LoadedPlan> &loaded);

  const schema::Plan &plan() const { return plan_; }
  const VariantChoice &variants() const { return variants_; }
  uint32_t numLaunches() const {
    return static_cast<uint32_t>(launches_.size());
  }
  /// The highest instruction set among the variants.
  const char *isa() const { return isa_; }
  uint64_t packedBytes() const;

  /// The workspace of a plan, with `table` bytes of pointers in front of its
  /// buffers and `scratch` behind them; false where it overflows.
  static bool layOut(const schema::Plan &plan, uint64_t batch, uint64_t table,
                     uint64_t scratch, WorkspaceLayout &layout);
  /// The workspace of a batch above 0; HK_INVALID_ARGUMENT where it overflows.
  Status layOut(uint64_t batch, WorkspaceLayout &layout) const;

  /// Launches on the stream and returns. The arguments were checked against
  /// the function and against the layout; the device is entered. Allocates
  /// nothing unless it fails.
  Status launch(const RunArguments &run, int64_t batch,
                const WorkspaceLayout &layout) const;
  /// The same, captured, on a stream of its own.
  Status capture(RunArguments run, int64_t batch, const WorkspaceLayout &layout,
                 std::unique_ptr<CapturedGraph> &graph) const;

  /// Launches that are ready but for their stream; `arguments` refer to
  /// `table`.
  struct Bound {
    std::vector<const Kernel *> kernels;
    std::vector<LaunchArguments> arguments;
    std::vector<void *> table;
  };
  void bind(const RunArguments &run, int64_t batch,
            const WorkspaceLayout &layout, Bound &bound) const;

private:
  /// Where a buffer of a dispatch is.
  struct Buffer {
    schema::BindingKind kind = schema::BindingKind::Input;
    uint32_t index = 0;                     // of an input or result
    uint64_t perSequence = 0, constant = 0; // in the workspace
  };
  /// ceil((batch * mul + add) / div) * times
  struct Grid {
    uint64_t mul = 0, add = 0, div = 1, times = 1;
    bool size(uint64_t batch, uint64_t &size) const; // false: it overflows
  };
  /// A dispatch, resolved but for the addresses of a run.
  struct Launch {
    const Kernel *kernel = nullptr;
    Grid grid;
    std::vector<Buffer> buffers;
    std::vector<const void *> packed; // by slot
    bool programmatic = false;
  };
  /// Scratch of two workers shares no line, nor the pair that is fetched with
  /// it.
  static constexpr uint64_t kScratchAlignment = 128;

  LoadedPlan(Context &context, const schema::Plan &plan,
             const VariantChoice &variants)
      : context_(context), plan_(plan), variants_(variants) {}
  Status load(const Module &module, PackedStore &store, const Params *params,
              uint64_t memoryLimit);
  Device &device() const { return context_.device(); }
  Status layOutChecked(uint64_t batch, WorkspaceLayout &layout) const;
  void describe(const Launch &launch, const RunArguments &run, int64_t batch,
                const WorkspaceLayout &layout, uint8_t *base, void **table,
                LaunchArguments &arguments) const;

  Context &context_;
  const schema::Plan &plan_;
  const VariantChoice variants_;
  std::vector<std::shared_ptr<const PackedValue>> packed_;
  std::vector<std::unique_ptr<Kernel>> kernels_; // by executable, or null
  std::vector<Launch> launches_;
  uint64_t scratchStride_ = 0;
  uint64_t sharedScratch_ = 0; // of the device's own
  uint64_t scratchSize_ = 0;   // of all workers, and that
  uint64_t perSequence_ = 0, constant_ = 0; // of the workspace's buffers
  uint64_t largestBatch_ = 0;               // up to which layOut succeeds
  uint64_t tableSize_ = 0; // bytes of the buffer pointers of the widest launch
  const char *isa_ = "none";
};

} // namespace hk

#endif // HK_RUNTIME_LOADED_PLAN_H
