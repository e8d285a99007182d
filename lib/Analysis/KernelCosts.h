// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of hk-to-tile and its lowering costs, piece by piece: numbers
// that all families of kernels share. docs/cost-model.md says where they are
// from.

#ifndef HK_LIB_ANALYSIS_KERNELCOSTS_H
#define HK_LIB_ANALYSIS_KERNELCOSTS_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace hk {

inline constexpr int64_t kTileRows = 16, kWarp = 32;
/// The registers of a thread that a slab may take
/// (lib/Conversion/HKToTile/KernelPlan.cpp).
inline constexpr int64_t kSlabRegisters = 224;
/// Registers for addresses, fragments of a weight, and the thread's place.
inline constexpr int64_t kOverhead = 23;
/// Bytes that an instruction of a warp brings from shared memory: ldmatrix.x4,
/// and a load of 32 bits a thread.
inline constexpr double kMatrixLoad = 512, kWordLoad = 128;
/// Operations of one product of a warp, of f16 and of tf32.
inline constexpr double kHalfProduct = 4096, kWordProduct = 2048;
/// The same of a warp's part of wgmma with 64 columns, and the instructions
/// that go with one: descriptors.
inline constexpr double kGroupProduct = 32768, kGroupInstructions = 5;
/// The warps that read B once together.
inline constexpr int64_t kWarpgroup = 4;
/// Instructions of a thread: for a score of attention (scale, maximum,
/// difference, sum, rounding), and for a value that is split into two of tf32.
inline constexpr double kScore = 6, kSplit = 3;
/// The same of a score where a warpgroup multiplies. 3.5 are counted, for there
/// is no maximum; some run beside the products of the other warpgroups.
inline constexpr double kGroupScore = 2;
/// Dependent steps of a block of keys: scores, maxima, context.
inline constexpr double kKeyStages = 3;
/// Issue slots of a warp for a block of keys, whatever its size, where a
/// warpgroup multiplies: waits, fences, the vote and descriptors, and what these
/// and the products wait for.
inline constexpr double kGroupBlock = 300;

/// The rows and columns of a slab of f32, in registers of a thread.
inline int64_t slab(int64_t rows, int64_t columns) {
  return rows * llvm::alignTo(columns, 8) / kWarp;
}

} // namespace hk

#endif // HK_LIB_ANALYSIS_KERNELCOSTS_H
