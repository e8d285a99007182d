// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner.h"

#include "tensor_check.h"

#include <algorithm>
#include <cstdio>

namespace hk {
namespace {

/// What memory holds before a run that is checked: NaN, in every float type.
constexpr uint8_t kPoison = 0xff;

std::string microseconds(double milliseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f us", 1000 * milliseconds);
  return text;
}

} // namespace

Tuner::Tuner(const TunerSetup &setup)
    : setup_(setup), device_(setup.context.device()) {
  for (schema::Role role : {schema::Role::Safe, schema::Role::Candidate})
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
  const auto &outputs = *setup_.function.outputs();
  std::vector<DLTensor> tensors;
  std::vector<DLTensor *> pointers;
  expected_.clear();
  for (uint32_t o = 0; o < outputs.size(); ++o) {
    expected_.push_back(std::make_unique<DeviceBuffer>());
    HK_TRY(expected_[o]->allocate(device_, bytesOf(*run_->outputs[o]).size));
    tensors.push_back(*run_->outputs[o]);
    tensors[o].data = expected_[o]->data();
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
  return status;
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
    candidate.launcher = [graph = candidate.graph.get(),
                          stream = run_->stream] {
      return graph->launch(stream);
    };
  } else {
    candidate.launcher = [plan = candidate.plan.get(), run = run_,
                          batch = batch_,
                          layout] { return plan->launch(*run, batch, layout); };
  }
  return Status();
}

Status Tuner::verify(const Candidate &candidate, Contender &contender) {
  // Whatever it does not write, or reads before it is written, shows.
  for (uint32_t o = 0; o < run_->numOutputs; ++o) {
    const ByteRange range = bytesOf(*run_->outputs[o]);
    HK_TRY(device_.fill(range.begin, kPoison, range.size, run_->stream));
  }
  HK_TRY(device_.fill(run_->workspace, kPoison, run_->workspaceSize,
                      run_->stream));
  if (Status status = candidate.launcher(); !status.ok())
    return blame(std::move(status), contender);
  HK_TRY(
      device_.synchronize(run_->stream).in(concat("plan ", nameOf(contender))));
  std::vector<const uint8_t *> expected;
  for (const auto &buffer : expected_)
    expected.push_back(buffer->data());
  GateResult gate;
  HK_TRY(compareOutputs(device_, setup_.context.workers(), setup_.function,
                        run_->outputs, expected, gate));
  if (!gate.notFinite.empty())
    return invalidArgument(
        "expects inputs and parameters whose reference is finite, but got ",
        gate.notFinite, " that is not");
  contender.maxError = gate.maxError;
  contender.verdict = gate.failed ? Verdict::Inaccurate : Verdict::Passed;
  if (gate.failed)
    contender.reason =
        concat("fails the accuracy gate on ", gate.failed, " of ",
               gate.compared, " elements; the worst is ", gate.worst);
  return Status();
}

Status Tuner::measure(Candidate *first, Candidate &second, Tuning &tuning) {
  std::vector<Launcher> launchers;
  if (first)
    launchers.push_back(first->launcher);
  launchers.push_back(second.launcher);
  std::vector<double> medians;
  if (Status status = timer_->measure(launchers, medians); !status.ok())
    return blame(std::move(status), tuning.contenders[second.index]);
  second.milliseconds = medians.back();
  if (first)
    first->milliseconds = medians.front();
  for (const Candidate *measured : {first, &second})
    if (measured)
      tuning.contenders[measured->index].milliseconds = measured->milliseconds;
  return Status();
}

Status Tuner::contend(const schema::Plan &plan, const VariantChoice &variants,
                      Candidate &best, Tuning &tuning) {
  Candidate candidate;
  candidate.index = tuning.contenders.size();
  Contender &contender = tuning.contenders.emplace_back();
  contender.plan = &plan;
  contender.variants = variants;
  if (Status status = prepare(plan, variants, tuning.mode, candidate);
      !status.ok())
    HK_TRY(blame(std::move(status), contender));
  else
    HK_TRY(verify(candidate, contender));
  if (contender.verdict == Verdict::Passed)
    HK_TRY(measure(best.plan ? &best : nullptr, candidate, tuning));
  if (contender.verdict != Verdict::Passed) {
    say(tuning,
        concat("plan ", nameOf(contender), " is not used: ", contender.reason));
    return Status();
  }
  if (!best.plan || candidate.milliseconds < best.milliseconds)
    best = std::move(candidate);
  return Status();
}

Status Tuner::tunePlan(const schema::Plan &plan, Tuning &tuning) {
  Candidate best;
  VariantChoice variants = firstVariants(device_, setup_.module, plan);
  HK_TRY(contend(plan, variants, best, tuning));
  // One kernel after another, the others at their best so far.
  for (uint32_t i = 0; i < variants.size(); ++i) {
    if (!variants[i])
      continue;
    for (const ChosenVariant &other : usefulVariants(
             device_, *setup_.module.metadata().executables()->Get(i))) {
      if (other == variants[i])
        continue;
      VariantChoice tried = best.plan ? best.plan->variants() : variants;
      tried[i] = other;
      HK_TRY(contend(plan, tried, best, tuning));
    }
  }
  if (!best.plan)
    return Status();
  if (!champion_.plan) {
    champion_ = std::move(best);
    return Status();
  }
  HK_TRY(measure(&champion_, best, tuning));
  if (tuning.contenders[best.index].verdict != Verdict::Passed)
    return Status();
  const bool safe = champion_.plan->plan().role() == schema::Role::Safe;
  const double bar = safe ? 1 - kTimingNoise : 1;
  if (best.milliseconds < bar * champion_.milliseconds)
    champion_ = std::move(best);
  return Status();
}

Status Tuner::tuneAll(Tuning &tuning) {
  if (Status status = runReference(); !status.ok()) {
    // Nothing may win unchecked.
    HK_TRY(device_.synchronize(run_->stream));
    tuning.chosen = setup_.fallback;
    tuning.reason =
        concat("the reference plan cannot be run: ", status.message());
    say(tuning, concat("plan '", printable(view(tuning.chosen->plan().name())),
                       "' runs: ", tuning.reason));
    return Status();
  }
  for (const schema::Plan *plan : plans_)
    HK_TRY(tunePlan(*plan, tuning));
  if (champion_.plan) {
    tuning.chosen = champion_.plan;
    const Contender &winner = tuning.contenders[champion_.index];
    size_t passed = 0;
    for (const Contender &contender : tuning.contenders)
      passed += contender.verdict == Verdict::Passed;
    tuning.reason = concat("the fastest of ", passed, " that pass, of ",
                           tuning.contenders.size());
    say(tuning, concat("plan ", nameOf(winner), " runs, in ",
                       microseconds(winner.milliseconds), ": ", tuning.reason));
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
  timer_ = std::make_unique<LaunchTimer>(device_, run.stream);
  Status status = tuneAll(tuning);
  // All of it is freed, but for what was chosen; nothing may still run.
  (void)device_.synchronize(run.stream);
  champion_ = Candidate();
  expected_.clear();
  timer_.reset();
  run_ = nullptr;
  return status;
}

} // namespace hk
