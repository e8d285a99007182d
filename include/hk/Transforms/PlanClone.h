// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is one plan of another function, for one kind of GPU.

#ifndef HK_TRANSFORMS_PLANCLONE_H
#define HK_TRANSFORMS_PLANCLONE_H

#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/CutPolicy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hk {

struct Device;

/// What the attributes of a clone say. In the IR they are `hk.plan_of`,
/// `hk.arch`, `hk.plan`, `hk.operands`, `hk.role` and `hk.rank`.
struct PlanClone {
  /// The function that the clone is a plan of.
  mlir::FlatSymbolRefAttr of;
  /// The architecture, such as "sm_90a".
  llvm::StringRef arch;
  /// How the network is cut: "safe", "fused", "chains",
  /// "projected" or "reference".
  llvm::StringRef plan;
  /// What matrix units multiply.
  Operands operands;
  Role role;
  /// The order of the plans by the compiler's opinion, best first.
  int64_t rank;
};

/// Makes `function` a clone.
void setPlanClone(mlir::func::FuncOp function, const PlanClone &clone);

/// What `function` is a clone of, or nothing if it is no clone. Fails, with an
/// error, if it has only some of the attributes, or wrong ones.
llvm::FailureOr<std::optional<PlanClone>>
getPlanClone(mlir::func::FuncOp function);

/// The width of an operand of the matrix units in registers.
int64_t operandBits(Operands operands);

/// The GPU that code for `arch` is made for: the one of `devices`, a list of
/// names, with that architecture, or else the default one. Fails, with an error
/// at `op`, if a name or the architecture is not known.
mlir::FailureOr<const Device *>
getTargetDevice(mlir::Operation *op, llvm::ArrayRef<std::string> devices,
                llvm::StringRef arch);

/// How the network of a clone that is made for `device` is cut. A dynamic
/// batch is taken to be `batch`.
std::unique_ptr<CutPolicy> createCutPolicy(const PlanClone &clone,
                                           const Device &device, int64_t batch);

} // namespace hk

#endif // HK_TRANSFORMS_PLANCLONE_H
