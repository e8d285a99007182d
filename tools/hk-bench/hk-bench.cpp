// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hk-bench: the plans of a module side by side, checked and timed.
#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "report.h"

using namespace hk::tools;

namespace {

constexpr int64_t kMaxCount = 1000000000;

struct Options {
  std::string module, function, json, csv, device = "cuda";
  DeviceChoice deviceChoice;
  std::vector<std::string> params, plans;
  InputOptions inputs;
  Contract contract;
  VerifyOptions verify;
  Peaks peaks;
  std::optional<std::string> graph;
  std::optional<int64_t> threads, seed, warmup, rounds, calls, seeds, samples,
      repeatCheck;
  double peakBandwidth = 0, peakFlops = 0;
  bool allPlans = false, choose = false, check = false, dispatches = false,
       variants = false, randomNorm = false;
};

} // namespace

static void declareOptions(CLI::App &app, Options &options) {
  app.add_option("module", options.module, "the compiled module (.hkm)");
  app.add_option("--params", options.params,
                 "parameters, safetensors; once a shard (random without)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--input", options.inputs.files,
                 "inputs that are timed, in order, or NAME=FILE (random)")
      ->type_name("FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--function", options.function, "(the module's first)")
      ->type_name("NAME");
  app.add_option("--plan", options.plans,
                 "once a plan, by name or its last word (candidates and safe)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--all-plans", options.allPlans, "reference plans too");
  app.add_option("--device", options.device, "cpu, cuda, cuda:N or auto (cuda)")
      ->type_name("NAME");
  addChoice(app, "--graph", options.graph, {"auto", "on", "off"},
            "on a GPU: time graphs, direct launches, or both (auto)");
  addInteger(app, "--threads", options.threads, 1, 1024,
             "(HK_THREADS, or all cores)");
  addInteger(app, "--batch", options.inputs.batch, 0, kMaxCount,
             "batch of random inputs (1)");
  addInteger(app, "--seed", options.seed, 0, INT64_MAX,
             "seed of the timed inputs (101234); parameters have 1234");
  app.add_flag("--padding", options.inputs.padding,
               "random masks and lengths: a prefix, not full sequences");
  app.add_flag("--random-norm", options.randomNorm,
               "random parameters: gamma and beta too, not 1 and 0");
  addInteger(app, "--warmup", options.warmup, 0, kMaxCount,
             "calls before the times, each contender (20)");
  addInteger(app, "--rounds", options.rounds, 1, kMaxCount,
             "in which the contenders take turns (3)");
  addInteger(app, "--calls", options.calls, 1, kMaxCount,
             "timed calls of a contender in a round (100)");
  app.add_flag("--check", options.check,
               "against the reference plan and the fp64 oracle");
  addInteger(app, "--check-seeds", options.seeds, 1, kMaxCount,
             "fresh inputs to check, seeds from 1234 (5)");
  addInteger(app, "--check-samples", options.samples, 1, kMaxCount,
             "sequences for the oracle, each seed (4)");
  addNumber(app, "--atol", options.verify.check.gate.atol,
            "absolute error that passes (2e-3)");
  addNumber(app, "--rtol", options.verify.check.gate.rtol,
            "or error relative to the reference (2e-2)");
  addInteger(app, "--repeat-check", options.repeatCheck, 2, kMaxCount,
             "runs that must agree to the last bit");
  app.add_flag("--choose", options.choose,
               "on a GPU: also time what the runtime chooses, and tell why");
  app.add_flag("--dispatches", options.dispatches,
               "time each dispatch of each plan alone");
  app.add_flag("--variants", options.variants,
               "time each variant of each plan's kernels alone");
  addNumber(app, "--peak-bandwidth", options.peakBandwidth,
            "the memory's GB/s, for floors and shares (known GPUs: theirs)");
  addNumber(app, "--peak-flops", options.peakFlops,
            "the matrix units' TF/s (known GPUs: theirs)");
  app.add_option("--json", options.json, "the report as JSON; - is stdout")
      ->type_name("FILE");
  app.add_option("--csv", options.csv, "the times as CSV; - is stdout")
      ->type_name("FILE");
  app.set_version_flag("--version", std::string("hk-bench ") + hk_version());
  app.footer(
      "Examples:\n"
      "  hk-bench model.hkm --batch 64 --check --repeat-check 50\n"
      "  hk-bench model.hkm --batch 64 --choose --variants\n\n"
      "Exit codes: 0 done, 1 wrong input or failed check, 2 unsupported, "
      "3 environment, 4 internal error.");
}

static void resolveOptions(Options &options) {
  if (options.module.empty())
    userError("expects a module (.hkm), but got none; see --help");
  if (options.randomNorm && !options.params.empty())
    userError("expects --random-norm with random parameters, but got --params");
  if (options.allPlans && !options.plans.empty())
    userError("expects --plan or --all-plans, but got both");
  if (!options.json.empty() && options.json == options.csv)
    userError("expects --json and --csv in different places, but got '" +
              options.csv + "' for both");
  options.deviceChoice = parseDevice(options.device);
  options.inputs.seed = static_cast<uint64_t>(options.seed.value_or(101234));
  Contract &contract = options.contract;
  contract.warmup = options.warmup.value_or(contract.warmup);
  contract.rounds = options.rounds.value_or(contract.rounds);
  contract.calls = options.calls.value_or(contract.calls);
  options.verify.seeds = options.seeds.value_or(options.verify.seeds);
  CheckOptions &check = options.verify.check;
  check.samples = options.samples.value_or(check.samples);
  options.peaks.bytesPerSecond = options.peakBandwidth * 1e9;
  options.peaks.flopsPerSecond = options.peakFlops * 1e12;
}

/// Which ways of launching are timed.
static std::vector<bool> launches(const Options &options, bool onGpu) {
  std::string graph = options.graph.value_or("auto");
  if (!onGpu && graph == "on")
    userError("expects --graph auto or off on the CPU, but got '" + graph +
              "'");
  if (!onGpu || graph == "off")
    return {false};
  if (graph == "on")
    return {true};
  return {false, true};
}

static PlanReport describePlan(const ReadyPlan &plan, const ModuleFile &file,
                               const Function &function, int64_t batch) {
  PlanReport report;
  report.name = plan.name;
  report.isa = plan.isa;
  report.role = roleName(plan.role);
  report.rank = plan.rank;
  report.dispatches = plan.dispatches;
  report.packedBytes = plan.packedBytes;
  report.workspaceBytes = plan.session->workspaceSize();
  for (const DispatchCost &dispatch :
       file.costs(function, plan.name, plan.isa, batch))
    report.cost = report.cost + dispatch.cost;
  report.predicted = file.predicted(function, plan.name, batch);
  return report;
}

/// Sessions that choose a plan themselves, one for each way of launching.
using ChoosingSessions = std::vector<std::unique_ptr<Session>>;

static void timePlans(hk_context *context, PlanSet &set,
                      const std::vector<bool> &ways,
                      const ChoosingSessions &choosing,
                      const Contract &contract, BenchReport &report) {
  std::vector<Contender> contenders;
  for (size_t i = 0; i < set.plans.size(); ++i)
    for (bool graph : ways) {
      if (graph)
        set.plans[i].session->capture();
      contenders.push_back({set.plans[i].session.get(), graph});
      report.contenders.push_back({i, graph, false, {}, {}});
    }
  for (size_t i = 0; i < choosing.size(); ++i) {
    const std::string plan = choosing[i]->info().plan;
    for (size_t p = 0; p < report.plans.size(); ++p) {
      if (report.plans[p].name != plan)
        continue; // a reference plan, or one that was not asked for
      if (ways[i])
        choosing[i]->capture();
      contenders.push_back({choosing[i].get(), ways[i]});
      report.contenders.push_back({p, ways[i], true, {}, {}});
    }
  }
  std::vector<Timing> timings =
      measureByContract(context, contract, contenders);
  for (size_t i = 0; i < timings.size(); ++i)
    report.contenders[i].timing = timings[i];
}

/// The host's part of each call, on a GPU.
static void timeHost(hk_context *context, PlanSet &set, BenchReport &report) {
  for (ContenderReport &contender : report.contenders) {
    if (contender.chosen)
      continue;
    Session &session = *set.plans[contender.plan].session;
    session.replay(contender.graph);
    contender.host =
        measureHostTime(context, session, contender.timing.median,
                        [&] { session.enqueue(); });
  }
  for (size_t i = 0; i < set.plans.size(); ++i) {
    Session &session = *set.plans[i].session;
    double median = 0;
    for (const ContenderReport &contender : report.contenders)
      if (contender.plan == i)
        median = contender.timing.median;
    PlanReport &plan = report.plans[i];
    plan.runnerReplays = session.makeRunner();
    plan.runnerHost = measureHostTime(context, session, median,
                                      [&] { session.enqueueRunner(); });
  }
}

static BenchReport execute(const Options &options) {
  ModuleFile file(options.module);
  hk_module *module = file.module();
  Function function = findFunction(module, options.function);
  uint32_t threads = static_cast<uint32_t>(options.threads.value_or(0));
  Context context = createContext(threads, options.deviceChoice);
  hk_device_info device = {};
  hk_context_get_device(context.get(), &device);
  bool onGpu = device.kind == HK_DEVICE_CUDA;
  std::vector<bool> ways = launches(options, onGpu);
  Checkpoint checkpoint =
      options.params.empty()
          ? drawCheckpoint(module, options.verify.firstSeed, options.randomNorm)
          : openCheckpoint(options.params);
  const hk_params *params = checkpoint.params.get();
  PlanSet set =
      openPlans(context.get(), module, params, function, options.plans,
                options.allPlans ? PlanChoice::All : PlanChoice::Contenders,
                options.check);

  std::vector<Verdict> verdicts(set.plans.size());
  if (options.check) {
    Context cpu = createContext(threads); // the oracle's
    InputOptions fresh = options.inputs;
    fresh.files.clear();
    verifyPlans(cpu.get(), module, params, function, set, fresh, options.verify,
                verdicts);
    set.reference = nullptr;
    set.extra.reset(); // its memory
  }

  std::vector<Tensor> inputs = makeInputs(function.inputs, options.inputs);
  BenchReport report;
  report.module = options.module;
  report.function = function.info.name;
  report.device = device.name;
  report.threads = hk_context_num_workers(context.get());
  report.seed = options.inputs.seed;
  report.contract = options.contract;
  report.peaks = knownPeaks(device.name);
  if (options.peaks.bytesPerSecond > 0)
    report.peaks.bytesPerSecond = options.peaks.bytesPerSecond;
  if (options.peaks.flopsPerSecond > 0)
    report.peaks.flopsPerSecond = options.peaks.flopsPerSecond;
  report.batch = inputs.empty() || inputs[0].shape().empty()
                     ? options.inputs.batch.value_or(1)
                     : inputs[0].shape()[0];
  for (size_t i = 0; i < set.plans.size(); ++i) {
    ReadyPlan &plan = set.plans[i];
    plan.session->bind(function, inputs, report.batch);
    if (options.repeatCheck)
      verdicts[i].unequalRuns =
          countUnequalRuns(*plan.session, *options.repeatCheck);
    report.plans.push_back(describePlan(plan, file, function, report.batch));
    report.plans.back().verdict = verdicts[i];
  }
  ChoosingSessions choosing;
  for (size_t i = 0; options.choose && i < ways.size(); ++i) {
    choosing.push_back(std::make_unique<Session>(
        context.get(), module, params, function.info.name, ""));
    choosing[i]->bind(function, inputs, report.batch);
    choosing[i]->tune(ways[i] ? HK_LAUNCH_GRAPH : HK_LAUNCH_DIRECT);
    report.choice = mergeChoices(report.choice, choosing[i]->report());
  }
  timePlans(context.get(), set, ways, choosing, options.contract, report);
  choosing.clear(); // their memory
  if (onGpu)
    timeHost(context.get(), set, report);
  report.skipped = std::move(set.skipped);
  set.plans.clear(); // their memory
  if (options.dispatches)
    for (PlanReport &plan : report.plans)
      plan.times =
          timeDispatches(context.get(), file, params, function, plan.name,
                         plan.isa, inputs, report.batch, options.contract);
  if (options.variants)
    for (PlanReport &plan : report.plans) {
      plan.variants =
          timeVariants(context.get(), file, params, function, plan.name,
                       plan.isa, inputs, report.batch, options.contract);
      plan.refusals = file.refusals(plan.name);
    }
  return report;
}

static void writeFile(const std::string &path, const std::string &text) {
  if (path.empty())
    return;
  OutputFile file(path);
  file.write(text);
  file.commit();
}

static int run(int argc, char **argv) {
  CLI::App app{"Checks and times the plans of a compiled module.", "hk-bench"};
  Options options;
  declareOptions(app, options);
  if (!parseCommandLine(app, argc, argv))
    return ExitOk;
  resolveOptions(options);
  BenchReport report = execute(options);
  writeFile(options.json, reportToJson(report));
  writeFile(options.csv, reportToCsv(report));
  bool ownsStdout = options.json == "-" || options.csv == "-";
  printReport(report, ownsStdout ? stderr : stdout);
  return report.passed() ? ExitOk : ExitUserError;
}

int main(int argc, char **argv) {
  return runReportingErrors("hk-bench", run, argc, argv);
}
