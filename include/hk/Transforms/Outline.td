// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-outline: kernels become executables, functions become plans.

#ifndef HK_TRANSFORMS_OUTLINE_TD
#define HK_TRANSFORMS_OUTLINE_TD

include "mlir/Pass/PassBase.td"

def Outline : Pass<"hk-outline", "::mlir::ModuleOp"> {
  let summary = "turn kernels into executables and functions into plans";
  let description = [{
    1. Every `hk.kernel` becomes a `hk.executable` with one `hk.variant` for
       each of its schedules; equal kernels share one. A packed weight of a
       `hk.linear` gets the layout that the schedule reads: `@w.p32`, in panels
       of 32 output features. The grid is B * ceil(S / rows): workgroup w owns
       row block w % ceil(S / rows) of sequence w / ceil(S / rows). On a GPU
       there is a CTA for each run of `columns` features, or of `heads` heads,
       of a row block (the last counts fastest), and weights keep their layout.
    2. Loops over layers are unrolled into the dispatches of a `hk.plan`,
       `@f.default`; a dispatch says which layer it is.
    3. Every result of a dispatch gets a place: a result of the function if it
       is returned, else the workspace. Lifetimes are known, sizes are bytes of
       one sequence rounded up to 256, and offsets times B are addresses, so
       memory is planned once for all batches. See
       `include/hk/Analysis/MemoryPlan.h`.
    4. Predicted times of kernels (`hk.predicted_us`) become those of variants;
       that of a plan is the sum over its dispatches, each with its first
       variant.
    5. The function stays as a declaration, with its signature and attributes.
       A clone (see `hk-clone-targets`) becomes a plan of its name and goes.

    Before:

    ```mlir
    func.func @f(%x: !x) -> !x {
      %y = hk.kernel @norm(%a = %x : !x) -> (!x) scope(row)
          schedules [#hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8,
                             keys = 64>] { ... }
      return %y : !x
    }
    ```

    After:

    ```mlir
    hk.executable @norm {
      hk.variant #hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8, keys = 64>
          grid(affine_map<()[B] -> (B * 2)>) { ... }
    }
    hk.plan @f.default of @f rank(0) role(candidate)
        workspace(affine_map<()[B] -> (0)>) {
    ^bb0(%x: !x):
      %y = hk.dispatch @norm(%x) at([#hk.result<0>]) : (!x) -> !x
      hk.yield %y : !x
    }
    func.func private @f(!x) -> !x
    ```
  }];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_OUTLINE_TD
