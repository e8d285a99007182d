// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How networks are cut for GPUs.

#include "hk/Analysis/RowResidency.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/CutPolicy.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hk;

namespace {

/// What an operation is to a kernel; the greatest one names the kernel.
enum class Kind { Elementwise, Norm, Linear, Attention };

class OperationCutPolicy final : public CutPolicy {
public:
  SmallVector<Cut> cut(ArrayRef<Operation *> chain) const override;
};

class ChainCutPolicy final : public CutPolicy {
public:
  explicit ChainCutPolicy(int64_t operandBits) : operandBits(operandBits) {}
  SmallVector<Cut> cut(ArrayRef<Operation *> chain) const override;

private:
  std::string whyNotJoin(ArrayRef<Operation *> kernel,
                         ArrayRef<Operation *> next) const;

  int64_t operandBits;
};

} // namespace

static Kind kindOf(Operation *op) {
  if (isa<AttentionOp>(op))
    return Kind::Attention;
  if (isa<LinearOp>(op))
    return Kind::Linear;
  return isa<LayerNormOp, RMSNormOp>(op) ? Kind::Norm : Kind::Elementwise;
}

static bool reads(Operation *op, ArrayRef<Operation *> kernel) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return llvm::is_contained(kernel, viewedValue(operand).getDefiningOp());
  });
}

/// True if `op` reads some columns of a value that `kernel` computes.
static bool readsColumns(Operation *op, ArrayRef<Operation *> kernel) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Value value = viewedValue(operand);
    return value != operand &&
           llvm::is_contained(kernel, value.getDefiningOp());
  });
}

static constexpr StringLiteral kReadsNothing =
    "it reads nothing that the kernel before computes";
static constexpr StringLiteral kReadsColumns =
    "it reads some of the features that the kernel before computes";

/// Why `next` does not join `kernel`, or an empty string.
static std::string whyNotJoin(ArrayRef<Operation *> kernel, Kind kind,
                              Operation *next) {
  std::string rows = whyRowsDiffer(kernel, next);
  if (!rows.empty())
    return rows;
  if (kind == Kind::Attention || kindOf(next) == Kind::Attention)
    return "attention is a kernel of its own";
  if (kindOf(next) == Kind::Linear)
    return "a linear operation begins a kernel";
  if (kindOf(next) == Kind::Norm && kind != Kind::Elementwise)
    return "a norm begins a kernel";
  if (!reads(next, kernel))
    return kReadsNothing.str();
  return readsColumns(next, kernel) ? kReadsColumns.str() : std::string();
}

SmallVector<Cut> OperationCutPolicy::cut(ArrayRef<Operation *> chain) const {
  SmallVector<Cut> cuts;
  size_t begin = 0;
  Kind kind = kindOf(chain.front());
  for (size_t i = 1; i < chain.size(); ++i) {
    std::string reason =
        ::whyNotJoin(chain.slice(begin, i - begin), kind, chain[i]);
    if (reason.empty()) {
      kind = std::max(kind, kindOf(chain[i]));
      continue;
    }
    begin = i;
    kind = kindOf(chain[i]);
    cuts.push_back({i, std::move(reason)});
  }
  return cuts;
}

std::string ChainCutPolicy::whyNotJoin(ArrayRef<Operation *> kernel,
                                       ArrayRef<Operation *> next) const {
  std::string rows = whyRowsDiffer(kernel, next.front());
  if (!rows.empty())
    return rows;
  SmallVector<Operation *> joined(kernel);
  joined.append(next.begin(), next.end());
  if (computesKeys(joined))
    return "attention reads keys and values of rows that other CTAs compute";
  if (llvm::any_of(next, llvm::IsaPred<AttentionOp>))
    return "attention begins a kernel";
  if (!llvm::any_of(next, [&](Operation *op) { return reads(op, kernel); }))
    return kReadsNothing.str();
  if (llvm::any_of(next,
                   [&](Operation *op) { return readsColumns(op, kernel); }))
    return kReadsColumns.str();
  RowResidency residency = estimateRowResidency(joined, operandBits);
  if (residency.registers > kResidentRegisters)
    return llvm::formatv("the rows of a warp would need {0} registers at {1}, "
                         "above the limit of {2}",
                         residency.registers,
                         residency.where->getName().getStringRef(),
                         kResidentRegisters);
  return {};
}

SmallVector<Cut> ChainCutPolicy::cut(ArrayRef<Operation *> chain) const {
  SmallVector<Cut> cuts;
  size_t begin = 0;
  SmallVector<Cut> parts = OperationCutPolicy().cut(chain);
  for (auto [index, part] : llvm::enumerate(parts)) {
    size_t end =
        index + 1 < parts.size() ? parts[index + 1].position : chain.size();
    std::string reason =
        whyNotJoin(chain.slice(begin, part.position - begin),
                   chain.slice(part.position, end - part.position));
    if (reason.empty())
      continue;
    begin = part.position;
    cuts.push_back({begin, std::move(reason)});
  }
  return cuts;
}

std::unique_ptr<CutPolicy> hk::createOperationCutPolicy() {
  return std::make_unique<OperationCutPolicy>();
}

std::unique_ptr<CutPolicy> hk::createChainCutPolicy(int64_t operandBits) {
  return std::make_unique<ChainCutPolicy>(operandBits);
}
