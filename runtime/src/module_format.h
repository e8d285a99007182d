// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed header of a module file (.hkm), shared by the compiler's writer
// and the runtime's reader:
//
//   FileHeader (64 bytes) | FlatBuffers metadata | sections, page-aligned
//
// All integers are little endian. The metadata starts at a multiple of 64,
// each section at a multiple of kPageSize, so that both can be used where the
// file is mapped. Gaps are zero.
#ifndef HK_MODULE_FORMAT_H
#define HK_MODULE_FORMAT_H

#include <cstdint>

namespace hk {
namespace format {

constexpr char kMagic[8] = {'H', 'K', 'M', 'O', 'D', 'U', 'L', 'E'};

/// A reader accepts files of its own major version, and of any minor version:
/// a minor version only appends fields that a reader may ignore.
constexpr uint32_t kVersionMajor = 2;
constexpr uint32_t kVersionMinor = 0;

constexpr uint64_t kPageSize = 4096;
constexpr uint64_t kHeaderSize = 64;
constexpr uint64_t kMetadataAlignment = 64;

/// Alignment of packed values, of the strides between their layers, and of
/// buffers in the workspace.
constexpr uint64_t kBufferAlignment = 64;

struct FileHeader {
  char magic[8];
  uint32_t versionMajor;
  uint32_t versionMinor;
  uint64_t metadataOffset;
  uint64_t metadataSize;
  uint64_t fileSize;
  uint64_t metadataHash; // XXH3 64 (seed 0) of the metadata's bytes
  uint8_t padding[16];   // zero
};

static_assert(sizeof(FileHeader) == kHeaderSize, "the header is 64 bytes");

} // namespace format
} // namespace hk

#endif // HK_MODULE_FORMAT_H
