// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_SAFETENSORS_H
#define HK_RUNTIME_SAFETENSORS_H

#include "params.h"

namespace hk {

/// Reads the header of a safetensors file of `size` bytes. The tensors' data
/// points into it. HK_MALFORMED for anything but a file whose tensors cover
/// its bytes exactly, without gaps or overlaps.
Status parseSafetensors(const uint8_t *data, uint64_t size,
                        std::vector<ParamTensor> &tensors);

} // namespace hk

#endif // HK_RUNTIME_SAFETENSORS_H
