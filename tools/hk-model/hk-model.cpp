// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hk-model: writes a Transformer as .mlir, and random parameters for it.
#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/safetensors_writer.h"
#include "emit.h"
#include "network.h"

#include <cstdio>
#include <optional>

using namespace hk::tools;

namespace {

constexpr int64_t kMaxSize = int64_t{1} << 24;

struct Options {
  std::optional<std::string> batch;
  std::optional<int64_t> seq, dim, heads, kvHeads, ffn, layers, shape, seed;
  std::optional<std::string> norm, activation, mask, dtype;
  std::optional<bool> causal, bias, maskRows;
  bool gated = false, listShapes = false, randomNorm = false;
  std::string output = "-", params;
};

} // namespace

static void declareOptions(CLI::App &app, Options &options) {
  app.add_option("-o,--output", options.output, "the .mlir (default: stdout)")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--batch",
         [&options](const std::string &text) {
           if (text != "dynamic")
             parseInteger("--batch", text, 1, kMaxSize);
           options.batch = text;
         },
         "B: a number, or dynamic (default)")
      ->type_name("B");
  addInteger(app, "--seq", options.seq, 1, kMaxSize, "S (128)");
  addInteger(app, "--dim", options.dim, 1, kMaxSize, "D (128)");
  addInteger(app, "--heads", options.heads, 1, kMaxSize, "query heads (4)");
  addInteger(app, "--kv-heads", options.kvHeads, 1, kMaxSize,
             "key and value heads (as many as query heads)");
  addInteger(app, "--ffn", options.ffn, 1, kMaxSize, "FFN width (D)");
  addInteger(app, "--layers", options.layers, 1, 4096, "layers (4)");
  addChoice(app, "--norm", options.norm, {"layer_norm", "rms_norm"}, "norm");
  addChoice(app, "--activation", options.activation,
            {"gelu_erf", "gelu_tanh", "relu", "silu"}, "activation");
  app.add_flag("--gated", options.gated, "FFN is fo(act(fg(x)) * fi(x))");
  addChoice(app, "--mask", options.mask, {"key_mask", "lengths", "none"},
            "mask");
  addSwitch(app, "mask-rows", options.maskRows,
            "zero the rows of invalid tokens (on)");
  addSwitch(app, "causal", options.causal, "causal attention (on)");
  addSwitch(app, "bias", options.bias, "biases of linears and norms (on)");
  addChoice(app, "--dtype", options.dtype, {"f32", "f16", "bf16"},
            "activations and parameters");
  addInteger(app, "--shape", options.shape, 1, 13,
             "start from a row of the benchmark; other options change it");
  app.add_flag("--list-shapes", options.listShapes, "print these rows");
  app.add_option("--params", options.params,
                 "also write random parameters, as safetensors")
      ->type_name("FILE");
  addInteger(app, "--seed", options.seed, 0, INT64_MAX,
             "seed of the parameters (1234)");
  app.add_flag("--random-norm", options.randomNorm,
               "random gamma and beta, not 1 and 0");
}

static void listShapes() {
  std::printf(" shape  batch   seq   dim  heads   ffn  layers\n");
  for (const BenchmarkShape &s : benchmarkShapes())
    std::printf("%6d %6d %5d %5d %6d %5d %7d\n", static_cast<int>(s.id),
                static_cast<int>(s.batch), static_cast<int>(s.seq),
                static_cast<int>(s.dim), static_cast<int>(s.heads),
                static_cast<int>(s.ffn), static_cast<int>(s.layers));
}

static ElementType elementTypeOf(const std::string &name) {
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    if (name == nameOf(type))
      return type;
  return ElementType::F32;
}

static Network networkOf(const Options &options) {
  Network network;
  if (options.shape) {
    const BenchmarkShape &row = benchmarkShapes().at(*options.shape - 1);
    network.batch = row.batch;
    network.seq = row.seq;
    network.dim = row.dim;
    network.heads = row.heads;
    network.layers = row.layers;
  }
  if (options.batch)
    network.batch = *options.batch == "dynamic" ? kDynamicBatch
                                                : std::stoll(*options.batch);
  network.seq = options.seq.value_or(network.seq);
  network.dim = options.dim.value_or(network.dim);
  network.heads = options.heads.value_or(network.heads);
  network.kvHeads = options.kvHeads.value_or(network.heads);
  network.ffn = options.ffn.value_or(network.dim);
  network.layers = options.layers.value_or(network.layers);
  network.norm = options.norm.value_or(network.norm);
  network.activation = options.activation.value_or(network.activation);
  network.gated = options.gated;
  std::string mask = options.mask.value_or("key_mask");
  network.mask = mask == "none"      ? Network::Mask::None
                 : mask == "lengths" ? Network::Mask::Lengths
                                     : Network::Mask::KeyMask;
  if (network.mask == Network::Mask::None && options.maskRows.value_or(false))
    userError("expects --mask-rows with a mask, but got --mask none");
  network.maskRows = options.maskRows.value_or(true);
  network.causal = options.causal.value_or(true);
  network.bias = options.bias.value_or(true);
  network.type = elementTypeOf(options.dtype.value_or("f32"));
  validate(network);
  return network;
}

static int run(int argc, char **argv) {
  CLI::App app{"Writes a pre-norm Transformer in the hk dialect.", "hk-model"};
  Options options;
  declareOptions(app, options);
  if (!parseCommandLine(app, argc, argv))
    return ExitOk;
  if (options.listShapes) {
    listShapes();
    return ExitOk;
  }
  if (options.params.empty() && (options.seed || options.randomNorm))
    userError("expects --seed and --random-norm with --params, but got no "
              "--params");
  if (options.params == "-")
    userError("expects --params to be a file, but got stdout");
  Network network = networkOf(options);
  Emission emission = emitNetwork(network);
  if (!options.params.empty()) {
    ParameterInitialiser initialiser(
        emission.parameters, static_cast<uint64_t>(options.seed.value_or(1234)),
        options.randomNorm);
    writeSafetensors(options.params, emission.parameters,
                     [&](const Parameter &parameter) {
                       return initialiser.make(parameter);
                     });
  }
  OutputFile output(options.output);
  output.write(emission.mlir);
  output.commit();
  return ExitOk;
}

int main(int argc, char **argv) {
  return runReportingErrors("hk-model", run, argc, argv);
}
