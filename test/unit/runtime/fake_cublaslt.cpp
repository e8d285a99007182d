// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_cublaslt.h"

#include "half.h"

#include <cstring>

using namespace hk::cublaslt;
using namespace hk::test;

namespace hk {
namespace cublaslt {

// The library's opaque types.
struct cublasLtContext {};
struct cublasLtMatmulDescOpaque {
  bool transposeA = false;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr;
  int32_t biasType = -1;
};
struct cublasLtMatrixLayoutOpaque {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t stride;
};
struct cublasLtMatmulPreferenceOpaque {
  uint64_t workspace = 0;
};

} // namespace cublaslt
} // namespace hk

namespace {

bool enter(const char *name, cublasStatus_t &status) {
  ++fakeCublasLt().calls[name];
  const auto failure = fakeCublasLt().failures.find(name);
  status = failure == fakeCublasLt().failures.end() ? CUBLAS_STATUS_SUCCESS
                                                    : failure->second;
  return status == CUBLAS_STATUS_SUCCESS;
}

float get(uint64_t address, uint64_t type, uint64_t index) {
  if (type == CUDA_R_32F)
    return reinterpret_cast<const float *>(address)[index];
  const uint16_t bits = reinterpret_cast<const uint16_t *>(address)[index];
  return static_cast<float>(type == CUDA_R_16F ? hk::Float16::toDouble(bits)
                                               : hk::BFloat16::toDouble(bits));
}

void set(uint64_t address, uint64_t type, uint64_t index, float value) {
  if (type == CUDA_R_32F)
    reinterpret_cast<float *>(address)[index] = value;
  else
    reinterpret_cast<uint16_t *>(address)[index] =
        type == CUDA_R_16F ? hk::Float16::fromDouble(value)
                           : hk::BFloat16::fromDouble(value);
}

/// D[n, m] = A[k, n]^T B[k, m] + beta C + bias, columns first.
void product(const FakeLaunch &launch) {
  const uint64_t *p = launch.parameters;
  const uint64_t n = p[5], m = p[6], k = p[7], operands = p[8], result = p[9];
  for (uint64_t j = 0; j < m; ++j)
    for (uint64_t i = 0; i < n; ++i) {
      float sum = p[10] ? get(p[2], result, j * n + i) : 0;
      if (p[4])
        sum += get(p[4], result, i);
      for (uint64_t q = 0; q < k; ++q)
        sum += get(p[0], operands, i * k + q) * get(p[1], operands, j * k + q);
      set(p[3], result, j * n + i, sum);
    }
}

} // namespace

namespace hk {
namespace test {

FakeCublasLt &fakeCublasLt() {
  static FakeCublasLt state;
  return state;
}

} // namespace test
} // namespace hk

#define ENTER(NAME)                                                            \
  cublasStatus_t status;                                                       \
  if (!enter(#NAME, status))                                                   \
  return status

extern "C" {

namespace hk {
namespace cublaslt {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  ENTER(cublasLtCreate);
  ++fakeCublasLt().live;
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  --fakeCublasLt().live;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *description,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  ENTER(cublasLtMatmulDescCreate);
  if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F)
    return CUBLAS_STATUS_INVALID_VALUE;
  ++fakeCublasLt().live;
  *description = new cublasLtMatmulDescOpaque;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  --fakeCublasLt().live;
  delete description;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes) {
  ENTER(cublasLtMatmulDescSetAttribute);
  int32_t number = 0;
  if (bytes == sizeof(number))
    std::memcpy(&number, value, bytes);
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    description->transposeA = number == CUBLAS_OP_T;
    return bytes == 4 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    description->epilogue = static_cast<uint32_t>(number);
    return bytes == 4 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    description->biasType = number;
    return bytes == 4 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    if (bytes != sizeof(void *))
      return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&description->bias, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType_t type, uint64_t rows,
                                          uint64_t columns, int64_t stride) {
  ENTER(cublasLtMatrixLayoutCreate);
  ++fakeCublasLt().live;
  *layout = new cublasLtMatrixLayoutOpaque{type, rows, columns, stride};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  --fakeCublasLt().live;
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  ENTER(cublasLtMatmulPreferenceCreate);
  ++fakeCublasLt().live;
  *preference = new cublasLtMatmulPreferenceOpaque;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  --fakeCublasLt().live;
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t bytes) {
  ENTER(cublasLtMatmulPreferenceSetAttribute);
  if (attribute != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return bytes == 4 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  if (bytes != 8)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&preference->workspace, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t description,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *found) {
  ENTER(cublasLtMatmulAlgoGetHeuristic);
  const bool fits = description->transposeA && a->rows == b->rows &&
                    d->rows == a->columns && d->columns == b->columns &&
                    c == d && a->type == b->type &&
                    a->stride == static_cast<int64_t>(a->rows) &&
                    b->stride == static_cast<int64_t>(b->rows) &&
                    d->stride == static_cast<int64_t>(d->rows) &&
                    (!description->bias || description->biasType == d->type);
  if (!fits || preference->workspace < fakeCublasLt().workspace)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  *found = 0;
  for (size_t i = 0; i < fakeCublasLt().milliseconds.size() && *found < wanted;
       ++i) {
    cublasLtMatmulHeuristicResult_t &result = results[(*found)++];
    result = {};
    result.algo.data[0] = i;
    result.workspaceSize = fakeCublasLt().workspace;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description,
               const void *alpha, const void *a, cublasLtMatrixLayout_t aLayout,
               const void *b, cublasLtMatrixLayout_t, const void *beta,
               const void *c, cublasLtMatrixLayout_t, void *d,
               cublasLtMatrixLayout_t dLayout,
               const cublasLtMatmulAlgo_t *algorithm, void *workspace,
               size_t workspaceBytes, hk::cuda::CUstream stream) {
  ENTER(cublasLtMatmul);
  if (*static_cast<const float *>(alpha) != 1 || !workspace ||
      workspaceBytes < fakeCublasLt().workspace)
    return CUBLAS_STATUS_INVALID_VALUE;
  // It may be used up to its end.
  std::memset(workspace, 0x7f, workspaceBytes);
  FakeLaunch launch;
  launch.kernel = "cublaslt";
  launch.numParameters = 11;
  const bool withBias = description->epilogue == CUBLASLT_EPILOGUE_BIAS;
  const uint64_t parameters[] = {
      reinterpret_cast<uint64_t>(a),
      reinterpret_cast<uint64_t>(b),
      reinterpret_cast<uint64_t>(c),
      reinterpret_cast<uint64_t>(d),
      withBias ? reinterpret_cast<uint64_t>(description->bias) : 0,
      dLayout->rows,
      dLayout->columns,
      aLayout->rows,
      static_cast<uint64_t>(aLayout->type),
      static_cast<uint64_t>(dLayout->type),
      *static_cast<const float *>(beta) != 0};
  std::memcpy(launch.parameters, parameters, sizeof(parameters));
  launch.grid = static_cast<unsigned>(algorithm->data[0]);
  FakeKernel &kernel = fakeCuda().kernels["cublaslt"];
  kernel.milliseconds = fakeCublasLt().milliseconds.at(launch.grid);
  kernel.body = product;
  return fakeLaunch(launch, stream) == hk::cuda::CUDA_SUCCESS
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace cublaslt
} // namespace hk

} // extern "C"
