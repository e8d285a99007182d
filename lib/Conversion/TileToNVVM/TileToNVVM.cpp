// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Patterns.h"

#include "hk/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace hk {
#define GEN_PASS_DEF_TILETONVVM
#include "hk/Conversion/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

static LogicalResult convert(tile::KernelOp kernel, const GPUTarget &gpu) {
  KernelInfo info(kernel, gpu);
  if (failed(info.verify()))
    return failure();
  info.emitEntry();
  TileTypeConverter converter(info);
  RewritePatternSet patterns(kernel.getContext());
  populateKernelPatterns(converter, patterns, info);
  populateGlobalMemoryPatterns(converter, patterns, info);
  populateExtentPatterns(converter, patterns, info);
  populateMapPatterns(converter, patterns, info);
  populateReducePatterns(converter, patterns, info);
  populateSharedMemoryPatterns(converter, patterns, info);
  populateMmaPatterns(converter, patterns, info);
  populateChannelPatterns(converter, patterns, info);
  populateRolePatterns(converter, patterns, info);

  ConversionTarget target(*kernel.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<tile::TileDialect, memref::MemRefDialect>();
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  return applyPartialConversion(kernel, target, std::move(patterns));
}

/// Declares dynamic shared memory. It is external: one of no size that is
/// internal would become a static byte.
static void declareShared(ModuleOp module) {
  if (module.lookupSymbol(kSharedName))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  LLVM::GlobalOp::create(b, module.getLoc(),
                         LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         kSharedName, Attribute(), /*alignment=*/1024,
                         /*addrSpace=*/3);
}

namespace {

struct TileToNVVMPass : hk::impl::TileToNVVMBase<TileToNVVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
    if (kernels.empty())
      return;
    auto isa = module->getAttrOfType<StringAttr>("hk.isa");
    std::optional<GPUTarget> target =
        GPUTarget::parse(isa ? isa.getValue() : "");
    if (!target) {
      module.emitError() << "expects the name of a GPU, sm_80 or later, in "
                            "hk.isa of a module of tile kernels, but got "
                         << (isa ? Attribute(isa)
                                 : StringAttr::get(&getContext(), ""));
      return signalPassFailure();
    }
    declareShared(module);
    for (tile::KernelOp kernel : kernels)
      if (failed(convert(kernel, *target)))
        return signalPassFailure();
    if (SymbolTable::symbolKnownUseEmpty(module.lookupSymbol(kSharedName),
                                         module))
      module.lookupSymbol(kSharedName)->erase();
  }
};

} // namespace
