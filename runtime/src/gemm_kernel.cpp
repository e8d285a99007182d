// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library counts columns first. Row-major y[M, N] = x[M, K] w[N, K]^T is
// its D[N, M] = A^T B, with A = w as [K, N] and B = x as [K, M].
#include "gemm_kernel.h"

#include "module_check.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace hk {
namespace {

using namespace cublaslt;

cudaDataType_t typeOf(schema::DType dtype) {
  switch (dtype) {
  case schema::DType::F16:
    return CUDA_R_16F;
  case schema::DType::BF16:
    return CUDA_R_16BF;
  default:
    return CUDA_R_32F;
  }
}

/// What a launch needs beside addresses, for a batch and a bias (a layer's).
struct Problem {
  explicit Problem(const Functions &functions) : functions(functions) {}
  Problem(const Problem &) = delete;
  ~Problem() {
    if (description)
      (void)functions.cublasLtMatmulDescDestroy(description);
    for (cublasLtMatrixLayout_t layout : {a, b, d})
      if (layout)
        (void)functions.cublasLtMatrixLayoutDestroy(layout);
  }

  const Functions &functions;
  int64_t batch = 0;
  const void *bias = nullptr;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr; // C is as D
  cublasLtMatmulAlgo_t algorithm = {};
  size_t workspace = 0;
  const Problem *next = nullptr; // of its chain
};

class GemmKernel final : public Kernel {
public:
  GemmKernel(std::shared_ptr<const CublasLt> library, std::string_view name,
             const schema::Gemm &gemm, uint32_t algorithm)
      : library_(std::move(library)), name_(printable(name)), gemm_(gemm),
        algorithm_(algorithm) {}

  Status launch(const LaunchArguments &arguments) const override {
    const void *bias =
        gemm_.bias() >= 0 ? arguments.packed[gemm_.bias()] : nullptr;
    const Problem *problem = find(arguments.batch, bias);
    if (!problem)
      HK_TRY(make(arguments.batch, bias, problem).in(subject(arguments)));
    void *output = arguments.buffers[gemm_.output()];
    const float alpha = 1, beta = gemm_.residual() >= 0 ? 1 : 0;
    const void *residual =
        gemm_.residual() >= 0 ? arguments.buffers[gemm_.residual()] : output;
    const cublasStatus_t result = library_->functions().cublasLtMatmul(
        library_->handle(), problem->description, &alpha,
        arguments.packed[gemm_.weight()], problem->a,
        arguments.buffers[gemm_.input()], problem->b, &beta, residual,
        problem->d, output, problem->d, &problem->algorithm, arguments.scratch,
        problem->workspace, static_cast<cuda::CUstream>(arguments.stream));
    if (result == CUBLAS_STATUS_SUCCESS)
      return Status();
    return library_->check(result, "cannot launch").in(subject(arguments));
  }

private:
  /// "kernel 'qkv': cuBLASLt, 8192 x 384 x 128 for a batch of 64"
  std::string subject(const LaunchArguments &arguments) const {
    return concat("kernel '", name_, "': cuBLASLt, ", rows(arguments.batch),
                  " x ", gemm_.columns(), " x ", gemm_.depth(),
                  " for a batch of ", arguments.batch);
  }
  uint64_t rows(int64_t batch) const {
    return static_cast<uint64_t>(batch) * gemm_.rows();
  }

  using Chain = std::atomic<const Problem *>;
  Chain &chainOf(int64_t batch, const void *bias) const {
    // Layers' biases are apart by powers of two, often: the product's upper
    // bits depend on all of them.
    const uint64_t key =
        static_cast<uint64_t>(batch) + reinterpret_cast<uintptr_t>(bias);
    return chains_[(key * 0x9e3779b97f4a7c15) >> (64 - kChainBits)];
  }

  const Problem *find(int64_t batch, const void *bias) const {
    for (const Problem *p =
             chainOf(batch, bias).load(std::memory_order_acquire);
         p; p = p->next)
      if (p->batch == batch && p->bias == bias)
        return p;
    return nullptr;
  }

  Status make(int64_t batch, const void *bias, const Problem *&made) const {
    std::lock_guard<std::mutex> lock(mutex_);
    if ((made = find(batch, bias)))
      return Status();
    problems_.emplace_back(library_->functions());
    Problem &problem = problems_.back();
    problem.batch = batch;
    problem.bias = bias;
    Status status = fill(problem);
    if (!status.ok()) {
      problems_.pop_back();
      return status;
    }
    Chain &chain = chainOf(batch, bias);
    problem.next = chain.load(std::memory_order_relaxed);
    chain.store(&problem, std::memory_order_release);
    made = &problem;
    return Status();
  }

  Status fill(Problem &problem) const {
    const Functions &f = library_->functions();
    auto check = [this](cublasStatus_t result) {
      return library_->check(result, "cannot describe the product");
    };
    HK_TRY(check(f.cublasLtMatmulDescCreate(&problem.description,
                                            CUBLAS_COMPUTE_32F, CUDA_R_32F)));
    auto set = [&](cublasLtMatmulDescAttributes_t attribute,
                   const auto &value) {
      return check(f.cublasLtMatmulDescSetAttribute(
          problem.description, attribute, &value, sizeof(value)));
    };
    HK_TRY(set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T));
    const cudaDataType_t operands = typeOf(gemm_.operands());
    const cudaDataType_t result = typeOf(gemm_.result());
    if (problem.bias) {
      HK_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS));
      HK_TRY(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, problem.bias));
      HK_TRY(set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, result));
    }
    const uint64_t m = rows(problem.batch), n = gemm_.columns(),
                   k = gemm_.depth();
    auto layout = [&](cublasLtMatrixLayout_t &made, cudaDataType_t type,
                      uint64_t height, uint64_t width) {
      return check(f.cublasLtMatrixLayoutCreate(&made, type, height, width,
                                                static_cast<int64_t>(height)));
    };
    HK_TRY(layout(problem.a, operands, k, n));
    HK_TRY(layout(problem.b, operands, k, m));
    HK_TRY(layout(problem.d, result, n, m));
    for (const Problem &other : problems_)
      if (&other != &problem && other.batch == problem.batch) {
        problem.algorithm = other.algorithm; // another layer of the same
        problem.workspace = other.workspace;
        return Status();
      }
    return ask(problem);
  }

  /// The library's suggestion.
  Status ask(Problem &problem) const {
    const Functions &f = library_->functions();
    cublasLtMatmulPreference_t preference = nullptr;
    HK_TRY(library_->check(f.cublasLtMatmulPreferenceCreate(&preference),
                           "cannot ask for an algorithm"));
    auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                   const auto &value) {
      return f.cublasLtMatmulPreferenceSetAttribute(preference, attribute,
                                                    &value, sizeof(value));
    };
    cublasStatus_t result =
        set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kGemmScratch);
    // What the caller's tensors have; packed values have more.
    const uint32_t alignment = 16;
    for (cublasLtMatmulPreferenceAttributes_t attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      if (result == CUBLAS_STATUS_SUCCESS)
        result = set(attribute, alignment);
    std::vector<cublasLtMatmulHeuristicResult_t> results(algorithm_ + 1);
    int found = 0;
    if (result == CUBLAS_STATUS_SUCCESS)
      result = f.cublasLtMatmulAlgoGetHeuristic(
          library_->handle(), problem.description, problem.a, problem.b,
          problem.d, problem.d, preference, static_cast<int>(results.size()),
          results.data(), &found);
    (void)f.cublasLtMatmulPreferenceDestroy(preference);
    HK_TRY(library_->check(result, "cannot find an algorithm"));
    if (found <= static_cast<int>(algorithm_))
      return error(HK_UNSUPPORTED, "expects an algorithm of number ",
                   algorithm_, ", but got ", found);
    const cublasLtMatmulHeuristicResult_t &chosen = results[algorithm_];
    HK_TRY(library_->check(chosen.state, "cannot use the algorithm"));
    problem.algorithm = chosen.algo;
    problem.workspace = chosen.workspaceSize;
    return Status();
  }

  std::shared_ptr<const CublasLt> library_;
  std::string name_;
  const schema::Gemm &gemm_;
  uint32_t algorithm_;

  // A table of problems, which are only added: there are as many as layers
  // times batches, and each launch looks for one.
  static constexpr unsigned kChainBits = 6;
  mutable Chain chains_[1 << kChainBits] = {};
  mutable std::mutex mutex_;
  mutable std::deque<Problem> problems_;
};

} // namespace

std::unique_ptr<Kernel> makeGemmKernel(std::shared_ptr<const CublasLt> library,
                                       std::string_view name,
                                       const schema::Gemm &gemm,
                                       uint32_t algorithm) {
  return std::make_unique<GemmKernel>(std::move(library), name, gemm,
                                      algorithm);
}

} // namespace hk
