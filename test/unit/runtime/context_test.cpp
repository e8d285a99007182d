// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include "environment.h"
#include "expect_status.h"

#include <cstdlib>

namespace hk {
namespace {

/// Sets a variable for as long as it lives.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const char *value) : name_(name) {
    const char *old = std::getenv(name);
    hadValue_ = old != nullptr;
    if (old)
      old_ = old;
    setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (hadValue_)
      setenv(name_, old_.c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char *name_;
  bool hadValue_ = false;
  std::string old_;
};

Status create(hk_context_options options, std::shared_ptr<Context> &context) {
  return Context::create(options, context);
}

TEST(Context, DefaultsToTheCoresOfTheProcess) {
  ScopedVariable threads("HK_THREADS", "");
  std::shared_ptr<Context> context;
  test::expectOk(create({}, context));
  EXPECT_EQ(context->workers().count(), availableCores());
}

TEST(Context, ThreadsComeFromOptionsThenTheEnvironment) {
  ScopedVariable threads("HK_THREADS", "3");
  std::shared_ptr<Context> context;
  test::expectOk(create({}, context));
  EXPECT_EQ(context->workers().count(), 3u);
  hk_context_options options = {};
  options.threads = 2;
  test::expectOk(create(options, context));
  EXPECT_EQ(context->workers().count(), 2u);
}

TEST(Context, RefusesTooManyThreads) {
  hk_context_options options = {};
  options.threads = 1025;
  std::shared_ptr<Context> context;
  test::expectError(create(options, context), HK_INVALID_ARGUMENT,
                    "threads: expects at most 1024, but got 1025");
}

TEST(Context, RefusesVariablesItCannotRead) {
  std::shared_ptr<Context> context;
  for (const char *value :
       {"0", "-1", "1025", "two", "2x", " 2", "99999999999999999999"}) {
    ScopedVariable variable("HK_THREADS", value);
    test::expectError(
        create({}, context), HK_ENVIRONMENT,
        concat("HK_THREADS: expects a number from 1 to 1024, but got '", value,
               "'"));
  }
  for (const char *value : {"-1", "86401", "soon"}) {
    ScopedVariable variable("HK_TUNE_SECONDS", value);
    test::expectError(
        create({}, context), HK_ENVIRONMENT,
        concat("HK_TUNE_SECONDS: expects a number from 0 to 86400, but got '",
               value, "'"));
  }
  for (const char *value : {"avx2", "x86-64-v2", "none", "X86-64"}) {
    ScopedVariable variable("HK_ISA", value);
    test::expectError(create({}, context), HK_ENVIRONMENT,
                      concat("HK_ISA: expects 'x86-64', 'x86-64-v3' or "
                             "'x86-64-v4', but got '",
                             value, "'"));
  }
  for (const char *name : {"HK_PERF_MAP", "HK_TUNE", "HK_LOG", "HK_PDL"})
    for (const char *value : {"2", "yes"}) {
      ScopedVariable variable(name, value);
      test::expectError(
          create({}, context), HK_ENVIRONMENT,
          concat(name, ": expects 0 or 1, but got '", value, "'"));
    }
}

TEST(Context, IsaIsCappedDownwardsOnly) {
  ScopedVariable unset("HK_ISA", "");
  const Isa machine = detectIsa();
  std::shared_ptr<Context> context;
  for (Isa cap : {Isa::Baseline, Isa::V3, Isa::V4}) {
    hk_context_options options = {};
    options.isa = isaName(cap);
    test::expectOk(create(options, context));
    EXPECT_EQ(context->cpu().isa(), std::min(cap, machine));
    ScopedVariable variable("HK_ISA", isaName(cap));
    test::expectOk(create({}, context));
    EXPECT_EQ(context->cpu().isa(), std::min(cap, machine));
  }
  hk_context_options options = {};
  options.isa = "avx512";
  test::expectError(create(options, context), HK_INVALID_ARGUMENT,
                    "isa: expects 'x86-64', 'x86-64-v3' or 'x86-64-v4', but "
                    "got 'avx512'");
}

#if defined(__x86_64__)
TEST(Isa, AgreesWithTheCompilersOwnDetection) {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") &&
                  __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
                  __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512cd");
  EXPECT_EQ(detectIsa(), v4 ? Isa::V4 : v3 ? Isa::V3 : Isa::Baseline);
}
#endif

} // namespace
} // namespace hk
