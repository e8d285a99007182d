// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor_check.h"

#include "checked.h"
#include "module_check.h"

#include <algorithm>

namespace hk {
namespace {

bool matches(DLDataType stored, schema::DType dtype) {
  if (stored.lanes != 1)
    return false;
  switch (dtype) {
  case schema::DType::F64:
    return stored.code == kDLFloat && stored.bits == 64;
  case schema::DType::F32:
    return stored.code == kDLFloat && stored.bits == 32;
  case schema::DType::F16:
    return stored.code == kDLFloat && stored.bits == 16;
  case schema::DType::BF16:
    return stored.code == kDLBfloat && stored.bits == 16;
  case schema::DType::I32:
    return stored.code == kDLInt && stored.bits == 32;
  case schema::DType::I1:
    return (stored.code == kDLBool || stored.code == kDLUInt) &&
           stored.bits == 8;
  default:
    return false;
  }
}

std::string describe(DLDataType type) {
  std::string name;
  switch (type.code) {
  case kDLInt:
    name = "i";
    break;
  case kDLUInt:
    name = "u";
    break;
  case kDLFloat:
    name = "f";
    break;
  case kDLBfloat:
    name = "bf";
    break;
  case kDLBool:
    name = "bool";
    break;
  default:
    name = concat("code ", static_cast<unsigned>(type.code), ", bits ");
    break;
  }
  name += std::to_string(type.bits);
  return type.lanes == 1 ? name : concat(name, "x", type.lanes);
}

std::string describeShape(const int64_t *shape, uint32_t rank) {
  return hk::describe("", shape, rank);
}

/// Dense and row-major, whatever the strides of dimensions of size 1.
bool isDense(const DLTensor &tensor) {
  int64_t expected = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return false;
    expected *= tensor.shape[d];
  }
  return true;
}

} // namespace

Status checkTensor(const Device &device, const DLTensor *tensor,
                   const schema::TensorType &type, int64_t &batch) {
  if (!tensor)
    return invalidArgument("expects a tensor, but got NULL");
  HK_TRY(device.checkPlacement(tensor->device));
  if (!matches(tensor->dtype, type.dtype()))
    return invalidArgument("expects ", nameOf(type.dtype()), ", but got ",
                           describe(tensor->dtype));

  const auto &shape = *type.shape();
  const uint32_t rank = shape.size();
  if (tensor->ndim != static_cast<int32_t>(rank) || !tensor->shape)
    return invalidArgument("expects ", rank, " dimensions, ",
                           describeShape(shape.data(), rank), ", but got ",
                           tensor->shape ? tensor->ndim : 0);
  uint64_t bytes = sizeOf(type.dtype());
  for (uint32_t d = 0; d < rank; ++d) {
    const int64_t size = tensor->shape[d];
    const bool free = d == 0 && shape.Get(0) == -1;
    if (free ? size < 0 : size != shape.Get(d))
      return invalidArgument("expects shape ",
                             describeShape(shape.data(), rank), ", but got ",
                             describeShape(tensor->shape, rank));
    if (!multiply(bytes, static_cast<uint64_t>(size), bytes) ||
        bytes > INT64_MAX)
      return invalidArgument("expects less than 2^63 bytes, but got shape ",
                             describeShape(tensor->shape, rank));
  }
  if (batch != -1 && tensor->shape[0] != batch)
    return invalidArgument("expects the batch of the tensors before it, ",
                           batch, ", but got ", tensor->shape[0]);
  batch = tensor->shape[0];
  if (batch == 0)
    return Status();

  if (tensor->strides && !isDense(*tensor))
    return invalidArgument("expects a dense row-major tensor, but got strides ",
                           describeShape(tensor->strides, rank), " for shape ",
                           describeShape(tensor->shape, rank),
                           "; make a contiguous copy");
  if (!tensor->data)
    return invalidArgument("expects data, but got NULL");
  const uintptr_t address = reinterpret_cast<uintptr_t>(bytesOf(*tensor).begin);
  if (address % sizeOf(type.dtype()) != 0)
    return invalidArgument("expects data aligned to its elements of ",
                           sizeOf(type.dtype()),
                           " bytes, but got an address that is not");
  if (address % device.tensorAlignment() != 0)
    return invalidArgument("expects data aligned to ", device.tensorAlignment(),
                           " bytes, but got an address that is not; make a "
                           "copy");
  return Status();
}

ByteRange bytesOf(const DLTensor &tensor) {
  uint64_t bytes = tensor.dtype.bits / 8;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    bytes *= static_cast<uint64_t>(tensor.shape[d]);
  return {addressOf(tensor), bytes};
}

TensorSpec::TensorSpec(const Device &device, const schema::TensorType &type)
    : device_(device.placement()), shape_(type.shape()->begin(),
                                          type.shape()->end()),
      strides_(shape_.size(), 1) {
  // The types that matches() takes.
  const uint8_t bits = static_cast<uint8_t>(8 * sizeOf(type.dtype()));
  types_[0] = types_[1] = {kDLFloat, bits, 1};
  if (type.dtype() == schema::DType::BF16)
    types_[0].code = types_[1].code = kDLBfloat;
  if (type.dtype() == schema::DType::I32)
    types_[0].code = types_[1].code = kDLInt;
  if (type.dtype() == schema::DType::I1) {
    types_[0].code = kDLBool;
    types_[1].code = kDLUInt;
  }
  // Sizes of static dimensions were checked on load.
  for (size_t d = shape_.size(); d-- > 1;)
    strides_[d - 1] = strides_[d] * shape_[d];
  const uint64_t bytesOfSequence =
      sizeOf(type.dtype()) * static_cast<uint64_t>(strides_[0]);
  largestBatch_ = static_cast<int64_t>(INT64_MAX / bytesOfSequence);
  misaligned_ = std::max(sizeOf(type.dtype()), device.tensorAlignment()) - 1;
}

bool TensorSpec::accepts(const DLTensor *tensor, int64_t &batch) const {
  auto isType = [&](const DLDataType &type) {
    return tensor->dtype.code == type.code && tensor->dtype.bits == type.bits &&
           tensor->dtype.lanes == type.lanes;
  };
  const size_t rank = shape_.size();
  if (!tensor || !tensor->shape || !tensor->data ||
      tensor->device.device_type != device_.device_type ||
      tensor->device.device_id != device_.device_id ||
      !(isType(types_[0]) || isType(types_[1])) ||
      tensor->ndim != static_cast<int32_t>(rank) ||
      (reinterpret_cast<uintptr_t>(addressOf(*tensor)) & misaligned_) != 0)
    return false;
  const int64_t first = tensor->shape[0];
  if (first <= 0 || first > largestBatch_ ||
      (shape_[0] != -1 && first != shape_[0]) ||
      (batch != -1 && first != batch))
    return false;
  for (size_t d = 1; d < rank; ++d)
    if (tensor->shape[d] != shape_[d])
      return false;
  if (tensor->strides)
    for (size_t d = 0; d < rank; ++d)
      if (tensor->shape[d] != 1 && tensor->strides[d] != strides_[d])
        return false;
  batch = first;
  return true;
}

} // namespace hk
