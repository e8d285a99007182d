// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TypeConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;
using namespace hk;

TileTypeConverter::TileTypeConverter(const KernelInfo &info) {
  addConversion([](Type type) { return type; });
  addConversion(
      [&info](tile::FragType type,
              SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        RegisterLayout layout = info.layout(type);
        types.append(layout.size(), layout.registerType());
        return success();
      });
  addConversion([](tile::BufType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  addConversion([](tile::ChanType, SmallVectorImpl<Type> &) {
    return std::optional<LogicalResult>(success());
  });
  addConversion([](tile::TilesType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 1);
  });
  addConversion([](MemRefType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 1);
  });
  auto cast = [](OpBuilder &b, Type type, ValueRange inputs,
                 Location loc) -> Value {
    return UnrealizedConversionCastOp::create(b, loc, type, inputs)
        .getResult(0);
  };
  addSourceMaterialization(cast);
  // The batch is an i64 in the ABI.
  addSourceMaterialization([](OpBuilder &b, IndexType type, ValueRange inputs,
                              Location loc) -> Value {
    if (inputs.size() != 1 || !inputs[0].getType().isInteger(64))
      return {};
    return arith::IndexCastOp::create(b, loc, type, inputs[0]);
  });
  addTargetMaterialization(cast);
}
