// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_DROPMASKS_TD
#define HK_TRANSFORMS_DROPMASKS_TD

include "mlir/Pass/PassBase.td"

def DropMasks : Pass<"hk-drop-masks", "::mlir::ModuleOp"> {
  let summary = "drop masks that no demanded row can tell from no mask";
  let description = [{
    Asks an analysis of the whole function which rows of each value can change
    a result (the demanded rows), and drops

    - the `lengths` of a causal attention whose demanded rows are all valid
      under the same lengths: query i < length sees keys j <= i < length only,
      all of them valid;
    - a `mask_rows` whose demanded rows are all valid under its own mask, since
      a later `mask_rows` by the same value covers all uses.

    The rows past the length then hold other values than before, but nothing
    reads them. What gives the results of the function keeps its mask.

    Refused, with a remark: a `key_mask` of attention (any pattern: a valid
    query may see an earlier masked key), `lengths` without `causal` (every
    query sees every key), and rows past the length that are read.

    ```mlir
    %c = hk.attention %q, %k, %v lengths(%n) {num_heads = 4 : i32, causal} : ..
    %o = hk.mask_rows %c lengths(%n) : !x, !n
    %r = hk.add %x, %o : !x, !x
    %y = hk.mask_rows %r lengths(%n) : !x, !n
    ```

    becomes

    ```mlir
    %c = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : ..
    %r = hk.add %x, %c : !x, !x
    %y = hk.mask_rows %r lengths(%n) : !x, !n
    ```
  }];
}

#endif // HK_TRANSFORMS_DROPMASKS_TD
