// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named tensors: the content of checkpoints, or the caller's own.
#ifndef HK_RUNTIME_PARAMS_H
#define HK_RUNTIME_PARAMS_H

#include "memory.h"
#include "status.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hk {

struct ParamTensor {
  std::string key;
  hk_dtype dtype = HK_DTYPE_OTHER;
  const char *dtypeName = ""; // static
  std::vector<int64_t> shape;
  const void *data = nullptr;        // any alignment
  std::shared_ptr<const void> owner; // of the data; null where it is borrowed
};

class Params {
public:
  /// Adds the tensors of a safetensors file, all or none.
  Status addFile(const char *path);
  /// Adds one tensor; `tensor.data` is borrowed.
  Status add(ParamTensor tensor);

  size_t size() const { return tensors_.size(); }
  const ParamTensor &operator[](size_t index) const { return tensors_[index]; }
  /// nullptr where there is none.
  const ParamTensor *find(std::string_view key) const;

  /// Adds those of `others` that have one of these keys, with data that lives
  /// as long as this: what is borrowed is copied.
  Status keep(const Params &others, const std::vector<std::string_view> &keys);

private:
  std::deque<ParamTensor> tensors_; // keys are referred to: no moving
  std::unordered_map<std::string_view, const ParamTensor *> byKey_;
};

} // namespace hk

#endif // HK_RUNTIME_PARAMS_H
