// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a run of operations to hk.kernel, private to hk-cut.

#ifndef HK_LIB_TRANSFORMS_KERNELBUILDER_H
#define HK_LIB_TRANSFORMS_KERNELBUILDER_H

#include "hk/Analysis/DemandedRows.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace hk {

/// Makes one kernel of a run of operations.
class KernelBuilder {
public:
  /// With `demanded`, rows that nobody demands may be skipped.
  KernelBuilder(llvm::ArrayRef<mlir::Operation *> ops,
                const DemandedRows *demanded)
      : ops(ops), demanded(demanded), inside(ops.begin(), ops.end()) {}

  llvm::FailureOr<KernelOp> build(llvm::StringRef name, Scope scope);

private:
  llvm::LogicalResult collectInputs(mlir::Value value);
  llvm::LogicalResult setLayer(PackedGetOp get);
  mlir::Value findSkipMask(llvm::ArrayRef<mlir::Value> results);
  mlir::Value map(mlir::OpBuilder &builder, mlir::Value value);

  llvm::ArrayRef<mlir::Operation *> ops;
  const DemandedRows *demanded;
  llvm::DenseSet<mlir::Operation *> inside;
  llvm::SetVector<mlir::Value> inputs;
  /// The index of the layer that packed values are of, or others are counted
  /// from; and constants that are equal to it.
  mlir::Value layer;
  llvm::SmallVector<mlir::Value> equalLayers;
  mlir::IRMapping mapping;
};

} // namespace hk

#endif // HK_LIB_TRANSFORMS_KERNELBUILDER_H
