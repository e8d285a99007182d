// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hk dialect, its enums and the types its operations are built from.

#ifndef HK_DIALECT_HK_HKBASE_TD
#define HK_DIALECT_HK_HKBASE_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def HK_Dialect : Dialect {
  let name = "hk";
  let cppNamespace = "::hk";
  let summary = "Transformer networks, as their authors think of them";
  let description = [{
    Operations on tensors with value semantics: the layers of a Transformer,
    the parameters they read, and, further down the pipeline, the kernels,
    packed parameters and plans that a network is cut into.

    Activations are `[B, S, D]`: a batch of sequences of tokens. The batch may
    be dynamic; everything else is static. Arithmetic is done in f32 (in f64
    where an operand is f64) and rounded once, to the type of the result.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class HK_Op<string mnemonic, list<Trait> traits = []>
    : Op<HK_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Activations and parameters. Ranks and shapes are checked by the verifiers,
/// which can say what they expected.
def HK_Tensor : RankedTensorOf<[F16, BF16, F32, F64]>;
/// What packing computes: its sizes are known when a network is compiled.
def HK_StaticTensor : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
/// The number of valid leading tokens of every sequence: `[B]`.
def HK_Lengths : 1DTensorOf<[I32]>;
/// Which tokens are valid, in any pattern: `[B, S]`.
def HK_KeyMask : 2DTensorOf<[I1]>;

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class HK_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hk";
  let genSpecializedAttr = 0;
}

def HK_ActivationKind : HK_Enum<"ActivationKind", "an activation function", [
  I32EnumAttrCase<"GeluErf", 0, "gelu_erf">,
  I32EnumAttrCase<"GeluTanh", 1, "gelu_tanh">,
  I32EnumAttrCase<"Relu", 2, "relu">,
  I32EnumAttrCase<"Silu", 3, "silu">
]>;
def HK_ActivationKindAttr : EnumAttr<HK_Dialect, HK_ActivationKind, "act">;

/// The tokens that one output of an operation or kernel needs.
def HK_Scope : HK_Enum<"Scope", "the tokens one output needs", [
  I32EnumAttrCase<"Row", 0, "row">,
  I32EnumAttrCase<"Sequence", 1, "sequence">
]>;
def HK_ScopeAttr : EnumAttr<HK_Dialect, HK_Scope, "scope">;

/// What matrix units multiply; they add in f32.
def HK_Operands : HK_Enum<"Operands", "what matrix units multiply", [
  I32EnumAttrCase<"F16", 0, "f16">,
  I32EnumAttrCase<"BF16", 1, "bf16">,
  I32EnumAttrCase<"TF32", 2, "tf32">,
  // f32 as the sum of two tf32: three products instead of one.
  I32EnumAttrCase<"TF32x3", 3, "tf32x3">
]>;

/// The instruction of the matrix units: of a warp, or of a warpgroup.
def HK_MmaKind : HK_Enum<"MmaKind", "the instruction of matrix units", [
  I32EnumAttrCase<"Sync", 0, "sync">,
  I32EnumAttrCase<"Wgmma", 1, "wgmma">
]>;

/// What a plan is for.
def HK_Role : HK_Enum<"Role", "what a plan is for", [
  I32EnumAttrCase<"Candidate", 0, "candidate">,
  I32EnumAttrCase<"Safe", 1, "safe">,
  I32EnumAttrCase<"Reference", 2, "reference">,
  I32EnumAttrCase<"Oracle", 3, "oracle">
]>;
def HK_RoleAttr : EnumAttr<HK_Dialect, HK_Role, "role">;

#endif // HK_DIALECT_HK_HKBASE_TD
