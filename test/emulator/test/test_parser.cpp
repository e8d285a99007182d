// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broken modules and launches: each has a clear error with its line.
#include "harness.h"

using namespace hk::emulator;

namespace {

std::string loadError(const std::string &ptx) {
  Memory memory;
  try {
    Module module(ptx, memory);
  } catch (const ModuleError &error) {
    return error.what();
  }
  return "no error";
}

struct Case {
  const char *name;
  const char *body;
  const char *message;
};

class BrokenBody : public testing::TestWithParam<Case> {};

TEST_P(BrokenBody, IsRefused) {
  const std::string message = loadError(kernelText(GetParam().body, 1));
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_EQ(message.rfind("line ", 0), 0u) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenBody,
    testing::Values(
        Case{"UnknownInstruction", "frobnicate.b32 %r1, %r2;",
             "'frobnicate.b32 %r1, %r2;': the emulator does not model the "
             "instruction 'frobnicate'"},
        Case{"UnknownModifier", "add.strange.u32 %r1, %r2, %r3;",
             "does not model the modifier '.strange' here"},
        Case{"UnknownType", "add.e4m3 %r1, %r2, %r3;",
             "expects a type among the modifiers of 'add'"},
        Case{"TypeNotOfInstruction", "add.b32 %r1, %r2, %r3;",
             "does not model 'add' of type 'b32'"},
        Case{"UndeclaredRegister", "add.u32 %r1, %r999, 1;",
             "expects a declared register or variable, but got '%r999'"},
        Case{"UndeclaredLabel", "bra nowhere;",
             "expects a label of this kernel, but got 'nowhere'"},
        Case{"LabelTwice", "a: a: ret;",
             "expects each label once, but got 'a' again"},
        Case{"LabelOfAnInnerBlock", "{ inner: } bra inner;",
             "expects a label of this kernel, but got 'inner'"},
        Case{"RegisterTwice", ".reg .b32 %r1;",
             "expects each register once, but got '%r1' again"},
        Case{"TooFewOperands", "add.u32 %r1, %r2;",
             "expects 3 operands, but got 2"},
        Case{"NoSemicolon", "add.u32 %r1, %r2, %r3 ret;",
             "expects ';' after 'add.u32 %r1, %r2, %r3', but got 'ret'"},
        Case{"VectorOfWrongLength", "ld.global.v4.u32 {%r1, %r2}, [%rd31];",
             "expects 4 elements, as the vector says, but got 2"},
        Case{"NotAPredicate", "@%r1 ret;",
             "expects a predicate after '@', but got a register of type 'b32'"},
        Case{"BadNumber", "mov.u32 %r1, 12x;",
             "expects a number, but got '12x'"},
        Case{"BadCharacter", "mov.u32 %r1, ?;",
             "expects PTX, but got the character '?'"},
        Case{"StoreToConst", "st.const.u32 [%rd31], 1;",
             "expects a space that can be written"},
        Case{"CpAsyncSize", "cp.async.cg.shared.global [%r1], [%rd1], 8;",
             "expects 16 bytes with '.cg', but got 8"},
        Case{"TensorMap",
             "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete"
             "_tx::bytes [%r1], [%rd1, {%r2}], [%r3];",
             "got a tensor map's coordinates"},
        Case{"MmaShape",
             "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, "
             "{%r2}, {%f1};",
             "mma of another shape"},
        Case{"MmaFragment",
             "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,"
             "%f4}, {%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4};",
             "expects 4 registers as operand 2, but got 2"},
        Case{"Call", "call foo, ();", "expects a declared register"},
        Case{"BranchToNumber", "bra 5;", "expects a label to go to"},
        Case{"SinkWhereAValueMatters", "add.u32 _, %r1, %r2;",
             "expects a register to write to"},
        Case{"SinkInAMatrix",
             "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, _}, [%r2];",
             "expects a register to write to"},
        Case{"ListOfOne", "mov.b64 {%rd1}, %rd2;", "this mov of vectors"},
        Case{"Setmaxnreg", "setmaxnreg.inc.sync.aligned.u32 100;",
             "expects a multiple of 8 from 24 to 256 registers, but got 100"}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(BrokenModule, IsRefused) {
  const auto expect = [](const std::string &ptx, const std::string &message) {
    const std::string got = loadError(ptx);
    EXPECT_NE(got.find(message), std::string::npos) << got;
  };
  expect("", "line 1: expects a '.version' directive, but got the end");
  expect(".version 8.0\n", "expects a '.target' directive");
  expect(".version eight\n", "expects a version such as '8.0'");
  expect(".version 8.0\n.target sm_80\n.address_size 32\n",
         "line 3: expects '.address_size 64'");
  expect(".version 8.0\n.target sm_80\n.func f() { ret; }",
         "line 3: expects every function to be inlined");
  expect(".version 8.0\n.target sm_80\n.visible .entry k() { ret;",
         "expects '}' at the end of kernel 'k', but got the end of the text");
  expect(".version 8.0\n.target sm_80\n.entry k() { }",
         "line 3: expects instructions in kernel 'k'");
  expect(".version 8.0\n.target sm_80\n.entry k() { ret; }.entry k() { ret; }",
         "expects kernels of different names, but got 'k' twice");
  expect(".version 8.0\n.target sm_80\n.extern .global .b32 x;",
         "expects variables of this module, but got the external 'x'");
  expect(".version 8.0\n.target sm_80\n.surprise", "got '.surprise'");
  expect(".version 8.0 /* open", "expects the comment to end with '*/'");
  expect(".version 8.0\n.target sm_80\n.global .align 3 .b8 x[4];",
         "expects an alignment that is a power of two, but got 3");
}

TEST(Parser, ScopedNamesAndImplicitDefinitions) {
  // Twice the same block, as inline assembly gives it.
  const std::string block = "{ .reg .pred q; setp.lt.u32 q, %r1, 3;\n"
                            "again: @!q bra done; add.u32 %r1, %r1, 1;\n"
                            "setp.lt.u32 q, %r1, 3; bra again; done: }\n";
  EXPECT_EQ(
      evaluate(block + "mov.u32 %r1, 0;" + block + "mov.u32 %r0, %r1;", 0), 3u);
  EXPECT_EQ(evaluate("// implicit-def: %r9\n and.b32 %r8, %r9, 0; mov.u32 %r0, "
                     "%r8; // trailing",
                     0),
            0u);
}

TEST(Launch, MustFitTheKernel) {
  Memory memory;
  Module module(
      ".version 8.0\n.target sm_86\n.entry k(.param .u64 a, .param "
      ".u32 b) .maxntid 64 { ret; }\n.entry r() .reqntid 32, 2\n"
      ".reqnctapercluster 2 { ret; }\n.entry q(.param .u32 a, .param .u64 "
      ".ptr .global .align 16 b) { ret; }",
      memory);
  EXPECT_EQ(module.maxThreads("k"), 64u);
  EXPECT_EQ(module.parameters("k")[1].offset, 8u);
  EXPECT_EQ(module.parameters("q")[1].offset, 8u);
  EXPECT_EQ(module.isaMajor(), 8u);
  const auto error = [&](const std::string &kernel, LaunchConfig config) {
    try {
      module.launch(kernel, config);
    } catch (const ModuleError &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  LaunchConfig config;
  EXPECT_NE(
      error("k", config).find("expects 12 bytes of parameters, but got 0"),
      std::string::npos);
  config.parameters.resize(12);
  EXPECT_EQ(error("k", config), "no error");
  config.block = {65, 1, 1};
  EXPECT_NE(error("k", config).find("at most 64 threads in a block"),
            std::string::npos);
  config.block = {32, 1, 1};
  config.sharedBytes = 100 << 10;
  EXPECT_NE(error("k", config).find("at most 101376 bytes of shared memory"),
            std::string::npos);
  config = LaunchConfig();
  EXPECT_NE(error("r", config).find("expects blocks of 32 x 2 x 1 threads"),
            std::string::npos);
  config.block = {32, 2, 1};
  EXPECT_NE(
      error("r", config).find("expects a grid that clusters of 2 x 1 x 1"),
      std::string::npos);
  config.grid = {2, 1, 1};
  EXPECT_EQ(error("r", config), "no error");
  config.cluster = {1, 1, 1};
  EXPECT_NE(error("r", config).find("expects clusters of 2 x 1 x 1 CTAs"),
            std::string::npos);
  EXPECT_NE(error("absent", config).find("expects a kernel of the module"),
            std::string::npos);
}

} // namespace
