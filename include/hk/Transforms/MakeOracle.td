// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_MAKEORACLE_TD
#define HK_TRANSFORMS_MAKEORACLE_TD

include "mlir/Pass/PassBase.td"

def MakeOraclePass : Pass<"hk-make-oracle", "::mlir::ModuleOp"> {
  let summary = "Clone every public function, computing in f64";
  let description = [{
    For every public function `@f` with a body, adds a function `@f.oracle`
    with the attribute `hk.oracle_of = @f` that computes the same in f64: what
    the results of `@f` are checked against. It is to run before any other
    pass, so that the oracle holds none of their mistakes, and the passes on
    networks leave functions with `hk.oracle_of` alone.

    Inputs keep their types and are cast at the entry; the results are f64.
    Parameters keep their stored types and are widened as they are read
    (`from`). Masks stay as they are. A cast in the network to another
    floating-point type does nothing in the oracle: it is part of how `@f`
    computes, not of what. The batch is dynamic in the oracle, also where it is
    static in `@f`: nothing crosses sequences, so that a few of them can be
    checked.

    A function that has an oracle already is left alone.

    ```mlir
    func.func @f(%x: tensor<?x8x4xf32>) -> tensor<?x8x4xf32> {
      %g = hk.param "g" : tensor<4xf32>
      %y = hk.rms_norm %x, %g : tensor<?x8x4xf32>, tensor<4xf32>
      return %y : tensor<?x8x4xf32>
    }
    ```

    is followed by

    ```mlir
    func.func @f.oracle(%x: tensor<?x8x4xf32>) -> tensor<?x8x4xf64>
        attributes {hk.oracle_of = @f} {
      %0 = hk.cast %x : tensor<?x8x4xf32> to tensor<?x8x4xf64>
      %g = hk.param "g" from f32 : tensor<4xf64>
      %y = hk.rms_norm %0, %g : tensor<?x8x4xf64>, tensor<4xf64>
      return %y : tensor<?x8x4xf64>
    }
    ```
  }];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_MAKEORACLE_TD
