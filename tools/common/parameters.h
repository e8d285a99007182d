// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random parameters in PyTorch's default initialisation style.
#ifndef HK_TOOLS_COMMON_PARAMETERS_H
#define HK_TOOLS_COMMON_PARAMETERS_H

#include "common/tensor.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace hk::tools {

/// A tensor of a checkpoint.
struct Parameter {
  std::string key;
  ElementType type;
  std::vector<int64_t> shape;
};

/// Fills parameters as nn.Linear and nn.LayerNorm would, from a seed:
///   weight of rank 2, [out, in]     uniform in +-1/sqrt(in)
///   bias beside such a weight       uniform in +-1/sqrt(in) of that weight
///   weight of rank 1 (norm gamma)   1, or uniform in [0.5, 1.5)
///   bias beside it (norm beta)      0, or uniform in [-0.5, 0.5)
///   anything else                   uniform in +-1/sqrt(elements / dim 0)
/// A bias belongs to the weight whose key differs in the last word only. The
/// values depend on the seed, the key and the shapes, and not on the order.
class ParameterInitialiser {
public:
  /// `randomNorm` draws gamma and beta instead of 1 and 0, so that a wrong
  /// fold of a norm into its neighbours shows.
  ParameterInitialiser(const std::vector<Parameter> &parameters, uint64_t seed,
                       bool randomNorm);

  /// The values of a parameter; floating-point types only.
  Tensor make(const Parameter &parameter) const;

private:
  struct Range {
    double low, high;
  };
  Range rangeOf(const Parameter &parameter) const;

  std::unordered_map<std::string, std::vector<int64_t>> shapes;
  uint64_t seed;
  bool randomNorm;
};

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_PARAMETERS_H
