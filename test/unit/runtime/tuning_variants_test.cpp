// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of variants of a plan's kernels by measurement.
#include "tuning_fixture.h"

namespace hk {
namespace test {
namespace {

/// A second variant of the kernel of a plan.
void addVariant(ModuleFile &file, size_t executable, const char *kernel,
                const char *schedule) {
  auto &variants = file.metadata.executables.at(executable)->variants;
  auto variant = std::make_unique<schema::VariantT>(*variants[0]);
  variant->kernel = kernel;
  variant->schedule = schedule;
  variants.push_back(std::move(variant));
}

/// A safe plan of kernels a and b, with code for a2, b2 and b3 too.
ModuleFile moduleOfTwoKernels() {
  ModuleFile file = tunedModule({{"a", kSafe, 1, 3, 2},
                                 {"b", kCandidate, 1, 3},
                                 {"exact", kReference, 9}});
  file.metadata.functions[0]->plans[0]->dispatches[1]->executable = 4;
  file.metadata.functions[0]->plans.erase(
      file.metadata.functions[0]->plans.begin() + 1);
  const std::string entries = "\n.entry a2(\n.entry b2(\n.entry b3(\n";
  Bytes &ptx = file.sections.back();
  ptx.insert(ptx.end(), entries.begin(), entries.end());
  return file;
}

TEST_F(TuningTest, VariantsAreTriedOneKernelAfterAnother) {
  // The other variant of the first kernel is worse, of the second better.
  ModuleFile file = moduleOfTwoKernels();
  setKernel("a2", 5, 3);
  setKernel("b2", 0.5, 3);
  setKernel("b3", 0.1, 7);
  addVariant(file, 3, "a2", "#hk.cuda<a2>");
  addVariant(file, 4, "b2", "#hk.cuda<b2>");
  addVariant(file, 4, "b3", "#hk.cuda<b3>");
  makeSession(file);
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  const auto &launches = fakeCuda().launches;
  ASSERT_GE(launches.size(), 2u);
  EXPECT_STREQ(launches[launches.size() - 2].kernel, "a");
  EXPECT_STREQ(launches[launches.size() - 1].kernel, "b2");
  const nlohmann::json tuning = report()["tunings"][0];
  // Last a2 again, beside b2; but not b3, which fails beside whatever it is.
  EXPECT_EQ(tuning["contenders"].size(), 5u);
  EXPECT_EQ(tuning["contenders"][1]["variants"]["a"], "#hk.cuda<a2>");
  EXPECT_EQ(tuning["contenders"][2]["variants"]["b"], "#hk.cuda<b2>");
  EXPECT_EQ(tuning["contenders"][3]["verdict"], "inaccurate");
  EXPECT_EQ(tuning["contenders"][4]["variants"]["a"], "#hk.cuda<a2>");
  EXPECT_TRUE(said("plan 'a' (kernel 'a': #hk.cuda<\"sm_80\">, kernel 'b': "
                   "#hk.cuda<b2>) runs"));
}

TEST_F(TuningTest, VariantsOfTheWinnerAreTriedAgainBesideTheOthers) {
  // a2 gains behind which b2 gains more, but nothing is as fast as b2 behind a.
  ModuleFile file = moduleOfTwoKernels();
  addVariant(file, 3, "a2", "#hk.cuda<a2>");
  addVariant(file, 4, "b2", "#hk.cuda<b2>");
  auto makeFirst = [](const char *name, double ofB, double ofB2) {
    setKernel(name, 1, 3);
    FakeKernel &kernel = fakeCuda().kernels[name];
    kernel.body = [=, body = kernel.body](const FakeLaunch &launch) {
      body(launch);
      fakeCuda().kernels["b"].milliseconds = ofB;
      fakeCuda().kernels["b2"].milliseconds = ofB2;
    };
  };
  setKernel("b2", 1, 3);
  makeFirst("a", 2, 0.9);
  makeFirst("a2", 1.9, 1.5);
  makeSession(file);
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_TRUE(said("plan 'a' (kernel 'a': #hk.cuda<\"sm_80\">, kernel 'b': "
                   "#hk.cuda<b2>) runs"));
  const nlohmann::json contenders = report()["tunings"][0]["contenders"];
  ASSERT_EQ(contenders.size(), 4u);
  const double expected[] = {3000, 2900, 2500, 1900};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(contenders[i]["microseconds"], expected[i], 1) << i;
}

TEST_F(TuningTest, WhatFailsBesideAWrongKernelIsTriedInOtherPlans) {
  ModuleFile file = tunedModule({{"wrong", kCandidate, 1, 7, 2},
                                 {"b", kSafe, 1, 3},
                                 {"exact", kReference, 9}});
  file.metadata.functions[0]->plans[0]->dispatches[0]->executable = 4;
  const std::string entries = "\n.entry b2(\n";
  Bytes &ptx = file.sections.back();
  ptx.insert(ptx.end(), entries.begin(), entries.end());
  setKernel("b2", 0.5, 3);
  addVariant(file, 4, "b2", "#hk.cuda<b2>");
  makeSession(file);
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "b2");
  EXPECT_EQ(report()["tunings"][0]["plan"], "b");
}

/// Two plans of a kernel, each with a variant that is better.
ModuleFile moduleOfVariants() {
  ModuleFile file = tunedModule(
      {{"a", kSafe, 4}, {"b", kCandidate, 1}, {"exact", kReference, 9}});
  const std::string entries = "\n.entry a2(\n.entry b2(\n";
  Bytes &ptx = file.sections.back();
  ptx.insert(ptx.end(), entries.begin(), entries.end());
  setKernel("a2", 0.2, 3);
  setKernel("b2", 0.5, 3);
  addVariant(file, 3, "a2", "#hk.cuda<a2>");
  addVariant(file, 4, "b2", "#hk.cuda<b2>");
  return file;
}

TEST_F(TuningTest, VariantsOfAPlanThatIsFarBehindAreNotTried) {
  makeSession(moduleOfVariants());
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "b2");
  EXPECT_EQ(report()["tunings"][0]["contenders"].size(), 3u);
  EXPECT_TRUE(said("plan 'a': 1 variants are not tried: takes 4000.0 us and "
                   "'b' 500.0 us"));
}

TEST_F(TuningTest, OfLargeOutputsVariantsThatDoNotWinAreNotCompared) {
  setenv("HK_TUNE_SECONDS", "600", 1); // sanitizers are slow
  makeLoggedContext();
  unsetenv("HK_TUNE_SECONDS");
  for (int64_t batch : {2, 2100000}) { // the second has 64.1 MiB
    ModuleFile file =
        tunedModule({{"b", kCandidate, 1}, {"exact", kReference, 9}});
    const std::string entries = "\n.entry b2(\n.entry b3(\n.entry b4(\n";
    Bytes &ptx = file.sections.back();
    ptx.insert(ptx.end(), entries.begin(), entries.end());
    setKernel("b2", 1.02, 7); // wrong, and a little slower
    setKernel("b3", 0.98, 7); // wrong, and a little faster
    setKernel("b4", 0.97, 3);
    for (const char *name : {"b2", "b3", "b4"})
      addVariant(file, 3, name, name);
    makeSession(file);
    DeviceRun run(session_, batch);
    expectOk(session_->run(run.arguments()));
    EXPECT_EQ(lastKernel(), "b4");
    const nlohmann::json contenders = report()["tunings"][0]["contenders"];
    ASSERT_EQ(contenders.size(), 4u);
    EXPECT_EQ(contenders[1]["verdict"], batch > 2 ? "slower" : "inaccurate");
    EXPECT_EQ(contenders[2]["verdict"], "inaccurate");
    EXPECT_EQ(contenders[3]["verdict"], "passed");
  }
}

TEST_F(TuningTest, TheTimeForVariantsEnds) {
  setenv("HK_TUNE_SECONDS", "0", 1);
  makeLoggedContext();
  unsetenv("HK_TUNE_SECONDS");
  makeSession(moduleOfVariants());
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "b");
  EXPECT_EQ(report()["tunings"][0]["contenders"].size(), 2u);
  EXPECT_TRUE(said("plan 'b': 1 variants are not tried: HK_TUNE_SECONDS (0) "
                   "are over"));
}

TEST_F(TuningTest, KernelsOfOnePtxMayHaveCubinsOfTheirOwn) {
  ModuleFile file = moduleOfTwoKernels();
  for (const auto &[executable, kernel] :
       std::map<size_t, std::string>{{3, "a"}, {4, "b"}}) {
    const std::string text = "CUBIN 90 .entry " + kernel + "(";
    auto cubin = std::make_unique<schema::CubinT>();
    cubin->sm = "sm_90";
    cubin->section = addSection(file, schema::SectionKind::Cubin,
                                Bytes(text.begin(), text.end()));
    file.metadata.executables.at(executable)
        ->variants[0]
        ->cubins.push_back(std::move(cubin));
  }
  makeSession(file);
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "b");
  // The reference has the PTX.
  EXPECT_EQ(fakeCuda().images,
            (std::vector<std::string>{"cubin", "cubin", "ptx"}));
}

} // namespace
} // namespace test
} // namespace hk
