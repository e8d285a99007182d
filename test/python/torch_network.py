# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark's network in PyTorch: as its reference has it, and as an expert
would write it. Parameters have the keys that hk-model uses."""
import torch
import torch.nn as nn
import torch.nn.functional as F

# number: (B, S, D, heads, FFN, layers)
SHAPES = {
    1: (64, 128, 128, 4, 128, 4), 2: (1, 128, 128, 4, 128, 4),
    3: (4, 128, 128, 4, 128, 4), 4: (16, 128, 128, 4, 128, 4),
    5: (128, 128, 128, 4, 128, 4), 6: (10000, 128, 128, 4, 128, 4),
    7: (64, 128, 32, 4, 32, 4), 8: (64, 128, 1024, 4, 1024, 4),
    9: (64, 128, 128, 1, 128, 4), 10: (64, 128, 128, 2, 128, 4),
    11: (64, 128, 128, 16, 128, 4), 12: (64, 32, 128, 4, 128, 4),
    13: (64, 1024, 128, 4, 128, 4),
}  # fmt: skip


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, valid):
        batch, seq, dim = x.shape
        split = lambda t: t.view(batch, seq, self.heads, -1).transpose(1, 2).contiguous()
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) * (dim // self.heads) ** -0.5
        future = torch.ones((seq, seq), dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
        context = torch.matmul(torch.softmax(scores, -1), v)
        y = self.o(context.transpose(1, 2).contiguous().view(batch, seq, dim))
        return y.masked_fill(~valid[..., None], 0)


class Block(nn.Module):
    def __init__(self, dim, heads, ffn):
        super().__init__()
        self.n1, self.att, self.n2 = nn.LayerNorm(dim), Attention(dim, heads), nn.LayerNorm(dim)
        self.fi, self.fo = nn.Linear(dim, ffn), nn.Linear(ffn, dim)

    def forward(self, x, valid):
        x = x + self.att(self.n1(x), valid)
        x = x + self.fo(F.gelu(self.fi(self.n2(x))))
        return x.masked_fill(~valid[..., None], 0)


class Eager(nn.Module):
    """The contract's reference: the full score matrix, masks."""

    def __init__(self, dim, heads, ffn, layers):
        super().__init__()
        self.layers = nn.ModuleList(Block(dim, heads, ffn) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, valid):
        for layer in self.layers:
            x = layer(x, valid)
        return self.norm(x).masked_fill(~valid[..., None], 0)


class Expert(nn.Module):
    """The same network, for full sequences, with one QKV projection, PyTorch's fused
    attention, and matrix products in `dtype`; norms and the residual stay fp32."""

    def __init__(self, eager, dtype=torch.float32):
        super().__init__()
        self.heads, self.dtype = eager.layers[0].att.heads, dtype
        take = lambda t: t.detach().to(dtype)
        self.norms = nn.ModuleList()
        self.weights = nn.ParameterList()
        for layer in eager.layers:
            a = layer.att
            self.norms.extend([layer.n1, layer.n2])
            self.weights.append(take(torch.cat([a.q.weight, a.k.weight, a.v.weight])))
            self.weights.append(take(torch.cat([a.q.bias, a.k.bias, a.v.bias])))
            for linear in (a.o, layer.fi, layer.fo):
                self.weights.append(take(linear.weight))
                self.weights.append(take(linear.bias))
        self.weights.requires_grad_(False)
        self.norm = eager.norm

    def forward(self, x, valid=None):
        """`valid` is for the signature: it is taken to be full."""
        batch, seq, dim = x.shape
        for index in range(len(self.norms) // 2):
            qkv_w, qkv_b, o_w, o_b, fi_w, fi_b, fo_w, fo_b = self.weights[8 * index : 8 * index + 8]
            h = self.norms[2 * index](x).to(self.dtype)
            q, k, v = F.linear(h, qkv_w, qkv_b).view(batch, seq, 3, self.heads, -1).unbind(2)
            context = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2),
                                                     is_causal=True)  # fmt: skip
            x = x + F.linear(context.transpose(1, 2).reshape(batch, seq, dim), o_w, o_b)
            h = self.norms[2 * index + 1](x).to(self.dtype)
            x = x + F.linear(F.gelu(F.linear(h, fi_w, fi_b)), fo_w, fo_b)
        return self.norm(x)


def make_eager(shape, device="cpu"):
    """The reference of a shape, PyTorch's default initialisation under seed 1234."""
    _, _, dim, heads, ffn, layers = SHAPES[shape]
    torch.manual_seed(1234)
    return Eager(dim, heads, ffn, layers).eval().to(device)
