// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes packed values: a program of the module is interpreted in float64 and
// rounded once, into the layout that kernels read. Programs have passed
// checkPacked, and parameters were bound: nothing is checked here.
#ifndef HK_RUNTIME_PACK_INTERPRETER_H
#define HK_RUNTIME_PACK_INTERPRETER_H

#include "params.h"

#include "module_generated.h"

#include <cstdint>
#include <string>

namespace hk {

/// The layers of a packed value; where it has none, the program runs once.
struct LayerRange {
  bool any = false;
  uint32_t begin = 0;
  uint32_t end = 1;
  uint32_t count() const { return end - begin; }
};
LayerRange layersOf(const schema::Packed &packed);

/// Whether the key of a Param depends on the layer.
bool hasLayerKey(const schema::PackInstruction &param);
/// The key of a Param, each "{}" replaced by `layer`; as it is if that is -1.
std::string parameterKey(const schema::PackInstruction &param, int64_t layer);

/// Bytes of one layer of the result.
uint64_t bytesOfLayer(const schema::Packed &packed);

/// Bytes of temporaries that packLayer holds at once, at most.
uint64_t peakBytes(const schema::Packed &packed);

/// Computes one layer (-1: there are none) into `target`, bytesOfLayer long and
/// aligned to its elements. Throws std::bad_alloc.
void packLayer(const schema::Packed &packed, const Params *params,
               int64_t layer, void *target);

} // namespace hk

#endif // HK_RUNTIME_PACK_INTERPRETER_H
