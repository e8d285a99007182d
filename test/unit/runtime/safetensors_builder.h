// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_TEST_SAFETENSORS_BUILDER_H
#define HK_TEST_SAFETENSORS_BUILDER_H

#include "module_builder.h"

namespace hk {
namespace test {

/// A safetensors file: the header's length, the header, the data.
Bytes safetensors(const std::string &header, const Bytes &data);

/// The bytes of numbers.
template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  const uint8_t *begin = reinterpret_cast<const uint8_t *>(values.data());
  return Bytes(begin, begin + values.size() * sizeof(T));
}

/// Parameters of affineModule(): layers.L.w[i] = 1 + L + i, layers.L.b[i] =
/// 0.5 * L - i.
Bytes affineCheckpoint();
float affineWeight(int layer, int i);
float affineBias(int layer, int i);

} // namespace test
} // namespace hk

#endif // HK_TEST_SAFETENSORS_BUILDER_H
