// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tuner judges one contender: whether it runs, is right, and is faster.
#include "tuner.h"

#include "tensor_check.h"

namespace hk {
namespace {

/// What memory holds before a run that is checked: NaN, in every float type.
constexpr uint8_t kPoison = 0xff;

/// What does not win is not compared where the outputs are larger: that takes
/// longer than to find the fastest.
constexpr uint64_t kLargeOutputs = uint64_t(64) << 20;
/// A plan that is so many times slower than another does not get its variants
/// tried.
constexpr double kHopeless = 3;

} // namespace

Status Tuner::blame(Status failure, Contender &contender) {
  // After a kernel that went wrong nothing works, in this process.
  if (Status lost = device_.synchronize(run_->stream); !lost.ok())
    return std::move(lost).in(concat("plan ", nameOf(contender)));
  contender.verdict = Verdict::Failed;
  contender.reason = failure.message();
  return Status();
}

Status Tuner::prepare(const schema::Plan &plan, const VariantChoice &variants,
                      hk_launch_mode mode, Candidate &candidate) {
  HK_TRY(load(plan, variants, candidate.plan));
  WorkspaceLayout layout;
  HK_TRY(candidate.plan->layOut(static_cast<uint64_t>(batch_), layout));
  if (layout.size > run_->workspaceSize)
    return invalidArgument("expects a workspace of ", layout.size,
                           " bytes, but got ", run_->workspaceSize);
  if (mode == HK_LAUNCH_GRAPH) {
    HK_TRY(candidate.plan->capture(*run_, batch_, layout, candidate.graph));
    candidate.timed.launch = [graph = candidate.graph.get(),
                              stream = run_->stream] {
      return graph->launch(stream);
    };
  } else {
    candidate.timed.launch = [plan = candidate.plan.get(), run = run_,
                              batch = batch_, layout] {
      return plan->launch(*run, batch, layout);
    };
  }
  return Status();
}

Status Tuner::compare(const Candidate &candidate, Contender &contender) {
  // Whatever it does not write, or reads before it is written, shows.
  for (uint32_t o = 0; o < run_->numOutputs; ++o) {
    const ByteRange range = bytesOf(*run_->outputs[o]);
    HK_TRY(device_.fill(range.begin, kPoison, range.size, run_->stream));
  }
  HK_TRY(device_.fill(run_->workspace, kPoison, run_->workspaceSize,
                      run_->stream));
  if (Status status = candidate.timed.launch(); !status.ok())
    return blame(std::move(status), contender);
  HK_TRY(
      device_.synchronize(run_->stream).in(concat("plan ", nameOf(contender))));
  GateResult result;
  HK_TRY(gate_->compare(run_->outputs, result));
  contender.maxError = result.maxError;
  contender.verdict = result.failed ? Verdict::Inaccurate : Verdict::Passed;
  if (!result.failed)
    return Status();
  contender.milliseconds = -1;
  contender.reason =
      concat("fails the accuracy gate on ", result.failed, " of ",
             result.compared, " elements; the worst is ", result.worst);
  return Status();
}

Status Tuner::race(Candidate *first, Candidate &second, Tuning &tuning) {
  Spent spent(tuning.time.measure);
  std::vector<TimedLauncher *> launchers;
  if (first)
    launchers.push_back(&first->timed);
  launchers.push_back(&second.timed);
  if (Status status = timer_->race(launchers); !status.ok())
    return blame(std::move(status), tuning.contenders[second.index]);
  for (const Candidate *timed : {first, &second})
    if (timed)
      tuning.contenders[timed->index].milliseconds = timed->timed.median;
  return Status();
}

Status Tuner::judge(Candidate &candidate, Candidate *rival, Tuning &tuning) {
  Contender &contender = tuning.contenders[candidate.index];
  {
    Spent spent(tuning.time.measure);
    if (Status status = timer_->probe(candidate.timed); !status.ok())
      return blame(std::move(status), contender);
  }
  // The first choice of a plan is set against another plan's.
  const Candidate *bar = rival            ? rival
                         : champion_.plan ? &champion_
                                          : nullptr;
  const double least = candidate.timed.least;
  const bool slower = bar && LaunchTimer::isSlower(least, bar->timed.median);
  contender.milliseconds = candidate.timed.median;
  const bool isLarge = gate_->bytes() > kLargeOutputs;
  if (isLarge && slower &&
      (rival || least > kHopeless * bar->timed.median)) {
    passOver(contender, least, *bar, tuning);
    return Status();
  }
  const bool racesFirst = isLarge && rival && !slower;
  if (racesFirst) {
    contender.verdict = Verdict::Passed; // unless the race fails
    HK_TRY(race(rival, candidate, tuning));
    if (contender.verdict != Verdict::Passed)
      return Status();
    if (candidate.timed.median >= rival->timed.median) {
      passOver(contender, candidate.timed.median, *rival, tuning);
      return Status();
    }
  }
  {
    Spent spent(tuning.time.compare);
    HK_TRY(compare(candidate, contender));
  }
  if (contender.verdict == Verdict::Passed && !slower && !racesFirst)
    return race(rival, candidate, tuning);
  return Status();
}

void Tuner::passOver(Contender &contender, double milliseconds,
                     const Candidate &faster, const Tuning &tuning) const {
  contender.verdict = Verdict::Slower;
  contender.reason =
      concat("takes ", microseconds(milliseconds), ", and ",
             nameOf(tuning.contenders[faster.index]), " ",
             microseconds(faster.timed.median), "; not compared");
}

bool Tuner::isHopeless(const Candidate &best, std::string &reason) const {
  if (!best.plan || !champion_.plan ||
      best.timed.median <= kHopeless * champion_.timed.median)
    return false;
  reason = concat("takes ", microseconds(best.timed.median), " and '",
                  printable(view(champion_.plan->plan().name())), "' ",
                  microseconds(champion_.timed.median));
  return true;
}

bool Tuner::beatsChampion(const Candidate &best) const {
  auto isSafe = [](const Candidate &candidate) {
    return candidate.plan->plan().role() == schema::Role::Safe;
  };
  // A safe plan wins ties.
  double bar = champion_.timed.median;
  if (isSafe(champion_) && !isSafe(best))
    bar *= 1 - kTimingNoise;
  if (isSafe(best) && !isSafe(champion_))
    bar /= 1 - kTimingNoise;
  return best.timed.median < bar;
}

} // namespace hk
