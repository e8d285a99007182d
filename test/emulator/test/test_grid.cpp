// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that start before those in front of them have ended: what they may
// not do before griddepcontrol.wait.
#include "harness.h"

using namespace hk::emulator;

namespace {

/// Two words from p0, added to a word of p1 that a kernel in front wrote.
const char *const kSecond = "ld.global.u32 %r1, [%rd31];\n"
                            "griddepcontrol.launch_dependents;\n"
                            "griddepcontrol.wait;\n"
                            "ld.global.u32 %r2, [%rd30];\n"
                            "add.u32 %r2, %r2, %r1;\n"
                            "st.global.u32 [%rd29], %r2;\n";

class Chain : public testing::Test {
protected:
  Chain()
      : constant(device.upload(std::vector<uint32_t>{5})),
        middle(device.allocate(8)), out(device.allocate(4)) {}

  /// Writes 7 to `middle`, in front of what comes.
  void runFirst() {
    device.config.programmatic = false;
    device.config.parameters.clear();
    device.argument(middle);
    device.run(kernelText("st.global.u32 [%rd31], 7;", 1));
  }
  void bind() {
    device.config.programmatic = true;
    device.config.parameters.clear();
    device.argument(constant).argument(middle).argument(out);
  }
  std::string faultOf(const std::string &from, const std::string &to) {
    runFirst();
    bind();
    return device.fault(kernelText(mutate(kSecond, from, to, 1), 3));
  }

  Device device;
  uint64_t constant, middle, out;
};

TEST_F(Chain, WaitsAndReads) {
  runFirst();
  bind();
  device.run(kernelText(kSecond, 3));
  EXPECT_EQ(device.download<uint32_t>(out, 1), std::vector<uint32_t>{12});
}

TEST_F(Chain, ReadsTooEarly) {
  EXPECT_NE(faultOf("griddepcontrol.wait;",
                    "ld.global.u32 %r3, [%rd30]; griddepcontrol.wait;")
                .find("expects griddepcontrol.wait before an access to what a "
                      "kernel in front writes, but got none before one to byte "
                      "0 of output"),
            std::string::npos);
}

TEST_F(Chain, CopiesTooEarly) {
  EXPECT_NE(faultOf("griddepcontrol.wait;",
                    ".shared .align 16 .b8 s[16];\n"
                    "cp.async.ca.shared.global [s], [%rd30], 4;\n"
                    "cp.async.wait_all; griddepcontrol.wait;")
                .find("expects griddepcontrol.wait before an access"),
            std::string::npos);
}

TEST_F(Chain, WritesTooEarly) {
  EXPECT_NE(faultOf("griddepcontrol.wait;",
                    "st.global.u32 [%rd29], 1; griddepcontrol.wait;")
                .find("expects griddepcontrol.wait before a write, which a "
                      "kernel in front may come to read, but got none"),
            std::string::npos);
}

TEST_F(Chain, EndsTooEarly) {
  runFirst();
  bind();
  EXPECT_NE(device.fault(kernelText("ld.global.u32 %r1, [%rd31];", 3))
                .find("expects griddepcontrol.wait before the thread ends, but "
                      "got none"),
            std::string::npos);
}

TEST_F(Chain, EachThreadWaitsForItself) {
  runFirst();
  bind();
  device.config.block = {2, 1, 1};
  EXPECT_NE(device
                .fault(kernelText("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, "
                                  "0;\n@%p1 griddepcontrol.wait;\n"
                                  "ld.global.u32 %r2, [%rd30];\n",
                                  3))
                .find("thread 1: expects griddepcontrol.wait"),
            std::string::npos);
}

TEST_F(Chain, NotProgrammaticIsAfterAll) {
  runFirst();
  bind();
  device.config.programmatic = false;
  const std::string ptx = kernelText(mutate(kSecond, "griddepcontrol.wait;\n",
                                            "", 1),
                                     3);
  device.run(ptx);
  EXPECT_EQ(device.download<uint32_t>(out, 1), std::vector<uint32_t>{12});
  // What was written before it is settled; what it wrote is not.
  device.config.programmatic = true;
  device.run(kernelText("ld.global.u32 %r1, [%rd30]; griddepcontrol.wait;", 3));
  EXPECT_NE(device.fault(kernelText("ld.global.u32 %r1, [%rd29];", 3))
                .find("expects griddepcontrol.wait before an access"),
            std::string::npos);
}

TEST_F(Chain, TheOneBeforeTheOneInFrontCounts) {
  runFirst();
  bind();
  device.run(kernelText("griddepcontrol.wait;", 3));
  EXPECT_NE(device.fault(kernelText("ld.global.u32 %r1, [%rd30];", 3))
                .find("expects griddepcontrol.wait before an access"),
            std::string::npos);
}

} // namespace
