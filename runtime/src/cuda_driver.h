// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API that the runtime uses: own declarations, and
// a table of entry points that is filled at run time. Nothing of CUDA is needed
// to build, and no driver to start.
//
// This list is also what a stand-in for the driver has to export (tests): a
// shared library with these symbols, named by HK_CUDA_DRIVER.
#ifndef HK_RUNTIME_CUDA_DRIVER_H
#define HK_RUNTIME_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>

namespace hk {
namespace cuda {

// Types and values as the driver's ABI has them, under its own names.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1, // static
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

enum CUjit_option : int {
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

enum CUlaunchAttributeID : int {
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
};

union CUlaunchAttributeValue {
  char pad[64];
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
};

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

static_assert(sizeof(CUlaunchAttribute) == 72 && sizeof(CUlaunchConfig) == 56,
              "the layouts of the driver");

enum : unsigned {
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
};

enum CUstreamCaptureMode : int { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };

enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};

} // namespace cuda
} // namespace hk

/// X(exported symbol, parameters); all return CUresult.
#define HK_CUDA_DRIVER_FUNCTIONS(X)                                            \
  X(cuInit, (unsigned flags))                                                  \
  X(cuDriverGetVersion, (int *version))                                        \
  X(cuGetErrorName, (CUresult error, const char **text))                       \
  X(cuGetErrorString, (CUresult error, const char **text))                     \
  X(cuDeviceGetCount, (int *count))                                            \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                             \
  X(cuDeviceGetName, (char *name, int size, CUdevice device))                  \
  X(cuDeviceGetAttribute,                                                      \
    (int *value, CUdevice_attribute attribute, CUdevice device))               \
  X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                    \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))          \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                           \
  X(cuCtxGetCurrent, (CUcontext * context))                                    \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                  \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                 \
  X(cuCtxSynchronize, ())                                                      \
  X(cuModuleLoadDataEx,                                                        \
    (CUmodule * module, const void *image, unsigned numOptions,                \
     CUjit_option *options, void **values))                                    \
  X(cuModuleUnload, (CUmodule module))                                         \
  X(cuModuleGetFunction,                                                       \
    (CUfunction * function, CUmodule module, const char *name))                \
  X(cuFuncGetAttribute,                                                        \
    (int *value, CUfunction_attribute attribute, CUfunction function))         \
  X(cuFuncSetAttribute,                                                        \
    (CUfunction function, CUfunction_attribute attribute, int value))          \
  X(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function,      \
                       void **parameters, void **extra))                       \
  X(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                      \
  X(cuMemFree_v2, (CUdeviceptr address))                                       \
  X(cuMemcpyHtoD_v2, (CUdeviceptr target, const void *source, size_t bytes))   \
  X(cuMemcpyDtoH_v2, (void *target, CUdeviceptr source, size_t bytes))         \
  X(cuMemAllocHost_v2, (void **address, size_t bytes))                         \
  X(cuMemFreeHost, (void *address))                                            \
  X(cuMemcpyDtoHAsync_v2, (void *target, CUdeviceptr source, size_t bytes,     \
                           CUstream stream))                                   \
  X(cuMemsetD8Async,                                                           \
    (CUdeviceptr target, unsigned char value, size_t bytes, CUstream stream))  \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                       \
  X(cuStreamDestroy_v2, (CUstream stream))                                     \
  X(cuStreamSynchronize, (CUstream stream))                                    \
  X(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))    \
  X(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))      \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                    \
  X(cuGraphInstantiateWithFlags,                                               \
    (CUgraphExec * executable, CUgraph graph, unsigned long long flags))       \
  X(cuGraphLaunch, (CUgraphExec executable, CUstream stream))                  \
  X(cuGraphExecDestroy, (CUgraphExec executable))                              \
  X(cuGraphDestroy, (CUgraph graph))                                           \
  X(cuEventCreate, (CUevent * event, unsigned flags))                          \
  X(cuEventDestroy_v2, (CUevent event))                                        \
  X(cuEventRecord, (CUevent event, CUstream stream))                           \
  X(cuEventSynchronize, (CUevent event))                                       \
  X(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))

namespace hk {
namespace cuda {

/// The driver's functions, by the names of the list.
struct DriverFunctions {
#define HK_CUDA_MEMBER(NAME, PARAMETERS) CUresult(*NAME) PARAMETERS = nullptr;
  HK_CUDA_DRIVER_FUNCTIONS(HK_CUDA_MEMBER)
#undef HK_CUDA_MEMBER
};

} // namespace cuda
} // namespace hk

#endif // HK_RUNTIME_CUDA_DRIVER_H
