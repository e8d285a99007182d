// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which attentions read keys and values from memory, and which compute them;
// how many heads are computed at once.

#include "KernelPlan.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

int64_t KernelPlan::getKeys(AttentionOp op) const {
  int64_t most = getAttentionPlan(op).isProjected ? projectedRows.rows
                                                  : padColumns(sequence);
  return std::min<int64_t>(schedule.getKeys(), most);
}

/// A unit has rows of one sequence, so that what depends on the sequence is the
/// same for all of them.
LogicalResult KernelPlan::setProjectedRows(AttentionOp op) {
  int64_t rows = schedule.getRows(), units = schedule.getUnits();
  projectedRows = ProjectedRows::get(rows, units, sequence);
  if (!projectedRows.isEven(rows, units))
    return op.emitOpError()
           << "expects rows and units that the sequences of a CTA can share "
              "out, each padded to whole units, where a #hk.cuda kernel "
              "computes keys or values, but got "
           << rows << " rows and " << units << " units for "
           << projectedRows.sequences << " sequences of " << sequence;
  int64_t keys = std::min(schedule.getKeys(), projectedRows.rows);
  if (keys < 1 || keys % 8 != 0 || projectedRows.rows % keys != 0)
    return op.emitOpError()
           << "expects keys that are a multiple of 8 and divide the rows "
              "that a CTA has of a sequence, where a #hk.cuda kernel computes "
              "them, but got "
           << keys << " for " << projectedRows.rows << " rows";
  return success();
}

/// Where an operation reads the context, its blocks have all heads of a group.
LogicalResult KernelPlan::setHeads(AttentionOp op, AttentionPlan &plan) {
  int64_t group = op.getNumHeads() / op.getKVHeads(), all = op.getNumHeads();
  int64_t ofCTA = schedule.getHeads() > 0 ? schedule.getHeads() : all;
  if (!ProjectedHeads::areLegal(ofCTA, all, group))
    return op.emitOpError()
           << "expects the heads of a CTA to divide all, and to be whole "
              "groups or part of one, where a #hk.cuda kernel computes keys or "
              "values, but got "
           << ofCTA << " of " << all << ", in groups of " << group;
  plan.heads =
      ProjectedHeads::get(ofCTA, group, op.getHeadDim(), schedule.getBlock());
  if (schedule.getHeads() == 0) {
    plan.heads.heads = std::max(plan.heads.heads, group);
    plan.heads.setSharing(ofCTA, group);
  }
  return success();
}

/// The operations that keys and values of `op` are computed from.
static llvm::DenseSet<Operation *> getSources(AttentionOp op) {
  llvm::DenseSet<Operation *> sources;
  SmallVector<Value> pending{op.getKey(), op.getValue()};
  while (!pending.empty()) {
    Operation *source = pending.pop_back_val().getDefiningOp();
    if (source && sources.insert(source).second)
      llvm::append_range(pending, source->getOperands());
  }
  return sources;
}

/// A CTA computes keys of rows that are not its own: from memory, row by row.
LogicalResult KernelPlan::checkPartOfSequence(AttentionOp op) const {
  for (Operation *source : getSources(op))
    if (isa<AttentionOp>(source))
      return op.emitOpError()
             << "expects a CTA that has all rows of a sequence where a "
                "#hk.cuda kernel computes keys or values from another "
                "attention, but got "
             << schedule.getRows() << " of " << sequence;
  return success();
}

SmallVector<Value> KernelPlan::getResidentSources(AttentionOp op) const {
  llvm::DenseSet<Operation *> sources = getSources(op);
  SmallVector<Value> values;
  for (Operation &source : getBody().without_terminator()) {
    if (!sources.contains(&source) || !isa<ScopeOpInterface>(source))
      continue;
    auto linear = dyn_cast<LinearOp>(source);
    if (linear && getResidual(linear))
      continue; // With what it is added to.
    for (Value result : source.getResults())
      if (isResident(result))
        values.push_back(result);
  }
  return values;
}

LogicalResult KernelPlan::planAttentions() {
  for (auto op : getBody().getOps<AttentionOp>()) {
    AttentionPlan plan;
    for (Value value : op->getOperands().take_front(3))
      if (readsResident(value))
        return op.emitOpError()
               << "expects queries, keys and values in memory, or computed by "
                  "blocks, in a #hk.cuda kernel, but got "
               << value;
    plan.isProjected = computesKeys(op);
    if (plan.isProjected) {
      if (schedule.getRowBlocks() != 1)
        return op.emitOpError()
               << "expects row_blocks of 1 where a #hk.cuda kernel computes "
                  "keys or values, but got "
               << schedule.getRowBlocks();
      if (schedule.getPersistent())
        return op.emitOpError()
               << "expects no persistent CTAs where a #hk.cuda kernel computes "
                  "keys or values, but got some";
      if (!ownsSequences() && failed(checkPartOfSequence(op)))
        return failure();
      if (failed(setProjectedRows(op)))
        return failure();
      if (op.getHeadDim() % 8 != 0)
        return op.emitOpError()
               << "expects heads of a multiple of 8 columns where a #hk.cuda "
                  "kernel computes keys or values, but got "
               << op.getHeadDim();
      if (failed(setHeads(op, plan)))
        return failure();
    }
    attentions[op] = plan;
  }
  // Keys that come from memory are those of one sequence.
  for (auto op : getBody().getOps<AttentionOp>())
    if (projectedRows.sequences > 1 && !getAttentionPlan(op).isProjected)
      return op.emitOpError()
             << "expects keys and values that a #hk.cuda kernel computes, "
                "where a CTA has several sequences, but got some from memory "
                "and "
             << projectedRows.sequences << " sequences";
  return success();
}
