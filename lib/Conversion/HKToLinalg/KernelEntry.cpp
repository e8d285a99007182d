// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ABI of a CPU kernel (runtime/include/hk/cpu_abi.h) around the code for
// one sequence.

#include "LoopsKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hk;

/// The fields of hk_cpu_args, eight bytes each.
enum class Field { Buffers, Packed, Batch, Scratch, Imports };

namespace {
class EntryBuilder {
public:
  EntryBuilder(func::FuncOp entry, Location loc)
      : loc(loc), builder(OpBuilder::atBlockEnd(entry.addEntryBlock())),
        pointer(LLVM::LLVMPointerType::get(entry.getContext())),
        args(entry.getArgument(0)) {}

  /// Entry `slot` of the table of pointers at `table`.
  Value loadPointer(Value table, int64_t slot) {
    Value place =
        LLVM::GEPOp::create(builder, loc, pointer, pointer, table,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
    return LLVM::LoadOp::create(builder, loc, pointer, place);
  }
  Value loadField(Field field) {
    return loadPointer(args, static_cast<int64_t>(field));
  }

  /// `base` + `index` * `stride` bytes.
  Value offset(Value base, Value index, int64_t stride) {
    Value bytes =
        arith::MulIOp::create(builder, loc, index,
                              arith::ConstantIntOp::create(
                                  builder, loc, builder.getI64Type(), stride));
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }

  /// The memory at `address` as a dense memref: the descriptor that memrefs
  /// become, to be cancelled against them when they do.
  Value makeMemRef(Value address, MemRefType type) {
    auto i64 = builder.getI64Type();
    auto array = LLVM::LLVMArrayType::get(i64, type.getRank());
    auto structType = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), {pointer, pointer, i64, array, array});
    Value descriptor = LLVM::PoisonOp::create(builder, loc, structType);
    auto insert = [&](Value value, ArrayRef<int64_t> position) {
      descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, value,
                                               position);
    };
    auto insertConstant = [&](int64_t value, ArrayRef<int64_t> position) {
      insert(LLVM::ConstantOp::create(builder, loc, i64,
                                      builder.getI64IntegerAttr(value)),
             position);
    };
    insert(address, 0);
    insert(address, 1);
    insertConstant(0, 2);
    int64_t stride = type.getNumElements();
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      stride = size == 0 ? 0 : stride / size;
      insertConstant(size, {3, static_cast<int64_t>(d)});
      insertConstant(stride, {4, static_cast<int64_t>(d)});
    }
    return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
        .getResult(0);
  }

  Location loc;
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  Value args;
};
} // namespace

static int64_t getByteSize(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
}

/// The name in libm of an operation that has no instruction, or none.
static StringRef getImport(Operation *op) {
  if (isa<math::ErfOp>(op))
    return "erf";
  if (isa<math::ExpOp>(op))
    return "exp";
  if (isa<math::Exp2Op>(op))
    return "exp2";
  if (isa<math::TanhOp>(op))
    return "tanh";
  return {};
}

/// Calls the function that `table` holds in place of `op`, in f64.
static void callImport(Operation *op, Value function) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto f64 = builder.getF64Type();
  Type type = op->getResult(0).getType();
  Value x = op->getOperand(0);
  if (type != f64)
    x = arith::ExtFOp::create(builder, loc, f64, x);
  auto signature = LLVM::LLVMFunctionType::get(f64, f64);
  Value y =
      LLVM::CallOp::create(builder, loc, signature, ValueRange{function, x})
          .getResult();
  if (type != f64)
    y = arith::TruncFOp::create(builder, loc, type, y);
  op->replaceAllUsesWith(ValueRange{y});
  op->erase();
}

func::FuncOp hk::buildKernelEntry(SequenceFunction sequence, StringRef name,
                                  int64_t scratch) {
  func::FuncOp body = sequence.function;
  Location loc = body.getLoc();
  OpBuilder moduleBuilder(body);
  auto i64 = moduleBuilder.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(body.getContext());
  auto entry = func::FuncOp::create(
      moduleBuilder, loc, name,
      moduleBuilder.getFunctionType({pointer, i64, i64}, {}));
  EntryBuilder b(entry, loc);

  // What is the same for all sequences.
  SmallVector<std::pair<Operation *, StringRef>> calls;
  SmallVector<StringRef> imports;
  body.walk([&](Operation *op) {
    StringRef import = getImport(op);
    if (import.empty())
      return;
    calls.emplace_back(op, import);
    if (!llvm::is_contained(imports, import))
      imports.push_back(import);
  });
  llvm::sort(imports);
  SmallVector<Value> bases, functions;
  Value buffers = b.loadField(Field::Buffers);
  for (unsigned slot = 0; slot < sequence.buffers; ++slot)
    bases.push_back(b.loadPointer(buffers, slot));
  SmallVector<Value> arguments(sequence.buffers);
  if (!sequence.packed.empty()) {
    Value packed = b.loadField(Field::Packed);
    for (unsigned slot = 0; slot < sequence.packed.size(); ++slot)
      arguments.push_back(b.makeMemRef(
          b.loadPointer(packed, slot),
          cast<MemRefType>(body.getArgument(arguments.size()).getType())));
  }
  arguments.push_back(
      b.makeMemRef(b.loadField(Field::Scratch),
                   cast<MemRefType>(body.getArguments().back().getType())));
  if (!imports.empty()) {
    Value table = b.loadField(Field::Imports);
    for (unsigned slot = 0; slot < imports.size(); ++slot)
      functions.push_back(b.loadPointer(table, slot));
  }

  // One sequence after another.
  Value one = arith::ConstantIntOp::create(b.builder, loc, i64, 1);
  auto loop = scf::ForOp::create(b.builder, loc, entry.getArgument(1),
                                 entry.getArgument(2), one);
  func::ReturnOp::create(b.builder, loc);
  b.builder.setInsertionPoint(loop.getBody()->getTerminator());
  for (unsigned slot = 0; slot < sequence.buffers; ++slot) {
    auto type = cast<MemRefType>(body.getArgument(slot).getType());
    arguments[slot] = b.makeMemRef(
        b.offset(bases[slot], loop.getInductionVar(), getByteSize(type)), type);
  }
  Block &block = body.getBody().front();
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  block.getTerminator()->erase();
  loop.getBody()->getOperations().splice(
      loop.getBody()->getTerminator()->getIterator(), block.getOperations());
  for (auto [op, import] : calls)
    callImport(op, functions[llvm::find(imports, import) - imports.begin()]);
  body.erase();
  shareNests(*loop.getBody(), entry);

  Builder attributes(entry.getContext());
  entry->setAttr("hk.imports", attributes.getStrArrayAttr(imports));
  entry->setAttr("hk.packed", attributes.getArrayAttr(sequence.packed));
  entry->setAttr("hk.scratch", attributes.getI64IntegerAttr(scratch));
  return entry;
}
