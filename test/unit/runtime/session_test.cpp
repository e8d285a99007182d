// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making sessions: the choice of function, plan and variant, and what can be
// wrong with it.
#include "session_fixture.h"

#include "hash.h"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace hk {
namespace test {
namespace {

TEST_F(SessionTest, TakesTheFirstFunctionAndTheLowestRank) {
  loadModule(affineModule());
  expectOk(createSession());
  const hk_session_info info = session_->info();
  EXPECT_STREQ(info.function, "forward");
  EXPECT_EQ(info.function_index, 0u);
  EXPECT_STREQ(info.plan, "layers");
  EXPECT_EQ(info.plan_rank, 0u);
  EXPECT_EQ(info.plan_role, HK_ROLE_CANDIDATE);
  EXPECT_STREQ(info.isa, "x86-64");
  EXPECT_EQ(info.num_workers, 2u);
  EXPECT_EQ(info.num_dispatches, 2u);
  EXPECT_EQ(info.packed_bytes, 2 * 2 * 64u);
}

TEST_F(SessionTest, ReferencePlansRunByNameOnly) {
  ModuleFile file = affineModule();
  file.metadata.functions[0]->plans[0]->role = schema::Role::Reference;
  loadModule(file);
  expectOk(createSession());
  EXPECT_STREQ(session_->info().plan, "folded");
  expectOk(createSession("forward", "layers"));
  EXPECT_STREQ(session_->info().plan, "layers");
}

TEST_F(SessionTest, AFunctionOfOraclesRunsThem) {
  loadModule(affineModule());
  expectOk(createSession("forward.oracle"));
  EXPECT_STREQ(session_->info().plan, "oracle");
  EXPECT_EQ(session_->info().function_index, 1u);
}

TEST_F(SessionTest, RanksOrderPlansNotTheirPlace) {
  ModuleFile file = affineModule();
  file.metadata.functions[0]->plans[0]->rank = 5;
  loadModule(file);
  expectOk(createSession());
  EXPECT_STREQ(session_->info().plan, "folded");
  // Of equals, the first.
  file.metadata.functions[0]->plans[0]->rank = 1;
  loadModule(file);
  expectOk(createSession());
  EXPECT_STREQ(session_->info().plan, "layers");
}

TEST_F(SessionTest, UnknownNamesListTheKnown) {
  loadModule(affineModule());
  expectError(createSession("backward"), HK_NOT_FOUND,
              "module: expects one of the functions 'forward', "
              "'forward.oracle', but got 'backward'");
  expectError(createSession("forward", "fast"), HK_NOT_FOUND,
              "module: function 'forward': expects one of the plans 'layers', "
              "'folded', but got 'fast'");
}

TEST_F(SessionTest, TakesTheBestVariantTheMachineRuns) {
  loadModule(tripleModule({"x86-64", "x86-64-v4", "x86-64-v3"}));
  const Isa machine = detectIsa();
  for (Isa cap : {Isa::Baseline, Isa::V3, Isa::V4}) {
    makeContext(1, isaName(cap));
    expectOk(createSession());
    EXPECT_STREQ(session_->info().isa, isaName(std::min(cap, machine)));
  }
}

TEST_F(SessionTest, AModuleForOtherMachinesSaysWhich) {
  loadModule(tripleModule({"x86-64-v4", "x86-64-v3"}));
  makeContext(1, "x86-64");
  expectError(createSession(), HK_UNSUPPORTED,
              "module: function 'forward': expects a machine with x86-64-v4 or "
              "x86-64-v3 (kernel 'triple' of plan 'triple'), but got x86-64");
  // A level from the future.
  loadModule(tripleModule({"x86-64-v5"}));
  expectError(createSession(), HK_UNSUPPORTED, "with x86-64-v5");
}

TEST_F(SessionTest, APlanThatCannotRunHereIsPassedOver) {
  ModuleFile file = affineModule();
  file.metadata.executables[0]->variants[0]->isa = "x86-64-v4";
  loadModule(file);
  makeContext(1, "x86-64");
  expectOk(createSession());
  EXPECT_STREQ(session_->info().plan, "folded");
  expectError(createSession(nullptr, "layers"), HK_UNSUPPORTED,
              "with x86-64-v4 (kernel 'affine' of plan 'layers')");
}

TEST_F(SessionTest, ParametersAreCheckedByPlan) {
  ModuleFile file = affineModule();
  loadModule(file);
  params_ = Params();
  expectError(createSession(), HK_NOT_FOUND,
              "module: expects all parameters of the plan, but got 0 of 4: 4 "
              "missing, 'layers.0.w', 'layers.1.w', 'layers.0.b', ...");
  hk_session_options options = {};
  expectError(Session::create(context_, module_, nullptr, options, session_),
              HK_NOT_FOUND, "4 missing");
  // No parameters needed, none given.
  loadModule(tripleModule({"x86-64"}));
  expectOk(Session::create(context_, module_, nullptr, options, session_));
}

TEST_F(SessionTest, MemoryLimitIsKept) {
  loadModule(affineModule());
  expectError(createSession(nullptr, nullptr, 100), HK_OUT_OF_MEMORY,
              "module: expects packing to take at most 100 bytes");
}

TEST_F(SessionTest, DamagedCodeIsRefused) {
  ModuleFile file = affineModule();
  file.change = [](schema::ModuleT &m) { m.sections[0]->hash ^= 1; };
  loadModule(file);
  expectError(createSession(), HK_MALFORMED, "expects section 0 with hash");
}

TEST_F(SessionTest, UnknownImportsAreRefused) {
  ModuleFile file = tripleModule({"x86-64"});
  file.metadata.executables[0]->variants[0]->imports = {"exp2", "system"};
  loadModule(file);
  expectError(createSession(), HK_UNSUPPORTED,
              "module: kernel 'triple': expects the function 'system', but got "
              "a runtime that has no such import");
}

TEST_F(SessionTest, WorkspaceGrowsWithTheBatch) {
  loadModule(affineModule());
  expectOk(createSession());
  uint64_t none = 0, one = 0, ten = 0;
  expectOk(session_->workspaceSize(0, none));
  expectOk(session_->workspaceSize(1, one));
  expectOk(session_->workspaceSize(10, ten));
  EXPECT_LE(none, one);
  // 64 bytes a sequence, up to rounding.
  EXPECT_GE(ten, one + 9 * 64 - 127);
  EXPECT_LE(ten, one + 9 * 64 + 127);
  // Scratch of each worker.
  const uint64_t two = one;
  makeContext(4);
  expectOk(createSession());
  expectOk(session_->workspaceSize(1, one));
  EXPECT_EQ(one, two + 2 * 128);
}

TEST_F(SessionTest, WorkspaceQueriesAreChecked) {
  loadModule(affineModule());
  expectOk(createSession());
  uint64_t size = 0;
  expectError(session_->workspaceSize(-1, size), HK_INVALID_ARGUMENT,
              "expects a batch of 0 or more, but got -1");
  expectError(session_->workspaceSize(INT64_MAX, size), HK_INVALID_ARGUMENT,
              "expects a workspace of less than 2^63 bytes");
  ModuleFile file = tripleModule({"x86-64"});
  *file.metadata.executables[0]->variants[0]->grid =
      schema::GridDim(uint64_t(1) << 60, 0, 1);
  loadModule(file);
  expectOk(createSession());
  expectError(session_->workspaceSize(16, size), HK_INVALID_ARGUMENT,
              "expects at most 18446744073709551615 workgroups, but got a "
              "batch of 16");
  *file.metadata.executables[0]->variants[0]->grid = schema::GridDim(1, 0, 1);
  file.metadata.executables[0]->variants[0]->grid_times = uint64_t(1) << 60;
  loadModule(file);
  expectOk(createSession());
  expectError(session_->workspaceSize(16, size), HK_INVALID_ARGUMENT,
              "but got a batch of 16");
  file.metadata.functions[0]->inputs[0]->type->shape[0] = 4;
  file.metadata.functions[0]->outputs[0]->type->shape[0] = 4;
  loadModule(file);
  expectOk(createSession());
  expectError(session_->workspaceSize(5, size), HK_INVALID_ARGUMENT,
              "expects the module's static batch of 4, but got 5");
}

TEST_F(SessionTest, PerfMapListsKernels) {
  const std::string path = concat("/tmp/perf-", getpid(), ".map");
  unlink(path.c_str());
  setenv("HK_PERF_MAP", "1", 1);
  makeContext(1);
  unsetenv("HK_PERF_MAP");
  loadModule(affineModule());
  expectOk(createSession());
  std::ifstream in(path);
  std::string address, size, name;
  ASSERT_TRUE(in >> address >> size >> name);
  // One entry an address: "affine" and "affine.folded" share their code.
  EXPECT_EQ(name, "hk:affine.folded.x86-64");
  EXPECT_NE(std::stoull(address, nullptr, 16), 0u);
  ASSERT_TRUE(in >> address >> size >> name);
  EXPECT_EQ(name, "hk:affine.oracle.x86-64");
  unlink(path.c_str());
}

} // namespace
} // namespace test
} // namespace hk
