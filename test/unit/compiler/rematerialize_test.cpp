// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed again behind a loop, and what is not.

#include "Target/NVPTX/Rematerialize.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace {

class Rematerialize : public ::testing::Test {
protected:
  /// A kernel that computes `before`, runs a loop with `inside` and `size`
  /// additions, and then `after`. The text of the block behind the loop.
  std::string get(const std::string &before, const std::string &inside,
                  const std::string &after, int size = 40) {
    std::string sums = "  %s0 = fadd float %s, 1.0\n";
    for (int i = 1; i < size; ++i)
      sums += "  %s" + std::to_string(i) + " = fadd float %s" +
              std::to_string(i - 1) + ", 1.0\n";
    std::string last = "%s" + std::to_string(size - 1);
    std::string text =
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
        "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
        "define void @f(ptr %in, ptr %out, i64 %n) {\nentry:\n"
        "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "  %cta = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
        before +
        "  br label %loop\nloop:\n"
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
        "  %s = phi float [ 0.0, %entry ], [ " +
        last + ", %loop ]\n" + inside + sums +
        "  %next = add i64 %i, 1\n"
        "  %more = icmp slt i64 %next, %n\n"
        "  br i1 %more, label %loop, label %after\nafter:\n" +
        after + "  ret void\n}\n";
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString(text, problem, context);
    if (!module)
      return problem.getMessage().str();
    llvm::Function &function = *module->getFunction("f");
    hk::rematerialize(function);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    std::string result;
    llvm::raw_string_ostream stream(result);
    function.back().print(stream);
    return result;
  }

  static bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

const std::string kStore = "  %p = getelementptr float, ptr %out, i32 %row\n"
                           "  store float %s39, ptr %p\n";

TEST_F(Rematerialize, CoordinatesAreReadAgain) {
  std::string text = get("  %first = shl i32 %cta, 5\n"
                         "  %row = add i32 %first, %tid\n"
                         "  %q = getelementptr float, ptr %in, i32 %row\n"
                         "  %x = load float, ptr %q\n",
                         "", kStore);
  EXPECT_TRUE(has(text, "\"mov.u32 $0, %tid.x;\"")) << text;
  EXPECT_TRUE(has(text, "\"mov.u32 $0, %ctaid.x;\"")) << text;
  EXPECT_TRUE(has(text, "shl i32")) << text;
  EXPECT_FALSE(has(text, "%row\n") || has(text, "%row,")) << text;
}

TEST_F(Rematerialize, OnceForAllUsesOfABlock) {
  std::string text = get("  %row = shl i32 %tid, 5\n", "",
                         kStore + "  %q = getelementptr float, ptr %in, i32 "
                                  "%row\n  store float %s39, ptr %q\n");
  size_t first = text.find("mov.u32");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("mov.u32", first + 1), std::string::npos) << text;
}

TEST_F(Rematerialize, WhatTheLoopUsesStays) {
  std::string text = get("  %row = shl i32 %tid, 5\n",
                         "  %q = getelementptr float, ptr %in, i32 %row\n"
                         "  %x = load float, ptr %q\n",
                         kStore);
  EXPECT_FALSE(has(text, "asm")) << text;
  // It is there for what is made of it, too.
  text = get("  %base = shl i32 %tid, 5\n  %row = add i32 %base, 3\n",
             "  %q = getelementptr float, ptr %in, i32 %base\n"
             "  %x = load float, ptr %q\n",
             kStore);
  EXPECT_FALSE(has(text, "asm")) << text;
  EXPECT_TRUE(has(text, "add i32 %base, 3")) << text;
}

TEST_F(Rematerialize, WhatIsLoadedIsNotLoadedAgain) {
  std::string text = get("  %m = load i32, ptr %in\n"
                         "  %row = add i32 %m, %tid\n",
                         "", kStore);
  EXPECT_FALSE(has(text, "asm")) << text;
  EXPECT_FALSE(has(text, "load")) << text;
}

TEST_F(Rematerialize, NothingIsDoneBetweenLoops) {
  std::string sums = "  %t0 = fadd float %t, 1.0\n";
  for (int i = 1; i < 40; ++i)
    sums += "  %t" + std::to_string(i) + " = fadd float %t" +
            std::to_string(i - 1) + ", 1.0\n";
  std::string text =
      get("  %row = shl i32 %tid, 5\n", "",
          kStore +
              "  br label %again\nagain:\n"
              "  %t = phi float [ 0.0, %after ], [ %t39, %again ]\n" +
              sums +
              "  %less = fcmp olt float %t39, 1000.0\n"
              "  br i1 %less, label %again, label %end\nend:\n"
              "  %q = getelementptr float, ptr %in, i32 %row\n"
              "  store float %t39, ptr %q\n");
  EXPECT_TRUE(has(text, "mov.u32 $0, %tid.x;")) << text;
  std::string whole;
  llvm::raw_string_ostream stream(whole);
  module->print(stream, nullptr);
  size_t first = whole.find("mov.u32");
  EXPECT_EQ(whole.find("mov.u32", first + 1), std::string::npos) << whole;
}

TEST_F(Rematerialize, ShortLoopsWait) {
  std::string text = get("  %row = shl i32 %tid, 5\n", "",
                         "  %p = getelementptr float, ptr %out, i32 %row\n"
                         "  store float %s3, ptr %p\n",
                         4);
  EXPECT_FALSE(has(text, "asm")) << text;
}

TEST_F(Rematerialize, TheWarpIsThatOfTheThread) {
  std::string text =
      get("  %all = lshr i32 %tid, 5\n"
          "  %row = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %all, "
          "i32 0, i32 31)\n  %twice = shl i32 %row, 1\n",
          "",
          "  %p = getelementptr float, ptr %out, i32 %twice\n"
          "  store float %s39, ptr %p\n");
  EXPECT_TRUE(has(text, "mov.u32 $0, %tid.x;")) << text;
  EXPECT_TRUE(has(text, "lshr i32")) << text;
  EXPECT_FALSE(has(text, "shfl")) << text;
}

} // namespace
