// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How networks are cut for GPUs.

#include "hk/Analysis/CUDACandidates.h"
#include "hk/Analysis/RowResidency.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/CutPolicy.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace hk;

namespace {

/// What an operation is to a kernel; the greatest one names the kernel.
enum class Kind { Elementwise, Norm, Linear, Attention };

class OperationCutPolicy final : public CutPolicy {
public:
  SmallVector<Cut> cut(ArrayRef<Operation *> chain,
                       SmallVectorImpl<Cut> *joins) const override;
};

class ChainCutPolicy final : public CutPolicy {
public:
  explicit ChainCutPolicy(Operands operands) : operands(operands) {}
  SmallVector<Cut> cut(ArrayRef<Operation *> chain,
                       SmallVectorImpl<Cut> *joins) const override;

private:
  Operands operands;
};

class CostCutPolicy final : public CutPolicy {
public:
  CostCutPolicy(Operands operands, const Device &device, int64_t batch,
                KeyProjection projection)
      : operands(operands), device(device), batch(batch),
        projection(projection) {}
  SmallVector<Cut> cut(ArrayRef<Operation *> chain,
                       SmallVectorImpl<Cut> *joins) const override;

private:
  double getPrice(ArrayRef<Operation *> kernel, bool isJoined) const;
  bool ownsSequences(ArrayRef<Operation *> kernel) const;
  std::string whyNotJoin(ArrayRef<Operation *> kernel,
                         ArrayRef<Operation *> next) const;

  Operands operands;
  const Device &device;
  int64_t batch;
  KeyProjection projection;
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

SmallVector<Cut> OperationCutPolicy::cut(ArrayRef<Operation *> chain,
                                         SmallVectorImpl<Cut> *) const {
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

/// The columns of a row that the registers of a tile hold in one group.
static constexpr int64_t kGroupColumns = 8;

/// Why `next`, a kernel of createOperationCutPolicy, cannot follow `kernel` in
/// a row chain, or an empty string.
static std::string whyNotChain(ArrayRef<Operation *> kernel,
                               ArrayRef<Operation *> next, Operands operands) {
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
  // Heads lie side by side in registers, each in whole groups of columns.
  for (Operation *op : kernel)
    if (auto attention = dyn_cast<AttentionOp>(op);
        attention && attention.getHeadDim() % kGroupColumns != 0)
      return llvm::formatv("it would read heads of {0} columns, no multiple of "
                           "{1}, from registers",
                           attention.getHeadDim(), kGroupColumns);
  RowResidency residency =
      estimateRowResidency(joined, 8 * getOperandBytes(operands));
  if (residency.registers > kResidentRegisters)
    return llvm::formatv("the rows of a warp would need {0} registers at {1}, "
                         "above the limit of {2}",
                         residency.registers,
                         residency.where->getName().getStringRef(),
                         kResidentRegisters);
  return {};
}

SmallVector<Cut> ChainCutPolicy::cut(ArrayRef<Operation *> chain,
                                     SmallVectorImpl<Cut> *) const {
  SmallVector<Cut> cuts;
  size_t begin = 0;
  SmallVector<Cut> parts = OperationCutPolicy().cut(chain, nullptr);
  for (auto [index, part] : llvm::enumerate(parts)) {
    size_t end =
        index + 1 < parts.size() ? parts[index + 1].position : chain.size();
    std::string reason =
        whyNotChain(chain.slice(begin, part.position - begin),
                    chain.slice(part.position, end - part.position), operands);
    if (reason.empty())
      continue;
    begin = part.position;
    cuts.push_back({begin, std::move(reason)});
  }
  return cuts;
}

/// The predicted time, in us. One operation is always a kernel, at any price.
double CostCutPolicy::getPrice(ArrayRef<Operation *> kernel,
                               bool isJoined) const {
  constexpr double kUnknown = 1e6;
  std::optional<double> time =
      predictBest(KernelDescription(kernel, operands, batch), device);
  if (time)
    return *time;
  return isJoined ? std::numeric_limits<double>::infinity() : kUnknown;
}

/// Whether the best schedule of a kernel that computes keys has all rows of a
/// sequence in one CTA. If not, keys are computed more than once, and the
/// longer the sequence, the more often.
bool CostCutPolicy::ownsSequences(ArrayRef<Operation *> kernel) const {
  KernelDescription description(kernel, operands, batch);
  return rankCUDASchedules(description, device, 1).best.front().schedule.rows >=
         description.getShape().sequence;
}

/// As whyNotChain, but attention may follow on the projection of its keys: then
/// a CTA owns a sequence.
std::string CostCutPolicy::whyNotJoin(ArrayRef<Operation *> kernel,
                                      ArrayRef<Operation *> next) const {
  if (computesKeys(kernel))
    return "a kernel that computes keys ends with their attention";
  SmallVector<Operation *> joined(kernel);
  joined.append(next.begin(), next.end());
  if (!computesKeys(joined) || projection == KeyProjection::Never)
    return whyNotChain(kernel, next, operands);
  KernelDescription description(joined, operands, batch);
  if (description.getShape().family != CUDAFamily::Projection)
    return "attention reads keys and values that are computed with more than "
           "their projection";
  return {};
}

SmallVector<Cut> CostCutPolicy::cut(ArrayRef<Operation *> chain,
                                    SmallVectorImpl<Cut> *joins) const {
  // The parts that can be joined, and where each begins.
  SmallVector<size_t> begins{0};
  for (const Cut &part : OperationCutPolicy().cut(chain, nullptr))
    begins.push_back(part.position);
  size_t count = begins.size();
  begins.push_back(chain.size());
  auto slice = [&](size_t from, size_t to) {
    return chain.slice(begins[from], begins[to] - begins[from]);
  };

  // Prices of the kernels that may be, and the cheapest way to have all parts
  // before, and all parts from some part on.
  constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Kernel {
    size_t begin, end;
    double price;
  };
  SmallVector<Kernel> kernels;
  SmallVector<std::string> obstacles(count);
  for (size_t begin = 0; begin < count; ++begin)
    for (size_t end = begin + 1; end <= count; ++end) {
      if (end > begin + 1) {
        std::string why =
            whyNotJoin(slice(begin, end - 1), slice(end - 1, end));
        if (!why.empty()) {
          // Of several, that of the two parts alone says most.
          obstacles[end - 1] = std::move(why);
          break;
        }
      }
      kernels.push_back(
          {begin, end, getPrice(slice(begin, end), end > begin + 1)});
    }
  // Where attention has a kernel with its projection, nothing else ends or
  // begins there.
  llvm::SmallDenseSet<size_t> closed;
  if (projection == KeyProjection::WhereItCan)
    for (const Kernel &kernel : kernels) {
      ArrayRef<Operation *> ops = slice(kernel.begin, kernel.end);
      if (kernel.price == kNever || !computesKeys(ops))
        continue;
      double apart = 0;
      for (const Kernel &part : kernels)
        if (part.end == part.begin + 1 && part.begin >= kernel.begin &&
            part.end <= kernel.end)
          apart += part.price;
      if (kernel.price <= kWorthMeasuring * apart || ownsSequences(ops))
        closed.insert(kernel.end - 1);
    }
  llvm::erase_if(kernels, [&](const Kernel &kernel) {
    return closed.contains(kernel.begin) || closed.contains(kernel.end);
  });
  SmallVector<double> before(count + 1, kNever), after(count + 1, kNever);
  SmallVector<size_t> start(count + 1);
  before[0] = after[count] = 0;
  // Kernels are in the order of where they begin.
  for (const Kernel &kernel : kernels)
    if (double price = before[kernel.begin] + kernel.price;
        price < before[kernel.end]) {
      before[kernel.end] = price;
      start[kernel.end] = kernel.begin;
    }
  for (const Kernel &kernel : llvm::reverse(kernels))
    after[kernel.begin] =
        std::min(after[kernel.begin], after[kernel.end] + kernel.price);

  llvm::SmallDenseSet<size_t> chosen;
  for (size_t part = count; part > 0; part = start[part])
    chosen.insert(start[part]);
  SmallVector<Cut> cuts;
  double best = before[count];
  for (size_t part = 1; part < count; ++part) {
    bool isCut = chosen.contains(part);
    double other = kNever;
    if (!isCut)
      other = before[part] + after[part];
    else
      for (const Kernel &kernel : kernels)
        if (kernel.begin < part && part < kernel.end)
          other = std::min(other, before[kernel.begin] + kernel.price +
                                      after[kernel.end]);
    std::string reason =
        other < kNever
            ? llvm::formatv("the chain is predicted to take {0:f1} us, and "
                            "{1:f1} us {2} a cut here",
                            best, other, isCut ? "without" : "with")
                  .str()
        : closed.contains(part) ? "a CTA computes the keys that its queries see"
        : obstacles[part].empty() ? "together they are not known to fit"
                                  : obstacles[part];
    if (isCut)
      cuts.push_back({begins[part], std::move(reason)});
    else if (joins)
      joins->push_back({begins[part], std::move(reason)});
  }
  return cuts;
}

std::unique_ptr<CutPolicy> hk::createOperationCutPolicy() {
  return std::make_unique<OperationCutPolicy>();
}

std::unique_ptr<CutPolicy> hk::createChainCutPolicy(Operands operands) {
  return std::make_unique<ChainCutPolicy>(operands);
}

std::unique_ptr<CutPolicy> hk::createCostCutPolicy(Operands operands,
                                                   const Device &device,
                                                   int64_t batch,
                                                   KeyProjection projection) {
  return std::make_unique<CostCutPolicy>(operands, device, batch, projection);
}
