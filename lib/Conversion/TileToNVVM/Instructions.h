// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of shared memory, matrices and barriers, as functions. Shared
// addresses are i32s in the window of shared memory, with a constant offset
// that the instruction takes along.

#ifndef HK_LIB_CONVERSION_TILETONVVM_INSTRUCTIONS_H
#define HK_LIB_CONVERSION_TILETONVVM_INSTRUCTIONS_H

#include "Device.h"
#include "Target.h"

namespace hk {

/// An address in shared memory: a value and a constant to add.
struct SharedAddress {
  mlir::Value base;
  int64_t offset = 0;
};

/// setmaxnreg of a warpgroup: the registers of a thread from here on.
void growRegisters(Device &d, int64_t registers);
void shrinkRegisters(Device &d, int64_t registers);

/// The pointer that instructions of the LLVM dialect take.
mlir::Value sharedPointer(Device &d, const SharedAddress &address);

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// ldmatrix of `count` (1, 2 or 4) matrices of 8x8 16-bit elements: one i32
/// each. Lane l gives the address of row l mod 8 of matrix l / 8.
mlir::SmallVector<mlir::Value> loadMatrices(Device &d,
                                            const SharedAddress &address,
                                            int64_t count, bool isTransposed);

/// stmatrix (sm_90 and later): the reverse.
void storeMatrices(Device &d, const SharedAddress &address,
                   mlir::ValueRange registers);

/// d = a b + c of a 16 x 8 tile: four f32. The operands are those of
/// mma.sync.m16n8k16 or, with half as many registers, m16n8k8 of `element`,
/// which is f16, bf16, or f32 for tf32.
mlir::SmallVector<mlir::Value> multiplyAdd(Device &d, mlir::Type element,
                                           mlir::ValueRange a,
                                           mlir::ValueRange b,
                                           mlir::ValueRange c);

/// The nearest tf32 of an f32, as an i32.
mlir::Value toTF32(Device &d, mlir::Value value);

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// cp.async of `bytes` (4, 8 or 16). With `valid`, an i32, only so many are
/// read and the others are zeros.
void copyAsync(Device &d, const SharedAddress &target, mlir::Value source,
               int64_t bytes, mlir::Value valid);

/// Waits for the copies of this thread.
void waitForCopies(Device &d);

/// cp.async.bulk where `predicate` holds; the bytes count at the mbarrier.
void copyBulk(Device &d, mlir::Value target, mlir::Value source, int64_t bytes,
              const SharedAddress &barrier, mlir::Value predicate);

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// bar.sync of `threads` threads (0: all of the CTA) at barrier `id`.
void syncThreads(Device &d, int64_t id, int64_t threads);
/// What threads have written to shared memory, as far as the lane knows, is
/// there for wgmma and for bulk copies.
void fenceProxies(Device &d);
/// The next kernel may begin, once all CTAs say so or have ended (sm_90 and
/// later). The thread waits for the kernels in front.
void launchDependents(Device &d);
/// Under a condition, if one is given, which has to hold.
void waitForGrid(Device &d, mlir::Value condition = {});
/// What the lane has read of shared memory may be written by others, whichever
/// way, once it has arrived at a barrier.
void fenceReads(Device &d, const GPUTarget &target);

void initBarrier(Device &d, const SharedAddress &barrier, int64_t arrivals);
/// The initialisation of barriers is seen by bulk copies (sm_90 and later).
void fenceBarrierInit(Device &d);
/// Arrives where `predicate` holds; without one, always.
void arrive(Device &d, const SharedAddress &barrier, mlir::Value predicate);
/// Arrives once all copies of the thread (`copyAsync`) are complete.
void arriveAfterCopies(Device &d, const SharedAddress &barrier);
/// Arrives where `predicate` holds, and expects bytes of bulk copies.
void arriveExpecting(Device &d, const SharedAddress &barrier, int64_t bytes,
                     mlir::Value predicate);
/// Waits until the phase of `parity` is complete; traps if it takes seconds.
void waitForPhase(Device &d, const GPUTarget &target,
                  const SharedAddress &barrier, mlir::Value parity);

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_INSTRUCTIONS_H
