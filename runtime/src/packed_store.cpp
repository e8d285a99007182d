// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packed_store.h"

#include "module_check.h"

namespace hk {

const uint8_t *PackedValue::at(int32_t layer) const {
  return base_ + layerOffset(*packed_, layer);
}

uint64_t PackedValue::bytes() const { return bytesOf(*packed_); }

PackedStore::PackedStore(Context &context, const Module &module)
    : context_(context), module_(module),
      values_(module.metadata().packed()->size()) {}

Status
PackedStore::get(const std::vector<uint32_t> &indices, const Params *params,
                 uint64_t memoryLimit,
                 std::vector<std::shared_ptr<const PackedValue>> &values) {
  values.clear();
  std::vector<uint32_t> absent;
  for (uint32_t index : indices) {
    values.push_back(values_[index].lock());
    if (!values.back())
      absent.push_back(index);
  }
  const schema::Module &module = module_.metadata();
  PackedValues packed;
  HK_TRY(packValues(module, absent, params, context_.workers(), memoryLimit,
                    packed)
             .in(module_.name()));
  const auto host = std::make_shared<Mapping>(std::move(packed.buffer));
  Device &device = context_.device();
  for (size_t i = 0; i < indices.size(); ++i) {
    if (values[i])
      continue;
    auto value = std::make_shared<PackedValue>();
    value->packed_ = module.packed()->Get(indices[i]);
    value->base_ = host->data() + packed.offsets[indices[i]];
    if (device.inHostMemory()) {
      value->host_ = host;
    } else {
      auto upload = [&] {
        HK_TRY(value->device_.allocate(device, value->bytes()));
        return device.write(value->device_.data(), value->base_,
                            value->bytes());
      };
      HK_TRY(upload().in(concat(module_.name(), ": packed parameters '",
                                printable(view(value->packed_->name())), "'")));
      value->base_ = value->device_.data();
    }
    values_[indices[i]] = value;
    values[i] = std::move(value);
  }
  return Status();
}

} // namespace hk
