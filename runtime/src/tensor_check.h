// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_TENSOR_CHECK_H
#define HK_RUNTIME_TENSOR_CHECK_H

#include "device.h"

#include "hk/dlpack_abi.h"

#include <vector>

namespace hk {

/// A tensor's bytes.
struct ByteRange {
  uint8_t *begin = nullptr;
  uint64_t size = 0;

  bool overlaps(const ByteRange &other) const {
    const uintptr_t a = reinterpret_cast<uintptr_t>(begin);
    const uintptr_t b = reinterpret_cast<uintptr_t>(other.begin);
    return size && other.size && a < b + other.size && b < a + size;
  }
};

/// Checks one input or output against the module's type; `batch` is that of
/// the tensors before it, or -1, and becomes that of this one. Where it is 0,
/// the data is not looked at. Messages do not name the tensor, and only they
/// are allocated.
Status checkTensor(const Device &device, const DLTensor *tensor,
                   const schema::TensorType &type, int64_t &batch);

/// The bytes of a tensor that passed, with a batch above 0.
ByteRange bytesOf(const DLTensor &tensor);

/// The first of them.
inline uint8_t *addressOf(const DLTensor &tensor) {
  return static_cast<uint8_t *>(tensor.data) + tensor.byte_offset;
}

/// What checkTensor looks at, prepared: runs ask this first.
class TensorSpec {
public:
  TensorSpec(const Device &device, const schema::TensorType &type);

  /// Whether checkTensor surely passes a tensor with a batch above 0; `batch`
  /// as there. False for what is unusual, if right.
  bool accepts(const DLTensor *tensor, int64_t &batch) const;

private:
  DLDevice device_;
  DLDataType types_[2]; // of which it has one
  std::vector<int64_t> shape_, strides_;
  int64_t largestBatch_ = 0; // that does not overflow
  uintptr_t misaligned_ = 0; // bits that the address may not have
};

} // namespace hk

#endif // HK_RUNTIME_TENSOR_CHECK_H
