// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coordinates are computed where they are used, and not kept over loops.

#ifndef HK_LIB_TARGET_NVPTX_REMATERIALIZE_H
#define HK_LIB_TARGET_NVPTX_REMATERIALIZE_H

namespace llvm {
class Function;
} // namespace llvm

namespace hk {

/// Where an integer or an address is computed in front of a loop, has no use in
/// it, and one behind all loops, and all that it is made of are the coordinates
/// of the thread and the arguments (or what is alive in the loop anyway),
/// computes it again there: the loop has its registers. Otherwise where results
/// go is kept over all loops, since it has coordinates in common with where
/// operands come from. Between loops nothing is done: more values at a time
/// cost more there than they leave the loop in front.
void rematerialize(llvm::Function &kernel);

} // namespace hk

#endif // HK_LIB_TARGET_NVPTX_REMATERIALIZE_H
