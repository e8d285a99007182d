// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of the tile dialect have to know of an architecture.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_ARCH_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_ARCH_H

#include "hk/Dialect/Tile/TileDialect.h"

namespace hk::tile {

struct Arch {
  llvm::StringLiteral name;
  /// The bytes of shared memory that a CTA can have.
  int64_t sharedBytes;
  /// cp.async.bulk.
  bool hasBulkCopies;
  /// wgmma.
  bool hasWarpgroups;
  /// 32-bit registers of an SM.
  int64_t registers;
};

/// The architecture that `hk.isa` of the module around the kernel names. Emits
/// an error where there is none, or one that is not known.
mlir::FailureOr<Arch> getArch(KernelOp kernel);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_ARCH_H
