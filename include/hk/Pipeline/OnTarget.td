// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-on-target: a pipeline for the modules of kernels of one kind of target.

#ifndef HK_PIPELINE_ONTARGET_TD
#define HK_PIPELINE_ONTARGET_TD

include "mlir/Pass/PassBase.td"

def OnTarget : Pass<"hk-on-target", "::mlir::ModuleOp"> {
  let summary = "run passes on modules of kernels for a CPU, or for a GPU";
  let description = [{
    A pipeline is nested by the name of an operation, and all modules of kernels
    have one name. This pass runs `pipeline` on a module whose `hk.isa` is of the
    kind `target`, and leaves others alone: `cpu` is a level of x86-64, `gpu` an
    architecture such as `sm_90a`.

    ```
    builtin.module(builtin.module(hk-on-target{target=gpu pipeline=canonicalize,cse}))
    ```

    Before, and after with `target=gpu pipeline=canonicalize`:

    ```mlir
    module @"sm_90a" attributes {hk.isa = "sm_90a"} { ... }  // canonicalised
    module @"x86-64" attributes {hk.isa = "x86-64"} { ... }  // as it was
    ```
  }];
  // Its pipeline cannot be among the generated options.
  let constructor = "::hk::createOnTarget()";
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"gpu\"",
           "The kind of target: cpu or gpu">,
    Option<"pipelineText", "pipeline", "std::string", /*default=*/"\"\"",
           "The passes, as in --pass-pipeline, without the operation">
  ];
}

#endif // HK_PIPELINE_ONTARGET_TD
