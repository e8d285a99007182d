// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From hk.kernel to hk.executable, private to hk-outline.

#ifndef HK_LIB_TRANSFORMS_EXECUTABLEBUILDER_H
#define HK_LIB_TRANSFORMS_EXECUTABLEBUILDER_H

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace hk {

/// The attribute of a variant or a plan that is its predicted time in us. That
/// of a kernel has the times of its first schedules.
inline constexpr llvm::StringLiteral kPredictedTime = "hk.predicted_us";

/// The attribute of a kernel or a plan that is the batch of the prediction.
inline constexpr llvm::StringLiteral kPredictedBatch = "hk.predicted_batch";

/// The predicted time in us of a kernel with schedule `number`, or nothing if
/// there is none, as for libraries.
std::optional<double> getPredictedTime(KernelOp kernel, unsigned number);

/// Makes executables of kernels; equal kernels share one.
class ExecutableBuilder {
public:
  explicit ExecutableBuilder(mlir::ModuleOp module) : symbols(module) {}

  /// The executable of `kernel`. New symbols are put before `where`.
  llvm::FailureOr<ExecutableOp> get(KernelOp kernel, mlir::Operation *where);

  mlir::SymbolTable &getSymbols() { return symbols; }

private:
  void addVariant(ExecutableOp executable, KernelOp kernel, unsigned number,
                  mlir::Operation *where);
  /// The packed value that `get` reads, rounded to another element type.
  PackedOp getNarrowed(PackedGetOp get, mlir::Type element);
  /// Lets the product of a variant for a library read its parameters in the
  /// types that the library wants.
  void narrowParameters(VariantOp variant);
  PackedOp getPanels(PackedGetOp get, int64_t width, mlir::Operation *where);

  mlir::SymbolTable symbols;
  /// The panels of a packed weight, by name and width.
  llvm::DenseMap<std::pair<mlir::StringAttr, int64_t>, PackedOp> panels;
  llvm::SmallVector<std::pair<KernelOp, ExecutableOp>> made;
};

} // namespace hk

#endif // HK_LIB_TRANSFORMS_EXECUTABLEBUILDER_H
