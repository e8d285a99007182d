// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack_interpreter.h"

#include "half.h"
#include "module_check.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace hk {
namespace {

using schema::PackInstruction;
using schema::PackOpcode;
using Program = flatbuffers::Vector<flatbuffers::Offset<PackInstruction>>;
using Buffer = std::unique_ptr<double[]>;

uint64_t product(const flatbuffers::Vector<uint64_t> *shape, uint32_t begin,
                 uint32_t end) {
  uint64_t result = 1;
  for (uint32_t d = begin; d < end; ++d)
    result *= shape->Get(d);
  return result;
}

uint64_t elementsOf(const PackInstruction &op) {
  return product(op.shape(), 0, sizeOrZero(op.shape()));
}

uint64_t elementsOf(const schema::TensorType &type) {
  uint64_t result = 1;
  for (uint32_t d = 0; d < sizeOrZero(type.shape()); ++d)
    result *= static_cast<uint64_t>(type.shape()->Get(d));
  return result;
}

/// How often each instruction's value is read, the result once more. What the
/// result does not depend on has no uses, and is not computed.
std::vector<uint32_t> countUses(const schema::Packed &packed) {
  const Program &program = *packed.program();
  std::vector<uint32_t> uses(program.size());
  uses[packed.result()] = 1;
  for (uint32_t i = packed.result() + 1; i-- > 0;) {
    const PackInstruction &op = *program.Get(i);
    if (uses[i])
      for (uint32_t n = 0; n < sizeOrZero(op.operands()); ++n)
        ++uses[op.operands()->Get(n)];
  }
  return uses;
}

/// Whether the result may overwrite operand 0, where nobody else reads it.
bool worksInPlace(PackOpcode opcode) {
  return opcode == PackOpcode::Scale || opcode == PackOpcode::ScaleDim ||
         opcode == PackOpcode::Add;
}

template <typename Stored, typename Widen>
void widen(const void *data, uint64_t count, double *out, Widen convert) {
  const char *bytes = static_cast<const char *>(data);
  for (uint64_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, bytes + i * sizeof(Stored), sizeof(Stored));
    out[i] = convert(value);
  }
}

void widenTensor(const ParamTensor &tensor, uint64_t count, double *out) {
  switch (tensor.dtype) {
  case HK_DTYPE_F64:
    std::memcpy(out, tensor.data, count * sizeof(double));
    break;
  case HK_DTYPE_F32:
    widen<float>(tensor.data, count, out,
                 [](float value) { return static_cast<double>(value); });
    break;
  case HK_DTYPE_F16:
    widen<uint16_t>(tensor.data, count, out, Float16::toDouble);
    break;
  case HK_DTYPE_BF16:
    widen<uint16_t>(tensor.data, count, out, BFloat16::toDouble);
    break;
  default: // bindParameters refused it
    std::fill_n(out, count, 0.0);
    break;
  }
}

/// Runs the program of one packed value for one layer.
class Interpreter {
public:
  Interpreter(const schema::Packed &packed, const Params *params, int64_t layer)
      : packed_(packed), program_(*packed.program()), params_(params),
        layer_(layer), uses_(countUses(packed)), values_(program_.size()) {}

  /// The packed value, before it is rounded. Throws std::bad_alloc.
  Buffer run() {
    for (uint32_t i = 0; i <= packed_.result(); ++i) {
      if (!uses_[i])
        continue;
      const PackInstruction &op = *program_.Get(i);
      values_[i] = evaluate(op);
      for (uint32_t n = 0; n < sizeOrZero(op.operands()); ++n)
        if (--uses_[op.operands()->Get(n)] == 0)
          values_[op.operands()->Get(n)].reset();
    }
    return std::move(values_[packed_.result()]);
  }

private:
  const double *operand(const PackInstruction &op, uint32_t n) const {
    return values_[op.operands()->Get(n)].get();
  }

  /// Operand 0 in a buffer that may be overwritten.
  Buffer takeOperand(const PackInstruction &op) {
    const uint32_t index = op.operands()->Get(0);
    if (uses_[index] == 1)
      return std::move(values_[index]);
    const uint64_t count = elementsOf(op);
    Buffer copy(new double[count]);
    std::memcpy(copy.get(), values_[index].get(), count * sizeof(double));
    return copy;
  }

  Buffer evaluate(const PackInstruction &op) {
    switch (op.opcode()) {
    case PackOpcode::Param: {
      const uint64_t count = elementsOf(op);
      Buffer out(new double[count]);
      widenTensor(*params_->find(parameterKey(op, layer_)), count, out.get());
      return out;
    }
    case PackOpcode::Zeros:
      return Buffer(new double[elementsOf(op)]());
    case PackOpcode::Scale: {
      const uint64_t count = elementsOf(op);
      const double scalar = op.scalar();
      Buffer out = takeOperand(op);
      for (uint64_t i = 0; i < count; ++i)
        out[i] *= scalar;
      return out;
    }
    case PackOpcode::ScaleDim:
      return scaleDim(op);
    case PackOpcode::MatVec:
      return matVec(op);
    case PackOpcode::Add: {
      const uint64_t count = elementsOf(op);
      Buffer out = takeOperand(op);
      const double *other = operand(op, 1);
      for (uint64_t i = 0; i < count; ++i)
        out[i] += other[i];
      return out;
    }
    case PackOpcode::Concat:
      return concatenate(op);
    }
    return nullptr;
  }

  Buffer scaleDim(const PackInstruction &op) {
    const uint64_t outer = product(op.shape(), 0, op.dim());
    const uint64_t size = op.shape()->Get(op.dim());
    const uint64_t inner =
        product(op.shape(), op.dim() + 1, op.shape()->size());
    const double *factors = operand(op, 1);
    Buffer out = takeOperand(op);
    double *element = out.get();
    for (uint64_t o = 0; o < outer; ++o)
      for (uint64_t d = 0; d < size; ++d)
        for (uint64_t i = 0; i < inner; ++i)
          *element++ *= factors[d];
    return out;
  }

  Buffer matVec(const PackInstruction &op) {
    const uint64_t rows = op.shape()->Get(0);
    const uint64_t columns =
        program_.Get(op.operands()->Get(1))->shape()->Get(0);
    const double *row = operand(op, 0);
    const double *vector = operand(op, 1);
    Buffer out(new double[rows]);
    for (uint64_t n = 0; n < rows; ++n, row += columns) {
      double sum = 0;
      for (uint64_t k = 0; k < columns; ++k)
        sum += row[k] * vector[k];
      out[n] = sum;
    }
    return out;
  }

  Buffer concatenate(const PackInstruction &op) {
    const uint64_t outer = product(op.shape(), 0, op.dim());
    const uint64_t inner =
        product(op.shape(), op.dim() + 1, op.shape()->size());
    const uint64_t stride = op.shape()->Get(op.dim()) * inner;
    Buffer out(new double[outer * stride]);
    uint64_t at = 0;
    for (uint32_t n = 0; n < op.operands()->size(); ++n) {
      const auto *shape = program_.Get(op.operands()->Get(n))->shape();
      const uint64_t run = shape->Get(op.dim()) * inner;
      for (uint64_t o = 0; o < outer; ++o)
        std::memcpy(out.get() + o * stride + at, operand(op, n) + o * run,
                    run * sizeof(double));
      at += run;
    }
    return out;
  }

  const schema::Packed &packed_;
  const Program &program_;
  const Params *params_;
  int64_t layer_;
  std::vector<uint32_t> uses_;
  std::vector<Buffer> values_;
};

uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The elements that a layer takes in memory, with padding.
uint64_t storedElementsOf(const schema::Packed &packed) {
  const uint64_t elements = elementsOf(*packed.type());
  if (packed.layout() != schema::Layout::Tiles)
    return elements;
  const auto &shape = *packed.type()->shape();
  return roundUp(static_cast<uint64_t>(shape.Get(0)), packed.tile_rows()) *
         roundUp(static_cast<uint64_t>(shape.Get(1)), packed.tile_columns());
}

/// The row or column that is at a place in the order of strips; see the schema.
uint64_t inStrips(uint64_t place, uint64_t strip) {
  const uint64_t j = place % strip / 8, t = place / 2 % 4, e = place % 2;
  return place / strip * strip + strip / 4 * t + 2 * j + e;
}

/// A tile that begins at row `n` and column `k` of the matrix; see the schema.
template <typename Stored, typename Round>
Stored *storeTile(const schema::Packed &packed, const double *value, uint64_t n,
                  uint64_t k, Stored *out, Round round) {
  constexpr uint64_t chunkBytes = 16, bankBytes = 128;
  constexpr uint64_t chunk = chunkBytes / sizeof(Stored);
  const uint64_t rows = static_cast<uint64_t>(packed.type()->shape()->Get(0));
  const uint64_t columns =
      static_cast<uint64_t>(packed.type()->shape()->Get(1));
  uint64_t blockBytes = bankBytes;
  while (packed.tile_columns() * sizeof(Stored) % blockBytes != 0)
    blockBytes /= 2;
  const uint64_t width = blockBytes / sizeof(Stored);
  for (uint64_t first = 0; first < packed.tile_columns(); first += width)
    for (uint64_t r = 0; r < packed.tile_rows(); ++r, out += width) {
      const uint64_t swizzle =
          (r * blockBytes / bankBytes) & (blockBytes / chunkBytes - 1);
      for (uint64_t c = 0; c < width; ++c) {
        const uint64_t row = n + inStrips(r, packed.strip_rows());
        const uint64_t column = k + inStrips(first + c, packed.strip_columns());
        const double element = row < rows && column < columns
                                   ? value[row * columns + column]
                                   : 0.0;
        out[((c / chunk) ^ swizzle) * chunk + c % chunk] = round(element);
      }
    }
  return out;
}

/// Rounds each element of `value` and writes it where the layout wants it.
template <typename Stored, typename Round>
void storeAs(const schema::Packed &packed, const double *value, void *target,
             Round round) {
  Stored *out = static_cast<Stored *>(target);
  if (packed.layout() == schema::Layout::Dense) {
    const uint64_t count = elementsOf(*packed.type());
    for (uint64_t i = 0; i < count; ++i)
      out[i] = round(value[i]);
    return;
  }
  const uint64_t rows = static_cast<uint64_t>(packed.type()->shape()->Get(0));
  const uint64_t columns =
      static_cast<uint64_t>(packed.type()->shape()->Get(1));
  if (packed.layout() == schema::Layout::Tiles) {
    for (uint64_t n = 0; n < rows; n += packed.tile_rows())
      for (uint64_t k = 0; k < columns; k += packed.tile_columns())
        out = storeTile(packed, value, n, k, out, round);
    return;
  }
  for (uint64_t n = 0; n < rows; n += packed.panel_width()) {
    const uint64_t width = std::min<uint64_t>(packed.panel_width(), rows - n);
    const double *panel = value + n * columns;
    for (uint64_t k = 0; k < columns; ++k)
      for (uint64_t j = 0; j < width; ++j)
        *out++ = round(panel[j * columns + k]);
  }
}

void store(const schema::Packed &packed, const double *value, void *target) {
  switch (packed.type()->dtype()) {
  case schema::DType::F64:
    return storeAs<double>(packed, value, target, [](double v) { return v; });
  case schema::DType::F32:
    return storeAs<float>(packed, value, target,
                          [](double v) { return static_cast<float>(v); });
  case schema::DType::F16:
    return storeAs<uint16_t>(packed, value, target, Float16::fromDouble);
  case schema::DType::BF16:
    return storeAs<uint16_t>(packed, value, target, BFloat16::fromDouble);
  default: // checkPacked refused it
    return;
  }
}

} // namespace

uint64_t bytesOfLayer(const schema::Packed &packed) {
  return storedElementsOf(packed) * sizeOf(packed.type()->dtype());
}

uint64_t peakBytes(const schema::Packed &packed) {
  const Program &program = *packed.program();
  std::vector<uint32_t> uses = countUses(packed);
  uint64_t live = 0, peak = 0; // elements
  for (uint32_t i = 0; i <= packed.result(); ++i) {
    const PackInstruction &op = *program.Get(i);
    if (!uses[i])
      continue;
    const bool inPlace =
        worksInPlace(op.opcode()) && uses[op.operands()->Get(0)] == 1;
    if (!inPlace)
      live += elementsOf(op);
    peak = std::max(peak, live);
    for (uint32_t n = 0; n < sizeOrZero(op.operands()); ++n) {
      const uint32_t operand = op.operands()->Get(n);
      if (--uses[operand] == 0 && !(inPlace && n == 0))
        live -= elementsOf(*program.Get(operand));
    }
    if (peak > kMaxElements)
      break; // above any limit; and sums of more could overflow
  }
  return peak * sizeof(double);
}

void packLayer(const schema::Packed &packed, const Params *params,
               int64_t layer, void *target) {
  const Buffer value = Interpreter(packed, params, layer).run();
  store(packed, value.get(), target);
}

LayerRange layersOf(const schema::Packed &packed) {
  if (packed.layer_end() == 0)
    return LayerRange();
  return {true, packed.layer_begin(), packed.layer_end()};
}

bool hasLayerKey(const PackInstruction &param) {
  return view(param.key()).find("{}") != std::string_view::npos;
}

std::string parameterKey(const PackInstruction &param, int64_t layer) {
  std::string key(view(param.key()));
  if (layer < 0)
    return key;
  const std::string number = std::to_string(layer);
  for (size_t at = 0; (at = key.find("{}", at)) != std::string::npos;
       at += number.size())
    key.replace(at, 2, number);
  return key;
}

} // namespace hk
