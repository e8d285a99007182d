// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense row-major tensor in host memory.
#ifndef HK_TOOLS_COMMON_TENSOR_H
#define HK_TOOLS_COMMON_TENSOR_H

#include "common/element_type.h"

#include <memory>
#include <string>
#include <vector>

namespace hk::tools {

class Tensor {
public:
  Tensor() = default;
  /// Uninitialised memory, 64-byte aligned. The shape must have a byte size
  /// that `byteSizeOf` accepts; throws std::bad_alloc where there is no memory.
  Tensor(ElementType type, std::vector<int64_t> shape);
  /// Memory that ends where an inaccessible page starts, aligned to the element
  /// only: to overstep it is a segmentation fault.
  static Tensor guarded(ElementType type, std::vector<int64_t> shape);
  /// The same values in guarded memory.
  Tensor guardedCopy() const;

  ElementType type() const { return elementType; }
  const std::vector<int64_t> &shape() const { return dims; }
  int64_t elementCount() const { return count; }
  size_t byteSize() const {
    return static_cast<size_t>(count) * byteWidth(elementType);
  }
  void *data() { return storage.get(); }
  const void *data() const { return storage.get(); }
  template <typename T> T *as() { return static_cast<T *>(data()); }
  template <typename T> const T *as() const {
    return static_cast<const T *>(data());
  }

  /// Element `index` (row-major) as a double: exact for every type.
  double at(int64_t index) const;
  /// Stores `value` rounded to the type: 16-bit types through f32.
  void set(int64_t index, double value);

private:
  /// Of guarded memory, the mapping.
  struct Free {
    Free() : mapping(nullptr), mappedBytes(0) {}
    Free(void *mapping, size_t bytes) : mapping(mapping), mappedBytes(bytes) {}
    void operator()(void *pointer) const;
    void *mapping;
    size_t mappedBytes;
  };
  void setShape(ElementType type, std::vector<int64_t> shape);

  ElementType elementType = ElementType::F32;
  std::vector<int64_t> dims;
  int64_t count = 0;
  std::unique_ptr<void, Free> storage;
};

/// The bytes of a dense tensor, or false where a dimension is negative or the
/// product overflows a signed 64-bit integer.
bool byteSizeOf(ElementType type, const std::vector<int64_t> &shape,
                int64_t &bytes);

/// "[2, 128, 64]".
std::string formatShape(const std::vector<int64_t> &shape);
/// "f32 [2, 128, 64]"; a negative dimension prints as "?".
std::string formatType(ElementType type, const std::vector<int64_t> &shape);
/// The multi-index of a row-major element: "[0, 3, 17]".
std::string formatIndex(int64_t index, const std::vector<int64_t> &shape);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_TENSOR_H
