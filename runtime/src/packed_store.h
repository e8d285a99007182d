// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed values on a device, shared by the plans that read them, and freed with
// the last of these.
#ifndef HK_RUNTIME_PACKED_STORE_H
#define HK_RUNTIME_PACKED_STORE_H

#include "context.h"
#include "packing.h"

#include <memory>
#include <vector>

namespace hk {

/// A packed value, all its layers, in the device's memory.
class PackedValue {
public:
  /// Where it lies, at `layer` (any number where it has no layers).
  const uint8_t *at(int32_t layer) const;
  uint64_t bytes() const;

private:
  friend class PackedStore;
  const schema::Packed *packed_ = nullptr;
  const uint8_t *base_ = nullptr;
  std::shared_ptr<const Mapping> host_; // of all that were packed together
  DeviceBuffer device_;                 // of this one alone
};

/// Not thread-safe.
class PackedStore {
public:
  PackedStore(Context &context, const Module &module);

  /// The values of these indices, in their order (each at most once): those
  /// that are in use, and the others packed now. The device is entered. Errors
  /// as packValues, or of the device.
  Status get(const std::vector<uint32_t> &indices, const Params *params,
             uint64_t memoryLimit,
             std::vector<std::shared_ptr<const PackedValue>> &values);

private:
  Context &context_;
  const Module &module_;
  std::vector<std::weak_ptr<const PackedValue>> values_; // of Module.packed
};

} // namespace hk

#endif // HK_RUNTIME_PACKED_STORE_H
