// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API: graphs and runners.
#include "c_api.h"

namespace {

using namespace hk::capi;
using hk::Status;

} // namespace

extern "C" {

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
                                  created->impl, created->plan));
    *graph = created.release();
    return Status();
  });
}

hk_code hk_graph_launch(const hk_graph *graph, void *stream,
                        hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(graph, "a graph"));
    return graph->impl->launch(stream);
  });
}

void hk_graph_destroy(hk_graph *graph) { delete graph; }

hk_code hk_runner_create(hk_session *session, void *stream,
                         DLTensor *const *inputs, uint32_t num_inputs,
                         DLTensor *const *outputs, uint32_t num_outputs,
                         uint32_t num_sets, void *workspace,
                         size_t workspace_size, hk_runner **runner,
                         hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(session, "a session"));
    HK_TRY(checkPointer(runner, "a place for the runner"));
    auto created = std::make_unique<hk_runner>();
    HK_TRY(
        hk::Runner::create(session->impl,
                           runArguments(stream, inputs, num_inputs, outputs,
                                        num_outputs, workspace, workspace_size),
                           num_sets, created->impl));
    *runner = created.release();
    return Status();
  });
}

hk_code hk_runner_run(hk_runner *runner, void *stream, DLTensor *const *inputs,
                      uint32_t num_inputs, uint32_t *set, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(runner, "a runner"));
    uint32_t written = 0;
    HK_TRY(runner->impl->run(stream, inputs, num_inputs, written));
    if (set)
      *set = written;
    return Status();
  });
}

void hk_runner_get_info(const hk_runner *runner, hk_runner_info *info) {
  *info = runner->impl->info();
}

void hk_runner_destroy(hk_runner *runner) { delete runner; }

} // extern "C"
