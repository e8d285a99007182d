// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_LIBM_IMPORTS_H
#define HK_RUNTIME_LIBM_IMPORTS_H

#include <string_view>

namespace hk {

/// The address of the libm function of that name, double(double), or of pow,
/// fmod, atan2, fmin, fmax or copysign, double(double, double), or of fma;
/// nullptr for other names.
void *findLibmImport(std::string_view name);

} // namespace hk

#endif // HK_RUNTIME_LIBM_IMPORTS_H
