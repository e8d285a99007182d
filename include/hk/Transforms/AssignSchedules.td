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

    On a function for a GPU (see `hk-clone-targets`), every kernel gets one
    `#hk.cuda` for the architecture and the operands of the function. The rules
    are in `include/hk/Analysis/CUDASchedule.h`; they know the number of
    processors and the shared memory of the device: the one of `devices` with
    that architecture, or the default one.

    Where `cublaslt` is set, a kernel that is a linear operation on f16 operands
    with bias and residual, and nothing else, gets `#hk.cublaslt` behind it, but
    for the reference: the runtime measures which is faster.

    The kernel of an oracle gets `#hk.loops`, for a whole sequence.

    A remark tells each choice.

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
    Option<"scratchLimit", "scratch-limit", "int64_t", /*default=*/"1572864",
           "Bytes of intermediate values that a workgroup may keep">
  ];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_ASSIGNSCHEDULES_TD
