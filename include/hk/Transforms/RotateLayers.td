// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-rotate-layers: fusion across the back edge of a loop over layers.

#ifndef HK_TRANSFORMS_ROTATELAYERS_TD
#define HK_TRANSFORMS_ROTATELAYERS_TD

include "mlir/Pass/PassBase.td"

def RotateLayers : Pass<"hk-rotate-layers", "::mlir::func::FuncOp"> {
  let summary = "begin a loop over layers at the attention";
  let description = [{
    A kernel that owns rows can compute everything between two attentions, but
    a loop over layers ends in between: behind the feed-forward network, before
    the norm and the projection to queries, keys and values. In functions that
    are a `fused` or `chains` plan of a GPU (`hk.plan`), the loop is rotated, so that it
    begins at its attention: the operations in front of it (the head) are done
    once before the loop, for the first layer; an iteration then does the rest
    of its layer and the head of the next; and the rest of the last layer comes
    after the loop, where it meets what follows the network's layers.

    In a `projected` plan, attention is in one kernel with the projection, so it
    belongs to the head: an iteration begins behind its attention and ends with
    the next one's. The norm in front of it may then end the row chain before,
    or, of the first layer, begin the kernel of its attention.

    What the head gives to the rest is carried by the loop. Packed values of
    the next layer are read with the index of the layer plus the step.

    Refused, with a remark: a loop without constant bounds, and one whose
    attention depends on another attention of the same layer.

    Before:

    ```mlir
    %r = scf.for %l = %c0 to %c4 step %c1 iter_args(%x = %x0) -> (!x) {
      %t = hk.linear %x, %wqkv[%l]
      %c = hk.attention %t...
      %y = hk.add %x, %c
      scf.yield %y
    }
    ```

    After (weights abbreviated):

    ```mlir
    %t0 = hk.linear %x0, %wqkv[%c0]
    %r:2 = scf.for %l = %c0 to %c3 step %c1
        iter_args(%x = %x0, %t = %t0) -> (!x, !t) {
      %c = hk.attention %t...
      %y = hk.add %x, %c
      %l1 = arith.addi %l, %c1
      %t1 = hk.linear %y, %wqkv[%l1]
      scf.yield %y, %t1
    }
    %c = hk.attention %r#1...
    %y = hk.add %r#0, %c
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // HK_TRANSFORMS_ROTATELAYERS_TD
