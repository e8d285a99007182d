// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Uniformity.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILERESIDENCY
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// True if `value` is only used as A of mmas, whole or in slices.
static bool isOperandA(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUses(), [](OpOperand &use) {
           if (auto slice = dyn_cast<SliceOp>(use.getOwner()))
             return isOperandA(slice.getResult());
           auto mma = dyn_cast<MmaOp>(use.getOwner());
           return mma && use.get() == mma.getA() && use.get() != mma.getC();
         });
}

namespace {
/// `%cta + %unit * R`.
struct Row {
  Value cta;
  Value unit;
};
} // namespace

static bool isUnitTimes(Value value, int64_t rows) {
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product)
    return false;
  auto matches = [&](Value a, Value b) {
    return a.getDefiningOp<UnitOp>() && getConstantIntValue(b) == rows;
  };
  return matches(product.getLhs(), product.getRhs()) ||
         matches(product.getRhs(), product.getLhs());
}

static std::optional<Row> matchRow(Value value, int64_t rows) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  if (isUnitTimes(sum.getRhs(), rows))
    return Row{sum.getLhs(), sum.getRhs()};
  if (isUnitTimes(sum.getLhs(), rows))
    return Row{sum.getRhs(), sum.getLhs()};
  return std::nullopt;
}

/// The bytes of shared memory that the kernel needs with two slots a ring: one
/// ring for weights, one for each size of matrices.
static int64_t estimateShared(KernelOp kernel) {
  int64_t tiles = 0, published = 0, matrices = 0;
  llvm::SmallDenseSet<int64_t> sizes;
  kernel.walk([&](Operation *op) {
    if (auto publish = dyn_cast<PublishOp>(op))
      published += publish.getResult().getType().getBytes();
    auto stage = dyn_cast<StageOp>(op);
    if (!stage)
      return;
    int64_t bytes = stage.getType().getBytes();
    if (isa<TilesType>(stage.getSource().getType()))
      tiles = std::max(tiles, bytes);
    else if (sizes.insert(bytes).second)
      matrices += bytes;
  });
  return 2 * (tiles + matrices) + published;
}

namespace {
class ResidencyPass : public hk::tile::impl::TileResidencyBase<ResidencyPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<LoadOp> loads;
    kernel.walk([&](LoadOp load) {
      if (!load.getType().isLine() && load.getIndices().size() == 2 &&
          isOperandA(load.getResult()))
        loads.push_back(load);
    });
    if (loads.empty())
      return;
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();
    PassRemarks remarks(getArgument(), kernel);
    for (LoadOp load : loads) {
      if (std::optional<std::string> why = findObstacle(kernel, *arch, load)) {
        remarks.missed(load.getLoc(), "Registers", *why);
        continue;
      }
      remarks.passed(load.getLoc(), "Shared",
                     "A comes through shared memory, " +
                         Twine(getBuf(kernel, load).getRows()) + " rows of " +
                         Twine(load.getType().getColumns()) + " columns");
      bringThroughShared(kernel, load);
    }
  }

  /// The rows of the CTA.
  static BufType getBuf(KernelOp kernel, LoadOp load) {
    FragType type = load.getType();
    return BufType::get(int64_t(kernel.getUnits()) * type.getRows(),
                        type.getColumns(), type.getElementType());
  }

  static std::optional<std::string>
  findObstacle(KernelOp kernel, const Arch &arch, LoadOp load) {
    if (!load->getParentOfType<scf::ForOp>())
      return "expects a load in a loop, but got one that happens once";
    std::optional<Row> row =
        matchRow(load.getIndices()[0], load.getType().getRows());
    if (!row)
      return "expects the row of the CTA plus tile.unit times " +
             std::to_string(load.getType().getRows()) + ", but got another row";
    SmallVector<Value> values = getControl(load);
    values.append({row->cta, load.getIndices()[1]});
    if (load.getRows())
      values.push_back(load.getRows());
    if (Operation *varying = findVarying(values))
      return "expects a load that but for its row is the same for all units, "
             "but got what depends on " +
             varying->getName().getStringRef().str();
    int64_t bytes =
        estimateShared(kernel) + 2 * getBuf(kernel, load).getBytes();
    if (bytes > arch.sharedBytes)
      return "expects at most " + std::to_string(arch.sharedBytes) +
             " bytes of shared memory, but got " + std::to_string(bytes) +
             " with two slots a ring";
    return std::nullopt;
  }

  static void bringThroughShared(KernelOp kernel, LoadOp load) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Row row = *matchRow(load.getIndices()[0], load.getType().getRows());
    Value buf =
        StageOp::create(builder, loc, getBuf(kernel, load), load.getSource(),
                        ValueRange{row.cta, load.getIndices()[1]},
                        load.getRows(), load.getColumnsAttr());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value frag =
        FetchOp::create(builder, loc, load.getType(), buf, row.unit, zero);
    load.getResult().replaceAllUsesWith(frag);
    load.erase();
  }
};
} // namespace
