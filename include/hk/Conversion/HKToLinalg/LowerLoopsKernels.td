// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_CONVERSION_HKTOLINALG_LOWERLOOPSKERNELS_TD
#define HK_CONVERSION_HKTOLINALG_LOWERLOOPSKERNELS_TD

include "mlir/Pass/PassBase.td"

def LowerLoopsKernelsPass
    : Pass<"hk-lower-loops-kernels", "::mlir::ModuleOp"> {
  let summary = "Lower the #hk.loops variants of executables to kernels";
  let description = [{
    For every variant with a `#hk.loops` schedule, adds a function with the ABI
    of a CPU kernel to a nested module for its instruction set; the variant
    stays. A workgroup is a sequence, so a function loops over the sequences
    [first, last), and its body computes one of them:

    1. the body of the variant is cloned, with a batch of one, to a function on
       memrefs: the operands and results of the kernel, then one for each packed
       value, in the order that the attribute `hk.packed` gives;
    2. it is converted to linalg on tensors (see `hk-to-linalg`), bufferised, so
       that results are written in place where they go, and lowered to loops;
    3. every buffer becomes a slice of the worker's scratch memory: buffers that
       are live at the same time do not overlap, and `hk.scratch` is the total;
    4. exp, exp2, erf and tanh become calls of the functions that `hk.imports`
       names, in f64;
    5. loop nests that do the same on other buffers, as those of the layers of a
       network do, become calls of one private function.

    What is left is `scf`, `arith`, `memref`, `math` that has instructions, and
    `llvm` operations for the ABI. Anything else, such as an operation of hk, is
    an error, as is a variant whose grid is not one workgroup a sequence.

    ```mlir
    hk.executable @double {
      hk.variant #hk.loops<isa = "x86-64", rows = 8>
          grid(affine_map<()[B] -> (B)>) {
      ^bb0(%a: tensor<?x8x4xf64>):
        %r = hk.add %a, %a : tensor<?x8x4xf64>, tensor<?x8x4xf64>
        hk.yield %r : tensor<?x8x4xf64>
      }
    }
    ```

    is followed by

    ```mlir
    module @"x86-64.loops" attributes {hk.isa = "x86-64"} {
      func.func @double(%args: !llvm.ptr, %first: i64, %last: i64)
          attributes {hk.executable = @double, hk.imports = [], hk.packed = [],
                      hk.scratch = 0 : i64, hk.variant = 0 : i64} {
        ...
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // HK_CONVERSION_HKTOLINALG_LOWERLOOPSKERNELS_TD
