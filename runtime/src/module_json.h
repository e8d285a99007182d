// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_MODULE_JSON_H
#define HK_RUNTIME_MODULE_JSON_H

#include "module.h"

#include <string>

namespace hk {

/// The metadata of a verified module as indented JSON, under the field names
/// of the schema. Hashes are strings: they do not fit a JSON number.
std::string moduleToJson(const schema::Module &module);

} // namespace hk

#endif // HK_RUNTIME_MODULE_JSON_H
