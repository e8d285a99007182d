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
  if (variant.persistent() > kMaxPersistent)
    return malformed("expects at most ", kMaxPersistent,
                     " persistent CTAs a multiprocessor, but got ",
                     variant.persistent());
  if (variant.scratch() != 0)
    return malformed("expects no scratch for CUDA, but got ", variant.scratch(),
                     " bytes");
  for (uint32_t i = 0; i < sizeOrZero(variant.cubins()); ++i)
    HK_TRY(checkSection(module, variant.cubins()->Get(i)->section(),
                        schema::SectionKind::Cubin)
               .in(concat("cubin ", i)));
  return Status();
}

/// A packed slot of a product: its value, dense, of that type and size.
Status checkSlot(const schema::Module &module, const schema::Variant &variant,
                 const char *what, uint32_t slot, schema::DType dtype,
                 uint64_t elements) {
  HK_TRY(checkIndex("packed slot", slot, sizeOrZero(variant.packed())));
  HK_TRY(checkIndex("packed value", variant.packed()->Get(slot),
                    module.packed()->size()));
  const schema::Packed &packed =
      *module.packed()->Get(variant.packed()->Get(slot));
  uint64_t got;
  HK_TRY(checkShape(packed.type()->shape(), got));
  if (packed.layout() != schema::Layout::Dense ||
      packed.type()->dtype() != dtype || got != elements)
    return malformed("expects a ", what, " of ", elements, " dense ",
                     nameOf(dtype), ", but got ", got, " ",
                     nameOf(packed.type()->dtype()), " of layout ",
                     schema::EnumNameLayout(packed.layout()));
  return Status();
}

Status checkGemm(const schema::Module &module, const schema::Variant &variant) {
  const schema::Gemm *gemm = variant.gemm();
  if (!gemm)
    return malformed("expects a matrix product for cuBLASLt, but got none");
  for (uint64_t size : {gemm->rows(), gemm->columns(), gemm->depth()})
    if (size < 1 || size > kMaxGemmSize)
      return malformed("expects sizes from 1 to ", kMaxGemmSize,
                       " of a matrix product, but got ", size);
  for (schema::DType dtype : {gemm->operands(), gemm->result()})
    if (dtype != schema::DType::F16 && dtype != schema::DType::BF16 &&
        dtype != schema::DType::F32)
      return malformed("expects f16, bf16 or f32 in a matrix product, but got ",
                       nameOf(dtype));
  if (gemm->bias() < -1 || gemm->residual() < -1)
    return malformed("expects -1, a packed slot and a buffer for bias and "
                     "residual, but got ",
                     gemm->bias(), " and ", gemm->residual());
  HK_TRY(checkSlot(module, variant, "weight", gemm->weight(), gemm->operands(),
                   gemm->columns() * gemm->depth()));
  if (gemm->bias() >= 0)
    HK_TRY(checkSlot(module, variant, "bias",
                     static_cast<uint32_t>(gemm->bias()), gemm->result(),
                     gemm->columns()));
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
  if (variant.target() == schema::Target::CublasLt)
    HK_TRY(checkGemm(module, variant));
  else
    HK_TRY(checkIndex("section", variant.section(), module.sections()->size()));
  if (variant.target() == schema::Target::Cpu)
    HK_TRY(checkCpu(module, variant));
  else if (variant.target() == schema::Target::Cuda)
    HK_TRY(checkCuda(module, variant));
  for (uint32_t i = 0; i < sizeOrZero(variant.packed()); ++i)
    HK_TRY(checkIndex("packed value", variant.packed()->Get(i),
                      module.packed()->size()));
  const uint32_t ahead = sizeOrZero(variant.packed_ahead());
  if (ahead != 0 && ahead != sizeOrZero(variant.packed()))
    return malformed("expects layers ahead for each of ",
                     sizeOrZero(variant.packed()),
                     " packed slots or for none, but got ", ahead);
  return Status();
}

Status checkGemmBuffers(const schema::Dispatch &dispatch,
                        const schema::Gemm &gemm) {
  const uint32_t count = dispatch.bindings()->size();
  HK_TRY(checkIndex("buffer", gemm.input(), count));
  HK_TRY(checkIndex("buffer", gemm.output(), count));
  return gemm.residual() < 0
             ? Status()
             : checkIndex("buffer", static_cast<uint32_t>(gemm.residual()),
                          count);
}

int64_t layerOfSlot(const schema::Dispatch &dispatch,
                    const schema::Variant &variant, uint32_t slot) {
  if (dispatch.layer() < 0 || sizeOrZero(variant.packed_ahead()) == 0)
    return dispatch.layer();
  return int64_t(dispatch.layer()) + variant.packed_ahead()->Get(slot);
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
