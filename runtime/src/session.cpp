// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include "checked.h"
#include "module_check.h"
#include "plan_choice.h"

#include <algorithm>

namespace hk {

using format::kBufferAlignment;

Status Session::create(std::shared_ptr<Context> context,
                       std::shared_ptr<Module> module, const Params *params,
                       const hk_session_options &options,
                       std::shared_ptr<Session> &session) {
  std::shared_ptr<Session> created(
      new Session(std::move(context), std::move(module)));
  if (options.function)
    HK_TRY(findFunction(*created->module_, options.function,
                        created->functionIndex_));
  created->function_ =
      created->module_->metadata().functions()->Get(created->functionIndex_);
  HK_TRY(choosePlan(created->device(), *created->module_, *created->function_,
                    options.plan, created->plan_));
  HK_TRY(created->prepare(params, options.memory_limit ? options.memory_limit
                                                       : physicalMemory()));
  session = std::move(created);
  return Status();
}

Status Session::prepare(const Params *params, uint64_t memoryLimit) {
  Device &device = context_->device();
  DeviceScope scope(device);
  HK_TRY(scope.status());
  const schema::Module &module = module_->metadata();

  std::vector<const schema::Variant *> variants(module.executables()->size());
  std::vector<bool> needed(module.packed()->size());
  std::vector<uint32_t> indices;
  for (const schema::Dispatch *dispatch : *plan_->dispatches()) {
    const schema::Variant *&variant = variants[dispatch->executable()];
    if (variant)
      continue;
    variant =
        bestVariant(device, *module.executables()->Get(dispatch->executable()));
    for (uint32_t i = 0; i < sizeOrZero(variant->packed()); ++i) {
      const uint32_t index = variant->packed()->Get(i);
      if (!needed[index])
        indices.push_back(index);
      needed[index] = true;
    }
  }
  HK_TRY(packValues(module, indices, params, context_->workers(), memoryLimit,
                    packed_)
             .in(module_->name()));
  const uint8_t *packedBase = packed_.buffer.data();
  if (!device.inHostMemory() && packed_.bytes > 0) {
    HK_TRY(devicePacked_.allocate(device, packed_.bytes)
               .in(concat(module_->name(), ": packed parameters")));
    HK_TRY(device.write(devicePacked_.data(), packedBase, packed_.bytes)
               .in(concat(module_->name(), ": packed parameters")));
    packedBase = devicePacked_.data();
    packed_.buffer = Mapping();
  }

  kernels_.resize(variants.size());
  uint64_t scratch = 0;
  uint64_t widest = 0;
  uint32_t preference = 0;
  for (size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i])
      continue;
    HK_TRY(device.load(*module_, *variants[i],
                       view(module.executables()->Get(i)->name()),
                       kernels_[i]));
    scratch = std::max<uint64_t>(scratch, variants[i]->scratch());
    if (uint32_t p = device.preference(*variants[i]); p > preference) {
      preference = p;
      isa_ = variants[i]->isa()->c_str();
    }
  }
  for (const schema::Dispatch *dispatch : *plan_->dispatches()) {
    Launch launch;
    launch.kernel = kernels_[dispatch->executable()].get();
    launch.variant = variants[dispatch->executable()];
    launch.dispatch = dispatch;
    for (uint32_t i = 0; i < sizeOrZero(launch.variant->packed()); ++i)
      launch.packed.push_back(packedBase +
                              packed_.offsetOf(module,
                                               launch.variant->packed()->Get(i),
                                               dispatch->layer()));
    widest = std::max<uint64_t>(widest, dispatch->bindings()->size());
    launches_.push_back(std::move(launch));
  }
  // Neither overflows: scratch is capped, bindings are counted in 32 bits.
  (void)alignUp(scratch, kScratchAlignment, scratchStride_);
  if (device.inHostMemory())
    (void)alignUp(widest * sizeof(void *), kBufferAlignment, tableSize_);
  return Status();
}

hk_session_info Session::info() const {
  hk_session_info info = {};
  info.function = function_->name()->c_str();
  info.function_index = functionIndex_;
  info.plan = plan_->name()->c_str();
  info.plan_rank = plan_->rank();
  info.plan_role = static_cast<hk_role>(plan_->role());
  info.isa = isa_;
  info.num_workers = context_->workers().count();
  info.num_dispatches = plan_->dispatches()->size();
  info.packed_bytes = packed_.bytes;
  return info;
}

} // namespace hk
