// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module's metadata, for what the runtime's API does not tell: what each
// dispatch moves and computes, and plans that repeat one of them.
#ifndef HK_TOOLS_HK_BENCH_MODULE_FILE_H
#define HK_TOOLS_HK_BENCH_MODULE_FILE_H

#include "common/runtime_wrapper.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hk::tools {

/// What must be moved and computed: a lower bound, without what caches miss.
struct Cost {
  uint64_t read = 0, written = 0; ///< bytes of operands and results
  uint64_t packed = 0;            ///< bytes of packed parameters
  uint64_t flops = 0;             ///< of the matrix products

  uint64_t bytes() const { return read + written + packed; }
};
Cost operator+(const Cost &a, const Cost &b);

struct DispatchCost {
  std::string kernel;
  int32_t layer = -1; ///< -1: none
  Cost cost;
  /// Seconds, by the compiler's cost model, for this batch; 0: not predicted.
  double predicted = 0;
};

/// A variant of a kernel of a plan, and a plan in which it is timed.
struct VariantPlan {
  std::string plan;    ///< repeats the kernel's first dispatch by this variant
  std::string kernel;  ///< the executable's name
  size_t dispatch = 0; ///< the first of the kernel
  std::string schedule;
  double predicted = 0; ///< seconds; 0: not predicted
  std::string terms;    ///< what the cost model's prediction is made of, or ""
};

/// The bytes of a module file that the runtime has accepted.
class ModuleFile {
public:
  /// Reads and loads the file; throws a ToolError.
  explicit ModuleFile(const std::string &path);

  hk_module *module() const { return loaded.get(); }

  /// The dispatches of a plan for a batch, in order, where its kernels run on
  /// `isa`.
  std::vector<DispatchCost> costs(const Function &function,
                                  const std::string &plan,
                                  const std::string &isa, int64_t batch) const;

  /// The seconds that the compiler's cost model predicts for a plan, or 0 where
  /// it does not, or for another batch.
  double predicted(const Function &function, const std::string &plan,
                   int64_t batch) const;

  /// The module with a plan of the name `repeatedPlan(plan, i)` for each
  /// dispatch i of `plan`: the same dispatches, i done `copies` times more.
  Module withRepeatedDispatches(const Function &function,
                                const std::string &plan, int copies) const;

  /// The module with a plan for each useful variant of each kernel of `plan`,
  /// where kernels run on `isa`: the same dispatches, and the first of the
  /// kernel done `copies` times more by that variant.
  Module withVariants(const Function &function, const std::string &plan,
                      const std::string &isa, int64_t batch, int copies,
                      std::vector<VariantPlan> &variants) const;

  /// What the compiler refused or did worse than asked in a plan, and why: the
  /// remarks of the pass that assigns schedules.
  std::vector<std::string> refusals(const std::string &plan) const;

private:
  Module withMetadata(const void *metadata, size_t size) const;
  std::string bytes;
  Module loaded;
};

std::string repeatedPlan(const std::string &plan, size_t dispatch);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_MODULE_FILE_H
