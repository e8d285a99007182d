// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of cuBLASLt that the runtime uses: own declarations, and a table of
// entry points that is filled at run time, as in cuda_driver.h. Also what a
// stand-in for it has to export (tests): a library named by HK_CUBLASLT.
#ifndef HK_RUNTIME_CUBLASLT_API_H
#define HK_RUNTIME_CUBLASLT_API_H

#include "cuda_driver.h"

namespace hk {
namespace cublaslt {

// Types and values as in the library's ABI since version 11, under its own
// names.
using cublasStatus_t = int;
using cublasLtHandle_t = struct cublasLtContext *;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque *;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque *;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque *;

enum : cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
};

enum cublasComputeType_t : int { CUBLAS_COMPUTE_32F = 68 };
enum cudaDataType_t : int {
  CUDA_R_32F = 0,
  CUDA_R_16F = 2,
  CUDA_R_16BF = 14,
};
enum cublasOperation_t : int32_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };

enum cublasLtMatmulDescAttributes_t : int {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,         // int32_t
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,       // uint32_t
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,   // void *
  CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26 // int32_t
};
enum cublasLtEpilogue_t : uint32_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_BIAS = 4
};
enum cublasLtMatmulPreferenceAttributes_t : int {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,   // uint64_t
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5, // uint32_t, as the next ones
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};
static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == 96,
              "the layout of the library");

} // namespace cublaslt
} // namespace hk

/// X(exported symbol, parameters); all return cublasStatus_t.
#define HK_CUBLASLT_FUNCTIONS(X)                                               \
  X(cublasLtCreate, (cublasLtHandle_t * handle))                               \
  X(cublasLtDestroy, (cublasLtHandle_t handle))                                \
  X(cublasLtMatmulDescCreate,                                                  \
    (cublasLtMatmulDesc_t * description, cublasComputeType_t compute,          \
     cudaDataType_t scale))                                                    \
  X(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t description))             \
  X(cublasLtMatmulDescSetAttribute, (cublasLtMatmulDesc_t description,         \
                                     cublasLtMatmulDescAttributes_t attribute, \
                                     const void *value, size_t bytes))         \
  X(cublasLtMatrixLayoutCreate,                                                \
    (cublasLtMatrixLayout_t * layout, cudaDataType_t type, uint64_t rows,      \
     uint64_t columns, int64_t stride))                                        \
  X(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout))              \
  X(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference)) \
  X(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))  \
  X(cublasLtMatmulPreferenceSetAttribute,                                      \
    (cublasLtMatmulPreference_t preference,                                    \
     cublasLtMatmulPreferenceAttributes_t attribute, const void *value,        \
     size_t bytes))                                                            \
  X(cublasLtMatmulAlgoGetHeuristic,                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t description,                \
     cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,                       \
     cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,                       \
     cublasLtMatmulPreference_t preference, int wanted,                        \
     cublasLtMatmulHeuristicResult_t *results, int *found))                    \
  X(cublasLtMatmul,                                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t description,                \
     const void *alpha, const void *a, cublasLtMatrixLayout_t aLayout,         \
     const void *b, cublasLtMatrixLayout_t bLayout, const void *beta,          \
     const void *c, cublasLtMatrixLayout_t cLayout, void *d,                   \
     cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *algorithm,    \
     void *workspace, size_t workspaceBytes, hk::cuda::CUstream stream))

namespace hk {
namespace cublaslt {

/// The library's functions, by the names of the list.
struct Functions {
#define HK_CUBLASLT_MEMBER(NAME, PARAMETERS)                                   \
  cublasStatus_t(*NAME) PARAMETERS = nullptr;
  HK_CUBLASLT_FUNCTIONS(HK_CUBLASLT_MEMBER)
#undef HK_CUBLASLT_MEMBER
};

} // namespace cublaslt
} // namespace hk

#endif // HK_RUNTIME_CUBLASLT_API_H
