// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/TileDialect.h"

#include "hk/Dialect/EnumKeyword.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

#include "hk/Dialect/Tile/TileDialect.cpp.inc"

#include "hk/Dialect/Tile/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "hk/Dialect/Tile/TileTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "hk/Dialect/Tile/TileAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "hk/Dialect/Tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "hk/Dialect/Tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hk/Dialect/Tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "hk/Dialect/Tile/TileOps.cpp.inc"
      >();
}
