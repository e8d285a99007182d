// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "options.h"

#include "hk/Target/CPU/Isa.h"
#include "hk/Target/Devices/Device.h"
#include "hk/Target/NVPTX/Arch.h"

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
      cl::desc("What to compile for, any of: x86-64-v4, x86-64-v3, x86-64, or "
               "cpu for all\nthree (default); sm_80, sm_86, sm_89, sm_90a, "
               "sm_120; a GPU, such as h200;\na file that describes one "
               "(.json)"),
      cl::value_desc("list"), cl::CommaSeparated, cl::cat(category)};
  cl::opt<int64_t> candidates{
      "candidates",
      cl::desc("How many schedules of a kernel a GPU may choose from (3): more "
               "take longer to compile and to choose from"),
      cl::value_desc("n"), cl::init(3), cl::cat(category)};
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

/// The GPU that `name` names or describes, null where it is none of ours, or a
/// complaint.
static std::optional<const Device *> readDevice(llvm::StringRef name) {
  if (!name.ends_with(".json"))
    return findDevice(name);
  auto device = loadDevice(name);
  if (!device)
    return reject("--target " + llvm::toString(device.takeError()));
  return *device;
}

/// Sorts what --target names into `options`; false, with a complaint, where
/// something is wrong.
static bool readTargets(const cl::list<std::string> &targets,
                        CompileOptions &options) {
  std::vector<std::string> isas;
  for (const std::string &name : targets) {
    if (name == "cpu") {
      for (const Isa &isa : getIsas())
        isas.push_back(isa.name.str());
      continue;
    }
    if (findIsa(name)) {
      isas.push_back(name);
      continue;
    }
    if (findArch(name)) {
      options.archs.push_back(name);
      continue;
    }
    auto device = readDevice(name);
    if (!device)
      return false;
    if (!*device) {
      reject("--target expects cpu, x86-64-v4, x86-64-v3, x86-64, " +
             listArchs() + ", or one of the GPUs " + listDevices() +
             ", but got '" + name + "'");
      return false;
    }
    options.archs.push_back((*device)->arch);
    options.devices.push_back((*device)->name);
  }
  if (targets.empty())
    for (const Isa &isa : getIsas())
      isas.push_back(isa.name.str());
  auto fault = checkIsas(isas);
  if (!fault)
    fault = checkArchs(options.archs);
  if (fault) {
    reject("--target " + *fault);
    return false;
  }
  for (const Isa &isa : getIsas())
    if (llvm::is_contained(isas, isa.name))
      options.isas.push_back(isa.name.str());
  return true;
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
  auto format = readFormat(flags.remarks);
  if (!readTargets(flags.targets, options) || !format)
    return std::nullopt;
  options.remarks = *format;
  options.remarksFilter = flags.remarksFilter;
  std::string regexError;
  if (!llvm::Regex(options.remarksFilter).isValid(regexError))
    return reject("--remarks-filter expects a regular expression, but got '" +
                  options.remarksFilter + "': " + regexError);
  options.remarksOutput = flags.remarksOutput;
  if (flags.candidates < 1)
    return reject("--candidates expects 1 or more, but got " +
                  llvm::Twine(flags.candidates));
  options.candidates = flags.candidates;
  options.oracle = flags.oracle;
  options.dumpDir = flags.dumpDir;
  options.verifyEach = flags.verifyEach;
  options.verbose = flags.verbose;
  return options;
}
