// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a plan by measurement, on a caller's tensors: every plan and variant
// is checked against the reference plan, and the fastest of those that pass is
// kept.
#ifndef HK_RUNTIME_TUNER_H
#define HK_RUNTIME_TUNER_H

#include "accuracy_gate.h"
#include "launch_timer.h"
#include "stopwatch.h"
#include "tuning_report.h"

namespace hk {

/// What a tuner works with, all of one session.
struct TunerSetup {
  Context &context;
  const Module &module;
  const schema::Function &function;
  PackedStore &store;
  const Params *params;
  uint64_t memoryLimit;
  const std::shared_ptr<const LoadedPlan> &fallback; // runs where none passes
};

class Tuner {
public:
  explicit Tuner(const TunerSetup &setup);

  /// Whether there is anything to choose: several plans or variants that run by
  /// default, and a reference to check them against.
  bool hasChoice() const;

  /// Enough for each plan, where that does not overflow.
  uint64_t workspaceSize(uint64_t batch) const;

  /// Runs everything on the caller's tensors, which were checked, and on their
  /// stream. What the outputs hold afterwards is not told. The device is
  /// entered. Errors are those of the device.
  Status tune(const RunArguments &run, int64_t batch, hk_launch_mode mode,
              Tuning &tuning);

private:
  /// A plan, and how to launch it.
  struct Candidate {
    std::shared_ptr<const LoadedPlan> plan;
    std::unique_ptr<CapturedGraph> graph; // or null
    TimedLauncher timed;
    size_t index = 0; // of tuning.contenders
  };

  /// The most that any of its variants needs.
  uint64_t scratchOf(const schema::Plan &plan) const;
  Status load(const schema::Plan &plan, const VariantChoice &variants,
              std::shared_ptr<const LoadedPlan> &loaded);
  Status tuneAll(Tuning &tuning);
  /// Runs the reference plan and keeps its results.
  Status runReference();
  /// The session's first plan runs, for nothing can be compared.
  void fallBack(Tuning &tuning, std::string reason) const;
  /// Finds the best variants of a plan, and makes it the champion where it
  /// wins.
  Status tunePlan(const schema::Plan &plan, Tuning &tuning);
  /// Tries the other variants of each kernel of a plan, but for what was tried
  /// before; `best` is the best of the plan so far, or empty. Where `ended`
  /// says why, they are only counted.
  Status tryVariants(const schema::Plan &plan, Candidate &best,
                     std::string ended, Tuning &tuning);
  /// Whether there is no time left for more variants.
  bool isTimeOver() const;
  /// Whether no variant of a plan is worth a try, and why.
  bool isHopeless(const Candidate &best, std::string &reason) const;
  /// Tries a plan; `best` is the best of the same plan so far, or empty.
  Status contend(const schema::Plan &plan, const VariantChoice &variants,
                 Candidate &best, Tuning &tuning);
  Status prepare(const schema::Plan &plan, const VariantChoice &variants,
                 hk_launch_mode mode, Candidate &candidate);
  /// Probes it, compares it with the reference, and times it against `rival`
  /// (or nullptr). Whether it passed is the contender's verdict.
  Status judge(Candidate &candidate, Candidate *rival, Tuning &tuning);
  Status compare(const Candidate &candidate, Contender &contender);
  /// It is slower than another, and not compared.
  void passOver(Contender &contender, double milliseconds,
                const Candidate &faster, const Tuning &tuning) const;
  /// Times both in turns; an error of a launch is `contender`'s.
  Status race(Candidate *first, Candidate &second, Tuning &tuning);
  /// Whether it is as fast as makes it the champion.
  bool beatsChampion(const Candidate &best) const;
  /// Whether the device is still good after `failure`: it becomes the
  /// contender's verdict, or else is returned.
  Status blame(Status failure, Contender &contender);
  std::string nameOf(const Contender &contender) const;
  void say(const Tuning &tuning, const std::string &message) const;

  TunerSetup setup_;
  Device &device_;
  std::vector<const schema::Plan *> plans_; // candidates first
  const schema::Plan *reference_ = nullptr;

  // Of the tuning that goes on.
  const RunArguments *run_ = nullptr;
  int64_t batch_ = 0;
  Stopwatch began_;
  std::unique_ptr<LaunchTimer> timer_;
  std::unique_ptr<AccuracyGate> gate_;
  Candidate champion_;
  /// The variants with which a plan failed.
  std::vector<ChosenVariant> broken_;
};

} // namespace hk

#endif // HK_RUNTIME_TUNER_H
