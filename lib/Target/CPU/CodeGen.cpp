// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/CPU/CodeGen.h"

#include "../ErrorCollector.h"
#include "Compiler.h"
#include "hk/Target/CPU/Isa.h"
#include "hk/Target/KernelModule.h"

#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace hk;

namespace {

/// A module of kernels on its way, in an LLVM context of its own so that
/// several can be compiled at once.
struct Job {
  ModuleOp op;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::StringSet<> entries;
  KernelCode code;
  std::string error;
};

} // namespace

static LogicalResult translate(Job &job) {
  auto isa = job.op->getAttrOfType<StringAttr>("hk.isa");
  job.code.name = job.op.getSymName().value_or("").str();
  job.code.isa = isa ? findIsa(isa.getValue()) : nullptr;
  if (job.code.name.empty())
    return job.op.emitOpError() << "expects a name for a module of kernels";
  if (!job.code.isa)
    return job.op.emitOpError()
           << "expects hk.isa to be x86-64-v4, x86-64-v3 or x86-64, but got "
           << job.op->getAttr("hk.isa");
  for (Operation &op : job.op.getOps())
    if (op.hasAttr("hk.executable"))
      job.entries.insert(SymbolTable::getSymbolName(&op).getValue());
  job.context = std::make_unique<llvm::LLVMContext>();
  job.context->setDiagnosticHandler(
      std::make_unique<ErrorCollector>(job.error));
  job.module = translateModuleToLLVMIR(job.op, *job.context, job.code.name);
  if (!job.module)
    return job.op.emitOpError() << "cannot be translated to LLVM IR";
  return success();
}

static llvm::Error compile(Job &job, const CodeGenOptions &options) {
  auto compiler = Compiler::create(*job.code.isa);
  if (!compiler)
    return compiler.takeError();
  llvm::Module &module = *job.module;
  if (llvm::Error error = compiler->prepare(
          module, [&](StringRef name) { return job.entries.contains(name); }))
    return error;
  compiler->optimize(module);
  if (options.keepLLVMIR) {
    llvm::raw_string_ostream stream(job.code.llvmIR);
    stream << module;
  }
  if (options.keepAssembly) {
    // Code generation changes the module.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    auto assembly = compiler->emit(*copy, llvm::CodeGenFileType::AssemblyFile);
    if (!assembly)
      return assembly.takeError();
    job.code.assembly.assign(assembly->begin(), assembly->end());
  }
  auto object = compiler->emit(module, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  if (!job.error.empty())
    return llvm::createStringError(job.error);
  auto image = linkImage(llvm::MemoryBufferRef(
      StringRef(object->data(), object->size()), job.code.name));
  if (!image)
    return image.takeError();
  job.code.image = std::move(*image);
  if (options.keepObject)
    job.code.object = std::move(*object);
  return llvm::Error::success();
}

FailureOr<std::vector<KernelCode>>
hk::generateCode(ModuleOp module, const CodeGenOptions &options) {
  std::vector<Job> jobs;
  for (ModuleOp nested : module.getOps<ModuleOp>())
    if (isKernelModule(nested) && !isGPUKernelModule(nested))
      jobs.emplace_back().op = nested;
  // The diagnostic handlers hold addresses of the jobs, which stay put now.
  // Translation is short and reads shared IR; the rest is long and does not.
  for (Job &job : jobs)
    if (failed(translate(job)))
      return failure();
  parallelFor(module.getContext(), 0, jobs.size(), [&](size_t index) {
    Job &job = jobs[index];
    if (llvm::Error error = compile(job, options))
      job.error = llvm::toString(std::move(error));
    job.module.reset();
  });
  std::vector<KernelCode> code;
  for (Job &job : jobs) {
    if (!job.error.empty())
      return job.op.emitOpError() << "cannot be compiled: " << job.error;
    code.push_back(std::move(job.code));
  }
  return code;
}
