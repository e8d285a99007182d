// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_FOLDNORMS_TD
#define HK_TRANSFORMS_FOLDNORMS_TD

include "mlir/Pass/PassBase.td"

def FoldNorms : Pass<"hk-fold-norms", "::mlir::ModuleOp"> {
  let summary = "fold gamma and beta of norms into the linears that follow";
  let description = [{
    W (gamma * n + beta) + b = (W diag(gamma)) n + (W beta + b): gamma scales
    the columns of the weight, and beta becomes part of the bias, which is
    created where there is none. Both are parameter arithmetic, done in f64
    when a checkpoint is loaded. The norm keeps only what it has to do for
    every row.

    Refused, with a remark, where a use of the norm is not the input of a
    linear (the final norm keeps its gamma and beta), where gamma, beta or a
    weight is not made of parameters alone, and where their element types
    differ.

    ```mlir
    %n = hk.layer_norm %x, %gamma, %beta : !x, !v, !v
    %y = hk.linear %n, %w : !x, !w
    ```

    becomes

    ```mlir
    %n = hk.layer_norm %x : !x
    %w1 = hk.pack.scale_dim %w, %gamma dim 1 : !w, !v
    %b1 = hk.pack.matvec %w, %beta : !w, !v -> !v
    %y = hk.linear %n, %w1, %b1 : !x, !w, !v
    ```
  }];
}

#endif // HK_TRANSFORMS_FOLDNORMS_TD
