// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assemble.h"

#include "hk/Target/NVPTX/Arch.h"
#include "hk/Target/NVPTX/Occupancy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace hk;
using namespace llvm;

/// Has `ctas` CTAs of the kernels share a multiprocessor.
static std::string addBounds(std::string ptx,
                             const std::map<std::string, unsigned> &ctas) {
  for (const auto &[name, number] : ctas) {
    size_t entry = ptx.find(".entry " + name + "(");
    size_t threads = ptx.find("\n.reqntid ", entry);
    assert(entry != std::string::npos && threads != std::string::npos);
    ptx.insert(ptx.find('\n', threads + 1) + 1,
               ".minnctapersm " + std::to_string(number) + "\n");
  }
  return ptx;
}

/// The most CTAs, `ctas` at most, that leave a thread more than `registers`; 0
/// where it has them all.
static unsigned findRoomier(const EntryResources &entry, unsigned ctas,
                            unsigned registers) {
  while (ctas > 0 && getRegisterLimit(entry.threads, ctas) <= registers)
    --ctas;
  return ctas;
}

Expected<Assembled> hk::assemble(StringRef ptxas, std::string &ptx,
                                 const Arch &arch,
                                 ArrayRef<EntryResources> entries) {
  auto first = runPtxas(ptxas, ptx, arch.name);
  if (!first)
    return first.takeError();
  Assembled assembled{std::move(*first), {}, {}};

  // Kernels that spill, and the CTAs that are tried next.
  std::map<std::string, unsigned> next;
  auto find = [&](StringRef name) {
    return find_if(entries, [&](auto &entry) { return entry.name == name; });
  };
  for (const KernelUsage &usage : readPtxasLog(assembled.result.log))
    if (auto *entry = find(usage.kernel);
        usage.spills() && entry != entries.end())
      next[usage.kernel] =
          std::max(1u, getResidentCTAs(arch, entry->threads, entry->shared,
                                       usage.registers));
  while (!next.empty()) {
    SmallVector<std::string> names;
    for (const auto &[name, ctas] : next)
      names.push_back(name);
    auto trial = runPtxas(ptxas, addBounds(ptx, next), arch.name, names);
    if (!trial)
      return trial.takeError();
    std::map<std::string, unsigned> tried;
    std::swap(tried, next);
    for (const KernelUsage &usage : readPtxasLog(trial->log)) {
      auto it = tried.find(usage.kernel);
      if (it == tried.end())
        continue;
      auto [name, ctas] = *it;
      if (!usage.spills()) {
        assembled.ctas[name] = ctas;
        continue;
      }
      const EntryResources &entry = *find(name);
      ctas = findRoomier(entry, ctas, getRegisterLimit(entry.threads, ctas));
      if (ctas > 0)
        next[name] = ctas;
    }
  }
  if (assembled.ctas.empty())
    return assembled;
  ptx = addBounds(std::move(ptx), assembled.ctas);
  SmallVector<std::string> names;
  for (const auto &[name, ctas] : assembled.ctas)
    names.push_back(name);
  auto last = runPtxas(ptxas, ptx, arch.name, names);
  if (!last)
    return last.takeError();
  assembled.again = std::move(*last);
  return assembled;
}
