// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_file.h"

#include "common/error.h"

#include "module_format.h"
#include "module_generated.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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
  // The sections stay where they are: the new metadata goes to the end.
  std::string file = bytes;
  file.resize((file.size() + format::kMetadataAlignment - 1) /
              format::kMetadataAlignment * format::kMetadataAlignment);
  format::FileHeader header = headerOf(bytes);
  header.metadataOffset = file.size();
  header.metadataSize = builder.GetSize();
  header.metadataHash =
      XXH3_64bits(builder.GetBufferPointer(), builder.GetSize());
  file.append(reinterpret_cast<const char *>(builder.GetBufferPointer()),
              builder.GetSize());
  header.fileSize = file.size();
  std::memcpy(&file[0], &header, sizeof header);
  return load(file);
}
