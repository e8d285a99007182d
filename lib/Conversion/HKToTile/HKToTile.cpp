// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #hk.cuda variants to tile kernels: their arguments and attributes.

#include "hk/Conversion/Passes.h"

#include "TileEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

namespace hk {
#define GEN_PASS_DEF_HKTOTILE
#include "hk/Conversion/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// `[B, S, D]` is `[B * S, D]` in memory, `[B, S]` is `[B * S]`.
static Type getMemoryType(RankedTensorType type) {
  OpBuilder b(type.getContext());
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = b.getI8Type();
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  if (type.getRank() == 3)
    shape.push_back(type.getDimSize(2));
  return MemRefType::get(shape, element);
}

/// Of each executable, the operands that are inputs of the network in all of
/// its dispatches: nothing writes them while a plan runs.
using NetworkInputs = DenseMap<StringAttr, SmallVector<bool>>;

static NetworkInputs findNetworkInputs(ModuleOp module) {
  NetworkInputs inputs;
  for (auto plan : module.getOps<PlanOp>())
    for (auto dispatch : plan.getBody().getOps<DispatchOp>()) {
      SmallVector<bool> &are = inputs[dispatch.getExecutableAttr().getAttr()];
      are.resize(dispatch.getInputs().size(), true);
      for (auto [is, operand] : llvm::zip_equal(are, dispatch.getInputs()))
        is &= isa<BlockArgument>(operand);
    }
  return inputs;
}

/// Makes the kernel of a variant, with its arguments and attributes. `inputs`:
/// which operands are inputs of the network; empty where that is not known.
static tile::KernelOp createKernel(OpBuilder &b, const KernelPlan &plan,
                                   ArrayRef<bool> inputs, SymbolTable &symbols,
                                   ModuleOp target) {
  Block &body = plan.getBody();
  SmallVector<Type> types;
  SmallVector<Attribute> packed;
  SmallVector<int64_t> ahead;
  SmallVector<unsigned> constants;
  for (auto [i, type] : llvm::enumerate(body.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (i < inputs.size() && inputs[i])
      constants.push_back(types.size());
    types.push_back(getMemoryType(tensor));
  }
  for (Type type : body.getTerminator()->getOperandTypes())
    types.push_back(getMemoryType(cast<RankedTensorType>(type)));
  for (const PackedArgument &argument : plan.packed) {
    PackedGetOp get = argument.get;
    TilesAttr layout = argument.layout;
    ahead.push_back(argument.ahead);
    if (!layout) {
      auto vector = cast<RankedTensorType>(get.getType());
      constants.push_back(types.size());
      types.push_back(
          MemRefType::get(vector.getShape(), vector.getElementType()));
      packed.push_back(get.getSymbolAttr());
      continue;
    }
    Type element = plan.getOperandType();
    types.push_back(TilesType::get(layout.getRows(), layout.getColumns(),
                                   element, layout.getStripRows(),
                                   layout.getStripColumns()));
    packed.push_back(FlatSymbolRefAttr::get(
        getTiles(symbols, get, layout, element).getSymNameAttr()));
  }
  types.push_back(b.getIndexType());

  VariantOp variant = plan.variant;
  auto executable = cast<ExecutableOp>(variant->getParentOp());
  int64_t number =
      std::distance(variant->getBlock()->begin(), variant->getIterator());
  // The variants of one architecture get names of their own.
  std::string name = executable.getSymName().str();
  if (SymbolTable::lookupSymbolIn(target, name))
    name += "_" + std::to_string(number);
  b.setInsertionPointToEnd(target.getBody());
  auto kernel = tile::KernelOp::create(b, variant.getLoc(), name,
                                       b.getFunctionType(types, {}),
                                       plan.schedule.getUnits());
  for (unsigned number : constants)
    kernel.setArgAttr(number, tile::KernelOp::getConstantAttrName(),
                      b.getUnitAttr());
  kernel->setAttr("hk.executable",
                  FlatSymbolRefAttr::get(executable.getSymNameAttr()));
  kernel->setAttr("hk.variant", b.getI64IntegerAttr(number));
  kernel->setAttr("hk.packed", b.getArrayAttr(packed));
  if (llvm::any_of(ahead, [](int64_t layers) { return layers != 0; }))
    kernel->setAttr("hk.packed_ahead", b.getDenseI64ArrayAttr(ahead));
  kernel->setAttr("hk.stages", b.getI64IntegerAttr(plan.schedule.getStages()));
  kernel->setAttr("hk.block", b.getI64IntegerAttr(plan.schedule.getBlock()));
  if (plan.schedule.getMma() != MmaKind::Sync)
    kernel->setAttr("hk.mma",
                    b.getStringAttr(stringifyMmaKind(plan.schedule.getMma())));
  if (plan.schedule.getCtas() > 0)
    kernel->setAttr("hk.ctas", b.getI64IntegerAttr(plan.schedule.getCtas()));
  return kernel;
}

/// The module of the kernels of one architecture.
static ModuleOp getTarget(OpBuilder &b, ModuleOp module, StringRef arch) {
  for (auto nested : module.getOps<ModuleOp>())
    if (auto isa = nested->getAttrOfType<StringAttr>("hk.isa");
        isa && isa.getValue() == arch)
      return nested;
  b.setInsertionPointToEnd(module.getBody());
  auto target = ModuleOp::create(b, module.getLoc(), arch);
  target->setAttr("hk.isa", b.getStringAttr(arch));
  return target;
}

namespace {
struct HKToTile : hk::impl::HKToTileBase<HKToTile> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(module.getContext());
    std::vector<KernelPlan> plans;
    for (auto executable : module.getOps<ExecutableOp>())
      for (auto variant : executable.getBody().front().getOps<VariantOp>()) {
        if (!isa<CUDAAttr>(variant.getSchedule()))
          continue;
        FailureOr<KernelPlan> plan = KernelPlan::get(variant);
        if (failed(plan))
          return signalPassFailure();
        plans.push_back(std::move(*plan));
      }
    SymbolTable symbols(module);
    NetworkInputs inputs = findNetworkInputs(module);
    for (const KernelPlan &plan : plans) {
      ModuleOp target = getTarget(b, module, plan.schedule.getArch());
      auto executable = cast<ExecutableOp>(plan.variant->getParentOp());
      tile::KernelOp kernel = createKernel(
          b, plan, inputs.lookup(executable.getSymNameAttr()), symbols, target);
      TileEmitter(b, kernel, plan).emit();
    }
  }
};
} // namespace
