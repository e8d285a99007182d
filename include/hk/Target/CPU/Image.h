// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code as it lies in a module file: one run of bytes that is mapped
// and called, without a loader.

#ifndef HK_TARGET_CPU_IMAGE_H
#define HK_TARGET_CPU_IMAGE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hk {

/// Code and constants, linked at offset 0. The image may be mapped at any
/// address that is a multiple of a page, and nothing in it is written to.
struct Image {
  std::vector<uint8_t> bytes;
  /// The offset of each function that the object defines for others to call.
  std::map<std::string, uint64_t> symbols;
};

/// Lays the code and the constants of an x86-64 ELF object out in one image
/// and applies its relocations. What cannot be mapped as it is is an error:
/// writable data, symbols that the object does not define, and relocations
/// other than R_X86_64_PC32 and R_X86_64_PLT32. Unwind tables are left out.
llvm::Expected<Image> linkImage(llvm::MemoryBufferRef object);

} // namespace hk

#endif // HK_TARGET_CPU_IMAGE_H
