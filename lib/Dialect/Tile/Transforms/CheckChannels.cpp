// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "ChannelTrace.h"

#include "llvm/ADT/TypeSwitch.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILECHECKCHANNELS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk::tile;

namespace {
/// How many slots of a channel have come how far.
struct Counts {
  int64_t slots;
  int64_t acquired = 0;
  int64_t committed = 0;
  int64_t waited = 0;
  int64_t released = 0;
};

enum class Outcome { Done, Blocked, Wrong };

/// Both roles, run until neither can go on.
class Simulation {
public:
  Simulation(KernelOp kernel, ArrayRef<Step> producer, ArrayRef<Step> consumer)
      : producer(producer), consumer(consumer) {
    kernel.walk([&](ChanOp chan) {
      counts.insert({chan, {chan.getType().getSlots()}});
    });
  }

  LogicalResult run() {
    bool isMoving = true;
    while (isMoving) {
      size_t before = producer.size() + consumer.size();
      if (!advance(producer) || !advance(consumer))
        return failure();
      isMoving = producer.size() + consumer.size() != before;
    }
    if (!producer.empty() || !consumer.empty())
      return reportDeadlock();
    return verifyEnd();
  }

private:
  /// Runs as many steps as it can; false after an error.
  bool advance(ArrayRef<Step> &steps) {
    while (!steps.empty()) {
      Outcome outcome = run(steps.front());
      if (outcome == Outcome::Wrong)
        return false;
      if (outcome == Outcome::Blocked)
        return true;
      steps = steps.drop_front();
    }
    return true;
  }

  static Outcome wrong(Operation *op, StringRef expected, StringRef got) {
    op->emitOpError() << "expects " << expected << ", but got " << got;
    return Outcome::Wrong;
  }

  Outcome run(const Step &step) {
    Counts &c = counts.find(step.chan)->second;
    auto count = [](int64_t &counter) {
      ++counter;
      return Outcome::Done;
    };
    return llvm::TypeSwitch<Operation *, Outcome>(step.op)
        .Case<AcquireOp>([&](Operation *) {
          return c.acquired - c.released < c.slots ? count(c.acquired)
                                                   : Outcome::Blocked;
        })
        .Case<CopyOp>([&](Operation *op) {
          return step.slot >= c.committed
                     ? Outcome::Done
                     : wrong(op, "a copy before the commit of its slot",
                             "one after it");
        })
        .Case<CommitOp>([&](Operation *op) {
          return c.committed < c.acquired
                     ? count(c.committed)
                     : wrong(op, "a slot that is acquired", "none");
        })
        .Case<WaitOp>([&](Operation *op) {
          if (c.waited - c.released == c.slots)
            return wrong(op, "a slot more than the units hold", "none");
          return c.waited < c.committed ? count(c.waited) : Outcome::Blocked;
        })
        .Case<ReleaseOp>([&](Operation *op) {
          return c.released < c.waited
                     ? count(c.released)
                     : wrong(op, "a slot that is waited for", "none");
        })
        .Default([&](Operation *op) {
          return step.slot >= c.released
                     ? Outcome::Done
                     : wrong(op, "a slot that is not released",
                             "one that the producer may fill again");
        });
  }

  LogicalResult reportDeadlock() {
    const Step &step = (consumer.empty() ? producer : consumer).front();
    InFlightDiagnostic diag = step.op->emitOpError()
                              << "expects a slot to become "
                              << (consumer.empty() ? "empty" : "full")
                              << ", but got a deadlock";
    if (consumer.empty())
      diag.attachNote() << "the consumers have ended";
    else if (producer.empty())
      diag.attachNote() << "the producer has ended";
    else
      diag.attachNote(producer.front().op->getLoc())
          << "the producer waits for an empty slot here";
    return diag;
  }

  LogicalResult verifyEnd() {
    for (auto &[chan, c] : counts)
      if (c.acquired != c.committed || c.committed != c.waited ||
          c.waited != c.released)
        return chan.getDefiningOp()->emitOpError()
               << "expects all slots to be empty at the end, but got "
               << c.acquired << " acquired, " << c.committed << " committed, "
               << c.waited << " waited for and " << c.released << " released";
    return success();
  }

  ArrayRef<Step> producer;
  ArrayRef<Step> consumer;
  llvm::MapVector<Value, Counts> counts;
};

class CheckChannelsPass
    : public hk::tile::impl::TileCheckChannelsBase<CheckChannelsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    RoleOp producer, consumer;
    for (auto role : kernel.getBody().getOps<RoleOp>())
      (role.getKind() == RoleKind::Producer ? producer : consumer) = role;
    if (!producer || !consumer)
      return;
    Choices choices;
    choices.collect(producer);
    choices.collect(consumer);
    LogicalResult result = choices.forEach([&]() -> LogicalResult {
      FailureOr<std::vector<Step>> copies = getTrace(producer, choices);
      if (failed(copies))
        return failure();
      FailureOr<std::vector<Step>> uses = getTrace(consumer, choices);
      if (failed(uses))
        return failure();
      return Simulation(kernel, *copies, *uses).run();
    });
    if (failed(result))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
