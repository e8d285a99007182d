// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warpgroup can multiply: the shapes of wgmma, and where the descriptor
// of a matrix in shared memory can point to.

#include "hk/Dialect/Tile/TileDialect.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hk::tile;

std::string MmaOp::whyNotWarpgroup() {
  constexpr int64_t kWarps = 4, kDepth = 16;
  FragType a = getA().getType();
  BufType b = getB().getType();
  if (!a.getElementType().isF16() && !a.getElementType().isBF16()) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "expects operands of f16 or bf16 of a warpgroup, but got "
        << a.getElementType();
    return text;
  }
  if (auto kernel = (*this)->getParentOfType<KernelOp>();
      kernel && kernel.getUnits() % kWarps != 0)
    return llvm::formatv("expects a multiple of {0} units for a warpgroup, but "
                         "got {1}",
                         kWarps, kernel.getUnits());
  if (a.getColumns() % kDepth != 0)
    return llvm::formatv("expects K of a multiple of {0} for a warpgroup, but "
                         "got {1}",
                         kDepth, a.getColumns());
  std::optional<int64_t> column = getConstantIntValue(getColumn());
  if (!column)
    return "expects a constant column for a warpgroup, but got one that is not";
  int64_t block = b.getBlockBytes() / b.getElementBytes();
  if (!getTransposeB()) {
    if (*column % std::min(block, kDepth) != 0)
      return llvm::formatv("expects a column of a multiple of {0} for a "
                           "warpgroup, but got {1}",
                           std::min(block, kDepth), *column);
    return {};
  }
  int64_t begin = *column % block;
  if (begin != 0 && begin + getType().getColumns() > block)
    return llvm::formatv("expects N within a block of {0} columns, or from its "
                         "beginning on, for a warpgroup, but got {1} from {2} "
                         "on",
                         block, getType().getColumns(), *column);
  return {};
}
