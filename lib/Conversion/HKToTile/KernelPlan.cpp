// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places and rows of a #hk.cuda kernel.

#include "KernelPlan.h"

#include "hk/Analysis/RowResidency.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The registers of a thread that one slab of f32 may take.
static constexpr int64_t kSlabRegisters = 224;
/// The registers of a thread that the input of a linear operation may take, if
/// it is held whole so as not to be read again for every block of features.
static constexpr int64_t kInputRegisters = 96;
/// The registers of a thread for the rows that a line kernel holds at once.
static constexpr int64_t kLineRegisters = 64;

bool hk::tile::isElementwise(Operation *op) {
  return isa<ActivationOp, AddOp, MulOp, MaskRowsOp, CastOp>(op);
}

int64_t hk::tile::getFeatures(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

ValueRange hk::tile::getActivations(Operation *op) {
  if (isa<AddOp, MulOp>(op))
    return op->getOperands();
  if (isa<AttentionOp>(op))
    return op->getOperands().take_front(3);
  return op->getOperands().take_front(1);
}

/// True if the operation computes its result from elements at the same place.
static bool isView(Operation *op) { return op && isa<SplitOp>(op); }

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Calls `leaf` for what `value` is computed from: arguments, resident values,
/// and results of linear operations, norms and attention.
void KernelPlan::visit(Value value, function_ref<void(Value)> leaf) const {
  Operation *op = value.getDefiningOp();
  if (!op || isResident(value) || (!isElementwise(op) && !isView(op)))
    return leaf(value);
  for (Value operand : getActivations(op))
    visit(operand, leaf);
}

Place KernelPlan::getPlace(Value value) const {
  Place place = Place::Memory;
  visit(value, [&](Value leaf) {
    if (isResident(leaf))
      place = place == Place::Blocks ? place : Place::Resident;
    else if (leaf.getDefiningOp())
      place = Place::Blocks;
  });
  return place;
}

bool KernelPlan::readsResident(Value value) const {
  bool result = false;
  visit(value, [&](Value leaf) { result |= isResident(leaf); });
  return result;
}

AttentionOp KernelPlan::getAttention(Value value) const {
  AttentionOp result;
  visit(value, [&](Value leaf) {
    if (auto op = leaf.getDefiningOp<AttentionOp>(); op && !isResident(leaf))
      result = op;
  });
  return result;
}

int64_t KernelPlan::getBlockColumns(Value value) const {
  if (AttentionOp op = getAttention(value))
    return getHeadColumns(op);
  return schedule.getColumns() > 0 ? schedule.getColumns()
                                   : schedule.getBlock();
}

AddOp KernelPlan::getResidual(LinearOp op) const {
  if (!op->hasOneUse())
    return {};
  auto add = dyn_cast<AddOp>(*op->user_begin());
  // (An operation with one use is not both operands.)
  return add && isResident(op.getResult()) == isResident(add.getResult())
             ? add
             : AddOp();
}

bool KernelPlan::hasWholeBatch() const {
  return llvm::any_of(getBody().getArgumentTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.isDynamicDim(0) &&
           tensor.getDimSize(0) % projectedRows.sequences == 0;
  });
}

bool KernelPlan::hasWholeRows() const {
  if (unitRows % fragRows != 0 ||
      unitRows * schedule.getUnits() != schedule.getRows())
    return false;
  if (projectedRows.sequences == 1)
    return sequence % schedule.getRows() == 0;
  return projectedRows.rows == sequence && hasWholeBatch();
}

bool KernelPlan::endsWithResidual(LinearOp op) const {
  AddOp sum = getResidual(op);
  if (!sum || !isResident(sum.getResult()))
    return false;
  Value residual =
      sum.getLhs() == op.getResult() ? sum.getRhs() : sum.getLhs();
  if (getPlace(op.getInput()) != Place::Memory ||
      getPlace(residual) != Place::Memory)
    return false;
  // Two of f32, and the operand.
  int64_t bits = fragRows * (2 * 32 * padColumns(getFeatures(residual)) +
                             getOperandType().getIntOrFloatBitWidth() *
                                 padColumns(getFeatures(op.getInput())));
  return bits / (32 * 32) <= kResidentRegisters;
}

/// The linear operations and yields that a value ends in, through what is
/// computed element by element.
static void getSinks(Value value, SetVector<Operation *> &sinks) {
  for (Operation *user : value.getUsers()) {
    if (!isElementwise(user) && !isView(user)) {
      sinks.insert(user);
      continue;
    }
    for (Value result : user->getResults())
      getSinks(result, sinks);
  }
}

/// What is needed whole: the input of a norm, and what is computed into it.
void KernelPlan::markResident() {
  for (Operation &op : llvm::reverse(getBody().without_terminator())) {
    if (!isa<ScopeOpInterface>(op))
      continue;
    for (Value result : op.getResults()) {
      SetVector<Operation *> sinks;
      getSinks(result, sinks);
      bool isNorm = isa<LayerNormOp, RMSNormOp>(op);
      // A linear operation reads it in other blocks than another operation.
      bool isShared = isa<LinearOp, AttentionOp>(op) && sinks.size() > 1 &&
                      llvm::any_of(sinks, llvm::IsaPred<LinearOp>);
      if (isNorm || isShared)
        resident.insert(result);
    }
    auto markOperands = [&] {
      for (Value operand : getActivations(&op))
        if (operand.getDefiningOp() && getPlace(operand) != Place::Memory)
          resident.insert(operand);
    };
    if (isa<LayerNormOp, RMSNormOp>(op)) {
      // (An argument can be loaded in any way.)
      Operation *input = op.getOperand(0).getDefiningOp();
      if (input && !isView(input))
        resident.insert(op.getOperand(0));
      markOperands();
    } else if ((isElementwise(&op) || isView(&op)) &&
               llvm::any_of(op.getResults(),
                            [&](Value result) { return isResident(result); }))
      markOperands();
  }
}

/// One pass over the linear operations. Returns true if a place has changed,
/// so that others may.
bool KernelPlan::planLinears() {
  auto makeResident = [&](Value value) {
    bool changed = resident.insert(value).second;
    SmallVector<Value> pending{value};
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (!op || (!isElementwise(op) && !isView(op)))
        continue;
      for (Value operand : getActivations(op))
        if (operand.getDefiningOp() && getPlace(operand) != Place::Memory) {
          changed |= resident.insert(operand).second;
          pending.push_back(operand);
        }
    }
    return changed;
  };
  int64_t limit = getResidentColumns();
  for (auto op : getBody().getOps<LinearOp>()) {
    LinearPlan plan;
    plan.op = op;
    plan.features = getFeatures(op.getResult());
    plan.depth = getFeatures(op.getInput());
    Place input = getPlace(op.getInput());
    if (input == Place::Blocks && !isResident(op.getResult())) {
      // The sums of all features are held, or else all of the input is.
      bool holdsSums = schedule.getColumns() == 0 && plan.features <= limit;
      if (makeResident(holdsSums ? op.getResult() : op.getInput()))
        return true;
    }
    if (isResident(op.getResult()) && op->hasOneUse())
      // The sums begin with what they are added to.
      if (auto add = dyn_cast<AddOp>(*op->user_begin());
          add && !isResident(add.getResult()) && schedule.getColumns() == 0 &&
          getPlace(add.getLhs() == op.getResult()
                       ? add.getRhs()
                       : add.getLhs()) != Place::Blocks &&
          makeResident(add.getResult()))
        return true;
    plan.sums = isResident(op.getResult()) && input != Place::Resident;
    int64_t bytes = getOperandType().getIntOrFloatBitWidth() / 8;
    plan.wholeInput =
        !plan.sums &&
        (input == Place::Resident ||
         (schedule.getColumns() == 0 &&
          unitRows * padColumns(plan.depth) * bytes / 128 <= kInputRegisters));
    linears[op.getOperation()] = plan;
  }
  return false;
}

Type KernelPlan::getOperandType() const {
  MLIRContext *context = schedule.getContext();
  switch (schedule.getOperands()) {
  case Operands::F16:
    return Float16Type::get(context);
  case Operands::BF16:
    return BFloat16Type::get(context);
  case Operands::TF32:
  case Operands::TF32x3:
    return Float32Type::get(context);
  }
  llvm_unreachable("all operand types are listed");
}

//===----------------------------------------------------------------------===//
// Rows and runs
//===----------------------------------------------------------------------===//

/// The columns of a row that registers can hold.
int64_t KernelPlan::getResidentColumns() const {
  return kSlabRegisters * 32 / llvm::alignTo(unitRows, 16) / 8 * 8;
}

/// The lanes that hold a row in the line layout.
static int64_t getLanes(int64_t columns) {
  int64_t lanes = 1;
  while (lanes < 32 && lanes * 4 < columns)
    lanes *= 2;
  return lanes;
}

/// As many rows at once as fill the registers, but whole groups of rows: those
/// that the lanes of a warp hold between them.
void KernelPlan::setLineRows() {
  int64_t widest = 1;
  auto add = [&](Value value) {
    widest = std::max(widest, getFeatures(value));
    isLine &= getFeatures(value) > 1;
  };
  for (Value value : getYielded())
    add(value);
  for (Operation &op : getBody().without_terminator())
    if (isa<ScopeOpInterface>(op) && !isa<SplitOp>(op))
      add(op.getResult(0));
  if (!isLine) {
    fragRows = llvm::alignTo(unitRows, 16);
    return;
  }
  // The widest rows say how many lanes hold a row, in all of the kernel.
  int64_t lanes = getLanes(widest), group = 32 / lanes;
  int64_t registers = llvm::divideCeil(widest, 4 * lanes) * 4; // of a row
  int64_t most = std::max<int64_t>(1, kLineRegisters / registers) * group;
  fragRows = std::min<int64_t>(llvm::alignTo(unitRows, group), most);
}

LogicalResult KernelPlan::setRows() {
  isStream = llvm::none_of(
      getBody(), [](Operation &op) { return isa<LinearOp, AttentionOp>(op); });
  int64_t ctaRows = schedule.getRows(), units = schedule.getUnits();
  if (units < 1 || ctaRows % units != 0 ||
      (!isStream && ctaRows / units % 16 != 0))
    return variant.emitOpError()
           << "expects units of a multiple of " << (isStream ? 1 : 16)
           << " rows in this #hk.cuda kernel, but got " << ctaRows
           << " rows for " << units << " units";
  unitRows = fragRows = ctaRows / units;
  isLine = isStream;
  if (isStream)
    setLineRows();
  return success();
}

LogicalResult KernelPlan::setRuns() {
  if (isStream)
    return success();
  bool hasColumns = schedule.getColumns() > 0,
       hasHeads = schedule.getHeads() > 0;
  if (!hasColumns && !hasHeads)
    return success();
  Value first = getYielded().front();
  AttentionOp attention = getAttention(first);
  int64_t count = attention ? attention.getNumHeads() : getFeatures(first);
  for (Value value : getYielded()) {
    AttentionOp other = getAttention(value);
    bool hasLinear = false;
    visit(value, [&](Value leaf) {
      hasLinear |= isa_and_present<LinearOp>(leaf.getDefiningOp());
    });
    if (getFeatures(value) != getFeatures(first) || readsResident(value) ||
        (hasHeads ? !other || hasLinear ||
                        other.getNumHeads() != attention.getNumHeads()
                  : other || !hasLinear))
      return variant.emitOpError()
             << "expects results of one width that are computed by blocks of "
                "one "
             << (hasHeads ? "attention" : "linear operation")
             << " where a schedule has " << (hasHeads ? "heads" : "columns")
             << ", but got a result of " << value.getType();
  }
  runs = llvm::divideCeil(count, hasHeads ? schedule.getHeads()
                                          : schedule.getColumns());
  return success();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// What was decided has to fit, and views have to be where registers begin.
LogicalResult KernelPlan::check() {
  for (Operation &op : getBody().without_terminator()) {
    if (auto split = dyn_cast<SplitOp>(op)) {
      Place place = getPlace(split.getInput());
      for (OpResult result : split.getResults()) {
        int64_t offset = split.getColumnOffset(result.getResultNumber());
        if (result.use_empty() || place == Place::Memory)
          continue;
        if (isLine || offset % 8 != 0)
          return split.emitOpError()
                 << "expects runs of columns in registers that begin at a "
                    "multiple of 8, outside of kernels that stream rows, but "
                    "got one at column "
                 << offset;
      }
    }
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      bool isRead = isResident(attention.getResult());
      SetVector<Operation *> sinks;
      getSinks(attention.getResult(), sinks);
      isRead |= llvm::any_of(sinks, llvm::IsaPred<LinearOp>);
      if (isRead && attention.getHeadDim() % 8 != 0)
        return op.emitOpError()
               << "expects heads of a multiple of 8 columns where another "
                  "operation reads them, but got "
               << attention.getHeadDim();
    }
    if (isLine)
      continue;
    for (Value result : op.getResults())
      if (isResident(result) && getFeatures(result) > getResidentColumns())
        return op.emitOpError()
               << "expects at most " << getResidentColumns()
               << " columns of a row that is held in registers by units of "
               << unitRows << " rows, but got " << getFeatures(result);
  }
  return success();
}

FailureOr<KernelPlan> KernelPlan::get(VariantOp variant) {
  KernelPlan plan(variant, cast<CUDAAttr>(variant.getSchedule()));
  FailureOr<int64_t> sequence = verifyVariant(variant);
  if (failed(sequence))
    return failure();
  plan.sequence = *sequence;
  if (failed(plan.setRows()))
    return failure();
  plan.markResident();
  while (plan.planLinears()) {
  }
  if (failed(plan.planAttentions()) || failed(plan.check()) ||
      failed(plan.setRuns()))
    return failure();
  plan.setLayouts();
  auto addVector = [&](Value value) {
    if (value)
      plan.vectors[value] =
          plan.addPacked(value.getDefiningOp<PackedGetOp>(), TilesAttr());
  };
  for (Operation &op : plan.getBody().without_terminator()) {
    if (isa<LayerNormOp, RMSNormOp>(op)) {
      for (Value parameter : op.getOperands().drop_front())
        addVector(parameter);
    } else if (auto linear = dyn_cast<LinearOp>(op)) {
      if (failed(
              plan.setTiles(plan.linears.find(linear.getOperation())->second)))
        return failure();
      addVector(linear.getBias());
    }
  }
  return plan;
}
