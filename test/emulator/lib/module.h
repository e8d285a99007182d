// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's interface: load a PTX module, launch its kernels.
#ifndef HK_EMULATOR_MODULE_H
#define HK_EMULATOR_MODULE_H

#include "device_memory.h"
#include "fault.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hk::emulator {

struct ModuleText;
struct Program;

struct Options {
  /// Every asynchronous operation completes as late as its wait allows.
  bool lazy = false;
  /// Reports accesses of different warps to the same shared memory that no
  /// barrier orders, and missing proxy fences.
  bool races = false;
  /// Instructions of warps a launch may take before it counts as hung.
  uint64_t budget = uint64_t(1) << 27;
  /// 0: warps take turns in order. Else the random order of this seed, with
  /// turns of random length.
  uint64_t seed = 0;

  /// HK_EMULATOR_LAZY, HK_EMULATOR_RACES (0 or 1), HK_EMULATOR_BUDGET,
  /// HK_EMULATOR_SEED.
  static Options fromEnvironment();
};

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{0, 0, 0}; ///< in CTAs; 0: as the kernel says
  uint32_t sharedBytes = 0;                 ///< dynamic shared memory
  /// The kernels in front may not have ended, and wrote what is recent in
  /// memory: threads wait (griddepcontrol.wait) before they touch it.
  bool programmatic = false;
  /// The parameters, each at its aligned offset.
  std::vector<uint8_t> parameters;
};

struct LaunchStatistics {
  uint64_t warpInstructions = 0;
  uint64_t threadInstructions = 0;
};

struct ParameterInfo {
  std::string name;
  uint32_t offset, size; ///< bytes
};

/// A loaded module. Its global variables live in `memory`, which must outlive
/// it.
class Module {
public:
  /// Throws ModuleError.
  Module(const std::string &ptx, Memory &memory);
  ~Module();

  std::vector<std::string> kernels() const;
  bool hasKernel(const std::string &kernel) const;
  /// Throws ModuleError for an unknown kernel, as the functions below do.
  std::vector<ParameterInfo> parameters(const std::string &kernel) const;
  uint32_t staticSharedBytes(const std::string &kernel) const;
  /// From .maxntid or .reqntid; 1024 without them.
  uint32_t maxThreads(const std::string &kernel) const;
  const std::string &target() const;
  unsigned isaMajor() const;
  unsigned isaMinor() const;

  /// Runs the kernel to its end. Throws Fault for what the kernel does wrong,
  /// ModuleError for a launch that does not fit the kernel.
  LaunchStatistics launch(const std::string &kernel, const LaunchConfig &config,
                          const Options &options = Options());

private:
  const Program &program(const std::string &kernel) const;

  std::unique_ptr<ModuleText> text;
  Memory &memory;
  std::vector<uint64_t> globals; ///< addresses, by text->variables
  std::vector<std::unique_ptr<Program>> programs;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_MODULE_H
