// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of packed values: after them the interpreter (packing.cpp) needs none.
#include "module_check.h"
#include "pack_interpreter.h"

#include "checked.h"

namespace hk {
namespace {

using schema::PackInstruction;
using schema::PackOpcode;
using Shape = flatbuffers::Vector<uint64_t>;

constexpr uint32_t kMaxInstructions = 1u << 16;

template <typename T>
std::string describeShape(const flatbuffers::Vector<T> *s) {
  std::string text = "[";
  for (uint32_t d = 0; d < sizeOrZero(s); ++d)
    text += concat(d ? ", " : "", s->Get(d));
  return text + "]";
}

template <typename T, typename U>
bool sameShape(const flatbuffers::Vector<T> *a,
               const flatbuffers::Vector<U> *b) {
  if (sizeOrZero(a) != sizeOrZero(b))
    return false;
  for (uint32_t d = 0; d < sizeOrZero(a); ++d)
    if (static_cast<uint64_t>(a->Get(d)) != static_cast<uint64_t>(b->Get(d)))
      return false;
  return true;
}

class ProgramChecker {
public:
  ProgramChecker(const schema::Packed &packed, const ParameterMap &parameters)
      : packed_(packed), program_(*packed.program()), parameters_(parameters) {}

  Status check() {
    if (program_.size() == 0 || program_.size() > kMaxInstructions)
      return malformed("expects 1 to ", kMaxInstructions,
                       " instructions, but got ", program_.size());
    for (uint32_t i = 0; i < program_.size(); ++i)
      HK_TRY(checkInstruction(i).in(concat("instruction ", i)));
    if (packed_.result() >= program_.size())
      return malformed("expects a result among ", program_.size(),
                       " instructions, but got ", packed_.result());
    if (!sameShape(shape(packed_.result()), packed_.type()->shape()))
      return malformed("expects a result of shape ",
                       describeShape(packed_.type()->shape()), ", but got ",
                       describeShape(shape(packed_.result())));
    return Status();
  }

private:
  const Shape *shape(uint32_t instruction) const {
    return program_.Get(instruction)->shape();
  }
  const Shape *operandShape(const PackInstruction &op, uint32_t n) const {
    return shape(op.operands()->Get(n));
  }

  Status checkInstruction(uint32_t index) {
    const PackInstruction &op = *program_.Get(index);
    uint64_t elements;
    HK_TRY(checkShape(op.shape(), elements));
    for (uint32_t n = 0; n < sizeOrZero(op.operands()); ++n)
      if (op.operands()->Get(n) >= index)
        return malformed("expects operands before instruction ", index,
                         ", but got ", op.operands()->Get(n));
    switch (op.opcode()) {
    case PackOpcode::Param:
      HK_TRY(checkOperandCount(op, 0));
      return checkParam(op);
    case PackOpcode::Zeros:
      return checkOperandCount(op, 0);
    case PackOpcode::Scale:
      HK_TRY(checkOperandCount(op, 1));
      return checkSame(op, 0);
    case PackOpcode::ScaleDim:
      HK_TRY(checkOperandCount(op, 2));
      HK_TRY(checkSame(op, 0));
      HK_TRY(checkDim(op));
      return checkVector(op, 1, op.shape()->Get(op.dim()));
    case PackOpcode::MatVec:
      return checkMatVec(op);
    case PackOpcode::Add:
      HK_TRY(checkOperandCount(op, 2));
      HK_TRY(checkSame(op, 0));
      return checkSame(op, 1);
    case PackOpcode::Concat:
      return checkConcat(op);
    }
    return malformed("expects an opcode up to ",
                     static_cast<unsigned>(PackOpcode::MAX), ", but got ",
                     static_cast<unsigned>(op.opcode()));
  }

  Status checkOperandCount(const PackInstruction &op, uint32_t count) {
    if (sizeOrZero(op.operands()) != count)
      return malformed("expects ", count, " operands, but got ",
                       sizeOrZero(op.operands()));
    return Status();
  }

  Status checkSame(const PackInstruction &op, uint32_t n) {
    if (!sameShape(operandShape(op, n), op.shape()))
      return malformed("expects operand ", n, " of shape ",
                       describeShape(op.shape()), ", but got ",
                       describeShape(operandShape(op, n)));
    return Status();
  }

  Status checkDim(const PackInstruction &op) {
    if (op.dim() >= sizeOrZero(op.shape()))
      return malformed("expects a dimension below the rank of ",
                       sizeOrZero(op.shape()), ", but got ", op.dim());
    return Status();
  }

  Status checkVector(const PackInstruction &op, uint32_t n, uint64_t size) {
    const Shape *vector = operandShape(op, n);
    if (sizeOrZero(vector) != 1 || vector->Get(0) != size)
      return malformed("expects operand ", n, " of shape [", size,
                       "], but got ", describeShape(vector));
    return Status();
  }

  Status checkMatVec(const PackInstruction &op) {
    HK_TRY(checkOperandCount(op, 2));
    const Shape *matrix = operandShape(op, 0);
    if (sizeOrZero(matrix) != 2)
      return malformed("expects a matrix as operand 0, but got ",
                       describeShape(matrix));
    HK_TRY(checkVector(op, 1, matrix->Get(1)));
    if (sizeOrZero(op.shape()) != 1 || op.shape()->Get(0) != matrix->Get(0))
      return malformed("expects shape [", matrix->Get(0), "], but got ",
                       describeShape(op.shape()));
    return Status();
  }

  Status checkConcat(const PackInstruction &op) {
    if (sizeOrZero(op.operands()) == 0)
      return malformed("expects operands, but got none");
    HK_TRY(checkDim(op));
    const Shape &whole = *op.shape();
    uint64_t total = 0;
    for (uint32_t n = 0; n < op.operands()->size(); ++n) {
      const Shape *part = operandShape(op, n);
      bool matches = part && part->size() == whole.size();
      for (uint32_t d = 0; matches && d < part->size(); ++d)
        matches = d == op.dim() || part->Get(d) == whole.Get(d);
      if (!matches)
        return malformed("expects operand ", n, " to fit shape ",
                         describeShape(&whole), " but for dimension ", op.dim(),
                         ", but got ", describeShape(part));
      if (!add(total, part->Get(op.dim()), total))
        return malformed("expects at most ", kMaxElements,
                         " elements, but got more");
    }
    if (total != whole.Get(op.dim()))
      return malformed("expects dimension ", op.dim(), " of ", total,
                       ", but got ", whole.Get(op.dim()));
    return Status();
  }

  Status checkParam(const PackInstruction &op) {
    if (view(op.key()).empty())
      return malformed("expects a parameter's key, but got none");
    HK_TRY(checkDType(op.dtype()));
    if (!isFloat(op.dtype()))
      return malformed("expects a float parameter, but got ",
                       nameOf(op.dtype()));
    const LayerRange layers = layersOf(packed_);
    const uint32_t count = hasLayerKey(op) ? layers.count() : 1;
    for (uint32_t i = 0; i < count; ++i) {
      const std::string key =
          parameterKey(op, layers.any ? int64_t(layers.begin) + i : -1);
      auto found = parameters_.find(key);
      if (found == parameters_.end())
        return malformed("expects parameter '", printable(key),
                         "' in the module's list, but it is not there");
      const schema::TensorType &type = *found->second->type();
      if (type.dtype() != op.dtype() || !sameShape(type.shape(), op.shape()))
        return malformed("expects parameter '", printable(key), "' to be ",
                         nameOf(op.dtype()), describeShape(op.shape()),
                         ", but got ", describe(type));
    }
    return Status();
  }

  const schema::Packed &packed_;
  const flatbuffers::Vector<flatbuffers::Offset<PackInstruction>> &program_;
  const ParameterMap &parameters_;
};

} // namespace

Status checkPacked(const schema::Packed &packed,
                   const ParameterMap &parameters) {
  const schema::TensorType &type = *packed.type();
  HK_TRY(checkDType(type.dtype()));
  if (!isFloat(type.dtype()))
    return malformed("expects a float type, but got ", nameOf(type.dtype()));
  uint64_t elements;
  HK_TRY(checkShape(type.shape(), elements));
  if (packed.layout() > schema::Layout::MAX)
    return malformed("expects a layout up to ",
                     static_cast<unsigned>(schema::Layout::MAX), ", but got ",
                     static_cast<unsigned>(packed.layout()));
  if (packed.layout() == schema::Layout::Panels) {
    if (sizeOrZero(type.shape()) != 2)
      return malformed("expects a matrix for panels, but got ", describe(type));
    if (packed.panel_width() == 0)
      return malformed("expects panels of a positive width, but got 0");
  }
  if (packed.layout() == schema::Layout::Tiles) {
    constexpr uint32_t kMaxTile = 1u << 16;
    auto isSize = [](uint32_t size) {
      return size != 0 && size <= kMaxTile && size % 8 == 0;
    };
    if (sizeOrZero(type.shape()) != 2)
      return malformed("expects a matrix for tiles, but got ", describe(type));
    if (!isSize(packed.tile_rows()) || !isSize(packed.tile_columns()))
      return malformed("expects tiles whose sizes are multiples of 8 from 8 "
                       "to ",
                       kMaxTile, ", but got ", packed.tile_rows(), " by ",
                       packed.tile_columns());
    auto isStrip = [](uint32_t strip, uint32_t of) {
      return (strip == 8 || strip == 16 || strip == 32) && of % strip == 0;
    };
    if (!isStrip(packed.strip_rows(), packed.tile_rows()) ||
        !isStrip(packed.strip_columns(), packed.tile_columns()))
      return malformed("expects strips of 8, 16 or 32 that divide the sizes of "
                       "tiles, but got ",
                       packed.strip_rows(), " by ", packed.strip_columns(),
                       " of ", packed.tile_rows(), " by ",
                       packed.tile_columns());
    if (bytesOfLayer(packed) / sizeOf(type.dtype()) > kMaxElements)
      return malformed("expects at most ", kMaxElements,
                       " elements with the padding of tiles, but got more");
  }
  if (packed.layer_end() > kMaxLayers ||
      (packed.layer_end() <= packed.layer_begin() &&
       (packed.layer_end() != 0 || packed.layer_begin() != 0)))
    return malformed("expects a range of layers below ", kMaxLayers,
                     ", but got ", packed.layer_begin(), " to ",
                     packed.layer_end());
  if (packed.layer_end() != 0) {
    const uint64_t bytes = bytesOfLayer(packed);
    uint64_t total;
    if (packed.stride() % format::kBufferAlignment != 0 ||
        packed.stride() < bytes)
      return malformed("expects a stride of at least ", bytes,
                       " bytes that is a multiple of ",
                       format::kBufferAlignment, ", but got ", packed.stride());
    if (!multiply(packed.stride(), packed.layer_end(), total) ||
        total / sizeof(double) > kMaxElements)
      return malformed("expects at most ", kMaxElements * sizeof(double),
                       " bytes in all layers, but got more");
  }
  return ProgramChecker(packed, parameters).check();
}

} // namespace hk
