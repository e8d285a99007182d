// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of a function: read from files, or drawn from a seed.
#ifndef HK_TOOLS_COMMON_TENSOR_IO_H
#define HK_TOOLS_COMMON_TENSOR_IO_H

#include "common/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hk::tools {

/// An input or output of a function; dimension 0 of `shape` is the batch, -1
/// where it is free.
struct Signature {
  std::string name; ///< May be empty.
  ElementType type;
  std::vector<int64_t> shape;
};

/// What an input means for a sequence. A network here has activations, and at
/// most a mask of valid tokens or their number; this is told by type and rank.
enum class InputKind { Activation, KeyMask, Lengths };
InputKind kindOf(const Signature &input);

struct InputOptions {
  std::vector<std::string> files; ///< "x.npy", or "name=x.npy"
  std::optional<int64_t> batch;   ///< of random inputs
  uint64_t seed = 1234;
  bool padding = false; ///< random lengths, not full sequences
};

/// Reads the files and draws the inputs that no file gives. A file without a
/// name goes to the first input that has none yet. Random activations are
/// standard normal; masks and lengths are full, or a random prefix of 1 to S
/// tokens. Throws user errors for names, types, shapes and batches that do not
/// fit the signatures.
std::vector<Tensor> makeInputs(const std::vector<Signature> &inputs,
                               const InputOptions &options);

/// Sequence by sequence, how many tokens are valid: by the mask or lengths
/// among the inputs, or empty where there is none.
std::vector<int64_t> validTokens(const std::vector<Signature> &signatures,
                                 const std::vector<Tensor> &inputs);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_TENSOR_IO_H
