// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/NVPTX/Ptxas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace hk;
using namespace llvm;

/// The number in front of `unit` in a list such as "0 bytes stack frame, 16
/// bytes spill stores", or 0.
static unsigned numberBefore(StringRef line, StringRef unit) {
  unsigned number = 0;
  line.take_front(line.find(unit))
      .rtrim()
      .rsplit(' ')
      .second.getAsInteger(10, number);
  return number;
}

/// The last text in quotes.
static StringRef lastQuoted(StringRef line) {
  return line.rsplit('\'').first.rsplit('\'').second;
}

std::vector<KernelUsage> hk::readPtxasLog(StringRef log) {
  std::vector<KernelUsage> kernels;
  // Lines on registers and spills are of the function named last.
  KernelUsage *current = nullptr;
  std::vector<std::pair<std::string, std::string>> advice;
  SmallVector<StringRef> lines;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto find = [&](StringRef name) -> KernelUsage * {
    auto it = find_if(kernels,
                      [&](const KernelUsage &k) { return k.kernel == name; });
    return it == kernels.end() ? nullptr : &*it;
  };
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      kernels.emplace_back().kernel =
          line.split('\'').second.split('\'').first.str();
      current = &kernels.back();
    } else if (auto [before, name] = line.split("Function properties for ");
               !name.empty()) {
      current = find(name.trim());
    } else if (size_t begin = line.find("(C"); begin != StringRef::npos) {
      advice.emplace_back(lastQuoted(line), line.substr(begin).trim());
    } else if (current && line.contains(" bytes stack frame")) {
      current->stack = numberBefore(line, "bytes stack frame");
      current->spillStores = numberBefore(line, "bytes spill stores");
      current->spillLoads = numberBefore(line, "bytes spill loads");
    } else if (current && line.contains("Used ") &&
               line.contains(" registers")) {
      current->registers = numberBefore(line, "registers");
    }
  }
  // A message can stand in front of the kernel that it is about.
  for (auto &[name, text] : advice)
    if (KernelUsage *kernel = find(name))
      kernel->advice.push_back(text);
  return kernels;
}
