// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExecutableBuilder.h"

#include "hk/Analysis/MatrixProduct.h"
#include "hk/Analysis/ProjectedRows.h"
#include "hk/Analysis/RowScratch.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace hk;

/// `hk.packed @w.p32`: the packed weight that `get` reads, in panels.
PackedOp ExecutableBuilder::getPanels(PackedGetOp get, int64_t width,
                                      Operation *where) {
  PackedOp &slot = panels[{get.getSymbolAttr().getAttr(), width}];
  if (slot)
    return slot;
  auto source = symbols.lookup<PackedOp>(get.getSymbol());
  auto type = cast<RankedTensorType>(get.getType());
  auto layout = RankedTensorType::get(type.getShape(), type.getElementType(),
                                      PanelsAttr::get(get.getContext(), width));
  OpBuilder builder(get.getContext());
  Location loc = source.getLoc();
  slot = PackedOp::create(
      builder, loc,
      builder.getStringAttr(get.getSymbol() + ".p" + Twine(width)),
      source.getLayerBeginAttr(), source.getLayerEndAttr(),
      TypeAttr::get(layout));
  Block *block = builder.createBlock(&slot.getBody());
  Value layer;
  if (source.hasLayers())
    layer = block->addArgument(builder.getIndexType(), loc);
  Value weight =
      PackedGetOp::create(builder, loc, type, get.getSymbol(), layer);
  Value result = PackLayoutOp::create(builder, loc, layout, weight);
  YieldOp::create(builder, loc, result);
  symbols.insert(slot, where->getIterator());
  return slot;
}

PackedOp ExecutableBuilder::getNarrowed(PackedGetOp get, Type element) {
  auto source = symbols.lookup<PackedOp>(get.getSymbol());
  auto type = RankedTensorType::get(source.getTensorType().getShape(), element);
  std::string name;
  llvm::raw_string_ostream(name) << get.getSymbol() << '.' << element;
  if (auto known = symbols.lookup<PackedOp>(name);
      known && known.getType() == type &&
      known.getLayerBegin() == source.getLayerBegin() &&
      known.getLayerEnd() == source.getLayerEnd())
    return known;
  // The initialiser is repeated, not read, or it would be rounded twice.
  OpBuilder builder(get.getContext());
  auto packed =
      PackedOp::create(builder, source.getLoc(), builder.getStringAttr(name),
                       source.getLayerBeginAttr(), source.getLayerEndAttr(),
                       TypeAttr::get(type));
  IRMapping mapping;
  source.getBody().cloneInto(&packed.getBody(), mapping);
  symbols.insert(packed, std::next(source->getIterator()));
  return packed;
}

void ExecutableBuilder::narrowParameters(VariantOp variant) {
  std::optional<MatrixProduct> product =
      matchMatrixProduct(variant.getBody().front());
  if (!product) // The writer of modules says so.
    return;
  OpBuilder builder(variant.getContext());
  auto narrow = [&](PackedGetOp get, Type element) {
    if (!get || getElementTypeOrSelf(get.getType()) == element)
      return;
    PackedOp packed = getNarrowed(get, element);
    builder.setInsertionPointAfter(get);
    Value narrowed =
        PackedGetOp::create(builder, get.getLoc(), packed.getTensorType(),
                            packed.getSymName(), get.getLayer());
    get.replaceAllUsesWith(
        CastOp::create(builder, get.getLoc(), get.getType(), narrowed)
            .getResult());
    get.erase();
  };
  narrow(product->weight, product->getInputElement());
  narrow(product->bias, product->getResultElement());
}

/// The sequences that a workgroup owns: several where a kernel for a GPU
/// computes keys and values, and those of a sequence leave room for more.
static int64_t sequencesPerWorkgroup(KernelOp kernel,
                                     ScheduleAttrInterface schedule) {
  auto cuda = dyn_cast<CUDAAttr>(schedule);
  for (auto attention : kernel.getBody().getOps<AttentionOp>())
    if (cuda && computesKeys(attention))
      return ProjectedRows::get(cuda.getRows(), cuda.getUnits(),
                                attention.getSequenceLength())
          .sequences;
  return 1;
}

/// The workgroups of a sequence: blocks of rows and, on a GPU, of features or
/// heads.
static int64_t workgroupsPerSequence(KernelOp kernel,
                                     ScheduleAttrInterface schedule) {
  Type type = kernel.getResult(0).getType();
  int64_t count =
      llvm::divideCeil(getRowsPerSequence(type), schedule.getWorkgroupRows());
  auto cuda = dyn_cast<CUDAAttr>(schedule);
  if (!cuda)
    return count;
  count = llvm::divideCeil(count, cuda.getRowBlocks());
  if (cuda.getColumns() > 0)
    return count * llvm::divideCeil(cast<ShapedType>(type).getShape().back(),
                                    cuda.getColumns());
  if (cuda.getHeads() > 0)
    for (auto attention : kernel.getBody().getOps<AttentionOp>())
      return count * llvm::divideCeil(attention.getNumHeads(), cuda.getHeads());
  return count;
}

std::optional<double> hk::getPredictedTime(KernelOp kernel, unsigned number) {
  auto times = kernel->getAttrOfType<DenseF64ArrayAttr>(kPredictedTime);
  if (!times || number >= times.size())
    return std::nullopt;
  return times[number];
}

void ExecutableBuilder::addVariant(ExecutableOp executable, KernelOp kernel,
                                   unsigned number, Operation *where) {
  auto schedule = cast<ScheduleAttrInterface>((*kernel.getSchedules())[number]);
  OpBuilder builder(executable.getContext());
  builder.setInsertionPointToEnd(&executable.getBody().front());
  AffineExpr groups = builder.getAffineSymbolExpr(0).ceilDiv(
      sequencesPerWorkgroup(kernel, schedule));
  AffineMap grid =
      AffineMap::get(0, 1, groups * workgroupsPerSequence(kernel, schedule));
  auto variant =
      VariantOp::create(builder, kernel.getLoc(), schedule,
                        AffineMapAttr::get(grid), kernel.getSkipRowsAttr());
  IRMapping mapping;
  kernel.getBody().cloneInto(&variant.getBody(), mapping);
  if (std::optional<double> time = getPredictedTime(kernel, number))
    variant->setAttr(kPredictedTime, builder.getF64FloatAttr(*time));

  if (isa<CublasLtAttr>(schedule))
    return narrowParameters(variant);
  auto cpu = dyn_cast<CPUAttr>(schedule);
  if (!cpu)
    return;
  for (auto linear : variant.getBody().getOps<LinearOp>()) {
    auto get = linear.getWeight().getDefiningOp<PackedGetOp>();
    // Already in panels, by an earlier use of the same value.
    if (!get || cast<RankedTensorType>(get.getType()).getEncoding())
      continue;
    PackedOp packed = getPanels(get, cpu.getNr(), where);
    builder.setInsertionPointAfter(get);
    auto tiled =
        PackedGetOp::create(builder, get.getLoc(), packed.getTensorType(),
                            packed.getSymName(), get.getLayer());
    for (OpOperand &use : llvm::make_early_inc_range(get->getUses()))
      if (isa<LinearOp>(use.getOwner()) && use.getOperandNumber() == 1)
        use.set(tiled);
    if (get->use_empty())
      get->erase();
  }
}

FailureOr<ExecutableOp> ExecutableBuilder::get(KernelOp kernel,
                                               Operation *where) {
  if (!kernel.getSchedules() || kernel.getSchedules()->empty())
    return kernel.emitOpError()
           << "expects schedules before it is outlined (hk-assign-schedules)";
  if (kernel.getNumResults() == 0)
    return kernel.emitOpError() << "expects results, but got none";
  ArrayAttr schedules = *kernel.getSchedules();
  for (auto [other, executable] : made)
    if (other.getSchedules() == kernel.getSchedules() &&
        other.getSkipRowsAttr() == kernel.getSkipRowsAttr() &&
        OperationEquivalence::isRegionEquivalentTo(
            &other.getBody(), &kernel.getBody(),
            OperationEquivalence::IgnoreLocations))
      return executable;

  OpBuilder builder(kernel.getContext());
  auto executable = ExecutableOp::create(
      builder, kernel.getLoc(), builder.getStringAttr(kernel.getName()));
  builder.createBlock(&executable.getBody());
  for (unsigned number = 0; number < schedules.size(); ++number)
    addVariant(executable, kernel, number, where);
  symbols.insert(executable, where->getIterator());
  made.emplace_back(kernel, executable);
  return executable;
}
