// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/CutPolicy.h"

#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hk;

CutPolicy::~CutPolicy() = default;

/// True if the result of `op`, a cast in a plan for a GPU, is as good as its
/// operand: it holds the same numbers.
static bool isWideningOnGPU(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  auto function = op->getParentOfType<func::FuncOp>();
  return cast && cast.keepsValues() && function &&
         function->hasAttr("hk.plan_of");
}

Value hk::viewedValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<SplitOp>(op) && !isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The operations of a chain that read `value`, through views.
static void collectReaders(Value value, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : value.getUsers()) {
    if (!isa<SplitOp>(user) && !isView(user)) {
      readers.push_back(user);
      continue;
    }
    for (Value view : user->getResults())
      collectReaders(view, readers);
  }
}

/// True if one of `ops` computes keys or values of `attention`.
static bool computesKeys(AttentionOp attention, ArrayRef<Operation *> ops) {
  return llvm::any_of(ValueRange{attention.getKey(), attention.getValue()},
                      [&](Value value) {
                        Operation *op = viewedValue(value).getDefiningOp();
                        return op && llvm::is_contained(ops, op);
                      });
}

namespace {

class GreedyCutPolicy final : public CutPolicy {
public:
  explicit GreedyCutPolicy(const GreedyCutOptions &options)
      : options(options) {}

  SmallVector<Cut> cut(ArrayRef<Operation *> chain,
                       SmallVectorImpl<Cut> *) const override {
    SmallVector<Cut> cuts;
    if (mayOwnSequences(chain))
      return cuts;
    size_t begin = 0;
    for (size_t i = 1; i < chain.size(); ++i) {
      ArrayRef<Operation *> kernel = chain.slice(begin, i - begin);
      std::optional<Cut> cut = mustCut(kernel, chain[i], i);
      if (!cut)
        cut = cutForScratch(chain, begin, i);
      if (!cut)
        continue;
      begin = cut->position;
      // What follows the cut is looked at again, as a kernel of its own.
      i = begin;
      cuts.push_back(std::move(*cut));
    }
    return cuts;
  }

private:
  bool mayOwnSequences(ArrayRef<Operation *> chain) const {
    Type first = chain.front()->getResult(0).getType();
    int64_t batch = cast<RankedTensorType>(first).getDimSize(0);
    int64_t sequence = getRowsPerSequence(first);
    // A dynamic size is negative.
    return options.sequenceBatch > 0 && batch >= options.sequenceBatch &&
           hk::computesKeys(chain) &&
           llvm::all_of(chain,
                        [&](Operation *op) {
                          return getRowsPerSequence(
                                     op->getResult(0).getType()) == sequence;
                        }) &&
           sequence * estimateScratchPerRow(chain) <= options.scratchLimit;
  }

  std::optional<Cut> mustCut(ArrayRef<Operation *> kernel, Operation *next,
                             size_t position) const {
    if (auto attention = dyn_cast<AttentionOp>(next))
      if (computesKeys(attention, kernel))
        return Cut{position, "attention reads keys and values of rows that "
                             "other workgroups compute"};
    std::string reason = whyRowsDiffer(kernel, next);
    if (!reason.empty())
      return Cut{position, std::move(reason)};
    return std::nullopt;
  }

  /// The bytes of one row that are computed in chain[begin, position) and read
  /// later.
  static int64_t crossing(ArrayRef<Operation *> chain, size_t begin,
                          size_t position) {
    ArrayRef<Operation *> kernel = chain.slice(begin, position - begin);
    DenseSet<Operation *> inside(kernel.begin(), kernel.end());
    int64_t bytes = 0;
    for (Operation *op : kernel)
      for (Value result : op->getResults()) {
        SmallVector<Operation *> readers;
        collectReaders(result, readers);
        if (llvm::any_of(readers, [&](Operation *reader) {
              return !inside.contains(reader);
            }))
          bytes += getBytesPerRow(result.getType());
      }
    return bytes;
  }

  std::optional<Cut> cutForScratch(ArrayRef<Operation *> chain, size_t begin,
                                   size_t next) const {
    int64_t block = std::min(
        options.rows, getRowsPerSequence(chain[begin]->getResult(0).getType()));
    int64_t needed =
        block * estimateScratchPerRow(chain.slice(begin, next + 1 - begin));
    if (needed <= options.scratchLimit)
      return std::nullopt;
    size_t best = next;
    for (size_t position = next; position > begin + 1; --position)
      if (crossing(chain, begin, position - 1) < crossing(chain, begin, best))
        best = position - 1;
    return Cut{best, llvm::formatv("one kernel would need {0} bytes of scratch "
                                   "for {1} rows, above the limit of {2}",
                                   needed, block, options.scratchLimit)};
  }

  GreedyCutOptions options;
};

} // namespace

std::unique_ptr<CutPolicy>
hk::createGreedyCutPolicy(const GreedyCutOptions &options) {
  return std::make_unique<GreedyCutPolicy>(options);
}

bool hk::isView(Operation *op) {
  return (isa<SplitOp>(op) || isWideningOnGPU(op)) &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<ScopeOpInterface>(user);
         });
}

SmallVector<SmallVector<Operation *>> hk::chainsOf(Block &block) {
  SmallVector<SmallVector<Operation *>> chains;
  bool isOpen = false;
  for (Operation &op : block) {
    if (isa<scf::ForOp, KernelOp>(op))
      isOpen = false;
    if (!isa<ScopeOpInterface>(op) || isView(&op))
      continue;
    if (!isOpen)
      chains.emplace_back();
    isOpen = true;
    chains.back().push_back(&op);
  }
  return chains;
}

std::string hk::whyRowsDiffer(ArrayRef<Operation *> kernel, Operation *next) {
  int64_t before = getRowsPerSequence(kernel.front()->getResult(0).getType());
  int64_t after = getRowsPerSequence(next->getResult(0).getType());
  if (before == after)
    return {};
  return llvm::formatv("the rows of a sequence change from {0} to {1}", before,
                       after);
}

bool hk::computesKeys(ArrayRef<Operation *> ops) {
  return llvm::any_of(ops, [&](Operation *op) {
    auto attention = dyn_cast<AttentionOp>(op);
    return attention && ::computesKeys(attention, ops);
  });
}
