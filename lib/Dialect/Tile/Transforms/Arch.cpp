// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arch.h"

using namespace mlir;
using namespace hk::tile;

static constexpr Arch archs[] = {
    {"sm_80", 163 * 1024, /*hasBulkCopies=*/false,
     /*hasWarpgroups=*/false, 65536},
    {"sm_86", 99 * 1024, /*hasBulkCopies=*/false,
     /*hasWarpgroups=*/false, 65536},
    {"sm_89", 99 * 1024, /*hasBulkCopies=*/false,
     /*hasWarpgroups=*/false, 65536},
    {"sm_90a", 227 * 1024, /*hasBulkCopies=*/true,
     /*hasWarpgroups=*/true, 65536},
    {"sm_120", 99 * 1024, /*hasBulkCopies=*/true,
     /*hasWarpgroups=*/false, 65536},
};

FailureOr<Arch> hk::tile::getArch(KernelOp kernel) {
  auto isa = kernel->getParentOp()->getAttrOfType<StringAttr>("hk.isa");
  for (const Arch &arch : archs)
    if (isa && arch.name == isa.getValue())
      return arch;
  InFlightDiagnostic diag =
      kernel.emitOpError()
      << "expects a module with hk.isa = \"sm_80\", \"sm_86\", \"sm_89\", "
         "\"sm_90a\" or \"sm_120\" around it, but got ";
  if (isa)
    return diag << isa;
  return diag << "none";
}
