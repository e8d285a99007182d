// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_file.h"

#include "common/error.h"

#include "module_format.h"
#include "module_generated.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

using namespace hk::tools;
using namespace hk;

Cost hk::tools::operator+(const Cost &a, const Cost &b) {
  return {a.read + b.read, a.written + b.written, a.packed + b.packed,
          a.flops + b.flops};
}

std::string hk::tools::repeatedPlan(const std::string &plan, size_t dispatch) {
  return plan + " x " + std::to_string(dispatch);
}

static format::FileHeader headerOf(const std::string &bytes) {
  format::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

static const schema::Module &metadataOf(const std::string &bytes) {
  return *schema::GetModule(bytes.data() + headerOf(bytes).metadataOffset);
}

static Module load(const std::string &bytes) {
  hk_status status = {};
  hk_module *module = nullptr;
  check(hk_module_load_memory(bytes.data(), bytes.size(), &module, &status),
        status);
  return Module(module);
}

ModuleFile::ModuleFile(const std::string &path)
    // The runtime's own errors, which name the file, come first.
    : loaded(loadModule(path)) {
  std::ifstream stream(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream)
    environmentError(path + ": expects a file that can be read, but got an "
                            "error");
  loaded = load(bytes);
}

/// Bytes of one layer of a packed value, padding included.
static uint64_t bytesOf(const schema::Packed &packed) {
  if (packed.layer_end() > packed.layer_begin())
    return packed.stride();
  uint64_t size = hk_dtype_size(static_cast<hk_dtype>(packed.type()->dtype()));
  for (int64_t dimension : *packed.type()->shape())
    size *= static_cast<uint64_t>(dimension);
  return size;
}

static const schema::Variant &variantFor(const schema::Executable &executable,
                                         const std::string &isa) {
  for (const schema::Variant *variant : *executable.variants())
    if (variant->isa()->str() == isa)
      return *variant;
  return *executable.variants()->Get(0);
}

template <typename Plans>
static const schema::Plan &findPlan(const Plans &plans,
                                    const std::string &name) {
  for (const schema::Plan *plan : plans)
    if (plan->name()->str() == name)
      return *plan;
  userError("expects a plan of the function, but got '" + name + "'");
}

std::vector<DispatchCost> ModuleFile::costs(const Function &function,
                                            const std::string &plan,
                                            const std::string &isa,
                                            int64_t batch) const {
  const schema::Module &module = metadataOf(bytes);
  const auto &plans = *module.functions()->Get(function.index)->plans();
  const uint64_t sequences = static_cast<uint64_t>(batch);
  const schema::Plan &found = findPlan(plans, plan);
  std::vector<DispatchCost> costs;
  for (const schema::Dispatch *dispatch : *found.dispatches()) {
    const schema::Executable &executable =
        *module.executables()->Get(dispatch->executable());
    DispatchCost result;
    result.kernel = executable.name()->str();
    result.layer = dispatch->layer();
    result.cost.read = sequences * dispatch->read();
    result.cost.written = sequences * dispatch->written();
    result.cost.flops = sequences * dispatch->flops();
    const schema::Variant &variant = variantFor(executable, isa);
    if (found.predicted_batch() == sequences)
      result.predicted = variant.predicted_us() * 1e-6;
    for (uint32_t i = 0; variant.packed() && i < variant.packed()->size(); ++i)
      result.cost.packed +=
          bytesOf(*module.packed()->Get(variant.packed()->Get(i)));
    costs.push_back(std::move(result));
  }
  return costs;
}

double ModuleFile::predicted(const Function &function, const std::string &plan,
                             int64_t batch) const {
  const auto &plans =
      *metadataOf(bytes).functions()->Get(function.index)->plans();
  const schema::Plan &found = findPlan(plans, plan);
  return found.predicted_batch() == static_cast<uint64_t>(batch)
             ? found.predicted_us() * 1e-6
             : 0;
}

Module ModuleFile::withRepeatedDispatches(const Function &function,
                                          const std::string &plan,
                                          int copies) const {
  std::unique_ptr<schema::ModuleT> module(metadataOf(bytes).UnPack());
  auto &plans = module->functions[function.index]->plans;
  size_t original = 0;
  while (plans[original]->name != plan)
    ++original;
  const size_t count = plans[original]->dispatches.size();
  for (size_t i = 0; i < count; ++i) {
    auto repeated = std::make_unique<schema::PlanT>(*plans[original]);
    repeated->name = repeatedPlan(plan, i);
    auto &dispatches = repeated->dispatches;
    for (int copy = 0; copy < copies; ++copy)
      dispatches.insert(dispatches.begin() + i,
                        std::make_unique<schema::DispatchT>(*dispatches[i]));
    plans.push_back(std::move(repeated));
  }

  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModuleBuffer(builder,
                             schema::Module::Pack(builder, module.get()));
  return withMetadata(builder.GetBufferPointer(), builder.GetSize());
}

Module ModuleFile::withMetadata(const void *metadata, size_t size) const {
  // The sections stay where they are: the new metadata goes to the end.
  std::string file = bytes;
  file.resize((file.size() + format::kMetadataAlignment - 1) /
              format::kMetadataAlignment * format::kMetadataAlignment);
  format::FileHeader header = headerOf(bytes);
  header.metadataOffset = file.size();
  header.metadataSize = size;
  header.metadataHash = XXH3_64bits(metadata, size);
  file.append(static_cast<const char *>(metadata), size);
  header.fileSize = file.size();
  std::memcpy(&file[0], &header, sizeof header);
  return load(file);
}

static constexpr const char *kSchedulePass = "hk-assign-schedules";

/// The terms of a prediction, from the remark that tells them: "kernel @linear:
/// rows 64, ..: 3.2 us (tensor cores 0.4, ..) for 64 sequences". Kernels that
/// share a name there are told apart by their time.
static std::string termsOf(const schema::Module &module,
                           const std::string &plan, std::string kernel,
                           float microseconds) {
  if (!module.remarks() || microseconds <= 0)
    return "";
  const size_t end = kernel.find_last_not_of("0123456789");
  if (end != std::string::npos && kernel[end] == '_')
    kernel.resize(end);
  char time[48];
  std::snprintf(time, sizeof time, ": %.1f us (", microseconds);
  const std::string start = "kernel @" + kernel;
  for (const schema::Remark *remark : *module.remarks()) {
    if (!remark->pass() || !remark->function() || !remark->message() ||
        remark->pass()->str() != kSchedulePass ||
        remark->kind() != schema::RemarkKind::Analysis ||
        remark->function()->str() != plan)
      continue;
    const std::string message = remark->message()->str();
    const size_t found = message.find(time);
    if (message.compare(0, start.size(), start) != 0 ||
        found == std::string::npos)
      continue;
    const size_t first = found + std::strlen(time);
    return message.substr(first, message.find(')', first) - first);
  }
  return "";
}

std::vector<std::string>
ModuleFile::refusals(const std::string &plan) const {
  std::vector<std::string> result;
  const schema::Module &module = metadataOf(bytes);
  if (!module.remarks())
    return result;
  for (const schema::Remark *remark : *module.remarks())
    if (remark->kind() == schema::RemarkKind::Missed && remark->pass() &&
        remark->function() && remark->message() &&
        remark->pass()->str() == kSchedulePass &&
        remark->function()->str() == plan &&
        // Kernels of several layers say the same.
        std::find(result.begin(), result.end(), remark->message()->str()) ==
            result.end())
      result.push_back(remark->message()->str());
  return result;
}

Module ModuleFile::withVariants(const Function &function,
                                const std::string &plan, const std::string &isa,
                                int64_t batch, int copies,
                                std::vector<VariantPlan> &variants) const {
  const schema::Module &original = metadataOf(bytes);
  std::unique_ptr<schema::ModuleT> module(original.UnPack());
  auto &plans = module->functions[function.index]->plans;
  size_t position = 0;
  while (plans[position]->name != plan)
    ++position;
  const bool isPredicted =
      plans[position]->predicted_batch == static_cast<uint64_t>(batch);
  std::set<uint32_t> seen;
  const size_t count = plans[position]->dispatches.size();
  for (size_t i = 0; i < count; ++i) {
    const uint32_t executable = plans[position]->dispatches[i]->executable;
    if (!seen.insert(executable).second)
      continue;
    const std::string kernel = module->executables[executable]->name;
    const size_t all = module->executables[executable]->variants.size();
    for (size_t v = 0; v < all; ++v) {
      const schema::VariantT &variant =
          *module->executables[executable]->variants[v];
      if (variant.isa != isa && variant.target != schema::Target::CublasLt)
        continue;
      VariantPlan made;
      made.plan = repeatedPlan(plan, i) + " by " + std::to_string(v);
      made.kernel = kernel;
      made.dispatch = i;
      made.schedule =
          variant.schedule.empty() ? variant.isa : variant.schedule;
      if (isPredicted)
        made.predicted = variant.predicted_us * 1e-6;
      made.terms = termsOf(original, plan, kernel, variant.predicted_us);

      auto alone = std::make_unique<schema::ExecutableT>();
      alone->name = kernel;
      alone->variants.push_back(std::make_unique<schema::VariantT>(variant));
      auto repeated = std::make_unique<schema::PlanT>(*plans[position]);
      repeated->name = made.plan;
      for (int copy = 0; copy < copies; ++copy) {
        auto more = std::make_unique<schema::DispatchT>(
            *plans[position]->dispatches[i]);
        more->executable = static_cast<uint32_t>(module->executables.size());
        repeated->dispatches.insert(repeated->dispatches.begin() + i,
                                    std::move(more));
      }
      module->executables.push_back(std::move(alone));
      plans.push_back(std::move(repeated));
      variants.push_back(std::move(made));
    }
  }
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModuleBuffer(builder,
                             schema::Module::Pack(builder, module.get()));
  return withMetadata(builder.GetBufferPointer(), builder.GetSize());
}
