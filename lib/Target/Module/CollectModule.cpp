// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over executables, plans and functions.

#include "ModuleData.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Target/CPU/Isa.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "module_format.h"

using namespace mlir;
using namespace hk;

schema::DType hk::getDType(Type type) {
  if (type.isF64())
    return schema::DType::F64;
  if (type.isF32())
    return schema::DType::F32;
  if (type.isF16())
    return schema::DType::F16;
  if (type.isBF16())
    return schema::DType::BF16;
  if (type.isSignlessInteger(32))
    return schema::DType::I32;
  if (type.isSignlessInteger(1))
    return schema::DType::I1;
  return schema::DType::Invalid;
}

TensorData hk::getTensorData(RankedTensorType type) {
  TensorData data;
  data.dtype = getDType(type.getElementType());
  for (int64_t size : type.getShape())
    data.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return data;
}

/// B * mul + add, or nothing.
static std::optional<GridData> getLinear(AffineExpr expr) {
  GridData grid;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    if (constant.getValue() < 0)
      return std::nullopt;
    grid.add = constant.getValue();
    return grid;
  }
  if (isa<AffineSymbolExpr>(expr)) {
    grid.mul = 1;
    return grid;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto lhs = getLinear(binary.getLHS()), rhs = getLinear(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    grid.mul = lhs->mul + rhs->mul;
    grid.add = lhs->add + rhs->add;
    return grid;
  }
  // Affine maps keep the constant factor on the right.
  if (expr.getKind() == AffineExprKind::Mul && rhs->mul == 0) {
    grid.mul = lhs->mul * rhs->add;
    grid.add = lhs->add * rhs->add;
    return grid;
  }
  return std::nullopt;
}

std::optional<GridData> hk::getGrid(AffineMap map) {
  AffineExpr expr = map.getResult(0);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != AffineExprKind::CeilDiv)
    return getLinear(expr);
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto grid = getLinear(binary.getLHS());
  if (!grid || !divisor || divisor.getValue() <= 0)
    return std::nullopt;
  grid->div = divisor.getValue();
  return grid;
}

namespace {

class Collector {
public:
  Collector(ModuleOp module, const std::vector<KernelCode> &code)
      : module(module), symbols(module), code(code) {}

  FailureOr<ModuleData> collect();

private:
  LogicalResult collectCode();
  LogicalResult collectPackedValues();
  LogicalResult collectExecutable(ExecutableOp executable);
  LogicalResult collectVariant(ExecutableOp executable, VariantOp variant,
                               unsigned index);
  LogicalResult collectFunctions();
  LogicalResult collectValues(FunctionOpInterface function);
  LogicalResult collectPlan(PlanOp plan);
  LogicalResult collectDispatch(DispatchOp dispatch, PlanData &data);
  FailureOr<schema::Binding> getPlace(DispatchOp dispatch, Attribute place,
                                      const PlanData &plan);

  ModuleOp module;
  SymbolTable symbols;
  const std::vector<KernelCode> &code;
  ModuleData data;

  /// The function that is the code of a variant, and its section.
  struct Entry {
    Operation *function;
    uint32_t section;
  };
  DenseMap<std::pair<StringAttr, int64_t>, Entry> entries;
  DenseMap<StringAttr, uint32_t> packedIndices;
  DenseMap<StringAttr, uint32_t> executableIndices;
  DenseMap<StringAttr, uint32_t> functionIndices;
};

} // namespace

FailureOr<ModuleData> Collector::collect() {
  if (failed(collectCode()) || failed(collectPackedValues()))
    return failure();
  for (auto executable : module.getOps<ExecutableOp>())
    if (failed(collectExecutable(executable)))
      return failure();
  if (failed(collectFunctions()))
    return failure();
  return std::move(data);
}

LogicalResult Collector::collectCode() {
  for (const KernelCode &kernels : code) {
    auto nested = symbols.lookup<ModuleOp>(kernels.name);
    uint32_t section = data.sections.size();
    data.sections.push_back(kernels.image.bytes);
    for (Operation &op : nested.getOps()) {
      auto executable = op.getAttrOfType<FlatSymbolRefAttr>("hk.executable");
      if (!executable)
        continue;
      auto index = op.getAttrOfType<IntegerAttr>("hk.variant");
      if (!index)
        return op.emitOpError() << "expects hk.variant to be the index of a "
                                   "variant, but got none";
      if (!entries
               .try_emplace({executable.getAttr(), index.getInt()},
                            Entry{&op, section})
               .second)
        return op.emitOpError()
               << "expects one function for variant " << index.getInt()
               << " of " << executable << ", but got two";
    }
  }
  return success();
}

/// The packed values that some variant reads, in the order of the module.
LogicalResult Collector::collectPackedValues() {
  llvm::DenseSet<StringAttr> used;
  for (const auto &[variant, entry] : entries)
    if (auto slots = entry.function->getAttrOfType<ArrayAttr>("hk.packed"))
      for (Attribute slot : slots)
        if (auto symbol = dyn_cast<FlatSymbolRefAttr>(slot))
          used.insert(symbol.getAttr());
  for (auto packed : module.getOps<PackedOp>()) {
    if (!used.contains(packed.getSymNameAttr()))
      continue;
    auto collected = collectPacked(packed, symbols, data.parameters);
    if (failed(collected))
      return failure();
    packedIndices[packed.getSymNameAttr()] = data.packed.size();
    data.packed.push_back(std::move(*collected));
  }
  return success();
}

LogicalResult Collector::collectExecutable(ExecutableOp executable) {
  executableIndices[executable.getSymNameAttr()] = data.executables.size();
  data.executables.push_back({executable.getSymName().str(), {}});
  unsigned index = 0;
  for (auto variant : executable.getBody().getOps<VariantOp>())
    if (failed(collectVariant(executable, variant, index++)))
      return failure();
  return success();
}

LogicalResult Collector::collectVariant(ExecutableOp executable,
                                        VariantOp variant, unsigned index) {
  auto found = entries.find({executable.getSymNameAttr(), index});
  if (found == entries.end())
    return variant.emitOpError()
           << "expects code for variant " << index << " of @"
           << executable.getSymName() << ", but got none";
  auto [function, section] = found->second;
  VariantData result;
  result.isa = code[section].isa->name.str();
  llvm::raw_string_ostream(result.schedule) << variant.getSchedule();
  auto grid = getGrid(variant.getGrid());
  if (!grid)
    return variant.emitOpError()
           << "expects a grid of the form (B * m + a) ceildiv d, but got "
           << variant.getGridAttr();
  result.grid = *grid;
  if (auto scratch = function->getAttrOfType<IntegerAttr>("hk.scratch"))
    result.scratch = scratch.getInt();
  result.section = section;
  StringRef name = SymbolTable::getSymbolName(function).getValue();
  const auto &offsets = code[section].image.symbols;
  auto entry = offsets.find(name.str());
  if (entry == offsets.end())
    return function->emitOpError() << "expects an entry in the code of @"
                                   << code[section].name << ", but got none";
  result.entry = entry->second;
  if (auto slots = function->getAttrOfType<ArrayAttr>("hk.packed"))
    for (Attribute slot : slots) {
      auto symbol = dyn_cast<FlatSymbolRefAttr>(slot);
      auto packed =
          symbol ? packedIndices.find(symbol.getAttr()) : packedIndices.end();
      if (packed == packedIndices.end())
        return function->emitOpError()
               << "expects hk.packed to name packed values, but got " << slot;
      result.packed.push_back(packed->second);
    }
  if (auto imports = function->getAttrOfType<ArrayAttr>("hk.imports"))
    for (Attribute import : imports)
      if (auto name = dyn_cast<StringAttr>(import))
        result.imports.push_back(name.str());
  data.executables.back().variants.push_back(std::move(result));
  return success();
}

LogicalResult Collector::collectFunctions() {
  llvm::DenseSet<StringAttr> planned;
  for (auto plan : module.getOps<PlanOp>())
    planned.insert(plan.getFunctionAttr().getAttr());
  SmallVector<FunctionOpInterface> functions;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!planned.contains(function.getNameAttr())) {
      // No test: the pipeline outlines every function that has a body.
      if (!function.isExternal())
        return function.emitOpError()
               << "expects a plan for every function that has a body, but got "
                  "none";
      continue;
    }
    functionIndices[function.getNameAttr()] = data.functions.size();
    functions.push_back(function);
    if (failed(collectValues(function)))
      return failure();
  }
  for (auto function : functions) {
    auto of = function->getAttrOfType<FlatSymbolRefAttr>("hk.oracle_of");
    if (!of)
      continue;
    auto checked = functionIndices.find(of.getAttr());
    if (checked == functionIndices.end())
      return function.emitOpError() << "expects to be the oracle of a function "
                                       "with a plan, but got "
                                    << of;
    data.functions[checked->second].oracle =
        functionIndices[function.getNameAttr()];
  }
  for (auto plan : module.getOps<PlanOp>())
    if (failed(collectPlan(plan)))
      return failure();
  return success();
}

LogicalResult Collector::collectValues(FunctionOpInterface function) {
  FunctionData result;
  result.name = function.getName().str();
  auto add = [&](std::vector<ValueData> &values, Type type, Attribute name,
                 StringRef prefix, unsigned index) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    ValueData value;
    if (tensor)
      value.type = getTensorData(tensor);
    if (value.type.dtype == schema::DType::Invalid)
      return function.emitOpError()
             << "expects tensors of f64, f32, f16, bf16, i32 or i1 as inputs "
                "and results, but got "
             << type;
    auto given = dyn_cast_or_null<StringAttr>(name);
    value.name = given ? given.str() : (prefix + Twine(index)).str();
    values.push_back(std::move(value));
    return success();
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(add(result.inputs, type, function.getArgAttr(index, "hk.name"),
                   "arg", index)))
      return failure();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(add(result.outputs, type,
                   function.getResultAttr(index, "hk.name"), "result", index)))
      return failure();
  data.functions.push_back(std::move(result));
  return success();
}

static schema::Role getSchemaRole(Role role) {
  switch (role) {
  case Role::Candidate:
    return schema::Role::Candidate;
  case Role::Safe:
    return schema::Role::Safe;
  case Role::Reference:
    return schema::Role::Reference;
  case Role::Oracle:
    return schema::Role::Oracle;
  }
  llvm_unreachable("a role");
}

LogicalResult Collector::collectPlan(PlanOp plan) {
  PlanData result;
  result.name = plan.getSymName().str();
  result.rank = plan.getRank();
  result.role = getSchemaRole(plan.getRole());
  auto workspace = getGrid(plan.getWorkspace());
  if (!workspace || workspace->div != 1)
    return plan.emitOpError()
           << "expects a workspace of the form B * m + a, but got "
           << plan.getWorkspaceAttr();
  result.workspacePerSequence = workspace->mul;
  result.workspaceConstant = workspace->add;
  for (auto dispatch : plan.getBody().getOps<DispatchOp>())
    if (failed(collectDispatch(dispatch, result)))
      return failure();
  unsigned function = functionIndices.at(plan.getFunctionAttr().getAttr());
  data.functions[function].plans.push_back(std::move(result));
  return success();
}

FailureOr<schema::Binding> Collector::getPlace(DispatchOp dispatch,
                                               Attribute place,
                                               const PlanData &plan) {
  using schema::BindingKind;
  if (auto result = dyn_cast<ResultAttr>(place))
    return schema::Binding(BindingKind::Result, result.getIndex(), 0, 0);
  auto workspace = dyn_cast<WorkspaceAttr>(place);
  if (!workspace || workspace.getOffset() < 0 ||
      workspace.getOffset() % int64_t(format::kBufferAlignment) != 0 ||
      uint64_t(workspace.getOffset()) >= plan.workspacePerSequence)
    return dispatch.emitOpError()
           << "expects a place in the workspace at a multiple of "
           << format::kBufferAlignment << " below " << plan.workspacePerSequence
           << ", but got " << place;
  return schema::Binding(BindingKind::Workspace, 0, workspace.getOffset(), 0);
}

LogicalResult Collector::collectDispatch(DispatchOp dispatch, PlanData &data) {
  DispatchData result;
  result.executable =
      executableIndices.at(dispatch.getExecutableAttr().getAttr());
  if (dispatch.getLayer())
    result.layer = *dispatch.getLayer();
  auto bind = [&](Attribute place) -> LogicalResult {
    auto binding = getPlace(dispatch, place, data);
    if (failed(binding))
      return failure();
    result.bindings.push_back(*binding);
    return success();
  };
  for (Value input : dispatch.getInputs()) {
    if (auto argument = dyn_cast<BlockArgument>(input)) {
      result.bindings.push_back(schema::Binding(schema::BindingKind::Input,
                                                argument.getArgNumber(), 0, 0));
      continue;
    }
    auto producer = input.getDefiningOp<DispatchOp>();
    if (failed(bind(
            producer.getPlaces()[cast<OpResult>(input).getResultNumber()])))
      return failure();
  }
  for (Attribute place : dispatch.getPlaces())
    if (failed(bind(place)))
      return failure();
  result.cost = collectCost(
      dispatch, symbols.lookup<ExecutableOp>(dispatch.getExecutable()));
  data.dispatches.push_back(std::move(result));
  return success();
}

FailureOr<ModuleData> hk::collectModule(ModuleOp module,
                                        const std::vector<KernelCode> &code) {
  return Collector(module, code).collect();
}
