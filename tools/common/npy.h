// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing NumPy's .npy files.
#ifndef HK_TOOLS_COMMON_NPY_H
#define HK_TOOLS_COMMON_NPY_H

#include "common/tensor.h"

#include <string>

namespace hk::tools {

/// Reads a file of format version 1 to 3: little endian, C order, of type
/// float64, float32, float16, int32, bool, or uint16. NumPy has no bfloat16:
/// uint16 holds the bits of bf16 values, here and in `writeNpy`. The file is
/// not trusted. Throws a user error that names the file, what was expected and
/// what was found; an environment error where the file cannot be read.
Tensor readNpy(const std::string &path);

/// Writes format version 1, which NumPy reads back as it is.
void writeNpy(const std::string &path, const Tensor &tensor);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_NPY_H
