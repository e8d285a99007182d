// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/runtime_wrapper.h"

#include "common/error.h"
#include "common/timing.h"

using namespace hk::tools;

static ExitCode exitCodeOf(hk_code code) {
  switch (code) {
  case HK_OK:
    return ExitOk;
  case HK_INVALID_ARGUMENT:
  case HK_NOT_FOUND:
  case HK_MALFORMED:
    return ExitUserError;
  case HK_UNSUPPORTED:
    return ExitUnsupported;
  case HK_ENVIRONMENT:
  case HK_OUT_OF_MEMORY:
    return ExitEnvironment;
  case HK_INTERNAL:
    return ExitInternal;
  }
  return ExitInternal;
}

void hk::tools::check(hk_code code, const hk_status &status) {
  if (code != HK_OK)
    throw ToolError(exitCodeOf(code), status.message);
}

Context hk::tools::createContext(uint32_t threads, const DeviceChoice &device) {
  hk_status status = {};
  hk_context_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.device = device.kind;
  options.device_ordinal = device.ordinal;
  hk_context *context = nullptr;
  check(hk_context_create(&options, &context, &status), status);
  return Context(context);
}

Module hk::tools::loadModule(const std::string &path) {
  hk_status status = {};
  hk_module *module = nullptr;
  check(hk_module_load(path.c_str(), &module, &status), status);
  return Module(module);
}

ElementType hk::tools::elementTypeOf(hk_dtype type) {
  switch (type) {
  case HK_DTYPE_F64:
    return ElementType::F64;
  case HK_DTYPE_F32:
    return ElementType::F32;
  case HK_DTYPE_F16:
    return ElementType::F16;
  case HK_DTYPE_BF16:
    return ElementType::BF16;
  case HK_DTYPE_I32:
    return ElementType::I32;
  case HK_DTYPE_I1:
    return ElementType::I1;
  case HK_DTYPE_OTHER:
    break;
  }
  throw ToolError(ExitUnsupported,
                  "expects tensors of f64, f32, f16, bf16, i32 or i1, but got "
                  "a type that this tool does not know");
}

static Signature signatureOf(const hk_tensor_info &info) {
  return {info.name, elementTypeOf(info.dtype),
          std::vector<int64_t>(info.shape, info.shape + info.rank)};
}

Function hk::tools::describeFunction(const hk_module *module, uint32_t index) {
  hk_status status = {};
  Function function = {};
  function.index = index;
  check(hk_module_function(module, index, &function.info, &status), status);
  hk_tensor_info info = {};
  for (uint32_t i = 0; i < function.info.num_inputs; ++i) {
    check(hk_module_input(module, index, i, &info, &status), status);
    function.inputs.push_back(signatureOf(info));
  }
  for (uint32_t i = 0; i < function.info.num_outputs; ++i) {
    check(hk_module_output(module, index, i, &info, &status), status);
    function.outputs.push_back(signatureOf(info));
  }
  return function;
}

Function hk::tools::findFunction(const hk_module *module,
                                 const std::string &name) {
  hk_status status = {};
  uint32_t index = 0;
  if (!name.empty())
    check(hk_module_find_function(module, name.c_str(), &index, &status),
          status);
  return describeFunction(module, index);
}

std::vector<Parameter> hk::tools::parametersOf(const hk_module *module) {
  hk_status status = {};
  std::vector<Parameter> parameters;
  hk_tensor_info info = {};
  for (uint32_t i = 0; i < hk_module_num_parameters(module); ++i) {
    check(hk_module_parameter(module, i, &info, &status), status);
    Signature signature = signatureOf(info);
    parameters.push_back({signature.name, signature.type, signature.shape});
  }
  return parameters;
}

static Params createParams() {
  hk_status status = {};
  hk_params *params = nullptr;
  check(hk_params_create(&params, &status), status);
  return Params(params);
}

Checkpoint hk::tools::openCheckpoint(const std::vector<std::string> &files) {
  hk_status status = {};
  Checkpoint checkpoint{createParams(), {}};
  for (const std::string &file : files)
    check(hk_params_add_file(checkpoint.params.get(), file.c_str(), &status),
          status);
  return checkpoint;
}

static hk_dtype dtypeOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return HK_DTYPE_F64;
  case ElementType::F32:
    return HK_DTYPE_F32;
  case ElementType::F16:
    return HK_DTYPE_F16;
  case ElementType::BF16:
    return HK_DTYPE_BF16;
  case ElementType::I32:
    return HK_DTYPE_I32;
  case ElementType::I1:
    return HK_DTYPE_I1;
  }
  return HK_DTYPE_OTHER;
}

Checkpoint hk::tools::drawCheckpoint(const hk_module *module, uint64_t seed,
                                     bool randomNorm) {
  hk_status status = {};
  std::vector<Parameter> parameters = parametersOf(module);
  ParameterInitialiser initialiser(parameters, seed, randomNorm);
  Checkpoint checkpoint{createParams(), {}};
  for (const Parameter &parameter : parameters) {
    checkpoint.owned.push_back(initialiser.make(parameter));
    check(hk_params_add(checkpoint.params.get(), parameter.key.c_str(),
                        dtypeOf(parameter.type),
                        static_cast<uint32_t>(parameter.shape.size()),
                        parameter.shape.data(), checkpoint.owned.back().data(),
                        &status),
          status);
  }
  return checkpoint;
}

Session::Session(hk_context *context, hk_module *module,
                 const hk_params *params, const std::string &function,
                 const std::string &plan)
    : context(context) {
  hk_status status = {};
  hk_session_options options = {};
  options.struct_size = sizeof options;
  options.function = function.c_str();
  options.plan = plan.empty() ? nullptr : plan.c_str();
  hk_session *session = nullptr;
  check(hk_session_create(context, module, params, &options, &session, &status),
        status);
  handle.reset(session);
}

hk_session_info Session::info() const {
  hk_session_info info = {};
  hk_session_get_info(handle.get(), &info);
  return info;
}

static DLDataType dlTypeOf(ElementType type) {
  DLDataType result = {};
  result.bits = static_cast<uint8_t>(8 * byteWidth(type));
  result.lanes = 1;
  result.code = type == ElementType::BF16  ? kDLBfloat
                : type == ElementType::I32 ? kDLInt
                : type == ElementType::I1  ? kDLBool
                                           : kDLFloat;
  return result;
}

void Session::bind(const Function &function, const std::vector<Tensor> &inputs,
                   int64_t batch, bool guard) {
  hk_status status = {};
  check(
      hk_session_workspace_size(handle.get(), batch, &workspaceBytes, &status),
      status);
  auto allocate = guard ? Tensor::guarded
                        : [](ElementType type, std::vector<int64_t> shape) {
                            return Tensor(type, std::move(shape));
                          };
  hk_device_info deviceInfo = {};
  hk_context_get_device(context, &deviceInfo);
  graph.reset();
  runner.reset();
  replaysGraph = false;
  device.reset();
  if (deviceInfo.kind == HK_DEVICE_CUDA) {
    device = std::make_unique<DeviceWork>(context);
    workspaceData = device->allocate(workspaceBytes);
  } else {
    workspace =
        allocate(ElementType::I1, {static_cast<int64_t>(workspaceBytes)});
    workspaceData = workspace.data();
  }
  results.clear();
  for (const Signature &output : function.outputs) {
    std::vector<int64_t> shape = output.shape;
    if (!shape.empty() && shape[0] < 0)
      shape[0] = batch;
    results.push_back(allocate(output.type, shape));
  }
  shapes.clear();
  tensors.clear();
  inputPointers.clear();
  outputPointers.clear();
  shapes.reserve(inputs.size() + results.size());
  tensors.reserve(inputs.size() + results.size());
  auto add = [&](const Tensor &tensor) {
    shapes.push_back(tensor.shape());
    DLTensor view = {};
    view.data = const_cast<void *>(tensor.data());
    view.device.device_type = kDLCPU;
    if (device) {
      view.data = device->allocate(tensor.byteSize());
      view.device.device_type = kDLCUDA;
      view.device.device_id = static_cast<int32_t>(deviceInfo.ordinal);
    }
    view.ndim = static_cast<int32_t>(tensor.shape().size());
    view.dtype = dlTypeOf(tensor.type());
    view.shape = shapes.back().data();
    tensors.push_back(view);
    return &tensors.back();
  };
  for (const Tensor &input : inputs) {
    inputPointers.push_back(add(input));
    if (device)
      device->write(inputPointers.back()->data, input.data(), input.byteSize());
  }
  for (const Tensor &result : results)
    outputPointers.push_back(add(result));
}

void Session::uploadOutputs() {
  for (size_t i = 0; device && i < results.size(); ++i)
    device->write(outputPointers[i]->data, results[i].data(),
                  results[i].byteSize());
}

void Session::downloadOutputs() {
  for (size_t i = 0; device && i < results.size(); ++i)
    device->read(results[i].data(), outputPointers[i]->data,
                 results[i].byteSize());
}

void Session::tune(hk_launch_mode mode) {
  hk_status status = {};
  check(hk_session_tune(handle.get(), mode, stream(), inputPointers.data(),
                        static_cast<uint32_t>(inputPointers.size()),
                        outputPointers.data(),
                        static_cast<uint32_t>(outputPointers.size()),
                        workspaceData, workspaceBytes, &status),
        status);
}

std::string Session::report() const {
  hk_status status = {};
  char *text = nullptr;
  check(hk_session_report(handle.get(), &text, &status), status);
  std::unique_ptr<char, void (*)(char *)> owner(text, hk_string_free);
  return text;
}

void Session::capture() {
  hk_status status = {};
  hk_graph *captured = nullptr;
  check(hk_graph_create(handle.get(), inputPointers.data(),
                        static_cast<uint32_t>(inputPointers.size()),
                        outputPointers.data(),
                        static_cast<uint32_t>(outputPointers.size()),
                        workspaceData, workspaceBytes, &captured, &status),
        status);
  graph.reset(captured);
  replaysGraph = true;
}

bool Session::makeRunner() {
  hk_status status = {};
  hk_runner *made = nullptr;
  check(hk_runner_create(handle.get(), stream(), inputPointers.data(),
                         static_cast<uint32_t>(inputPointers.size()),
                         outputPointers.data(),
                         static_cast<uint32_t>(outputPointers.size()), 1,
                         workspaceData, workspaceBytes, &made, &status),
        status);
  runner.reset(made);
  hk_runner_info info = {};
  hk_runner_get_info(made, &info);
  return info.mode == HK_LAUNCH_GRAPH;
}

void Session::enqueueRunner() {
  hk_status status = {};
  check(hk_runner_run(runner.get(), stream(), nullptr, 0, nullptr, &status),
        status);
}

void Session::enqueue() {
  hk_status status = {};
  if (replaysGraph)
    check(hk_graph_launch(graph.get(), stream(), &status), status);
  else
    check(hk_session_run_on_stream(handle.get(), stream(), inputPointers.data(),
                                   static_cast<uint32_t>(inputPointers.size()),
                                   outputPointers.data(),
                                   static_cast<uint32_t>(outputPointers.size()),
                                   workspaceData, workspaceBytes, &status),
          status);
}

void Session::synchronize() {
  if (device)
    device->synchronize();
}

double Session::run() {
  Stopwatch stopwatch;
  if (device)
    device->start();
  enqueue();
  return device ? device->finish() : stopwatch.seconds();
}
