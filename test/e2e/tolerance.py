# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a result may be from the float64 reference."""
import numpy as np

# Relative distance between neighbours in each type.
EPSILON = {"f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
# Below the least normal value the distance stays the same.
LEAST_NORMAL = {"f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}


# The benchmark's gate: an element passes by either.
GATE_ATOL, GATE_RTOL = 2e-3, 2e-2


def gate(y, reference):
    """The benchmark's gate: which elements fail."""
    error = np.abs(y - reference)
    return ~(np.isfinite(y) & ((error <= GATE_ATOL) | (error <= GATE_RTOL * np.abs(reference))))


def float32_bound(network, sharp):
    """A bound on the error of float32 arithmetic, per unit of the result.

    A dot product of length K in float32 has a random error of about
    sqrt(K) * u of its size, with u = 2^-24. Two of them reach the residual in
    each layer, each with a norm before it, and one norm comes last. The factor
    covers the spread over many elements. A sharp softmax adds the error of its
    scores, which grows with their size.
    """
    unit = 2.0**-24
    length = max(network.dim, network.ffn)
    return unit * np.sqrt(length + 64) * (2 * network.layers + 1) * sharp**0.5


def allowed(network, reference, sharp=1):
    """The largest error that passes, element by element."""
    bound = float32_bound(network, sharp) * (1 + np.abs(reference))
    if network.dtype == "f32":
        return bound
    size = np.maximum(np.abs(reference), LEAST_NORMAL[network.dtype])
    half_ulp = 0.5 * EPSILON[network.dtype] * 2.0 ** np.floor(np.log2(size))
    # A result next to a power of two may round into the wider spacing.
    return 1.01 * np.maximum(half_ulp, 0.5 * EPSILON[network.dtype] * size) + bound
