// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hk {
#define GEN_PASS_DEF_CHECKLLVMPASS
#include "hk/Target/CPU/Passes.h.inc"
} // namespace hk

using namespace mlir;

namespace {

struct CheckLLVMPass : hk::impl::CheckLLVMPassBase<CheckLLVMPass> {
  void runOnOperation() override {
    Operation *module = getOperation();
    module->walk([&](Operation *op) {
      // (The nvvm dialect is known by name: its header is large.)
      if (op == module ||
          isa_and_present<LLVM::LLVMDialect>(op->getDialect()) ||
          op->getName().getDialectNamespace() == "nvvm")
        return;
      op->emitOpError() << "expects to be lowered to the LLVM dialect, but no "
                           "conversion applies to it";
      signalPassFailure();
    });
  }
};

} // namespace
