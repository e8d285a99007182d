// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel is, to its schedules: found once, from its operations. What a
// schedule makes of it is in KernelWork.cpp.

#include "hk/Analysis/KernelDescription.h"

#include "hk/Analysis/RowResidency.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Analysis/Storage.h"

using namespace mlir;
using namespace hk;

// Instructions of a thread for one element, counted by hand in PTX.
static constexpr double kLayerNorm = 5, kRMSNorm = 3, kScale = 1;
static constexpr double kLoadOrStore = 0.15; // a byte

int64_t hk::getOperandBytes(Operands operands) {
  return operands == Operands::F16 || operands == Operands::BF16 ? 2 : 4;
}

static bool isElementwise(Operation *op) {
  return isa<ActivationOp, AddOp, MulOp, MaskRowsOp, CastOp>(op);
}

static bool isNorm(Operation *op) { return isa<LayerNormOp, RMSNormOp>(op); }

static int64_t getFeatures(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

/// The operands that are activations; masks, weights and vectors are not.
static ValueRange getActivations(Operation *op) {
  if (isa<AddOp, MulOp>(op))
    return op->getOperands();
  if (isa<AttentionOp>(op))
    return op->getOperands().take_front(3);
  return op->getOperands().take_front(1);
}

/// Calls `visit` for what reads `value`, or a view of it.
static void forReaders(Value value, function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : value.getUses()) {
    if (!sharesStorage(use.getOwner())) {
      visit(use);
      continue;
    }
    for (Value view : use.getOwner()->getResults())
      forReaders(view, visit);
  }
}

/// What an element costs: instructions of a thread, and special functions.
static std::pair<double, double> getElementCost(Operation *op) {
  if (isa<CastOp>(op))
    return {0.5, 0};
  auto activation = dyn_cast<ActivationOp>(op);
  if (!activation)
    return {1, 0};
  switch (activation.getKind()) {
  case ActivationKind::GeluErf:
  case ActivationKind::GeluTanh:
    return {9, 1};
  case ActivationKind::Silu:
    return {5, 2};
  case ActivationKind::Relu:
    return {1, 0};
  }
  llvm_unreachable("an activation");
}

KernelDescription::KernelDescription(ArrayRef<Operation *> all,
                                     Operands operands, int64_t batch)
    : operands(operands), batch(batch) {
  SmallVector<Operation *> ops;
  for (Operation *op : all) {
    if (!isa<ScopeOpInterface>(op))
      continue;
    if (sharesStorage(op)) {
      storesView |= llvm::any_of(op->getUsers(), [](Operation *user) {
        return !isa<ScopeOpInterface, YieldOp>(user);
      });
      continue;
    }
    ops.push_back(op);
    inside.insert(op);
  }
  if (ops.empty())
    return;
  llvm::SmallDenseSet<Value> seen;
  for (Operation *op : ops) {
    for (Value value : getActivations(op))
      addLoaded(value, seen);
    addOperation(op);
  }
  setShape(ops);
  resident = estimateRowResidency(ops, 8 * getOperandBytes(operands)).registers;
}

//===----------------------------------------------------------------------===//
// Where values are
//===----------------------------------------------------------------------===//

bool KernelDescription::isInside(Value value) const {
  Operation *op = getStorage(value).getDefiningOp();
  return op && inside.contains(op);
}

bool KernelDescription::isMemory(Value value) const {
  Value storage = getStorage(value);
  if (!isInside(storage))
    return true;
  Operation *op = storage.getDefiningOp();
  return isElementwise(op) &&
         llvm::all_of(getActivations(op),
                      [&](Value operand) { return isMemory(operand); });
}

bool KernelDescription::isUsedOutside(Value value) const {
  bool result = false;
  forReaders(value, [&](OpOperand &use) {
    result |= !inside.contains(use.getOwner());
  });
  return result;
}

bool KernelDescription::isReadByNorm(Value value) const {
  bool result = false;
  forReaders(value, [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (inside.contains(op))
      result |=
          isNorm(op) || (isElementwise(op) && isReadByNorm(op->getResult(0)));
  });
  return result;
}

KernelDescription::Input KernelDescription::getInput(Value value) const {
  if (isMemory(value))
    return Input::Memory;
  Operation *op = getStorage(value).getDefiningOp();
  if (isNorm(op) || isReadByNorm(op->getResult(0)))
    return Input::Rows;
  if (!isElementwise(op)) {
    unsigned readers = 0;
    forReaders(op->getResult(0), [&](OpOperand &) { ++readers; });
    return readers > 1 ? Input::Rows : Input::Blocks;
  }
  Input input = Input::Memory;
  for (Value operand : getActivations(op))
    input = std::max(input, getInput(operand));
  return input;
}

/// The bytes of an element of a value that crosses kernels.
int64_t KernelDescription::getCrossingBytes(Value value) const {
  unsigned bits = cast<RankedTensorType>(value.getType())
                      .getElementType()
                      .getIntOrFloatBitWidth();
  int64_t bytes = llvm::divideCeil(bits, 8);
  Operation *op = value.getDefiningOp();
  bool isCut = isa<KernelOp>(value.getParentRegion()->getParentOp());
  if (isCut || !op || !isa<ScopeOpInterface>(op) || bytes != 4 ||
      operands != Operands::F16)
    return bytes;
  bool isOperand = true;
  forReaders(value, [&](OpOperand &use) {
    isOperand &=
        (isa<LinearOp>(use.getOwner()) && use.getOperandNumber() == 0) ||
        (isa<AttentionOp>(use.getOwner()) && use.getOperandNumber() < 3);
  });
  return isOperand ? 2 : bytes;
}

int64_t KernelDescription::getLoadedBytes(Value value) const {
  Value storage = getStorage(value);
  if (!isInside(storage))
    return getFeatures(value) * getCrossingBytes(storage);
  int64_t bytes = 0;
  for (Value operand : getActivations(storage.getDefiningOp()))
    bytes += getLoadedBytes(operand);
  return bytes;
}

void KernelDescription::addLoaded(Value value,
                                  llvm::SmallDenseSet<Value> &seen) {
  Value storage = getStorage(value);
  if (!isInside(storage) && seen.insert(storage).second)
    touched += getFeatures(storage) * getCrossingBytes(storage);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void KernelDescription::addElementwise(Operation *op) {
  Value result = op->getResult(0);
  auto [count, special] = getElementCost(op);
  instructions += count * getFeatures(result);
  mufu += special * getFeatures(result);
  if (isMemory(result)) {
    // Else what reads it loads what it is computed from.
    if (isUsedOutside(result)) {
      loaded += getLoadedBytes(result);
      ++loads;
    }
    return;
  }
  for (Value operand : getActivations(op))
    if (isMemory(operand)) {
      loaded += getLoadedBytes(operand);
      ++loads;
    }
}

void KernelDescription::addOperation(Operation *op) {
  Value result = op->getResult(0);
  int64_t features = getFeatures(result);
  if (isUsedOutside(result))
    stored += features * getCrossingBytes(result);
  if (auto linear = dyn_cast<LinearOp>(op)) {
    Linear info;
    info.features = features;
    info.depth = getFeatures(linear.getInput());
    info.input = getInput(linear.getInput());
    info.sums = info.input == Input::Blocks ||
                (info.input == Input::Memory && isReadByNorm(result));
    info.hasBias = linear.getBias() != nullptr;
    info.rowBytes =
        info.input == Input::Memory ? getLoadedBytes(linear.getInput()) : 0;
    if (info.sums)
      widest = std::max(widest, features);
    if (info.hasBias)
      instructions += features;
    // The input becomes an operand of the matrix units.
    instructions += 0.5 * info.depth;
    loads += info.input == Input::Memory;
    linears.push_back(info);
  } else if (auto attention = dyn_cast<AttentionOp>(op)) {
    Attention info;
    info.heads = attention.getNumHeads();
    info.kvHeads = attention.getKVHeads();
    info.headDim = attention.getHeadDim();
    info.isCausal = attention.getCausal();
    info.isProjected =
        !isMemory(attention.getKey()) || !isMemory(attention.getValue());
    info.hides = attention.getCausal() || attention.getMask();
    bool isLoaded = isMemory(attention.getQuery());
    info.queryBytes = isLoaded ? getLoadedBytes(attention.getQuery()) : 0;
    info.elementBytes = info.isProjected
                            ? getOperandBytes(operands)
                            : getCrossingBytes(getStorage(attention.getKey()));
    instructions += kScale * features;
    loads += isLoaded || !info.isProjected;
    attentions.push_back(info);
  } else if (isNorm(op)) {
    bool isLayerNorm = isa<LayerNormOp>(op);
    instructions += (isLayerNorm ? kLayerNorm : kRMSNorm) * features +
                    double(op->getNumOperands() - 1) * features;
    reductions += isLayerNorm ? 2 : 1;
    widest = std::max(widest, features);
    if (isMemory(op->getOperand(0))) {
      loaded += getLoadedBytes(op->getOperand(0));
      ++loads;
    }
  } else if (isElementwise(op)) {
    addElementwise(op);
  }
}

void KernelDescription::setShape(ArrayRef<Operation *> ops) {
  Value result = ops.back()->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.isDynamicDim(0)) {
    shape.batch = type.getDimSize(0);
    batch = std::max<int64_t>(*shape.batch, 1);
  }
  shape.sequence = getRowsPerSequence(type);
  shape.features = getFeatures(result);
  shape.operandBytes = getOperandBytes(operands);
  if (!attentions.empty()) {
    shape.heads = attentions.back().heads;
    shape.headDim = attentions.back().headDim;
    shape.group = shape.heads / attentions.back().kvHeads;
  }
  if (!linears.empty())
    shape.depth = linears.back().depth;
  instructions += kLoadOrStore * (loaded + stored);

  bool hasNorm = llvm::any_of(ops, isNorm);
  bool hasElementwise = llvm::any_of(
      ops, [](Operation *op) { return isElementwise(op) && !isa<CastOp>(op); });
  if (linears.empty() && attentions.empty()) {
    shape.family = CUDAFamily::Line;
    return;
  }
  shape.family = CUDAFamily::Chain;
  if (isProjection(ops)) {
    shape.family = CUDAFamily::Projection;
    return;
  }
  if (attentions.size() == 1 && linears.empty() && !hasNorm && !hasElementwise)
    shape.family = CUDAFamily::Attention;
  if (linears.size() != 1 || !attentions.empty() || hasNorm)
    return;
  auto linear = cast<LinearOp>(*llvm::find_if(ops, llvm::IsaPred<LinearOp>));
  Value input = getStorage(linear.getInput());
  while (auto cast = input.getDefiningOp<CastOp>())
    input = getStorage(cast.getInput());
  bool isPlain = !isInside(input) && llvm::all_of(ops, [&](Operation *op) {
    return !isUsedOutside(op->getResult(0)) ||
           cast<ShapedType>(op->getResult(0).getType()).getShape() ==
               type.getShape();
  });
  if (isPlain && getFeatures(linear.getResult()) == shape.features)
    shape.family = CUDAFamily::Gemm;
}
