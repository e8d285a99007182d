// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hk-run: runs a compiled module, checks it, and times it.
#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/npy.h"
#include "report.h"

#include <cstring>

using namespace hk::tools;

namespace {

constexpr int64_t kMaxCount = 1000000000;

struct Options {
  std::string module, function, plan, json;
  std::vector<std::string> params, outputs;
  InputOptions inputs;
  CheckOptions check;
  std::string checkMode, device = "cpu";
  DeviceChoice deviceChoice;
  std::optional<int64_t> threads, repeat, warmup, seed, samples;
  bool randomNorm = false, guard = false, graph = false, list = false,
       dumpMetadata = false;
};

} // namespace

static void declareOptions(CLI::App &app, Options &options) {
  app.add_option("module", options.module, "the compiled module (.hkm)");
  app.add_option("--params", options.params,
                 "parameters, safetensors; once a shard (random without)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--input", options.inputs.files,
                 "inputs in order, or NAME=FILE (random without)")
      ->type_name("FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs, "where outputs go, in order")
      ->type_name("FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--function", options.function, "(the module's first)")
      ->type_name("NAME");
  app.add_option("--plan", options.plan, "(the best one for this machine)")
      ->type_name("NAME");
  app.add_option("--device", options.device,
                 "cpu, cuda, cuda:N, or auto: a GPU where there is one (cpu)")
      ->type_name("NAME");
  app.add_flag("--graph", options.graph,
               "on a GPU: capture the plan as a graph and launch that");
  addInteger(app, "--threads", options.threads, 1, 1024,
             "(HK_THREADS, or all cores)");
  addInteger(app, "--batch", options.inputs.batch, 0, kMaxCount,
             "batch of random inputs (1)");
  addInteger(app, "--seed", options.seed, 0, INT64_MAX,
             "seed of random inputs and parameters (1234)");
  app.add_flag("--padding", options.inputs.padding,
               "random masks and lengths: a prefix, not full sequences");
  app.add_flag("--random-norm", options.randomNorm,
               "random parameters: gamma and beta too, not 1 and 0");
  app.add_flag("--check{sample}", options.checkMode,
               "compare with the fp64 oracle: a sample of sequences, or "
               "--check=all");
  addInteger(app, "--check-samples", options.samples, 1, kMaxCount,
             "sequences in the sample (4)");
  addNumber(app, "--atol", options.check.gate.atol,
            "absolute error that passes (2e-3)");
  addNumber(app, "--rtol", options.check.gate.rtol,
            "or error relative to the reference (2e-2)");
  addInteger(app, "--repeat", options.repeat, 1, kMaxCount,
             "timed runs (1); print median and spread");
  addInteger(app, "--warmup", options.warmup, 0, kMaxCount,
             "runs before these (3 with --repeat)");
  app.add_flag("--guard", options.guard,
               "buffers end at an inaccessible page: overruns crash");
  app.add_option("--json", options.json, "the report as JSON; - is stdout")
      ->type_name("FILE");
  app.add_flag("--list", options.list,
               "print functions, inputs, outputs and plans");
  app.add_flag("--dump-metadata", options.dumpMetadata,
               "print the module's metadata as JSON");
  app.set_version_flag("--version", std::string("hk-run ") + hk_version());
  app.footer(
      "Examples:\n"
      "  hk-run model.hkm --params w.safetensors --input x.npy --output y.npy\n"
      "  hk-run model.hkm --batch 64 --padding --check --repeat 100\n\n"
      "HK_ISA, HK_THREADS and HK_CUDA_DRIVER are read from the environment.\n"
      "Exit codes: 0 done, 1 wrong input or failed check, 2 unsupported, "
      "3 environment, 4 internal error.");
}

static void resolveOptions(Options &options) {
  if (options.module.empty())
    userError("expects a module (.hkm), but got none; see --help");
  if (!options.checkMode.empty() && options.checkMode != "sample" &&
      options.checkMode != "all")
    userError("expects --check or --check=all, but got '--check=" +
              options.checkMode + "'");
  if (options.randomNorm && !options.params.empty())
    userError("expects --random-norm with random parameters, but got --params");
  options.deviceChoice = parseDevice(options.device);
  if (options.guard && options.deviceChoice.kind != HK_DEVICE_CPU)
    userError("expects --guard with --device cpu, but got --device " +
              options.device);
  options.check.all = options.checkMode == "all";
  options.check.samples = options.samples.value_or(options.check.samples);
  options.inputs.seed = static_cast<uint64_t>(options.seed.value_or(1234));
  options.check.seed = options.inputs.seed;
}

static void printMetadata(const hk_module *module) {
  hk_status status = {};
  char *text = nullptr;
  check(hk_module_to_json(module, &text, &status), status);
  std::unique_ptr<char, void (*)(char *)> owner(text, hk_string_free);
  OutputFile output("-");
  output.write(text, std::strlen(text));
  output.write("\n");
  output.commit();
}

/// An element that no kernel writes must not pass for a result.
static void poison(std::vector<Tensor> &outputs) {
  for (Tensor &output : outputs)
    std::memset(output.data(), 0xff, output.byteSize());
}

static RunReport execute(const Options &options, const Module &module,
                         RunReport report) {
  hk_module *handle = module.get();
  Function function = findFunction(handle, options.function);
  if (options.outputs.size() > function.outputs.size())
    userError("expects at most " + std::to_string(function.outputs.size()) +
              " outputs, but got " + std::to_string(options.outputs.size()));
  uint32_t threads = static_cast<uint32_t>(options.threads.value_or(0));
  Context context = createContext(threads, options.deviceChoice);
  std::vector<Tensor> inputs = makeInputs(function.inputs, options.inputs);
  if (options.guard)
    for (Tensor &input : inputs)
      input = input.guardedCopy();
  Checkpoint checkpoint =
      options.params.empty()
          ? drawCheckpoint(handle, options.inputs.seed, options.randomNorm)
          : openCheckpoint(options.params);

  Stopwatch preparing;
  Session session(context.get(), handle, checkpoint.params.get(),
                  function.info.name, options.plan);
  report.prepareSeconds = preparing.seconds();
  report.batch = inputs.empty() || inputs[0].shape().empty()
                     ? options.inputs.batch.value_or(1)
                     : inputs[0].shape()[0];
  session.bind(function, inputs, report.batch, options.guard);
  poison(session.outputs());
  session.uploadOutputs();
  if (options.graph)
    session.capture();
  int64_t repeats = options.repeat.value_or(1);
  int64_t warmup = options.warmup.value_or(options.repeat ? 3 : 0);
  report.timing = measureTimed(warmup, repeats, [&] { return session.run(); });
  session.downloadOutputs();

  for (size_t i = 0; i < options.outputs.size(); ++i)
    writeNpy(options.outputs[i], session.outputs()[i]);
  hk_session_info info = session.info();
  report.function = info.function;
  report.plan = info.plan;
  report.planRank = info.plan_rank;
  report.isa = info.isa;
  report.threads = info.num_workers;
  hk_device_info device = {};
  hk_context_get_device(context.get(), &device);
  bool onGpu = device.kind == HK_DEVICE_CUDA;
  if (onGpu)
    report.device = device.name;
  report.dispatches = info.num_dispatches;
  report.packedBytes = info.packed_bytes;
  report.workspaceBytes = session.workspaceSize();
  if (!options.checkMode.empty()) {
    // The oracle is the CPU's.
    Context cpu = onGpu ? createContext(threads) : nullptr;
    report.check = checkAgainstOracle(
        cpu ? cpu.get() : context.get(), handle, checkpoint.params.get(),
        function, inputs, session.outputs(), report.batch, options.check);
  }
  return report;
}

static int run(int argc, char **argv) {
  CLI::App app{"Runs a compiled module on .npy or random inputs.", "hk-run"};
  Options options;
  declareOptions(app, options);
  if (!parseCommandLine(app, argc, argv))
    return ExitOk;
  resolveOptions(options);

  RunReport report;
  report.module = options.module;
  Stopwatch loading;
  Module module = loadModule(options.module);
  report.loadSeconds = loading.seconds();
  if (options.dumpMetadata) {
    printMetadata(module.get());
    return ExitOk;
  }
  if (options.list) {
    printModule(module.get(), options.module);
    return ExitOk;
  }
  report = execute(options, module, std::move(report));
  if (!options.json.empty()) {
    OutputFile json(options.json);
    json.write(reportToJson(report));
    json.commit();
  }
  printReport(report, options.json == "-" ? stderr : stdout);
  return report.check && !report.check->passed() ? ExitUserError : ExitOk;
}

int main(int argc, char **argv) {
  return runReportingErrors("hk-run", run, argc, argv);
}
