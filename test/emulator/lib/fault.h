// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator reports: a broken module, or a fault of a kernel.
#ifndef HK_EMULATOR_FAULT_H
#define HK_EMULATOR_FAULT_H

#include <stdexcept>
#include <string>

namespace hk::emulator {

/// The PTX text cannot be used. The message begins with "line N: ".
class ModuleError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The PTX text is valid, but uses what the emulator does not model.
class UnsupportedError : public ModuleError {
public:
  using ModuleError::ModuleError;
};

/// A kernel did what it must not do. The message names the line, the
/// instruction, the CTA and the thread.
class Fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_FAULT_H
