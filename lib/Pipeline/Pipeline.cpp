// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Pipeline/Pipeline.h"

#include "hk/Conversion/Passes.h"
#include "hk/Dialect/Tile/Transforms/Passes.h"
#include "hk/Pipeline/GPUStages.h"
#include "hk/Pipeline/OnTarget.h"
#include "hk/Target/CPU/Isa.h"
#include "hk/Target/CPU/Passes.h"
#include "hk/Target/Devices/Device.h"
#include "hk/Target/NVPTX/Arch.h"
#include "hk/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hk;

static constexpr StageInfo stages[] = {
    {Stage::HK, "hk", "the network, checked"},
    {Stage::Rolled, "rolled", "like layers rolled into a loop"},
    {Stage::Folded, "folded", "exact algebra moved into the parameters"},
    {Stage::Kernels, "kernels", "cut into kernels, with schedules"},
    {Stage::Plans, "plans", "executables, variants and plans"},
    {Stage::Linalg, "linalg", "the oracle's kernels as loops"},
    {Stage::Vector, "vector", "the CPU kernels on vectors"},
    {Stage::Tile, "tile", "the GPU kernels on tiles"},
    {Stage::TileSchedule, "tile-schedule", "tiles with places and waits"},
    {Stage::LLVMDialect, "llvm-dialect", "the kernels in the LLVM dialect"},
    {Stage::LLVM, "llvm", "the kernels in LLVM IR, optimised"},
    {Stage::Asm, "asm", "the CPU kernels in assembly"},
    {Stage::Obj, "obj", "the kernels of one CPU target as an ELF object"},
    {Stage::PTX, "ptx", "the GPU kernels in PTX"},
    {Stage::Module, "module", "the module file"},
};

llvm::ArrayRef<StageInfo> hk::getStages() { return stages; }

std::optional<Stage> hk::findStage(llvm::StringRef name) {
  for (const StageInfo &info : stages)
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}

std::optional<std::string> hk::checkIsas(llvm::ArrayRef<std::string> isas) {
  for (const std::string &name : isas)
    if (!findIsa(name))
      return "expects x86-64-v4, x86-64-v3 or x86-64, but got '" + name + "'";
  for (const Isa &isa : getIsas())
    if (llvm::count(isas, isa.name) > 1)
      return "expects each target once, but got '" + isa.name.str() + "' twice";
  return std::nullopt;
}

std::optional<std::string> hk::checkArchs(llvm::ArrayRef<std::string> archs) {
  for (const std::string &name : archs) {
    if (!findArch(name))
      return "expects " + listArchs() + ", but got '" + name + "'";
    if (llvm::count(archs, name) > 1)
      return "expects each target once, but got '" + name + "' twice";
  }
  return std::nullopt;
}

const Device *hk::getDevice(const PipelineOptions &options,
                            llvm::StringRef arch) {
  for (const std::string &name : options.devices)
    if (const Device *device = findDevice(name); device && device->arch == arch)
      return device;
  return getDefaultDevice(arch);
}

static void addSimplification(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Adds the passes of one stage.
static void addStage(OpPassManager &pm, const PipelineOptions &options,
                     Stage stage) {
  switch (stage) {
  case Stage::HK:
    addSimplification(pm);
    pm.addPass(createCheck());
    if (options.oracle)
      pm.addPass(createMakeOraclePass());
    pm.addPass(createCheck());
    pm.addNestedPass<func::FuncOp>(createWidenPass());
    return;
  case Stage::Rolled:
    pm.addPass(createRollLayers());
    return;
  case Stage::Folded:
    pm.addPass(createDropMasks());
    pm.addPass(createFoldNorms());
    pm.addPass(createFoldAttention());
    pm.addPass(createPackLinears());
    return;
  case Stage::Kernels: {
    pm.addPass(createHoistPacked());
    if (!options.archs.empty()) {
      CloneTargetsOptions clones;
      clones.archs.assign(options.archs.begin(), options.archs.end());
      clones.cpu = !options.isas.empty();
      clones.devices.assign(options.devices.begin(), options.devices.end());
      pm.addPass(createCloneTargets(clones));
      pm.addNestedPass<func::FuncOp>(createRotateLayers());
    }
    CutOptions cut;
    cut.devices.assign(options.devices.begin(), options.devices.end());
    pm.addNestedPass<func::FuncOp>(createCut(cut));
    if (!options.archs.empty())
      pm.addNestedPass<func::FuncOp>(createNarrow());
    AssignSchedulesOptions schedules;
    schedules.candidates = options.candidates;
    if (!options.isas.empty())
      schedules.isas.assign(options.isas.begin(), options.isas.end());
    if (!options.devices.empty())
      schedules.devices.assign(options.devices.begin(), options.devices.end());
    pm.addNestedPass<func::FuncOp>(createAssignSchedules(schedules));
    return;
  }
  case Stage::Plans:
    pm.addPass(createOutline());
    return;
  case Stage::Linalg:
    pm.addPass(createLowerLoopsKernelsPass());
    return;
  case Stage::Vector:
    pm.addPass(createHKToVector());
    return;
  case Stage::Tile:
    addTileStage(pm, options);
    return;
  case Stage::TileSchedule:
    addOnTarget(pm, TargetKind::GPU, [&](OpPassManager &kernels) {
      addTileScheduleStage(kernels, options);
    });
    return;
  case Stage::LLVMDialect:
    addOnTarget(pm, TargetKind::CPU, buildCPUToLLVMPipeline);
    addOnTarget(pm, TargetKind::GPU, [&](OpPassManager &kernels) {
      addGPUToLLVMStage(kernels, options);
    });
    return;
  case Stage::LLVM:
  case Stage::Asm:
  case Stage::Obj:
  case Stage::PTX:
  case Stage::Module:
    return;
  }
}

void hk::buildPipeline(OpPassManager &pm, const PipelineOptions &options,
                       std::optional<Stage> first, Stage last) {
  for (const StageInfo &info : stages)
    if ((!first || info.stage > *first) && info.stage <= last)
      addStage(pm, options, info.stage);
}

void hk::registerPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "hk-pipeline", "Compile a network to modules of kernels",
      [](OpPassManager &pm, const PipelineOptions &options) {
        std::optional<Stage> last = findStage(options.until);
        if (!last)
          llvm::report_fatal_error(
              llvm::Twine("hk-pipeline: expects until to be a stage, but got "
                          "'") +
                  options.until + "'",
              /*gen_crash_diag=*/false);
        if (auto fault = checkIsas(ArrayRef<std::string>(options.isas)))
          llvm::report_fatal_error(llvm::Twine("hk-pipeline: isas ") + *fault,
                                   /*gen_crash_diag=*/false);
        if (auto fault = checkArchs(ArrayRef<std::string>(options.archs)))
          llvm::report_fatal_error(llvm::Twine("hk-pipeline: archs ") + *fault,
                                   /*gen_crash_diag=*/false);
        buildPipeline(pm, options, std::nullopt, *last);
      });
}

void hk::registerPipelinePasses() {
  registerHKTransformsPasses();
  registerHKConversionPasses();
  registerHKTargetCPUPasses();
  tile::registerHKTilePasses();
  registerHKPipelinePasses();
  registerCanonicalizerPass();
  registerCSEPass();
}

Fault hk::getFault(llvm::StringRef passArgument) {
  return llvm::StringSwitch<Fault>(passArgument)
      .Cases({"hk-check", "hk-make-oracle", "hk-clone-targets"}, Fault::User)
      .Cases({"hk-widen", "hk-hoist-packed", "hk-cut", "hk-narrow",
              "hk-assign-schedules", "hk-outline", "hk-lower-loops-kernels",
              "hk-to-vector", "hk-to-tile", "tile-channels", "tile-allocate"},
             Fault::Unsupported)
      .Default(Fault::Internal);
}
