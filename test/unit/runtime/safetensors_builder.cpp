// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "safetensors_builder.h"

namespace hk {
namespace test {

Bytes safetensors(const std::string &header, const Bytes &data) {
  Bytes out;
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<uint8_t>(uint64_t(header.size()) >> (8 * i)));
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

float affineWeight(int layer, int i) { return 1.0f + layer + i; }
float affineBias(int layer, int i) { return 0.5f * layer - i; }

Bytes affineCheckpoint() {
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::vector<float> values;
  for (int layer = 0; layer < 2; ++layer)
    for (char kind : {'w', 'b'}) {
      const size_t begin = values.size() * sizeof(float);
      for (int i = 0; i < 8; ++i)
        values.push_back(kind == 'w' ? affineWeight(layer, i)
                                     : affineBias(layer, i));
      header += ",\"layers." + std::to_string(layer) + "." + kind +
                R"(":{"dtype":"F32","shape":[8],"data_offsets":[)" +
                std::to_string(begin) + "," +
                std::to_string(values.size() * sizeof(float)) + "]}";
    }
  return safetensors(header + "}", bytesOf(values));
}

} // namespace test
} // namespace hk
