// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-clone-targets: a function for each plan on each kind of GPU.

#ifndef HK_TRANSFORMS_CLONETARGETS_TD
#define HK_TRANSFORMS_CLONETARGETS_TD

include "mlir/Pass/PassBase.td"

def CloneTargets : Pass<"hk-clone-targets", "::mlir::ModuleOp"> {
  let summary = "copy functions for the plans of each kind of GPU";
  let description = [{
    Where a network is cut depends on the machine, so every public function
    that is no oracle gets private copies, one for each plan of each
    architecture of `archs`:

    | plan        | role      | operands   | cut                             |
    |-------------|-----------|------------|---------------------------------|
    | `fused`     | candidate | `operands` | row chains, by predicted time   |
    | `chains`    | candidate | f16        | row chains, as long as they can |
    | `projected` | candidate | f16        | attention with its projection   |
    | `safe`      | safe      | f16        | one kernel for each operation   |
    | `reference` | reference | tf32x3     | as `safe`                       |

    There is no `fused` copy where the network would be cut as in `safe`: where
    row chains cannot be, or are predicted to be slower, on the device of
    `devices` with that architecture or the default one. There is a
    `chains` copy only where it would be cut in another way than these two, and
    a `projected` one only where a CTA can own a sequence, and the projection of
    keys and values with it, or several CTAs a sequence are not predicted to be
    much slower; the rest is cut by predicted time. For
    each precision of `operands` other than f16, there are two candidates: that
    is, `safe_tf32` and `fused_tf32`. The rank says which plan is tried first:
    `fused`, `safe`, `chains`, `projected`, other candidates, `reference`.

    With `cpu` off, the function itself is to have no plan on CPUs: it becomes
    a declaration. Oracles stay: they run on the CPU, whatever they check.

    bf16 is refused: it has 8 significant bits, and results are 3 to 4 times
    further off than the accuracy gate allows.

    Before:

    ```mlir
    func.func @forward(%x: !x) -> !x { ... }
    ```

    After, with `archs=sm_90a`:

    ```mlir
    func.func @forward(%x: !x) -> !x { ... }
    func.func private @forward.sm_90a.fused(%x: !x) -> !x
        attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused",
                    hk.plan_of = @forward, hk.rank = 0, hk.role = "candidate"}
        { ... }
    func.func private @forward.sm_90a.safe(%x: !x) -> !x ...
    func.func private @forward.sm_90a.reference(%x: !x) -> !x ...
    ```
  }];
  let options = [
    ListOption<"archs", "archs", "std::string",
               "Architectures: sm_80, sm_86, sm_89, sm_90a, sm_120">,
    Option<"cpu", "cpu", "bool", /*default=*/"true",
           "Keep the functions themselves, for CPUs">,
    ListOption<"operands", "operands", "std::string",
               "What candidates multiply: f16 (if none is given), tf32, "
               "tf32x3">,
    ListOption<"devices", "devices", "std::string",
               "GPUs that plans are made for, one at most for an "
               "architecture">,
    Option<"assumedBatch", "assumed-batch", "int64_t", /*default=*/"64",
           "Sequences of a dynamic batch, for predictions">
  ];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_CLONETARGETS_TD
