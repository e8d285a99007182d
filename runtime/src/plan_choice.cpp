// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_choice.h"

#include "module_check.h"

#include <algorithm>
#include <tuple>

namespace hk {
namespace {

/// The executable of a plan that the device has no variant of, or nullptr.
const schema::Executable *unrunnable(const Device &device,
                                     const schema::Module &module,
                                     const schema::Plan &plan) {
  for (const schema::Dispatch *dispatch : *plan.dispatches()) {
    const schema::Executable *executable =
        module.executables()->Get(dispatch->executable());
    if (usefulVariants(device, *executable).empty())
      return executable;
  }
  return nullptr;
}

bool isDefaultRole(schema::Role role) {
  return role == schema::Role::Candidate || role == schema::Role::Safe;
}

/// "'a', 'b'"
template <typename Named>
std::string
nameList(const flatbuffers::Vector<flatbuffers::Offset<Named>> &all) {
  constexpr uint32_t kShown = 16;
  std::string text;
  for (uint32_t i = 0; i < std::min(all.size(), kShown); ++i)
    text += concat(i ? ", '" : "'", printable(view(all.Get(i)->name())), "'");
  return all.size() > kShown ? text + ", ..." : text;
}

std::string isaList(const schema::Executable &executable) {
  std::string text;
  for (const schema::Variant *variant : *executable.variants())
    text += concat(text.empty() ? "" : " or ", printable(view(variant->isa())));
  return text;
}

} // namespace

VariantChoice usefulVariants(const Device &device,
                             const schema::Executable &executable) {
  uint32_t best = 0;
  for (const schema::Variant *variant : *executable.variants())
    best = std::max(best, device.preference(*variant));
  VariantChoice useful, libraries;
  for (const schema::Variant *variant : *executable.variants()) {
    const uint32_t preference = device.preference(*variant);
    const bool library = variant->target() == schema::Target::CublasLt;
    if (preference == 0 || (preference < best && !library))
      continue;
    for (uint32_t i = 0; i < device.algorithms(*variant); ++i)
      (library ? libraries : useful).push_back({variant, i});
  }
  useful.insert(useful.end(), libraries.begin(), libraries.end());
  return useful;
}

VariantChoice firstVariants(const Device &device, const Module &module,
                            const schema::Plan &plan) {
  const auto &executables = *module.metadata().executables();
  VariantChoice variants(executables.size());
  for (const schema::Dispatch *dispatch : *plan.dispatches())
    variants[dispatch->executable()] =
        usefulVariants(device, *executables.Get(dispatch->executable()))
            .front();
  return variants;
}

std::vector<const schema::Plan *>
runnablePlans(const Device &device, const Module &module,
              const schema::Function &function, schema::Role role) {
  std::vector<const schema::Plan *> plans;
  for (const schema::Plan *plan : *function.plans())
    if (plan->role() == role && !unrunnable(device, module.metadata(), *plan))
      plans.push_back(plan);
  // Of equal rank in the order of the file, in which their addresses need not
  // be.
  for (size_t i = 1; i < plans.size(); ++i)
    for (size_t j = i; j > 0 && plans[j]->rank() < plans[j - 1]->rank(); --j)
      std::swap(plans[j], plans[j - 1]);
  return plans;
}

Status findFunction(const Module &module, const char *name, uint32_t &index) {
  const auto &functions = *module.metadata().functions();
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (view(functions.Get(i)->name()) == name) {
      index = i;
      return Status();
    }
  return error(HK_NOT_FOUND, module.name(), ": expects one of the functions ",
               nameList(functions), ", but got '", printable(name), "'");
}

Status choosePlan(const Device &device, const Module &loaded,
                  const schema::Function &function, const char *name,
                  const schema::Plan *&plan) {
  const schema::Module &module = loaded.metadata();
  const auto &plans = *function.plans();
  const std::string subject = concat(loaded.name(), ": function '",
                                     printable(view(function.name())), "'");

  std::vector<uint32_t> allowed;
  uint32_t last = 0; // the compiler's last choice of them
  if (name) {
    for (uint32_t i = 0; i < plans.size(); ++i)
      if (view(plans.Get(i)->name()) == name)
        allowed.push_back(i);
    if (allowed.empty())
      return error(HK_NOT_FOUND, subject, ": expects one of the plans ",
                   nameList(plans), ", but got '", printable(name), "'");
    last = allowed.back();
  } else {
    const bool anyDefault =
        std::any_of(plans.begin(), plans.end(), [](const schema::Plan *plan) {
          return isDefaultRole(plan->role());
        });
    for (uint32_t i = 0; i < plans.size(); ++i)
      if (!anyDefault || isDefaultRole(plans.Get(i)->role()))
        allowed.push_back(i);
    auto order = [&](uint32_t i) {
      const bool later =
          !device.inHostMemory() && plans.Get(i)->role() != schema::Role::Safe;
      return std::make_tuple(later, plans.Get(i)->rank(), i);
    };
    std::sort(allowed.begin(), allowed.end(),
              [&](uint32_t a, uint32_t b) { return order(a) < order(b); });
    last = *std::max_element(allowed.begin(), allowed.end(),
                             [&](uint32_t a, uint32_t b) {
                               return std::make_pair(plans.Get(a)->rank(), a) <
                                      std::make_pair(plans.Get(b)->rank(), b);
                             });
  }

  for (uint32_t i : allowed)
    if (!unrunnable(device, module, *plans.Get(i))) {
      plan = plans.Get(i);
      return Status();
    }
  // The least that would do.
  const schema::Plan &least = *plans.Get(last);
  const schema::Executable &kernel = *unrunnable(device, module, least);
  return error(HK_UNSUPPORTED, subject, ": expects a machine with ",
               isaList(kernel), " (kernel '", printable(view(kernel.name())),
               "' of plan '", printable(view(least.name())), "'), but got ",
               device.capability(),
               "; compile the module for this machine too");
}

} // namespace hk
