// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The network family that hk-model writes.
#ifndef HK_TOOLS_HK_MODEL_NETWORK_H
#define HK_TOOLS_HK_MODEL_NETWORK_H

#include "common/element_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hk::tools {

constexpr int64_t kDynamicBatch = -1;

/// A pre-norm Transformer. With D = dim and hd = D / heads:
///
///     for each layer:
///       h  = norm(x)
///       q, k, v = linear_q(h), linear_k(h), linear_v(h)
///       x += mask_rows(linear_o(attention(q, k, v)))
///       x += linear_fo(act(linear_fi(norm(x))))             plain
///       x += linear_fo(act(linear_fg(h2)) * linear_fi(h2))  gated, h2 =
///       norm(x) x  = mask_rows(x)
///     y = mask_rows(norm(x))
///
/// `mask_rows` is there where there is a mask and `maskRows` asks for it.
struct Network {
  enum class Mask { None, KeyMask, Lengths };

  int64_t batch = kDynamicBatch;
  int64_t seq = 128;
  int64_t dim = 128;
  int64_t heads = 4;
  int64_t kvHeads = 4;
  int64_t ffn = 128;
  int64_t layers = 4;
  std::string norm = "layer_norm";     ///< or rms_norm
  std::string activation = "gelu_erf"; ///< as hk.activation spells it
  bool gated = false;
  Mask mask = Mask::KeyMask;
  bool maskRows = true;
  bool causal = true;
  bool bias = true; ///< of the linears, and beta of layer_norm
  ElementType type = ElementType::F32; ///< of activations and parameters

  int64_t headDim() const { return dim / heads; }
  int64_t kvDim() const { return headDim() * kvHeads; }
};

/// A row of the benchmark's table: causal, f32, FFN = D, key mask.
struct BenchmarkShape {
  int64_t id, batch, seq, dim, heads, ffn, layers;
};
const std::vector<BenchmarkShape> &benchmarkShapes();

/// Throws a user error for a combination that is no network.
void validate(const Network &network);

} // namespace hk::tools

#endif // HK_TOOLS_HK_MODEL_NETWORK_H
