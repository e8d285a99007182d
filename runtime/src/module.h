// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module file, mapped and verified: whatever its metadata says may be relied
// on. Immutable, but for the mapping of code, which is lazy and locked.
#ifndef HK_RUNTIME_MODULE_H
#define HK_RUNTIME_MODULE_H

#include "memory.h"
#include "module_format.h"
#include "status.h"

#include "module_generated.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hk {

class Module {
public:
  /// Messages name the file, or "module".
  static Status load(const char *path, std::shared_ptr<Module> &module);
  static Status loadMemory(const void *data, size_t size,
                           std::shared_ptr<Module> &module);

  const schema::Module &metadata() const { return *metadata_; }
  const std::string &name() const { return name_; }

  /// The bytes of a section, whose hash is checked at each call.
  Status readSection(uint32_t section, std::string_view &bytes) const;

  /// The code of a section, executable, mapped at the first call, which checks
  /// the section's hash. `fresh` is whether this was that call.
  Status mapCode(uint32_t section, const uint8_t *&code, bool &fresh) const;

private:
  Module() = default;
  Status verify();

  std::string name_;
  MappedFile file_;
  Mapping copy_; // of a module given in memory
  const uint8_t *data_ = nullptr;
  uint64_t size_ = 0;
  const schema::Module *metadata_ = nullptr;

  mutable std::mutex codeMutex_;
  mutable std::vector<Mapping> code_; // by section, empty until mapped
};

/// Where the metadata lies in the file.
struct MetadataRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Checks the header of a file of `size` bytes, and the metadata's hash.
Status checkHeader(const uint8_t *data, uint64_t size, MetadataRange &range);

} // namespace hk

#endif // HK_RUNTIME_MODULE_H
