// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_PLACEGRIDWAITS_TD
#define HK_DIALECT_TILE_TRANSFORMS_PLACEGRIDWAITS_TD

include "mlir/Pass/PassBase.td"

def TilePlaceGridWaits : Pass<"tile-place-grid-waits", "::hk::tile::KernelOp"> {
  let summary = "wait for the kernels in front as late as memory allows";
  let description = [{
    Puts a `tile.grid_wait` into each role, or into a kernel without roles, in
    front of the first operation that reads or writes memory that is not
    constant, or that has such an operation inside: never in a loop or a
    condition, so that each thread waits once, whatever it does. Before it are
    barriers, indices, and what is constant: packed weights that the producer
    copies, packed vectors. A kernel that has waits already stays as it is.

    Reads wait because the kernel in front may have written what is read, and
    writes because it may still read what lay there: places in the workspace
    are used again. A role that accesses nothing but constants waits at its
    end, for then a kernel that has ended says that all in front of it have.

    ```mlir
    tile.role producer {
      scf.for %i = %c0 to %n step %c1 {
        %s = tile.acquire %weights : ..
        tile.copy %w[%i] to %s : ..
        tile.commit %weights : ..
      }
      scf.for %i = %c0 to %n step %c1 {
        %s = tile.acquire %keys : ..
        tile.copy %qkv[%i, %c0] to %s : ..
        tile.commit %keys : ..
      }
    }
    ```

    becomes

    ```mlir
    tile.role producer {
      scf.for %i = %c0 to %n step %c1 {
        %s = tile.acquire %weights : ..
        tile.copy %w[%i] to %s : ..
        tile.commit %weights : ..
      }
      tile.grid_wait
      scf.for %i = %c0 to %n step %c1 {
        %s = tile.acquire %keys : ..
        tile.copy %qkv[%i, %c0] to %s : ..
        tile.commit %keys : ..
      }
    }
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_PLACEGRIDWAITS_TD
