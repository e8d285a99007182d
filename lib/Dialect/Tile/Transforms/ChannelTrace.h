// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a role does with its channels, once its trip counts and conditions are
// chosen; a part of tile-check-channels.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_CHANNELTRACE_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_CHANNELTRACE_H

#include "ValueNumbers.h"
#include "hk/Dialect/Tile/TileDialect.h"

#include "llvm/ADT/MapVector.h"

namespace hk::tile {

/// A step of a role: an acquire, copy, commit, wait or release, or a use of a
/// slot.
struct Step {
  mlir::Operation *op;
  mlir::Value chan;
  /// The number of the slot in the order of the channel, of a copy or a use.
  int64_t slot;
};

/// Trip counts and conditions, the same for both roles.
class Choices {
public:
  /// Finds out what there is to choose below `op`.
  void collect(mlir::Operation *op);

  /// Tries all combinations, or enough of them; stops at a failure.
  mlir::LogicalResult
  forEach(llvm::function_ref<mlir::LogicalResult()> function);

  /// The trips of a loop, or 1 or 0 of a condition, where the loops around it
  /// are at iterations whose numbers add up to `turn`.
  int64_t get(mlir::Operation *op, int64_t turn);

private:
  /// Two values, in turn.
  using Option = std::pair<int64_t, int64_t>;

  int64_t getKey(mlir::Operation *op);
  static llvm::ArrayRef<Option> getOptions(mlir::Operation *op);

  ValueNumbers numbers;
  /// What can be chosen, and the number of what is chosen.
  llvm::MapVector<int64_t, std::pair<llvm::ArrayRef<Option>, size_t>> options;
};

/// The steps of a role. Emits an error where channels are used within
/// something else than loops and conditions.
mlir::FailureOr<std::vector<Step>> getTrace(RoleOp role, Choices &choices);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_CHANNELTRACE_H
