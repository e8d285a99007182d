// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enum attributes as bare keywords in the textual form of operations. (What
// the attributes print by themselves begins with a space of its own.)

#ifndef HK_DIALECT_ENUMKEYWORD_H
#define HK_DIALECT_ENUMKEYWORD_H

#include "mlir/IR/OpImplementation.h"

namespace hk {

/// Parses one of the keywords of the enum that `AttrT` holds. The enums of hk's
/// dialects count from zero.
template <typename AttrT>
mlir::ParseResult parseEnumKeyword(mlir::OpAsmParser &parser, AttrT &attr) {
  using Enum = decltype(std::declval<AttrT>().getValue());
  auto nameOf = [](uint32_t i) { return stringifyEnum(static_cast<Enum>(i)); };
  llvm::SMLoc where = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (mlir::failed(parser.parseKeyword(&keyword)))
    return mlir::failure();
  for (uint32_t i = 0; !nameOf(i).empty(); ++i)
    if (nameOf(i) == keyword) {
      attr = AttrT::get(parser.getContext(), static_cast<Enum>(i));
      return mlir::success();
    }
  mlir::InFlightDiagnostic diag = parser.emitError(where) << "expects one of ";
  for (uint32_t i = 0; !nameOf(i).empty(); ++i)
    diag << (i ? ", " : "") << nameOf(i);
  return diag << ", but got " << keyword;
}

template <typename AttrT>
void printEnumKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      AttrT attr) {
  printer << stringifyEnum(attr.getValue());
}

} // namespace hk

#endif // HK_DIALECT_ENUMKEYWORD_H
