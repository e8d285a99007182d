// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of a module, ready to run: a plan, its kernels and its packed
// parameters. Immutable; each run brings its own workspace.
#ifndef HK_RUNTIME_SESSION_H
#define HK_RUNTIME_SESSION_H

#include "context.h"
#include "module.h"
#include "packing.h"
#include "params.h"

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

class Session {
public:
  static Status create(std::shared_ptr<Context> context,
                       std::shared_ptr<Module> module, const Params *params,
                       const hk_session_options &options,
                       std::shared_ptr<Session> &session);

  hk_session_info info() const;
  Status workspaceSize(int64_t batch, uint64_t &size) const;
  /// Launches the plan on the stream and returns.
  Status runOnStream(const RunArguments &run) const;
  /// The same, and waits until the outputs are written.
  Status run(const RunArguments &run) const;
  /// Captures a run; of the arguments the stream is not used.
  Status capture(RunArguments run, std::unique_ptr<CapturedGraph> &graph) const;

  Device &device() const { return context_->device(); }

private:
  /// A dispatch, resolved but for the addresses of a run.
  struct Launch {
    const Kernel *kernel = nullptr;
    const schema::Variant *variant = nullptr;
    const schema::Dispatch *dispatch = nullptr;
    std::vector<const void *> packed; // by slot
  };
  /// Scratch of two workers shares no line, nor the pair that is fetched with
  /// it.
  static constexpr uint64_t kScratchAlignment = 128;

  /// Where the parts of a workspace lie, from its first aligned byte.
  struct WorkspaceLayout {
    uint64_t buffers = 0;
    uint64_t scratch = 0;
    uint64_t size = 0; // slack for alignment included
  };

  Session(std::shared_ptr<Context> context, std::shared_ptr<Module> module)
      : context_(std::move(context)), module_(std::move(module)) {}

  Status prepare(const Params *params, uint64_t memoryLimit);
  /// Checks what the caller brought; with a batch of 0 the layout is not set.
  Status checkRun(const RunArguments &run, int64_t &batch,
                  WorkspaceLayout &layout) const;
  Status layOut(uint64_t batch, WorkspaceLayout &layout) const;
  int64_t staticBatch() const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<Module> module_;
  uint32_t functionIndex_ = 0;
  const schema::Function *function_ = nullptr;
  const schema::Plan *plan_ = nullptr;

  PackedValues packed_; // without its buffer where the next one is used
  DeviceBuffer devicePacked_;
  std::vector<std::unique_ptr<Kernel>> kernels_; // by executable, or null
  std::vector<Launch> launches_;
  uint64_t scratchStride_ = 0;
  uint64_t tableSize_ = 0; // bytes of the buffer pointers of the widest launch
  const char *isa_ = "none";
};

} // namespace hk

#endif // HK_RUNTIME_SESSION_H
