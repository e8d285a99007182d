// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/NVPTX/CodeGen.h"

#include "../ErrorCollector.h"
#include "Assemble.h"
#include "Compiler.h"
#include "ShareCode.h"
#include "hk/Target/KernelModule.h"
#include "hk/Target/NVPTX/Arch.h"
#include "hk/Target/NVPTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hk;

namespace {

/// A kernel, between MLIR and PTX.
struct Kernel {
  LLVM::LLVMFuncOp op;
  /// In the PTX.
  std::string name;
  LaunchBounds bounds;
  /// Bytes of shared memory.
  unsigned shared;
  /// The PTX says how many CTAs must fit on a multiprocessor.
  bool isBound = false;
};

/// A module of kernels on its way, in an LLVM context of its own so that
/// several can be compiled at once.
struct Job {
  ModuleOp op;
  SmallVector<Kernel> kernels;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  PTXCode code;
  Assembled assembled;
  std::string error;
};

} // namespace

/// Reads an attribute of a kernel, `fallback` where there is none.
static FailureOr<unsigned> getNumber(LLVM::LLVMFuncOp kernel, StringRef name,
                                     unsigned fallback, unsigned least,
                                     unsigned most, const Twine &where = "") {
  Attribute attribute = kernel->getAttr(name);
  if (!attribute && fallback >= least)
    return fallback;
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  if (number && number.getInt() >= least && number.getInt() <= most)
    return static_cast<unsigned>(number.getInt());
  InFlightDiagnostic error = kernel.emitOpError()
                             << "expects " << name << " to be " << least
                             << " to " << most << where << ", but got ";
  if (attribute)
    return error << attribute;
  return error << "none";
}

static FailureOr<Kernel> readKernel(LLVM::LLVMFuncOp op, const Arch &arch) {
  std::string where = (" on " + Twine(arch.name)).str();
  auto threads = getNumber(op, "hk.threads", 0, 1, 1024);
  auto cluster = getNumber(op, "hk.cluster", 1, 1, arch.maxCluster, where);
  auto shared = getNumber(op, "hk.shared", 0, 0, arch.maxShared, where);
  auto minCTAs = getNumber(op, "hk.min_ctas", 0, 0, 32);
  if (failed(threads) || failed(cluster) || failed(shared) || failed(minCTAs))
    return failure();
  if (!isa<LLVM::LLVMVoidType>(op.getFunctionType().getReturnType()))
    return op.emitOpError() << "expects a kernel without results, but got "
                            << op.getFunctionType().getReturnType();
  for (Type type : op.getArgumentTypes())
    if (!isa<LLVM::LLVMPointerType>(type) && !type.isInteger(64))
      return op.emitOpError()
             << "expects parameters of 8 bytes, pointers and i64, but got "
             << type;
  return Kernel{op, "", {*threads, *cluster, *minCTAs}, *shared};
}

/// A name that PTX takes, and that no other symbol of the module has.
static std::string makeName(StringRef symbol, const llvm::StringSet<> &taken) {
  std::string name;
  for (char c : symbol)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name = "k" + name;
  if (name == symbol)
    return name;
  std::string unique = name;
  for (unsigned i = 1; taken.contains(unique); ++i)
    unique = name + "_" + llvm::utostr(i);
  return unique;
}

/// Names functions as the PTX does, and leaves one of those with the same code.
static void shareCode(Job &job, ArrayRef<llvm::Function *> functions) {
  for (auto [index, first] : llvm::enumerate(findSameCode(functions))) {
    if (first == index) {
      functions[index]->setName(job.kernels[index].name);
      continue;
    }
    job.kernels[index].name = job.kernels[first].name;
    functions[index]->eraseFromParent();
  }
}

static LogicalResult translate(Job &job) {
  job.code.name = job.op.getSymName().value_or("").str();
  if (job.code.name.empty())
    return job.op.emitOpError() << "expects a name for a module of kernels";
  job.code.arch = findArch(getKernelIsa(job.op));
  if (!job.code.arch)
    return job.op.emitOpError() << "expects hk.isa to be " << listArchs()
                                << ", but got " << job.op->getAttr("hk.isa");
  llvm::StringSet<> taken;
  for (Operation &op : job.op.getOps())
    if (auto name =
            op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      taken.insert(name);
  for (Operation &op : job.op.getOps()) {
    if (!op.hasAttr("hk.executable"))
      continue;
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || function.isExternal())
      return op.emitOpError()
             << "expects the code of a kernel to be an llvm.func with a body";
    auto kernel = readKernel(function, *job.code.arch);
    if (failed(kernel))
      return failure();
    kernel->name = makeName(function.getSymName(), taken);
    taken.insert(kernel->name);
    job.kernels.push_back(std::move(*kernel));
  }
  job.context = std::make_unique<llvm::LLVMContext>();
  job.context->setDiagnosticHandler(
      std::make_unique<ErrorCollector>(job.error));
  job.module = translateModuleToLLVMIR(job.op, *job.context, job.code.name);
  if (!job.module)
    return job.op.emitOpError() << "cannot be translated to LLVM IR";
  SmallVector<llvm::Function *> functions;
  for (Kernel &kernel : job.kernels) {
    llvm::Function *function = job.module->getFunction(kernel.op.getSymName());
    PTXCompiler::makeEntry(*function, kernel.bounds);
    kernel.isBound = function->hasFnAttribute("nvvm.minctasm");
    // Nothing to LLVM, but the assembler may bound registers by it.
    function->addFnAttr("hk.shared", llvm::utostr(kernel.shared));
    functions.push_back(function);
  }
  shareCode(job, functions);
  for (Kernel &kernel : job.kernels)
    job.code.kernels[kernel.op.getSymName().str()] = kernel.name;
  return success();
}

static llvm::Error compile(Job &job, const PTXOptions &options) {
  auto compiler = PTXCompiler::create(*job.code.arch);
  if (!compiler)
    return compiler.takeError();
  if (llvm::Error error = compiler->prepare(*job.module))
    return error;
  compiler->clean(*job.module);
  if (options.keepLLVMIR) {
    llvm::raw_string_ostream stream(job.code.llvmIR);
    stream << *job.module;
  }
  auto ptx = compiler->emit(*job.module);
  if (!ptx)
    return ptx.takeError();
  if (!job.error.empty())
    return llvm::createStringError(job.error);
  job.code.ptx = std::move(*ptx);
  if (options.ptxas.empty())
    return llvm::Error::success();
  // Where the schedule says how many CTAs share a multiprocessor, registers are
  // shared out already.
  SmallVector<EntryResources> entries;
  for (const Kernel &kernel : job.kernels)
    if (!kernel.isBound)
      entries.push_back({kernel.name, kernel.bounds.threads, kernel.shared});
  auto assembled =
      assemble(options.ptxas, job.code.ptx, *job.code.arch, entries);
  if (!assembled)
    return assembled.takeError();
  job.code.cubin = assembled->result.cubin;
  job.code.roomyCubin = assembled->again.cubin;
  for (const auto &[name, ctas] : assembled->ctas)
    job.code.roomy.insert(name);
  job.assembled = std::move(*assembled);
  return llvm::Error::success();
}

/// Says what ptxas said of a kernel.
static void emitRemarks(Kernel &kernel, const KernelUsage &usage,
                        const Assembled &assembled) {
  using remark::RemarkOpts;
  StringRef name = kernel.op.getSymName();
  Location loc = kernel.op.getLoc();
  auto options = [&](StringRef remark) {
    return RemarkOpts::name(remark).category("ptxas").function(name);
  };
  remark::analysis(loc, options("Registers"))
      << llvm::formatv("{0}: a thread has {1} registers and {2} bytes of "
                       "stack",
                       name, usage.registers, usage.stack)
             .str();
  if (auto it = assembled.ctas.find(usage.kernel); it != assembled.ctas.end())
    remark::analysis(loc, options("Bound"))
        << llvm::formatv("{0}: nothing is spilled with the registers that "
                         "{1} CTAs leave each other",
                         name, it->second)
               .str();
  if (usage.spills())
    remark::missed(loc, options("Spills"))
        << llvm::formatv("{0}: expects values to stay in registers, but got "
                         "{1} bytes of spill stores and {2} of spill loads",
                         name, usage.spillStores, usage.spillLoads)
               .str();
  for (const std::string &advice : usage.advice)
    remark::missed(loc, options("Advice"))
        << llvm::formatv("{0}: the assembler says {1}", name, advice).str();
}

/// Says what ptxas said.
static void emitRemarks(Job &job) {
  const PtxasResult &result = job.assembled.result;
  if (result.cubin.empty() && !result.log.empty())
    remark::missed(job.op.getLoc(),
                   remark::RemarkOpts::name("NoCubin").category("ptxas"))
        << llvm::formatv("no cubin for {0}: expects a newer ptxas, but got one "
                         "that says \"{1}\"",
                         job.code.arch->name, result.log)
               .str();
  auto tell = [&](const KernelUsage &usage) {
    for (Kernel &kernel : job.kernels)
      if (kernel.name == usage.kernel)
        emitRemarks(kernel, usage, job.assembled);
  };
  for (const KernelUsage &usage : readPtxasLog(result.log))
    if (!job.code.roomy.count(usage.kernel))
      tell(usage);
  for (const KernelUsage &usage : readPtxasLog(job.assembled.again.log))
    tell(usage);
}

FailureOr<std::vector<PTXCode>> hk::generatePTX(ModuleOp module,
                                                const PTXOptions &options) {
  std::vector<Job> jobs;
  for (ModuleOp nested : module.getOps<ModuleOp>())
    if (isGPUKernelModule(nested))
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
  std::vector<PTXCode> code;
  for (Job &job : jobs) {
    if (!job.error.empty())
      return job.op.emitOpError() << "cannot be compiled: " << job.error;
    emitRemarks(job);
    code.push_back(std::move(job.code));
  }
  return code;
}
