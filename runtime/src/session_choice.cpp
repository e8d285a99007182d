// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which plan a run of a session takes, and when that is decided. Once it is,
// nothing here allocates, waits or locks.
#include "session.h"

namespace hk {
namespace {

/// Batches that are tuned without being asked for, for each way of launching;
/// others take the choice of the nearest.
constexpr uint32_t kMaxBatches = 64;
/// Choices that are kept; batches behind them look for the nearest each time.
constexpr size_t kMaxChoices = 16384;
/// Runs whose inputs decide nothing, before a session stops to try.
constexpr uint32_t kMaxUndecided = 3;

} // namespace

Session::Chain &Session::chainOf(int64_t batch) const {
  return chains_[static_cast<uint64_t>(batch) % kChains];
}

const Session::Choice *Session::find(int64_t batch, hk_launch_mode mode) const {
  for (const Choice *choice = chainOf(batch).load(std::memory_order_acquire);
       choice; choice = choice->older)
    if (choice->batch == batch && choice->mode == mode)
      return choice;
  return nullptr;
}

const Session::Choice &Session::addChoice(const Choice &choice) {
  choices_.push_back(choice);
  Choice &added = choices_.back();
  Chain &chain = chainOf(added.batch);
  added.older = chain.load(std::memory_order_relaxed);
  chain.store(&added, std::memory_order_release);
  return added;
}

void Session::publish(Tuning tuning) {
  if (tuning.decided) {
    const Choice *known = find(tuning.batch, tuning.mode);
    batches_[tuning.mode] += !known || !known->measured;
    latest_.store(
        &addChoice({tuning.batch, tuning.mode, tuning.chosen, true, nullptr}),
        std::memory_order_release);
  }
  tunings_.push_back(std::move(tuning));
}

Status Session::tuneLocked(const RunArguments &run, int64_t batch,
                           hk_launch_mode mode) {
  Tuning tuning;
  HK_TRY(tuner_->tune(run, batch, mode, tuning));
  publish(std::move(tuning));
  return Status();
}

Status Session::choose(const RunArguments &run, int64_t batch,
                       hk_launch_mode mode,
                       const std::shared_ptr<const LoadedPlan> *&plan) {
  plan = &default_;
  if (!tuner_)
    return Status();
  const Choice *choice = find(batch, mode);
  if (!choice) {
    // To measure is to wait, which a capture forbids.
    if (device().isCapturing(run.stream))
      return Status();
    uint64_t size;
    HK_TRY(workspaceSize(batch, size));
    HK_TRY(checkWorkspace(run, batch, size));
    std::lock_guard<std::mutex> lock(mutex_);
    HK_TRY(chooseLocked(run, batch, mode, choice));
  }
  if (choice)
    plan = &choice->plan;
  return Status();
}

Status Session::chooseLocked(const RunArguments &run, int64_t batch,
                             hk_launch_mode mode, const Choice *&choice) {
  if ((choice = find(batch, mode)))
    return Status();
  if (batches_[mode] >= kMaxBatches) {
    auto distance = [batch](const Choice &other) {
      return other.batch < batch ? batch - other.batch : other.batch - batch;
    };
    for (const Choice &other : choices_)
      if (other.mode == mode && other.measured &&
          (!choice || distance(other) <= distance(*choice)))
        choice = &other;
    if (choices_.size() < kMaxChoices)
      choice = &addChoice({batch, mode, choice->plan, false, nullptr});
    return Status();
  }
  Tuning pinned;
  pinned.batch = batch;
  pinned.mode = mode;
  pinned.chosen = default_;
  pinned.reason = "no run had inputs that tell plans apart";
  if (undecided_ < kMaxUndecided) {
    Status status = tuneLocked(run, batch, mode);
    choice = find(batch, mode);
    // Where a kernel went wrong, nothing else will do.
    if (status.code() == HK_INTERNAL)
      return status;
    if (status.ok()) {
      undecided_ += choice == nullptr; // other inputs may do
      return Status();
    }
    pinned.reason = status.message();
    context_->log()(concat(module_->name(), ": function '",
                           printable(view(function_->name())), "', batch ",
                           batch, ": plan '",
                           printable(view(default_->plan().name())),
                           "' runs, for none can be chosen: ", pinned.reason));
  }
  publish(std::move(pinned));
  choice = find(batch, mode);
  return Status();
}

Status Session::tune(const RunArguments &run, hk_launch_mode mode) {
  int64_t batch;
  HK_TRY(checkTensors(run, batch));
  if (batch == 0)
    return Status();
  uint64_t size;
  HK_TRY(workspaceSize(batch, size));
  HK_TRY(checkWorkspace(run, batch, size));
  if (!tuner_)
    return Status();
  DeviceScope scope(device());
  HK_TRY(scope.status());
  if (device().isCapturing(run.stream))
    return invalidArgument("expects a stream that is not being captured, for "
                           "to tune is to wait, but got one that is");
  std::lock_guard<std::mutex> lock(mutex_);
  return tuneLocked(run, batch, mode);
}

std::string Session::report() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return tuningsToJson(device(), module_->metadata(), *function_, tunings_);
}

} // namespace hk
