// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on parameters alone: the vocabulary that the runtime
// interprets when a checkpoint is loaded.

#ifndef HK_DIALECT_HK_HKPACKOPS_TD
#define HK_DIALECT_HK_HKPACKOPS_TD

include "hk/Dialect/HK/HKAttributes.td"
include "mlir/IR/RegionKindInterface.td"

//===----------------------------------------------------------------------===//
// Packed values
//===----------------------------------------------------------------------===//

def HK_PackedOp : HK_Op<"packed", [
    Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "a value computed from parameters alone";
  let description = [{
    A symbol with an initialiser: a region of `hk.param`, `hk.packed.get` and
    `hk.pack.*`, computed in f64 when a checkpoint is loaded and rounded once,
    at the yield, to the element type of the symbol. With `layers(a to b)`
    there is one value for each layer l, a <= l < b; the region has l as its
    argument, and `type` is the type of one of them.

    Constraints:
    - (C1) the type is static, not empty, of rank 1 or 2, of f16, bf16, f32 or
      f64.
    - (C2) the region yields one value of the shape of `type`.
    - (C3) the region holds only `hk.param`, `hk.packed.get` and `hk.pack.*`.
    - (C4) with `layers`, the region has one argument of type index, else none,
      and the bounds are in order.

    Example:

    ```mlir
    hk.packed @w layers(0 to 4) : tensor<8x16xf32> {
    ^bb0(%l: index):
      %w = hk.param "layers.{}.w"[%l] from f32 : tensor<8x16xf64>
      hk.yield %w : tensor<8x16xf64>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<I64Attr>:$layer_begin,
                       OptionalAttr<I64Attr>:$layer_end, TypeAttr:$type);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasLayers() { return getLayerBegin().has_value(); }
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// The value that the region yields.
    ::mlir::Value getYielded();
  }];
}

def HK_PackedGetOp : HK_Op<"packed.get", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a packed value";
  let description = [{
    Constraints:
    - (C1) `symbol` is a `hk.packed` of the type of the result.
    - (C2) there is a `layer` exactly where the `hk.packed` has layers.

    Example:

    ```mlir
    %w = hk.packed.get @w[%l] : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Optional<Index>:$layer);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = [{
    $symbol (`[` $layer^ `]`)? attr-dict `:` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// The vocabulary
//===----------------------------------------------------------------------===//

class HK_PackOp<string mnemonic, list<Trait> traits = []>
    : HK_Op<"pack." # mnemonic, !listconcat([Pure], traits)> {
  let results = (outs HK_StaticTensor:$result);
}

def HK_PackZerosOp : HK_PackOp<"zeros"> {
  let summary = "zeros";
  let description = [{
    Example:

    ```mlir
    %z = hk.pack.zeros : tensor<256xf64>
    ```
  }];
  let assemblyFormat = "attr-dict `:` type($result)";
}

def HK_PackScaleOp : HK_PackOp<"scale", [SameOperandsAndResultType]> {
  let summary = "a tensor times a number";
  let description = [{
    Constraints:
    - (C1) `factor` is finite.

    Example:

    ```mlir
    %y = hk.pack.scale %x by 0.25 : tensor<8x16xf64>
    ```
  }];
  let arguments = (ins HK_StaticTensor:$input, F64Attr:$factor);
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def HK_PackScaleDimOp : HK_PackOp<"scale_dim", [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "a tensor times a vector, along one dimension";
  let description = [{
    ```
    y[.., i, ..] = x[.., i, ..] v[i]
    ```

    with i the index of dimension `dim`.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `factors` is a vector of that dimension, of the same element type.

    Example:

    ```mlir
    %y = hk.pack.scale_dim %x, %v dim 1 : tensor<8x16xf64>, tensor<16xf64>
    ```
  }];
  let arguments = (ins HK_StaticTensor:$input, HK_StaticTensor:$factors, I64Attr:$dim);
  let assemblyFormat = [{
    $input `,` $factors `dim` $dim attr-dict `:` type($input) `,` type($factors)
  }];
  let hasVerifier = 1;
}

def HK_PackMatVecOp : HK_PackOp<"matvec"> {
  let summary = "a matrix times a vector";
  let description = [{
    ```
    y[n] = sum_k A[n, k] v[k]
    ```

    Constraints:
    - (C1) `matrix` is `[N, K]`, `vector` is `[K]` and the result is `[N]`, all
      of one element type.

    Example:

    ```mlir
    %y = hk.pack.matvec %a, %v
        : tensor<8x16xf64>, tensor<16xf64> -> tensor<8xf64>
    ```
  }];
  let arguments = (ins HK_StaticTensor:$matrix, HK_StaticTensor:$vector);
  let assemblyFormat = [{
    $matrix `,` $vector attr-dict `:` type($matrix) `,` type($vector) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def HK_PackAddOp : HK_PackOp<"add", [SameOperandsAndResultType, Commutative]> {
  let summary = "the sum of two tensors";
  let description = [{
    Example:

    ```mlir
    %y = hk.pack.add %a, %b : tensor<8xf64>
    ```
  }];
  let arguments = (ins HK_StaticTensor:$lhs, HK_StaticTensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
}

def HK_PackConcatOp : HK_PackOp<"concat"> {
  let summary = "tensors one after another";
  let description = [{
    Constraints:
    - (C1) there is at least one input, and `dim` is a dimension of all.
    - (C2) the inputs and the result agree in element type and in all other
      dimensions, and the sizes of `dim` add up.

    Example:

    ```mlir
    %y = hk.pack.concat %a, %b dim 0
        : tensor<8x16xf64>, tensor<4x16xf64> -> tensor<12x16xf64>
    ```
  }];
  let arguments = (ins Variadic<HK_StaticTensor>:$inputs, I64Attr:$dim);
  let assemblyFormat = [{
    $inputs `dim` $dim attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def HK_PackLayoutOp : HK_PackOp<"layout"> {
  let summary = "another layout in memory";
  let description = [{
    The same matrix, in the layout that the encoding of the result says.

    Constraints:
    - (C1) `input` is a matrix without an encoding, the result has the same
      shape and an encoding that hk knows: `#hk.panels` or `#hk.tiles`.

    Example:

    ```mlir
    %y = hk.pack.layout %x
        : tensor<8x16xf32> -> tensor<8x16xf32, #hk.panels<8>>
    ```
  }];
  let arguments = (ins HK_StaticTensor:$input);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // HK_DIALECT_HK_HKPACKOPS_TD
