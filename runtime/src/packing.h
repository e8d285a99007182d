// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing: everything in a network that depends on parameters alone, made once
// a session: parameters are bound and values placed in one buffer here, and
// computed by pack_interpreter.
#ifndef HK_RUNTIME_PACKING_H
#define HK_RUNTIME_PACKING_H

#include "memory.h"
#include "module.h"
#include "params.h"
#include "thread_pool.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hk {

/// Packed values in one buffer.
struct PackedValues {
  static constexpr uint64_t kAbsent = UINT64_MAX;

  Mapping buffer;
  uint64_t bytes = 0;
  std::vector<uint64_t> offsets; // by index of Module.packed, or kAbsent

  /// Where value `index`, which is present, lies in the buffer, at `layer` (any
  /// number where the value has no layers).
  uint64_t offsetOf(const schema::Module &module, uint32_t index,
                    int32_t layer) const;
};

/// Bytes of a packed value, all its layers.
uint64_t bytesOf(const schema::Packed &packed);
/// Where `layer` starts in it; 0 where it has no layers, whatever the number.
uint64_t layerOffset(const schema::Packed &packed, int32_t layer);

/// Packs the values of a verified module with the given indices (each at most
/// once), from `params` (nullptr: there are none).
///
/// HK_NOT_FOUND where parameters are missing, HK_INVALID_ARGUMENT where one
/// has another shape or is not a float, HK_OUT_OF_MEMORY above `memoryLimit`
/// bytes of results and temporaries.
Status packValues(const schema::Module &module,
                  const std::vector<uint32_t> &indices, const Params *params,
                  Workers &workers, uint64_t memoryLimit, PackedValues &result);

} // namespace hk

#endif // HK_RUNTIME_PACKING_H
