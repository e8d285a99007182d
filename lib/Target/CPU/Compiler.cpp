// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compiler.h"

#include "SupportRoutines.h"
#include "hk/Target/CPU/Isa.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"

// Declared here rather than by InitializeAllTargets, so that a static build
// carries one target.
extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
}

using namespace hk;
using namespace llvm;

static const char *tripleName = "x86_64-unknown-linux-gnu";

static const Target *lookupTarget(const Triple &triple, std::string &message) {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // for the support routines
    return true;
  }();
  (void)initialized;
  return TargetRegistry::lookupTarget(triple, message);
}

Compiler::Compiler(const Isa &isa, std::unique_ptr<TargetMachine> machine)
    : isa(&isa), machine(std::move(machine)), library(Triple(tripleName)) {
  library.disableAllFunctions();
}

Expected<Compiler> Compiler::create(const Isa &isa) {
  Triple triple(tripleName);
  std::string message;
  const Target *target = lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  TargetOptions options;
  // Only operations that carry the flag `contract` are fused.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, isa.name, /*Features=*/"", options, Reloc::PIC_, CodeModel::Small,
      CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("expects LLVM to generate code for " +
                             Twine(tripleName));
  return Compiler(isa, std::move(machine));
}

Error Compiler::prepare(Module &module, function_ref<bool(StringRef)> isEntry) {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::SmallPIC);
  if (Error error = addSupportRoutines(module, *isa))
    return error;
  for (Function &function : module) {
    // A symbol of the object is reached directly, not through a table.
    function.setDSOLocal(true);
    if (function.isDeclaration())
      continue;
    if (isEntry(function.getName()) || isSupportRoutine(function.getName()))
      function.setVisibility(GlobalValue::HiddenVisibility);
    else
      function.setLinkage(GlobalValue::InternalLinkage);
    function.setDoesNotThrow();
    function.addFnAttr("frame-pointer", "all");
    function.addFnAttr("no-builtins");
    function.addFnAttr("target-cpu", isa->name);
    function.addFnAttr("prefer-vector-width", utostr(isa->vectorBits));
  }
  for (GlobalVariable &global : module.globals()) {
    global.setDSOLocal(true);
    if (!global.isDeclaration() && !global.hasAppendingLinkage())
      global.setLinkage(GlobalValue::InternalLinkage);
  }
  return Error::success();
}

void Compiler::optimize(Module &module) {
  PipelineTuningOptions tuning;
  // The kernels are vectorised already, and the oracle is not to be.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  PassBuilder builder(machine.get(), tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

Expected<SmallVector<char, 0>> Compiler::emit(Module &module,
                                              CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(library));
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return createStringError("expects a target that emits files of this type");
  passes.run(module);
  return bytes;
}
