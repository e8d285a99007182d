// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level S of the tile dialect: constraints.

#include "hk/Dialect/Tile/TileDialect.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

LogicalResult RoleOp::verifyRegions() { return success(); }
LogicalResult ChanOp::verify() { return success(); }
LogicalResult AcquireOp::verify() { return success(); }
LogicalResult CopyOp::verify() { return success(); }
LogicalResult WaitOp::verify() { return success(); }
LogicalResult PutOp::verify() { return success(); }
