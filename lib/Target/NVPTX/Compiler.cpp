// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compiler.h"

#include "Rematerialize.h"
#include "hk/Target/NVPTX/Arch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

// Declared here rather than by InitializeAllTargets, so that a static build
// carries no other target.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace hk;
using namespace llvm;

static const char *tripleName = "nvptx64-nvidia-cuda";

/// Has pointers to shared memory be 32 bits wide, as its addresses are: half
/// the registers, and no conversion. LLVM has an option for it and nothing
/// else; it is read where a target machine is made.
static void useShortPointers() {
  auto &options = cl::getRegisteredOptions();
  if (auto option = options.find("nvptx-short-ptr"); option != options.end())
    static_cast<cl::opt<bool> *>(option->second)->setValue(true);
}

static const Target *lookupTarget(const Triple &triple, std::string &message) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    useShortPointers();
    return true;
  }();
  (void)initialized;
  return TargetRegistry::lookupTarget(triple, message);
}

PTXCompiler::PTXCompiler(std::unique_ptr<TargetMachine> machine)
    : machine(std::move(machine)), library(Triple(tripleName)) {
  library.disableAllFunctions();
}

Expected<PTXCompiler> PTXCompiler::create(const Arch &arch) {
  Triple triple(tripleName);
  std::string message;
  const Target *target = lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  TargetOptions options;
  // Only operations that carry the flag `contract` are fused.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, arch.name, "+ptx" + utostr(arch.ptx), options, std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("expects LLVM to generate code for " +
                             Twine(tripleName));
  return PTXCompiler(std::move(machine));
}

void PTXCompiler::makeEntry(Function &kernel, const LaunchBounds &bounds) {
  kernel.setCallingConv(CallingConv::PTX_Kernel);
  // The runtime launches this number of threads and no other.
  kernel.addFnAttr("nvvm.reqntid", utostr(bounds.threads) + ",1,1");
  if (bounds.minCTAs > 0)
    kernel.addFnAttr("nvvm.minctasm", utostr(bounds.minCTAs));
  if (bounds.cluster > 1)
    kernel.addFnAttr("nvvm.cluster_dim", utostr(bounds.cluster) + ",1,1");
}

Error PTXCompiler::prepare(Module &module) {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (Function &function : module) {
    if (function.isIntrinsic())
      continue;
    if (function.isDeclaration() && !function.use_empty())
      return createStringError("expects code that calls nothing outside the "
                               "module, but got a use of '" +
                               function.getName() + "'");
    if (function.isDeclaration())
      continue;
    if (function.getCallingConv() != CallingConv::PTX_Kernel)
      function.setLinkage(GlobalValue::InternalLinkage);
    function.setDoesNotThrow();
    function.addFnAttr("no-builtins");
  }
  return Error::success();
}

void PTXCompiler::clean(Module &module) {
  PassBuilder builder(machine.get());
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
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstSimplifyPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(DCEPass());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    passes.run(function, functions);
    rematerialize(function);
  }
}

Expected<std::string> PTXCompiler::emit(Module &module) {
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(library));
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::AssemblyFile))
    return createStringError("expects a target that emits PTX");
  passes.run(module);
  return std::string(text.begin(), text.end());
}
