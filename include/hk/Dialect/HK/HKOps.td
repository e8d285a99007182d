// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations a network is written in.

#ifndef HK_DIALECT_HK_HKOPS_TD
#define HK_DIALECT_HK_HKOPS_TD

include "hk/Dialect/HK/HKAttributes.td"

/// An operation on activations. Its one result is inferred, and its batch is
/// that of the first operand.
class HK_ComputeOp<string mnemonic, list<Trait> traits = []>
    : HK_Op<mnemonic,
            !listconcat(traits,
                        [Pure, InferTypeOpAdaptor,
                         DeclareOpInterfaceMethods<
        ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
                         DeclareOpInterfaceMethods<HK_ScopeOpInterface>])> {
  let results = (outs HK_Tensor:$result);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

def HK_ParamOp : HK_Op<"param", [Pure]> {
  let summary = "a tensor of the checkpoint";
  let description = [{
    The parameter that the checkpoint keeps under `key`. Parameters are not
    part of a compiled module: it serves any checkpoint that has these keys
    with these types.

    The type of the result is the type that is stored; `from` gives the stored
    element type where the value is wanted in a wider one. In a loop over
    layers, the key has one `{}`, which stands for the index `layer`.

    Constraints:
    - (C1) the type is static, not empty, of rank 1 or 2, and has no layout.
    - (C2) the key is not empty.
    - (C3) the key has exactly one `{}` if there is a `layer`, else none.
    - (C4) `from` is f16, bf16, f32 or f64, and every value of it is one of the
      element type.

    Example:

    ```mlir
    %w = hk.param "layers.0.q.weight" : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$key, Optional<Index>:$layer,
                       OptionalAttr<TypeAttr>:$from);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = [{
    $key (`[` $layer^ `]`)? (`from` $from^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Row-wise operations
//===----------------------------------------------------------------------===//

def HK_LinearOp : HK_ComputeOp<"linear"> {
  let summary = "an affine map of every row";
  let description = [{
    ```
    y[.., n] = sum_k x[.., k] W[n, k] + b[n]
    ```

    The weight is `[out, in]`, as PyTorch keeps it.

    Constraints:
    - (C1) `weight` has rank 2 and is static.
    - (C2) the last dimension of `input` is dimension 1 of `weight`.
    - (C3) `bias` is a vector of dimension 0 of `weight`.
    - (C4) `input` has rank 2 or more, and is static but for dimension 0.
    - (C5) `weight` and `bias` have the same element type.

    Example:

    ```mlir
    %y = hk.linear %x, %w, %b
        : tensor<?x128x64xf32>, tensor<32x64xf32>, tensor<32xf32>
    ```
  }];
  let arguments = (ins HK_Tensor:$input, HK_Tensor:$weight,
                       Optional<HK_Tensor>:$bias);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict `:` type(operands)
  }];
  let hasCanonicalizeMethod = 1;
}

class HK_NormOp<string mnemonic, list<Trait> traits = []>
    : HK_ComputeOp<mnemonic, traits> {
  let extraClassDeclaration = [{
    /// The number of elements that are normalised together.
    int64_t getFeatures() {
      return ::llvm::cast<::mlir::RankedTensorType>(getInput().getType())
          .getShape()
          .back();
    }
  }];
}

def HK_LayerNormOp : HK_NormOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "layer normalisation of every row";
  let description = [{
    ```
    y = (x - mean(x)) / sqrt(var(x) + eps) * gamma + beta
    ```

    Mean and variance are over the last dimension; the variance is the biased
    one, in the two-pass form.

    Constraints:
    - (C1) `input` has rank 2 or more, and is static but for dimension 0.
    - (C2) `gamma` and `beta` are vectors of the last dimension of `input`.
    - (C3) `eps` is positive and finite.
    - (C4) there is no `beta` without a `gamma`.

    Example:

    ```mlir
    %y = hk.layer_norm %x, %gamma, %beta {eps = 1.0e-5 : f64}
        : tensor<?x128x64xf32>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins HK_Tensor:$input, Optional<HK_Tensor>:$gamma,
                       Optional<HK_Tensor>:$beta,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$eps);
  let assemblyFormat = [{
    $input (`,` $gamma^)? (`,` $beta^)? attr-dict `:` type(operands)
  }];
}

def HK_RMSNormOp : HK_NormOp<"rms_norm"> {
  let summary = "root-mean-square normalisation of every row";
  let description = [{
    ```
    y = x / sqrt(mean(x^2) + eps) * gamma
    ```

    The mean is over the last dimension.

    Constraints:
    - (C1) `input` has rank 2 or more, and is static but for dimension 0.
    - (C2) `gamma` is a vector of the last dimension of `input`.
    - (C3) `eps` is positive and finite.

    Example:

    ```mlir
    %y = hk.rms_norm %x, %gamma {eps = 1.0e-6 : f64}
        : tensor<?x128x64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins HK_Tensor:$input, Optional<HK_Tensor>:$gamma,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$eps);
  let assemblyFormat = [{
    $input (`,` $gamma^)? attr-dict `:` type(operands)
  }];
}

def HK_ActivationOp : HK_ComputeOp<"activation"> {
  let summary = "an activation function of every element";
  let description = [{
    | kind        | formula                                            |
    |-------------|----------------------------------------------------|
    | `gelu_erf`  | x/2 (1 + erf(x / sqrt(2)))                         |
    | `gelu_tanh` | x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))      |
    | `relu`      | max(x, 0)                                          |
    | `silu`      | x / (1 + exp(-x))                                  |

    Constraints:
    - (C1) `input` has rank 2 or more, and is static but for dimension 0.

    Example:

    ```mlir
    %y = hk.activation gelu_erf %x : tensor<?x128x64xf32>
    ```
  }];
  let arguments = (ins HK_ActivationKindAttr:$kind, HK_Tensor:$input);
  let assemblyFormat = [{
    custom<EnumKeyword>($kind) $input attr-dict `:` type(operands)
  }];
}

class HK_BinaryOp<string mnemonic> : HK_ComputeOp<mnemonic, [Commutative]> {
  let arguments = (ins HK_Tensor:$lhs, HK_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type(operands)";
}

def HK_AddOp : HK_BinaryOp<"add"> {
  let summary = "the sum of two tensors";
  let description = [{
    ```
    y = a + b
    ```

    Constraints:
    - (C1) both operands have rank 2 or more and are static but for dimension 0.
    - (C2) both operands have the same type.

    Example:

    ```mlir
    %y = hk.add %a, %b : tensor<?x128x64xf32>, tensor<?x128x64xf32>
    ```
  }];
  let hasFolder = 1;
}

def HK_MulOp : HK_BinaryOp<"mul"> {
  let summary = "the product of two tensors, element by element";
  let description = [{
    ```
    y = a * b
    ```

    Gated feed-forward networks need it.

    Constraints:
    - (C1) both operands have rank 2 or more and are static but for dimension 0.
    - (C2) both operands have the same type.

    Example:

    ```mlir
    %y = hk.mul %a, %b : tensor<?x128x64xf32>, tensor<?x128x64xf32>
    ```
  }];
}

def HK_MaskRowsOp : HK_ComputeOp<"mask_rows", [AttrSizedOperandSegments]> {
  let summary = "zeros in the rows of invalid tokens";
  let description = [{
    ```
    y[b, i, :] = x[b, i, :] if token i of sequence b is valid, else 0
    ```

    Token i is valid if i < lengths[b], or if key_mask[b, i]. A length below
    zero counts as zero, one above S as S. A row of zeros takes nothing from
    `input`, not even NaN.

    Constraints:
    - (C1) `input` is `[B, S, D]`, static but for B.
    - (C2) exactly one of `lengths` and `key_mask` is given.
    - (C3) `lengths` is `[B]`; `key_mask` is `[B, S]`.

    Example:

    ```mlir
    %y = hk.mask_rows %x lengths(%n) : tensor<?x128x64xf32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins HK_Tensor:$input, Optional<HK_Lengths>:$lengths,
                       Optional<HK_KeyMask>:$key_mask);
  let assemblyFormat = [{
    $input (`lengths` `(` $lengths^ `)`)? (`key_mask` `(` $key_mask^ `)`)?
    attr-dict `:` type(operands)
  }];
  let extraClassDeclaration = [{
    /// The value that says which tokens are valid.
    ::mlir::Value getMask() {
      return getLengths() ? getLengths() : getKeyMask();
    }
  }];
  let hasFolder = 1;
}

def HK_CastOp : HK_Op<"cast", [Pure,
    DeclareOpInterfaceMethods<
        ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<HK_ScopeOpInterface>]> {
  let summary = "another element type";
  let description = [{
    Every element is rounded to the nearest value of the new type, ties to
    even.

    Constraints:
    - (C1) input and result have the same shape, and the same layout if any.

    Example:

    ```mlir
    %y = hk.cast %x : tensor<?x128x64xf16> to tensor<?x128x64xf32>
    ```
  }];
  let arguments = (ins HK_Tensor:$input);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// True if every value of the operand is one of the result: who reads the
    /// result may as well read the operand.
    bool keepsValues();
  }];
}

def HK_SplitOp : HK_Op<"split", [Pure,
    DeclareOpInterfaceMethods<
        ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<HK_ScopeOpInterface>]> {
  let summary = "the columns of a tensor, in runs";
  let description = [{
    Result j is the next run of columns (last dimension) of `input`. Nothing
    moves: every result is a view.

    Constraints:
    - (C1) the results have the shape of `input` but for the last dimension,
      and its element type.
    - (C2) the last dimensions of the results are static, not empty, and add up
      to that of `input`.
    - (C3) there is at least one result.

    Example:

    ```mlir
    %q, %k, %v = hk.split %qkv : tensor<?x128x192xf32>
        -> tensor<?x128x64xf32>, tensor<?x128x64xf32>, tensor<?x128x64xf32>
    ```
  }];
  let arguments = (ins HK_Tensor:$input);
  let results = (outs Variadic<HK_Tensor>:$results);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($results)
  }];
  let extraClassDeclaration = [{
    /// The first column of result `index`.
    int64_t getColumnOffset(unsigned index);
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def HK_AttentionOp : HK_ComputeOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "multi-head scaled dot-product attention";
  let description = [{
    For every sequence b, query head h, query i, with g the key/value head of
    h (h * num_kv_heads / num_heads, rounded down):

    ```
    s[j] = scale * sum_d Q[b, i, h, d] K[b, j, g, d]
    y[b, i, h, :] = sum_j softmax(s)[j] V[b, j, g, :]
    ```

    over the keys j that query i sees: all of them, those with j <= i if
    `causal`, and of these the valid ones if there is a `key_mask` (any
    pattern) or `lengths` (a prefix of each sequence). A query that sees no key
    gives zeros. What masked keys and values hold does no harm, NaN included.

    With `base2` the softmax is `2^s / sum(2^s)` instead of `e^s / sum(e^s)`.

    Constraints:
    - (C1) `query` is `[B, S, num_heads * hd]`, static but for B.
    - (C2) `num_heads` is positive and divides the last dimension of `query`.
    - (C3) `num_kv_heads` is positive and divides `num_heads`.
    - (C4) `key` and `value` are `[B, S, num_kv_heads * hd]`, of the element
      type of `query`.
    - (C5) at most one of `lengths` and `key_mask` is given.
    - (C6) `lengths` is `[B]`; `key_mask` is `[B, S]`.
    - (C7) `scale` is finite.

    `num_kv_heads` is `num_heads` and `scale` is 1/sqrt(hd) where they are not
    given.

    Example:

    ```mlir
    %y = hk.attention %q, %k, %v lengths(%n) {num_heads = 4 : i32, causal}
        : tensor<?x128x64xf32>, tensor<?x128x64xf32>, tensor<?x128x64xf32>,
          tensor<?xi32>
    ```
  }];
  let arguments = (ins HK_Tensor:$query, HK_Tensor:$key, HK_Tensor:$value,
                       Optional<HK_Lengths>:$lengths,
                       Optional<HK_KeyMask>:$key_mask, I32Attr:$num_heads,
                       OptionalAttr<I32Attr>:$num_kv_heads, UnitAttr:$causal,
                       OptionalAttr<F64Attr>:$scale, UnitAttr:$base2);
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`lengths` `(` $lengths^ `)`)? (`key_mask` `(` $key_mask^ `)`)?
    attr-dict `:` type(operands)
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getQueryType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getQuery().getType());
    }
    int64_t getSequenceLength() { return getQueryType().getDimSize(1); }
    int64_t getHeadDim() {
      return getQueryType().getDimSize(2) / getNumHeads();
    }
    int64_t getKVHeads() { return getNumKvHeads().value_or(getNumHeads()); }
    /// The factor of the scores, the default filled in.
    double getScaleValue();
    /// The value that says which keys are valid, or null.
    ::mlir::Value getMask() {
      return getLengths() ? getLengths() : getKeyMask();
    }
  }];
}

#endif // HK_DIALECT_HK_HKOPS_TD
