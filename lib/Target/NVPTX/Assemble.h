// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From PTX to a cubin whose kernels have the registers that they need.

#ifndef HK_LIB_TARGET_NVPTX_ASSEMBLE_H
#define HK_LIB_TARGET_NVPTX_ASSEMBLE_H

#include "hk/Target/NVPTX/Ptxas.h"

#include <map>

namespace hk {

struct Arch;

/// What limits the CTAs of a kernel on a multiprocessor, beside registers.
struct EntryResources {
  /// In the PTX.
  std::string name;
  unsigned threads, shared;
};

struct Assembled {
  /// All kernels, as ptxas assembles them by itself.
  PtxasResult result;
  /// The kernels of `entries` that ptxas was told the CTAs of,
  std::map<std::string, unsigned> ctas;
  /// and these, assembled again. (All kernels again would take as long as the
  /// first time.)
  PtxasResult again;
};

/// Assembles `ptx` for `arch`. By itself ptxas gives a kernel the registers
/// that let some number of warps share a multiprocessor, and spills a few bytes
/// if that takes no more. A kernel of `entries` that it spills is assembled
/// again with `.minnctapersm`: all registers that leave it its CTAs; then those
/// of one CTA less, and so on until nothing is spilled. A kernel that spills
/// with the most registers that it can have stays as it was. The directives are
/// in `ptx` then: a driver that assembles it has the same need of them.
llvm::Expected<Assembled> assemble(llvm::StringRef ptxas, std::string &ptx,
                                   const Arch &arch,
                                   llvm::ArrayRef<EntryResources> entries);

} // namespace hk

#endif // HK_LIB_TARGET_NVPTX_ASSEMBLE_H
