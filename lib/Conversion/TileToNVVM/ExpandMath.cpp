// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"

#include "hk/Conversion/Passes.h"
#include "hk/Dialect/Tile/TileDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

namespace hk {
#define GEN_PASS_DEF_TILEEXPANDMATH
#include "hk/Conversion/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

static constexpr double kLog2E = 1.44269504088896340736;

namespace {

/// Functions of f32, in the two precisions.
struct Expansion {
  Device d;
  bool approximate; // fastmath<afn>

  Value mul(Value x, Value y) {
    return arith::MulFOp::create(d.b, d.loc, x, y);
  }
  Value add(Value x, Value y) {
    return arith::AddFOp::create(d.b, d.loc, x, y);
  }
  Value sub(Value x, Value y) {
    return arith::SubFOp::create(d.b, d.loc, x, y);
  }
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(d.b, d.loc, x, y, z);
  }
  Value call(StringRef name, ValueRange arguments) {
    return d.intrinsic(name, d.b.getF32Type(), arguments);
  }
  Value lessThan(Value x, double y) {
    return arith::CmpFOp::create(d.b, d.loc, arith::CmpFPredicate::OLT, x,
                                 d.f32(y));
  }
  Value atLeast(Value x, double y) {
    return arith::CmpFOp::create(d.b, d.loc, arith::CmpFPredicate::OGE, x,
                                 d.f32(y));
  }
  Value absolute(Value x) { return LLVM::FAbsOp::create(d.b, d.loc, x); }
  Value withSign(Value x, Value sign) {
    return LLVM::CopySignOp::create(d.b, d.loc, x, sign);
  }
  Value minimum(Value x, double y) {
    return LLVM::MinNumOp::create(d.b, d.loc, x, d.f32(y));
  }
  /// The polynomial of these coefficients, of rising powers of x.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = d.f32(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, d.f32(coefficient));
    return sum;
  }

  Value exp2(Value x) {
    return call(approximate ? "llvm.nvvm.ex2.approx.ftz.f32"
                            : "llvm.nvvm.ex2.approx.f32",
                x);
  }

  Value exp(Value x) {
    Value log2e = d.f32(kLog2E);
    if (approximate)
      return exp2(mul(x, log2e));
    // 2^y (1 + r ln 2), r being what y, the rounded product, lacks. Beyond the
    // bounds the result is 0 or infinite, and r would not be a number.
    Value low = d.f32(-105), high = d.f32(90);
    x = d.select(lessThan(x, -105), low, x);
    x = d.select(atLeast(x, 90), high, x);
    Value y = mul(x, log2e);
    Value negative = arith::NegFOp::create(d.b, d.loc, y);
    Value r = fma(x, log2e, negative);
    r = fma(x, d.f32(kLog2E - double(float(kLog2E))), r);
    Value result = exp2(y);
    Value isFinite = lessThan(result, INFINITY);
    Value exact = fma(result, mul(r, d.f32(0.69314718055994530942)), result);
    return d.select(isFinite, exact, result);
  }

  Value tanh(Value x) {
    if (approximate)
      return LLVM::TanhOp::create(d.b, d.loc, x.getType(), x,
                                  LLVM::FastmathFlags::afn);
    Value t = absolute(x);
    // Of relative error 9e-8 up to 0.6.
    Value square = mul(x, x);
    Value p = polynomial(square, {-0.33332597502468214, 0.13313116548019704,
                                  -0.052211800356879785, 0.015612622144257788});
    Value small = fma(mul(p, square), x, x);
    // 1 - 2 / (1 + e^2t)
    Value e = exp2(mul(t, d.f32(2 * kLog2E)));
    Value inverse = call("llvm.nvvm.rcp.approx.ftz.f", add(e, d.f32(1)));
    Value large = withSign(fma(inverse, d.f32(-2), d.f32(1)), x);
    // A NaN takes the branch that keeps it.
    return d.select(atLeast(t, 0.6), large, small);
  }

  Value erf(Value x) {
    if (approximate)
      return approximateErf(x);
    Value square = mul(x, x);
    // Of relative error 4e-8 up to 1.
    Value p =
        polynomial(square, {0.1283791225226663, -0.3761232624060957,
                            0.11280180397685038, -0.026711317513286786,
                            0.004917557328121533, -0.0005631442659088104});
    Value small = fma(p, x, x);
    // 1 - 2^q, of error 1e-9 from 1 to 4, and 1 after it.
    Value t = absolute(x);
    Value q =
        polynomial(minimum(t, 4), {-0.0005103050851671011, -1.6259750875915278,
                                   -0.9207649926836665, -0.14865152346153898,
                                   0.031458435040269905, -0.0042409593961164616,
                                   0.0002677269515991565});
    Value large = withSign(sub(d.f32(1), exp2(q)), x);
    return d.select(atLeast(t, 1), large, small);
  }

  /// tanh(x (c0 + c1 x^2 + c2 x^4)), of error 4e-5; from 5 on, where both are
  /// 1, the polynomial would turn. Of a product with a constant, as in gelu,
  /// the constant joins the coefficients.
  Value approximateErf(Value x) {
    double scale = 1;
    APFloat factor(0.0f);
    auto product = x.getDefiningOp<arith::MulFOp>();
    if (product && matchPattern(product.getRhs(), m_ConstantFloat(&factor)) &&
        std::abs(factor.convertToFloat()) > 1e-3) {
      scale = factor.convertToFloat();
      x = product.getLhs();
    }
    double square = scale * scale;
    Value p = polynomial(minimum(mul(x, x), 25 / square),
                         {1.1281430354540158 * scale,
                          0.10408252199856727 * scale * square,
                          -0.0017872756071399543 * scale * square * square});
    return tanh(mul(p, x));
  }

  Value rsqrt(Value x) {
    return call(approximate ? "llvm.nvvm.rsqrt.approx.ftz.f"
                            : "llvm.nvvm.rsqrt.approx.f",
                x);
  }

  Value sqrt(Value x) {
    if (approximate)
      return call("llvm.nvvm.sqrt.approx.ftz.f", x);
    return LLVM::SqrtOp::create(d.b, d.loc, x);
  }

  Value divide(Value x, Value y) {
    if (!approximate)
      return call("llvm.nvvm.div.full", {x, y});
    if (matchPattern(x, m_OneFloat()))
      return call("llvm.nvvm.rcp.approx.ftz.f", y);
    return call("llvm.nvvm.div.approx.ftz.f", {x, y});
  }
};

/// Expands an operation on scalars of at most 32 bits, in f32.
template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Function = Value (*)(Expansion &, ValueRange);

  Expand(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context), function(function) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() > 32)
      return failure();
    Expansion e{
        {rewriter, op.getLoc()},
        bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn)};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          type.isF32() ? operand
                       : arith::ExtFOp::create(rewriter, op.getLoc(),
                                               rewriter.getF32Type(), operand)
                             .getResult());
    Value result = function(e, operands);
    if (!type.isF32())
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  Function function;
};

/// A product and a sum may be one instruction, which rounds once.
void allowContraction(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return;
  auto flags =
      cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue();
  op->setAttr("fastmath",
              arith::FastMathFlagsAttr::get(
                  op->getContext(), flags | arith::FastMathFlags::contract));
}

struct TileExpandMathPass : hk::impl::TileExpandMathBase<TileExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto add = [&](auto op, Value (*function)(Expansion &, ValueRange)) {
      patterns.add(
          std::make_unique<Expand<decltype(op)>>(&getContext(), function));
    };
    using Args = ValueRange;
    add(math::Exp2Op(), [](Expansion &e, Args x) { return e.exp2(x[0]); });
    add(math::ExpOp(), [](Expansion &e, Args x) { return e.exp(x[0]); });
    add(math::ErfOp(), [](Expansion &e, Args x) { return e.erf(x[0]); });
    add(math::TanhOp(), [](Expansion &e, Args x) { return e.tanh(x[0]); });
    add(math::RsqrtOp(), [](Expansion &e, Args x) { return e.rsqrt(x[0]); });
    add(math::SqrtOp(), [](Expansion &e, Args x) { return e.sqrt(x[0]); });
    add(arith::DivFOp(),
        [](Expansion &e, Args x) { return e.divide(x[0], x[1]); });
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    FrozenRewritePatternSet frozen(std::move(patterns));
    SmallVector<tile::KernelOp> kernels;
    getOperation()->walk([&](tile::KernelOp op) { kernels.push_back(op); });
    for (tile::KernelOp kernel : kernels) {
      if (failed(applyPatternsGreedily(kernel, frozen, config)))
        return signalPassFailure();
      kernel.walk(allowContraction);
    }
  }
};

} // namespace
