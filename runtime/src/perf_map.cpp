// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perf_map.h"

#include "module_check.h"

#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace hk {

void writePerfMap(const schema::Module &module, uint32_t section,
                  const uint8_t *code) {
  std::map<uint64_t, std::string> entries; // by offset
  for (const schema::Executable *executable : *module.executables())
    for (const schema::Variant *variant : *executable->variants())
      if (variant->section() == section &&
          variant->target() == schema::Target::Cpu)
        entries[variant->entry()] =
            concat("hk:", printable(view(executable->name())), ".",
                   printable(view(variant->isa())));
  if (entries.empty())
    return;

  const std::string path = concat("/tmp/perf-", getpid(), ".map");
  // Others may write to /tmp: do not follow a link that waits there.
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
           0644);
  if (descriptor < 0)
    return;
  FILE *file = fdopen(descriptor, "a");
  if (!file) {
    close(descriptor);
    return;
  }
  const uint64_t size = module.sections()->Get(section)->size();
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    const auto next = std::next(entry);
    const uint64_t end = next == entries.end() ? size : next->first;
    std::fprintf(file, "%" PRIxPTR " %" PRIx64 " %s\n",
                 reinterpret_cast<uintptr_t>(code) + entry->first,
                 end - entry->first, entry->second.c_str());
  }
  std::fclose(file);
}

} // namespace hk
