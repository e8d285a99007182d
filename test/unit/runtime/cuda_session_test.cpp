// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions on a CUDA device: the choice of plans, variants and code, and what
// can be wrong with them.
#include "cuda_fixture.h"

#include "cuda_module.h"

namespace hk {
namespace test {
namespace {

using namespace cuda;

TEST_F(CudaTest, ThePlanAndTheVariantAreTheDevices) {
  makeSession(affineCudaModule(), "layers");
  hk_session_info info = session_->info();
  EXPECT_STREQ(info.plan, "layers");
  EXPECT_STREQ(info.isa, "sm_80");
  EXPECT_EQ(info.num_dispatches, 2u);
  EXPECT_EQ(info.packed_bytes, 2 * 2 * 64u);
  // One load for both kernels' section, and one copy of each packed value.
  EXPECT_EQ(fakeCuda().liveAllocations, 2);
  EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(fakeCuda().count("cuMemcpyHtoD_v2"), 2);
  // Without a name it is the safe one, for others cannot be checked.
  makeSession(affineCudaModule());
  info = session_->info();
  EXPECT_STREQ(info.plan, "folded");
  EXPECT_EQ(info.num_dispatches, 1u);
  // The same module on the CPU.
  makeContext(1);
  expectOk(createSession());
  EXPECT_STREQ(session_->info().isa, "x86-64");
  EXPECT_STREQ(session_->info().plan, "layers");
}

TEST_F(CudaTest, KernelsOfOneSectionShareItsCode) {
  ModuleFile file = affineCudaModule();
  auto &dispatches = file.metadata.functions[0]->plans[1]->dispatches;
  dispatches.push_back(dispatch(0, 0, {input(0), result(0)}));
  makeSession(file, "folded");
  EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(fakeCuda().count("cuModuleGetFunction"), 2);
  std::shared_ptr<Session> first = session_;
  expectOk(createSession());
  EXPECT_EQ(fakeCuda().liveModules, 1);
  first.reset();
  session_.reset();
  EXPECT_EQ(fakeCuda().liveModules, 0);
  expectOk(createSession());
  EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 2);
}

TEST_F(CudaTest, TakesTheBestVariantOfTheDevice) {
  const std::vector<std::string> isas = {"sm_80", "sm_90a", "sm_90",
                                         "sm_86", "sm_120", "sm_100f"};
  const std::pair<int, const char *> cases[] = {
      {80, "sm_80"},  {86, "sm_86"},   {89, "sm_86"},  {90, "sm_90a"},
      {100, "sm_90"}, {120, "sm_120"}, {121, "sm_120"}};
  for (const auto &[device, isa] : cases) {
    session_.reset();
    context_.reset();
    fakeCuda().major = device / 10;
    fakeCuda().minor = device % 10;
    makeSession(tripleCudaModule(isas));
    EXPECT_STREQ(session_->info().isa, isa) << device;
  }
}

TEST_F(CudaTest, AModuleForOtherMachinesSaysWhich) {
  expectOk(openCuda());
  loadModule(tripleCudaModule({"sm_100a", "sm_120"}));
  expectError(createSession(), HK_UNSUPPORTED,
              "module: function 'forward': expects a machine with sm_100a or "
              "sm_120 (kernel 'triple' of plan 'triple'), but got sm_90 (Fake "
              "GPU, CUDA 12.4); compile the module for this machine too");
  loadModule(affineModule());
  expectError(createSession(), HK_UNSUPPORTED,
              "expects a machine with x86-64 (kernel 'affine.folded' of plan "
              "'folded'), but got sm_90");
  makeContext(1);
  loadModule(tripleCudaModule({"sm_80"}));
  expectError(createSession(), HK_UNSUPPORTED,
              "expects a machine with sm_80 (kernel 'triple' of plan "
              "'triple'), but got x86-64");
}

TEST_F(CudaTest, APlanWithoutAllItsVariantsIsPassedOver) {
  ModuleFile file = affineCudaModule();
  file.metadata.executables[0]->variants.pop_back();
  makeSession(file);
  EXPECT_STREQ(session_->info().plan, "folded");
  file = affineCudaModule();
  file.metadata.executables[1]->variants.pop_back();
  makeSession(file);
  EXPECT_STREQ(session_->info().plan, "layers");
  file = affineCudaModule();
  file.metadata.executables[0]->variants.pop_back();
  loadModule(file);
  expectError(createSession(nullptr, "layers"), HK_UNSUPPORTED,
              "(kernel 'affine' of plan 'layers'), but got sm_90");
}

ModuleFile withCubin(const std::string &sm, const std::string &text) {
  ModuleFile file = tripleCudaModule({"sm_80"});
  auto cubin = std::make_unique<schema::CubinT>();
  cubin->sm = sm;
  cubin->section = addSection(file, schema::SectionKind::Cubin,
                              Bytes(text.begin(), text.end()));
  file.metadata.executables[0]->variants[0]->cubins.push_back(std::move(cubin));
  return file;
}

TEST_F(CudaTest, ACubinForTheDeviceComesFirst) {
  makeSession(withCubin("sm_90", "CUBIN 90 .entry triple("));
  EXPECT_EQ(fakeCuda().images, std::vector<std::string>{"cubin"});
  expectOk(session_->run(CudaRun(*session_, 2).arguments()));
}

TEST_F(CudaTest, OtherCubinsAreNotTried) {
  makeSession(withCubin("sm_86", "CUBIN 86 .entry triple("));
  EXPECT_EQ(fakeCuda().images, std::vector<std::string>{"ptx"});
  EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 1);
}

TEST_F(CudaTest, ACubinThatTheDriverRefusesLeavesThePtx) {
  makeSession(withCubin("sm_90", "CUBIN 80 .entry triple("));
  EXPECT_EQ(fakeCuda().images, std::vector<std::string>{"ptx"});
  EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 2);
}

TEST_F(CudaTest, PtxNewerThanTheDriverNamesBothVersions) {
  ModuleFile file = tripleCudaModule({"sm_80"});
  file.sections[1] = ptxText("9.1", "sm_80");
  expectOk(openCuda());
  loadModule(file);
  expectError(createSession(), HK_UNSUPPORTED,
              "module: kernel 'triple': expects PTX that the driver knows, but "
              "got PTX 9.1 and a driver for CUDA 12.4: "
              "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (fake words); install a "
              "newer driver, or compile the module for this one (older PTX, "
              "or a cubin for sm_90)");
}

TEST_F(CudaTest, PtxThatDoesNotCompileGivesTheLog) {
  expectOk(openCuda());
  loadModule(tripleCudaModule({"sm_80"}));
  fakeCuda().failures["cuModuleLoadDataEx"] = CUDA_ERROR_INVALID_PTX;
  fakeCuda().log = "ptxas line 7; error\t: Unknown symbol '%r9'\nptxas fatal\n";
  expectError(createSession(), HK_MALFORMED,
              "module: kernel 'triple': cannot load PTX 8.0 for sm_80: "
              "CUDA_ERROR_INVALID_PTX (fake words): ptxas line 7; error: "
              "Unknown symbol '%r9'; ptxas fatal");
  fakeCuda().log.assign(100000, 'x');
  expectError(createSession(), HK_MALFORMED, "xxxx");
  fakeCuda().log.clear();
  fakeCuda().failures["cuModuleLoadDataEx"] = CUDA_ERROR_OUT_OF_MEMORY;
  expectError(createSession(), HK_OUT_OF_MEMORY,
              "cannot load PTX 8.0 for sm_80: CUDA_ERROR_OUT_OF_MEMORY");
}

TEST(CudaModuleTest, TheVersionOfPtxIsFound) {
  EXPECT_EQ(ptxVersion("// made by hand\n.version\t 8.4\n.target sm_80"),
            "8.4");
  EXPECT_EQ(ptxVersion(".target sm_80"), "unknown");
  EXPECT_EQ(ptxVersion(".version"), "unknown");
  EXPECT_EQ(ptxVersion(".version x"), "unknown");
}

TEST_F(CudaTest, DamagedCodeIsRefused) {
  ModuleFile file = tripleCudaModule({"sm_80"});
  file.change = [](schema::ModuleT &m) { m.sections[1]->hash ^= 1; };
  expectOk(openCuda());
  loadModule(file);
  expectError(createSession(), HK_MALFORMED, "expects section 1 with hash");
}

TEST_F(CudaTest, AMissingEntryIsNamed) {
  ModuleFile file = tripleCudaModule({"sm_80"});
  file.metadata.executables[0]->variants[0]->kernel = "quadruple";
  expectOk(openCuda());
  loadModule(file);
  expectError(createSession(), HK_MALFORMED,
              "module: kernel 'triple': expects the entry 'quadruple' in its "
              "code, but got none of that name");
  fakeCuda().failures["cuModuleGetFunction"] = CUDA_ERROR_INVALID_CONTEXT;
  expectError(createSession(), HK_ENVIRONMENT,
              "cannot load the entry 'quadruple': CUDA_ERROR_INVALID_CONTEXT");
}

TEST_F(CudaTest, AttributesAreSetWhereNeeded) {
  ModuleFile file = tripleCudaModule({"sm_90a"});
  schema::VariantT &variant = *file.metadata.executables[0]->variants[0];
  variant.shared = 48 * 1024;
  makeSession(file);
  EXPECT_TRUE(fakeCuda().attributes.empty());
  variant.shared = 200000;
  variant.cluster = 16;
  makeSession(file);
  EXPECT_EQ(fakeCuda().attributes,
            (std::vector<std::string>{"triple 8 200000", "triple 14 1"}));
  fakeCuda().failures["cuFuncSetAttribute"] = CUDA_ERROR_INVALID_VALUE;
  expectError(createSession(), HK_ENVIRONMENT,
              "kernel 'triple': cannot raise the kernel's limit of dynamic "
              "shared memory: CUDA_ERROR_INVALID_VALUE");
  variant.shared = 0;
  loadModule(file);
  expectError(createSession(), HK_ENVIRONMENT,
              "kernel 'triple': cannot allow the kernel clusters of more than "
              "8 CTAs: CUDA_ERROR_INVALID_VALUE");
  fakeCuda().failures = {{"cuFuncGetAttribute", CUDA_ERROR_INVALID_VALUE}};
  expectError(createSession(), HK_ENVIRONMENT,
              "kernel 'triple': cannot read the kernel's attributes");
}

TEST_F(CudaTest, KernelsThatDoNotFitTheDevice) {
  ModuleFile file = tripleCudaModule({"sm_90a"});
  schema::VariantT &variant = *file.metadata.executables[0]->variants[0];
  fakeCuda().kernels["triple"].maxThreads = 96;
  expectOk(openCuda());
  loadModule(file);
  expectError(createSession(), HK_UNSUPPORTED,
              "module: kernel 'triple': expects CTAs of 128 threads, but got "
              "registers for 96");
  fakeCuda().kernels["triple"].maxThreads = 128;
  fakeCuda().kernels["triple"].staticShared = 1024;
  variant.shared = 232448;
  loadModule(file);
  expectError(createSession(), HK_UNSUPPORTED,
              "kernel 'triple': expects 233472 bytes of shared memory a CTA, "
              "but got a device with 232448");
}

TEST_F(CudaTest, ParametersThatDoNotFitTheDevice) {
  expectOk(openCuda());
  loadModule(affineCudaModule());
  fakeCuda().failures["cuMemAlloc_v2"] = CUDA_ERROR_OUT_OF_MEMORY;
  expectError(createSession(nullptr, "layers"), HK_OUT_OF_MEMORY,
              "module: packed parameters 'w': cannot allocate 128 bytes on the "
              "GPU: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  fakeCuda().failures = {{"cuMemcpyHtoD_v2", CUDA_ERROR_INVALID_VALUE}};
  expectError(
      createSession(nullptr, "layers"), HK_ENVIRONMENT,
      "module: packed parameters 'w': cannot copy 128 bytes to the GPU");
  fakeCuda().failures.clear();
  params_ = Params();
  expectError(createSession(), HK_NOT_FOUND, "4 missing, 'layers.0.w'");
}

} // namespace
} // namespace test
} // namespace hk
