// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/RowResidency.h"

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

class RowResidency : public ::testing::Test {
protected:
  RowResidency() { context.loadDialect<hk::HKDialect, func::FuncDialect>(); }

  /// The residency of a body that computes with %x : !x of 128 features, and
  /// weights %w, %up and %down.
  hk::RowResidency get(const std::string &body, int64_t operandBits = 16) {
    module = parseSourceString<ModuleOp>(
        "!x = tensor<?x16x128xf32>\n!h = tensor<?x16x512xf32>\n"
        "!w = tensor<128x128xf32>\n!up = tensor<512x128xf32>\n"
        "!down = tensor<128x512xf32>\n"
        "func.func @f(%x: !x, %w: !w, %up: !up, %down: !down) {\n" +
            body + "  return\n}\n",
        &context);
    EXPECT_TRUE(module);
    SmallVector<Operation *> ops;
    for (Operation &op :
         (*module->getOps<func::FuncOp>().begin()).getBody().front())
      if (!isa<func::ReturnOp>(op))
        ops.push_back(&op);
    return hk::estimateRowResidency(ops, operandBits);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RowResidency, NothingStays) {
  EXPECT_EQ(get("").registers, 0);
  EXPECT_EQ(get("").where, nullptr);
  EXPECT_EQ(get("  %0 = hk.activation relu %x : !x\n").registers, 0);
}

TEST_F(RowResidency, ANormHoldsItsRow) {
  EXPECT_EQ(get("  %0 = hk.rms_norm %x : !x\n").registers, 64);
  // What is done to its result on the way to memory takes nothing.
  EXPECT_EQ(get("  %0 = hk.rms_norm %x : !x\n"
                "  %1 = hk.activation relu %0 : !x\n")
                .registers,
            64);
}

TEST_F(RowResidency, TheLastLinearIsStored) {
  // The row as f32 while it is normalised, and its copy for the matrix units.
  hk::RowResidency residency = get("  %0 = hk.rms_norm %x : !x\n"
                                   "  %1 = hk.linear %0, %up : !x, !up\n");
  EXPECT_EQ(residency.registers, 64 + 32);
  ASSERT_TRUE(residency.where);
  EXPECT_TRUE(isa<hk::RMSNormOp>(residency.where));
  EXPECT_EQ(get("  %0 = hk.rms_norm %x : !x\n"
                "  %1 = hk.linear %0, %up : !x, !up\n",
                /*operandBits=*/32)
                .registers,
            64 + 64);
}

TEST_F(RowResidency, ALinearBeforeANormKeepsItsSums) {
  // The input comes block by block; the norm's result is stored.
  EXPECT_EQ(get("  %0 = hk.linear %x, %up : !x, !up\n"
                "  %1 = hk.rms_norm %0 : !h\n")
                .registers,
            256);
}

TEST_F(RowResidency, HiddenFeaturesDoNotStay) {
  // The copy of the input and the sums; not the 512 features between.
  EXPECT_EQ(get("  %0 = hk.linear %x, %up : !x, !up\n"
                "  %1 = hk.activation relu %0 : !h\n"
                "  %2 = hk.linear %1, %down : !h, !down\n")
                .registers,
            64 + 32);
}

TEST_F(RowResidency, HiddenFeaturesThatOthersReadStay) {
  EXPECT_GE(get("  %0 = hk.linear %x, %up : !x, !up\n"
                "  %1 = hk.linear %0, %down : !h, !down\n"
                "  %2 = hk.rms_norm %0 : !h\n")
                .registers,
            256);
}

TEST_F(RowResidency, TheSumGrowsInTheResidual) {
  // r = 64 for the whole kernel, the normalised copy 32; the sum is r.
  EXPECT_EQ(get("  %r = hk.linear %x, %w : !x, !w\n"
                "  %n = hk.rms_norm %r : !x\n"
                "  %0 = hk.linear %n, %up : !x, !up\n"
                "  %1 = hk.activation relu %0 : !h\n"
                "  %2 = hk.linear %1, %down : !h, !down\n"
                "  %3 = hk.add %r, %2 : !x, !x\n")
                .registers,
            64 + 32);
}

TEST_F(RowResidency, AResidualThatIsReadLaterHasRegistersOfItsOwn) {
  EXPECT_EQ(get("  %r = hk.linear %x, %w : !x, !w\n"
                "  %n = hk.rms_norm %r : !x\n"
                "  %0 = hk.linear %n, %w : !x, !w\n"
                "  %1 = hk.add %r, %0 : !x, !x\n"
                "  %2 = hk.rms_norm %1 : !x\n"
                "  %3 = hk.add %r, %2 : !x, !x\n")
                .registers,
            64 + 64 + 32);
}

TEST_F(RowResidency, AttentionAndALayer) {
  // The result is a copy; a head of 32: query 8, result and scores 32, the
  // weights of the keys 8.
  EXPECT_EQ(get("  %0 = hk.attention %x, %x, %x {num_heads = 4 : i32}"
                " : !x, !x, !x\n"
                "  %1 = hk.linear %0, %w : !x, !w\n")
                .registers,
            32 + 48);
}

TEST_F(RowResidency, ViewsAreTheirValue) {
  EXPECT_EQ(get("  %0 = hk.linear %x, %up : !x, !up\n"
                "  %1:2 = hk.split %0 : !h -> tensor<?x16x128xf32>,"
                " tensor<?x16x384xf32>\n"
                "  %2 = hk.rms_norm %1#1 : tensor<?x16x384xf32>\n")
                .registers,
            256);
}

} // namespace
