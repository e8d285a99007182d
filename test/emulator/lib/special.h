// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers: %tid.x and so on.
#ifndef HK_EMULATOR_SPECIAL_H
#define HK_EMULATOR_SPECIAL_H

#include "machine.h"

namespace hk::emulator {

/// Gives a warp's copies of the special registers their values. Clocks and
/// timers stand still at 0.
void fillSpecialRegisters(const Launch &launch, Warp &warp);

} // namespace hk::emulator

#endif // HK_EMULATOR_SPECIAL_H
