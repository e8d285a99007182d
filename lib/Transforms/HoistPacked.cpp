// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-hoist-packed: parameter-only work becomes the initialisers of hk.packed
// symbols.

#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace hk {
#define GEN_PASS_DEF_HOISTPACKED
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

namespace {

/// A run of layers, lower <= l < upper.
struct Layers {
  int64_t lower;
  int64_t upper;
};

/// The operations a hk.packed region may hold, but for hk.pack.layout: that
/// one depends on a schedule.
bool isVocabulary(Operation *op) {
  return isa<PackZerosOp, PackScaleOp, PackScaleDimOp, PackMatVecOp, PackAddOp,
             PackConcatOp>(op);
}

bool isFloatWider(Type from, Type to) {
  auto source = cast<FloatType>(getElementTypeOrSelf(from));
  auto target = cast<FloatType>(getElementTypeOrSelf(to));
  return source == target || (source.getWidth() < target.getWidth());
}

/// The type in which a region computes a value: the same, in f64.
RankedTensorType inF64(Type type) {
  return cast<RankedTensorType>(type).clone(
      Float64Type::get(type.getContext()));
}

/// What is known of the layer a parameter-only value depends on.
struct Dependence {
  /// The induction variable, or null.
  Value layer;
};

/// Hoists the parameter-only values of one function.
class Hoister {
public:
  Hoister(func::FuncOp function, SymbolTable &symbols,
          SmallVectorImpl<PackedOp> &packed)
      : function(function), symbols(symbols), packed(packed) {}

  void run();

private:
  remark::RemarkOpts remarkOpts(StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("hk-hoist-packed")
        .function(function.getName());
  }

  void classify(Operation *op);
  bool mayHoistParam(ParamOp param);
  std::optional<Layers> layersOf(Value layer);
  void hoist(Value value);
  PackedOp findOrCreate(PackedOp candidate, StringRef name);
  std::string nameOf(Value value);

  func::FuncOp function;
  SymbolTable &symbols;
  SmallVectorImpl<PackedOp> &packed;
  llvm::MapVector<Value, Dependence> hoistable;
  /// Values that come from parameters alone, hoistable or not.
  DenseSet<Value> parameterOnly;
};

} // namespace

/// The bounds of the loop whose induction variable `layer` is, if they are
/// constants and the step is one.
std::optional<Layers> Hoister::layersOf(Value layer) {
  auto argument = dyn_cast<BlockArgument>(layer);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  APInt lower, upper, step;
  if (!loop || loop.getInductionVar() != layer ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne() ||
      lower.isNegative() || lower.sge(upper))
    return std::nullopt;
  return Layers{lower.getSExtValue(), upper.getSExtValue()};
}

/// The key of `param` with a constant layer filled in.
static std::optional<std::string> concreteKey(ParamOp param) {
  APInt layer;
  if (!param.getLayer())
    return param.getKey().str();
  if (!matchPattern(param.getLayer(), m_ConstantInt(&layer)))
    return std::nullopt;
  auto [before, after] = param.getKey().split("{}");
  return (before + Twine(layer.getSExtValue()) + after).str();
}

bool Hoister::mayHoistParam(ParamOp param) {
  if (concreteKey(param) || layersOf(param.getLayer()))
    return true;
  remark::missed(param.getLoc(), remarkOpts("NotHoisted")) << remark::add(
      "the layer of parameter \"{0}\" is not the index of a loop "
      "with constant bounds and step 1; it stays in the function",
      param.getKey());
  return false;
}

void Hoister::classify(Operation *op) {
  if (auto param = dyn_cast<ParamOp>(op)) {
    parameterOnly.insert(param);
    if (mayHoistParam(param))
      hoistable[param] = {concreteKey(param) ? Value() : param.getLayer()};
    return;
  }
  // Packed values of an earlier run are there already.
  if (auto get = dyn_cast<PackedGetOp>(op)) {
    parameterOnly.insert(get);
    return;
  }
  if (op->getNumRegions() || op->getNumResults() == 0 ||
      op->getDialect() != function.getContext()->getLoadedDialect<HKDialect>())
    return;
  if (!isa<PackZerosOp>(op) && (op->getNumOperands() == 0 ||
                                !llvm::all_of(op->getOperands(), [&](Value v) {
                                  return parameterOnly.contains(v);
                                })))
    return;
  for (Value result : op->getResults())
    parameterOnly.insert(result);

  auto cast = dyn_cast<CastOp>(op);
  bool known =
      isVocabulary(op) || (cast && isFloatWider(cast.getInput().getType(),
                                                cast.getResult().getType()));
  if (!known) {
    remark::missed(op->getLoc(), remarkOpts("NotHoisted"))
        << remark::add("{0} depends on parameters alone, but is not in the "
                       "packing vocabulary; it stays in the function",
                       op->getName().getStringRef());
    return;
  }
  Value layer;
  for (Value operand : op->getOperands()) {
    auto it = hoistable.find(operand);
    if (it == hoistable.end()) {
      remark::missed(op->getLoc(), remarkOpts("NotHoisted"))
          << remark::add("{0} depends on a value that stays in the function; "
                         "it stays as well",
                         op->getName().getStringRef());
      return;
    }
    if (layer && it->second.layer && layer != it->second.layer) {
      remark::missed(op->getLoc(), remarkOpts("NotHoisted"))
          << remark::add("{0} depends on the indices of two loops; it stays in "
                         "the function",
                         op->getName().getStringRef());
      return;
    }
    if (it->second.layer)
      layer = it->second.layer;
  }
  hoistable[op->getResult(0)] = {layer};
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// A key as a symbol: without the hole of the layer.
static std::string nameOfKey(StringRef key) {
  SmallVector<StringRef> parts, kept;
  key.split(parts, '.');
  for (StringRef part : parts)
    if (part != "{}")
      kept.push_back(part);
  std::string name = llvm::join(kept, ".");
  if (size_t hole = name.find("{}"); hole != std::string::npos)
    name.erase(hole, 2);
  return name.empty() ? "packed" : name;
}

/// "a.q.weight", "a.k.weight" -> "a.q_k.weight": what is common, with the
/// differing middles joined.
static std::string joinNames(ArrayRef<std::string> names) {
  SmallVector<SmallVector<StringRef>> parts(names.size());
  size_t shortest = ~size_t(0);
  for (auto [name, split] : llvm::zip_equal(names, parts)) {
    StringRef(name).split(split, '.');
    shortest = std::min(shortest, split.size());
  }
  auto common = [&](auto at) {
    size_t count = 0;
    while (count < shortest && llvm::all_of(
                                   parts,
                                   [&](auto &split) {
                                     return at(split, count) ==
                                            at(parts[0], count);
                                   }))
      ++count;
    return count;
  };
  size_t prefix = common([](auto &split, size_t i) { return split[i]; });
  if (prefix == shortest)
    return names[0];
  size_t suffix =
      common([](auto &split, size_t i) { return split[split.size() - 1 - i]; });
  suffix = std::min(suffix, shortest - prefix);
  SmallVector<std::string> middles;
  for (auto &split : parts)
    middles.push_back(
        llvm::join(ArrayRef(split).drop_front(prefix).drop_back(suffix), "."));
  SmallVector<std::string> result;
  for (StringRef part : ArrayRef(parts[0]).take_front(prefix))
    result.push_back(part.str());
  if (std::string middle = llvm::join(middles, "_"); !middle.empty())
    result.push_back(middle);
  for (StringRef part : ArrayRef(parts[0]).take_back(suffix))
    result.push_back(part.str());
  return llvm::join(result, ".");
}

/// The name of what a value is chiefly made of.
std::string Hoister::nameOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto param = dyn_cast<ParamOp>(op))
    return nameOfKey(concreteKey(param).value_or(param.getKey().str()));
  if (auto concat = dyn_cast<PackConcatOp>(op)) {
    SmallVector<std::string> names;
    for (Value input : concat.getInputs())
      if (!input.getDefiningOp<PackZerosOp>())
        names.push_back(nameOf(input));
    return names.empty() ? "zeros" : joinNames(names);
  }
  // Folds add a correction, a matrix times a vector, to a bias.
  if (auto add = dyn_cast<PackAddOp>(op))
    return nameOf(add.getLhs().getDefiningOp<PackMatVecOp>() ? add.getRhs()
                                                             : add.getLhs());
  if (auto matvec = dyn_cast<PackMatVecOp>(op))
    return nameOf(matvec.getMatrix()) + ".matvec";
  return op->getNumOperands() ? nameOf(op->getOperand(0)) : "zeros";
}

//===----------------------------------------------------------------------===//
// Hoisting
//===----------------------------------------------------------------------===//

/// Clones what `value` is made of to the end of `block`, in f64.
static Value cloneInF64(OpBuilder &builder, Value value, Value layer,
                        DenseMap<Value, Value> &map,
                        llvm::StringMap<Value> &params) {
  if (Value known = map.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  if (auto param = dyn_cast<ParamOp>(op)) {
    std::optional<std::string> key = concreteKey(param);
    Value &slot = params[key.value_or(param.getKey().str())];
    if (!slot) {
      Type stored = param.getFrom().value_or(
          getElementTypeOrSelf(param.getResult().getType()));
      slot = ParamOp::create(builder, param.getLoc(), inF64(param.getType()),
                             key.value_or(param.getKey().str()),
                             key ? Value() : layer, TypeAttr::get(stored));
    }
    result = slot;
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(cloneInF64(builder, operand, layer, map, params));
    if (isa<CastOp>(op)) {
      result = operands[0];
    } else {
      Operation *clone = builder.clone(*op);
      clone->setOperands(operands);
      clone->getResult(0).setType(inF64(value.getType()));
      result = clone->getResult(0);
    }
  }
  return map[value] = result;
}

/// `candidate`, or a symbol that is already there and computes the same.
PackedOp Hoister::findOrCreate(PackedOp candidate, StringRef name) {
  for (PackedOp other : packed)
    if (other.getType() == candidate.getType() &&
        other.getLayerBegin() == candidate.getLayerBegin() &&
        other.getLayerEnd() == candidate.getLayerEnd() &&
        OperationEquivalence::isRegionEquivalentTo(
            &other.getBody(), &candidate.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      candidate->erase();
      return other;
    }
  candidate.setSymName(name);
  symbols.insert(candidate, function->getIterator());
  packed.push_back(candidate);
  return candidate;
}

/// True if `use` takes a parameter of any element type.
static bool takesAnyElementType(OpOperand &use) {
  return use.getOperandNumber() > 0 &&
         isa<LinearOp, LayerNormOp, RMSNormOp>(use.getOwner());
}

void Hoister::hoist(Value value) {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  MLIRContext *context = type.getContext();
  Type element = type.getElementType().isF64()
                     ? Type(Float64Type::get(context))
                     : Type(Float32Type::get(context));
  RankedTensorType packedType = type.clone(element);
  Value layer = hoistable[value].layer;

  OpBuilder builder(context);
  IntegerAttr lower, upper;
  if (layer) {
    Layers layers = *layersOf(layer);
    lower = builder.getI64IntegerAttr(layers.lower);
    upper = builder.getI64IntegerAttr(layers.upper);
  }
  PackedOp candidate =
      PackedOp::create(builder, loc, builder.getStringAttr("candidate"), lower,
                       upper, TypeAttr::get(packedType));
  Block *block = builder.createBlock(&candidate.getBody());
  Value argument =
      layer ? block->addArgument(builder.getIndexType(), loc) : Value();
  DenseMap<Value, Value> map;
  llvm::StringMap<Value> params;
  Value result = cloneInF64(builder, value, argument, map, params);
  YieldOp::create(builder, loc, result);
  std::string name = nameOf(value) + (element.isF64() ? ".f64" : "");
  PackedOp symbol = findOrCreate(candidate, name);

  builder.setInsertionPointAfter(op);
  auto get =
      PackedGetOp::create(builder, loc, packedType, symbol.getSymName(), layer);
  Value rounded;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    if (user->getNumResults() == 1 && hoistable.contains(user->getResult(0)))
      continue;
    if (packedType == type || takesAnyElementType(use)) {
      use.set(get);
      continue;
    }
    if (!rounded)
      rounded = CastOp::create(builder, loc, type, get);
    use.set(rounded);
  }
  remark::passed(loc, remarkOpts("Hoisted")) << remark::add(
      "computed when a checkpoint is loaded: @{0}", symbol.getSymName());
}

void Hoister::run() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { classify(op); });
  SmallVector<Value> values = llvm::to_vector(
      llvm::map_range(hoistable, [](auto &entry) { return entry.first; }));
  for (Value value : values) {
    bool isRoot = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 ||
             !hoistable.contains(user->getResult(0));
    });
    if (isRoot)
      hoist(value);
  }
  for (Value value : llvm::reverse(values))
    if (value.use_empty())
      value.getDefiningOp()->erase();
}

namespace {
class HoistPacked : public hk::impl::HoistPackedBase<HoistPacked> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto packed = llvm::to_vector(module.getOps<PackedOp>());
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function.isExternal())
        Hoister(function, symbols, packed).run();
  }
};
} // namespace
