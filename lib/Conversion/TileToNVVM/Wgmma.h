// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_LIB_CONVERSION_TILETONVVM_WGMMA_H
#define HK_LIB_CONVERSION_TILETONVVM_WGMMA_H

#include "KernelInfo.h"

namespace hk {

/// The registers of an mma of a warpgroup. `b` is the address of the buf and
/// `row` the converted row of B; `c` is empty where the sums begin with zeros.
mlir::SmallVector<mlir::Value> emitWarpgroupMma(Device &d, KernelInfo &info,
                                                tile::MmaOp op,
                                                mlir::ValueRange a,
                                                mlir::Value b, mlir::Value row,
                                                mlir::ValueRange c);

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_WGMMA_H
