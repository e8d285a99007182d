// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "driver.h"

#include "hk/Pipeline/Dump.h"
#include "hk/Pipeline/Remarks.h"
#include "hk/Target/CPU/CodeGen.h"
#include "hk/Target/CPU/Isa.h"
#include "hk/Target/Module/ModuleWriter.h"

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
  std::vector<KernelCode> code;
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
  CodeGenOptions codeGen;
  codeGen.keepLLVMIR = options.emit == Stage::LLVM || dump;
  codeGen.keepAssembly = options.emit == Stage::Asm || dump;
  codeGen.keepObject = options.emit == Stage::Obj;
  auto generated = generateCode(*module, codeGen);
  if (failed(generated))
    return ExitCode::Internal;
  code = std::move(*generated);
  if (dump)
    for (const KernelCode &kernels : code) {
      dump->write("llvm", kernels.name, "ll", kernels.llvmIR);
      dump->write("assembly", kernels.name, "s", kernels.assembly);
    }
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
    for (const KernelCode &kernels : code)
      stream << kernels.llvmIR;
    break;
  case Stage::Asm:
    for (const KernelCode &kernels : code)
      stream << "# " << kernels.name << '\n' << kernels.assembly;
    break;
  case Stage::Obj:
    if (code.size() != 1) {
      error() << "--emit=obj expects one target and no --oracle, but got "
              << code.size() << " modules of kernels\n";
      return ExitCode::User;
    }
    stream << StringRef(code[0].object.data(), code[0].object.size());
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
  for (const KernelCode &kernels : code)
    llvm::errs() << ", " << kernels.name << ' '
                 << llvm::format("%.1f KiB",
                                 kernels.image.bytes.size() / 1024.);
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
