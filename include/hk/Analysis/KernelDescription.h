// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations, as one kernel with a schedule, ask of a GPU.

#ifndef HK_ANALYSIS_KERNELDESCRIPTION_H
#define HK_ANALYSIS_KERNELDESCRIPTION_H

#include "hk/Analysis/CUDASchedule.h"
#include "hk/Analysis/CostModel.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "llvm/ADT/DenseSet.h"

namespace hk {

/// The bytes of an operand of the matrix units in registers.
int64_t getOperandBytes(Operands operands);

/// Operations, in order, that are or could be one kernel: the body of a
/// `hk.kernel`, or a run of operations of a network that is not cut yet. Views
/// (hk.split) may be among them or not; what is not an operation on activations
/// is passed over.
class KernelDescription {
public:
  /// With a dynamic batch, a schedule is made for `batch` sequences. Values
  /// that cross kernels of a network that is not cut yet are taken to be f16
  /// where hk-narrow will store them so.
  KernelDescription(mlir::ArrayRef<mlir::Operation *> ops, Operands operands,
                    int64_t batch);

  /// What the rules of schedules need to know.
  const CUDAKernelShape &getShape() const { return shape; }
  /// The sequences that it is described for.
  int64_t getBatch() const { return batch; }

  /// Why code generation would refuse the schedule whatever the device is, or
  /// an empty string.
  std::string whyRefused(const CUDASchedule &schedule) const;

  /// What the kernel asks of the device. Registers and shared memory are
  /// estimates; whether they fit is for predictCost to say.
  KernelWork getWork(const CUDASchedule &schedule, const Device &device) const;

private:
  /// How a linear operation gets its input.
  enum class Input {
    /// Loaded: computed element by element from values from outside.
    Memory,
    /// All features are in registers.
    Rows,
    /// A block of features at a time, where it is used.
    Blocks
  };
  struct Linear {
    int64_t features, depth;
    Input input;
    /// All features are summed up over blocks of the input.
    bool sums;
    bool hasBias;
    /// Bytes of a row of the input, as it is loaded.
    int64_t rowBytes;
  };
  struct Attention {
    int64_t heads, kvHeads, headDim;
    bool isCausal;
    int64_t queryBytes, elementBytes;
    /// The kernel computes keys or values.
    bool isProjected;
    /// Whether something is not seen by every query.
    bool hides;
  };

  bool isInside(mlir::Value value) const;
  bool isMemory(mlir::Value value) const;
  bool isUsedOutside(mlir::Value value) const;
  bool isReadByNorm(mlir::Value value) const;
  Input getInput(mlir::Value value) const;
  int64_t getLoadedBytes(mlir::Value value) const;
  void addLoaded(mlir::Value value, llvm::SmallDenseSet<mlir::Value> &seen);
  int64_t getCrossingBytes(mlir::Value value) const;
  void addOperation(mlir::Operation *op);
  void addElementwise(mlir::Operation *op);
  void setShape(mlir::ArrayRef<mlir::Operation *> ops);

  int64_t getTileBytes(const Linear &linear, const CUDASchedule &s) const;
  bool hasWholeInput(const Linear &linear, const CUDASchedule &s) const;
  int64_t getRegisters(const CUDASchedule &s) const;
  int64_t getShared(const CUDASchedule &s) const;
  /// The registers of a thread for the query of a head, in a kernel that is one
  /// attention.
  int64_t getQueryRegisters(const CUDASchedule &s) const;
  /// True if these are too many with the others of `work`: then units read
  /// their queries from shared memory.
  bool isQueryPublished(const CUDASchedule &s, const KernelWork &work,
                        const Device &device) const;
  /// True if producers bring the query, which they do while the head before is
  /// computed.
  bool isQueryStaged(const CUDASchedule &s) const;

  // ProjectionWork.cpp
  /// What a CTA of a Projection kernel does.
  struct Projection;
  bool isProjection(mlir::ArrayRef<mlir::Operation *> ops) const;
  Projection getProjection(const CUDASchedule &s) const;
  std::string whyProjectionRefused(const CUDASchedule &s) const;
  int64_t getProjectionRegisters(const CUDASchedule &s) const;
  int64_t getProjectionShared(const CUDASchedule &s) const;
  KernelWork getProjectionWork(const CUDASchedule &s,
                               const Device &device) const;

  Operands operands;
  int64_t batch;
  CUDAKernelShape shape;
  llvm::SmallDenseSet<mlir::Operation *, 16> inside;
  /// A view among the operations leaves them (for a loop, say), so that the
  /// kernel stores it.
  bool storesView = false;

  llvm::SmallVector<Linear, 4> linears;
  llvm::SmallVector<Attention, 1> attentions;
  /// The registers of values that stay, of a warp with 16 rows.
  int64_t resident = 0;
  /// Features of the widest row that must be in registers whole.
  int64_t widest = 0;
  /// For each row: instructions of a thread and special functions of what is
  /// done element by element, and bytes that are loaded and stored beside the
  /// inputs of linear operations and attention.
  double instructions = 0, mufu = 0;
  int64_t loaded = 0, stored = 0;
  /// Operations that load, and reductions of rows.
  int64_t loads = 0, reductions = 0;
  /// Bytes of a row of each value from outside, once.
  int64_t touched = 0;
};

} // namespace hk

#endif // HK_ANALYSIS_KERNELDESCRIPTION_H
