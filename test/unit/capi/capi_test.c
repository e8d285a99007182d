/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The API from plain C: capi_test MODULE CHECKPOINT, with the module and the
 * checkpoint of runtime/make_affine_module.cpp: y = (x w0 + b0) w1 + b1. */
#include "hk/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ++failures;                                                              \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
    }                                                                          \
  } while (0)

/* A call that must succeed. */
#define OK(call)                                                               \
  do {                                                                         \
    if ((call) != HK_OK) {                                                     \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              status.message);                                                 \
      exit(1);                                                                 \
    }                                                                          \
    CHECK(status.code == HK_OK && status.message[0] == '\0');                  \
  } while (0)

/* A call that must fail, with a text in its message. */
#define FAILS(call, expected, text)                                            \
  do {                                                                         \
    hk_code code_ = (call);                                                    \
    CHECK(code_ == (expected) && status.code == code_);                        \
    if (!strstr(status.message, text)) {                                       \
      ++failures;                                                              \
      fprintf(stderr, "%s:%d: expects '%s' in '%s'\n", __FILE__, __LINE__,     \
              text, status.message);                                           \
    }                                                                          \
  } while (0)

enum { kBatch = 3, kWidth = 8 };

static double weight(int layer, int i) { return 1.0 + layer + i; }
static double bias(int layer, int i) { return 0.5 * layer - i; }

static DLTensor tensor(void *data, uint8_t bits, int64_t *shape) {
  DLTensor out;
  memset(&out, 0, sizeof(out));
  out.data = data;
  out.device.device_type = kDLCPU;
  out.ndim = 2;
  out.dtype.code = kDLFloat;
  out.dtype.bits = bits;
  out.dtype.lanes = 1;
  out.shape = shape;
  return out;
}

/* A pool that runs its workers one after another, and counts regions. */
static void serial(void *user, uint32_t workers, hk_parallel_body body,
                   void *state) {
  uint32_t worker;
  ++*(int *)user;
  for (worker = 0; worker < workers; ++worker)
    body(state, worker);
}

static void checkForward(hk_context *context, hk_module *module,
                         const hk_params *params, const char *plan) {
  hk_status status;
  hk_session *session = NULL;
  hk_session_options options;
  hk_session_info info;
  size_t size = 0;
  void *workspace;
  float x[kBatch][kWidth], y[kBatch][kWidth];
  int64_t shape[2] = {kBatch, kWidth};
  DLTensor in = tensor(x, 32, shape), out = tensor(y, 32, shape);
  DLTensor *inputs[1] = {&in}, *outputs[1] = {&out};
  int row, i;

  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.plan = plan;
  OK(hk_session_create(context, module, params, &options, &session, &status));
  hk_session_get_info(session, &info);
  CHECK(strcmp(info.function, "forward") == 0);
  CHECK(strcmp(info.plan, plan ? plan : "layers") == 0);
  CHECK(strcmp(info.isa, "x86-64") == 0);
  CHECK(info.num_workers == hk_context_num_workers(context));

  for (row = 0; row < kBatch; ++row)
    for (i = 0; i < kWidth; ++i)
      x[row][i] = (float)(row - 0.25 * i);
  OK(hk_session_workspace_size(session, kBatch, &size, &status));
  workspace = malloc(size);
  OK(hk_session_run(session, inputs, 1, outputs, 1, workspace, size, &status));
  for (row = 0; row < kBatch; ++row)
    for (i = 0; i < kWidth; ++i) {
      const double expected =
          (x[row][i] * weight(0, i) + bias(0, i)) * weight(1, i) + bias(1, i);
      CHECK(fabs(y[row][i] - expected) <= 1e-5 * fabs(expected) + 1e-6);
    }

  /* Nothing to choose on the CPU. */
  OK(hk_session_tune(session, HK_LAUNCH_DIRECT, NULL, inputs, 1, outputs, 1,
                     workspace, size, &status));
  FAILS(hk_session_tune(session, (hk_launch_mode)5, NULL, inputs, 1, outputs, 1,
                        workspace, size, &status),
        HK_INVALID_ARGUMENT, "mode: expects an hk_launch_mode, but got 5");
  FAILS(hk_session_run(session, inputs, 1, outputs, 1, workspace, size - 1,
                       &status),
        HK_INVALID_ARGUMENT, "expects a workspace of");
  FAILS(
      hk_session_run(session, inputs, 0, outputs, 1, workspace, size, &status),
      HK_INVALID_ARGUMENT, "expects 1 inputs and 1 outputs, but got 0 and 1");
  CHECK(hk_session_run(session, inputs, 1, outputs, 1, NULL, 0, NULL) ==
        HK_INVALID_ARGUMENT);
  free(workspace);
  hk_session_destroy(session);
}

/* hk/device.h on the CPU, from C. */
static void checkDevice(hk_context *context) {
  hk_status status;
  hk_device_info info;
  hk_event *event = NULL;
  void *memory = NULL;
  double value = 2.5, back = 0;
  float milliseconds = -1;

  hk_context_get_device(context, &info);
  CHECK(info.kind == HK_DEVICE_CPU && info.sm == 0 && info.memory > 0);
  CHECK(strcmp(info.name, hk_context_isa(context)) == 0);
  OK(hk_device_alloc(context, sizeof(value), &memory, &status));
  OK(hk_device_write(context, memory, &value, sizeof(value), &status));
  OK(hk_device_read(context, &back, memory, sizeof(value), &status));
  CHECK(back == value);
  OK(hk_device_free(context, memory, &status));
  OK(hk_event_create(context, &event, &status));
  OK(hk_event_record(event, NULL, &status));
  OK(hk_event_elapsed(event, event, &milliseconds, &status));
  CHECK(milliseconds == 0.0f);
  hk_event_destroy(event);
}

static void checkModule(hk_module *module) {
  hk_status status;
  hk_function_info function;
  hk_tensor_info info;
  hk_plan_info plan;
  hk_remark_info remark;
  uint32_t index = 99;
  char *json = NULL;

  CHECK(strcmp(hk_module_producer(module), "hk test") == 0);
  CHECK(hk_module_num_functions(module) == 2);
  OK(hk_module_function(module, 0, &function, &status));
  CHECK(strcmp(function.name, "forward") == 0 && function.num_inputs == 1 &&
        function.num_outputs == 1 && function.num_plans == 2 &&
        function.oracle == 1);
  FAILS(hk_module_function(module, 2, &function, &status), HK_INVALID_ARGUMENT,
        "expects the index of one of 2 functions, but got 2");
  OK(hk_module_find_function(module, "forward.oracle", &index, &status));
  CHECK(index == 1);
  FAILS(hk_module_find_function(module, "backward", &index, &status),
        HK_NOT_FOUND, "but got 'backward'");
  OK(hk_module_input(module, 0, 0, &info, &status));
  CHECK(strcmp(info.name, "x") == 0 && info.dtype == HK_DTYPE_F32 &&
        info.rank == 2 && info.shape[0] == -1 && info.shape[1] == 8);
  OK(hk_module_output(module, 1, 0, &info, &status));
  CHECK(info.dtype == HK_DTYPE_F64 && strcmp(info.dtype_name, "f64") == 0);
  FAILS(hk_module_output(module, 0, 1, &info, &status), HK_INVALID_ARGUMENT,
        "one of 1 outputs");
  OK(hk_module_plan(module, 0, 1, &plan, &status));
  CHECK(strcmp(plan.name, "folded") == 0 && plan.rank == 1 &&
        plan.role == HK_ROLE_SAFE && plan.num_dispatches == 1);
  CHECK(hk_module_num_parameters(module) == 4);
  OK(hk_module_parameter(module, 3, &info, &status));
  CHECK(strcmp(info.name, "layers.1.b") == 0 && info.rank == 1);
  CHECK(hk_module_num_remarks(module) == 1);
  OK(hk_module_remark(module, 0, &remark, &status));
  CHECK(remark.kind == HK_REMARK_PASSED && strcmp(remark.pass, "hk-fold") == 0);
  OK(hk_module_to_json(module, &json, &status));
  CHECK(strstr(json, "\"producer\": \"hk test\"") != NULL);
  hk_string_free(json);
}

int main(int argc, char **argv) {
  hk_status status;
  hk_context *context = NULL;
  hk_context_options options;
  hk_module *module = NULL;
  hk_params *params = NULL, *own = NULL;
  hk_session *session = NULL;
  hk_tensor_info info;
  const void *data = NULL;
  float vectors[4][kWidth];
  const int64_t shape[1] = {kWidth};
  char path[2 * HK_MESSAGE_SIZE];
  int regions = 0, i, p;

  if (argc != 3) {
    fprintf(stderr, "expects 2 paths, but got %d\n", argc - 1);
    return 1;
  }
  CHECK(strcmp(hk_version(), "0.1.0") == 0);
  CHECK(strcmp(hk_code_name(HK_MALFORMED), "malformed") == 0);
  CHECK(hk_dtype_size(HK_DTYPE_BF16) == 2);

  FAILS(hk_module_load("no/such/file.hkm", &module, &status), HK_NOT_FOUND,
        "no/such/file.hkm: cannot open the file");
  /* A message that does not fit is cut. */
  memset(path, 'x', sizeof(path) - 1);
  path[sizeof(path) - 1] = '\0';
  FAILS(hk_module_load(path, &module, &status), HK_ENVIRONMENT, "xxx");
  CHECK(strlen(status.message) == HK_MESSAGE_SIZE - 1);
  FAILS(hk_module_load(argv[2], &module, &status), HK_MALFORMED,
        "expects a module file");
  FAILS(hk_params_open(argv[1], &params, &status), HK_MALFORMED,
        "is this a safetensors file?");
  OK(hk_module_load(argv[1], &module, &status));
  checkModule(module);

  OK(hk_params_open(argv[2], &params, &status));
  CHECK(hk_params_count(params) == 4);
  OK(hk_params_find(params, "layers.1.w", &info, &data, &status));
  CHECK(info.rank == 1 && info.shape[0] == 8 && info.dtype == HK_DTYPE_F32);
  FAILS(hk_params_find(params, "layers.2.w", &info, &data, &status),
        HK_NOT_FOUND, "but got 'layers.2.w'");

  OK(hk_context_create(NULL, &context, &status));
  checkDevice(context);
  checkForward(context, module, params, NULL);
  checkForward(context, module, params, "folded");

  /* The same parameters from memory. */
  OK(hk_params_create(&own, &status));
  for (p = 0; p < 4; ++p) {
    char key[16];
    snprintf(key, sizeof(key), "layers.%d.%c", p / 2, p % 2 ? 'b' : 'w');
    for (i = 0; i < kWidth; ++i)
      vectors[p][i] = (float)(p % 2 ? bias(p / 2, i) : weight(p / 2, i));
    if (p == 3)
      FAILS(hk_session_create(context, module, own, NULL, &session, &status),
            HK_NOT_FOUND, "1 missing, 'layers.1.b'");
    OK(hk_params_add(own, key, HK_DTYPE_F32, 1, shape, vectors[p], &status));
  }
  FAILS(hk_params_add(own, "layers.0.w", HK_DTYPE_F32, 1, shape, vectors[0],
                      &status),
        HK_INVALID_ARGUMENT, "'layers.0.w' again");
  checkForward(context, module, own, NULL);
  hk_context_destroy(context);

  /* The caller's own pool. */
  memset(&options, 0, sizeof(options));
  FAILS(hk_context_create(&options, &context, &status), HK_INVALID_ARGUMENT,
        "expects struct_size to be sizeof(hk_context_options)");
  options.struct_size = sizeof(options);
  options.threads = 3;
  options.parallel_for = serial;
  options.parallel_for_user = &regions;
  OK(hk_context_create(&options, &context, &status));
  CHECK(hk_context_num_workers(context) == 3);
  checkForward(context, module, params, NULL);
  CHECK(regions == 3); /* packing and two layers */

  /* Sessions keep what they need alive. */
  OK(hk_session_create(context, module, params, NULL, &session, &status));
  hk_context_destroy(context);
  hk_module_destroy(module);
  hk_params_destroy(params);
  hk_params_destroy(own);
  hk_session_destroy(session);
  hk_session_destroy(NULL);

  if (failures)
    fprintf(stderr, "%d checks failed\n", failures);
  return failures ? 1 : 0;
}
