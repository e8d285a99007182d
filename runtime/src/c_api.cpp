// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API: statuses, contexts, sessions.
#include "c_api.h"

#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace {

using namespace hk::capi;
using hk::invalidArgument;
using hk::Status;

/// The number of an enumerator from C, where any number may be one.
template <typename Enum> int numberOf(const Enum &value) {
  int number;
  static_assert(sizeof(number) == sizeof(value));
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

/// The options given, or the defaults. Options of older headers are shorter:
/// they had these sizes.
template <typename Options>
Status readOptions(const Options *given, const char *name,
                   std::initializer_list<size_t> older, Options &options) {
  options = Options();
  options.struct_size = sizeof(Options);
  if (!given)
    return Status();
  if (given->struct_size != sizeof(Options) &&
      std::find(older.begin(), older.end(), given->struct_size) == older.end())
    return invalidArgument("expects struct_size to be sizeof(", name, "), ",
                           sizeof(Options), ", but got ", given->struct_size);
  std::memcpy(&options, given, given->struct_size);
  options.struct_size = sizeof(Options);
  return Status();
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
                       {offsetof(hk_context_options, device),
                        offsetof(hk_context_options, log)},
                       given));
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
                       {offsetof(hk_session_options, tuning)}, given));
    if (const int number = numberOf(given.tuning);
        number < HK_TUNING_DEFAULT || number > HK_TUNING_ON)
      return invalidArgument("tuning: expects an hk_tuning, but got ", number);
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

hk_code hk_session_tune(hk_session *session, hk_launch_mode mode, void *stream,
                        DLTensor *const *inputs, uint32_t num_inputs,
                        DLTensor *const *outputs, uint32_t num_outputs,
                        void *workspace, size_t workspace_size,
                        hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    if (const int number = numberOf(mode);
        number != HK_LAUNCH_DIRECT && number != HK_LAUNCH_GRAPH)
      return invalidArgument("mode: expects an hk_launch_mode, but got ",
                             number);
    return session->impl->tune(runArguments(stream, inputs, num_inputs, outputs,
                                            num_outputs, workspace,
                                            workspace_size),
                               mode);
  });
}

hk_code hk_session_report(const hk_session *session, char **json,
                          hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    HK_TRY(checkPointer(json, "a place for the text"));
    return copyString(session->impl->report(), *json);
  });
}

} // extern "C"
