# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The network family in NumPy, in float64, written from the formulas.

This is the independent reference of the end-to-end tests: it shares no code
with the compiler, the runtime or the module's own oracle. Arrays are
[B, S, D] unless said otherwise. Everything is computed in float64, without any
rounding in between.
"""
import math

import numpy as np

_erf = np.vectorize(math.erf, otypes=[np.float64])


def layer_norm(x, gamma=None, beta=None, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * gamma + beta over the last axis."""
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    y = (x - mean) / np.sqrt(variance + eps)
    if gamma is not None:
        y = y * gamma
    return y if beta is None else y + beta


def rms_norm(x, gamma=None, eps=1e-6):
    """x / sqrt(mean(x^2) + eps) * gamma over the last axis."""
    y = x / np.sqrt((x**2).mean(-1, keepdims=True) + eps)
    return y if gamma is None else y * gamma


def linear(x, weight, bias=None):
    """x W^T + b with W [out, in]."""
    y = x @ weight.T
    return y if bias is None else y + bias


def activation(kind, x):
    if kind == "gelu_erf":
        return 0.5 * x * (1 + _erf(x / math.sqrt(2)))
    if kind == "gelu_tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if kind == "relu":
        return np.where(np.isnan(x), x, np.maximum(x, 0))
    if kind == "silu":
        return x / (1 + np.exp(-x))
    raise ValueError(f"expects a known activation, but got {kind!r}")


def valid_of_lengths(lengths, seq):
    """[B, S] bool: the first `lengths[b]` tokens of each sequence."""
    return np.arange(seq)[None, :] < np.asarray(lengths)[:, None]


def attention(q, k, v, heads, kv_heads=None, causal=False, valid=None, scale=None):
    """softmax(scale * q k^T) v per head; head h reads key head h // group.

    Key j is visible to query i where it is valid and, if causal, j <= i. What a
    query does not see has no influence, even NaN; a query that sees no key
    gives zeros. `scale` is 1/sqrt(head_dim) by default.
    """
    batch, seq, width = q.shape
    kv_heads = kv_heads or heads
    head_dim = width // heads
    scale = 1 / math.sqrt(head_dim) if scale is None else scale
    visible = np.ones((batch, seq, seq), bool)
    if valid is not None:
        visible &= np.asarray(valid, bool)[:, None, :]
    if causal:
        visible &= np.tril(np.ones((seq, seq), bool))
    out = np.zeros_like(q)
    for head in range(heads):
        at = slice(head * head_dim, (head + 1) * head_dim)
        kv = head // (heads // kv_heads)
        kv_at = slice(kv * head_dim, (kv + 1) * head_dim)
        scores = scale * (q[:, :, at] @ k[:, :, kv_at].transpose(0, 2, 1))
        scores = np.where(visible, scores, -np.inf)
        top = scores.max(-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isneginf(top), 0, top))
        total = weights.sum(-1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
        values = v[:, :, kv_at]
        # 0 * NaN is NaN: leave non-finite values out, then put them back where
        # a query sees them.
        broken = ~np.isfinite(values)
        mixed = weights @ np.where(broken, 0, values)
        if broken.any():
            seen = visible.astype(np.float64) @ broken.astype(np.float64) > 0
            mixed = np.where(seen, np.nan, mixed)
        out[:, :, at] = mixed
    return out


def mask_rows(x, valid):
    """Zeros where a token is not valid, even over NaN."""
    return np.where(np.asarray(valid, bool)[:, :, None], x, 0.0)


class Network:
    """The network of hk-model, by the options of the same names.

    kv_heads and ffn default to heads and dim. `batch` is None where dynamic.
    """

    DEFAULTS = dict(
        batch=None, seq=128, dim=128, heads=4, kv_heads=None, ffn=None, layers=4,
        norm="layer_norm", activation="gelu_erf", gated=False, mask="key_mask",
        mask_rows=True, causal=True, bias=True, dtype="f32",
    )

    def __init__(self, **options):
        unknown = set(options) - set(self.DEFAULTS)
        if unknown:
            raise ValueError(f"expects known options, but got {sorted(unknown)}")
        self.__dict__.update({**self.DEFAULTS, **options})
        self.kv_heads = self.kv_heads or self.heads
        self.ffn = self.ffn or self.dim

    def arguments(self):
        """The command line that makes hk-model write this network."""
        words = ["--batch", "dynamic" if self.batch is None else str(self.batch)]
        for name in ("seq", "dim", "heads", "kv_heads", "ffn", "layers", "norm",
                     "activation", "mask", "dtype"):
            words += ["--" + name.replace("_", "-"), str(getattr(self, name))]
        words += ["--gated"] if self.gated else []
        words += ["--no-mask-rows"] if not self.mask_rows and self.mask != "none" else []
        words += ["--causal"] if self.causal else ["--no-causal"]
        words += ["--bias"] if self.bias else ["--no-bias"]
        return words

    def parameter_shapes(self):
        """A dict from key to shape, in the order of the formulas."""
        kv_dim = self.dim // self.heads * self.kv_heads
        shapes = {}

        def norm(key):
            shapes[key + ".weight"] = (self.dim,)
            if self.bias and self.norm == "layer_norm":
                shapes[key + ".bias"] = (self.dim,)

        def linear_(key, out, size):
            shapes[key + ".weight"] = (out, size)
            if self.bias:
                shapes[key + ".bias"] = (out,)

        for layer in range(self.layers):
            key = f"layers.{layer}."
            norm(key + "n1")
            linear_(key + "att.q", self.dim, self.dim)
            linear_(key + "att.k", kv_dim, self.dim)
            linear_(key + "att.v", kv_dim, self.dim)
            linear_(key + "att.o", self.dim, self.dim)
            norm(key + "n2")
            if self.gated:
                linear_(key + "fg", self.ffn, self.dim)
            linear_(key + "fi", self.ffn, self.dim)
            linear_(key + "fo", self.dim, self.ffn)
        norm("norm")
        return shapes

    def forward(self, x, parameters, mask=None):
        """y [B, S, D] in float64.

        x [B, S, D] and the parameters may be of any float type; `mask` is valid
        [B, S] bool, or lengths [B] int, as `self.mask` says.
        """
        x = np.asarray(x, np.float64)
        p = {key: np.asarray(value, np.float64) for key, value in parameters.items()}
        valid = None
        if self.mask == "key_mask":
            valid = np.asarray(mask, bool)
        elif self.mask == "lengths":
            valid = valid_of_lengths(mask, self.seq)

        def norm(key, h):
            if self.norm == "layer_norm":
                return layer_norm(h, p[key + ".weight"], p.get(key + ".bias"))
            return rms_norm(h, p[key + ".weight"])

        def linear_(key, h):
            return linear(h, p[key + ".weight"], p.get(key + ".bias"))

        def mask_(h):
            return h if valid is None or not self.mask_rows else mask_rows(h, valid)

        with np.errstate(invalid="ignore", over="ignore"):
            for layer in range(self.layers):
                key = f"layers.{layer}."
                h = norm(key + "n1", x)
                q, k, v = (linear_(key + "att." + name, h) for name in "qkv")
                c = attention(q, k, v, self.heads, self.kv_heads, self.causal, valid)
                x = x + mask_(linear_(key + "att.o", c))
                h = norm(key + "n2", x)
                if self.gated:
                    gate = activation(self.activation, linear_(key + "fg", h))
                    hidden = gate * linear_(key + "fi", h)
                else:
                    hidden = activation(self.activation, linear_(key + "fi", h))
                x = mask_(x + linear_(key + "fo", hidden))
            return mask_(norm("norm", x))
