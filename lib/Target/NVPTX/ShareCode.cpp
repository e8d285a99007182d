// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ShareCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace llvm;

SmallVector<size_t> hk::findSameCode(ArrayRef<Function *> kernels) {
  GlobalNumberState numbers;
  // The first kernels of each code, by its hash.
  DenseMap<uint64_t, SmallVector<size_t>> firsts;
  SmallVector<size_t> same;
  for (auto [index, kernel] : enumerate(kernels)) {
    SmallVector<size_t> &candidates = firsts[StructuralHash(*kernel)];
    auto first = find_if(candidates, [&, kernel = kernel](size_t other) {
      return FunctionComparator(kernels[other], kernel, &numbers).compare() ==
             0;
    });
    if (first == candidates.end()) {
      candidates.push_back(index);
      first = std::prev(candidates.end());
    }
    same.push_back(*first);
  }
  return same;
}
