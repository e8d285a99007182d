// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chunk_reader.h"

#include <algorithm>

namespace hk {

ChunkReader::~ChunkReader() {
  (void)settle();
  for (Buffer &buffer : buffers_)
    if (buffer.memory)
      (void)device_.freeStaging(buffer.memory);
}

Status ChunkReader::reserve(Buffer &buffer, uint64_t size) {
  if (!buffer.arrived)
    HK_TRY(device_.createEvent(buffer.arrived));
  if (buffer.capacity >= size)
    return Status();
  if (buffer.memory)
    HK_TRY(device_.freeStaging(std::exchange(buffer.memory, nullptr)));
  buffer.capacity = 0;
  HK_TRY(device_.allocateStaging(size, buffer.memory));
  buffer.capacity = size;
  return Status();
}

Status ChunkReader::copy() {
  const uint64_t size = std::min(kChunk, size_ - position_);
  if (size == 0)
    return Status();
  Buffer &buffer = buffers_[turn_];
  HK_TRY(reserve(buffer, size));
  HK_TRY(device_.startRead(buffer.memory, source_ + position_, size, stream_));
  onItsWay_ = size;
  HK_TRY(buffer.arrived->record(stream_));
  position_ += size;
  turn_ ^= 1;
  return Status();
}

Status ChunkReader::settle() {
  if (std::exchange(onItsWay_, 0) == 0)
    return Status();
  return device_.synchronize(stream_);
}

Status ChunkReader::start(const uint8_t *source, uint64_t size) {
  HK_TRY(settle());
  source_ = source;
  size_ = size;
  position_ = 0;
  return copy();
}

Status ChunkReader::next(const uint8_t *&bytes, uint64_t &size) {
  size = std::exchange(onItsWay_, 0);
  if (size == 0)
    return Status();
  Buffer &buffer = buffers_[turn_ ^ 1];
  bytes = static_cast<const uint8_t *>(buffer.memory);
  // Only now: what it overwrites was looked at until this call.
  HK_TRY(copy());
  return buffer.arrived->wait();
}

} // namespace hk
