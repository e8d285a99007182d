// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-assign-schedules: how each kernel is lowered.

#ifndef HK_TRANSFORMS_ASSIGNSCHEDULES_TD
#define HK_TRANSFORMS_ASSIGNSCHEDULES_TD

include "mlir/Pass/PassBase.td"

def AssignSchedules : Pass<"hk-assign-schedules", "::mlir::func::FuncOp"> {
  let summary = "give every kernel its schedules";
  let description = [{
    Every `hk.kernel` without schedules gets one `#hk.cpu` for each instruction
    set of `isas`, in that order. The rules are in
    `include/hk/Analysis/CPUSchedule.h`: the register tile follows from the
    number of registers, the rows of a block from the length of the sequence,
    the width of the network and the scratch that fits.

    On a function for a GPU (see `hk-clone-targets`), schedules of a kernel are
    tried on the cost model (`include/hk/Analysis/CostModel.h`): all that are
    plausible for its kind, for the device of `devices` with that architecture,
    or the default one. Those that do not fit are refused. Of the others, up to
    `candidates` with the least predicted times become `#hk.cuda` schedules, best
    first, if they differ in more than the ring and are not much slower than the
    best; the runtime measures them. A reference gets one. Where the batch is
    dynamic, it is taken to be `assumed-batch`. The predicted times, in
    microseconds, are kept in the attribute `hk.predicted_us` of the kernel, and
    the batch in `hk.predicted_batch`. If nothing is known to fit, the rules of `include/hk/Analysis/CUDASchedule.h`
    choose one.

    Where `cublaslt` is set, a kernel that is a linear operation on f16 operands
    with bias and residual, and nothing else, gets `#hk.cublaslt` behind it, but
    for the reference: the runtime measures which is faster.

    The kernel of an oracle gets `#hk.loops`, for a whole sequence.

    A remark tells each choice; on a GPU others tell the predicted times, by
    resource, the best schedule that was not taken, and why others were refused.

    Before:

    ```mlir
    hk.kernel @norm(%a = %x : tensor<?x128x64xf32>)
        -> (tensor<?x128x64xf32>) scope(row) { ... }
    ```

    After:

    ```mlir
    hk.kernel @norm(%a = %x : tensor<?x128x64xf32>)
        -> (tensor<?x128x64xf32>) scope(row)
        schedules [#hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32,
                           keys = 64>] { ... }
    ```
  }];
  let options = [
    ListOption<"isas", "isas", "std::string",
               "Instruction sets, best first (all three if none is given)">,
    ListOption<"devices", "devices", "std::string",
               "GPUs that schedules are made for, one at most for an "
               "architecture">,
    Option<"cublaslt", "cublaslt", "bool", /*default=*/"true",
           "Offer matrix products to cuBLASLt too">,
    Option<"candidates", "candidates", "int64_t", /*default=*/"3",
           "Schedules of a kernel for a GPU, at most">,
    Option<"assumedBatch", "assumed-batch", "int64_t", /*default=*/"64",
           "Sequences of a dynamic batch, for predictions">,
    Option<"scratchLimit", "scratch-limit", "int64_t", /*default=*/"1572864",
           "Bytes of intermediate values that a workgroup may keep">
  ];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_ASSIGNSCHEDULES_TD
