// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module file says, as plain data: between the walk over the IR, which
// may fail, and serialisation, which cannot.

#ifndef HK_LIB_TARGET_MODULE_MODULEDATA_H
#define HK_LIB_TARGET_MODULE_MODULEDATA_H

#include "hk/Target/Module/ModuleWriter.h"

#include "mlir/IR/BuiltinTypes.h"

#include "module_generated.h"

namespace hk {

class DispatchOp;
class ExecutableOp;
class PackedOp;

struct TensorData {
  schema::DType dtype = schema::DType::Invalid;
  std::vector<int64_t> shape;
};

struct PackInstructionData {
  schema::PackOpcode opcode = schema::PackOpcode::Param;
  std::vector<uint32_t> operands;
  std::vector<uint64_t> shape;
  std::string key;
  schema::DType dtype = schema::DType::Invalid;
  double scalar = 0;
  uint32_t dim = 0;
};

struct PackedData {
  std::string name;
  TensorData type;
  schema::Layout layout = schema::Layout::Dense;
  uint32_t panelWidth = 0;
  uint32_t tileRows = 0;
  uint32_t tileColumns = 0;
  uint32_t stripRows = 8, stripColumns = 8;
  uint32_t layerBegin = 0;
  uint32_t layerEnd = 0;
  uint64_t stride = 0;
  std::vector<PackInstructionData> program;
  uint32_t result = 0;
};

/// ceil((B * mul + add) / div) * times.
struct GridData {
  uint64_t mul = 0;
  uint64_t add = 0;
  uint64_t div = 1;
  uint64_t times = 1;
};

struct CubinData {
  std::string sm;
  uint32_t section = 0;
};

/// A matrix product, by buffers and packed slots.
struct GemmData {
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t depth = 0;
  schema::DType operands = schema::DType::Invalid;
  schema::DType result = schema::DType::Invalid;
  uint32_t input = 0;
  uint32_t output = 0;
  int32_t residual = -1;
  uint32_t weight = 0;
  int32_t bias = -1;
};

struct VariantData {
  schema::Target target = schema::Target::Cpu;
  std::string isa;
  std::string schedule;
  GridData grid;
  uint64_t scratch = 0;
  uint32_t section = 0;
  uint64_t entry = 0;
  std::vector<uint32_t> packed;
  /// How many layers after that of the dispatch each is of; empty: none.
  std::vector<uint32_t> packedAhead;
  std::vector<std::string> imports;
  // Of a GPU.
  std::string kernel;
  uint32_t threads = 0;
  uint32_t cluster = 1;
  uint32_t shared = 0;
  /// The most CTAs of a multiprocessor's in the grid; 0: no limit.
  uint32_t persistent = 0;
  /// Whether each thread waits for the kernels in front.
  bool waitsForGrid = false;
  std::vector<CubinData> cubins;
  // Of a library.
  std::optional<GemmData> gemm;
  /// Microseconds; 0: not predicted.
  float predicted = 0;
};

struct ExecutableData {
  std::string name;
  std::vector<VariantData> variants;
};

/// For each sequence: the bytes of the operands and of the results, and the
/// operations of the matrix products (of causal attention the lower triangle).
struct CostData {
  uint64_t read = 0;
  uint64_t written = 0;
  uint64_t flops = 0;
};

struct DispatchData {
  uint32_t executable = 0;
  int32_t layer = -1;
  std::vector<schema::Binding> bindings;
  /// Whether it may start before the dispatch in front of it has ended.
  bool programmatic = false;
  CostData cost;
};

struct PlanData {
  std::string name;
  uint32_t rank = 0;
  schema::Role role = schema::Role::Candidate;
  uint64_t workspacePerSequence = 0;
  uint64_t workspaceConstant = 0;
  std::vector<DispatchData> dispatches;
  /// Microseconds; 0: not predicted. And the batch that it is for.
  float predicted = 0;
  uint64_t predictedBatch = 0;
};

struct ValueData {
  std::string name;
  TensorData type;
};

struct FunctionData {
  std::string name;
  std::vector<ValueData> inputs;
  std::vector<ValueData> outputs;
  std::vector<PlanData> plans;
  int32_t oracle = -1;
};

struct SectionData {
  schema::SectionKind kind;
  llvm::ArrayRef<uint8_t> bytes;
};

struct ModuleData {
  std::vector<FunctionData> functions;
  std::vector<ExecutableData> executables;
  std::vector<PackedData> packed;
  /// By key.
  std::map<std::string, TensorData> parameters;
  std::vector<SectionData> sections;
};

/// The element type of `type` in the file, or Invalid.
schema::DType getDType(mlir::Type type);

/// `type` as the file keeps it; its element type must have a `DType`.
TensorData getTensorData(mlir::RankedTensorType type);

/// The linear form of a map ()[B] -> ceil((B * mul + add) / div) * times, or
/// nothing.
std::optional<GridData> getGrid(mlir::AffineMap map);

/// The program of a packed value: its region with the packed values that it
/// reads written out in place. Adds the parameters it reads to `parameters`,
/// one entry for each layer.
mlir::FailureOr<PackedData>
collectPacked(PackedOp packed, mlir::SymbolTable &symbols,
              std::map<std::string, TensorData> &parameters);

/// The cost of a dispatch of `executable`.
CostData collectCost(DispatchOp dispatch, ExecutableOp executable);

/// Reads what the file is to say from the IR and the generated code.
mlir::FailureOr<ModuleData> collectModule(mlir::ModuleOp module,
                                          const ModuleCode &code);

/// The bytes of the file.
std::string serializeModule(const ModuleData &data,
                            const std::vector<RemarkRecord> &remarks,
                            llvm::StringRef source);

} // namespace hk

#endif // HK_LIB_TARGET_MODULE_MODULEDATA_H
