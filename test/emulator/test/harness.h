// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator's tests share: device buffers, launches, small kernels
// around a few instructions.
#ifndef HK_EMULATOR_TEST_HARNESS_H
#define HK_EMULATOR_TEST_HARNESS_H

#include "module.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace hk::emulator {

/// A device and the parameters of the next launch.
class Device {
public:
  template <typename T> uint64_t upload(const std::vector<T> &values) {
    const uint64_t address =
        memory.allocate(values.size() * sizeof(T), "input");
    memory.write(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  /// Uninitialised, as outputs are.
  uint64_t allocate(size_t bytes) { return memory.allocate(bytes, "output"); }

  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(memory.read(address, values.data(), count * sizeof(T)));
    return values;
  }

  template <typename T> Device &argument(T value) {
    auto &bytes = config.parameters;
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes.resize(bytes.size() + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }

  LaunchStatistics run(const std::string &ptx,
                       const std::string &kernel = "test") {
    Module module(ptx, memory);
    return module.launch(kernel, config, options);
  }

  /// The message of the fault that the launch must end with.
  std::string fault(const std::string &ptx) {
    try {
      run(ptx);
    } catch (const Fault &fault) {
      return fault.what();
    }
    return "no fault";
  }

  Memory memory;
  LaunchConfig config;
  Options options;
};

/// A module around one kernel `test` with parameters `count` pointers p0, p1,
/// ...; `body` has registers of every type at hand.
inline std::string kernelText(const std::string &body, unsigned pointers,
                              const std::string &variables = "") {
  std::ostringstream out;
  out << ".version 8.0\n.target sm_90a\n.address_size 64\n"
      << variables << "\n.visible .entry test(";
  for (unsigned p = 0; p < pointers; ++p)
    out << (p ? ", " : "") << ".param .u64 p" << p;
  out << ")\n{\n"
         "  .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<64>;\n"
         "  .reg .b64 %rd<32>; .reg .f32 %f<64>; .reg .f64 %fd<8>;\n";
  for (unsigned p = 0; p < pointers; ++p)
    out << "  ld.param.u64 %rd" << 31 - p << ", [p" << p << "];\n";
  out << body << "\n  ret;\n}\n";
  return out.str();
}

/// Runs `body` on one thread: it finds its operands in %rd1 to %rd3, as 32 bits
/// in %r1 to %r3 and as f32 in %f1 to %f3, and leaves its result in %rd0, or in
/// %r0 (32 bits) when that is not 0xDEAD.
inline uint64_t evaluate(const std::string &body, uint64_t a, uint64_t b = 0,
                         uint64_t c = 0) {
  Device device;
  const uint64_t in = device.upload(std::vector<uint64_t>{a, b, c});
  const uint64_t out = device.allocate(16);
  device.argument(in).argument(out);
  device.run(kernelText(
      "ld.global.u64 %rd1, [%rd31]; ld.global.u64 %rd2, [%rd31+8];\n"
      "ld.global.u64 %rd3, [%rd31+16];\n"
      "cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r3, %rd3;\n"
      "mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;\n"
      "cvt.u16.u64 %h1, %rd1; cvt.u16.u64 %h2, %rd2; cvt.u16.u64 %h3, %rd3;\n"
      "mov.u64 %rd0, 0; mov.u32 %r0, 0xDEAD;\n" +
          body +
          "\nst.global.u64 [%rd30], %rd0; st.global.u32 [%rd30+8], %r0;\n",
      2));
  const auto result = device.download<uint64_t>(out, 2);
  const auto low = static_cast<uint32_t>(result[1]);
  return low != 0xDEAD ? low : result[0];
}

inline uint32_t bits(float value) {
  uint32_t result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

inline float asFloat(uint64_t value) {
  const auto low = static_cast<uint32_t>(value);
  float result;
  std::memcpy(&result, &low, sizeof(result));
  return result;
}

/// A kernel of test/emulator/kernels.
inline std::string kernelFile(const std::string &name) {
  std::ifstream file(std::string(HK_EMULATOR_KERNELS) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `text` with `from` replaced, which must occur: `count` times, 0 for any.
inline std::string mutate(std::string text, const std::string &from,
                          const std::string &to, size_t count = 0) {
  size_t found = 0;
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    ++found;
  }
  EXPECT_TRUE(count ? found == count : found > 0)
      << found << " times '" << from << "'";
  return text;
}

} // namespace hk::emulator

#endif // HK_EMULATOR_TEST_HARNESS_H
