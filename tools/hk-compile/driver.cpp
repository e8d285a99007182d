// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "driver.h"

#include "hk/Pipeline/Dump.h"
#include "hk/Pipeline/Remarks.h"
#include "hk/Target/CPU/CodeGen.h"
#include "hk/Target/Module/ModuleWriter.h"
#include "hk/Target/NVPTX/CodeGen.h"
#include "hk/Target/NVPTX/Ptxas.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <mutex>

using namespace mlir;
using namespace hk;

static llvm::raw_ostream &error() {
  return llvm::WithColor::error(llvm::errs(), "hk-compile");
}

namespace {

/// Remembers the first pass that failed.
class FailureWatch final : public PassInstrumentation {
public:
  explicit FailureWatch(std::string &failed) : failed(failed) {}
  void runAfterPassFailed(Pass *pass, Operation *) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (failed.empty())
      failed = pass->getArgument().str();
  }

private:
  std::mutex mutex;
  std::string &failed;
};

class Driver {
public:
  Driver(const CompileOptions &options, MLIRContext &context,
         TimingScope &timing)
      : options(options), context(context), timing(timing) {}

  ExitCode run();

private:
  ExitCode read();
  ExitCode runPasses();
  ExitCode generate();
  ExitCode generateGPU();
  ExitCode printObject(llvm::raw_ostream &stream);
  ExitCode writeCode();
  ExitCode writeRemarks();
  ExitCode finishDump();
  ExitCode write(StringRef path, StringRef bytes);
  void summarize(size_t size);

  const CompileOptions &options;
  MLIRContext &context;
  TimingScope &timing;
  std::vector<RemarkRecord> remarks;
  std::unique_ptr<DumpFolder> dump;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  ModuleCode code;
};

} // namespace

/// Runs the steps until one does not succeed.
ExitCode Driver::run() {
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  if (failed(collectRemarks(context, remarks))) {
    error() << "cannot collect remarks\n";
    return ExitCode::Internal;
  }
  if (ExitCode code = read(); code != ExitCode::Success)
    return code;
  ExitCode result = runPasses();
  if (result == ExitCode::Success && options.emit > Stage::LLVMDialect)
    result = generate();
  if (result == ExitCode::Success)
    result = writeCode();
  // Remarks and dumps say why a network was refused.
  ExitCode printed = writeRemarks(), dumped = finishDump();
  for (ExitCode code : {result, printed, dumped})
    if (code != ExitCode::Success)
      return code;
  return ExitCode::Success;
}

ExitCode Driver::read() {
  std::string message;
  auto file = openInputFile(options.input, &message);
  if (!file) {
    error() << message << '\n';
    return ExitCode::User;
  }
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  TimingScope scope = timing.nest("Parser");
  module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return ExitCode::User;
  if (!options.dumpDir.empty()) {
    auto folder = DumpFolder::create(options.dumpDir);
    if (!folder) {
      error() << llvm::toString(folder.takeError()) << '\n';
      return ExitCode::Environment;
    }
    dump = std::move(*folder);
    std::string text;
    llvm::raw_string_ostream(text) << *module << '\n';
    dump->write("input", "", "mlir", text);
  }
  return ExitCode::Success;
}

ExitCode Driver::runPasses() {
  PassManager pm(&context);
  pm.enableVerifier(options.verifyEach);
  if (failed(applyPassManagerCLOptions(pm)))
    return ExitCode::User;
  pm.enableTiming(timing);
  std::string failedPass;
  pm.addInstrumentation(std::make_unique<FailureWatch>(failedPass));
  if (dump)
    pm.addInstrumentation(createDumpInstrumentation(*dump));
  PipelineOptions pipeline;
  for (const std::string &isa : options.isas)
    pipeline.isas.push_back(isa);
  for (const std::string &arch : options.archs)
    pipeline.archs.push_back(arch);
  for (const std::string &device : options.devices)
    pipeline.devices.push_back(device);
  pipeline.candidates = options.candidates;
  pipeline.oracle = options.oracle;
  buildPipeline(pm, pipeline, options.from, options.emit);
  if (succeeded(pm.run(*module)))
    return ExitCode::Success;
  switch (getFault(failedPass)) {
  case Fault::User:
    return ExitCode::User;
  case Fault::Unsupported:
    return ExitCode::Unsupported;
  case Fault::Internal:
    error() << "pass " << failedPass
            << " failed; this is a fault of hk, not of the network\n";
    return ExitCode::Internal;
  }
  llvm_unreachable("a fault");
}

ExitCode Driver::generate() {
  TimingScope scope = timing.nest("Code generation");
  if (options.emit != Stage::PTX) {
    CodeGenOptions codeGen;
    codeGen.keepLLVMIR = options.emit == Stage::LLVM || dump;
    codeGen.keepAssembly = options.emit == Stage::Asm || dump;
    codeGen.keepObject = options.emit == Stage::Obj;
    auto generated = generateCode(*module, codeGen);
    if (failed(generated))
      return ExitCode::Internal;
    code.cpu = std::move(*generated);
  }
  if (options.emit != Stage::Asm && options.emit != Stage::Obj)
    if (ExitCode result = generateGPU(); result != ExitCode::Success)
      return result;
  bool wantsGPU = options.emit == Stage::PTX;
  if (wantsGPU || options.emit == Stage::Asm)
    if (wantsGPU ? code.gpu.empty() : code.cpu.empty()) {
      error() << "--emit=" << (wantsGPU ? "ptx" : "asm") << " expects a "
              << (wantsGPU ? "GPU" : "CPU") << " among the targets, but got "
              << "none\n";
      return ExitCode::User;
    }
  if (!dump)
    return ExitCode::Success;
  for (const KernelCode &kernels : code.cpu) {
    dump->write("llvm", kernels.name, "ll", kernels.llvmIR);
    dump->write("assembly", kernels.name, "s", kernels.assembly);
  }
  for (const PTXCode &kernels : code.gpu) {
    dump->write("llvm", kernels.name, "ll", kernels.llvmIR);
    dump->write("ptx", kernels.name, "ptx", kernels.ptx);
  }
  return ExitCode::Success;
}

ExitCode Driver::generateGPU() {
  PTXOptions codeGen;
  codeGen.keepLLVMIR = options.emit == Stage::LLVM || dump;
  // A cubin is of use in a module alone.
  if (options.emit == Stage::Module) {
    auto ptxas = findPtxas();
    if (!ptxas) {
      error() << llvm::toString(ptxas.takeError()) << '\n';
      return ExitCode::Environment;
    }
    codeGen.ptxas = std::move(*ptxas);
  }
  auto generated = generatePTX(*module, codeGen);
  if (failed(generated))
    return ExitCode::Internal;
  code.gpu = std::move(*generated);
  return ExitCode::Success;
}

ExitCode Driver::printObject(llvm::raw_ostream &stream) {
  if (code.cpu.size() != 1) {
    error() << "--emit=obj expects one target and no --oracle, but got "
            << code.cpu.size() << " modules of kernels\n";
    return ExitCode::User;
  }
  const auto &object = code.cpu[0].object;
  stream << StringRef(object.data(), object.size());
  return ExitCode::Success;
}

ExitCode Driver::writeCode() {
  TimingScope scope = timing.nest("Writer");
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  switch (options.emit) {
  default:
    module->print(stream);
    stream << '\n';
    break;
  case Stage::LLVM:
    for (const KernelCode &kernels : code.cpu)
      stream << kernels.llvmIR;
    for (const PTXCode &kernels : code.gpu)
      stream << kernels.llvmIR;
    break;
  case Stage::Asm:
    for (const KernelCode &kernels : code.cpu)
      stream << "# " << kernels.name << '\n' << kernels.assembly;
    break;
  case Stage::Obj:
    if (ExitCode result = printObject(stream); result != ExitCode::Success)
      return result;
    break;
  case Stage::PTX:
    for (const PTXCode &kernels : code.gpu)
      stream << "// " << kernels.name << '\n' << kernels.ptx;
    break;
  case Stage::Module: {
    auto file = writeModule(*module, code, remarks, options.input);
    if (failed(file))
      return ExitCode::Internal;
    bytes = std::move(*file);
    break;
  }
  }
  ExitCode result = write(options.output, bytes);
  if (result == ExitCode::Success && options.verbose)
    summarize(bytes.size());
  return result;
}

ExitCode Driver::write(StringRef path, StringRef bytes) {
  // Written beside the file and renamed, so that nobody sees half of it.
  llvm::Error failure =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
        os << bytes;
        return llvm::Error::success();
      });
  if (!failure)
    return ExitCode::Success;
  error() << "cannot write '" << path
          << "': " << llvm::toString(std::move(failure)) << '\n';
  return ExitCode::Environment;
}

ExitCode Driver::writeRemarks() {
  if (options.remarks == RemarkFormat::None)
    return ExitCode::Success;
  llvm::Regex filter(options.remarksFilter);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (options.remarks == RemarkFormat::Text)
    printRemarksAsText(remarks, filter, stream);
  else
    printRemarksAsYaml(remarks, filter, stream);
  if (options.remarksOutput != "-")
    return write(options.remarksOutput, text);
  llvm::errs() << text;
  return ExitCode::Success;
}

ExitCode Driver::finishDump() {
  if (!dump)
    return ExitCode::Success;
  llvm::Error failure = dump->finish();
  if (!failure)
    return ExitCode::Success;
  error() << "cannot write to folder '" << options.dumpDir
          << "': " << llvm::toString(std::move(failure)) << '\n';
  return ExitCode::Environment;
}

void Driver::summarize(size_t size) {
  unsigned executables = 0, plans = 0, dispatches = 0;
  module->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    executables += name == "hk.executable";
    plans += name == "hk.plan";
    dispatches += name == "hk.dispatch";
  });
  auto count = [](unsigned number, StringRef noun) {
    StringRef plural = number == 1 ? "" : noun.ends_with("h") ? "es" : "s";
    return (llvm::Twine(number) + " " + noun + plural).str();
  };
  llvm::errs() << "hk-compile: " << options.output << ": "
               << count(plans, "plan") << ", " << count(dispatches, "dispatch")
               << ", " << count(executables, "executable");
  auto kib = [](size_t bytes) {
    return llvm::format("%.1f KiB", bytes / 1024.);
  };
  for (const KernelCode &kernels : code.cpu)
    llvm::errs() << ", " << kernels.name << ' '
                 << kib(kernels.image.bytes.size());
  for (const PTXCode &kernels : code.gpu) {
    llvm::errs() << ", " << kernels.name << ' ' << kib(kernels.ptx.size())
                 << " of PTX";
    if (!kernels.cubin.empty())
      llvm::errs() << " and "
                   << kib(kernels.cubin.size() + kernels.roomyCubin.size())
                   << " of cubin";
  }
  llvm::errs() << llvm::format(", %.1f KiB in all\n", size / 1024.);
}

ExitCode hk::compile(const CompileOptions &options) {
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  DialectRegistry registry;
  registerPipelineDialects(registry);
  MLIRContext context(registry);
  // The place in the source says more than a kernel of a thousand operations.
  context.printOpOnDiagnostic(false);
  // The files of a dump are numbered in the order of the passes.
  if (!options.dumpDir.empty())
    context.disableMultithreading();
  return Driver(options, context, timing).run();
}
