// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the tile dialect: from level V to level S.

#ifndef HK_DIALECT_TILE_TRANSFORMS_PASSES_H
#define HK_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "hk/Dialect/Tile/TileDialect.h"

#include "mlir/Pass/Pass.h"

namespace hk::tile {

#define GEN_PASS_DECL
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"

/// Adds the passes from level V to level S to the pipeline of a module that
/// holds kernels and says for which architecture they are (`hk.isa`).
void buildTileSchedulePipeline(mlir::OpPassManager &pm);

/// Registers it as `tile-schedule-pipeline`.
void registerTilePipelines();

} // namespace hk::tile

#endif // HK_DIALECT_TILE_TRANSFORMS_PASSES_H
