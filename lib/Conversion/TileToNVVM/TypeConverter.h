// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the tile dialect as types of values in registers.

#ifndef HK_LIB_CONVERSION_TILETONVVM_TYPECONVERTER_H
#define HK_LIB_CONVERSION_TILETONVVM_TYPECONVERTER_H

#include "KernelInfo.h"

#include "mlir/Transforms/DialectConversion.h"

namespace hk {

/// | type | becomes |
/// |---|---|
/// | frag | its registers, one value each |
/// | buf | its address in shared memory, i32 |
/// | chan | nothing: all that is known of it is static |
/// | memref, tiles | an address in global memory, `!llvm.ptr<1>` |
/// | any other | itself, `index` too |
class TileTypeConverter : public mlir::TypeConverter {
public:
  explicit TileTypeConverter(const KernelInfo &info);
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_TYPECONVERTER_H
