// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API: statuses, contexts, sessions, graphs.
#include "c_api.h"

#include <cstddef>
#include <cstdlib>

namespace {

using namespace hk::capi;
using hk::invalidArgument;
using hk::Status;

/// The options given, or the defaults. Options of an older header are shorter:
/// `oldest` bytes or more.
template <typename Options>
Status readOptions(const Options *given, const char *name, size_t oldest,
                   Options &options) {
  options = Options();
  options.struct_size = sizeof(Options);
  if (!given)
    return Status();
  if (given->struct_size != sizeof(Options) && given->struct_size != oldest)
    return invalidArgument("expects struct_size to be sizeof(", name, "), ",
                           sizeof(Options), ", but got ", given->struct_size);
  std::memcpy(&options, given, given->struct_size);
  options.struct_size = sizeof(Options);
  return Status();
}

hk::RunArguments runArguments(void *stream, DLTensor *const *inputs,
                              uint32_t numInputs, DLTensor *const *outputs,
                              uint32_t numOutputs, void *workspace,
                              size_t workspaceSize) {
  return {inputs,    numInputs,     outputs, numOutputs,
          workspace, workspaceSize, stream};
}

} // namespace

extern "C" {

const char *hk_code_name(hk_code code) {
  switch (code) {
  case HK_OK:
    return "ok";
  case HK_INVALID_ARGUMENT:
    return "invalid argument";
  case HK_NOT_FOUND:
    return "not found";
  case HK_MALFORMED:
    return "malformed";
  case HK_UNSUPPORTED:
    return "unsupported";
  case HK_ENVIRONMENT:
    return "environment";
  case HK_OUT_OF_MEMORY:
    return "out of memory";
  case HK_INTERNAL:
    return "internal error";
  }
  return "unknown";
}

const char *hk_version(void) { return HK_VERSION; }

void hk_string_free(char *text) { std::free(text); }

size_t hk_dtype_size(hk_dtype dtype) {
  switch (dtype) {
  case HK_DTYPE_F64:
    return 8;
  case HK_DTYPE_F32:
  case HK_DTYPE_I32:
    return 4;
  case HK_DTYPE_F16:
  case HK_DTYPE_BF16:
    return 2;
  case HK_DTYPE_I1:
    return 1;
  case HK_DTYPE_OTHER:
    return 0;
  }
  return 0;
}

const char *hk_dtype_name(hk_dtype dtype) {
  switch (dtype) {
  case HK_DTYPE_F64:
    return "f64";
  case HK_DTYPE_F32:
    return "f32";
  case HK_DTYPE_F16:
    return "f16";
  case HK_DTYPE_BF16:
    return "bf16";
  case HK_DTYPE_I32:
    return "i32";
  case HK_DTYPE_I1:
    return "i1";
  case HK_DTYPE_OTHER:
    return "other";
  }
  return "other";
}

// ---- Context

hk_code hk_context_create(const hk_context_options *options,
                          hk_context **context, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(context, "a place for the context"));
    hk_context_options given;
    HK_TRY(readOptions(options, "hk_context_options",
                       offsetof(hk_context_options, device), given));
    auto created = std::make_unique<hk_context>();
    HK_TRY(hk::Context::create(given, created->impl));
    *context = created.release();
    return Status();
  });
}

void hk_context_destroy(hk_context *context) { delete context; }

uint32_t hk_context_num_workers(const hk_context *context) {
  return context->impl->workers().count();
}

const char *hk_context_isa(const hk_context *context) {
  return hk::isaName(context->impl->cpu().isa());
}

void hk_context_get_device(const hk_context *context, hk_device_info *info) {
  *info = hk_device_info();
  context->impl->device().describe(*info);
}

// ---- Session

hk_code hk_session_create(hk_context *context, hk_module *module,
                          const hk_params *params,
                          const hk_session_options *options,
                          hk_session **session, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(context, "a context"));
    HK_TRY(checkPointer(module, "a module"));
    HK_TRY(checkPointer(session, "a place for the session"));
    hk_session_options given;
    HK_TRY(readOptions(options, "hk_session_options",
                       sizeof(hk_session_options), given));
    auto created = std::make_unique<hk_session>();
    HK_TRY(hk::Session::create(context->impl, module->impl,
                               params ? &params->impl : nullptr, given,
                               created->impl));
    *session = created.release();
    return Status();
  });
}

void hk_session_destroy(hk_session *session) { delete session; }

void hk_session_get_info(const hk_session *session, hk_session_info *info) {
  *info = session->impl->info();
}

hk_code hk_session_workspace_size(const hk_session *session, int64_t batch,
                                  size_t *size, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    HK_TRY(checkPointer(size, "a place for the size"));
    uint64_t bytes = 0;
    HK_TRY(session->impl->workspaceSize(batch, bytes));
    *size = static_cast<size_t>(bytes);
    return Status();
  });
}

hk_code hk_session_run(const hk_session *session, DLTensor *const *inputs,
                       uint32_t num_inputs, DLTensor *const *outputs,
                       uint32_t num_outputs, void *workspace,
                       size_t workspace_size, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    return session->impl->run(runArguments(nullptr, inputs, num_inputs, outputs,
                                           num_outputs, workspace,
                                           workspace_size));
  });
}

hk_code hk_session_run_on_stream(const hk_session *session, void *stream,
                                 DLTensor *const *inputs, uint32_t num_inputs,
                                 DLTensor *const *outputs, uint32_t num_outputs,
                                 void *workspace, size_t workspace_size,
                                 hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    return session->impl->runOnStream(runArguments(stream, inputs, num_inputs,
                                                   outputs, num_outputs,
                                                   workspace, workspace_size));
  });
}

// ---- Graphs

hk_code hk_graph_create(const hk_session *session, DLTensor *const *inputs,
                        uint32_t num_inputs, DLTensor *const *outputs,
                        uint32_t num_outputs, void *workspace,
                        size_t workspace_size, hk_graph **graph,
                        hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    HK_TRY(checkPointer(graph, "a place for the graph"));
    auto created = std::make_unique<hk_graph>();
    created->session = session->impl;
    HK_TRY(session->impl->capture(runArguments(nullptr, inputs, num_inputs,
                                               outputs, num_outputs, workspace,
                                               workspace_size),
                                  created->impl));
    *graph = created.release();
    return Status();
  });
}

hk_code hk_graph_launch(const hk_graph *graph, void *stream,
                        hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(graph, "a graph"));
    hk::DeviceScope scope(graph->session->device());
    HK_TRY(scope.status());
    return graph->impl->launch(stream);
  });
}

void hk_graph_destroy(hk_graph *graph) { delete graph; }

} // extern "C"
