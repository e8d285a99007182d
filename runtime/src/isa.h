// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 instruction set levels, as in the psABI.
#ifndef HK_RUNTIME_ISA_H
#define HK_RUNTIME_ISA_H

#include <optional>
#include <string_view>

namespace hk {

/// Ordered: a machine runs code of its own level and of those below.
enum class Isa { None = 0, Baseline = 1, V3 = 3, V4 = 4 };

/// "none", "x86-64", "x86-64-v3", "x86-64-v4"
const char *isaName(Isa isa);

/// The level of that name; nothing for other names, "none" among them.
std::optional<Isa> parseIsa(std::string_view name);

/// What the processor has and the operating system saves.
Isa detectIsa();

} // namespace hk

#endif // HK_RUNTIME_ISA_H
