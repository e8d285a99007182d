// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_TENSOR_CHECK_H
#define HK_RUNTIME_TENSOR_CHECK_H

#include "device.h"

#include "hk/dlpack_abi.h"

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

} // namespace hk

#endif // HK_RUNTIME_TENSOR_CHECK_H
