// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_json.h"

#include "hash.h"
#include "module_check.h"

#include <nlohmann/json.hpp>

namespace hk {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const flatbuffers::String *text) { return std::string(view(text)); }

template <typename T> Json numbers(const flatbuffers::Vector<T> *vector) {
  Json out = Json::array();
  if (vector)
    for (T value : *vector)
      out.push_back(value);
  return out;
}

/// The enumerator's name, or its number where a newer compiler added it.
template <typename Enum> Json enumerator(Enum value, const char *name) {
  if (*name)
    return name;
  return static_cast<unsigned>(value);
}

Json toJson(const schema::TensorType &type) {
  return {{"dtype", nameOf(type.dtype())}, {"shape", numbers(type.shape())}};
}

// Declared first: the compiler does not look for them when `list` is used, for
// they are not of the schema's namespace.
Json toJson(const flatbuffers::String &text);
Json toJson(const schema::Value &value);
Json toJson(const schema::Binding &binding);
Json toJson(const schema::Dispatch &dispatch);
Json toJson(const schema::Plan &plan);
Json toJson(const schema::Function &function);
Json toJson(const schema::Cubin &cubin);
Json toJson(const schema::Variant &variant);
Json toJson(const schema::Executable &executable);
Json toJson(const schema::PackInstruction &op);
Json toJson(const schema::Packed &packed);
Json toJson(const schema::Parameter &parameter);
Json toJson(const schema::Section &section);
Json toJson(const schema::Remark &remark);

/// A list of tables, strings or structs.
template <typename T> Json list(const flatbuffers::Vector<T> *vector) {
  Json out = Json::array();
  if (vector)
    for (uint32_t i = 0; i < vector->size(); ++i)
      out.push_back(toJson(*vector->Get(i)));
  return out;
}

Json toJson(const flatbuffers::String &text) { return toJson(&text); }

Json toJson(const schema::Value &value) {
  return {{"name", toJson(value.name())}, {"type", toJson(*value.type())}};
}

Json toJson(const schema::Binding &binding) {
  Json out;
  out["kind"] = schema::EnumNameBindingKind(binding.kind());
  if (binding.kind() == schema::BindingKind::Workspace) {
    out["offset_per_sequence"] = binding.offset_per_sequence();
    out["offset_constant"] = binding.offset_constant();
  } else {
    out["index"] = binding.index();
  }
  return out;
}

Json toJson(const schema::Dispatch &dispatch) {
  return {{"executable", dispatch.executable()},
          {"layer", dispatch.layer()},
          {"programmatic", dispatch.programmatic()},
          {"bindings", list(dispatch.bindings())},
          {"read", dispatch.read()},
          {"written", dispatch.written()},
          {"flops", dispatch.flops()}};
}

Json toJson(const schema::Plan &plan) {
  Json out = {{"name", toJson(plan.name())},
              {"rank", plan.rank()},
              {"role", schema::EnumNameRole(plan.role())},
              {"workspace_per_sequence", plan.workspace_per_sequence()},
              {"workspace_constant", plan.workspace_constant()},
              {"dispatches", list(plan.dispatches())}};
  if (plan.predicted_us() > 0) {
    out["predicted_us"] = plan.predicted_us();
    out["predicted_batch"] = plan.predicted_batch();
  }
  return out;
}

Json toJson(const schema::Function &function) {
  return {{"name", toJson(function.name())},
          {"inputs", list(function.inputs())},
          {"outputs", list(function.outputs())},
          {"plans", list(function.plans())},
          {"oracle", function.oracle()}};
}

Json toJson(const schema::Cubin &cubin) {
  return {{"sm", toJson(cubin.sm())}, {"section", cubin.section()}};
}

Json toJson(const schema::Variant &variant) {
  const schema::GridDim &grid = *variant.grid();
  Json out = {{"target", enumerator(variant.target(),
                                    schema::EnumNameTarget(variant.target()))},
              {"isa", toJson(variant.isa())},
              {"schedule", toJson(variant.schedule())},
              {"grid",
               {{"mul", grid.mul()},
                {"add", grid.add()},
                {"div", grid.div()},
                {"times", variant.grid_times()}}},
              {"section", variant.section()},
              {"packed", numbers(variant.packed())}};
  if (variant.predicted_us() > 0)
    out["predicted_us"] = variant.predicted_us();
  if (sizeOrZero(variant.packed_ahead()) != 0)
    out["packed_ahead"] = numbers(variant.packed_ahead());
  if (variant.target() == schema::Target::Cpu) {
    out["scratch"] = variant.scratch();
    out["entry"] = variant.entry();
    out["imports"] = list(variant.imports());
  } else if (variant.target() == schema::Target::Cuda) {
    out["kernel"] = toJson(variant.kernel());
    out["threads"] = variant.threads();
    out["cluster"] = variant.cluster();
    out["shared"] = variant.shared();
    if (variant.persistent() > 0)
      out["persistent"] = variant.persistent();
    out["cubins"] = list(variant.cubins());
  } else if (const schema::Gemm *gemm = variant.gemm()) {
    out["gemm"] = {{"rows", gemm->rows()},
                   {"columns", gemm->columns()},
                   {"depth", gemm->depth()},
                   {"operands", nameOf(gemm->operands())},
                   {"result", nameOf(gemm->result())},
                   {"input", gemm->input()},
                   {"output", gemm->output()},
                   {"residual", gemm->residual()},
                   {"weight", gemm->weight()},
                   {"bias", gemm->bias()}};
  }
  return out;
}

Json toJson(const schema::Executable &executable) {
  return {{"name", toJson(executable.name())},
          {"variants", list(executable.variants())}};
}

Json toJson(const schema::PackInstruction &op) {
  Json out;
  out["opcode"] = schema::EnumNamePackOpcode(op.opcode());
  out["operands"] = numbers(op.operands());
  out["shape"] = numbers(op.shape());
  switch (op.opcode()) {
  case schema::PackOpcode::Param:
    out["key"] = toJson(op.key());
    out["dtype"] = nameOf(op.dtype());
    break;
  case schema::PackOpcode::Scale:
    out["scalar"] = op.scalar();
    break;
  case schema::PackOpcode::ScaleDim:
  case schema::PackOpcode::Concat:
    out["dim"] = op.dim();
    break;
  default:
    break;
  }
  return out;
}

Json toJson(const schema::Packed &packed) {
  return {{"name", toJson(packed.name())},
          {"type", toJson(*packed.type())},
          {"layout", schema::EnumNameLayout(packed.layout())},
          {"panel_width", packed.panel_width()},
          {"layer_begin", packed.layer_begin()},
          {"layer_end", packed.layer_end()},
          {"stride", packed.stride()},
          {"program", list(packed.program())},
          {"result", packed.result()},
          {"tile_rows", packed.tile_rows()},
          {"tile_columns", packed.tile_columns()},
          {"strip_rows", packed.strip_rows()},
          {"strip_columns", packed.strip_columns()}};
}

Json toJson(const schema::Parameter &parameter) {
  return {{"key", toJson(parameter.key())},
          {"type", toJson(*parameter.type())}};
}

Json toJson(const schema::Section &section) {
  return {{"kind", enumerator(section.kind(),
                              schema::EnumNameSectionKind(section.kind()))},
          {"offset", section.offset()},
          {"size", section.size()},
          {"hash", hexString(section.hash())}};
}

Json toJson(const schema::Remark &remark) {
  return {{"kind", schema::EnumNameRemarkKind(remark.kind())},
          {"pass", toJson(remark.pass())},
          {"function", toJson(remark.function())},
          {"location", toJson(remark.location())},
          {"message", toJson(remark.message())}};
}

} // namespace

std::string moduleToJson(const schema::Module &module) {
  Json out = {{"producer", toJson(module.producer())},
              {"source", toJson(module.source())},
              {"functions", list(module.functions())},
              {"executables", list(module.executables())},
              {"packed", list(module.packed())},
              {"parameters", list(module.parameters())},
              {"sections", list(module.sections())},
              {"remarks", list(module.remarks())}};
  // Text of the file need not be UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace hk
