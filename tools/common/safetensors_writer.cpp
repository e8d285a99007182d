// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/safetensors_writer.h"

#include "common/file.h"

#include <nlohmann/json.hpp>

using namespace hk::tools;

static const char *safetensorsName(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return "F64";
  case ElementType::F32:
    return "F32";
  case ElementType::F16:
    return "F16";
  case ElementType::BF16:
    return "BF16";
  case ElementType::I32:
    return "I32";
  case ElementType::I1:
    return "BOOL";
  }
  return "";
}

void hk::tools::writeSafetensors(
    const std::string &path, const std::vector<Parameter> &parameters,
    const std::function<Tensor(const Parameter &)> &make) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  int64_t offset = 0;
  for (const Parameter &parameter : parameters) {
    int64_t bytes = 0;
    if (!byteSizeOf(parameter.type, parameter.shape, bytes))
      throw std::bad_alloc();
    header[parameter.key] = {{"dtype", safetensorsName(parameter.type)},
                             {"shape", parameter.shape},
                             {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' '); // the data starts aligned
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = static_cast<uint8_t>(uint64_t{text.size()} >> (8 * i));
  OutputFile file(path);
  file.write(length, sizeof length);
  file.write(text);
  for (const Parameter &parameter : parameters) {
    Tensor tensor = make(parameter);
    file.write(tensor.data(), tensor.byteSize());
  }
  file.commit();
}
