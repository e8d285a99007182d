// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ring of a channel, as one of its ends sees it.

#ifndef HK_LIB_CONVERSION_TILETONVVM_RING_H
#define HK_LIB_CONVERSION_TILETONVVM_RING_H

#include "KernelInfo.h"

namespace hk {

class Ring {
public:
  Ring(Device &d, const KernelInfo &info, const Channel &channel,
       const RingPosition &position);

  /// The address of the slot.
  mlir::Value address();
  /// Its barriers.
  SharedAddress full();
  SharedAddress empty();
  /// The parity of the phase of this round.
  mlir::Value parity();

  /// On to the next slot.
  void advance();

private:
  Device &d;
  mlir::Value base; // of shared memory
  const Channel &channel;
  const RingPosition &position;
  mlir::Value slot; // none: 0

  mlir::Value barrierBase();
  mlir::Value load(mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_RING_H
