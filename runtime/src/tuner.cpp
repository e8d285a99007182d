// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner.h"

#include "tensor_check.h"

#include <algorithm>
#include <cstdio>

namespace hk {
namespace {

/// What memory holds before a run that is checked: NaN, in every float type.
constexpr uint8_t kPoison = 0xff;

/// What is slower is not compared where the outputs are larger: that takes
/// longer than to find the fastest.
constexpr uint64_t kLargeOutputs = uint64_t(64) << 20;
/// A plan that is so many times slower than another does not get its variants
/// tried.
constexpr double kHopeless = 3;

std::string microseconds(double milliseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f us", 1000 * milliseconds);
  return text;
}

std::string describe(const TuningTime &time) {
  char text[160];
  std::snprintf(text, sizeof(text),
                "chosen in %.0f ms (load %.0f, reference %.0f, compare %.0f, "
                "measure %.0f)",
                time.total, time.load, time.reference, time.compare,
                time.measure);
  return text;
}

} // namespace

Tuner::Tuner(const TunerSetup &setup)
    : setup_(setup), device_(setup.context.device()) {
  for (schema::Role role : {schema::Role::Candidate, schema::Role::Safe})
    for (const schema::Plan *plan :
         runnablePlans(device_, setup.module, setup.function, role))
      plans_.push_back(plan);
  const std::vector<const schema::Plan *> references = runnablePlans(
      device_, setup.module, setup.function, schema::Role::Reference);
  if (!references.empty())
    reference_ = references.front();
}

bool Tuner::hasChoice() const {
  // One plan is checked too: where it fails, the reference runs.
  return reference_ && !plans_.empty();
}

uint64_t Tuner::scratchOf(const schema::Plan &plan) const {
  uint64_t scratch = 0;
  for (const schema::Dispatch *dispatch : *plan.dispatches())
    for (const ChosenVariant &chosen :
         usefulVariants(device_, *setup_.module.metadata().executables()->Get(
                                     dispatch->executable())))
      scratch = std::max(scratch, device_.scratch(*chosen.variant));
  return scratch;
}

uint64_t Tuner::workspaceSize(uint64_t batch) const {
  uint64_t size = 0;
  auto count = [&](const schema::Plan *plan) {
    if (WorkspaceLayout layout;
        LoadedPlan::layOut(*plan, batch, 0, scratchOf(*plan), layout))
      size = std::max(size, layout.size);
  };
  std::for_each(plans_.begin(), plans_.end(), count);
  count(reference_);
  return size;
}

Status Tuner::load(const schema::Plan &plan, const VariantChoice &variants,
                   std::shared_ptr<const LoadedPlan> &loaded) {
  return LoadedPlan::load(setup_.context, setup_.module, plan, variants,
                          setup_.store, setup_.params, setup_.memoryLimit,
                          loaded);
}

std::string Tuner::nameOf(const Contender &contender) const {
  return hk::nameOf(device_, setup_.module.metadata(), *contender.plan,
                    contender.variants);
}

void Tuner::say(const Tuning &tuning, const std::string &message) const {
  setup_.context.log()(concat(setup_.module.name(), ": function '",
                              printable(view(setup_.function.name())),
                              "', batch ", tuning.batch, ": ", message));
}

Status Tuner::blame(Status failure, Contender &contender) {
  // After a kernel that went wrong nothing works, in this process.
  if (Status lost = device_.synchronize(run_->stream); !lost.ok())
    return std::move(lost).in(concat("plan ", nameOf(contender)));
  contender.verdict = Verdict::Failed;
  contender.reason = failure.message();
  return Status();
}

Status Tuner::runReference() {
  std::vector<void *> memory;
  HK_TRY(gate_->reserve(run_->outputs, memory));
  std::vector<DLTensor> tensors;
  std::vector<DLTensor *> pointers;
  for (uint32_t o = 0; o < run_->numOutputs; ++o) {
    tensors.push_back(*run_->outputs[o]);
    tensors[o].data = memory[o];
    tensors[o].byte_offset = 0;
  }
  for (DLTensor &tensor : tensors)
    pointers.push_back(&tensor);
  RunArguments arguments = *run_;
  arguments.outputs = pointers.data();

  std::shared_ptr<const LoadedPlan> plan;
  HK_TRY(load(*reference_, firstVariants(device_, setup_.module, *reference_),
              plan));
  WorkspaceLayout layout;
  HK_TRY(plan->layOut(static_cast<uint64_t>(batch_), layout));
  if (layout.size > run_->workspaceSize)
    return invalidArgument("expects a workspace of ", layout.size,
                           " bytes, but got ", run_->workspaceSize);
  Status status = plan->launch(arguments, batch_, layout);
  // What was launched uses what is freed here.
  HK_TRY(device_.synchronize(run_->stream));
  HK_TRY(std::move(status));
  return gate_->keep();
}

Status Tuner::prepare(const schema::Plan &plan, const VariantChoice &variants,
                      hk_launch_mode mode, Candidate &candidate) {
  HK_TRY(load(plan, variants, candidate.plan));
  WorkspaceLayout layout;
  HK_TRY(candidate.plan->layOut(static_cast<uint64_t>(batch_), layout));
  if (layout.size > run_->workspaceSize)
    return invalidArgument("expects a workspace of ", layout.size,
                           " bytes, but got ", run_->workspaceSize);
  if (mode == HK_LAUNCH_GRAPH && candidate.plan->numLaunches() > 1) {
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
  if (result.failed)
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
  // The first choice of a plan is compared with another plan's.
  const Candidate *bar = rival            ? rival
                         : champion_.plan ? &champion_
                                          : nullptr;
  const double least = candidate.timed.least;
  const bool slower = bar && LaunchTimer::isSlower(least, bar->timed.median);
  const bool lost =
      slower && (rival || least > kHopeless * bar->timed.median);
  if (lost && gate_->bytes() > kLargeOutputs) {
    contender.verdict = Verdict::Slower;
    contender.milliseconds = candidate.timed.median;
    contender.reason =
        concat("takes ", microseconds(least), " at least, and ",
               nameOf(tuning.contenders[bar->index]), " ",
               microseconds(bar->timed.median), "; not compared");
    return Status();
  }
  {
    Spent spent(tuning.time.compare);
    HK_TRY(compare(candidate, contender));
  }
  if (contender.verdict != Verdict::Passed)
    return Status();
  if (!slower)
    return race(rival, candidate, tuning);
  contender.milliseconds = candidate.timed.median;
  return Status();
}

Status Tuner::contend(const schema::Plan &plan, const VariantChoice &variants,
                      Candidate &best, Tuning &tuning) {
  Candidate candidate;
  candidate.index = tuning.contenders.size();
  tuning.contenders.emplace_back();
  Contender &contender = tuning.contenders.back();
  contender.plan = &plan;
  contender.variants = variants;
  Status prepared;
  {
    Spent spent(tuning.time.load);
    prepared = prepare(plan, variants, tuning.mode, candidate);
  }
  if (!prepared.ok())
    HK_TRY(blame(std::move(prepared), contender));
  else
    HK_TRY(judge(candidate, best.plan ? &best : nullptr, tuning));
  if (contender.verdict == Verdict::Slower)
    return Status();
  if (contender.verdict != Verdict::Passed) {
    say(tuning,
        concat("plan ", nameOf(contender), " is not used: ", contender.reason));
    return Status();
  }
  if (!best.plan || candidate.timed.median < best.timed.median)
    best = std::move(candidate);
  return Status();
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

Status Tuner::tunePlan(const schema::Plan &plan, Tuning &tuning) {
  Candidate best;
  VariantChoice variants = firstVariants(device_, setup_.module, plan);
  HK_TRY(contend(plan, variants, best, tuning));
  const size_t first = tuning.contenders.size() - 1;
  std::string ended; // why no more variants are tried
  if (tuning.contenders[first].verdict == Verdict::Slower)
    ended = tuning.contenders[first].reason;
  // One kernel after another, the others at their best so far.
  size_t left = 0;
  for (uint32_t i = 0; i < variants.size(); ++i) {
    if (!variants[i])
      continue;
    for (const ChosenVariant &other : usefulVariants(
             device_, *setup_.module.metadata().executables()->Get(i))) {
      if (other == variants[i])
        continue;
      if (ended.empty() && !isHopeless(best, ended) &&
          began_.milliseconds() >= 1000.0 * setup_.context.tuneSeconds())
        ended = concat("HK_TUNE_SECONDS (", setup_.context.tuneSeconds(),
                       ") are over");
      if (!ended.empty()) {
        ++left;
        continue;
      }
      VariantChoice tried = best.plan ? best.plan->variants() : variants;
      tried[i] = other;
      HK_TRY(contend(plan, tried, best, tuning));
    }
  }
  if (left > 0)
    say(tuning, concat("plan '", printable(view(plan.name())), "': ", left,
                       " variants are not tried: ", ended));
  if (!best.plan)
    return Status();
  if (!champion_.plan) {
    champion_ = std::move(best);
    return Status();
  }
  if (LaunchTimer::isSlower(best.timed.least, champion_.timed.median))
    return Status();
  HK_TRY(race(&champion_, best, tuning));
  if (tuning.contenders[best.index].verdict == Verdict::Passed &&
      beatsChampion(best))
    champion_ = std::move(best);
  return Status();
}

void Tuner::fallBack(Tuning &tuning, std::string reason) const {
  tuning.chosen = setup_.fallback;
  tuning.reason = std::move(reason);
  say(tuning, concat("plan '", printable(view(tuning.chosen->plan().name())),
                     "' runs: ", tuning.reason));
}

Status Tuner::tuneAll(Tuning &tuning) {
  Status status;
  {
    Spent spent(tuning.time.reference);
    status = runReference();
  }
  if (!status.ok()) {
    // Nothing may win unchecked.
    HK_TRY(device_.synchronize(run_->stream));
    fallBack(tuning, concat("the reference plan cannot be run: ",
                            status.message()));
    return Status();
  }
  if (!gate_->tellsAnything()) {
    tuning.decided = false;
    fallBack(tuning,
             concat("expects inputs and parameters whose reference is finite, "
                    "but got ",
                    gate_->notFinite()));
    return Status();
  }
  for (const schema::Plan *plan : plans_)
    HK_TRY(tunePlan(*plan, tuning));
  tuning.time.total = began_.milliseconds();
  if (champion_.plan) {
    tuning.chosen = champion_.plan;
    const Contender &winner = tuning.contenders[champion_.index];
    size_t passed = 0;
    for (const Contender &contender : tuning.contenders)
      passed += contender.verdict == Verdict::Passed;
    tuning.reason = concat("the fastest of ", passed, " that pass, of ",
                           tuning.contenders.size());
    say(tuning, concat("plan ", nameOf(winner), " runs, in ",
                       microseconds(winner.milliseconds), ": ", tuning.reason,
                       "; ", describe(tuning.time)));
    return Status();
  }
  HK_TRY(load(*reference_, firstVariants(device_, setup_.module, *reference_),
              tuning.chosen));
  tuning.reason = "no plan passes the accuracy gate";
  say(tuning,
      concat("the reference plan '", printable(view(reference_->name())),
             "' runs: ", tuning.reason));
  return Status();
}

Status Tuner::tune(const RunArguments &run, int64_t batch, hk_launch_mode mode,
                   Tuning &tuning) {
  tuning.batch = batch;
  tuning.mode = mode;
  run_ = &run;
  batch_ = batch;
  began_ = Stopwatch();
  timer_ = std::make_unique<LaunchTimer>(device_, run.stream);
  gate_ = std::make_unique<AccuracyGate>(device_, setup_.context.workers(),
                                         setup_.function, run.stream);
  Status status = tuneAll(tuning);
  // All of it is freed, but for what was chosen; nothing may still run.
  (void)device_.synchronize(run.stream);
  champion_ = Candidate();
  gate_.reset();
  timer_.reset();
  run_ = nullptr;
  tuning.time.total = began_.milliseconds();
  return status;
}

} // namespace hk
