// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/CPU/Isa.h"

#include "llvm/ADT/STLExtras.h"

using namespace hk;

static constexpr Isa isas[] = {
    {"x86-64-v4", 512, true},
    {"x86-64-v3", 256, true},
    {"x86-64", 128, false},
};

llvm::ArrayRef<Isa> hk::getIsas() { return isas; }

const Isa *hk::findIsa(llvm::StringRef name) {
  const Isa *isa =
      llvm::find_if(isas, [&](const Isa &isa) { return isa.name == name; });
  return isa == std::end(isas) ? nullptr : isa;
}
