// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies whose decoders are apart from cp.async's.
#ifndef HK_EMULATOR_ASYNC_H
#define HK_EMULATOR_ASYNC_H

#include "decoder.h"

namespace hk::emulator {

/// cp.async.bulk, after these two words.
void decodeBulkCopy(Decoder &d);

} // namespace hk::emulator

#endif // HK_EMULATOR_ASYNC_H
