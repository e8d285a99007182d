/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C API of the hk runtime: load a compiled module, prepare a session with
 * the parameters of a checkpoint, run it on the caller's buffers.
 *
 *   hk_context *context;  hk_module *module;  hk_params *params;
 *   hk_session *session;  hk_status status;
 *   hk_context_create(NULL, &context, &status);
 *   hk_module_load("model.hkm", &module, &status);
 *   hk_params_open("weights.safetensors", &params, &status);
 *   hk_session_create(context, module, params, NULL, &session, &status);
 *   hk_session_workspace_size(session, batch, &size, &status);
 *   hk_session_run(session, inputs, 2, outputs, 1, workspace, size, &status);
 *
 * Errors. A function that can fail returns an hk_code, equal to status->code,
 * and takes a caller-owned hk_status as its last argument (NULL: the message is
 * not wanted). On failure, results are not written. The runtime never prints,
 * never exits, and keeps no error state.
 *
 * Threads. There is no global state. All functions may be called from any
 * thread; objects are immutable once created, except hk_params while tensors
 * are added to it. Several threads may run one session at once, each with a
 * workspace of its own.
 *
 * Lifetime. Objects keep alive what they were made from: a context or a module
 * may be destroyed before the sessions that use it. Strings and shapes in the
 * info structures belong to the object asked and live as long as it. All
 * destroy functions accept NULL.
 *
 * Trust. A module holds machine code: whoever may replace the file may run
 * code. What is promised is that a broken or hostile *description* (metadata,
 * checkpoint) is refused with an error. Files are mapped; truncating one while
 * it is in use is undefined. */
#ifndef HK_RUNTIME_H
#define HK_RUNTIME_H

#include "hk/dlpack_abi.h"

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define HK_API
#else
#define HK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------ */

typedef enum hk_code {
  HK_OK = 0,
  HK_INVALID_ARGUMENT = 1, /* the caller's tensors, sizes or options */
  HK_NOT_FOUND = 2,        /* no such file, function, plan or parameter */
  HK_MALFORMED = 3,        /* a file that is broken */
  HK_UNSUPPORTED = 4, /* well-formed, but not for this runtime or machine */
  HK_ENVIRONMENT = 5, /* the system refused: I/O, mapping, threads, HK_* */
  HK_OUT_OF_MEMORY = 6,
  HK_INTERNAL = 7
} hk_code;

#define HK_MESSAGE_SIZE 1024

/* `message` is empty on success, else one line, cut to fit. */
typedef struct hk_status {
  hk_code code;
  char message[HK_MESSAGE_SIZE];
} hk_status;

/* "ok", "invalid argument", "not found", ... */
HK_API const char *hk_code_name(hk_code code);

/* The version of the runtime, such as "0.1.0". */
HK_API const char *hk_version(void);

/* Frees a string that the runtime returned. NULL is accepted. */
HK_API void hk_string_free(char *text);

/* ---- Types ------------------------------------------------------------- */

/* Element types, numbered as in the module file. HK_DTYPE_OTHER: a type that
 * a checkpoint may hold and no module reads (int64, float8, ...). */
typedef enum hk_dtype {
  HK_DTYPE_OTHER = 0,
  HK_DTYPE_F64 = 1,
  HK_DTYPE_F32 = 2,
  HK_DTYPE_F16 = 3,
  HK_DTYPE_BF16 = 4,
  HK_DTYPE_I32 = 5,
  HK_DTYPE_I1 = 6 /* one byte an element: zero or not zero */
} hk_dtype;

/* Bytes of one element; 0 for HK_DTYPE_OTHER. */
HK_API size_t hk_dtype_size(hk_dtype dtype);
/* "f64", "f32", "f16", "bf16", "i32", "i1"; "other". */
HK_API const char *hk_dtype_name(hk_dtype dtype);

/* A dense row-major tensor. In the inputs and outputs of a function dimension
 * 0 is the batch, the same in all of them; -1 where it is free. */
typedef struct hk_tensor_info {
  const char *name; /* never NULL, may be empty */
  hk_dtype dtype;
  const char *dtype_name; /* of the file, also for HK_DTYPE_OTHER ("i64") */
  uint32_t rank;
  const int64_t *shape; /* `rank` dimensions; NULL where rank is 0 */
} hk_tensor_info;

/* ---- Context: threads and a device -------------------------------------- */

typedef struct hk_context hk_context;

typedef enum hk_device_kind {
  HK_DEVICE_CPU = 0,
  HK_DEVICE_CUDA = 1,
  HK_DEVICE_AUTO = 2 /* CUDA where a GPU can be used, else the CPU */
} hk_device_kind;

/* Calls body(state, worker) once for each worker in [0, workers), in any order
 * and on any threads, and returns when all calls have returned. */
typedef void (*hk_parallel_body)(void *state, uint32_t worker);
typedef void (*hk_parallel_for)(void *user, uint32_t workers,
                                hk_parallel_body body, void *state);

/* What the runtime has to say beside errors, a line each time: which plan a
 * session chose, and which it refused, and why. Called by whatever thread
 * called the runtime; `message` lives as long as the call. */
typedef void (*hk_log)(void *user, const char *message);

typedef struct hk_context_options {
  size_t struct_size; /* sizeof(hk_context_options) */
  /* Workers, the calling thread being one of them. 0: HK_THREADS, or else all
   * the cores the process may use. At most 1024. */
  uint32_t threads;
  /* The caller's own pool, used instead of one owned by the context. It may be
   * called by several threads at once. NULL: the context starts threads. */
  hk_parallel_for parallel_for;
  void *parallel_for_user;
  /* Caps the instruction set: "x86-64", "x86-64-v3" or "x86-64-v4". NULL:
   * HK_ISA, or else no cap. A level that the machine lacks changes nothing. */
  const char *isa;
  /* Where sessions of this context run, and of several GPUs which. A CUDA
   * device is used through the driver alone (libcuda.so.1, or the library that
   * HK_CUDA_DRIVER names), in its primary context, which PyTorch and the CUDA
   * runtime use too. */
  hk_device_kind device;
  uint32_t device_ordinal;
  /* NULL: to stderr where HK_LOG is 1, else to nobody. */
  hk_log log;
  void *log_user;
} hk_context_options;

typedef struct hk_device_info {
  hk_device_kind kind;      /* never HK_DEVICE_AUTO */
  uint32_t ordinal;         /* what follows is 0 where it is not of that kind */
  const char *name;         /* "NVIDIA H200"; of the CPU its instruction set */
  uint32_t sm;              /* CUDA: 10 * major + minor: 90 */
  uint32_t driver_version;  /* CUDA that the driver speaks: 13000 for 13.0 */
  uint32_t multiprocessors; /* CUDA */
  uint64_t memory;          /* bytes */
} hk_device_info;

/* `options` may be NULL. Fails with HK_ENVIRONMENT where HK_THREADS or HK_ISA
 * cannot be read or threads cannot be started; with HK_UNSUPPORTED where a CUDA
 * device is asked for and there is no driver, one too old, or no such device.
 */
HK_API hk_code hk_context_create(const hk_context_options *options,
                                 hk_context **context, hk_status *status);
HK_API void hk_context_destroy(hk_context *context);
/* Number of workers, at least 1. */
HK_API uint32_t hk_context_num_workers(const hk_context *context);
/* The instruction set in use after caps: "x86-64-v4", "x86-64-v3", "x86-64",
 * or "none" on other machines. */
HK_API const char *hk_context_isa(const hk_context *context);
/* The device of its sessions. */
HK_API void hk_context_get_device(const hk_context *context,
                                  hk_device_info *info);

/* ---- Module ------------------------------------------------------------ */

typedef struct hk_module hk_module;

typedef enum hk_role {
  HK_ROLE_CANDIDATE = 0,
  HK_ROLE_SAFE = 1,
  HK_ROLE_REFERENCE = 2,
  HK_ROLE_ORACLE = 3
} hk_role;

typedef enum hk_remark_kind {
  HK_REMARK_PASSED = 0,
  HK_REMARK_MISSED = 1,
  HK_REMARK_FAILURE = 2,
  HK_REMARK_ANALYSIS = 3
} hk_remark_kind;

typedef struct hk_function_info {
  const char *name;
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_plans;
  int32_t oracle; /* index of the function that is its fp64 oracle, or -1 */
} hk_function_info;

typedef struct hk_plan_info {
  const char *name;
  uint32_t rank; /* 0 is the compiler's first choice */
  hk_role role;
  uint32_t num_dispatches;
} hk_plan_info;

typedef struct hk_remark_info {
  hk_remark_kind kind;
  const char *pass;
  const char *function;
  const char *location;
  const char *message;
} hk_remark_info;

/* Maps a module file and verifies it. HK_NOT_FOUND, HK_ENVIRONMENT where it
 * cannot be read, HK_MALFORMED, or HK_UNSUPPORTED for a newer version. */
HK_API hk_code hk_module_load(const char *path, hk_module **module,
                              hk_status *status);
/* The same from memory, which is copied; any alignment. */
HK_API hk_code hk_module_load_memory(const void *data, size_t size,
                                     hk_module **module, hk_status *status);
HK_API void hk_module_destroy(hk_module *module);

/* The metadata as JSON, indented, NUL-terminated; free with hk_string_free. */
HK_API hk_code hk_module_to_json(const hk_module *module, char **text,
                                 hk_status *status);
/* The compiler that wrote it, such as "hk 0.1.0". */
HK_API const char *hk_module_producer(const hk_module *module);

HK_API uint32_t hk_module_num_functions(const hk_module *module);
/* HK_INVALID_ARGUMENT where an index is out of range (as below). */
HK_API hk_code hk_module_function(const hk_module *module, uint32_t function,
                                  hk_function_info *info, hk_status *status);
/* HK_NOT_FOUND, with the names there are, where there is none such. */
HK_API hk_code hk_module_find_function(const hk_module *module,
                                       const char *name, uint32_t *function,
                                       hk_status *status);
HK_API hk_code hk_module_input(const hk_module *module, uint32_t function,
                               uint32_t index, hk_tensor_info *info,
                               hk_status *status);
HK_API hk_code hk_module_output(const hk_module *module, uint32_t function,
                                uint32_t index, hk_tensor_info *info,
                                hk_status *status);
HK_API hk_code hk_module_plan(const hk_module *module, uint32_t function,
                              uint32_t index, hk_plan_info *info,
                              hk_status *status);

/* The tensors of a checkpoint that the module may need, by full key. */
HK_API uint32_t hk_module_num_parameters(const hk_module *module);
HK_API hk_code hk_module_parameter(const hk_module *module, uint32_t index,
                                   hk_tensor_info *info, hk_status *status);

HK_API uint32_t hk_module_num_remarks(const hk_module *module);
HK_API hk_code hk_module_remark(const hk_module *module, uint32_t index,
                                hk_remark_info *info, hk_status *status);

/* ---- Parameters -------------------------------------------------------- */

typedef struct hk_params hk_params;

/* A set of named tensors, empty. */
HK_API hk_code hk_params_create(hk_params **params, hk_status *status);
/* hk_params_create, then hk_params_add_file. */
HK_API hk_code hk_params_open(const char *path, hk_params **params,
                              hk_status *status);
HK_API void hk_params_destroy(hk_params *params);

/* Maps a safetensors file and adds its tensors (call once for each shard).
 * HK_NOT_FOUND, HK_ENVIRONMENT, HK_MALFORMED; HK_INVALID_ARGUMENT where a key
 * is already in the set. On failure nothing is added. */
HK_API hk_code hk_params_add_file(hk_params *params, const char *path,
                                  hk_status *status);
/* Adds one dense tensor. `key` and `shape` are copied; `data` is borrowed, must
 * outlive hk_session_create, and may have any alignment. */
HK_API hk_code hk_params_add(hk_params *params, const char *key, hk_dtype dtype,
                             uint32_t rank, const int64_t *shape,
                             const void *data, hk_status *status);

HK_API uint32_t hk_params_count(const hk_params *params);
/* `info` and `data` may be NULL. */
HK_API hk_code hk_params_get(const hk_params *params, uint32_t index,
                             hk_tensor_info *info, const void **data,
                             hk_status *status);
HK_API hk_code hk_params_find(const hk_params *params, const char *key,
                              hk_tensor_info *info, const void **data,
                              hk_status *status);

/* ---- Session: a function, ready to run --------------------------------- */

typedef struct hk_session hk_session;

typedef enum hk_tuning {
  HK_TUNING_DEFAULT = 0, /* on, unless HK_TUNE is 0 */
  HK_TUNING_OFF = 1,
  HK_TUNING_ON = 2
} hk_tuning;

typedef struct hk_session_options {
  size_t struct_size;   /* sizeof(hk_session_options) */
  const char *function; /* NULL: the module's first function */
  /* NULL: the plan of lowest rank that this machine can run, among candidate
   * and safe plans (on a GPU among safe ones, if there are any), or among all
   * of them where a function has none of these (an oracle). On a GPU, others
   * may be chosen by measurement (below). By name, a plan of any role, and no
   * other.
   */
  const char *plan;
  /* Most bytes that preparation may take, packed values and temporaries
   * together. 0: the machine's memory. */
  uint64_t memory_limit;
  hk_tuning tuning;
} hk_session_options;

typedef struct hk_session_info {
  const char *function;
  uint32_t function_index;
  const char *plan; /* that was chosen last; what follows is of that plan */
  uint32_t plan_rank;
  hk_role plan_role;
  const char *isa; /* the highest among the variants chosen: "sm_90a" */
  uint32_t num_workers;
  uint32_t num_dispatches;
  uint64_t packed_bytes; /* the device's memory that packed parameters take */
} hk_session_info;

/* Chooses a plan for the context's device and packs the parameters for it: on
 * the host, from where they are copied to the device once. `options` may be
 * NULL, and `params` where the plan needs none; `params` may be destroyed
 * afterwards (a session that will choose among plans keeps its files mapped,
 * and copies tensors that were borrowed).
 *
 * A stored float type other than the module's is accepted: packing widens to
 * float64, which is exact, so nothing is lost. Other types are refused, as are
 * other shapes (HK_INVALID_ARGUMENT); missing keys are HK_NOT_FOUND; a module
 * for other machines is HK_UNSUPPORTED, as is PTX newer than the driver. */
HK_API hk_code hk_session_create(hk_context *context, hk_module *module,
                                 const hk_params *params,
                                 const hk_session_options *options,
                                 hk_session **session, hk_status *status);
HK_API void hk_session_destroy(hk_session *session);
HK_API void hk_session_get_info(const hk_session *session,
                                hk_session_info *info);

/* Bytes of workspace, of the device's memory, that a run of this batch needs,
 * whatever plan will be chosen, scratch of all workers included. It does not
 * decrease with the batch. HK_INVALID_ARGUMENT for a negative batch, for one
 * other than the module's static batch, or for one whose size overflows. */
HK_API hk_code hk_session_workspace_size(const hk_session *session,
                                         int64_t batch, size_t *size,
                                         hk_status *status);

/* Runs the function and returns when the outputs are written. Tensors and the
 * workspace are on the context's device. Tensors are dense, aligned to their
 * element, of the types and shapes that the module states, with one batch for
 * all; an i1 tensor is kDLBool or 8-bit kDLUInt. On a CUDA device they are
 * aligned to 16 bytes, and the work goes through its default stream. No output
 * may overlap an input, another output or the workspace. The workspace may have
 * any alignment and holds nothing between runs. Nothing is allocated. A batch
 * of 0 succeeds and does nothing. */
HK_API hk_code hk_session_run(const hk_session *session,
                              DLTensor *const *inputs, uint32_t num_inputs,
                              DLTensor *const *outputs, uint32_t num_outputs,
                              void *workspace, size_t workspace_size,
                              hk_status *status);

/* The same without waiting: the kernels are launched on `stream` (a CUstream or
 * cudaStream_t of the context's device; NULL: its default stream), in order
 * behind what is there, and tensors and workspace belong to them until they are
 * done. Nothing is allocated and nothing is waited for, so this is legal while
 * the stream is captured. A kernel that goes wrong later shows where the stream
 * is next waited for. On the CPU the stream is NULL, and the outputs are
 * written when this returns. */
HK_API hk_code hk_session_run_on_stream(
    const hk_session *session, void *stream, DLTensor *const *inputs,
    uint32_t num_inputs, DLTensor *const *outputs, uint32_t num_outputs,
    void *workspace, size_t workspace_size, hk_status *status);

/* ---- Choosing a plan by measurement ------------------------------------- */

/* How runs are launched: kernel by kernel, or as a captured graph (below). Each
 * has its own best plan. */
typedef enum hk_launch_mode {
  HK_LAUNCH_DIRECT = 0,
  HK_LAUNCH_GRAPH = 1
} hk_launch_mode;

/* Chooses the plan for runs of this batch that are launched in this way. Every
 * safe and candidate plan, with every variant of its kernels that suits the
 * device, is run on these tensors, compared with the module's reference plan
 * (an element passes where it is finite and |d| <= 2e-3 or |d| <= 2e-2 |ref|),
 * and timed. The fastest that passes is kept for the life of the session; a
 * safe plan wins where it is at most 3 % slower. Where none passes, the
 * reference plan runs, and a message says so. Elements whose reference is not
 * finite are left out; where nearly all are, nothing is chosen, runs keep the
 * plan that they had, and a message says so.
 *
 * Without this call the same happens in the first run of each batch, graphs
 * included (at most 64 batches of each mode; others take the choice of the
 * nearest). In a stream that is being captured it does not, and the session's
 * first plan runs.
 *
 * Waits for the stream, allocates (what is not chosen is freed again, but for
 * the session's first plan), and overwrites outputs and workspace, which are of
 * the size that hk_session_workspace_size tells. Does nothing on the CPU, in a
 * session with a plan by name, with tuning off, and where the module has no
 * reference plan for the device. HK_INVALID_ARGUMENT where the stream is being
 * captured; HK_INTERNAL where a kernel goes wrong. */
HK_API hk_code hk_session_tune(hk_session *session, hk_launch_mode mode,
                               void *stream, DLTensor *const *inputs,
                               uint32_t num_inputs, DLTensor *const *outputs,
                               uint32_t num_outputs, void *workspace,
                               size_t workspace_size, hk_status *status);

/* What was measured, as JSON; free with hk_string_free:
 *   {"function": "forward", "device": "sm_90 (NVIDIA H200, CUDA 13.0)",
 *    "tunings": [{"batch": 64, "launch": "direct", "plan": "fused",
 *      "reason": "the fastest of 2 that pass, of 3",
 *      "choose_ms": {"total": 85.1, "load": 50.3, "reference": 1.2,
 *                    "compare": 10.4, "measure": 22.9},
 *      "contenders": [{"plan": "safe", "role": "Safe", "rank": 1,
 *        "dispatches": 21, "variants": {"qkv": "#hk.cuda<..>"},
 *        "verdict": "passed" | "inaccurate" | "slower" | "failed",
 *        "reason": "", "microseconds": 81.2 | null,
 *        "max_error": 1e-3 | null}, ..]}, ..]}
 */
HK_API hk_code hk_session_report(const hk_session *session, char **json,
                                 hk_status *status);

/* ---- Graphs: a run, captured ------------------------------------------- */

typedef struct hk_graph hk_graph;

/* Captures a run of the session on these tensors and this workspace. The graph
 * holds their addresses and the batch: every launch reads and writes the same
 * memory, which must outlive it. It keeps the session. Pays where a plan has
 * several dispatches. HK_UNSUPPORTED on the CPU; not legal while a stream of
 * this thread is being captured. */
HK_API hk_code hk_graph_create(const hk_session *session,
                               DLTensor *const *inputs, uint32_t num_inputs,
                               DLTensor *const *outputs, uint32_t num_outputs,
                               void *workspace, size_t workspace_size,
                               hk_graph **graph, hk_status *status);
/* Launches it, as hk_session_run_on_stream does. Launches of one graph run one
 * after another, on whatever streams. */
HK_API hk_code hk_graph_launch(const hk_graph *graph, void *stream,
                               hk_status *status);
/* Not while it runs. */
HK_API void hk_graph_destroy(hk_graph *graph);

/* ---- Runners: a run, repeated as fast as can be ------------------------- */

typedef struct hk_runner hk_runner;

typedef struct hk_runner_info {
  const char *plan;
  hk_launch_mode mode; /* how it is launched */
  uint32_t num_sets;
  double direct_microseconds; /* 0 where it was not measured */
  double graph_microseconds;
} hk_runner_info;

/* Prepares runs on these inputs and this workspace, with results in turn in
 * each of `num_sets` sets of outputs (1 to 8; with 2, the last result stays
 * while the next is computed). `outputs` has num_sets * num_outputs tensors, a
 * set after the other. Launching directly and replaying a graph are timed on
 * `stream`, and the graph, which takes the host less, is kept unless it is more
 * than 3 % slower. All memory must outlive the runner, which keeps the session.
 * Otherwise as hk_graph_create; HK_UNSUPPORTED on the CPU. Overwrites outputs
 * and workspace. */
HK_API hk_code hk_runner_create(hk_session *session, void *stream,
                                DLTensor *const *inputs, uint32_t num_inputs,
                                DLTensor *const *outputs, uint32_t num_outputs,
                                uint32_t num_sets, void *workspace,
                                size_t workspace_size, hk_runner **runner,
                                hk_status *status);
/* Launches a run and tells the set that it writes (`set` may be NULL). `inputs`
 * NULL: those of the creation. Inputs in other places are launched directly, on
 * the plan that was chosen. Nothing is allocated and nothing is waited for. One
 * thread at a time; runs of one runner share its workspace, so they are on one
 * stream or ordered by the caller. */
HK_API hk_code hk_runner_run(hk_runner *runner, void *stream,
                             DLTensor *const *inputs, uint32_t num_inputs,
                             uint32_t *set, hk_status *status);
HK_API void hk_runner_get_info(const hk_runner *runner, hk_runner_info *info);
/* Not while it runs. */
HK_API void hk_runner_destroy(hk_runner *runner);

#ifdef __cplusplus
}
#endif

#endif /* HK_RUNTIME_H */
