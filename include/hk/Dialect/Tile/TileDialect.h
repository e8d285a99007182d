// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile dialect: kernels for GPUs. Reference: docs/reference/tile.md,
// generated from the .td files beside this header; rationale: docs/tile.md.

#ifndef HK_DIALECT_TILE_TILEDIALECT_H
#define HK_DIALECT_TILE_TILEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "hk/Dialect/Tile/TileEnums.h.inc"

#include "hk/Dialect/Tile/TileDialect.h.inc"

namespace hk::tile {
/// The W of strips of W; 8 where columns are not in strips.
constexpr int64_t getStripWidth(FragLayout layout) {
  return layout == FragLayout::Strip16   ? 16
         : layout == FragLayout::Strip32 ? 32
                                         : 8;
}
} // namespace hk::tile

#define GET_TYPEDEF_CLASSES
#include "hk/Dialect/Tile/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "hk/Dialect/Tile/TileAttributes.h.inc"

#define GET_OP_CLASSES
#include "hk/Dialect/Tile/TileOps.h.inc"

#endif // HK_DIALECT_TILE_TILEDIALECT_H
