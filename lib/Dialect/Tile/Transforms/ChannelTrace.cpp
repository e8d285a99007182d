// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChannelTrace.h"

#include "Uses.h"

using namespace mlir;
using namespace hk::tile;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// A trip count that is small and known.
static std::optional<int64_t> getTrips(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return std::nullopt;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ugt(4))
    return std::nullopt;
  return trips->getZExtValue();
}

ArrayRef<Choices::Option> Choices::getOptions(Operation *op) {
  static constexpr Option trips[] = {{0, 0}, {1, 1}, {2, 2},
                                     {3, 3}, {1, 2}, {3, 0}};
  static constexpr Option conditions[] = {{0, 0}, {1, 1}, {0, 1}};
  if (isa<scf::ForOp>(op))
    return trips;
  return conditions;
}

int64_t Choices::getKey(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return numbers.getBounds(loop);
  return numbers.get(cast<scf::IfOp>(op).getCondition());
}

void Choices::collect(Operation *op) {
  op->walk([&](Operation *nested) {
    if (isa<scf::ForOp, scf::IfOp>(nested) && !getTrips(nested) &&
        contains<AcquireOp, CommitOp, WaitOp, ReleaseOp>(nested))
      options.insert({getKey(nested), {getOptions(nested), 0}});
  });
}

int64_t Choices::get(Operation *op, int64_t turn) {
  if (std::optional<int64_t> trips = getTrips(op))
    return *trips;
  auto it = options.find(getKey(op));
  // Nothing inside has to do with channels: once shows all uses.
  if (it == options.end())
    return 1;
  Option option = it->second.first[it->second.second];
  return turn % 2 == 0 ? option.first : option.second;
}

LogicalResult Choices::forEach(function_ref<LogicalResult()> function) {
  constexpr size_t most = 1024;
  size_t combinations = 1;
  for (auto &[key, choice] : options)
    combinations = std::min(most + 1, combinations * choice.first.size());
  auto number = [&](size_t i) -> size_t & {
    return std::next(options.begin(), i)->second.second;
  };
  auto size = [&](size_t i) {
    return std::next(options.begin(), i)->second.first.size();
  };
  if (combinations <= most) {
    for (size_t combination = 0; combination < combinations; ++combination) {
      for (size_t i = 0, rest = combination; i < options.size(); ++i) {
        number(i) = rest % size(i);
        rest /= size(i);
      }
      if (failed(function()))
        return failure();
    }
    return success();
  }
  // One that differs from all others.
  for (size_t common = 0; common < 6; ++common)
    for (size_t one = 0; one < options.size(); ++one)
      for (size_t other = 0; other < size(one); ++other) {
        for (size_t i = 0; i < options.size(); ++i)
          number(i) = i == one ? other : common % size(i);
        if (failed(function()))
          return failure();
      }
  return success();
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

namespace {
class Tracer {
public:
  explicit Tracer(Choices &choices) : choices(choices) {}

  LogicalResult run(Block &block, int64_t turn) {
    for (Operation &op : block)
      if (failed(run(&op, turn)))
        return failure();
    return success();
  }

  std::vector<Step> steps;

private:
  LogicalResult run(Operation *op, int64_t turn) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (int64_t i = 0, e = choices.get(op, turn); i < e; ++i)
        if (failed(run(*loop.getBody(), turn + i)))
          return failure();
      return success();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Block *block =
          choices.get(op, turn) ? branch.thenBlock() : branch.elseBlock();
      return block ? run(*block, turn) : success();
    }
    if (op->getNumRegions() != 0 &&
        contains<AcquireOp, CommitOp, WaitOp, ReleaseOp>(op))
      return op->emitOpError()
             << "expects channels within scf.for and scf.if only, but got some "
                "inside";
    if (isa<AcquireOp, CommitOp, WaitOp, ReleaseOp>(op)) {
      Value chan = op->getOperand(0);
      int64_t slot = op->getNumResults() != 0 ? next[chan]++ : 0;
      for (Value result : op->getResults())
        slots[result] = {chan, slot};
      steps.push_back({op, chan, slot});
      return success();
    }
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (auto it = slots.find(operand); it != slots.end())
          steps.push_back({nested, it->second.first, it->second.second});
    });
    return success();
  }

  Choices &choices;
  llvm::DenseMap<Value, int64_t> next;
  llvm::DenseMap<Value, std::pair<Value, int64_t>> slots;
};
} // namespace

FailureOr<std::vector<Step>> hk::tile::getTrace(RoleOp role, Choices &choices) {
  Tracer tracer(choices);
  if (failed(tracer.run(role.getBody().front(), 0)))
    return failure();
  return std::move(tracer.steps);
}
