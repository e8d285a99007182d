# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of a few operations: their text in the hk dialect, and their result in
NumPy in float64, from one description.

    n = SmallNetwork(seq=7)
    x = n.input("x", 40)
    n.output(n.add(x, n.linear(n.layer_norm(x), 40)))
    n.text()
    n.evaluate({"x": array})     # with n.draw_parameters(seed)
"""
import dataclasses
from typing import Callable

import numpy as np
import reference


@dataclasses.dataclass(frozen=True)
class Value:
    """An SSA value: its type, and what it is in terms of the inputs."""

    name: str
    type: str
    width: int
    compute: Callable  # from (inputs, parameters) to an array, cached by name


class SmallNetwork:
    def __init__(self, seq, dtype="f32", batch=None):
        """`batch`: the one that the network is for, or None: any."""
        self.seq, self.dtype, self.batch = seq, dtype, batch or "?"
        self.lines, self.arguments, self.shapes, self.result = [], [], {}, None
        self.masks = {}
        self.values = 0

    # Inputs.

    def activation_type(self, width):
        return f"tensor<{self.batch}x{self.seq}x{width}x{self.dtype}>"

    def argument(self, name, type_, width):
        value = Value("%" + name, type_, width, lambda inputs, parameters, cache: inputs[name])
        self.arguments.append((name, value))
        return value

    def input(self, name, width):
        return self.argument(name, self.activation_type(width), width)

    def key_mask(self, name="valid"):
        self.masks[name] = "key_mask"
        return self.argument(name, f"tensor<{self.batch}x{self.seq}xi1>", 0)

    def lengths(self, name="len"):
        self.masks[name] = "lengths"
        return self.argument(name, f"tensor<{self.batch}xi32>", 0)

    # Operations.

    def emit(self, text, operands, width, function):
        """`text` is what follows the '=', up to the types."""
        self.values += 1
        name = f"%v{self.values}"
        types = ", ".join(value.type for value in operands)
        self.lines.append(f"  {name} = {text} : {types}")

        def compute(inputs, parameters, cache):
            if name not in cache:
                cache[name] = function(*(value.compute(inputs, parameters, cache) for value in operands))
            return cache[name]

        return Value(name, self.activation_type(width), width, compute)

    def parameter(self, key, shape):
        self.shapes[key] = shape
        dims = "x".join(map(str, shape))
        name = "%" + key.replace(".", "_")
        type_ = f"tensor<{dims}x{self.dtype}>"
        self.lines.append(f'  {name} = hk.param "{key}" : {type_}')
        return Value(name, type_, 0, lambda inputs, parameters, cache: parameters[key])

    def new_key(self, kind):
        return f"{kind}{len(self.shapes)}"

    def linear(self, x, features, bias=True):
        key = self.new_key("linear")
        operands = [x, self.parameter(key + ".weight", (features, x.width))]
        if bias:
            operands.append(self.parameter(key + ".bias", (features,)))
        return self.emit("hk.linear " + names(operands), operands, features, reference.linear)

    def layer_norm(self, x, affine=True):
        operands = [x]
        if affine:
            key = self.new_key("norm")
            operands += [self.parameter(f"{key}.{part}", (x.width,)) for part in ("weight", "bias")]
        return self.emit("hk.layer_norm " + names(operands) + " {eps = 1.0e-5 : f64}", operands, x.width,
                         reference.layer_norm)

    def rms_norm(self, x):
        operands = [x, self.parameter(self.new_key("norm") + ".weight", (x.width,))]
        return self.emit("hk.rms_norm " + names(operands) + " {eps = 1.0e-6 : f64}", operands, x.width,
                         reference.rms_norm)

    def activation(self, kind, x):
        return self.emit(f"hk.activation {kind} {x.name}", [x], x.width,
                         lambda value: reference.activation(kind, value))

    def add(self, a, b):
        return self.emit("hk.add " + names([a, b]), [a, b], a.width, np.add)

    def mul(self, a, b):
        return self.emit("hk.mul " + names([a, b]), [a, b], a.width, np.multiply)

    def valid_of(self, mask):
        """From the mask's input to [B, S] bool."""
        if self.masks[mask.name[1:]] == "lengths":
            return lambda value: reference.valid_of_lengths(value, self.seq)
        return lambda value: np.asarray(value, bool)

    def mask_words(self, mask):
        return f"{self.masks[mask.name[1:]]}({mask.name})"

    def mask_rows(self, x, mask):
        valid = self.valid_of(mask)
        return self.emit(f"hk.mask_rows {x.name} {self.mask_words(mask)}", [x, mask], x.width,
                         lambda value, given: reference.mask_rows(value, valid(given)))

    def attention(self, q, k, v, heads, kv_heads=None, causal=True, mask=None, sharp=1):
        """`sharp`: times the usual scale."""
        operands = [q, k, v] + ([mask] if mask else [])
        attributes = f"num_heads = {heads} : i32"
        attributes += f", num_kv_heads = {kv_heads} : i32" if kv_heads else ""
        attributes += ", causal" if causal else ""
        attributes += f", scale = {sharp * (q.width // heads) ** -0.5!r} : f64" if sharp != 1 else ""
        words = " " + self.mask_words(mask) if mask else ""
        valid = self.valid_of(mask) if mask else None

        def function(q, k, v, given=None):
            return reference.attention(q * sharp, k, v, heads, kv_heads, causal, valid(given) if mask else None)

        return self.emit(f"hk.attention {names([q, k, v])}{words} {{{attributes}}}", operands, q.width, function)

    def output(self, value):
        self.result = value

    # What it is for.

    def text(self):
        arguments = ", ".join(f'%{name}: {value.type} {{hk.name = "{name}"}}' for name, value in self.arguments)
        return "\n".join([f"func.func @forward({arguments}) -> {self.result.type} {{", *self.lines,
                          f"  return {self.result.name} : {self.result.type}", "}", ""])

    def draw_parameters(self, rng):
        """Weights as PyTorch draws them; gamma and beta too, so that a wrong fold shows."""
        parameters = {}
        for key, shape in self.shapes.items():
            weight = self.shapes[key.rsplit(".", 1)[0] + ".weight"]
            low, high = (0.5, 1.5) if key.endswith("weight") else (-0.5, 0.5)
            if len(weight) == 2:
                high = weight[1] ** -0.5
                low = -high
            parameters[key] = rng.uniform(low, high, shape).astype({"f32": np.float32, "f16": np.float16}[self.dtype])
        return parameters

    def evaluate(self, inputs, parameters):
        """The output in float64; inputs by name, activations of any float type."""
        inputs = {name: value if name in self.masks else np.asarray(value, np.float64)
                  for name, value in inputs.items()}
        parameters = {key: np.asarray(value, np.float64) for key, value in parameters.items()}
        with np.errstate(invalid="ignore", over="ignore"):
            return self.result.compute(inputs, parameters, {})


def names(values):
    return ", ".join(value.name for value in values)
