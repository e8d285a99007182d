// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace hk {
namespace {

std::string systemMessage(int code) {
  return std::generic_category().message(code);
}

constexpr uint64_t kHugePage = 2u << 20;

} // namespace

Mapping::~Mapping() {
  if (data_)
    munmap(data_, size_);
}

Status allocatePages(uint64_t size, Mapping &mapping) {
  mapping = Mapping();
  if (size == 0)
    return Status();
  if (size > SIZE_MAX)
    return error(HK_OUT_OF_MEMORY, "cannot allocate ", size, " bytes");
  void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return error(HK_OUT_OF_MEMORY, "cannot allocate ", size,
                 " bytes: ", systemMessage(errno));
  if (size >= kHugePage)
    (void)madvise(data, size, MADV_HUGEPAGE);
  mapping = Mapping(data, size);
  return Status();
}

Status copyExecutable(const void *data, size_t size, Mapping &mapping) {
  HK_TRY(allocatePages(size, mapping));
  std::memcpy(mapping.data(), data, size);
  if (mprotect(mapping.data(), size, PROT_READ | PROT_EXEC) != 0)
    return error(HK_ENVIRONMENT,
                 "cannot make memory executable: ", systemMessage(errno));
  return Status();
}

MappedFile::~MappedFile() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

Status MappedFile::open(const char *path, MappedFile &file) {
  MappedFile opened;
  opened.descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened.descriptor_ < 0) {
    hk_code code =
        errno == ENOENT || errno == ENOTDIR ? HK_NOT_FOUND : HK_ENVIRONMENT;
    return error(code, "cannot open the file: ", systemMessage(errno));
  }
  struct stat info;
  if (fstat(opened.descriptor_, &info) != 0)
    return error(HK_ENVIRONMENT,
                 "cannot read the file's size: ", systemMessage(errno));
  if (!S_ISREG(info.st_mode))
    return error(HK_ENVIRONMENT, "expects a regular file, but got ",
                 S_ISDIR(info.st_mode) ? "a directory" : "a special file");
  size_t size = static_cast<size_t>(info.st_size);
  if (size > 0) {
    void *data =
        mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.descriptor_, 0);
    if (data == MAP_FAILED)
      return error(HK_ENVIRONMENT,
                   "cannot map the file: ", systemMessage(errno));
    opened.mapping_ = Mapping(data, size);
  }
  file = std::move(opened);
  return Status();
}

Status MappedFile::mapExecutable(uint64_t offset, size_t size,
                                 Mapping &mapping) const {
  void *data = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE,
                    descriptor_, static_cast<off_t>(offset));
  if (data == MAP_FAILED)
    return error(HK_ENVIRONMENT,
                 "cannot map code from the file: ", systemMessage(errno));
  mapping = Mapping(data, size);
  return Status();
}

uint64_t physicalMemory() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0)
    return UINT64_MAX;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(size);
}

} // namespace hk
