// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that follow the FlatBuffers verifier: metadata that passes can be
// used without further checks of indices, sizes and enumerators. What cannot
// be checked is the code itself.
#ifndef HK_RUNTIME_MODULE_CHECK_H
#define HK_RUNTIME_MODULE_CHECK_H

#include "module.h"

#include <string_view>
#include <unordered_map>

namespace hk {

// Far above any network, low enough that sizes of tensors cannot overflow.
constexpr uint32_t kMaxRank = 8;
constexpr uint64_t kMaxElements = uint64_t(1) << 40;
constexpr uint32_t kMaxLayers = 1u << 16;
constexpr uint64_t kMaxScratch = uint64_t(1) << 40;
// Of CUDA kernels: what the hardware has, and 4 KB of parameters.
constexpr uint32_t kMaxThreads = 1024;
constexpr uint32_t kMaxCluster = 16;
constexpr uint32_t kMaxPersistent = 32;
constexpr uint32_t kMaxShared = 1u << 20;
constexpr uint32_t kMaxKernelParameters = 512;
// Rows of a sequence, columns and depth of a matrix product.
constexpr uint64_t kMaxGemmSize = uint64_t(1) << 28;

using ParameterMap =
    std::unordered_map<std::string_view, const schema::Parameter *>;

Status checkModule(const schema::Module &module, uint64_t fileSize,
                   MetadataRange metadata);

/// One variant: its grid, sections, and what its target needs.
Status checkVariant(const schema::Module &module,
                    const schema::Variant &variant);
/// The layer whose value slot `slot` of a kernel reads; -1: there is none.
int64_t layerOfSlot(const schema::Dispatch &dispatch,
                    const schema::Variant &variant, uint32_t slot);
/// That a CUDA kernel can take the buffers of a dispatch.
Status checkKernelParameters(const schema::Dispatch &dispatch,
                             const schema::Variant &variant);
/// That a matrix product finds its buffers in a dispatch.
Status checkGemmBuffers(const schema::Dispatch &dispatch,
                        const schema::Gemm &gemm);
/// HK_MALFORMED: "expects the index of one of 3 whats, but got 5".
Status checkIndex(std::string_view what, uint32_t index, uint32_t count);

/// One packed value: its program, shapes, sizes and parameters.
Status checkPacked(const schema::Packed &packed,
                   const ParameterMap &parameters);

/// The number of elements of a static shape. Refuses more than kMaxRank
/// dimensions, empty ones, and more than kMaxElements elements.
Status checkShape(const flatbuffers::Vector<int64_t> *shape,
                  uint64_t &elements);
Status checkShape(const flatbuffers::Vector<uint64_t> *shape,
                  uint64_t &elements);

Status checkDType(schema::DType dtype);
bool isFloat(schema::DType dtype);
/// Bytes of an element of a valid type.
uint64_t sizeOf(schema::DType dtype);
/// "f32"
const char *nameOf(schema::DType dtype);
/// "f32[384, 128]"
std::string describe(std::string_view dtype, const int64_t *shape,
                     uint32_t rank);
std::string describe(const schema::TensorType &type);

inline std::string_view view(const flatbuffers::String *text) {
  return text ? std::string_view(text->c_str(), text->size())
              : std::string_view();
}

template <typename Vector> uint32_t sizeOrZero(const Vector *vector) {
  return vector ? vector->size() : 0;
}

} // namespace hk

#endif // HK_RUNTIME_MODULE_CHECK_H
