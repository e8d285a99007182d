// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module.h"

#include "checked.h"
#include "hash.h"
#include "module_check.h"

#include <algorithm>
#include <cstring>

namespace hk {
namespace {

/// Bounds on the metadata that the FlatBuffers verifier walks.
constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxTables = 4u << 20;

std::string version(uint32_t major, uint32_t minor) {
  return concat(major, ".", minor);
}

} // namespace

Status checkHeader(const uint8_t *data, uint64_t size, MetadataRange &range) {
  using namespace format;
  const uint64_t prefix = std::min<uint64_t>(size, sizeof(kMagic));
  if (size == 0)
    return malformed("expects a module file, but got an empty file");
  if (std::memcmp(data, kMagic, prefix) != 0)
    return malformed("expects a module file (magic '",
                     std::string_view(kMagic, sizeof(kMagic)), "'), but got '",
                     printable({reinterpret_cast<const char *>(data), prefix}),
                     "'");
  if (size < kHeaderSize)
    return malformed("expects a header of ", kHeaderSize,
                     " bytes, but got a file of ", size,
                     "; the file is truncated");
  FileHeader header;
  std::memcpy(&header, data, sizeof(header));
  if (header.versionMajor != kVersionMajor)
    return error(HK_UNSUPPORTED, "expects module format version ",
                 version(kVersionMajor, kVersionMinor), ", but got version ",
                 version(header.versionMajor, header.versionMinor),
                 header.versionMajor > kVersionMajor
                     ? "; use a newer runtime, or compile with an older hk"
                     : "; compile the module again");
  if (header.fileSize != size)
    return malformed("expects a file of ", header.fileSize, " bytes, but got ",
                     size,
                     size < header.fileSize ? "; the file is truncated" : "");
  uint64_t end;
  if (header.metadataOffset < kHeaderSize ||
      header.metadataOffset % kMetadataAlignment != 0 ||
      !add(header.metadataOffset, header.metadataSize, end) || end > size)
    return malformed("expects metadata inside the file at a multiple of ",
                     kMetadataAlignment, ", but got offset ",
                     header.metadataOffset, " and size ", header.metadataSize,
                     " in a file of ", size, " bytes");
  for (uint8_t byte : header.padding)
    if (byte != 0)
      return malformed("expects zeros at the end of the header, but got ",
                       static_cast<unsigned>(byte));
  const uint64_t hash =
      hashBytes(data + header.metadataOffset, header.metadataSize);
  if (hash != header.metadataHash)
    return malformed("expects metadata with hash ",
                     hexString(header.metadataHash), ", but got ",
                     hexString(hash), "; the file is damaged");
  range = {header.metadataOffset, header.metadataSize};
  return Status();
}

Status Module::verify() {
  MetadataRange range;
  HK_TRY(checkHeader(data_, size_, range));
  // FlatBuffers offsets are 32 bits wide.
  if (range.size < 16 || range.size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return malformed("expects metadata of 16 bytes to 2 GB, but got ",
                     range.size, " bytes");
  const uint8_t *metadata = data_ + range.offset;
  if (!schema::ModuleBufferHasIdentifier(metadata))
    return malformed(
        "expects metadata with identifier '", schema::ModuleIdentifier(),
        "', but got '",
        printable({reinterpret_cast<const char *>(metadata) + 4, 4}), "'");
  flatbuffers::Verifier verifier(metadata, range.size, kMaxDepth, kMaxTables);
  if (!schema::VerifyModuleBuffer(verifier))
    return malformed("expects well-formed FlatBuffers metadata, but got "
                     "offsets or sizes out of bounds");
  metadata_ = schema::GetModule(metadata);
  HK_TRY(checkModule(*metadata_, size_, range));
  code_.resize(metadata_->sections()->size());
  return Status();
}

Status Module::load(const char *path, std::shared_ptr<Module> &module) {
  std::shared_ptr<Module> loaded(new Module);
  loaded->name_ = path;
  HK_TRY(MappedFile::open(path, loaded->file_).in(path));
  loaded->data_ = loaded->file_.data();
  loaded->size_ = loaded->file_.size();
  HK_TRY(loaded->verify().in(path));
  module = std::move(loaded);
  return Status();
}

Status Module::loadMemory(const void *data, size_t size,
                          std::shared_ptr<Module> &module) {
  std::shared_ptr<Module> loaded(new Module);
  loaded->name_ = "module";
  HK_TRY(allocatePages(size, loaded->copy_).in("module"));
  if (size > 0)
    std::memcpy(loaded->copy_.data(), data, size);
  loaded->data_ = loaded->copy_.data();
  loaded->size_ = size;
  HK_TRY(loaded->verify().in("module"));
  module = std::move(loaded);
  return Status();
}

Status Module::readSection(uint32_t section, std::string_view &bytes) const {
  const schema::Section &entry = *metadata_->sections()->Get(section);
  const uint8_t *data = data_ + entry.offset();
  const uint64_t hash = hashBytes(data, entry.size());
  if (hash != entry.hash())
    return malformed(name_, ": expects section ", section, " with hash ",
                     hexString(entry.hash()), ", but got ", hexString(hash),
                     "; the file is damaged");
  bytes = {reinterpret_cast<const char *>(data), entry.size()};
  return Status();
}

Status Module::mapCode(uint32_t section, const uint8_t *&code,
                       bool &fresh) const {
  std::lock_guard<std::mutex> lock(codeMutex_);
  Mapping &mapping = code_[section];
  fresh = mapping.data() == nullptr;
  if (fresh) {
    const schema::Section &entry = *metadata_->sections()->Get(section);
    std::string_view bytes;
    HK_TRY(readSection(section, bytes));
    // A file system mounted noexec, or a page size other than the format's,
    // leaves the copy.
    const bool mapped =
        !copy_.data() &&
        file_.mapExecutable(entry.offset(), entry.size(), mapping).ok();
    if (!mapped)
      HK_TRY(copyExecutable(bytes.data(), bytes.size(), mapping).in(name_));
  }
  code = mapping.data();
  return Status();
}

} // namespace hk
