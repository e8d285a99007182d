// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns know of the kernel that they convert: facts found before
// the conversion changes it, and the values that every part of it uses.

#ifndef HK_LIB_CONVERSION_TILETONVVM_KERNELINFO_H
#define HK_LIB_CONVERSION_TILETONVVM_KERNELINFO_H

#include "ChannelPlan.h"
#include "RegisterLayout.h"
#include "Target.h"
#include "hk/Dialect/Tile/RegisterSplit.h"

#include <map>
#include <vector>

namespace hk {

class KernelInfo {
public:
  /// Looks at the kernel; changes nothing.
  KernelInfo(tile::KernelOp kernel, const GPUTarget &target);

  /// Checks what the patterns take for granted; emits errors.
  mlir::LogicalResult verify();

  /// Computes the common values at the beginning of the kernel.
  void emitEntry();

  tile::KernelOp kernel;
  GPUTarget target;
  int64_t units, producers;
  /// Of every GPU that there is code for.
  static constexpr int64_t kRegistersOfSM = 65536;
  /// Where warps that copy give registers to those that compute: how, and for
  /// how many CTAs on an SM.
  struct Registers : tile::RegisterSplit {
    int64_t ctas;
  };
  std::optional<Registers> registers;
  /// The lanes of a row in the line layout.
  int64_t lineLanes = 32;

  /// The thread in the CTA, and the lane in its warp: i32.
  mlir::Value thread, lane;
  /// The warp in the CTA, the same register for all lanes: i32. Less than
  /// `units` in a consumer.
  mlir::Value warp;
  /// The lane row and column of each layout (RegisterLayout.h): i32.
  mlir::Value slabRow, slabColumn, strip16Column, strip32Column, lineRow,
      lineColumn;
  /// The address of dynamic shared memory: i32. None where the kernel has none.
  mlir::Value sharedBase;

  RegisterLayout layout(mlir::Type type) const {
    return RegisterLayout(mlir::cast<tile::FragType>(type), lineLanes);
  }
  mlir::Value laneRow(tile::FragType type) const {
    return type.isLine() ? lineRow : slabRow;
  }
  mlir::Value laneColumn(tile::FragType type) const {
    switch (type.getLayout()) {
    case tile::FragLayout::Slab:
      return slabColumn;
    case tile::FragLayout::Line:
      return lineColumn;
    case tile::FragLayout::Strip16:
      return strip16Column;
    case tile::FragLayout::Strip32:
      return strip32Column;
    }
    llvm_unreachable("all layouts are listed");
  }

  /// Whether the kernel may begin before the one in front of it has ended.
  bool waitsForGrid = false;

  /// Whether the argument that `op`, one of the operations that read global
  /// memory, reads from stays as it is while the kernel runs: nothing in it
  /// writes there, nor does a kernel that it waits for.
  bool isInvariant(mlir::Operation *op) const { return invariant.contains(op); }

  /// A number that divides the index operand in `position` of `op` always; 0 if
  /// the operand is 0.
  int64_t divisor(mlir::Operation *op, unsigned position) const {
    return divisors.lookup({op, position});
  }

  /// A value that depends on the lane alone, which `key` names: computed by
  /// `compute` once, at the beginning of the kernel.
  mlir::Value atEntry(Device &d, llvm::ArrayRef<int64_t> key,
                      llvm::function_ref<mlir::Value(Device &)> compute);

  /// The channels, and what is copied into them.
  ChannelPlan channels;

  /// An i1: whether this is the thread that makes bulk copies.
  mlir::Value isFirstProducer(Device &d) const;

private:
  mlir::DenseSet<mlir::Operation *> invariant;
  mlir::DenseMap<std::pair<mlir::Operation *, unsigned>, int64_t> divisors;
  bool usesShared = false;
  /// The last operation of the entry.
  mlir::Operation *entry = nullptr;
  std::map<std::vector<int64_t>, mlir::Value> entryValues;
};

/// The name of dynamic shared memory, a global of the module.
constexpr llvm::StringLiteral kSharedName = "hk_shared";

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_KERNELINFO_H
