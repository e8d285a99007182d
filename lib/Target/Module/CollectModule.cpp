// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over executables, plans and functions.

#include "ModuleData.h"
#include "hk/Analysis/MatrixProduct.h"
#include "hk/Analysis/RowScratch.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Target/CPU/Isa.h"
#include "hk/Target/NVPTX/Arch.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "module_format.h"

using namespace mlir;
using namespace hk;

namespace {

/// The code of one module of kernels, and its sections in the file.
struct Code {
  const KernelCode *cpu = nullptr;
  const PTXCode *gpu = nullptr;
  uint32_t section = 0;
  std::optional<uint32_t> cubin, roomyCubin;
};

/// The function that is the code of a variant.
struct Entry {
  Operation *function;
  Code code;
};

class Collector {
public:
  Collector(ModuleOp module, const ModuleCode &code)
      : module(module), symbols(module), code(code) {}

  FailureOr<ModuleData> collect();

private:
  LogicalResult collectCode();
  LogicalResult collectEntries(const Code &code, StringRef module);
  LogicalResult collectPackedValues();
  LogicalResult collectExecutable(ExecutableOp executable);
  LogicalResult collectVariant(ExecutableOp executable, VariantOp variant,
                               unsigned index);
  LogicalResult collectCPU(const Entry &entry, VariantData &result);
  LogicalResult collectGPU(const Entry &entry, VariantData &result);
  LogicalResult collectGemm(VariantOp variant, VariantData &result);
  LogicalResult collectSlots(Operation *where, ArrayRef<Attribute> slots,
                             VariantData &result);
  LogicalResult collectFunctions();
  LogicalResult collectValues(FunctionOpInterface function);
  LogicalResult collectPlan(PlanOp plan);
  LogicalResult collectDispatch(DispatchOp dispatch, PlanData &data);
  FailureOr<schema::Binding> getPlace(DispatchOp dispatch, Attribute place,
                                      const PlanData &plan);

  ModuleOp module;
  SymbolTable symbols;
  const ModuleCode &code;
  ModuleData data;

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
  auto addSection = [&](schema::SectionKind kind, ArrayRef<uint8_t> bytes) {
    data.sections.push_back({kind, bytes});
    return static_cast<uint32_t>(data.sections.size() - 1);
  };
  for (const KernelCode &kernels : code.cpu) {
    Code entry;
    entry.cpu = &kernels;
    entry.section =
        addSection(schema::SectionKind::CpuCode, kernels.image.bytes);
    if (failed(collectEntries(entry, kernels.name)))
      return failure();
  }
  for (const PTXCode &kernels : code.gpu) {
    Code entry;
    entry.gpu = &kernels;
    entry.section = addSection(schema::SectionKind::Ptx,
                               llvm::arrayRefFromStringRef(kernels.ptx));
    if (!kernels.cubin.empty())
      entry.cubin = addSection(schema::SectionKind::Cubin,
                               llvm::arrayRefFromStringRef(kernels.cubin));
    if (!kernels.roomy.empty())
      entry.roomyCubin =
          addSection(schema::SectionKind::Cubin,
                     llvm::arrayRefFromStringRef(kernels.roomyCubin));
    if (failed(collectEntries(entry, kernels.name)))
      return failure();
  }
  return success();
}

LogicalResult Collector::collectEntries(const Code &code, StringRef module) {
  for (Operation &op : symbols.lookup<ModuleOp>(module).getOps()) {
    auto executable = op.getAttrOfType<FlatSymbolRefAttr>("hk.executable");
    if (!executable)
      continue;
    auto index = op.getAttrOfType<IntegerAttr>("hk.variant");
    if (!index)
      return op.emitOpError() << "expects hk.variant to be the index of a "
                                 "variant, but got none";
    if (!entries
             .try_emplace({executable.getAttr(), index.getInt()},
                          Entry{&op, code})
             .second)
      return op.emitOpError()
             << "expects one function for variant " << index.getInt() << " of "
             << executable << ", but got two";
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
  // Variants for a library have no function.
  module.walk([&](VariantOp variant) {
    if (isa<CublasLtAttr>(variant.getSchedule()))
      for (auto get : variant.getBody().getOps<PackedGetOp>())
        used.insert(get.getSymbolAttr().getAttr());
  });
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

/// The time in us that the cost model predicted, or 0.
static float getPredictedTime(Operation *op) {
  auto time = op->getAttrOfType<FloatAttr>("hk.predicted_us");
  return time ? static_cast<float>(time.getValueAsDouble()) : 0;
}

LogicalResult Collector::collectVariant(ExecutableOp executable,
                                        VariantOp variant, unsigned index) {
  VariantData result;
  llvm::raw_string_ostream(result.schedule) << variant.getSchedule();
  auto grid = getGrid(variant.getGrid());
  if (!grid)
    return variant.emitOpError()
           << "expects a grid of the form (B * m + a) ceildiv d * t, but "
              "got "
           << variant.getGridAttr();
  result.grid = *grid;
  if (isa<CublasLtAttr>(variant.getSchedule())) {
    if (failed(collectGemm(variant, result)))
      return failure();
    data.executables.back().variants.push_back(std::move(result));
    return success();
  }
  auto found = entries.find({executable.getSymNameAttr(), index});
  if (found == entries.end())
    return variant.emitOpError()
           << "expects code for variant " << index << " of @"
           << executable.getSymName() << ", but got none";
  const Entry &entry = found->second;
  result.section = entry.code.section;
  result.predicted = getPredictedTime(variant);
  if (auto cuda = dyn_cast<CUDAAttr>(variant.getSchedule());
      cuda && cuda.getPersistent())
    result.persistent = static_cast<uint32_t>(cuda.getCtas());
  if (failed(entry.code.gpu ? collectGPU(entry, result)
                            : collectCPU(entry, result)))
    return failure();
  if (auto slots = entry.function->getAttrOfType<ArrayAttr>("hk.packed"))
    if (failed(collectSlots(entry.function, slots.getValue(), result)))
      return failure();
  if (auto ahead =
          entry.function->getAttrOfType<DenseI64ArrayAttr>("hk.packed_ahead")) {
    if (ahead.size() != static_cast<int64_t>(result.packed.size()) ||
        llvm::any_of(ahead.asArrayRef(), [](int64_t layers) {
          return layers < 0 || layers > std::numeric_limits<int32_t>::max();
        }))
      return entry.function->emitOpError()
             << "expects hk.packed_ahead to have a number of layers for each "
                "packed value, but got "
             << ahead;
    result.packedAhead.assign(ahead.asArrayRef().begin(),
                              ahead.asArrayRef().end());
  }
  data.executables.back().variants.push_back(std::move(result));
  return success();
}

LogicalResult Collector::collectSlots(Operation *where,
                                      ArrayRef<Attribute> slots,
                                      VariantData &result) {
  for (Attribute slot : slots) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(slot);
    auto packed =
        symbol ? packedIndices.find(symbol.getAttr()) : packedIndices.end();
    if (packed == packedIndices.end())
      return where->emitOpError()
             << "expects hk.packed to name packed values, but got " << slot;
    result.packed.push_back(packed->second);
  }
  return success();
}

LogicalResult Collector::collectGemm(VariantOp variant, VariantData &result) {
  Block &body = variant.getBody().front();
  std::optional<MatrixProduct> product = matchMatrixProduct(body);
  if (!product)
    return variant.emitOpError()
           << "expects a linear operation of packed parameters, with or "
              "without "
              "a residual, and nothing else for "
           << variant.getSchedule() << ", but got other operations";
  GemmData gemm;
  gemm.rows = getRowsPerSequence(product->result);
  gemm.columns = product->getColumns();
  gemm.depth = product->getDepth();
  gemm.operands = getDType(product->getInputElement());
  gemm.result = getDType(product->getResultElement());
  auto check = [&](PackedGetOp get, Type element) -> LogicalResult {
    if (getElementTypeOrSelf(get.getType()) == element)
      return success();
    return variant.emitOpError()
           << "expects parameters of " << element << " for "
           << variant.getSchedule() << ", but got " << get.getType();
  };
  gemm.input = product->input.getArgNumber();
  // An index, the layer, is the last argument and no buffer.
  gemm.output = llvm::count_if(body.getArgumentTypes(), [](Type type) {
    return isa<RankedTensorType>(type);
  });
  if (product->residual)
    gemm.residual = product->residual.getArgNumber();
  SmallVector<Attribute> slots = {product->weight.getSymbolAttr()};
  if (failed(check(product->weight, product->getInputElement())))
    return failure();
  if (product->bias) {
    if (failed(check(product->bias, product->getResultElement())))
      return failure();
    gemm.bias = slots.size();
    slots.push_back(product->bias.getSymbolAttr());
  }
  result.target = schema::Target::CublasLt;
  result.isa = "cublaslt";
  result.gemm = gemm;
  return collectSlots(variant, slots, result);
}

LogicalResult Collector::collectCPU(const Entry &entry, VariantData &result) {
  auto [function, code] = entry;
  result.target = schema::Target::Cpu;
  result.isa = code.cpu->isa->name.str();
  const auto &offsets = code.cpu->image.symbols;
  auto offset = offsets.find(SymbolTable::getSymbolName(function).str());
  if (offset == offsets.end())
    return function->emitOpError() << "expects an entry in the code of @"
                                   << code.cpu->name << ", but got none";
  result.entry = offset->second;
  if (auto scratch = function->getAttrOfType<IntegerAttr>("hk.scratch"))
    result.scratch = scratch.getInt();
  if (auto imports = function->getAttrOfType<ArrayAttr>("hk.imports"))
    for (Attribute import : imports)
      if (auto name = dyn_cast<StringAttr>(import))
        result.imports.push_back(name.str());
  return success();
}

/// Code generation has checked the numbers.
LogicalResult Collector::collectGPU(const Entry &entry, VariantData &result) {
  Operation *function = entry.function;
  const PTXCode &code = *entry.code.gpu;
  result.target = schema::Target::Cuda;
  result.isa = code.arch->name.str();
  result.kernel = code.kernels.at(SymbolTable::getSymbolName(function).str());
  auto number = [&](StringRef name, uint32_t fallback) {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint32_t>(value.getInt()) : fallback;
  };
  result.threads = number("hk.threads", 0);
  result.cluster = number("hk.cluster", 1);
  result.shared = number("hk.shared", 0);
  result.waitsForGrid = function->hasAttr("hk.grid_wait");
  if (code.roomy.count(result.kernel))
    result.cubins.push_back({result.isa, *entry.code.roomyCubin});
  else if (entry.code.cubin)
    result.cubins.push_back({result.isa, *entry.code.cubin});
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
  if (!workspace || workspace->div != 1 || workspace->times != 1)
    return plan.emitOpError()
           << "expects a workspace of the form B * m + a, but got "
           << plan.getWorkspaceAttr();
  result.workspacePerSequence = workspace->mul;
  result.workspaceConstant = workspace->add;
  result.predicted = getPredictedTime(plan);
  if (auto batch = plan->getAttrOfType<IntegerAttr>("hk.predicted_batch"))
    result.predictedBatch = batch.getInt();
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

/// Whether all kernels of `executable` that can wait for the one in front of
/// them do. Only those are started early, and no kernel of a library is.
static bool isProgrammatic(const ExecutableData &executable) {
  bool waits = false;
  for (const VariantData &variant : executable.variants) {
    const Arch *arch = findArch(variant.isa);
    if (!arch || !arch->hasGridControl())
      continue;
    if (!variant.waitsForGrid)
      return false;
    waits = true;
  }
  return waits;
}

LogicalResult Collector::collectDispatch(DispatchOp dispatch, PlanData &data) {
  DispatchData result;
  result.executable =
      executableIndices.at(dispatch.getExecutableAttr().getAttr());
  if (dispatch.getLayer())
    result.layer = *dispatch.getLayer();
  // The first comes after kernels of the caller, which do not know of us.
  result.programmatic =
      !data.dispatches.empty() &&
      isProgrammatic(this->data.executables[result.executable]);
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
                                        const ModuleCode &code) {
  return Collector(module, code).collect();
}
