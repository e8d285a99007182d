// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/ProjectedRows.h"

#include "hk/Analysis/Storage.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace hk;

bool hk::computesKeys(AttentionOp op) {
  return !isa<BlockArgument>(getStorage(op.getKey())) ||
         !isa<BlockArgument>(getStorage(op.getValue()));
}

ProjectedRows ProjectedRows::get(int64_t ofCTA, int64_t units,
                                 int64_t sequence) {
  int64_t ofUnit = std::max<int64_t>(ofCTA / units, 1);
  ProjectedRows result;
  result.sequences =
      std::max<int64_t>(ofCTA / llvm::alignTo(sequence, ofUnit), 1);
  result.rows = ofCTA / result.sequences;
  result.units = units / result.sequences;
  return result;
}
