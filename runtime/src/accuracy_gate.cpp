// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "accuracy_gate.h"

#include "half.h"
#include "module_check.h"
#include "tensor_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hk {
namespace {

using schema::DType;

/// Bytes of one output that are in the host's memory at a time.
constexpr uint64_t kChunk = uint64_t(16) << 20;

template <typename T> T load(const uint8_t *bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

/// An element as float64, in which every type is exact.
double elementOf(DType dtype, const uint8_t *bytes, uint64_t index) {
  switch (dtype) {
  case DType::F64:
    return load<double>(bytes, index);
  case DType::F32:
    return load<float>(bytes, index);
  case DType::F16:
    return Float16::toDouble(load<uint16_t>(bytes, index));
  case DType::BF16:
    return BFloat16::toDouble(load<uint16_t>(bytes, index));
  case DType::I32:
    return load<int32_t>(bytes, index);
  default:
    return bytes[index] != 0;
  }
}

constexpr uint64_t kNone = UINT64_MAX;

/// What a worker found in its share of a chunk.
struct Share {
  uint64_t failed = 0;
  double maxError = 0;
  double worstRatio = 0;
  uint64_t worst = kNone; // by ratio; an index into the chunk
  uint64_t notFinite = kNone;
};

struct Chunk {
  DType dtype;
  const uint8_t *got, *expected;
  uint64_t count;
  uint32_t workers;
  std::vector<Share> shares;

  void compare(uint32_t worker) {
    Share &share = shares[worker];
    share = Share();
    const double absolute = isFloat(dtype) ? kGateAbsolute : 0;
    const double relative = isFloat(dtype) ? kGateRelative : 0;
    const uint64_t begin = count * worker / workers;
    const uint64_t end = count * (worker + 1) / workers;
    for (uint64_t i = begin; i < end; ++i) {
      const double reference = elementOf(dtype, expected, i);
      const double value = elementOf(dtype, got, i);
      if (!std::isfinite(reference)) {
        share.notFinite = std::min(share.notFinite, i);
        continue;
      }
      const double error = std::fabs(value - reference);
      const double allowed =
          std::max(absolute, relative * std::fabs(reference));
      if (error <= allowed && allowed * share.worstRatio >= error &&
          share.worst != kNone) {
        // The usual case; what is left are new maxima and failures.
        share.maxError = std::max(share.maxError, error);
        continue;
      }
      double ratio = std::numeric_limits<double>::infinity();
      if (std::isfinite(value)) {
        share.maxError = std::max(share.maxError, error);
        ratio = allowed > 0 ? error / allowed : error > 0 ? ratio : 0;
      }
      share.failed += !(ratio <= 1);
      if (share.worst == kNone || ratio > share.worstRatio) {
        share.worst = i;
        share.worstRatio = ratio;
      }
    }
  }
};

/// "output 0 at [1, 2]"
std::string place(const schema::Function &function, uint32_t output,
                  uint64_t index) {
  const auto &shape = *function.outputs()->Get(output)->type()->shape();
  std::string text;
  for (uint32_t d = shape.size(); d-- > 0;) {
    const uint64_t size = d == 0 ? UINT64_MAX : shape.Get(d);
    text = concat(index % size, text.empty() ? "" : ", ", text);
    index /= size;
  }
  return concat("output ", output, " at [", text, "]");
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

} // namespace

Status compareOutputs(Device &device, Workers &workers,
                      const schema::Function &function,
                      DLTensor *const *outputs,
                      const std::vector<const uint8_t *> &references,
                      GateResult &result) {
  result = GateResult();
  double worstRatio = -1;
  std::vector<uint8_t> got, expected;
  for (uint32_t o = 0; o < references.size(); ++o) {
    const DType dtype = function.outputs()->Get(o)->type()->dtype();
    const uint64_t width = sizeOf(dtype);
    const ByteRange range = bytesOf(*outputs[o]);
    for (uint64_t start = 0; start < range.size; start += kChunk) {
      const uint64_t size = std::min(kChunk, range.size - start);
      got.resize(std::max<uint64_t>(got.size(), size));
      expected.resize(got.size());
      HK_TRY(device.read(got.data(), range.begin + start, size));
      HK_TRY(device.read(expected.data(), references[o] + start, size));
      Chunk chunk = {dtype,        got.data(),      expected.data(),
                     size / width, workers.count(), {}};
      chunk.shares.resize(chunk.workers);
      workers.run(
          [](void *state, uint32_t worker) {
            static_cast<Chunk *>(state)->compare(worker);
          },
          &chunk);
      result.compared += chunk.count;
      for (const Share &share : chunk.shares) {
        result.failed += share.failed;
        result.maxError = std::max(result.maxError, share.maxError);
        if (share.notFinite != kNone && result.notFinite.empty())
          result.notFinite =
              place(function, o, start / width + share.notFinite);
        if (share.worst == kNone || share.worstRatio <= worstRatio)
          continue;
        worstRatio = share.worstRatio;
        result.worst = concat(
            place(function, o, start / width + share.worst), ": expects ",
            number(elementOf(dtype, expected.data(), share.worst)),
            ", but got ", number(elementOf(dtype, got.data(), share.worst)));
      }
    }
  }
  return Status();
}

} // namespace hk
