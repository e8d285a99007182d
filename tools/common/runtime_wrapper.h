// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owners of the runtime's handles, and its errors as exceptions.
#ifndef HK_TOOLS_COMMON_RUNTIME_WRAPPER_H
#define HK_TOOLS_COMMON_RUNTIME_WRAPPER_H

#include "common/device.h"
#include "common/parameters.h"
#include "common/tensor.h"
#include "common/tensor_io.h"

#include "hk/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace hk::tools {

struct DestroyHandle {
  void operator()(hk_context *handle) const { hk_context_destroy(handle); }
  void operator()(hk_module *handle) const { hk_module_destroy(handle); }
  void operator()(hk_params *handle) const { hk_params_destroy(handle); }
  void operator()(hk_session *handle) const { hk_session_destroy(handle); }
  void operator()(hk_graph *handle) const { hk_graph_destroy(handle); }
  void operator()(hk_runner *handle) const { hk_runner_destroy(handle); }
};
using Context = std::unique_ptr<hk_context, DestroyHandle>;
using Module = std::unique_ptr<hk_module, DestroyHandle>;
using Params = std::unique_ptr<hk_params, DestroyHandle>;

/// Throws a ToolError with the runtime's message unless `code` is HK_OK.
void check(hk_code code, const hk_status &status);

Context createContext(uint32_t threads, const DeviceChoice &device = {});
Module loadModule(const std::string &path);

/// The runtime's tensor type, or a user error for one that no tool reads.
ElementType elementTypeOf(hk_dtype type);

/// A function of a module with its inputs and outputs.
struct Function {
  uint32_t index;
  hk_function_info info;
  std::vector<Signature> inputs, outputs;
};
Function describeFunction(const hk_module *module, uint32_t index);
/// By name; the module's first function where the name is empty.
Function findFunction(const hk_module *module, const std::string &name);

/// What the module asks of a checkpoint.
std::vector<Parameter> parametersOf(const hk_module *module);

/// The tensors of a set of parameters, and their values where they were drawn.
struct Checkpoint {
  Params params;
  std::vector<Tensor> owned;
};
Checkpoint openCheckpoint(const std::vector<std::string> &files);
Checkpoint drawCheckpoint(const hk_module *module, uint64_t seed,
                          bool randomNorm);

/// A function that is ready to run on the context's device, with the workspace
/// of one caller.
class Session {
public:
  /// `plan` may be empty: the runtime's choice.
  Session(hk_context *context, hk_module *module, const hk_params *params,
          const std::string &function, const std::string &plan);

  hk_session_info info() const;
  /// Makes the outputs for a batch and binds the buffers; run() follows. The
  /// inputs must outlive the runs, and have the types of the function. With
  /// `guard`, outputs and workspace are in guarded memory.
  void bind(const Function &function, const std::vector<Tensor> &inputs,
            int64_t batch, bool guard = false);
  /// Lets the runtime choose the plan by measurement, on the bound buffers; not
  /// in a session with a plan by name.
  void tune(hk_launch_mode mode);
  /// What was measured then, as JSON.
  std::string report() const;
  /// Captures a run of the bound buffers, which runs then replay.
  void capture();
  /// Whether runs replay what was captured.
  void replay(bool wanted) { replaysGraph = wanted; }
  /// Prepares a runner of the bound buffers, on a GPU, and returns whether it
  /// replays a graph.
  bool makeRunner();
  /// Starts its next run in stream().
  void enqueueRunner();
  /// Runs, and returns the seconds that it took: on a GPU by its own clock.
  double run();
  /// Starts a run in stream() and does not wait for it; on the CPU it is over
  /// when this returns.
  void enqueue();
  void *stream() const { return device ? device->stream() : nullptr; }
  void synchronize();
  /// The outputs in the host's memory; on a GPU as of the last copy.
  std::vector<Tensor> &outputs() { return results; }
  /// Copy outputs to a GPU and from there; nothing on the CPU.
  void uploadOutputs();
  void downloadOutputs();
  size_t workspaceSize() const { return workspaceBytes; }

private:
  hk_context *context;
  std::unique_ptr<DeviceWork> device; // of a GPU
  std::unique_ptr<hk_session, DestroyHandle> handle;
  std::unique_ptr<hk_graph, DestroyHandle> graph;
  std::unique_ptr<hk_runner, DestroyHandle> runner;
  bool replaysGraph = false;
  std::vector<Tensor> results;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<DLTensor> tensors;
  std::vector<DLTensor *> inputPointers, outputPointers;
  Tensor workspace; // on the CPU
  void *workspaceData = nullptr;
  size_t workspaceBytes = 0;
};

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_RUNTIME_WRAPPER_H
