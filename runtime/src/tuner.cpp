// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner.h"

#include "tensor_check.h"

#include <algorithm>
#include <cstdio>

namespace hk {
namespace {

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

bool Tuner::isTimeOver() const {
  return began_.milliseconds() >= 1000.0 * setup_.context.tuneSeconds();
}

Status Tuner::tryVariants(const schema::Plan &plan, Candidate &best,
                          std::string ended, Tuning &tuning) {
  const VariantChoice first = firstVariants(device_, setup_.module, plan);
  auto isTried = [&](const VariantChoice &variants) {
    return std::any_of(tuning.contenders.begin(), tuning.contenders.end(),
                       [&](const Contender &contender) {
                         return contender.plan == &plan &&
                                contender.variants == variants;
                       });
  };
  // One kernel after another, the others at their best so far.
  size_t left = 0;
  for (uint32_t i = 0; i < first.size(); ++i) {
    if (!first[i])
      continue;
    for (const ChosenVariant &other : usefulVariants(
             device_, *setup_.module.metadata().executables()->Get(i))) {
      VariantChoice tried = best.plan ? best.plan->variants() : first;
      tried[i] = other;
      // What fails beside one kernel fails beside others.
      if (isTried(tried) ||
          std::find(broken_.begin(), broken_.end(), other) != broken_.end())
        continue;
      if (ended.empty() && !isHopeless(best, ended) && isTimeOver())
        ended = concat("HK_TUNE_SECONDS (", setup_.context.tuneSeconds(),
                       ") are over");
      if (!ended.empty()) {
        ++left;
        continue;
      }
      HK_TRY(contend(plan, tried, best, tuning));
      const Verdict verdict = tuning.contenders.back().verdict;
      if (best.plan && // The other variants are good.
          (verdict == Verdict::Inaccurate || verdict == Verdict::Failed))
        broken_.push_back(other);
    }
  }
  if (left > 0)
    say(tuning, concat("plan '", printable(view(plan.name())), "': ", left,
                       " variants are not tried: ", ended));
  return Status();
}

Status Tuner::tunePlan(const schema::Plan &plan, Tuning &tuning) {
  Candidate best;
  HK_TRY(
      contend(plan, firstVariants(device_, setup_.module, plan), best, tuning));
  const Contender &first = tuning.contenders.back();
  HK_TRY(tryVariants(plan, best,
                     first.verdict == Verdict::Slower ? first.reason : "",
                     tuning));
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
    fallBack(tuning,
             concat("the reference plan cannot be run: ", status.message()));
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
  // Kernels of a graph overlap, so that what is best of one depends on those
  // beside it, which have changed since it was tried.
  size_t before = SIZE_MAX;
  while (champion_.plan && champion_.index != before && !isTimeOver()) {
    before = champion_.index;
    HK_TRY(tryVariants(*tuning.contenders[before].plan, champion_, "", tuning));
  }
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
  broken_.clear();
  gate_.reset();
  timer_.reset();
  run_ = nullptr;
  tuning.time.total = began_.milliseconds();
  return status;
}

} // namespace hk
