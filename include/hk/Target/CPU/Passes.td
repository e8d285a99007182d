// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that take a module of CPU kernels to the LLVM dialect.

#ifndef HK_TARGET_CPU_PASSES_TD
#define HK_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"hk-expand-math"> {
  let summary = "expand functions and conversions that the target lacks";
  let description = [{
    A kernel calls no library. What x86-64 has no instruction for is written
    out in arithmetic, for scalars and vectors alike:

    - `exp2` of any type becomes `exp`;
    - `exp`, `erf`, `erfc`, `tanh` and `log` of f32 become polynomials, right
      to a few units in the last place. There are none for f64: the oracle
      calls the library, through a table that the runtime fills;
    - conversions between bf16 and f32 become integer arithmetic, rounding to
      nearest even;
    - integer divisions that round up or down become ones that truncate.

    Before:

    ```mlir
    %y = math.exp2 %x : vector<16xf32>
    ```

    After: `arith` on vectors, without a `math` operation that LLVM would call
    a library for.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CheckLLVMPass : Pass<"hk-check-llvm", "::mlir::ModuleOp"> {
  let summary = "check that a module holds the LLVM dialect alone";
  let description = [{
    NVVM, its instructions of a GPU, counts as a part of it. The conversions to the LLVM dialect leave what they do not know. Each
    operation that is left is an error that names it, at its location.
  }];
}

#endif // HK_TARGET_CPU_PASSES_TD
