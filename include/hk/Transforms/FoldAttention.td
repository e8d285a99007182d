// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_FOLDATTENTION_TD
#define HK_TRANSFORMS_FOLDATTENTION_TD

include "mlir/Pass/PassBase.td"

def FoldAttention : Pass<"hk-fold-attention", "::mlir::ModuleOp"> {
  let summary = "fold the scale and the biases of attention into linears";
  let description = [{
    Where query, key and value come from linears that only this attention uses:

    - the scale, times log2(e), goes into the weight and the bias of the
      query's linear, and the softmax is taken in base 2;
    - the bias of the key's linear is dropped: it adds the same number, the
      product of query and bias, to all scores of a query, which the softmax
      cancels;
    - the bias b_v of the value's linear moves into the bias of the linear that
      follows, as b_o + W_o b_v: the weights of the softmax add up to one. This
      holds for a query that sees a key. One that sees none gives zeros, so the
      pass asks for the demanded rows: without a mask, every query sees a key
      (itself, if causal); with a mask, every demanded row has to be valid
      under it, and then sees itself.

    All is done in f64 when a checkpoint is loaded. Refused, with a remark:
    values that other operations use, weights that are not made of parameters
    alone, the V bias with grouped queries (it would have to be repeated for
    each group) or before anything but one linear, and the V bias where a row
    that is read may see no key.

    ```mlir
    %q = hk.linear %x, %wq, %bq : !x, !w, !v
    %k = hk.linear %x, %wk, %bk : !x, !w, !v
    %v = hk.linear %x, %wv, %bv : !x, !w, !v
    %c = hk.attention %q, %k, %v {num_heads = 1 : i32, scale = 0.25 : f64} : ..
    %y = hk.linear %c, %wo, %bo : !x, !w, !v
    ```

    becomes, with c = 0.25 log2(e),

    ```mlir
    %wq1 = hk.pack.scale %wq by c : !w
    %bq1 = hk.pack.scale %bq by c : !v
    %q = hk.linear %x, %wq1, %bq1 : !x, !w, !v
    %k = hk.linear %x, %wk : !x, !w
    %v = hk.linear %x, %wv : !x, !w
    %c = hk.attention %q, %k, %v {base2, num_heads = 1 : i32,
                                  scale = 1.0 : f64} : ..
    %b = hk.pack.matvec %wo, %bv : !w, !v -> !v
    %bo1 = hk.pack.add %b, %bo : !v
    %y = hk.linear %c, %wo, %bo1 : !x, !w, !v
    ```
  }];
}

#endif // HK_TRANSFORMS_FOLDATTENTION_TD
