// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_CONVERSION_HKTOLINALG_HKTOLINALG_TD
#define HK_CONVERSION_HKTOLINALG_HKTOLINALG_TD

include "mlir/Pass/PassBase.td"

def HKToLinalgPass : Pass<"hk-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Write the operations of a network as plain loop nests on tensors";
  let description = [{
    Every operation on activations becomes code that computes it straight from
    its formula: `linalg.generic` over the elements of the result, with `scf.for`
    for sums, `tensor.extract` for what these read, and `arith` and `math` for
    the rest. Nothing is tiled, reordered or approximated. The arithmetic is in
    f32, or in f64 where an operand is f64, and is rounded once to the type of
    the result; sums may be reassociated.

    `hk.attention` becomes a loop nest over sequences, queries and heads. It
    holds the scores of one query of one head at a time, subtracts their
    maximum, and leaves the keys that a query does not see out. Masked rows and
    keys are selected away, so that NaN in them does no harm.

    The function's parameters and packed values are to be arguments by now: no
    operation of hk may be left, and one that is, is an error.

    ```mlir
    %y = hk.linear %x, %w : tensor<2x4xf64>, tensor<3x4xf64>
    ```

    becomes

    ```mlir
    %e = tensor.empty() : tensor<2x3xf64>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
        outs(%e : tensor<2x3xf64>) {
    ^bb0(%out: f64):
      %i = linalg.index 0 : index
      %n = linalg.index 1 : index
      %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f64) {
        %a = tensor.extract %x[%i, %k] : tensor<2x4xf64>
        %b = tensor.extract %w[%n, %k] : tensor<3x4xf64>
        %p = arith.mulf %a, %b : f64
        %t = arith.addf %acc, %p fastmath<reassoc,contract> : f64
        scf.yield %t : f64
      }
      linalg.yield %s : f64
    } -> tensor<2x3xf64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // HK_CONVERSION_HKTOLINALG_HKTOLINALG_TD
