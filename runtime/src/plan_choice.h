// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function, plan and variants a session runs.
#ifndef HK_RUNTIME_PLAN_CHOICE_H
#define HK_RUNTIME_PLAN_CHOICE_H

#include "device.h"
#include "module.h"

namespace hk {

/// The index of the function of that name; HK_NOT_FOUND lists those there are.
Status findFunction(const Module &module, const char *name, uint32_t &index);

/// The plan of a function that the device runs: the one of that name, or
/// without one (nullptr) of the plans that run by default the one of lowest
/// rank. HK_NOT_FOUND; HK_UNSUPPORTED where the device lacks a variant.
Status choosePlan(const Device &device, const Module &module,
                  const schema::Function &function, const char *name,
                  const schema::Plan *&plan);

/// The variant of an executable that the device runs best, or nullptr.
const schema::Variant *bestVariant(const Device &device,
                                   const schema::Executable &executable);

} // namespace hk

#endif // HK_RUNTIME_PLAN_CHOICE_H
