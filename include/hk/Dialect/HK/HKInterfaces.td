// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes ask an operation, and a schedule.

#ifndef HK_DIALECT_HK_HKINTERFACES_TD
#define HK_DIALECT_HK_HKINTERFACES_TD

include "hk/Dialect/HK/HKBase.td"

def HK_ScopeOpInterface : OpInterface<"ScopeOpInterface"> {
  let cppNamespace = "::hk";
  let description = [{
    The set of tokens that one token of the result needs of the activations
    among the operands. What a workgroup owns must cover it.
  }];
  let methods = [
    InterfaceMethod<"The tokens that one token of the result needs.",
                    "::hk::Scope", "getScope">
  ];
}

def HK_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::hk";
  let description = [{
    How a kernel is lowered for one target. There is one attribute a kind of
    target; everything above code generation knows it by this interface.
  }];
  let methods = [
    InterfaceMethod<"The kind of target: \"cpu\".", "::llvm::StringRef",
                    "getTargetKind">,
    InterfaceMethod<"The rows (tokens) of one sequence that a workgroup owns.",
                    "int64_t", "getWorkgroupRows">,
    InterfaceMethod<"The instruction set the code needs.", "::llvm::StringRef",
                    "getIsaName">
  ];
}

#endif // HK_DIALECT_HK_HKINTERFACES_TD
