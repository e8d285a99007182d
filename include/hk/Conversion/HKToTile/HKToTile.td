// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_CONVERSION_HKTOTILE_HKTOTILE_TD
#define HK_CONVERSION_HKTOTILE_HKTOTILE_TD

include "mlir/Pass/PassBase.td"

def HKToTile : Pass<"hk-to-tile", "::mlir::ModuleOp"> {
  let summary = "lower #hk.cuda variants to tile kernels";
  let description = [{
    Every variant with a `#hk.cuda` schedule becomes a `tile.kernel` of level V,
    in a module nested in this one that holds all kernels of its architecture:

    ```mlir
    module @sm_90a attributes {hk.isa = "sm_90a"} {
      tile.kernel @up(%x: memref<?x64xf16>, %y: memref<?x256xf32>,
                      %w: !tile.tiles<128x64xf16>, %b: memref<256xf32>,
                      %batch: index)
          attributes {units = 4 : i64, hk.executable = @up,
                      hk.variant = 0 : i64, hk.packed = [@w.t128x64.f16, @b],
                      hk.stages = 3 : i64, hk.block = 64 : i64} { ... }
    }
    ```

    The arguments are the operands and results of the variant, flattened to
    `[B * S, D]`, then the packed values it reads, then the batch. If packed
    values are of layers after that of the variant's argument, the attribute
    `hk.packed_ahead` says by how much, for each; the runtime finds them.
    What no kernel writes while a plan runs is marked `tile.constant`: packed
    vectors, and operands that are inputs of the network in all dispatches.

    1. A CTA owns `rows` rows of one sequence and, if the schedule has
       `columns` or `heads`, a run of columns or heads; a unit owns its share of
       the rows. CTA i takes sequence i / (blocks * runs), the last digit being
       the run.
    2. Each value has a place. It is *in memory* if it is an argument or a view
       of one. It is *resident*, all columns of the unit's rows in registers, if
       a row is needed whole: the input and the result of a norm, what is added
       to a resident value, a linear operation that two others read. Everything
       else is computed *by blocks* of columns, where it is used.
    3. A linear operation whose input is in registers or in memory is computed
       by blocks of its features: one sum over all input features each. One
       whose input is computed by blocks, or which is resident itself, keeps all
       its sums and adds a block of the input at a time. A feed-forward network
       is one of each, and its hidden row never exists.
    4. What is added to the result of a linear operation is where its sums
       begin; bias, activation, masks and casts are one map on the sums.
    5. Attention takes queries, keys and values from memory, and gives the heads
       of its result as blocks. What a query does not see has no part in its
       result, whatever it holds: where a result is not finite, a unit computes
       it again, key by key.
    6. A kernel without linear operations and attention streams rows: all values
       are resident, in the line layout.
    7. Weights get the layout that the kernel reads, `@w.t128x64.f16` from `@w`:
       tiles that are images of shared memory, of the type that is multiplied,
       rounded once.
    8. With `skip_rows`, a CTA whose rows nobody reads stores zeros and does
       nothing else.

    Everything is checked before anything is emitted.
  }];
  let dependentDialects = [
    "::hk::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // HK_CONVERSION_HKTOTILE_HKTOTILE_TD
