// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on networks, in the order the pipeline runs them.

#ifndef HK_TRANSFORMS_PASSES_TD
#define HK_TRANSFORMS_PASSES_TD

include "hk/Transforms/MakeOracle.td"
include "hk/Transforms/Check.td"
include "hk/Transforms/Widen.td"
include "hk/Transforms/RollLayers.td"
include "hk/Transforms/DropMasks.td"
include "hk/Transforms/FoldNorms.td"
include "hk/Transforms/FoldAttention.td"
include "hk/Transforms/PackLinears.td"
include "hk/Transforms/HoistPacked.td"
include "hk/Transforms/RotateLayers.td"
include "hk/Transforms/CloneTargets.td"
include "hk/Transforms/Cut.td"
include "hk/Transforms/Narrow.td"
include "hk/Transforms/AssignSchedules.td"
include "hk/Transforms/Outline.td"

#endif // HK_TRANSFORMS_PASSES_TD
