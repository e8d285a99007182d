// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of warps: role.

#include "Instructions.h"
#include "Patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hk;

namespace {

struct RoleLowering : TilePattern<tile::RoleOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::RoleOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    auto predicate = op.getKind() == tile::RoleKind::Consumer
                         ? arith::CmpIPredicate::ult
                         : arith::CmpIPredicate::uge;
    Value isOurs = d.compare(predicate, info.warp, d.i32(info.units));
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), isOurs,
                                    /*withElseRegion=*/false);
    Block *body = branch.thenBlock();
    rewriter.inlineBlockBefore(&op.getBody().front(), body, body->begin());
    if (info.registers) {
      rewriter.setInsertionPointToStart(body);
      Device inner(rewriter, op.getLoc());
      if (op.getKind() == tile::RoleKind::Consumer)
        growRegisters(inner, info.registers->consumer);
      else
        shrinkRegisters(inner, info.registers->producer);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void hk::populateRolePatterns(const TileTypeConverter &converter,
                              RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<RoleLowering>(converter, patterns.getContext(), info);
}
