// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Target.h"

using namespace hk;

std::optional<GPUTarget> GPUTarget::parse(llvm::StringRef name) {
  GPUTarget target;
  if (!name.consume_front("sm_"))
    return std::nullopt;
  target.isArchSpecific = name.consume_back("a");
  if (name.getAsInteger(10, target.sm) || target.sm < 80)
    return std::nullopt;
  return target;
}
