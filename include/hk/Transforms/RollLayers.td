// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_ROLLLAYERS_TD
#define HK_TRANSFORMS_ROLLLAYERS_TD

include "mlir/Pass/PassBase.td"

def RollLayers : Pass<"hk-roll-layers", "::mlir::ModuleOp"> {
  let summary = "roll isomorphic layers into a loop over stacked parameters";
  let description = [{
    Finds runs of two or more isomorphic layers in the body of each function,
    the longest first, and replaces each by an `scf.for` that counts the real
    numbers of the layers. What runs after this pass sees one layer, so compile
    time and code size do not grow with depth.

    Layers are isomorphic if they are the same sequence of operations, with
    the same attributes and types, and each operand is, in every layer,
    - the same result of the same layer,
    - the same result of the layer before (before the first layer, any value:
      this becomes an `iter_args` of the loop),
    - the same value from before the layers, or
    - a parameter, whose keys differ from layer to layer in one integer, which
      counts up by one and is the same for all parameters of a layer; or whose
      key is the same in all layers.

    Only the results of the last layer that are handed from layer to layer may
    be used after it. The algorithm is structural and knows no operation:
    equal operations get equal numbers, distances between equal numbers give
    the candidate periods, and each rotation of a run of numbers with such a
    period is matched operand by operand.

    A layer that looks like its neighbours but is not isomorphic to them stays
    as it is, with a remark that says what differs.

    ```mlir
    %w0 = hk.param "layers.0.w" : !w
    %y0 = hk.linear %x, %w0 : !x, !w
    %w1 = hk.param "layers.1.w" : !w
    %y1 = hk.linear %y0, %w1 : !x, !w
    ```

    becomes

    ```mlir
    %y = scf.for %l = %c0 to %c2 step %c1 iter_args(%t = %x) -> (!x) {
      %w = hk.param "layers.{}.w"[%l] : !w
      %r = hk.linear %t, %w : !x, !w
      scf.yield %r : !x
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // HK_TRANSFORMS_ROLLLAYERS_TD
