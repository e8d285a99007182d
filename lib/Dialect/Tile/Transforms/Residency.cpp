// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Pressure.h"
#include "Uniformity.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILERESIDENCY
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// A value of fewer registers is not worth being read over and over.
static constexpr int64_t kFewRegisters = 32;

static bool usesWarpgroups(KernelOp kernel) {
  auto kind = kernel->getAttrOfType<StringAttr>("hk.mma");
  return kind && kind.getValue() == "wgmma";
}

/// The columns that are fetched at once: a step in K of f16, or several where a
/// product has to be waited for.
static int64_t getFetchColumns(KernelOp kernel) {
  return usesWarpgroups(kernel) ? 64 : 16;
}

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
    if (isa<PublishOp, EmptyOp>(op))
      published += cast<BufType>(op->getResult(0).getType()).getBytes();
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

/// An mma, and the column of a value where its A begins.
using Product = std::pair<MmaOp, int64_t>;

/// Adds the mmas that `value`, whose first column is `column`, is A of.
static void getProducts(Value value, int64_t column,
                        SmallVectorImpl<Product> &products) {
  for (Operation *user : value.getUsers())
    if (auto slice = dyn_cast<SliceOp>(user))
      getProducts(slice.getResult(), column + slice.getColumn(), products);
    else if (auto mma = dyn_cast<MmaOp>(user))
      products.push_back({mma, column});
}

/// The outermost loop around `op` that `value` is not in, or null.
static scf::ForOp getLoopBetween(Value value, Operation *op) {
  Operation *around = value.getParentBlock()->findAncestorOpInBlock(*op);
  scf::ForOp loop;
  for (; op != around; op = op->getParentOp())
    if (auto parent = dyn_cast<scf::ForOp>(op->getParentOp()))
      loop = parent;
  return loop;
}

/// Values from memory, as they are or of another element type, that are A of
/// mmas in loops after them.
static SmallVector<Value> getHeldOperands(KernelOp kernel) {
  SmallVector<Value> values;
  kernel.walk([&](Operation *op) {
    if (!isa<LoadOp, MapOp>(op))
      return;
    Value value = op->getResult(0);
    auto type = cast<FragType>(value.getType());
    auto map = dyn_cast<MapOp>(op);
    bool isFromMemory = !map || (map.getInputs().size() == 1 &&
                                 map.getInputs()[0].getDefiningOp<LoadOp>());
    if (!isFromMemory || type.getLayout() != FragLayout::Slab ||
        type.getRows() == 1 || !isOperandA(value))
      return;
    SmallVector<Product> products;
    getProducts(value, 0, products);
    if (llvm::any_of(products, [&](Product product) {
          return bool(getLoopBetween(value, product.first));
        }))
      values.push_back(value);
  });
  return values;
}

namespace {
class ResidencyPass : public hk::tile::impl::TileResidencyBase<ResidencyPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<LoadOp> loads;
    kernel.walk([&](LoadOp load) {
      // A strip comes in accesses as large as they can be, and is in no order
      // that a buf of memory has.
      if (load.getType().getLayout() == FragLayout::Slab &&
          load.getIndices().size() == 2 && isOperandA(load.getResult()))
        loads.push_back(load);
    });
    SmallVector<Value> held = getHeldOperands(kernel);
    llvm::erase_if(loads, [&](LoadOp load) {
      return llvm::is_contained(held, load.getResult());
    });
    if (loads.empty() && held.empty())
      return;
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();
    PassRemarks remarks(getArgument(), kernel);
    for (Value value : held) {
      if (auto load = value.getDefiningOp<LoadOp>();
          load && usesWarpgroups(kernel)) {
        // Few CTAs share an SM, so none computes while another waits for its
        // first rows; the producers are ahead of the units.
        if (std::optional<std::string> why =
                findObstacle(kernel, *arch, load, /*slots=*/1))
          remarks.missed(load.getLoc(), "Registers", *why);
        else
          value = bringThroughShared(kernel, load, remarks);
      }
      if (std::optional<std::string> why = whyHeld(kernel, *arch, value)) {
        remarks.missed(value.getLoc(), "Held", *why);
        continue;
      }
      remarks.passed(value.getLoc(), "Published",
                     "A is read from shared memory, " +
                         Twine(getFetchColumns(kernel)) + " of " +
                         Twine(cast<FragType>(value.getType()).getColumns()) +
                         " columns at a time");
      if (auto fetch = value.getDefiningOp<FetchOp>()) {
        readInSteps(kernel, value, fetch.getSource(), fetch.getRow());
        fetch.erase();
      } else {
        publish(kernel, value);
      }
    }
    for (LoadOp load : loads) {
      std::optional<std::string> why;
      if (!load->getParentOfType<scf::ForOp>())
        why = "expects a load in a loop, but got one that happens once";
      else
        why = findObstacle(kernel, *arch, load, /*slots=*/2);
      if (why)
        remarks.missed(load.getLoc(), "Registers", *why);
      else
        bringThroughShared(kernel, load, remarks);
    }
  }

  /// The rows of the CTA.
  static BufType getBuf(KernelOp kernel, FragType type) {
    return BufType::get(int64_t(kernel.getUnits()) * type.getRows(),
                        type.getColumns(), type.getElementType());
  }

  /// Why a CTA cannot have that much shared memory, if it cannot.
  static std::optional<std::string> whyNotShared(const Arch &arch,
                                                 int64_t bytes) {
    if (bytes <= arch.sharedBytes)
      return std::nullopt;
    return "expects at most " + std::to_string(arch.sharedBytes) +
           " bytes of shared memory, but got " + std::to_string(bytes) +
           " with two slots a ring";
  }

  /// Why the units keep `value` in registers.
  static std::optional<std::string> whyHeld(KernelOp kernel, const Arch &arch,
                                            Value value) {
    int64_t own = getRegisters(value);
    if (own < kFewRegisters)
      return "expects an operand of at least " + std::to_string(kFewRegisters) +
             " registers a thread, but got one of " + std::to_string(own);
    SmallVector<Product> products;
    getProducts(value, 0, products);
    llvm::SmallDenseSet<Operation *> loops;
    for (auto [mma, column] : products)
      if (scf::ForOp loop = getLoopBetween(value, mma))
        loops.insert(loop);
    int64_t most = 0;
    visitPressure(kernel.getBody().front(), kRegisterOverhead,
                  [&](Operation *op, int64_t registers) {
                    if (llvm::any_of(loops, [&](Operation *loop) {
                          return loop->isProperAncestor(op);
                        }))
                      most = std::max(most, registers);
                  });
    int64_t limit = getRegisterLimit(arch, kernel, kProducers);
    if (most <= limit)
      return "expects loops that need more than " + std::to_string(limit) +
             " registers a thread, but got about " + std::to_string(most);
    if (Operation *varying = findVarying(getControl(value.getDefiningOp())))
      return "expects a value that all units have, but got what depends on " +
             varying->getName().getStringRef().str();
    int64_t bytes = estimateShared(kernel);
    if (!value.getDefiningOp<FetchOp>())
      bytes += getBuf(kernel, cast<FragType>(value.getType())).getBytes();
    return whyNotShared(arch, bytes);
  }

  /// Each unit writes its rows once.
  static void publish(KernelOp kernel, Value value) {
    auto type = cast<FragType>(value.getType());
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, number);
    };
    Value unit = UnitOp::create(builder, loc, builder.getIndexType());
    Value row =
        arith::MulIOp::create(builder, loc, unit, constant(type.getRows()));
    auto buf = PublishOp::create(builder, loc, getBuf(kernel, type), value, row,
                                 constant(0));
    readInSteps(kernel, value, buf.getResult(), row);
  }

  /// Each unit reads its rows in `buf`, which are `value`, some columns at a
  /// time, where they are multiplied.
  static void readInSteps(KernelOp kernel, Value value, Value buf, Value row) {
    auto type = cast<FragType>(value.getType());
    OpBuilder builder(value.getContext());
    Location loc = value.getLoc();
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, number);
    };
    SmallVector<Product> products;
    getProducts(value, 0, products);
    for (auto [mma, first] : products) {
      builder.setInsertionPoint(mma);
      int64_t columns = mma.getA().getType().getColumns();
      Value sums = mma.getC();
      int64_t step = getFetchColumns(kernel);
      for (int64_t k = 0; k < columns; k += step) {
        Value a = FetchOp::create(builder, loc,
                                  type.withColumns(std::min(step, columns - k)),
                                  buf, row, constant(first + k));
        Value bRow = mma.getRow(), bColumn = mma.getColumn();
        Value &depth = mma.getTransposeB() ? bRow : bColumn;
        if (k > 0)
          depth = builder.createOrFold<arith::AddIOp>(loc, depth, constant(k));
        sums = MmaOp::create(builder, mma.getLoc(), mma.getType(), a,
                             mma.getB(), bRow, bColumn, sums,
                             mma.getTransposeB(), mma.getSplit());
      }
      mma.getResult().replaceAllUsesWith(sums);
      auto slice = mma.getA().getDefiningOp<SliceOp>();
      mma.erase();
      if (slice && slice->use_empty())
        slice.erase();
    }
  }

  /// Why the rows of all units cannot come by the producers, in so many slots.
  static std::optional<std::string>
  findObstacle(KernelOp kernel, const Arch &arch, LoadOp load, int64_t slots) {
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
    int64_t bytes = estimateShared(kernel) +
                    slots * getBuf(kernel, load.getType()).getBytes();
    return whyNotShared(arch, bytes);
  }

  static Value bringThroughShared(KernelOp kernel, LoadOp load,
                                  const PassRemarks &remarks) {
    remarks.passed(load.getLoc(), "Shared",
                   "A comes through shared memory, " +
                       Twine(getBuf(kernel, load.getType()).getRows()) +
                       " rows of " + Twine(load.getType().getColumns()) +
                       " columns");
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Row row = *matchRow(load.getIndices()[0], load.getType().getRows());
    Value buf = StageOp::create(
        builder, loc, getBuf(kernel, load.getType()), load.getSource(),
        ValueRange{row.cta, load.getIndices()[1]}, load.getRows(),
        load.getColumnsAttr(), DenseI64ArrayAttr());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value frag =
        FetchOp::create(builder, loc, load.getType(), buf, row.unit, zero);
    load.getResult().replaceAllUsesWith(frag);
    load.erase();
    return frag;
  }
};
} // namespace
