// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/tensor.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace hk::tools;

void Tensor::Free::operator()(void *pointer) const {
  if (mapping)
    ::munmap(mapping, mappedBytes);
  else
    std::free(pointer);
}

void Tensor::setShape(ElementType type, std::vector<int64_t> shape) {
  elementType = type;
  dims = std::move(shape);
  int64_t bytes = 0;
  if (!byteSizeOf(type, dims, bytes) || bytes > INT64_MAX / 2)
    throw std::bad_alloc();
  count = bytes / static_cast<int64_t>(byteWidth(type));
}

Tensor::Tensor(ElementType type, std::vector<int64_t> shape) {
  setShape(type, std::move(shape));
  size_t rounded = (byteSize() + 63) / 64 * 64;
  storage.reset(std::aligned_alloc(64, rounded ? rounded : 64));
  if (!storage)
    throw std::bad_alloc();
}

Tensor Tensor::guarded(ElementType type, std::vector<int64_t> shape) {
  Tensor tensor;
  tensor.setShape(type, std::move(shape));
  size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t usable = (tensor.byteSize() + page - 1) / page * page;
  void *mapping = ::mmap(nullptr, usable + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    throw std::bad_alloc();
  char *end = static_cast<char *>(mapping) + usable;
  tensor.storage = {end - tensor.byteSize(), Free{mapping, usable + page}};
  if (::mprotect(end, page, PROT_NONE) != 0)
    throw std::bad_alloc();
  return tensor;
}

Tensor Tensor::guardedCopy() const {
  Tensor copy = guarded(elementType, dims);
  std::memcpy(copy.data(), data(), byteSize());
  return copy;
}

double Tensor::at(int64_t index) const {
  switch (elementType) {
  case ElementType::F64:
    return as<double>()[index];
  case ElementType::F32:
    return as<float>()[index];
  case ElementType::F16:
    return fromF16(as<uint16_t>()[index]);
  case ElementType::BF16:
    return fromBf16(as<uint16_t>()[index]);
  case ElementType::I32:
    return as<int32_t>()[index];
  case ElementType::I1:
    return as<uint8_t>()[index] != 0;
  }
  return 0;
}

void Tensor::set(int64_t index, double value) {
  switch (elementType) {
  case ElementType::F64:
    as<double>()[index] = value;
    return;
  case ElementType::F32:
    as<float>()[index] = static_cast<float>(value);
    return;
  case ElementType::F16:
    as<uint16_t>()[index] = toF16(static_cast<float>(value));
    return;
  case ElementType::BF16:
    as<uint16_t>()[index] = toBf16(static_cast<float>(value));
    return;
  case ElementType::I32:
    as<int32_t>()[index] = static_cast<int32_t>(value);
    return;
  case ElementType::I1:
    as<uint8_t>()[index] = value != 0;
    return;
  }
}

bool hk::tools::byteSizeOf(ElementType type, const std::vector<int64_t> &shape,
                           int64_t &bytes) {
  // A zero dimension must not hide an overflow of the others.
  bytes = static_cast<int64_t>(byteWidth(type));
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return false;
    if (dim == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, dim, &bytes))
      return false;
  }
  if (empty)
    bytes = 0;
  return true;
}

std::string hk::tools::formatShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i)
      text += ", ";
    text += shape[i] < 0 ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

std::string hk::tools::formatType(ElementType type,
                                  const std::vector<int64_t> &shape) {
  return std::string(nameOf(type)) + " " + formatShape(shape);
}

std::string hk::tools::formatIndex(int64_t index,
                                   const std::vector<int64_t> &shape) {
  std::vector<int64_t> position(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    position[i] = index % shape[i];
    index /= shape[i];
  }
  return formatShape(position);
}
