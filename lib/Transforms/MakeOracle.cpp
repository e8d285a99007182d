// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/Retype.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace hk {
#define GEN_PASS_DEF_MAKEORACLEPASS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

static constexpr llvm::StringLiteral kOracleOf = "hk.oracle_of";

namespace {
struct MakeOracle : hk::impl::MakeOraclePassBase<MakeOracle> {
  using MakeOraclePassBase::MakeOraclePassBase;

  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function.isPublic() && !function.isDeclaration() &&
          !function->hasAttr(kOracleOf) && failed(addOracle(function)))
        return signalPassFailure();
  }

  LogicalResult addOracle(func::FuncOp function) {
    std::string name = (function.getSymName() + ".oracle").str();
    auto symbol = FlatSymbolRefAttr::get(function.getSymNameAttr());
    if (Operation *existing = getOperation().lookupSymbol(name)) {
      if (existing->getAttr(kOracleOf) == symbol)
        return success();
      return function.emitError()
             << "expects the name @" << name
             << " to be free for the oracle, but got another symbol of that "
                "name; rename it";
    }

    func::FuncOp oracle = function.clone();
    oracle.setSymName(name);
    oracle->setAttr(kOracleOf, symbol);
    getOperation().insert(std::next(Block::iterator(function)), oracle);
    auto f64 = Float64Type::get(&getContext());
    FloatRetyping retyping;
    auto toF64 = [f64](FloatType) -> FloatType { return f64; };
    retyping.elementType = toF64;
    retyping.keepResults = false;
    retyping.keepRounding = false;
    if (failed(retypeFloats(oracle, retyping)))
      return failure();
    remark::passed(function.getLoc(), remark::RemarkOpts::name("Oracle")
                                          .category("hk-make-oracle")
                                          .function(function.getSymName()))
        << "oracle added: computes in f64";
    return success();
  }
};
} // namespace
