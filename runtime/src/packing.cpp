// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packing.h"

#include "checked.h"
#include "module_check.h"
#include "pack_interpreter.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <unordered_set>

namespace hk {
namespace {

using schema::PackInstruction;
using schema::PackOpcode;

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
    result.offsets[index] = result.bytes;
    if (!add(result.bytes, bytesOf(packed), result.bytes) ||
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
        packLayer(*item.packed, params, item.layer, item.target);
      } catch (const std::bad_alloc &) {
        outOfMemory = true;
        return;
      }
    }
  }
};

} // namespace

uint64_t bytesOf(const schema::Packed &packed) {
  const LayerRange layers = layersOf(packed);
  return layers.any ? packed.stride() * layers.count() : bytesOfLayer(packed);
}

uint64_t layerOffset(const schema::Packed &packed, int32_t layer) {
  const LayerRange layers = layersOf(packed);
  return layers.any
             ? (static_cast<uint32_t>(layer) - layers.begin) * packed.stride()
             : 0;
}

uint64_t PackedValues::offsetOf(const schema::Module &module, uint32_t index,
                                int32_t layer) const {
  return offsets[index] + layerOffset(*module.packed()->Get(index), layer);
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
