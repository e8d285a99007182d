// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps from a #hk.loops variant to a kernel.

#ifndef HK_LIB_CONVERSION_HKTOLINALG_LOOPSKERNEL_H
#define HK_LIB_CONVERSION_HKTOLINALG_LOOPSKERNEL_H

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hk {

/// A kernel for one sequence on memrefs, and what its arguments are: `buffers`
/// operands and results of the dispatch, then the packed values.
struct SequenceFunction {
  mlir::func::FuncOp function;
  unsigned buffers = 0;
  mlir::SmallVector<mlir::Attribute> packed;
};

/// Clones the body of `variant`, with a batch of one, to a private function
/// `name` in `module`. Masks of i1 are memrefs of bytes. Fails, with an error,
/// on a body that is not one of activations.
mlir::FailureOr<SequenceFunction> buildSequenceFunction(VariantOp variant,
                                                        mlir::StringRef name,
                                                        mlir::ModuleOp module);

/// Makes every static `memref.alloc` of `function` a view of one more argument,
/// a memref of bytes, and returns its size. Buffers that are live at the same
/// time do not overlap.
int64_t assignScratch(mlir::func::FuncOp function);

/// Makes the kernel: a function `name` in the module of `sequence` with the CPU
/// ABI, which runs `sequence` for each sequence that it is given, and takes it
/// over. exp, exp2, erf and tanh become calls of imports.
mlir::func::FuncOp buildKernelEntry(SequenceFunction sequence,
                                    mlir::StringRef name, int64_t scratch);

/// Loop nests in `block`, which is in `kernel`, that do the same on other
/// buffers become calls of one function.
void shareNests(mlir::Block &block, mlir::func::FuncOp kernel);

} // namespace hk

#endif // HK_LIB_CONVERSION_HKTOLINALG_LOOPSKERNEL_H
