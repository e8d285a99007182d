// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enum attributes as bare keywords in the textual form of operations. (What
// the attributes print by themselves begins with a space of its own.)

#ifndef HK_LIB_DIALECT_HK_ENUMKEYWORD_H
#define HK_LIB_DIALECT_HK_ENUMKEYWORD_H

#include "hk/Dialect/HK/HKDialect.h"

namespace hk {

/// Parses one of the keywords of the enum that `AttrT` holds.
template <typename AttrT>
mlir::ParseResult parseEnumKeyword(mlir::OpAsmParser &parser, AttrT &attr) {
  using Enum = decltype(std::declval<AttrT>().getValue());
  llvm::SMLoc where = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (mlir::failed(parser.parseKeyword(&keyword)))
    return mlir::failure();
  if (std::optional<Enum> value = symbolizeEnum<Enum>(keyword)) {
    attr = AttrT::get(parser.getContext(), *value);
    return mlir::success();
  }
  mlir::InFlightDiagnostic diag = parser.emitError(where) << "expects one of ";
  // The enums of the dialect count from zero.
  for (uint32_t i = 0; !stringifyEnum(static_cast<Enum>(i)).empty(); ++i)
    diag << (i ? ", " : "") << stringifyEnum(static_cast<Enum>(i));
  return diag << ", but got " << keyword;
}

template <typename AttrT>
void printEnumKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      AttrT attr) {
  printer << stringifyEnum(attr.getValue());
}

} // namespace hk

#endif // HK_LIB_DIALECT_HK_ENUMKEYWORD_H
