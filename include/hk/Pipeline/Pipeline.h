// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The road of a network, from hk on tensors to modules of kernels in the LLVM
// dialect, as one pass pipeline that can stop at any stage.

#ifndef HK_PIPELINE_PIPELINE_H
#define HK_PIPELINE_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hk {

struct Device;

/// The stages, in order. Those after `LLVMDialect` are not passes.
enum class Stage {
  HK,
  Rolled,
  Folded,
  Kernels,
  Plans,
  Linalg,
  Vector,
  Tile,
  TileSchedule,
  LLVMDialect,
  LLVM,
  Asm,
  Obj,
  PTX,
  Module
};

struct StageInfo {
  Stage stage;
  llvm::StringLiteral name;
  /// What the IR is at the end of the stage, in a few words.
  llvm::StringLiteral description;
};

/// All stages, in order.
llvm::ArrayRef<StageInfo> getStages();

/// The stage of that name, or nothing.
std::optional<Stage> findStage(llvm::StringRef name);

/// What is wrong with a list of instruction sets of CPUs, or nothing.
std::optional<std::string> checkIsas(llvm::ArrayRef<std::string> isas);

/// What is wrong with a list of architectures of GPUs, or nothing.
std::optional<std::string> checkArchs(llvm::ArrayRef<std::string> archs);

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  ListOption<std::string> isas{
      *this, "isas",
      llvm::cl::desc("Instruction sets of CPUs to compile for, best first")};
  ListOption<std::string> archs{
      *this, "archs",
      llvm::cl::desc("Architectures of GPUs to compile for, such as sm_90a. "
                     "Without isas, there is no code for CPUs but the "
                     "oracle's")};
  ListOption<std::string> devices{
      *this, "devices",
      llvm::cl::desc("GPUs that schedules are made for, such as h200, one at "
                     "most for an architecture")};
  Option<int64_t> candidates{
      *this, "candidates",
      llvm::cl::desc("Schedules of a kernel for a GPU, at most"),
      llvm::cl::init(3)};
  Option<bool> oracle{
      *this, "oracle",
      llvm::cl::desc("Compile an oracle in f64 beside every function"),
      llvm::cl::init(false)};
  Option<std::string> until{*this, "until",
                            llvm::cl::desc("The last stage to run"),
                            llvm::cl::init("llvm-dialect")};
};

/// The GPU that schedules for `arch` are made for: the one of `options`, or the
/// default one of the architecture.
const Device *getDevice(const PipelineOptions &options, llvm::StringRef arch);

/// Adds the passes after the stage `first`, or all, up to and with `last`. They
/// compile for the instruction sets and architectures of `options`, or for all
/// instruction sets where it names none of either.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options,
                   std::optional<Stage> first, Stage last);

/// Registers the pipeline as `hk-pipeline{isas=.. archs=.. oracle until=..}`.
void registerPipeline();

/// Registers the passes of the pipeline, so that options can name them.
void registerPipelinePasses();

/// Registers the dialects and interfaces that the pipeline needs and no other,
/// so that a static compiler carries no other.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// The fault behind a failure of a pass: whose it is.
enum class Fault {
  /// The network is not one: its author's.
  User,
  /// The network is one that hk cannot compile yet.
  Unsupported,
  /// hk's own.
  Internal
};

/// Whose fault it is when the pass with this argument fails.
Fault getFault(llvm::StringRef passArgument);

} // namespace hk

#endif // HK_PIPELINE_PIPELINE_H
