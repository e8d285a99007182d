// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/NVPTX/Arch.h"

#include "llvm/ADT/STLExtras.h"

using namespace hk;

// Clusters of up to 8 CTAs run on every device that has clusters; sm_120 runs
// them, but its devices have no copy to several CTAs.
static constexpr Arch archs[] = {
    {"sm_80", 71, 163 * 1024, 1, 2048, 32},
    {"sm_86", 71, 99 * 1024, 1, 1536, 16},
    {"sm_89", 78, 99 * 1024, 1, 1536, 24},
    {"sm_90a", 80, 227 * 1024, 16, 2048, 32},
    {"sm_120", 87, 99 * 1024, 8, 1536, 24},
};

llvm::ArrayRef<Arch> hk::getArchs() { return archs; }

const Arch *hk::findArch(llvm::StringRef name) {
  const Arch *arch =
      llvm::find_if(archs, [&](const Arch &arch) { return arch.name == name; });
  return arch == std::end(archs) ? nullptr : arch;
}

std::string hk::listArchs() {
  std::string text;
  for (const Arch &arch : archs) {
    if (!text.empty())
      text += &arch == std::end(archs) - 1 ? " or " : ", ";
    text += arch.name.str();
  }
  return text;
}
