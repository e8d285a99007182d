// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Module files made by hand, right and wrong ones.
#ifndef HK_TEST_MODULE_BUILDER_H
#define HK_TEST_MODULE_BUILDER_H

#include "module_format.h"

#include "module_generated.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hk {
namespace test {

using Bytes = std::vector<uint8_t>;

/// The code of a function of kernels.c.
Bytes kernelCode(const std::string &name);

struct ModuleFile {
  schema::ModuleT metadata;
  std::vector<Bytes> sections;
  std::vector<schema::SectionKind> kinds; // CpuCode where it is shorter
  /// Called last, when offsets, sizes and hashes of sections are in place.
  std::function<void(schema::ModuleT &)> change;
  std::function<void(format::FileHeader &)> changeHeader;

  Bytes bytes() const;
};

/// Appends code to section 0 and returns its offset there.
uint64_t addCode(ModuleFile &file, const Bytes &code);

/// Writes the metadata's hash anew, after a change to the bytes.
void fixMetadataHash(Bytes &bytes);

// Pieces of metadata.
std::unique_ptr<schema::TensorTypeT> type(schema::DType dtype,
                                          std::vector<int64_t> shape);
std::unique_ptr<schema::ValueT>
value(const std::string &name, schema::DType dtype, std::vector<int64_t> shape);
std::unique_ptr<schema::VariantT> variant(const std::string &isa,
                                          uint64_t entry,
                                          std::vector<uint32_t> packed = {});
std::unique_ptr<schema::ExecutableT>
executable(const std::string &name, std::unique_ptr<schema::VariantT> variant);
std::unique_ptr<schema::DispatchT>
dispatch(uint32_t executable, int32_t layer,
         std::vector<schema::Binding> bindings);
std::unique_ptr<schema::PlanT>
plan(const std::string &name, uint32_t rank, schema::Role role,
     std::vector<std::unique_ptr<schema::DispatchT>> dispatches);
std::unique_ptr<schema::PackInstructionT>
instruction(schema::PackOpcode opcode, std::vector<uint32_t> operands,
            std::vector<uint64_t> shape);
std::unique_ptr<schema::PackInstructionT>
param(const std::string &key, schema::DType dtype, std::vector<uint64_t> shape);

template <typename T, typename... Rest>
std::vector<std::unique_ptr<T>> list(std::unique_ptr<T> first, Rest... rest) {
  std::vector<std::unique_ptr<T>> out;
  out.push_back(std::move(first));
  (out.push_back(std::move(rest)), ...);
  return out;
}

schema::Binding input(uint32_t index);
schema::Binding result(uint32_t index);
schema::Binding workspace(uint64_t perSequence, uint64_t constant = 0);

/// y[B, 8] = (x * w0 + b0) * w1 + b1, parameters "layers.0.w", ... of f32[8].
///
///   forward         plan "layers" (rank 0, candidate): a dispatch a layer
///                   plan "folded" (rank 1, safe): one, of folded parameters
///   forward.oracle  plan "oracle": float64, a dispatch a layer
///
/// Packed values are 0: w and 1: b (two layers), 2: w0*w1 and 3: b0*w1 + b1,
/// and 4 and 5: w and b in float64.
ModuleFile affineModule();

/// y[B, 8] = 3 x, without parameters, for the given instruction sets.
ModuleFile tripleModule(const std::vector<std::string> &isas);

/// kernels.ptx for a version and a target of PTX.
Bytes ptxText(const std::string &version, const std::string &target);
/// The index of a new section.
uint32_t addSection(ModuleFile &file, schema::SectionKind kind, Bytes bytes);
/// 128 threads, a CTA a sequence.
std::unique_ptr<schema::VariantT>
cudaVariant(const std::string &isa, const std::string &kernel, uint32_t section,
            std::vector<uint32_t> packed = {});

/// affineModule(), whose function "forward" runs on CUDA as well: kernels
/// "affine" of PTX 8.0 for sm_80 in section 1.
ModuleFile affineCudaModule();

/// tripleModule() for CUDA alone: a variant for each of these targets, in a
/// section of PTX of its own.
ModuleFile tripleCudaModule(const std::vector<std::string> &isas);

/// A file in the test's temporary folder, deleted at the end.
class TemporaryFile {
public:
  explicit TemporaryFile(const Bytes &bytes);
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();
  const char *path() const { return path_.c_str(); }

private:
  std::string path_;
};

void writeFile(const std::string &path, const Bytes &bytes);

} // namespace test
} // namespace hk

#endif // HK_TEST_MODULE_BUILDER_H
