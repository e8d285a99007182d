// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of tile-to-nvvm, a family a file.

#ifndef HK_LIB_CONVERSION_TILETONVVM_PATTERNS_H
#define HK_LIB_CONVERSION_TILETONVVM_PATTERNS_H

#include "Device.h"
#include "KernelInfo.h"
#include "TypeConverter.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace hk {

/// A pattern for `Op` that knows the kernel.
template <typename Op>
class TilePattern : public mlir::OpConversionPattern<Op> {
public:
  TilePattern(const TileTypeConverter &converter, mlir::MLIRContext *context,
              KernelInfo &info)
      : mlir::OpConversionPattern<Op>(converter, context), info(info) {}

protected:
  KernelInfo &info;
};

#define HK_POPULATE(Family)                                                    \
  void populate##Family##Patterns(const TileTypeConverter &converter,          \
                                  mlir::RewritePatternSet &patterns,           \
                                  KernelInfo &info)

/// kernel, return, item, ctas, unit, grid_wait.
HK_POPULATE(Kernel);
/// load, store; memref.load of scalars.
HK_POPULATE(GlobalMemory);
/// extent.
HK_POPULATE(Extent);
/// map, splat, slice, concat, row_index, mask.
HK_POPULATE(Map);
/// row_reduce, vote.
HK_POPULATE(Reduce);
/// fetch, put, alloc, sync.
HK_POPULATE(SharedMemory);
/// mma.
HK_POPULATE(Mma);
/// chan, acquire, commit, wait, release.
HK_POPULATE(Channel);
/// copy; a part of the former.
HK_POPULATE(Copy);
/// role.
HK_POPULATE(Role);

#undef HK_POPULATE

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_PATTERNS_H
