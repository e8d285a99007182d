// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "options.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/WithColor.h"

using namespace hk;
namespace cl = llvm::cl;

namespace {

/// llvm::cl keeps options in variables; these live while they are parsed.
struct Flags {
  cl::OptionCategory category{"hk-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<network.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Output file, - for standard output. Modules and objects "
               "are written\nbeside where you are (network.hkm), text to "
               "standard output"),
      cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> targets{
      "target",
      cl::desc("Instruction sets, of which the best that the machine has is "
               "run:\nx86-64-v4, x86-64-v3, x86-64, or cpu for all three "
               "(default)"),
      cl::value_desc("list"), cl::CommaSeparated, cl::cat(category)};
  cl::opt<bool> oracle{
      "oracle",
      cl::desc("Also compile the network in f64 and plain loops, for hk-run "
               "--check"),
      cl::cat(category)};
  // cl::desc keeps a reference.
  std::string stages = describeStages();
  cl::opt<std::string> emit{"emit", cl::desc(stages), cl::value_desc("stage"),
                            cl::init("module"), cl::cat(category)};
  cl::opt<std::string> from{
      "from", cl::desc("The stage that printed the input, up to llvm-dialect"),
      cl::value_desc("stage"), cl::cat(category)};
  cl::opt<std::string> remarks{
      "remarks",
      cl::desc("Print what the passes did and refused to do: text, yaml or "
               "none (default)"),
      cl::value_desc("format"), cl::init("none"), cl::cat(category)};
  cl::opt<std::string> remarksFilter{
      "remarks-filter",
      cl::desc("Print remarks of passes that match, such as 'hk-fold-.*'"),
      cl::value_desc("regex"), cl::init(".*"), cl::cat(category)};
  cl::opt<std::string> remarksOutput{
      "remarks-output",
      cl::desc("Print remarks to a file rather than to standard error"),
      cl::value_desc("file"), cl::init("-"), cl::cat(category)};
  cl::opt<std::string> dumpDir{
      "dump-dir",
      cl::desc("Write the IR after every pass to numbered files in a folder, "
               "with an\nindex in JSON"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> verifyEach{
      "verify-each", cl::desc("Verify the IR after every pass (default: true)"),
      cl::init(true), cl::cat(category)};
  cl::opt<bool> verbose{"v",
                        cl::desc("Print a line about the module that was made"),
                        cl::cat(category)};

  static std::string describeStages() {
    std::string text = "What to write:";
    for (const StageInfo &info : getStages()) {
      text += "\n  " + info.name.str();
      text.append(14 - info.name.size(), ' ');
      text += info.description.str();
    }
    return text;
  }
};

} // namespace

static void printVersion(llvm::raw_ostream &os) {
  os << "hk-compile " HK_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

static std::nullopt_t reject(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "hk-compile") << message << '\n';
  return std::nullopt;
}

/// The instruction sets that --target names, best first, or a complaint.
static std::optional<std::vector<std::string>>
readTargets(const cl::list<std::string> &targets) {
  std::vector<std::string> names(targets.begin(), targets.end());
  std::vector<std::string> all = {"x86-64-v4", "x86-64-v3", "x86-64"};
  if (names.empty() || (names.size() == 1 && names.front() == "cpu"))
    return all;
  if (auto fault = checkIsas(names))
    return reject("--target " + *fault);
  std::vector<std::string> sorted;
  for (const std::string &name : all)
    if (llvm::is_contained(names, name))
      sorted.push_back(name);
  return sorted;
}

/// The stage of that name, if it is one up to `last`.
static std::optional<Stage> readStage(llvm::StringRef option,
                                      llvm::StringRef name, Stage last) {
  std::optional<Stage> stage = findStage(name);
  if (stage && *stage <= last)
    return stage;
  std::string names;
  for (const StageInfo &info : getStages())
    if (info.stage <= last)
      names += (names.empty() ? "" : ", ") + info.name.str();
  return reject(option + " expects one of " + names + ", but got '" + name +
                "'");
}

static std::optional<RemarkFormat> readFormat(llvm::StringRef name) {
  if (name == "none")
    return RemarkFormat::None;
  if (name == "text")
    return RemarkFormat::Text;
  if (name == "yaml")
    return RemarkFormat::Yaml;
  return reject("--remarks expects text, yaml or none, but got '" + name + "'");
}

/// The file to write where the command line names none.
static std::string getDefaultOutput(llvm::StringRef input, Stage emit) {
  if (emit != Stage::Module && emit != Stage::Obj)
    return "-";
  llvm::StringRef stem = input == "-" ? "module" : llvm::sys::path::stem(input);
  return (stem + (emit == Stage::Module ? ".hkm" : ".o")).str();
}

std::optional<CompileOptions> hk::parseCommandLine(int argc, char **argv) {
  Flags flags;
  registerPipelinePasses();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(flags.category);
  cl::SetVersionPrinter(printVersion);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Compiles a Transformer network ahead of time.\n\n"
          "  hk-compile network.mlir -o network.hkm\n\n"
          "MLIR's options to print and time passes work too: --help-hidden.\n",
          &llvm::errs()))
    return std::nullopt;

  CompileOptions options;
  options.input = flags.input;
  std::optional<Stage> emit = readStage("--emit", flags.emit, Stage::Module);
  if (!emit)
    return std::nullopt;
  options.emit = *emit;
  if (!flags.from.empty()) {
    options.from =
        readStage("--from", flags.from, std::min(*emit, Stage::LLVMDialect));
    if (!options.from)
      return std::nullopt;
  }
  options.output = flags.output.empty() ? getDefaultOutput(options.input, *emit)
                                        : flags.output.getValue();
  auto isas = readTargets(flags.targets);
  auto format = readFormat(flags.remarks);
  if (!isas || !format)
    return std::nullopt;
  options.isas = std::move(*isas);
  options.remarks = *format;
  options.remarksFilter = flags.remarksFilter;
  std::string regexError;
  if (!llvm::Regex(options.remarksFilter).isValid(regexError))
    return reject("--remarks-filter expects a regular expression, but got '" +
                  options.remarksFilter + "': " + regexError);
  options.remarksOutput = flags.remarksOutput;
  options.oracle = flags.oracle;
  options.dumpDir = flags.dumpDir;
  options.verifyEach = flags.verifyEach;
  options.verbose = flags.verbose;
  return options;
}
