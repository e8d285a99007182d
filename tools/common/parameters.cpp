// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parameters.h"

#include "common/parallel.h"
#include "common/random.h"

#include <algorithm>
#include <cmath>

using namespace hk::tools;

ParameterInitialiser::ParameterInitialiser(
    const std::vector<Parameter> &parameters, uint64_t seed, bool randomNorm)
    : seed(seed), randomNorm(randomNorm) {
  for (const Parameter &parameter : parameters)
    shapes[parameter.key] = parameter.shape;
}

/// The last word of a key: "weight" of "layers.0.n1.weight".
static std::string lastWord(const std::string &key) {
  return key.substr(key.rfind('.') + 1);
}

ParameterInitialiser::Range
ParameterInitialiser::rangeOf(const Parameter &parameter) const {
  std::string word = lastWord(parameter.key);
  std::vector<int64_t> shape = parameter.shape;
  if (shape.size() == 1 && word == "weight")
    return randomNorm ? Range{0.5, 1.5} : Range{1, 1};
  if (shape.size() == 1 && word == "bias") {
    auto weight = shapes.find(
        parameter.key.substr(0, parameter.key.size() - word.size()) + "weight");
    if (weight != shapes.end()) {
      shape = weight->second;
      if (shape.size() == 1)
        return randomNorm ? Range{-0.5, 0.5} : Range{0, 0};
    }
  }
  double fanIn = 1;
  for (size_t i = shape.size() == 1 ? 0 : 1; i < shape.size(); ++i)
    fanIn *= static_cast<double>(shape[i]);
  double bound = 1 / std::sqrt(std::max(fanIn, 1.0));
  return {-bound, bound};
}

Tensor ParameterInitialiser::make(const Parameter &parameter) const {
  Tensor tensor(parameter.type, parameter.shape);
  Range range = rangeOf(parameter);
  RandomStream stream(seed, parameter.key);
  parallelRanges(tensor.elementCount(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      tensor.set(
          i, stream.uniform(static_cast<uint64_t>(i), range.low, range.high));
  });
  return tensor;
}
