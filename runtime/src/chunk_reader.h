// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of much of a device's memory: in chunks through staging memory, the
// next one on its way while the last one is looked at.
#ifndef HK_RUNTIME_CHUNK_READER_H
#define HK_RUNTIME_CHUNK_READER_H

#include "device.h"

namespace hk {

class ChunkReader {
public:
  /// Bytes of a chunk, a multiple of every element.
  static constexpr uint64_t kChunk = uint64_t(8) << 20;

  /// Reads in the order of the stream. The device is entered while this lives.
  ChunkReader(Device &device, void *stream)
      : device_(device), stream_(stream) {}
  ChunkReader(const ChunkReader &) = delete;
  ~ChunkReader();

  /// Begins with another range, from its first chunk.
  Status start(const uint8_t *source, uint64_t size);
  /// The next chunk, which stays until the one after it is asked for. At the
  /// end the size is 0.
  Status next(const uint8_t *&bytes, uint64_t &size);

private:
  struct Buffer {
    void *memory = nullptr;
    uint64_t capacity = 0;
    std::unique_ptr<Event> arrived;
  };

  Status reserve(Buffer &buffer, uint64_t size);
  /// Starts to copy the chunk at `position_`.
  Status copy();
  /// Waits for what is on its way.
  Status settle();

  Device &device_;
  void *stream_;
  Buffer buffers_[2];
  const uint8_t *source_ = nullptr;
  uint64_t size_ = 0;
  uint64_t position_ = 0; // of what was not asked for yet
  unsigned turn_ = 0;     // the buffer that is copied to next
  uint64_t onItsWay_ = 0; // bytes that come to the other one
};

} // namespace hk

#endif // HK_RUNTIME_CHUNK_READER_H
