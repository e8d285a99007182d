// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_CONVERSION_TILETONVVM_TILETONVVM_TD
#define HK_CONVERSION_TILETONVVM_TILETONVVM_TD

include "mlir/Pass/PassBase.td"

def TileExpandMath : Pass<"tile-expand-math"> {
  let summary = "expand functions into what a GPU has instructions for";
  let description = [{
    A kernel calls no library. Functions of f32 become arithmetic around the
    approximations that the hardware has (`ex2`, `rsqrt`, `rcp`, `tanh`). With
    `fastmath<afn>` an error of about 1e-4 is allowed, and one or two
    instructions do; without it, results are right to a few units in the last
    place.

    | operation | without `afn` | with `afn` |
    |---|---|---|
    | `exp2` | `ex2.approx` | `ex2.approx.ftz` |
    | `exp` | `ex2` of a product in two parts | `ex2` of a product |
    | `erf` | a polynomial, and from 1 on 1 - 2^polynomial | `tanh` of a polynomial |
    | `tanh` | a polynomial, and from 0.6 on 1 - 2 / (1 + `exp`) | `tanh.approx` |
    | `rsqrt` | `rsqrt.approx` | `rsqrt.approx.ftz` |
    | `sqrt` | `sqrt.rn` | `sqrt.approx.ftz` |
    | `divf` | `div.full` | `div.approx.ftz`, or `rcp.approx.ftz` of a constant 1 |

    Functions of f16 and bf16 are computed in f32.

    Before:

    ```mlir
    %y = math.exp %x fastmath<afn> : f32
    ```

    After:

    ```mlir
    %t = arith.mulf %x, %log2e : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%t) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect"];
}

def TileToNVVM : Pass<"tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lower tile kernels to scalars and the instructions of a GPU";
  let description = [{
    Every `tile.kernel` of the module becomes an `llvm.func`; the module says in
    `hk.isa` which GPU it is for. Loops stay loops (`scf`) and indices stay
    indices; `hk-tile-to-llvm` is the pipeline that leaves nothing but the LLVM
    dialect.

    - A memref or packed weights are an address in global memory, the batch an
      i64: the ABI of a kernel.
    - A frag is the registers that a lane holds of it, each a value of its own:
      scalars, or pairs of two columns for f16 and bf16
      (lib/Conversion/TileToNVVM/RegisterLayout.h).
    - A buf is its address in the window of shared memory, an i32. Dynamic
      shared memory is the global `@hk_shared`.
    - Bufs are read by `ldmatrix` (16-bit elements) or pairs of f32, and written
      by `stmatrix` (sm_90) or words. What a lane adds to an address is computed
      once; of an `mma`, a step along the rows of B is a constant of the
      instruction, one along its columns is one XOR.
    - An `mma` is `mma.sync.m16n8k16` (`k8` at the end of a K that is no
      multiple of 16), of f32 `m16n8k8` of tf32. Accumulators have K in another
      order than tf32 operands have it, so K is permuted, in A and B alike. Each
      fragment of B serves all rows of the unit.
    - A channel is mbarriers, on all architectures: 32 arrivals a producer when
      its `cp.async` are complete, or one and the bytes of a bulk copy, make a
      slot full; 32 a unit make it empty, or one a unit where wgmma alone reads
      the channel. Waits are bounded; one that takes seconds traps.
    - `grid_wait` is `griddepcontrol.wait` on sm_90 and later, and nothing
      before. A kernel that has it lets the next one begin at its entry, and
      gets the attribute `hk.grid_wait`.
    - What a role keeps of a ring (slot and parity) is in allocas, for LLVM to
      make registers of.
    - A copy of a matrix takes the widest pieces that all rows are aligned to
      (16, 8 or 4 bytes; loads and stores for 2), and zeros what is out of
      bounds. It does not read there.
    - All line frags of a kernel have as many lanes a row as the widest needs.
    - Loads from arguments that nothing stores to while the kernel runs go
      through the read-only path: in a kernel with `grid_wait`, those marked
      `tile.constant`, in others all that it does not store to. What lies
      outside of the bounds is not touched: accesses carry a predicate where a
      bound is not known to hold.

    Before:

    ```mlir
    module @sm_80 attributes {hk.isa = "sm_80"} {
      tile.kernel @copy(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %b: index)
          attributes {units = 4 : i64, hk.executable = @copy} {
        ...
        %0 = tile.load %x[%row, %c0] : memref<?x64xf32> -> !tile.frag<16x64xf32>
      }
    }
    ```

    After:

    ```mlir
    llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %b: i64)
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>,
                    hk.executable = @copy, hk.threads = 128 : i64,
                    hk.cluster = 1 : i64, hk.shared = 0 : i64} {
      ...
      %0 = llvm.load %p {alignment = 8, invariant} : !llvm.ptr<1> -> vector<2xi32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // HK_CONVERSION_TILETONVVM_TILETONVVM_TD
