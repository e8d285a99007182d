// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_check.h"

#include "checked.h"

#include <unordered_set>

namespace hk {
namespace {

using schema::Binding;
using schema::BindingKind;

/// The FlatBuffers verifier checks that a vector's length is aligned, not that
/// its elements are.
template <typename T>
Status checkAlignment(const flatbuffers::Vector<T> *vector) {
  if (vector && vector->size() > 0 &&
      reinterpret_cast<uintptr_t>(vector->Data()) % 8 != 0)
    return malformed("expects a vector aligned to 8 bytes, but got one that is "
                     "not; the file is damaged");
  return Status();
}

template <typename T>
Status checkShapeOf(const flatbuffers::Vector<T> *shape, uint64_t &elements) {
  elements = 1;
  const uint32_t rank = sizeOrZero(shape);
  if (rank > kMaxRank)
    return malformed("expects at most ", kMaxRank, " dimensions, but got ",
                     rank);
  HK_TRY(checkAlignment(shape));
  for (uint32_t d = 0; d < rank; ++d) {
    const T size = shape->Get(d);
    if (size <= 0)
      return malformed("expects positive dimensions, but got ", size);
    if (!multiply(elements, static_cast<uint64_t>(size), elements) ||
        elements > kMaxElements)
      return malformed("expects at most ", kMaxElements,
                       " elements, but got more");
  }
  return Status();
}

class Checker {
public:
  Checker(const schema::Module &module, uint64_t fileSize,
          MetadataRange metadata)
      : module_(module), fileSize_(fileSize), metadata_(metadata) {}

  Status check() {
    HK_TRY(checkSections());
    HK_TRY(checkParameters());
    for (const schema::Packed *packed : *module_.packed())
      HK_TRY(checkPacked(*packed, parameters_)
                 .in(concat("packed '", printable(view(packed->name())), "'")));
    for (const schema::Executable *executable : *module_.executables())
      HK_TRY(checkExecutable(*executable)
                 .in(concat("executable '", printable(view(executable->name())),
                            "'")));
    HK_TRY(checkFunctions());
    return checkRemarks();
  }

private:
  Status checkSections() {
    for (uint32_t i = 0; i < module_.sections()->size(); ++i) {
      const schema::Section &section = *module_.sections()->Get(i);
      uint64_t end;
      if (section.size() == 0 || section.offset() == 0 ||
          section.offset() % format::kPageSize != 0 ||
          !add(section.offset(), section.size(), end) || end > fileSize_)
        return malformed("section ", i,
                         ": expects a range inside the file at a multiple of ",
                         format::kPageSize, ", but got offset ",
                         section.offset(), " and size ", section.size(),
                         " in a file of ", fileSize_, " bytes");
      if (section.offset() < metadata_.offset + metadata_.size &&
          metadata_.offset < end)
        return malformed("section ", i,
                         ": expects a range beside the metadata, but got one "
                         "that overlaps it");
    }
    return Status();
  }

  Status checkParameters() {
    for (const schema::Parameter *parameter : *module_.parameters()) {
      const std::string_view key = view(parameter->key());
      if (!parameters_.emplace(key, parameter).second)
        return malformed("parameter '", printable(key),
                         "': expects one entry a key, but got two");
      uint64_t elements;
      Status status = checkDType(parameter->type()->dtype());
      if (status.ok())
        status = checkShape(parameter->type()->shape(), elements);
      HK_TRY(std::move(status).in(concat("parameter '", printable(key), "'")));
    }
    return Status();
  }

  Status checkExecutable(const schema::Executable &executable) {
    if (executable.variants()->size() == 0)
      return malformed("expects a variant, but got none");
    for (const schema::Variant *variant : *executable.variants())
      HK_TRY(checkVariant(module_, *variant));
    return Status();
  }

  Status checkFunctions() {
    if (module_.functions()->size() == 0)
      return malformed("expects a function, but got none");
    std::unordered_set<std::string_view> names;
    for (const schema::Function *function : *module_.functions()) {
      const std::string_view name = view(function->name());
      if (!names.insert(name).second)
        return malformed("function '", printable(name),
                         "': expects one function a name, but got two");
      HK_TRY(checkFunction(*function).in(
          concat("function '", printable(name), "'")));
    }
    return Status();
  }

  Status checkFunction(const schema::Function &function) {
    bool first = true;
    int64_t batch = -1;
    for (const auto *values : {function.inputs(), function.outputs()})
      for (const schema::Value *value : *values) {
        HK_TRY(checkValue(*value->type())
                   .in(concat("value '", printable(view(value->name())), "'")));
        const int64_t size = value->type()->shape()->Get(0);
        if (!first && size != batch)
          return malformed("expects one batch, but got ", batch, " and ", size);
        first = false;
        batch = size;
      }
    if (function.outputs()->size() == 0)
      return malformed("expects an output, but got none");
    if (function.plans()->size() == 0)
      return malformed("expects a plan, but got none");
    std::unordered_set<std::string_view> names;
    for (const schema::Plan *plan : *function.plans()) {
      const std::string_view name = view(plan->name());
      if (!names.insert(name).second)
        return malformed("plan '", printable(name),
                         "': expects one plan a name, but got two");
      HK_TRY(checkPlan(function, *plan)
                 .in(concat("plan '", printable(name), "'")));
    }
    if (function.oracle() < -1)
      return malformed("expects an oracle of -1 or a function, but got ",
                       function.oracle());
    if (function.oracle() >= 0) {
      HK_TRY(checkIndex("oracle", static_cast<uint32_t>(function.oracle()),
                        module_.functions()->size()));
      const schema::Function &oracle =
          *module_.functions()->Get(function.oracle());
      if (oracle.inputs()->size() != function.inputs()->size() ||
          oracle.outputs()->size() != function.outputs()->size())
        return malformed("expects an oracle of as many inputs and outputs, but "
                         "got function '",
                         printable(view(oracle.name())), "'");
    }
    return Status();
  }

  /// An input or output: [batch, ...], where the batch may be -1.
  Status checkValue(const schema::TensorType &type) {
    HK_TRY(checkDType(type.dtype()));
    const auto *shape = type.shape();
    const uint32_t rank = sizeOrZero(shape);
    if (rank < 1 || rank > kMaxRank)
      return malformed("expects 1 to ", kMaxRank, " dimensions, but got ",
                       rank);
    HK_TRY(checkAlignment(shape));
    uint64_t elements = 1;
    for (uint32_t d = 0; d < rank; ++d) {
      const int64_t size = shape->Get(d);
      if (d == 0 && size == -1)
        continue;
      if (size <= 0)
        return malformed("expects positive dimensions after the batch, but "
                         "got ",
                         size);
      if (!multiply(elements, static_cast<uint64_t>(size), elements) ||
          elements > kMaxElements)
        return malformed("expects at most ", kMaxElements,
                         " elements, but got more");
    }
    return Status();
  }

  Status checkPlan(const schema::Function &function, const schema::Plan &plan) {
    if (plan.role() > schema::Role::MAX)
      return malformed("expects a role up to ",
                       static_cast<unsigned>(schema::Role::MAX), ", but got ",
                       static_cast<unsigned>(plan.role()));
    std::vector<bool> written(function.outputs()->size());
    for (uint32_t i = 0; i < plan.dispatches()->size(); ++i)
      HK_TRY(checkDispatch(function, plan, *plan.dispatches()->Get(i), written)
                 .in(concat("dispatch ", i)));
    for (size_t i = 0; i < written.size(); ++i)
      if (!written[i])
        return malformed("expects a dispatch that writes output ", i,
                         ", but got none");
    return Status();
  }

  Status checkDispatch(const schema::Function &function,
                       const schema::Plan &plan,
                       const schema::Dispatch &dispatch,
                       std::vector<bool> &written) {
    HK_TRY(checkIndex("executable", dispatch.executable(),
                      module_.executables()->size()));
    if (dispatch.layer() < -1)
      return malformed("expects a layer of -1 or more, but got ",
                       dispatch.layer());
    if (dispatch.bindings()->size() == 0)
      return malformed("expects bindings, but got none");
    HK_TRY(checkAlignment(dispatch.bindings()));
    for (const Binding *binding : *dispatch.bindings()) {
      switch (binding->kind()) {
      case BindingKind::Input:
        HK_TRY(
            checkIndex("input", binding->index(), function.inputs()->size()));
        break;
      case BindingKind::Result:
        HK_TRY(
            checkIndex("output", binding->index(), function.outputs()->size()));
        written[binding->index()] = true;
        break;
      case BindingKind::Workspace:
        HK_TRY(checkWorkspace(plan, *binding));
        break;
      default:
        return malformed("expects a binding kind up to ",
                         static_cast<unsigned>(BindingKind::MAX), ", but got ",
                         static_cast<unsigned>(binding->kind()));
      }
    }
    const schema::Executable &executable =
        *module_.executables()->Get(dispatch.executable());
    for (const schema::Variant *variant : *executable.variants()) {
      if (variant->target() == schema::Target::Cuda)
        HK_TRY(checkKernelParameters(dispatch, *variant));
      if (variant->target() == schema::Target::CublasLt)
        HK_TRY(checkGemmBuffers(dispatch, *variant->gemm()));
      for (uint32_t i = 0; i < sizeOrZero(variant->packed()); ++i)
        HK_TRY(checkLayer(*module_.packed()->Get(variant->packed()->Get(i)),
                          layerOfSlot(dispatch, *variant, i)));
    }
    return Status();
  }

  Status checkWorkspace(const schema::Plan &plan, const Binding &binding) {
    if (binding.offset_per_sequence() % format::kBufferAlignment != 0 ||
        binding.offset_constant() % format::kBufferAlignment != 0)
      return malformed("expects workspace offsets that are multiples of ",
                       format::kBufferAlignment, ", but got ",
                       binding.offset_per_sequence(), " and ",
                       binding.offset_constant());
    // The buffer starts inside the workspace for every batch above 0.
    const bool inside =
        binding.offset_per_sequence() <= plan.workspace_per_sequence() &&
        binding.offset_constant() <= plan.workspace_constant() &&
        (binding.offset_per_sequence() < plan.workspace_per_sequence() ||
         binding.offset_constant() < plan.workspace_constant());
    if (!inside)
      return malformed("expects a buffer inside the workspace of ",
                       plan.workspace_per_sequence(), " bytes a sequence and ",
                       plan.workspace_constant(), " more, but got offsets ",
                       binding.offset_per_sequence(), " and ",
                       binding.offset_constant());
    return Status();
  }

  Status checkLayer(const schema::Packed &packed, int64_t layer) {
    if (packed.layer_end() == 0)
      return Status();
    if (layer < packed.layer_begin() || layer >= packed.layer_end())
      return malformed("expects a layer from ", packed.layer_begin(), " to ",
                       packed.layer_end() - 1, " of packed '",
                       printable(view(packed.name())), "', but got ", layer);
    return Status();
  }

  Status checkRemarks() {
    if (!module_.remarks())
      return Status();
    for (const schema::Remark *remark : *module_.remarks())
      if (remark->kind() > schema::RemarkKind::MAX)
        return malformed("expects a remark kind up to ",
                         static_cast<unsigned>(schema::RemarkKind::MAX),
                         ", but got ", static_cast<unsigned>(remark->kind()));
    return Status();
  }

  const schema::Module &module_;
  uint64_t fileSize_;
  MetadataRange metadata_;
  ParameterMap parameters_;
};

} // namespace

Status checkIndex(std::string_view what, uint32_t index, uint32_t count) {
  if (index >= count)
    return malformed("expects the index of one of ", count, " ", what,
                     "s, but got ", index);
  return Status();
}

Status checkModule(const schema::Module &module, uint64_t fileSize,
                   MetadataRange metadata) {
  return Checker(module, fileSize, metadata).check();
}

Status checkShape(const flatbuffers::Vector<int64_t> *shape,
                  uint64_t &elements) {
  return checkShapeOf(shape, elements);
}

Status checkShape(const flatbuffers::Vector<uint64_t> *shape,
                  uint64_t &elements) {
  return checkShapeOf(shape, elements);
}

Status checkDType(schema::DType dtype) {
  if (dtype == schema::DType::Invalid || dtype > schema::DType::MAX)
    return malformed("expects an element type from 1 to ",
                     static_cast<unsigned>(schema::DType::MAX), ", but got ",
                     static_cast<unsigned>(dtype));
  return Status();
}

bool isFloat(schema::DType dtype) {
  return dtype == schema::DType::F64 || dtype == schema::DType::F32 ||
         dtype == schema::DType::F16 || dtype == schema::DType::BF16;
}

uint64_t sizeOf(schema::DType dtype) {
  return hk_dtype_size(static_cast<hk_dtype>(dtype));
}

const char *nameOf(schema::DType dtype) {
  return hk_dtype_name(static_cast<hk_dtype>(dtype));
}

std::string describe(std::string_view dtype, const int64_t *shape,
                     uint32_t rank) {
  std::string text = concat(dtype, "[");
  for (uint32_t d = 0; d < rank; ++d)
    text += concat(d ? ", " : "", shape[d]);
  return text + "]";
}

std::string describe(const schema::TensorType &type) {
  return describe(nameOf(type.dtype()),
                  type.shape() ? type.shape()->data() : nullptr,
                  sizeOrZero(type.shape()));
}

} // namespace hk
