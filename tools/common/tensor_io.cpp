// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/tensor_io.h"

#include "common/error.h"
#include "common/npy.h"
#include "common/parallel.h"
#include "common/random.h"

#include <algorithm>

using namespace hk::tools;

InputKind hk::tools::kindOf(const Signature &input) {
  if (input.type == ElementType::I1)
    return InputKind::KeyMask;
  if (input.type == ElementType::I32)
    return InputKind::Lengths;
  return InputKind::Activation;
}

/// "input 1 ('valid')".
static std::string describe(const std::vector<Signature> &inputs,
                            size_t index) {
  std::string text = "input " + std::to_string(index);
  if (!inputs[index].name.empty())
    text += " ('" + inputs[index].name + "')";
  return text;
}

static bool fits(const Signature &input, const Tensor &tensor) {
  if (input.type != tensor.type() ||
      input.shape.size() != tensor.shape().size())
    return false;
  for (size_t i = 0; i < input.shape.size(); ++i)
    if (input.shape[i] >= 0 && input.shape[i] != tensor.shape()[i])
      return false;
  return true;
}

/// Which input a "name=file" or "file" argument is for; `argument` is left
/// with the file alone.
static size_t findInput(const std::vector<Signature> &inputs,
                        const std::vector<bool> &taken, std::string &argument) {
  size_t equals = argument.find('=');
  if (equals > argument.find('/')) // part of a path, not after a name
    equals = std::string::npos;
  if (equals == std::string::npos) {
    size_t index = std::find(taken.begin(), taken.end(), false) - taken.begin();
    if (index == taken.size())
      userError("expects at most " + std::to_string(inputs.size()) +
                " inputs, but got one more: '" + argument + "'");
    return index;
  }
  std::string name = argument.substr(0, equals), names;
  argument = argument.substr(equals + 1);
  for (size_t index = 0; index < inputs.size(); ++index) {
    if (inputs[index].name == name) {
      if (taken[index])
        userError("expects each input once, but got '" + name + "' twice");
      return index;
    }
    names += (names.empty() ? "" : ", ") + inputs[index].name;
  }
  userError("expects an input among " + names + ", but got '" + name + "'");
}

/// The random lengths of a batch: the same for a mask and for lengths, so that
/// two modules of one network see the same tokens.
static int64_t drawLength(const InputOptions &options, int64_t sequence,
                          int64_t seq) {
  if (!options.padding)
    return seq;
  return 1 + static_cast<int64_t>(
                 RandomStream(options.seed, "lengths").below(sequence, seq));
}

static Tensor drawInput(const std::vector<Signature> &inputs, size_t index,
                        int64_t batch, const InputOptions &options) {
  std::vector<int64_t> shape = inputs[index].shape;
  if (!shape.empty() && shape[0] < 0)
    shape[0] = batch;
  int64_t bytes = 0;
  if (!byteSizeOf(inputs[index].type, shape, bytes))
    userError("expects inputs of fewer than 2^63 bytes, but got " +
              formatType(inputs[index].type, shape));
  Tensor tensor(inputs[index].type, shape);
  int64_t count = tensor.elementCount();
  switch (kindOf(inputs[index])) {
  case InputKind::Activation: {
    RandomStream stream(options.seed, "input " + std::to_string(index));
    parallelRanges(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        tensor.set(i, stream.normal(static_cast<uint64_t>(i)));
    });
    break;
  }
  case InputKind::KeyMask: {
    int64_t seq = shape.size() > 1 ? shape[1] : 1;
    for (int64_t i = 0; i < count; ++i)
      tensor.set(i, i % seq < drawLength(options, i / seq, seq));
    break;
  }
  case InputKind::Lengths: {
    int64_t seq = 1; // of the first activations
    for (const Signature &other : inputs)
      if (kindOf(other) == InputKind::Activation && other.shape.size() > 1) {
        seq = other.shape[1];
        break;
      }
    for (int64_t i = 0; i < count; ++i)
      tensor.set(i, static_cast<double>(drawLength(options, i, seq)));
    break;
  }
  }
  return tensor;
}

std::vector<Tensor> hk::tools::makeInputs(const std::vector<Signature> &inputs,
                                          const InputOptions &options) {
  std::vector<Tensor> tensors(inputs.size());
  std::vector<bool> taken(inputs.size(), false);
  std::optional<int64_t> batch;
  std::string batchFrom;
  auto agree = [&](int64_t size, const std::string &from) {
    if (batch && *batch != size)
      userError("expects one batch for all inputs, but got " +
                std::to_string(*batch) + " from " + batchFrom + " and " +
                std::to_string(size) + " from " + from);
    batch = size;
    batchFrom = from;
  };

  for (const Signature &input : inputs)
    if (!input.shape.empty() && input.shape[0] >= 0)
      agree(input.shape[0], "the module");
  for (std::string argument : options.files) {
    size_t index = findInput(inputs, taken, argument);
    taken[index] = true;
    tensors[index] = readNpy(argument);
    if (!fits(inputs[index], tensors[index]))
      userError(argument + ": expects " +
                formatType(inputs[index].type, inputs[index].shape) + " for " +
                describe(inputs, index) + ", but got " +
                formatType(tensors[index].type(), tensors[index].shape()));
    if (!inputs[index].shape.empty())
      agree(tensors[index].shape()[0], argument);
  }
  if (options.batch)
    agree(*options.batch, "--batch");
  for (size_t index = 0; index < inputs.size(); ++index)
    if (!taken[index])
      tensors[index] = drawInput(inputs, index, batch.value_or(1), options);
  return tensors;
}

std::vector<int64_t>
hk::tools::validTokens(const std::vector<Signature> &signatures,
                       const std::vector<Tensor> &inputs) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    InputKind kind = kindOf(signatures[i]);
    if (kind == InputKind::Activation || inputs[i].shape().empty())
      continue;
    int64_t batch = inputs[i].shape()[0];
    int64_t width = batch ? inputs[i].elementCount() / batch : 0;
    counts.assign(static_cast<size_t>(batch), 0);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t j = 0; j < width; ++j)
        counts[b] += static_cast<int64_t>(inputs[i].at(b * width + j));
    break;
  }
  return counts;
}
