// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing a checkpoint in the safetensors format.
#ifndef HK_TOOLS_COMMON_SAFETENSORS_WRITER_H
#define HK_TOOLS_COMMON_SAFETENSORS_WRITER_H

#include "common/parameters.h"

#include <functional>
#include <string>
#include <vector>

namespace hk::tools {

/// Writes the parameters in the order given; `make` is asked for the values of
/// one at a time, so memory holds one tensor. Floating-point types only.
void writeSafetensors(const std::string &path,
                      const std::vector<Parameter> &parameters,
                      const std::function<Tensor(const Parameter &)> &make);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_SAFETENSORS_WRITER_H
