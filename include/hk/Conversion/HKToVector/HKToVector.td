// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_CONVERSION_HKTOVECTOR_HKTOVECTOR_TD
#define HK_CONVERSION_HKTOVECTOR_HKTOVECTOR_TD

include "mlir/Pass/PassBase.td"

def HKToVector : Pass<"hk-to-vector", "::mlir::ModuleOp"> {
  let summary = "lower #hk.cpu variants to functions over vectors";
  let description = [{
    Every variant with a `#hk.cpu` schedule becomes a function with the ABI of
    a CPU kernel, in a module nested in this one that holds all functions of
    its instruction set:

    ```mlir
    module @"x86-64-v4" attributes {hk.isa = "x86-64-v4"} {
      func.func @norm_qkv(%args: !llvm.ptr, %first: i64, %last: i64)
          attributes {hk.executable = @norm_qkv, hk.variant = 0 : i64,
                      hk.packed = [@w, @b], hk.imports = [],
                      hk.scratch = 32768 : i64}
    }
    ```

    1. The operations are grouped: an element-wise operation with one use by
       another joins it, and a linear operation whose one use is in such a
       group is its core. One group is one loop nest and one buffer.
    2. A workgroup owns `rows` rows of one sequence. Where `rows` does not
       divide the sequence, the last block has code of its own, so that all
       shapes are static.
    3. A buffer is a result of the variant, or a slice of the worker's scratch,
       which is used again after the last use of what it held.
    4. Linear operations are register tiles over weight panels; norms take a
       row at a time; attention is the online softmax with queries in lanes.

    The executables stay as they are: they carry what the module file says of
    a variant.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // HK_CONVERSION_HKTOVECTOR_HKTOVECTOR_TD
