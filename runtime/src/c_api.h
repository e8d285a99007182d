// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the C API share: the handles, and how a Status leaves.
// Nothing is thrown through the API.
#ifndef HK_RUNTIME_C_API_H
#define HK_RUNTIME_C_API_H

#include "runner.h"

#include "hk/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

struct hk_context {
  std::shared_ptr<hk::Context> impl;
};
struct hk_module {
  std::shared_ptr<hk::Module> impl;
};
struct hk_params {
  hk::Params impl;
};
struct hk_session {
  std::shared_ptr<hk::Session> impl;
};

struct hk_graph {
  std::shared_ptr<hk::Session> session; // outlives the graph
  std::shared_ptr<const hk::LoadedPlan> plan;
  std::unique_ptr<hk::CapturedGraph> impl;
};
struct hk_runner {
  std::unique_ptr<hk::Runner> impl;
};
struct hk_event {
  std::shared_ptr<hk::Context> context; // outlives the event
  std::unique_ptr<hk::Event> impl;
  bool recorded = false;
};

namespace hk {
namespace capi {

inline hk_code report(hk_code code, const char *message, size_t size,
                      hk_status *status) {
  if (status) {
    status->code = code;
    size = std::min<size_t>(size, HK_MESSAGE_SIZE - 1);
    std::memcpy(status->message, message, size);
    status->message[size] = '\0';
  }
  return code;
}

/// Runs `body`, which returns a Status, and reports it.
template <typename Body> hk_code guard(hk_status *status, Body body) {
  auto fail = [status](hk_code code, const char *message) {
    return report(code, message, std::strlen(message), status);
  };
  try {
    const Status result = body();
    if (result.ok())
      return report(HK_OK, "", 0, status);
    return report(result.code(), result.message().data(),
                  result.message().size(), status);
  } catch (const std::bad_alloc &) {
    return fail(HK_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &exception) {
    return fail(HK_INTERNAL, exception.what());
  } catch (...) {
    return fail(HK_INTERNAL, "unknown exception");
  }
}

inline Status checkPointer(const void *pointer, const char *name) {
  if (!pointer)
    return invalidArgument("expects ", name, ", but got NULL");
  return Status();
}

/// A copy for hk_string_free.
inline Status copyString(const std::string &text, char *&copy) {
  copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return Status();
}

inline RunArguments runArguments(void *stream, DLTensor *const *inputs,
                                 uint32_t numInputs, DLTensor *const *outputs,
                                 uint32_t numOutputs, void *workspace,
                                 size_t workspaceSize) {
  return {inputs,    numInputs,     outputs, numOutputs,
          workspace, workspaceSize, stream};
}

inline Status checkIndex(const char *what, uint32_t index, size_t count) {
  if (index >= count)
    return invalidArgument("expects the index of one of ", count, " ", what,
                           "s, but got ", index);
  return Status();
}

} // namespace capi
} // namespace hk

#endif // HK_RUNTIME_C_API_H
