// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel as a function, and its coordinates.

#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace hk;

namespace {

struct KernelLowering : TilePattern<tile::KernelOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::KernelOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The batch comes as an i64; all else is an address.
    MLIRContext *context = rewriter.getContext();
    Type batch = rewriter.getI64Type();
    TypeConverter::SignatureConversion signature(op.getArgumentTypes().size());
    SmallVector<Type> types;
    for (auto [number, type] : llvm::enumerate(op.getArgumentTypes())) {
      types.push_back(type.isIndex() ? batch
                                     : getTypeConverter()->convertType(type));
      signature.addInputs(number, types.back());
    }
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), op.getSymName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      // (What means nothing from here on.)
      if (attribute.getName() != "hk.stages" &&
          attribute.getName() != "hk.mma" && attribute.getName() != "hk.ctas")
        function->setDiscardableAttr(attribute.getName(), attribute.getValue());
    auto set = [&](StringRef name, Attribute value) {
      function->setDiscardableAttr(name, value);
    };
    int64_t threads = op.getThreads();
    set(NVVM::NVVMDialect::getKernelFuncAttrName(), rewriter.getUnitAttr());
    set(NVVM::NVVMDialect::getReqntidAttrName(),
        rewriter.getDenseI32ArrayAttr({static_cast<int32_t>(threads)}));
    if (info.registers)
      set(NVVM::NVVMDialect::getMinctasmAttrName(),
          rewriter.getI32IntegerAttr(
              static_cast<int32_t>(info.registers->ctas)));
    set("hk.threads", rewriter.getI64IntegerAttr(threads));
    set("hk.cluster", rewriter.getI64IntegerAttr(1));
    set("hk.shared", rewriter.getI64IntegerAttr(op.getShared().value_or(0)));
    if (info.waitsForGrid)
      set("hk.grid_wait", rewriter.getUnitAttr());

    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    rewriter.applySignatureConversion(&function.getBody().front(), signature,
                                      getTypeConverter());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnLowering : TilePattern<tile::ReturnOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// A number of the CTA or the grid.
template <typename Op, Value (Device::*number)()>
struct NumberLowering : TilePattern<Op> {
  using TilePattern<Op>::TilePattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    rewriter.replaceOp(op, d.toIndex((d.*number)()));
    return success();
  }
};
using ItemLowering = NumberLowering<tile::ItemOp, &Device::ctaId>;
using CtasLowering = NumberLowering<tile::CtasOp, &Device::ctaCount>;

struct UnitLowering : TilePattern<tile::UnitOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::UnitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    rewriter.replaceOp(op, d.toIndex(info.warp));
    return success();
  }
};

struct GridWaitLowering : TilePattern<tile::GridWaitOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::GridWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    if (info.waitsForGrid)
      waitForGrid(d, getCondition(d, op, rewriter));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// A condition that always holds, computed from the extents in front of the
  /// wait. Without it ptxas reads masks behind the wait, since nothing orders
  /// the two, and a trip to memory that the wait would hide comes after it.
  static Value getCondition(Device &d, tile::GridWaitOp wait,
                            ConversionPatternRewriter &rewriter) {
    Value all;
    for (auto extent : wait->getBlock()->getOps<tile::ExtentOp>()) {
      if (!extent->isBeforeInBlock(wait))
        break;
      Value value = d.fromIndex(rewriter.getRemappedValue(extent.getResult()));
      all = all ? d.bitOr(all, value) : value;
    }
    if (!all)
      return {};
    return d.compare(arith::CmpIPredicate::ne, all, d.i32(kNoExtent));
  }

  /// Extents are numbers of rows.
  static constexpr int32_t kNoExtent = -1;
};

} // namespace

void hk::populateKernelPatterns(const TileTypeConverter &converter,
                                RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<KernelLowering, ReturnLowering, ItemLowering, CtasLowering,
               UnitLowering, GridWaitLowering>(converter, patterns.getContext(),
                                               info);
}
