// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of scalars: values that are computed alike have the same, in
// whichever role they stand.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_VALUENUMBERS_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_VALUENUMBERS_H

#include "hk/Dialect/Tile/TileDialect.h"

#include <map>
#include <vector>

namespace hk::tile {

class ValueNumbers {
public:
  /// The number of a value.
  int64_t get(mlir::Value value);

  /// The number of what decides how often a loop runs.
  int64_t getBounds(mlir::scf::ForOp loop);

private:
  using Key = std::vector<int64_t>;

  int64_t intern(Key key);
  Key getKey(mlir::Value value);

  llvm::DenseMap<mlir::Value, int64_t> known;
  std::map<Key, int64_t> numbers;
};

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_VALUENUMBERS_H
