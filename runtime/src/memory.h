// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory from the system: mapped files, and page-aligned buffers.
#ifndef HK_RUNTIME_MEMORY_H
#define HK_RUNTIME_MEMORY_H

#include "status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace hk {

/// A range of mapped pages. Movable; unmapped when destroyed.
class Mapping {
public:
  Mapping() = default;
  Mapping(void *data, size_t size) : data_(data), size_(size) {}
  Mapping(Mapping &&other) noexcept { swap(other); }
  Mapping &operator=(Mapping &&other) noexcept {
    Mapping(std::move(other)).swap(*this);
    return *this;
  }
  ~Mapping();

  void swap(Mapping &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  uint8_t *data() const { return static_cast<uint8_t *>(data_); }
  size_t size() const { return size_; }

private:
  void *data_ = nullptr;
  size_t size_ = 0;
};

/// Zeroed, page-aligned, writable memory; huge pages where they help.
/// A size of 0 gives an empty mapping.
Status allocatePages(uint64_t size, Mapping &mapping);

/// A copy of `data` in pages that are executable and not writable.
Status copyExecutable(const void *data, size_t size, Mapping &mapping);

/// A regular file, mapped read-only; the descriptor stays open, so that parts
/// can be mapped again with other rights.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { *this = std::move(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~MappedFile();

  /// HK_NOT_FOUND or HK_ENVIRONMENT. Messages do not name the file. An empty
  /// file is mapped as nothing.
  static Status open(const char *path, MappedFile &file);

  const uint8_t *data() const { return mapping_.data(); }
  size_t size() const { return mapping_.size(); }

  /// Maps a page-aligned range as executable. Fails where the file system or a
  /// policy forbids it.
  Status mapExecutable(uint64_t offset, size_t size, Mapping &mapping) const;

private:
  Mapping mapping_;
  int descriptor_ = -1;
};

/// Bytes of physical memory; UINT64_MAX where it is not known.
uint64_t physicalMemory();

} // namespace hk

#endif // HK_RUNTIME_MEMORY_H
