// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API: modules and parameters.
#include "c_api.h"

#include "module_check.h"
#include "module_json.h"
#include "plan_choice.h"

#include <cstdlib>

namespace {

using namespace hk::capi;
using hk::error;
using hk::invalidArgument;
using hk::Status;

const char *text(const flatbuffers::String *string) {
  return string ? string->c_str() : "";
}

hk_tensor_info tensorInfo(const flatbuffers::String *name,
                          const hk::schema::TensorType &type) {
  const hk_dtype dtype = static_cast<hk_dtype>(type.dtype());
  const uint32_t rank = hk::sizeOrZero(type.shape());
  return {text(name), dtype, hk_dtype_name(dtype), rank,
          rank ? type.shape()->data() : nullptr};
}

/// Function `index` of a module, if both exist.
Status getFunction(const hk_module *module, uint32_t index, const void *info,
                   const hk::schema::Function *&function) {
  HK_TRY(checkPointer(module, "a module"));
  HK_TRY(checkPointer(info, "a place for the result"));
  const auto &functions = *module->impl->metadata().functions();
  HK_TRY(checkIndex("function", index, functions.size()));
  function = functions.Get(index);
  return Status();
}

using Values = flatbuffers::Vector<flatbuffers::Offset<hk::schema::Value>>;

Status getValue(const Values &values, const char *what, uint32_t index,
                hk_tensor_info *info) {
  HK_TRY(checkIndex(what, index, values.size()));
  *info = tensorInfo(values.Get(index)->name(), *values.Get(index)->type());
  return Status();
}

void getTensor(const hk::ParamTensor &tensor, hk_tensor_info *info,
               const void **data) {
  if (info)
    *info = {tensor.key.c_str(), tensor.dtype, tensor.dtypeName,
             static_cast<uint32_t>(tensor.shape.size()),
             tensor.shape.empty() ? nullptr : tensor.shape.data()};
  if (data)
    *data = tensor.data;
}

} // namespace

extern "C" {

// ---- Module

hk_code hk_module_load(const char *path, hk_module **module,
                       hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(path, "a path"));
    HK_TRY(checkPointer(module, "a place for the module"));
    auto created = std::make_unique<hk_module>();
    HK_TRY(hk::Module::load(path, created->impl));
    *module = created.release();
    return Status();
  });
}

hk_code hk_module_load_memory(const void *data, size_t size, hk_module **module,
                              hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(module, "a place for the module"));
    if (size > 0)
      HK_TRY(checkPointer(data, "data"));
    auto created = std::make_unique<hk_module>();
    HK_TRY(hk::Module::loadMemory(data, size, created->impl));
    *module = created.release();
    return Status();
  });
}

void hk_module_destroy(hk_module *module) { delete module; }

hk_code hk_module_to_json(const hk_module *module, char **text,
                          hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(module, "a module"));
    HK_TRY(checkPointer(text, "a place for the text"));
    return copyString(hk::moduleToJson(module->impl->metadata()), *text);
  });
}

const char *hk_module_producer(const hk_module *module) {
  return text(module->impl->metadata().producer());
}

uint32_t hk_module_num_functions(const hk_module *module) {
  return module->impl->metadata().functions()->size();
}

hk_code hk_module_function(const hk_module *module, uint32_t function,
                           hk_function_info *info, hk_status *status) {
  return guard(status, [&] {
    const hk::schema::Function *found;
    HK_TRY(getFunction(module, function, info, found));
    *info = {text(found->name()), found->inputs()->size(),
             found->outputs()->size(), found->plans()->size(), found->oracle()};
    return Status();
  });
}

hk_code hk_module_find_function(const hk_module *module, const char *name,
                                uint32_t *function, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(module, "a module"));
    HK_TRY(checkPointer(name, "a name"));
    HK_TRY(checkPointer(function, "a place for the result"));
    return hk::findFunction(*module->impl, name, *function);
  });
}

hk_code hk_module_input(const hk_module *module, uint32_t function,
                        uint32_t index, hk_tensor_info *info,
                        hk_status *status) {
  return guard(status, [&] {
    const hk::schema::Function *found;
    HK_TRY(getFunction(module, function, info, found));
    return getValue(*found->inputs(), "input", index, info);
  });
}

hk_code hk_module_output(const hk_module *module, uint32_t function,
                         uint32_t index, hk_tensor_info *info,
                         hk_status *status) {
  return guard(status, [&] {
    const hk::schema::Function *found;
    HK_TRY(getFunction(module, function, info, found));
    return getValue(*found->outputs(), "output", index, info);
  });
}

hk_code hk_module_plan(const hk_module *module, uint32_t function,
                       uint32_t index, hk_plan_info *info, hk_status *status) {
  return guard(status, [&] {
    const hk::schema::Function *found;
    HK_TRY(getFunction(module, function, info, found));
    HK_TRY(checkIndex("plan", index, found->plans()->size()));
    const hk::schema::Plan &plan = *found->plans()->Get(index);
    *info = {text(plan.name()), plan.rank(), static_cast<hk_role>(plan.role()),
             plan.dispatches()->size()};
    return Status();
  });
}

uint32_t hk_module_num_parameters(const hk_module *module) {
  return module->impl->metadata().parameters()->size();
}

hk_code hk_module_parameter(const hk_module *module, uint32_t index,
                            hk_tensor_info *info, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(module, "a module"));
    HK_TRY(checkPointer(info, "a place for the result"));
    const auto &parameters = *module->impl->metadata().parameters();
    HK_TRY(checkIndex("parameter", index, parameters.size()));
    *info = tensorInfo(parameters.Get(index)->key(),
                       *parameters.Get(index)->type());
    return Status();
  });
}

uint32_t hk_module_num_remarks(const hk_module *module) {
  return hk::sizeOrZero(module->impl->metadata().remarks());
}

hk_code hk_module_remark(const hk_module *module, uint32_t index,
                         hk_remark_info *info, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(module, "a module"));
    HK_TRY(checkPointer(info, "a place for the result"));
    HK_TRY(checkIndex("remark", index, hk_module_num_remarks(module)));
    const auto &remark = *module->impl->metadata().remarks()->Get(index);
    *info = {static_cast<hk_remark_kind>(remark.kind()), text(remark.pass()),
             text(remark.function()), text(remark.location()),
             text(remark.message())};
    return Status();
  });
}

// ---- Parameters

hk_code hk_params_create(hk_params **params, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(params, "a place for the parameters"));
    *params = new hk_params;
    return Status();
  });
}

hk_code hk_params_open(const char *path, hk_params **params,
                       hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(path, "a path"));
    HK_TRY(checkPointer(params, "a place for the parameters"));
    auto created = std::make_unique<hk_params>();
    HK_TRY(created->impl.addFile(path));
    *params = created.release();
    return Status();
  });
}

void hk_params_destroy(hk_params *params) { delete params; }

hk_code hk_params_add_file(hk_params *params, const char *path,
                           hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(params, "parameters"));
    HK_TRY(checkPointer(path, "a path"));
    return params->impl.addFile(path);
  });
}

hk_code hk_params_add(hk_params *params, const char *key, hk_dtype dtype,
                      uint32_t rank, const int64_t *shape, const void *data,
                      hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(params, "parameters"));
    HK_TRY(checkPointer(key, "a key"));
    HK_TRY(checkPointer(data, "data"));
    if (rank > 0)
      HK_TRY(checkPointer(shape, "a shape"));
    if (hk_dtype_size(dtype) == 0)
      return invalidArgument("'", hk::printable(key),
                             "': expects an element type of hk_dtype, but got ",
                             static_cast<int>(dtype));
    for (uint32_t d = 0; d < rank; ++d)
      if (shape[d] < 0)
        return invalidArgument("'", hk::printable(key),
                               "': expects dimensions of 0 or more, but got ",
                               shape[d]);
    hk::ParamTensor tensor;
    tensor.key = key;
    tensor.dtype = dtype;
    tensor.dtypeName = hk_dtype_name(dtype);
    tensor.shape.assign(shape, shape + rank);
    tensor.data = data;
    return params->impl.add(std::move(tensor));
  });
}

uint32_t hk_params_count(const hk_params *params) {
  return static_cast<uint32_t>(params->impl.size());
}

hk_code hk_params_get(const hk_params *params, uint32_t index,
                      hk_tensor_info *info, const void **data,
                      hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(params, "parameters"));
    HK_TRY(checkIndex("parameter", index, params->impl.size()));
    getTensor(params->impl[index], info, data);
    return Status();
  });
}

hk_code hk_params_find(const hk_params *params, const char *key,
                       hk_tensor_info *info, const void **data,
                       hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(params, "parameters"));
    HK_TRY(checkPointer(key, "a key"));
    const hk::ParamTensor *tensor = params->impl.find(key);
    if (!tensor)
      return error(HK_NOT_FOUND, "expects one of ", params->impl.size(),
                   " parameters, but got '", hk::printable(key), "'");
    getTensor(*tensor, info, data);
    return Status();
  });
}

} // extern "C"
