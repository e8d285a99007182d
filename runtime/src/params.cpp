// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "params.h"

#include "safetensors.h"

namespace hk {

Status Params::addFile(const char *path) {
  MappedFile file;
  HK_TRY(MappedFile::open(path, file).in(path));
  std::vector<ParamTensor> tensors;
  HK_TRY(parseSafetensors(file.data(), file.size(), tensors).in(path));
  for (const ParamTensor &tensor : tensors)
    if (find(tensor.key))
      return invalidArgument(path, ": expects keys that are new, but got '",
                             printable(tensor.key), "' again");
  files_.push_back(std::move(file));
  for (ParamTensor &tensor : tensors)
    HK_TRY(add(std::move(tensor)));
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

} // namespace hk
