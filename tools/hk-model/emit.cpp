// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit.h"

using namespace hk::tools;

namespace {

/// A value of the function: its name, and the alias of its type.
struct Value {
  std::string name, type;
};

class Emitter {
public:
  explicit Emitter(const Network &network) : network(network) {}

  Emission emit() {
    Value x{"%x", activationType("!x", network.dim)};
    std::string arguments = argument(x);
    if (network.mask == Network::Mask::KeyMask)
      mask = {"%valid", alias("!m", "tensor<" + batch() + "x" +
                                        std::to_string(network.seq) + "xi1>")};
    if (network.mask == Network::Mask::Lengths)
      mask = {"%len", alias("!n", "tensor<" + batch() + "xi32>")};
    if (hasMask())
      arguments += ", " + argument(mask);

    Value y = x;
    for (layer = 0; layer < network.layers; ++layer)
      y = emitLayer(y);
    body += "\n";
    prefix = "";
    y = maskRows(emitNorm("y", "norm", y));
    line("return " + y.name + " : " + y.type);

    std::string text = "// SPDX-License-Identifier: Apache-2.0 WITH "
                       "LLVM-exception\n" +
                       describe() + aliases + "\nfunc.func @forward(" +
                       arguments + ") -> (" + x.type + " {hk.name = \"y\"}) {" +
                       body + "}\n";
    return {std::move(text), std::move(parameters)};
  }

private:
  /// The name of an input is kept in the module as `hk.name`.
  static std::string argument(const Value &value) {
    return value.name + ": " + value.type + " {hk.name = \"" +
           value.name.substr(1) + "\"}";
  }

  Value emitLayer(const Value &x) {
    body += "\n";
    line("// Layer " + std::to_string(layer));
    prefix = "l" + std::to_string(layer) + "_";
    std::string key = "layers." + std::to_string(layer) + ".";
    int64_t dim = network.dim, kvDim = network.kvDim(), ffn = network.ffn;

    Value h = emitNorm("n1", key + "n1", x);
    Value q = emitLinear("q", key + "att.q", h, dim, dim);
    Value k = emitLinear("k", key + "att.k", h, dim, kvDim);
    Value v = emitLinear("v", key + "att.v", h, dim, kvDim);
    Value c = emitAttention(q, k, v);
    Value o = emitLinear("o", key + "att.o", c, dim, dim);
    Value r = emitBinary("r", "hk.add", x, maskRows(o));

    Value h2 = emitNorm("n2", key + "n2", r);
    Value hidden;
    if (network.gated) {
      Value gate = emitLinear("fg", key + "fg", h2, dim, ffn);
      Value act = emitActivation(gate);
      Value up = emitLinear("fi", key + "fi", h2, dim, ffn);
      hidden = emitBinary("u", "hk.mul", act, up);
    } else {
      hidden = emitActivation(emitLinear("fi", key + "fi", h2, dim, ffn));
    }
    Value out = emitLinear("fo", key + "fo", hidden, ffn, dim);
    return maskRows(emitBinary("x", "hk.add", r, out));
  }

  Value emitNorm(const std::string &name, const std::string &key,
                 const Value &x) {
    bool isLayerNorm = network.norm == "layer_norm";
    std::vector<Value> operands = {
        x, parameter(name + "_g", key + ".weight", {network.dim})};
    if (isLayerNorm && network.bias)
      operands.push_back(parameter(name + "_b", key + ".bias", {network.dim}));
    const char *attributes =
        isLayerNorm ? "{eps = 1.0e-5 : f64}" : "{eps = 1.0e-6 : f64}";
    return op(name, "hk." + network.norm, operands, attributes, x.type);
  }

  Value emitLinear(const std::string &name, const std::string &key,
                   const Value &x, int64_t in, int64_t out) {
    std::vector<Value> operands = {
        x, parameter(name + "_w", key + ".weight", {out, in})};
    if (network.bias)
      operands.push_back(parameter(name + "_b", key + ".bias", {out}));
    std::string wanted = out == network.dim       ? "!x"
                         : out == network.kvDim() ? "!kv"
                                                  : "!f";
    return op(name, "hk.linear", operands, "", activationType(wanted, out));
  }

  Value emitAttention(const Value &q, const Value &k, const Value &v) {
    std::string attributes =
        "{num_heads = " + std::to_string(network.heads) + " : i32";
    if (network.kvHeads != network.heads)
      attributes +=
          ", num_kv_heads = " + std::to_string(network.kvHeads) + " : i32";
    attributes += network.causal ? ", causal}" : "}";
    std::vector<Value> operands = {q, k, v};
    std::string types = q.type + ", " + k.type + ", " + v.type;
    if (hasMask())
      types += ", " + mask.type;
    Value c{"%" + prefix + "c", q.type};
    line(c.name + " = hk.attention " + q.name + ", " + k.name + ", " + v.name +
         maskClause() + " " + attributes + " : " + types);
    return c;
  }

  Value emitActivation(const Value &x) {
    Value a{"%" + prefix + "a", x.type};
    line(a.name + " = hk.activation " + network.activation + " " + x.name +
         " : " + x.type);
    return a;
  }

  Value emitBinary(const std::string &name, const std::string &opName,
                   const Value &a, const Value &b) {
    return op(name, opName, {a, b}, "", a.type);
  }

  Value maskRows(const Value &x) {
    if (!hasMask() || !network.maskRows)
      return x;
    Value y{x.name + "m", x.type};
    line(y.name + " = hk.mask_rows " + x.name + maskClause() + " : " + x.type +
         ", " + mask.type);
    return y;
  }

  Value parameter(const std::string &name, const std::string &key,
                  const std::vector<int64_t> &shape) {
    parameters.push_back({key, network.type, shape});
    bool isVector = shape.size() == 1;
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    text += std::string(nameOf(network.type)) + ">";
    Value value{"%" + prefix + name, alias(isVector ? "!v" : "!w", text)};
    line(value.name + " = hk.param \"" + key + "\" : " + value.type);
    return value;
  }

  Value op(const std::string &name, const std::string &opName,
           const std::vector<Value> &operands, const std::string &attributes,
           const std::string &resultType) {
    Value result{"%" + prefix + name, resultType};
    std::string names, types;
    for (const Value &operand : operands) {
      names += (names.empty() ? " " : ", ") + operand.name;
      types += (types.empty() ? "" : ", ") + operand.type;
    }
    line(result.name + " = " + opName + names +
         (attributes.empty() ? "" : " " + attributes) + " : " + types);
    return result;
  }

  std::string batch() const {
    return network.batch == kDynamicBatch ? "?" : std::to_string(network.batch);
  }
  bool hasMask() const { return network.mask != Network::Mask::None; }
  std::string maskClause() const {
    if (!hasMask())
      return "";
    return (network.mask == Network::Mask::KeyMask ? " key_mask("
                                                   : " lengths(") +
           mask.name + ")";
  }

  std::string activationType(const std::string &name, int64_t width) {
    return alias(name, "tensor<" + batch() + "x" + std::to_string(network.seq) +
                           "x" + std::to_string(width) + "x" +
                           nameOf(network.type) + ">");
  }

  /// The alias of a type. A type met first gets the wanted name, or that name
  /// with a number where it already stands for another type.
  std::string alias(const std::string &wanted, const std::string &type) {
    for (const Value &known : knownAliases)
      if (known.type == type)
        return known.name;
    std::string name = wanted;
    for (int number = 2; isTaken(name); ++number)
      name = wanted + std::to_string(number);
    knownAliases.push_back({name, type});
    aliases += name + " = " + type + "\n";
    return name;
  }
  bool isTaken(const std::string &name) const {
    for (const Value &known : knownAliases)
      if (known.name == name)
        return true;
    return false;
  }

  void line(const std::string &text) { body += "  " + text + "\n"; }

  std::string describe() const {
    std::string text = "// A pre-norm Transformer, written by hk-model: ";
    text += "B = " + batch() + ", S = " + std::to_string(network.seq) +
            ", D = " + std::to_string(network.dim) +
            ", heads = " + std::to_string(network.heads);
    if (network.kvHeads != network.heads)
      text += " (" + std::to_string(network.kvHeads) + " of keys and values)";
    return text + ",\n// FFN = " + std::to_string(network.ffn) +
           (network.gated ? " (gated)" : "") +
           ", layers = " + std::to_string(network.layers) + ".\n";
  }

  const Network &network;
  int64_t layer = 0;
  Value mask;
  std::string prefix, body, aliases;
  std::vector<Value> knownAliases;
  std::vector<Parameter> parameters;
};

} // namespace

Emission hk::tools::emitNetwork(const Network &network) {
  return Emitter(network).emit();
}
