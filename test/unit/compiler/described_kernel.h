// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel from text, described for the cost model.

#ifndef HK_TEST_UNIT_COMPILER_DESCRIBED_KERNEL_H
#define HK_TEST_UNIT_COMPILER_DESCRIBED_KERNEL_H

#include "hk/Analysis/KernelDescription.h"
#include "hk/Target/Devices/Device.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace hk {
namespace test {

class DescribedKernel : public ::testing::Test {
protected:
  DescribedKernel() {
    context.loadDialect<HKDialect, mlir::func::FuncDialect>();
  }

  /// All operations of the one function of a module, which lives as long as
  /// the test.
  llvm::SmallVector<mlir::Operation *> parse(const std::string &text) {
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    EXPECT_TRUE(modules.back());
    auto functions = modules.back()->getOps<mlir::func::FuncOp>();
    mlir::Block &body = (*functions.begin()).getBody().front();
    llvm::SmallVector<mlir::Operation *> ops;
    for (mlir::Operation &op : body.without_terminator())
      ops.push_back(&op);
    return ops;
  }

  /// They as one kernel, with `batch` sequences of a dynamic batch.
  KernelDescription describe(const std::string &text,
                             Operands operands = Operands::F16,
                             int64_t batch = 64) {
    return KernelDescription(parse(text), operands, batch);
  }

  Device device = *findDevice("h200");

private:
  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace test
} // namespace hk

#endif // HK_TEST_UNIT_COMPILER_DESCRIBED_KERNEL_H
