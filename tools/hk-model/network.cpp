// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network.h"

#include "common/error.h"

using namespace hk::tools;

const std::vector<BenchmarkShape> &hk::tools::benchmarkShapes() {
  static const std::vector<BenchmarkShape> shapes = {
      {1, 64, 128, 128, 4, 128, 4},   {2, 1, 128, 128, 4, 128, 4},
      {3, 4, 128, 128, 4, 128, 4},    {4, 16, 128, 128, 4, 128, 4},
      {5, 128, 128, 128, 4, 128, 4},  {6, 10000, 128, 128, 4, 128, 4},
      {7, 64, 128, 32, 4, 32, 4},     {8, 64, 128, 1024, 4, 1024, 4},
      {9, 64, 128, 128, 1, 128, 4},   {10, 64, 128, 128, 2, 128, 4},
      {11, 64, 128, 128, 16, 128, 4}, {12, 64, 32, 128, 4, 128, 4},
      {13, 64, 1024, 128, 4, 128, 4},
  };
  return shapes;
}

void hk::tools::validate(const Network &network) {
  if (network.dim % network.heads != 0)
    userError("expects --dim divisible by --heads, but got dim " +
              std::to_string(network.dim) + " and " +
              std::to_string(network.heads) + " heads");
  if (network.heads % network.kvHeads != 0)
    userError("expects --heads divisible by --kv-heads, but got " +
              std::to_string(network.heads) + " heads and " +
              std::to_string(network.kvHeads) + " key/value heads");
}
