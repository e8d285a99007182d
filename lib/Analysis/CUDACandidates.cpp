// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/CUDACandidates.h"

#include "KernelCosts.h"
#include "ProjectionCandidates.h"

#include "hk/Target/Devices/Device.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace hk;

/// A step in K of theirs; other products are those of a warp.
static constexpr int64_t kGroupDepth = 16;
static constexpr int64_t kMostUnits = 12;

/// Keys of a block of attention, the fewest that are tried where they fit.
static constexpr int64_t kFewKeys = 32;

static bool operator==(const CUDASchedule &a, const CUDASchedule &b) {
  auto all = [](const CUDASchedule &s) {
    return std::tie(s.rows, s.units, s.columns, s.heads, s.block, s.depth,
                    s.keys, s.stages, s.usesWarpgroups, s.ctas, s.rowBlocks,
                    s.isPersistent);
  };
  return all(a) == all(b);
}

/// What makes two schedules kernels of their own, but for the ring. A CTA that
/// computes keys is what its heads and units make it: with other blocks it does
/// the same in other steps. One that reads keys is what its rows and keys make
/// it: with more heads, rows in pairs, or persistent, it does the same more
/// often.
static auto getKind(const CUDASchedule &s, CUDAFamily family) {
  bool isProjection = family == CUDAFamily::Projection;
  bool isAttention = family == CUDAFamily::Attention;
  return std::make_tuple(s.rows, s.units, s.columns, isAttention ? 0 : s.heads,
                         isProjection ? 0 : s.block, isProjection ? 0 : s.keys,
                         s.usesWarpgroups, s.ctas,
                         isAttention ? 0 : s.rowBlocks);
}

//===----------------------------------------------------------------------===//
// The schedules of a family
//===----------------------------------------------------------------------===//

namespace {
class Enumerator {
public:
  /// `leastKeys`: of a block of attention.
  Enumerator(const CUDAKernelShape &shape, const CUDASchedule &rules,
             const Device &device, int64_t leastKeys)
      : shape(shape), rules(rules), leastKeys(leastKeys),
        wide(std::max<int64_t>(shape.operandBytes / 2, 1)),
        hasWarpgroups(device.wgmma.f16 > 0 && shape.operandBytes == 2 &&
                      shape.headDim % kGroupDepth == 0 &&
                      (shape.depth == 1 || shape.depth % kGroupDepth == 0)) {
    // It wins where times are equal.
    add(rules);
  }

  std::vector<CUDASchedule> get() {
    switch (shape.family) {
    case CUDAFamily::Line:
      line();
      break;
    case CUDAFamily::Gemm:
      forRows({16, 32, 64, 128, 256}, {16, 32, 64},
              [&](CUDASchedule s) { gemm(s); });
      break;
    case CUDAFamily::Attention:
      forRows({16, 32, 64, 128, 192}, {16, 32}, [&](CUDASchedule s) {
        // Where few CTAs share an SM, what each begins and ends with is worth
        // more rows.
        for (int64_t heads : {1, 2, 4})
          for (int64_t blocks : {1, 2}) {
            s.heads = heads;
            s.rowBlocks = blocks;
            if (heads * blocks == 1 || s.usesWarpgroups)
              forKeys(s, {2, 3, 4});
          }
        s.heads = s.rowBlocks = 1;
        s.isPersistent = s.ctas > 0;
        if (s.isPersistent)
          forKeys(s, {2, 3, 4});
      });
      break;
    case CUDAFamily::Projection:
      for (const CUDASchedule &schedule :
           listProjections(shape, rules, hasWarpgroups))
        add(schedule);
      break;
    case CUDAFamily::Chain:
      forRows({16, 32, 64, 128}, {16, 32}, [&](CUDASchedule s) { chain(s); });
      break;
    }
    return std::move(schedules);
  }

private:
  void add(const CUDASchedule &schedule) {
    if (llvm::none_of(schedules, [&](const CUDASchedule &other) {
          return other == schedule;
        }))
      schedules.push_back(schedule);
  }

  /// Rows of a CTA, and of a warp. A CTA has up to 8 warps, or three
  /// warpgroups.
  void forRows(std::initializer_list<int64_t> all,
               std::initializer_list<int64_t> ofUnit,
               llvm::function_ref<void(CUDASchedule)> body) {
    for (int64_t rows : all)
      for (int64_t unitRows : ofUnit) {
        CUDASchedule s = rules;
        s.rows = rows;
        s.units = rows / unitRows;
        bool fits = rows == kTileRows || rows / 2 < shape.sequence;
        if (s.units < 1 || s.units > kMostUnits || !fits)
          continue;
        if (s.units <= 8 && llvm::isPowerOf2_64(rows))
          body(s);
        s.usesWarpgroups = hasWarpgroups && s.units % kWarpgroup == 0;
        for (int64_t ctas = 1; s.usesWarpgroups && ctas <= 3; ++ctas) {
          s.ctas = ctas;
          body(s);
        }
      }
  }

  void forStages(CUDASchedule s, std::initializer_list<int64_t> all) {
    // Where it is known how many CTAs share an SM, the shared memory that they
    // leave is free: of equal times, the longer ring is enumerated first.
    static constexpr int64_t kLong[] = {8, 6, 5, 4, 3, 2};
    llvm::ArrayRef<int64_t> chosen(all.begin(), all.size());
    if (s.ctas > 0)
      chosen = kLong;
    for (int64_t stages : chosen) {
      s.stages = stages;
      add(s);
    }
  }

  void forKeys(CUDASchedule s, std::initializer_list<int64_t> stages) {
    for (int64_t keys : {16, 32, 64, 128}) {
      if (keys < leastKeys)
        continue;
      s.keys = std::min(keys / wide, rules.keys);
      if (shape.headDim <= 128)
        s.keys = std::min<int64_t>(keys / wide,
                                   llvm::alignTo(shape.sequence, kTileRows));
      forStages(s, stages);
    }
  }

  void line() {
    for (int64_t units : {1, 2, 4, 8})
      for (int64_t rows : {1, 2, 4, 8, 16}) {
        CUDASchedule s = rules;
        s.units = units;
        s.rows = units * rows;
        if (s.rows == 1 || s.rows / 2 < shape.sequence)
          add(s);
      }
  }

  void gemm(CUDASchedule s) {
    for (int64_t columns : {32, 64, 128, 256}) {
      s.columns = s.block =
          std::min<int64_t>(columns / wide, llvm::alignTo(shape.features, 8));
      for (int64_t depth : {32, 64, 128}) {
        s.depth =
            std::min<int64_t>(depth / wide, llvm::alignTo(shape.depth, 8));
        forStages(s, {2, 3, 4});
      }
    }
  }

  void chain(CUDASchedule s) {
    bool hasLinear = shape.depth > 1;
    for (int64_t block : {32, 64, 128}) {
      s.block = hasLinear ? block / wide : rules.block;
      if (shape.headDim)
        forKeys(s, {2, 3, 4});
      else
        forStages(s, {2, 3, 4});
    }
  }

  const CUDAKernelShape &shape;
  const CUDASchedule &rules;
  int64_t leastKeys;
  int64_t wide;
  bool hasWarpgroups;
  std::vector<CUDASchedule> schedules;
};

class Refusals {
public:
  void add(llvm::StringRef kind, const CUDASchedule &schedule,
           std::string reason) {
    for (RefusedSchedules &known : all)
      if (known.kind == kind) {
        ++known.count;
        return;
      }
    all.push_back({kind, std::move(reason), schedule, 1});
  }

  std::vector<RefusedSchedules> all;
};
} // namespace

/// Adds why a device cannot run a schedule.
static void addRefusal(Refusals &refusals, const CUDASchedule &schedule,
                       const KernelWork &work, const Device &device) {
  if (work.shared > device.sharedPerCTA)
    return refusals.add("shared memory", schedule,
                        llvm::formatv("a CTA would need {0} bytes of shared "
                                      "memory, above the limit of {1}",
                                      work.shared, device.sharedPerCTA));
  refusals.add("registers", schedule,
               llvm::formatv("{0} threads would need about {1} registers each, "
                             "but a thread has 255 at most and an SM {2}",
                             work.threads, work.registers, device.registers));
}

/// One candidate at least uses the other instruction of the matrix units, if
/// there is one: how the two compare is what a model knows least.
static void addOtherInstruction(const std::vector<CUDACandidate> &ranked,
                                llvm::ArrayRef<size_t> order, int64_t most,
                                CUDACandidates &result) {
  if (most < 2 || result.best.empty())
    return;
  bool uses = result.best.front().schedule.usesWarpgroups;
  auto isOther = [&](const CUDACandidate &candidate) {
    return candidate.schedule.usesWarpgroups != uses;
  };
  if (llvm::any_of(result.best, isOther))
    return;
  for (size_t index : order) {
    if (!isOther(ranked[index]))
      continue;
    // What it takes the place of is now the next; it is not itself.
    if (int64_t(result.best.size()) == most) {
      result.next = result.best.back();
      result.best.pop_back();
    } else if (result.next && result.next->schedule == ranked[index].schedule) {
      result.next.reset();
    }
    result.best.push_back(ranked[index]);
    return;
  }
}

CUDACandidates hk::rankCUDASchedules(const KernelDescription &kernel,
                                     const Device &device, int64_t most) {
  const CUDAKernelShape &shape = kernel.getShape();
  CUDASchedule rules =
      chooseCUDASchedule({device.sms, device.sharedPerCTA}, shape);
  CUDACandidates result;
  Refusals refusals;
  std::vector<CUDACandidate> ranked;
  auto rank = [&](int64_t leastKeys) {
    for (const CUDASchedule &schedule :
         Enumerator(shape, rules, device, leastKeys).get()) {
      if (std::string why = kernel.whyRefused(schedule); !why.empty()) {
        refusals.add("shape", schedule, std::move(why));
        continue;
      }
      KernelWork work = kernel.getWork(schedule, device);
      KernelCost cost = predictCost(work, device);
      if (cost.fits())
        ranked.push_back({schedule, cost});
      else
        addRefusal(refusals, schedule, work, device);
    }
  };
  rank(kFewKeys);
  // Wide heads fill the shared memory of some GPUs with that many.
  if (ranked.empty() && shape.headDim > 0) {
    refusals = Refusals();
    rank(kTileRows);
  }
  // Of equals, the one that was enumerated first.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, ranked.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::tie(ranked[a].cost.total, a) <
           std::tie(ranked[b].cost.total, b);
  });
  result.legal = ranked.size();
  result.refused = std::move(refusals.all);
  for (size_t index : order) {
    const CUDACandidate &candidate = ranked[index];
    auto isLike = [&](const CUDACandidate &other) {
      return getKind(other.schedule, shape.family) ==
             getKind(candidate.schedule, shape.family);
    };
    if (llvm::any_of(result.best, isLike))
      continue;
    bool isWorthIt = result.best.empty() ||
                     (int64_t(result.best.size()) < most &&
                      candidate.cost.total <=
                          kWorthMeasuring * result.best.front().cost.total);
    if (!isWorthIt) {
      result.next = candidate;
      break;
    }
    result.best.push_back(candidate);
  }
  addOtherInstruction(ranked, order, most, result);
  if (result.best.empty())
    result.best.push_back({rules, KernelCost()});
  return result;
}

std::optional<double> hk::predictBest(const KernelDescription &kernel,
                                      const Device &device) {
  CUDACandidates candidates = rankCUDASchedules(kernel, device, 1);
  const KernelCost &cost = candidates.best.front().cost;
  return cost.fits() ? std::optional<double>(cost.total) : std::nullopt;
}

std::string hk::describe(const CUDASchedule &s, CUDAFamily family) {
  std::string text = llvm::formatv("rows {0}, units {1}", s.rows, s.units);
  if (family == CUDAFamily::Gemm)
    text += llvm::formatv(", columns {0}, depth {1}", s.columns, s.depth);
  if (family == CUDAFamily::Chain)
    text += llvm::formatv(", block {0}, keys {1}", s.block, s.keys);
  if (family == CUDAFamily::Projection)
    text += llvm::formatv(", heads {0}, block {1}, keys {2}", s.heads, s.block,
                          s.keys);
  if (family == CUDAFamily::Attention)
    text += llvm::formatv(", keys {0}", s.keys);
  if (family != CUDAFamily::Line)
    text += llvm::formatv(", stages {0}", s.stages);
  if (family == CUDAFamily::Attention && s.heads > 1)
    text += llvm::formatv(", heads {0}", s.heads);
  if (s.rowBlocks > 1)
    text += llvm::formatv(", row blocks {0}", s.rowBlocks);
  if (s.isPersistent)
    text += ", persistent";
  if (s.usesWarpgroups)
    text += llvm::formatv(", wgmma, {0} CTAs an SM", s.ctas);
  return text;
}
