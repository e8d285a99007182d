// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_check.h"

#include "sm.h"

namespace hk {
namespace {

Status checkSection(const schema::Module &module, uint32_t index,
                    schema::SectionKind kind) {
  HK_TRY(checkIndex("section", index, module.sections()->size()));
  const schema::SectionKind got = module.sections()->Get(index)->kind();
  if (got == kind)
    return Status();
  const char *what = kind == schema::SectionKind::CpuCode ? "CPU code"
                     : kind == schema::SectionKind::Ptx   ? "PTX"
                                                          : "a cubin";
  return malformed("expects a section of ", what, ", but got kind ",
                   static_cast<unsigned>(got));
}

Status checkCpu(const schema::Module &module, const schema::Variant &variant) {
  HK_TRY(checkSection(module, variant.section(), schema::SectionKind::CpuCode));
  const uint64_t size = module.sections()->Get(variant.section())->size();
  if (variant.entry() >= size)
    return malformed("expects an entry inside its section of ", size,
                     " bytes, but got offset ", variant.entry());
  if (variant.scratch() > kMaxScratch)
    return malformed("expects at most ", kMaxScratch,
                     " bytes of scratch, but got ", variant.scratch());
  return Status();
}

Status checkCuda(const schema::Module &module, const schema::Variant &variant) {
  HK_TRY(checkSection(module, variant.section(), schema::SectionKind::Ptx));
  if (view(variant.kernel()).empty())
    return malformed("expects the name of a kernel in the PTX, but got none");
  if (variant.threads() < 1 || variant.threads() > kMaxThreads)
    return malformed("expects 1 to ", kMaxThreads, " threads, but got ",
                     variant.threads());
  if (variant.cluster() < 1 || variant.cluster() > kMaxCluster)
    return malformed("expects clusters of 1 to ", kMaxCluster,
                     " CTAs, but got ", variant.cluster());
  // An unknown architecture is no error: there may be newer ones.
  const std::optional<Sm> sm = parseSm(view(variant.isa()));
  if (variant.cluster() > 1 && sm && sm->number < 90)
    return malformed("expects sm_90 or newer for clusters, but got ",
                     view(variant.isa()));
  if (variant.shared() > kMaxShared)
    return malformed("expects at most ", kMaxShared,
                     " bytes of shared memory, but got ", variant.shared());
  if (variant.scratch() != 0)
    return malformed("expects no scratch for CUDA, but got ", variant.scratch(),
                     " bytes");
  for (uint32_t i = 0; i < sizeOrZero(variant.cubins()); ++i)
    HK_TRY(checkSection(module, variant.cubins()->Get(i)->section(),
                        schema::SectionKind::Cubin)
               .in(concat("cubin ", i)));
  return Status();
}

} // namespace

Status checkVariant(const schema::Module &module,
                    const schema::Variant &variant) {
  if (!variant.grid() || variant.grid()->div() == 0)
    return malformed("expects a grid with a positive divisor, but got ",
                     variant.grid() ? "0" : "none");
  if (variant.grid_times() == 0)
    return malformed("expects a grid that is a positive number of times its "
                     "quotient, but got 0");
  HK_TRY(checkIndex("section", variant.section(), module.sections()->size()));
  if (variant.target() == schema::Target::Cpu)
    HK_TRY(checkCpu(module, variant));
  else if (variant.target() == schema::Target::Cuda)
    HK_TRY(checkCuda(module, variant));
  for (uint32_t i = 0; i < sizeOrZero(variant.packed()); ++i)
    HK_TRY(checkIndex("packed value", variant.packed()->Get(i),
                      module.packed()->size()));
  return Status();
}

Status checkKernelParameters(const schema::Dispatch &dispatch,
                             const schema::Variant &variant) {
  // The batch is one more.
  const uint64_t count =
      uint64_t(dispatch.bindings()->size()) + sizeOrZero(variant.packed()) + 1;
  if (count > kMaxKernelParameters)
    return malformed("expects at most ", kMaxKernelParameters,
                     " parameters of a CUDA kernel, but got ", count);
  return Status();
}

} // namespace hk
