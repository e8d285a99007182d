// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from variants of kernels to code.

#ifndef HK_CONVERSION_PASSES_TD
#define HK_CONVERSION_PASSES_TD

include "hk/Conversion/HKToLinalg/HKToLinalg.td"
include "hk/Conversion/HKToLinalg/LowerLoopsKernels.td"
include "hk/Conversion/HKToTile/HKToTile.td"
include "hk/Conversion/HKToVector/HKToVector.td"
include "hk/Conversion/TileToNVVM/TileToNVVM.td"

#endif // HK_CONVERSION_PASSES_TD
