// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Conversion/HKToLinalg/HKToLinalg.h"

#include "hk/Conversion/Passes.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace hk {
#define GEN_PASS_DEF_HKTOLINALGPASS
#include "hk/Conversion/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

LogicalResult hk::convertHKToLinalg(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateRowOpsToLinalgPatterns(patterns);
  populateAttentionToLinalgPatterns(patterns);
  walkAndApplyPatterns(root, std::move(patterns));

  WalkResult result = root->walk([](Operation *op) {
    if (!isa_and_present<HKDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError()
        << "is not converted to linalg: expects operations on activations "
           "only, with parameters and packed values as arguments";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct HKToLinalg : hk::impl::HKToLinalgPassBase<HKToLinalg> {
  using HKToLinalgPassBase::HKToLinalgPassBase;

  void runOnOperation() override {
    if (failed(convertHKToLinalg(getOperation())))
      signalPassFailure();
  }
};
} // namespace
