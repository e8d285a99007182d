// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #hk.cpu variants to functions of scalars, vectors and memrefs: the ABI of a
// kernel, its loop over workgroups, and where a workgroup's data lies.

#include "hk/Conversion/Passes.h"

#include "KernelEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace hk {
#define GEN_PASS_DEF_HKTOVECTOR
#include "hk/Conversion/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

namespace {

/// The fields of hk_cpu_args, in order (runtime/include/hk/cpu_abi.h).
enum ArgumentField { Buffers, Packed, Batch, Scratch, Imports };

/// Emits one variant as a function.
class VariantLowering {
public:
  VariantLowering(OpBuilder &builder, VariantOp variant, CPUAttr schedule)
      : b(builder), variant(variant), schedule(schedule),
        loc(variant.getLoc()) {}

  LogicalResult lower(func::FuncOp function);

private:
  Value pointerAt(Value base, Value byteOffset);
  Value pointerAt(Value base, int64_t byteOffset);
  Value loadPointer(Value base, int64_t index);
  Value asMemRef(Value pointer, ArrayRef<int64_t> shape, Type element);
  unsigned packedSlot(PackedGetOp get);
  LogicalResult lowerBlock(VectorBuilder &v, const KernelGroups &groups,
                           KernelOperands &operands, int64_t rows,
                           Value firstRow);

  OpBuilder &b;
  VariantOp variant;
  CPUAttr schedule;
  Location loc;
  Value packedTable, scratch;
  Block *entry = nullptr;
  SmallVector<FlatSymbolRefAttr> packed;
  SmallVector<Value> packedPointers;
  int64_t scratchBytes = 0;
};

} // namespace

static Type pointerType(OpBuilder &b) {
  return LLVM::LLVMPointerType::get(b.getContext());
}

Value VariantLowering::pointerAt(Value base, Value byteOffset) {
  return LLVM::GEPOp::create(b, loc, pointerType(b), b.getI8Type(), base,
                             ValueRange{byteOffset});
}

Value VariantLowering::pointerAt(Value base, int64_t byteOffset) {
  // A constant index of a getelementptr has 32 bits; weights may be larger.
  if (!llvm::isInt<32>(byteOffset))
    return pointerAt(base,
                     LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                              b.getI64IntegerAttr(byteOffset)));
  return LLVM::GEPOp::create(
      b, loc, pointerType(b), b.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
}

Value VariantLowering::loadPointer(Value base, int64_t index) {
  return LLVM::LoadOp::create(b, loc, pointerType(b),
                              pointerAt(base, 8 * index));
}

/// A dense memref at `pointer`. Its descriptor is built by hand and cast; the
/// lowering of memrefs folds the cast away.
Value VariantLowering::asMemRef(Value pointer, ArrayRef<int64_t> shape,
                                Type element) {
  MLIRContext *context = b.getContext();
  auto type = MemRefType::get(shape, element);
  Type i64 = b.getI64Type(),
       array = LLVM::LLVMArrayType::get(i64, shape.size());
  Type pointerTy = pointerType(b);
  auto structType = LLVM::LLVMStructType::getLiteral(
      context, {pointerTy, pointerTy, i64, array, array});
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  Value descriptor = LLVM::PoisonOp::create(b, loc, structType);
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant(0), {2});
  auto [strides, offset] = type.getStridesAndOffset();
  for (auto [index, size] : llvm::enumerate(shape)) {
    insert(constant(size), {3, static_cast<int64_t>(index)});
    insert(constant(strides[index]), {4, static_cast<int64_t>(index)});
  }
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

/// The slot of a packed value; its address is loaded once, at the entry.
unsigned VariantLowering::packedSlot(PackedGetOp get) {
  FlatSymbolRefAttr symbol = get.getSymbolAttr();
  for (auto [index, known] : llvm::enumerate(packed))
    if (known == symbol)
      return index;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(packedTable.getDefiningOp());
  packed.push_back(symbol);
  packedPointers.push_back(loadPointer(packedTable, packed.size() - 1));
  return packed.size() - 1;
}

LogicalResult VariantLowering::lowerBlock(VectorBuilder &v,
                                          const KernelGroups &groups,
                                          KernelOperands &operands,
                                          int64_t rows, Value firstRow) {
  KernelEmitter emitter(v, schedule, groups, operands, rows, firstRow);
  if (failed(emitter.emit()))
    return failure();
  scratchBytes = std::max(scratchBytes, emitter.getScratchBytes());
  return success();
}

/// Bytes of an element in memory: a mask takes one byte an element.
static int64_t elementBytes(Type element) {
  return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
}

LogicalResult VariantLowering::lower(func::FuncOp function) {
  entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value args = entry->getArgument(0);
  Value buffers = loadPointer(args, Buffers);
  packedTable = loadPointer(args, Packed);
  scratch = loadPointer(args, Scratch);

  Block &body = variant.getBody().front();
  SmallVector<Type> types(body.getArgumentTypes());
  if (!types.empty() && types.back().isIndex())
    types.pop_back(); // The layer: the packed pointers are at it already.
  unsigned numArguments = types.size();
  llvm::append_range(types, body.getTerminator()->getOperandTypes());
  SmallVector<Value> pointers;
  for (unsigned i = 0; i < types.size(); ++i)
    pointers.push_back(loadPointer(buffers, i));

  // All activations are of the same sequence length.
  int64_t sequence = 0;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() == 3)
      sequence = tensor.getDimSize(1);
  }
  if (sequence == 0)
    return variant.emitOpError()
           << "expects an operand or result [B, S, D] in a #hk.cpu kernel, but "
              "got none";
  int64_t rows = std::min(schedule.getRows(), sequence);
  int64_t blocks = llvm::divideCeil(sequence, rows);

  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, toIndex(entry->getArgument(1)),
                                 toIndex(entry->getArgument(2)), one);
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(loop.getBody());
  Value workgroup = loop.getInductionVar();
  VectorBuilder v(b, loc, schedule.getVectorWidth(), schedule.getIsa());
  Value item = workgroup, block = v.index(0);
  if (blocks > 1) {
    item = arith::DivUIOp::create(b, loc, workgroup, v.index(blocks));
    block = arith::RemUIOp::create(b, loc, workgroup, v.index(blocks));
  }
  Value item64 = arith::IndexCastOp::create(b, loc, b.getI64Type(), item);

  KernelOperands operands;
  for (auto [index, type] : llvm::enumerate(types)) {
    auto tensor = cast<RankedTensorType>(type);
    Type element = tensor.getElementType();
    ArrayRef<int64_t> shape = tensor.getShape().drop_front();
    int64_t bytes = ShapedType::getNumElements(shape) * elementBytes(element);
    Value stride = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                            b.getI64IntegerAttr(bytes));
    Value pointer =
        pointerAt(pointers[index], LLVM::MulOp::create(b, loc, item64, stride));
    Value operand;
    if (tensor.getRank() == 1) {
      // A length, brought into [0, S].
      Value length =
          toIndex(LLVM::LoadOp::create(b, loc, b.getI32Type(), pointer));
      length = arith::MaxSIOp::create(b, loc, length, v.index(0));
      operand = v.minIndex(length, v.index(sequence));
    } else {
      operand = asMemRef(pointer, shape,
                         element.isInteger(1) ? b.getI8Type() : element);
    }
    (index < numArguments ? operands.arguments : operands.results)
        .push_back(operand);
  }
  operands.packed = [&](PackedGetOp get, ArrayRef<int64_t> shape,
                        int64_t offset) {
    unsigned slot = packedSlot(get);
    Type element = getElementTypeOrSelf(get.getResult().getType());
    Value pointer =
        pointerAt(packedPointers[slot], offset * elementBytes(element));
    return asMemRef(pointer, shape, element);
  };
  operands.scratch = [&](int64_t offset, ArrayRef<int64_t> shape) {
    return asMemRef(pointerAt(scratch, offset), shape, b.getF32Type());
  };

  KernelGroups groups(variant);
  Value firstRow = v.mulIndex(block, rows);
  int64_t rest = sequence % rows;
  if (rest != 0) {
    // The last block of a sequence is shorter: code of its own.
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         block, v.index(blocks - 1));
    auto choice = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    if (failed(lowerBlock(v, groups, operands, rest, firstRow)))
      return failure();
    b.setInsertionPointToStart(choice.elseBlock());
  }
  if (failed(lowerBlock(v, groups, operands, rows, firstRow)))
    return failure();

  SmallVector<Attribute> symbols(packed.begin(), packed.end());
  function->setAttr("hk.packed", b.getArrayAttr(symbols));
  function->setAttr("hk.imports", b.getArrayAttr({}));
  function->setAttr("hk.scratch", b.getI64IntegerAttr(scratchBytes));
  return success();
}

namespace {
struct HKToVector : hk::impl::HKToVectorBase<HKToVector> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(module.getContext());
    llvm::MapVector<StringRef, ModuleOp> nested;
    for (auto executable :
         llvm::make_early_inc_range(module.getOps<ExecutableOp>())) {
      int64_t index = -1;
      for (auto variant : executable.getBody().front().getOps<VariantOp>()) {
        ++index;
        auto schedule = dyn_cast<CPUAttr>(variant.getSchedule());
        if (!schedule)
          continue;
        ModuleOp &target = nested[schedule.getIsa()];
        if (!target) {
          b.setInsertionPointToEnd(module.getBody());
          target = ModuleOp::create(b, module.getLoc(), schedule.getIsa());
          target->setAttr("hk.isa", b.getStringAttr(schedule.getIsa()));
        }
        b.setInsertionPointToEnd(target.getBody());
        Type i64 = b.getI64Type();
        auto function = func::FuncOp::create(
            b, variant.getLoc(), executable.getSymName(),
            b.getFunctionType({pointerType(b), i64, i64}, {}));
        function->setAttr("hk.executable",
                          FlatSymbolRefAttr::get(executable.getSymNameAttr()));
        function->setAttr("hk.variant", b.getI64IntegerAttr(index));
        if (failed(VariantLowering(b, variant, schedule).lower(function)))
          return signalPassFailure();
      }
    }
  }
};
} // namespace
