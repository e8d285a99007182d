// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "params.h"

#include "safetensors.h"

#include <cstring>

namespace hk {

Status Params::addFile(const char *path) {
  auto file = std::make_shared<MappedFile>();
  HK_TRY(MappedFile::open(path, *file).in(path));
  std::vector<ParamTensor> tensors;
  HK_TRY(parseSafetensors(file->data(), file->size(), tensors).in(path));
  for (const ParamTensor &tensor : tensors)
    if (find(tensor.key))
      return invalidArgument(path, ": expects keys that are new, but got '",
                             printable(tensor.key), "' again");
  for (ParamTensor &tensor : tensors) {
    tensor.owner = file;
    HK_TRY(add(std::move(tensor)));
  }
  return Status();
}

Status Params::add(ParamTensor tensor) {
  if (find(tensor.key))
    return invalidArgument("expects keys that are new, but got '",
                           printable(tensor.key), "' again");
  tensors_.push_back(std::move(tensor));
  byKey_.emplace(tensors_.back().key, &tensors_.back());
  return Status();
}

const ParamTensor *Params::find(std::string_view key) const {
  auto found = byKey_.find(key);
  return found == byKey_.end() ? nullptr : found->second;
}

Status Params::keep(const Params &others,
                    const std::vector<std::string_view> &keys) {
  for (std::string_view key : keys) {
    const ParamTensor *found = others.find(key);
    if (!found)
      continue;
    ParamTensor kept = *found;
    if (!kept.owner) {
      size_t bytes = hk_dtype_size(kept.dtype);
      for (int64_t size : kept.shape)
        bytes *= static_cast<size_t>(size);
      const auto copy = std::make_shared<std::vector<uint8_t>>(bytes);
      if (bytes > 0)
        std::memcpy(copy->data(), kept.data, bytes);
      kept.data = copy->data();
      kept.owner = copy;
    }
    HK_TRY(add(std::move(kept)));
  }
  return Status();
}

} // namespace hk
