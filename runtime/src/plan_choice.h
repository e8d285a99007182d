// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function, plan and variants a session runs, before anything is
// measured.
#ifndef HK_RUNTIME_PLAN_CHOICE_H
#define HK_RUNTIME_PLAN_CHOICE_H

#include "device.h"
#include "module.h"

#include <vector>

namespace hk {

/// A variant, and in which of the device's ways it is run.
struct ChosenVariant {
  const schema::Variant *variant = nullptr;
  uint32_t algorithm = 0;

  explicit operator bool() const { return variant != nullptr; }
  bool operator==(const ChosenVariant &other) const {
    return variant == other.variant && algorithm == other.algorithm;
  }
};

/// The variants of a plan, by executable of the module; empty where the plan
/// has no dispatch of it.
using VariantChoice = std::vector<ChosenVariant>;

/// The index of the function of that name; HK_NOT_FOUND lists those there are.
Status findFunction(const Module &module, const char *name, uint32_t &index);

/// The plan of a function that the device runs: the one of that name, or
/// without one (nullptr) of the plans that run by default the one of lowest
/// rank, safe ones first on a GPU. HK_NOT_FOUND; HK_UNSUPPORTED where the
/// device lacks a variant.
Status choosePlan(const Device &device, const Module &module,
                  const schema::Function &function, const char *name,
                  const schema::Plan *&plan);

/// The plans of that role that the device runs, by rank.
std::vector<const schema::Plan *>
runnablePlans(const Device &device, const Module &module,
              const schema::Function &function, schema::Role role);

/// The variants of an executable that are worth a try: those of the device's
/// best instruction set, then those of libraries, in all their ways; empty
/// where the device runs none.
VariantChoice usefulVariants(const Device &device,
                             const schema::Executable &executable);

/// The first useful variant of each of a runnable plan's executables.
VariantChoice firstVariants(const Device &device, const Module &module,
                            const schema::Plan &plan);

} // namespace hk

#endif // HK_RUNTIME_PLAN_CHOICE_H
