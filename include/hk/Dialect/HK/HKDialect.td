// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of the dialect, in the order its reference is written in.

#ifndef HK_DIALECT_HK_HKDIALECT_TD
#define HK_DIALECT_HK_HKDIALECT_TD

include "hk/Dialect/HK/HKOps.td"
include "hk/Dialect/HK/HKPackOps.td"
include "hk/Dialect/HK/HKPlanOps.td"

#endif // HK_DIALECT_HK_HKDIALECT_TD
