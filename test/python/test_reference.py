# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference against values computed by hand, and against plain loops."""
import math
import os
import tempfile
import unittest

import numpy as np

import reference as ref
import safetensors_file


def close(test, actual, expected, tolerance=1e-14):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


class Norms(unittest.TestCase):
    def test_layer_norm(self):
        # mean 2.5, variance 1.25
        y = ref.layer_norm(np.array([1.0, 2, 3, 4]), eps=0)
        close(self, y, np.array([-1.5, -0.5, 0.5, 1.5]) / math.sqrt(1.25))

    def test_layer_norm_eps_gamma_beta(self):
        # mean 1, variance 1, eps 3: divide by 2
        y = ref.layer_norm(np.array([0.0, 2]), np.array([4.0, 6]), np.array([1.0, -1]), 3)
        close(self, y, [-1.0, 2.0])

    def test_rms_norm(self):
        # mean of squares (9 + 16) / 2 = 12.5
        close(self, ref.rms_norm(np.array([3.0, 4]), eps=0), np.array([3, 4]) / math.sqrt(12.5))

    def test_rms_norm_eps_gamma(self):
        # mean of squares 1, eps 3: divide by 2
        close(self, ref.rms_norm(np.array([1.0, -1]), np.array([2.0, 4]), 3), [1.0, -2.0])


class Activations(unittest.TestCase):
    def test_values_at_one(self):
        for kind, expected in [("gelu_erf", 0.8413447460685429),
                               ("gelu_tanh", 0.8411919906082768),
                               ("silu", 0.7310585786300049), ("relu", 1.0)]:
            close(self, ref.activation(kind, np.array([1.0, 0.0])), [expected, 0.0], 1e-15)

    def test_values_at_minus_two(self):
        for kind, expected in [("gelu_erf", -0.04550026389635842),
                               ("silu", -0.23840584404423515), ("relu", 0.0)]:
            close(self, ref.activation(kind, np.array([-2.0])), [expected], 1e-15)

    def test_unknown(self):
        with self.assertRaisesRegex(ValueError, "known activation"):
            ref.activation("selu", np.zeros(1))


class Linear(unittest.TestCase):
    def test_weight_is_out_in(self):
        y = ref.linear(np.array([[1.0, 2]]), np.array([[1.0, 0], [0, 1], [1, 1]]),
                       np.array([0.0, 0, 10]))
        close(self, y, [[1, 2, 13]])


def one_head(values):
    return np.array(values, np.float64).reshape(1, len(values), -1)


class Attention(unittest.TestCase):
    # With one head of width 1 and scale 1, query log(3) weighs keys 0 and 1 as 1:3.
    q = one_head([0.0, math.log(3)])
    k = one_head([0.0, 1.0])
    v = one_head([4.0, 8.0])

    def test_full(self):
        close(self, ref.attention(self.q, self.k, self.v, 1)[0, :, 0], [6.0, 7.0])

    def test_causal(self):
        y = ref.attention(self.q, self.k, self.v, 1, causal=True)
        close(self, y[0, :, 0], [4.0, 7.0])

    def test_key_mask(self):
        y = ref.attention(self.q, self.k, self.v, 1, valid=[[False, True]])
        close(self, y[0, :, 0], [8.0, 8.0])

    def test_no_visible_key_gives_zeros(self):
        y = ref.attention(self.q, self.k, self.v, 1, causal=True, valid=[[False, True]])
        close(self, y[0, :, 0], [0.0, 8.0])

    def test_default_scale(self):
        # Width 4: scale 1/2. Query 0 . key 1 = 4 * log(9) / 4, halved: log(3).
        q, k = np.zeros((1, 2, 4)), np.zeros((1, 2, 4))
        q[0, 0] = math.log(9) / 4
        k[0, 1] = 1
        v = np.array([[[4.0] * 4, [8.0] * 4]])
        close(self, ref.attention(q, k, v, 1)[0, 0], [7.0] * 4)

    def test_nan_in_masked_key(self):
        k, v = self.k.copy(), self.v.copy()
        k[0, 0] = v[0, 0] = np.nan
        y = ref.attention(self.q, k, v, 1, valid=[[False, True]])
        close(self, y[0, :, 0], [8.0, 8.0])

    def test_nan_after_the_query(self):
        k, v = self.k.copy(), self.v.copy()
        k[0, 1] = v[0, 1] = np.nan
        y = ref.attention(self.q, k, v, 1, causal=True)
        self.assertEqual(y[0, 0, 0], 4.0)
        self.assertTrue(np.isnan(y[0, 1, 0]))

    def test_nan_in_visible_value(self):
        v = self.v.copy()
        v[0, 1] = np.nan
        self.assertTrue(np.isnan(ref.attention(self.q, self.k, v, 1)).all())

    def test_grouped_queries(self):
        # Four query heads of width 1 on two key heads: 0, 0, 1, 1.
        q = np.zeros((1, 1, 4))
        k = np.zeros((1, 1, 2))
        v = np.array([[[5.0, 7.0]]])
        close(self, ref.attention(q, k, v, 4, 2)[0, 0], [5, 5, 7, 7])

    def test_lengths(self):
        np.testing.assert_array_equal(
            ref.valid_of_lengths([0, 2, 3], 3),
            [[False] * 3, [True, True, False], [True] * 3])


class MaskRows(unittest.TestCase):
    def test_zeros_over_nan(self):
        x = np.array([[[1.0, 2], [np.nan, np.inf]]])
        np.testing.assert_array_equal(ref.mask_rows(x, [[True, False]]), [[[1, 2], [0, 0]]])


def naive_forward(network, x, p, valid):
    """The same network as loops over numbers, for tiny sizes."""
    def norm(key, row):
        mean = sum(row) / len(row) if network.norm == "layer_norm" else 0.0
        eps = 1e-5 if network.norm == "layer_norm" else 1e-6
        power = sum((value - mean) ** 2 for value in row) / len(row)
        beta = p.get(key + ".bias", np.zeros(len(row)))
        return [(value - mean) / math.sqrt(power + eps) * gamma + b
                for value, gamma, b in zip(row, p[key + ".weight"], beta)]

    def linear(key, row):
        weight = p[key + ".weight"]
        bias = p.get(key + ".bias", np.zeros(len(weight)))
        return [sum(w * value for w, value in zip(ws, row)) + b for ws, b in zip(weight, bias)]

    def act(value):
        if network.activation == "silu":
            return value / (1 + math.exp(-value))
        return 0.5 * value * math.erfc(-value / math.sqrt(2))

    def masked(row, b, i):
        return row if valid[b][i] or not network.mask_rows else [0.0] * len(row)

    head_dim = network.dim // network.heads
    group = network.heads // network.kv_heads
    out = np.zeros(x.shape)
    for b in range(len(x)):
        rows = [list(row) for row in x[b]]
        for layer in range(network.layers):
            key = f"layers.{layer}."
            h = [norm(key + "n1", row) for row in rows]
            q = [linear(key + "att.q", row) for row in h]
            k = [linear(key + "att.k", row) for row in h]
            v = [linear(key + "att.v", row) for row in h]
            for i in range(len(rows)):
                context = []
                for head in range(network.heads):
                    sees = [j for j in range(len(rows))
                            if valid[b][j] and (j <= i or not network.causal)]
                    first = head // group * head_dim
                    scores = [sum(q[i][head * head_dim + d] * k[j][first + d]
                                  for d in range(head_dim)) / math.sqrt(head_dim) for j in sees]
                    total = sum(math.exp(s) for s in scores)
                    context += [sum(math.exp(s) / total * v[j][first + d]
                                    for s, j in zip(scores, sees)) for d in range(head_dim)]
                o = masked(linear(key + "att.o", context), b, i)
                rows[i] = [a + c for a, c in zip(rows[i], o)]
                h2 = norm(key + "n2", rows[i])
                hidden = linear(key + "fi", h2)
                if network.gated:
                    hidden = [act(g) * u for g, u in zip(linear(key + "fg", h2), hidden)]
                else:
                    hidden = [act(u) for u in hidden]
                f = linear(key + "fo", hidden)
                rows[i] = masked([a + c for a, c in zip(rows[i], f)], b, i)
        for i in range(len(rows)):
            out[b, i] = masked(norm("norm", rows[i]), b, i)
    return out


class Forward(unittest.TestCase):
    def compare(self, valid, **options):
        network = ref.Network(seq=5, dim=8, layers=2, ffn=6, **options)
        rng = np.random.default_rng(1)
        p = {key: rng.normal(size=shape) for key, shape in network.parameter_shapes().items()}
        x = rng.normal(size=(2, 5, 8))
        mask = np.sum(valid, 1) if network.mask == "lengths" else valid
        close(self, network.forward(x, p, mask), naive_forward(network, x, p, valid), 1e-12)

    def test_plain(self):
        self.compare([[True] * 5] * 2, heads=2)

    def test_padding(self):
        self.compare([[True] * 3 + [False] * 2, [False, True, False, True, True]], heads=4)

    def test_left_padding_without_mask_rows(self):
        self.compare([[False] * 2 + [True] * 3, [False] * 5], heads=2, mask_rows=False)

    def test_lengths_grouped_gated(self):
        self.compare([[True] * 4 + [False], [False] * 5], heads=4, kv_heads=2, gated=True,
                     mask="lengths", norm="rms_norm", activation="silu", bias=False)

    def test_not_causal(self):
        self.compare([[True] * 5, [True] * 2 + [False] * 3], heads=2, causal=False)

    def test_unknown_option(self):
        with self.assertRaisesRegex(ValueError, "known options"):
            ref.Network(depth=3)


class Safetensors(unittest.TestCase):
    def test_round_trip(self):
        tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3),
                   "b": np.array([1, 2], np.float16), "c": np.array([1.0, 3.0])}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.safetensors")
            safetensors_file.save(path, tensors, bf16=("c",))
            loaded = safetensors_file.load(path)
        for key, array in tensors.items():
            np.testing.assert_array_equal(loaded[key], array)

    def test_bf16_rounds_to_nearest_even(self):
        # 1 + 2^-8 is halfway between 1 and 1 + 2^-7; 1 + 3 * 2^-8 the next.
        values = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, -2.5, np.inf], np.float32)
        rounded = safetensors_file.bf16_values(safetensors_file.bf16_bits(values))
        np.testing.assert_array_equal(rounded, [1.0, 1.0, 1 + 2**-6, -2.5, np.inf])
        self.assertTrue(np.isnan(safetensors_file.bf16_values(
            safetensors_file.bf16_bits(np.array([np.nan], np.float32)))).all())


if __name__ == "__main__":
    unittest.main()
