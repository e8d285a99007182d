// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds runs of isomorphic layers in a block of operations.

#ifndef HK_ANALYSIS_ISOMORPHICLAYERS_H
#define HK_ANALYSIS_ISOMORPHICLAYERS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace hk {

/// What one operand of one operation is, the same in every layer of a run.
struct LayerOperand {
  enum Kind {
    Inner,     ///< Result `result` of operation `index` of the same layer.
    Carried,   ///< What the layer before hands over in slot `index`.
    Outer,     ///< A value from before the run, or an equal constant.
    Tied,      ///< A parameter whose key is the same in all layers.
    Parameter, ///< A parameter with the number of the layer in its key.
  };
  Kind kind = Outer;
  unsigned index = 0;
  unsigned result = 0;
  /// The key of a `Parameter`, with "{}" for the number of the layer.
  std::string key;
};

/// A value that a layer hands to the next one: what a loop over the layers
/// carries.
struct LayerSlot {
  /// The producer: its index in the layer, and which of its results.
  unsigned op = 0, result = 0;
  /// What the first layer has in its place.
  mlir::Value init;
  /// The operand that reads it: its operation's index in the layer, and which
  /// operand.
  unsigned userOp = 0, userOperand = 0;
};

/// A run of isomorphic layers.
struct LayerRun {
  /// The operations of the run are begin, begin + 1, .. of the sequence, and
  /// there are `layers` times `period` of them.
  unsigned begin = 0, period = 0, layers = 0;
  /// The number of the first layer in the keys of its parameters; 0 where all
  /// parameters are tied.
  int64_t firstNumber = 0;
  /// The operands of each operation of one layer.
  llvm::SmallVector<llvm::SmallVector<LayerOperand>> operands;
  llvm::SmallVector<LayerSlot> slots;

  unsigned end() const { return begin + period * layers; }
};

/// Why operations that look like a layer are not one.
struct LayerMismatch {
  mlir::Location loc;
  std::string message;
};

/// The operations of a block, numbered so that equal numbers mean equal
/// operations but for what their operands are. Parameters and constants,
/// which can stand anywhere, are left out, and so is the terminator.
class LayerSequence {
public:
  explicit LayerSequence(mlir::Block &block);

  /// The run of isomorphic layers that covers most operations. Adds to
  /// `mismatches` why layers next to it, or all candidates if there is no run,
  /// are not part of one.
  std::optional<LayerRun>
  findLongestRun(llvm::SmallVectorImpl<LayerMismatch> &mismatches) const;

  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }

  /// The position in the sequence of the operation that defines a value, if
  /// it is in the sequence.
  std::optional<unsigned> getPosition(mlir::Value value) const;

private:
  /// A stretch of the sequence whose signatures repeat with a period.
  struct Candidate {
    unsigned period, begin, length;
    unsigned covered() const { return length / period * period; }
  };
  /// What came of matching the layers of one candidate in one rotation.
  struct Attempt {
    std::optional<LayerRun> run;
    llvm::SmallVector<LayerMismatch> mismatches;
    /// How many operations matched before the first mismatch.
    unsigned progress = 0;
  };

  void number();
  llvm::SmallVector<Candidate> findCandidates() const;
  Attempt attempt(unsigned begin, unsigned period, unsigned layers) const;
  LayerRun grow(unsigned begin, unsigned period, unsigned limit,
                std::optional<LayerMismatch> &mismatch,
                unsigned &matched) const;
  std::optional<std::string> matchSecond(LayerRun &run,
                                         std::optional<int64_t> &number,
                                         unsigned op, unsigned operand) const;
  std::optional<std::string> matchNext(const LayerRun &run, unsigned layer,
                                       unsigned op, unsigned operand) const;
  void splitAtEscapes(const LayerRun &run, Attempt &attempt) const;
  void explainNeighbours(const LayerRun &run,
                         llvm::SmallVectorImpl<LayerMismatch> &out) const;
  void explainNeighbour(const LayerRun &run, bool after,
                        llvm::SmallVectorImpl<LayerMismatch> &out) const;

  mlir::Block &block;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<unsigned> signatures;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
};

} // namespace hk

#endif // HK_ANALYSIS_ISOMORPHICLAYERS_H
