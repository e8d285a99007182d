// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packing.h"

#include "checked.h"
#include "half.h"
#include "module_check.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_set>

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

uint64_t bytesOfLayer(const schema::Packed &packed) {
  return elementsOf(*packed.type()) * sizeOf(packed.type()->dtype());
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

/// Bytes of temporaries that `Interpreter` holds at once, at most.
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

/// Checks that `params` has what the packed values read.
Status bindParameters(const schema::Module &module,
                      const std::vector<uint32_t> &indices,
                      const Params *params) {
  constexpr size_t kShown = 3;
  std::unordered_set<std::string> seen;
  std::vector<std::string> shown;
  size_t missing = 0;
  for (uint32_t index : indices) {
    const schema::Packed &packed = *module.packed()->Get(index);
    const LayerRange layers = layersOf(packed);
    for (const PackInstruction *op : *packed.program()) {
      if (op->opcode() != PackOpcode::Param)
        continue;
      const uint32_t count = hasLayerKey(*op) ? layers.count() : 1;
      for (uint32_t i = 0; i < count; ++i) {
        std::string key =
            parameterKey(*op, layers.any ? int64_t(layers.begin) + i : -1);
        if (!seen.insert(key).second)
          continue;
        const ParamTensor *tensor = params ? params->find(key) : nullptr;
        if (!tensor) {
          if (missing++ < kShown)
            shown.push_back(std::move(key));
          continue;
        }
        const std::vector<int64_t> &shape = tensor->shape;
        std::vector<int64_t> wanted;
        for (uint32_t d = 0; d < sizeOrZero(op->shape()); ++d)
          wanted.push_back(static_cast<int64_t>(op->shape()->Get(d)));
        const bool floating =
            isFloat(static_cast<schema::DType>(tensor->dtype));
        if (!floating || shape != wanted)
          return invalidArgument(
              "parameter '", printable(key), "': expects ",
              describe(nameOf(op->dtype()), wanted.data(),
                       static_cast<uint32_t>(wanted.size())),
              floating ? ", but got " : " (or another float type), but got ",
              describe(tensor->dtypeName, shape.data(),
                       static_cast<uint32_t>(shape.size())));
      }
    }
  }
  if (missing == 0)
    return Status();
  std::string list;
  for (const std::string &key : shown)
    list += concat(list.empty() ? "'" : ", '", printable(key), "'");
  return error(HK_NOT_FOUND, "expects all parameters of the plan, but got ",
               seen.size() - missing, " of ", seen.size(), ": ", missing,
               " missing, ", list, missing > kShown ? ", ..." : "");
}

/// Lays the values out in the buffer: `offsets` and `bytes` of `result`.
Status placeValues(const schema::Module &module,
                   const std::vector<uint32_t> &indices, PackedValues &result) {
  result.offsets.assign(module.packed()->size(), PackedValues::kAbsent);
  result.bytes = 0;
  for (uint32_t index : indices) {
    const schema::Packed &packed = *module.packed()->Get(index);
    const uint64_t size = layersOf(packed).any
                              ? packed.stride() * layersOf(packed).count()
                              : bytesOfLayer(packed);
    result.offsets[index] = result.bytes;
    if (!add(result.bytes, size, result.bytes) ||
        !alignUp(result.bytes, format::kBufferAlignment, result.bytes))
      return error(HK_OUT_OF_MEMORY,
                   "expects packed parameters of less than 2^64 bytes, but got "
                   "more");
  }
  return Status();
}

/// The work of one region: workers take (value, layer) pairs in order.
struct PackingJob {
  struct Item {
    const schema::Packed *packed;
    int64_t layer; // -1: none
    uint8_t *target;
  };
  std::vector<Item> items;
  const Params *params = nullptr;
  uint32_t concurrency = 1;
  std::atomic<size_t> next{0};
  std::atomic<bool> outOfMemory{false};

  void work(uint32_t worker) {
    if (worker >= concurrency)
      return;
    for (size_t i; (i = next.fetch_add(1)) < items.size();) {
      const Item &item = items[i];
      try {
        Buffer value = Interpreter(*item.packed, params, item.layer).run();
        store(*item.packed, value.get(), item.target);
      } catch (const std::bad_alloc &) {
        outOfMemory = true;
        return;
      }
    }
  }
};

} // namespace

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

const void *PackedValues::at(const schema::Module &module, uint32_t index,
                             int32_t layer) const {
  const schema::Packed &packed = *module.packed()->Get(index);
  const LayerRange layers = layersOf(packed);
  const uint64_t skipped =
      layers.any ? static_cast<uint32_t>(layer) - layers.begin : 0;
  return buffer.data() + offsets[index] + skipped * packed.stride();
}

Status packValues(const schema::Module &module,
                  const std::vector<uint32_t> &indices, const Params *params,
                  Workers &workers, uint64_t memoryLimit,
                  PackedValues &result) {
  HK_TRY(bindParameters(module, indices, params));
  HK_TRY(placeValues(module, indices, result));

  uint64_t peak = 0;
  for (uint32_t index : indices)
    peak = std::max(peak, peakBytes(*module.packed()->Get(index)));
  uint64_t least;
  if (!add(result.bytes, peak, least) || least > memoryLimit)
    return error(HK_OUT_OF_MEMORY, "expects packing to take at most ",
                 memoryLimit, " bytes, but got ", result.bytes,
                 " of packed parameters and ", peak, " of temporaries");

  HK_TRY(allocatePages(result.bytes, result.buffer));
  PackingJob job;
  job.params = params;
  job.concurrency = workers.count();
  if (peak > 0)
    job.concurrency = static_cast<uint32_t>(std::min<uint64_t>(
        workers.count(), (memoryLimit - result.bytes) / peak));
  for (uint32_t index : indices) {
    const schema::Packed &packed = *module.packed()->Get(index);
    const LayerRange layers = layersOf(packed);
    uint8_t *target = result.buffer.data() + result.offsets[index];
    for (uint32_t layer = layers.begin; layer < layers.end; ++layer) {
      job.items.push_back({&packed, layers.any ? int64_t(layer) : -1, target});
      target += packed.stride();
    }
  }
  workers.run(
      [](void *state, uint32_t worker) {
        static_cast<PackingJob *>(state)->work(worker);
      },
      &job);
  if (job.outOfMemory)
    return error(HK_OUT_OF_MEMORY, "cannot allocate ", peak,
                 " bytes for packing");
  return Status();
}

} // namespace hk
