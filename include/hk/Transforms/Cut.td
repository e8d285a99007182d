// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-cut: the network becomes kernels.

#ifndef HK_TRANSFORMS_CUT_TD
#define HK_TRANSFORMS_CUT_TD

include "mlir/Pass/PassBase.td"

def Cut : Pass<"hk-cut", "::mlir::func::FuncOp"> {
  let summary = "cut a network into kernels";
  let description = [{
    Every run of operations of a block, whether of the function or of a loop
    over layers, is a chain; a `CutPolicy` says where it is cut, and each part
    becomes a `hk.kernel`. Nothing crosses the back edge of a loop.

    Inside a kernel, a workgroup owns a block of rows of one sequence. The
    default policy therefore cuts before attention whose keys or values are
    computed in the same kernel (they belong to other workgroups), and not
    after it: the output projection, the residual and the feed-forward network
    follow in the same kernel, row by row. It also cuts where a block of `rows`
    rows would need more than `scratch-limit` bytes of intermediate values, at
    the place where the fewest bytes cross.

    With a static batch of at least `sequence-batch`, the batch alone has work
    for all cores. A chain with attention then becomes one kernel of scope
    `sequence`, if the intermediate values of a whole sequence fit: keys and
    values never leave the cache of a core.

    Packed values are read inside the kernels; the index of the layer is then
    their last argument. Other layers may be at a constant distance: `arith.addi`
    of the index and a constant is repeated in the kernel. `hk.split` is a view and is repeated in every kernel
    that reads through it. A value that several kernels read is a result of the
    one that computes it.

    On a function for a GPU (see `hk-clone-targets`), the plan says how it is
    cut. `safe` and `reference` have a kernel for each norm (with what is
    element by element around it), each linear operation (with what is element
    by element after it) and each attention. `fused` joins these to row chains:
    attention, output projection, residual, norm, feed-forward network and so
    on. A chain is legal as long as a warp can keep the values of its rows in
    registers (`include/hk/Analysis/RowResidency.h`); of all legal cuts, those
    with the least predicted time are taken (`include/hk/Analysis/CostModel.h`,
    dynamic programming), on the device of `devices` with that architecture, or
    the default one, with a dynamic batch of `assumed-batch`. A remark tells the
    predicted times with and without each cut and each join. `chains` joins
    whatever is legal.

    Where a CTA has room for the keys of a sequence, attention and the projection
    of its keys and values may be one kernel, of scope `sequence`: in `fused`
    where that is predicted to be faster, in `projected` wherever it is possible
    or, with several CTAs a sequence, not predicted to be much slower.

    There, a kernel whose results are demanded only in rows that are valid
    under a mask (`include/hk/Analysis/DemandedRows.h`) gets the mask as an
    operand, and `skip_rows` says which one it is.

    An oracle (a function with `hk.oracle_of`) becomes one kernel of scope
    `sequence`.

    Before:

    ```mlir
    %h = hk.layer_norm %x : !x
    %t = hk.linear %h, %w : !x, !w
    %q, %k, %v = hk.split %t : !qkv -> !x, !x, !x
    %c = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x
    %y = hk.add %x, %c : !x, !x
    ```

    After:

    ```mlir
    %t = hk.kernel @norm_linear(%a = %x : !x) -> (!qkv) scope(row) { ... }
    %y = hk.kernel @attention_add(%a = %t : !qkv, %b = %x : !x) -> (!x)
        scope(row) {
      %q, %k, %v = hk.split %a : !qkv -> !x, !x, !x
      ...
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"64",
           "Rows of a block for which scratch is estimated">,
    Option<"scratchLimit", "scratch-limit", "int64_t", /*default=*/"1572864",
           "Bytes of intermediate values that a workgroup may keep">,
    Option<"sequenceBatch", "sequence-batch", "int64_t", /*default=*/"32",
           "Least static batch for which a workgroup may own whole sequences "
           "(0: none)">,
    ListOption<"devices", "devices", "std::string",
               "GPUs that networks are cut for, one at most for an "
               "architecture">,
    Option<"assumedBatch", "assumed-batch", "int64_t", /*default=*/"64",
           "Sequences of a dynamic batch, for predictions">
  ];
  let dependentDialects = ["::hk::HKDialect", "::mlir::arith::ArithDialect"];
}

#endif // HK_TRANSFORMS_CUT_TD
