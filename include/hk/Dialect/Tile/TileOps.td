// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level V: the kernel, and what is computed.

#ifndef HK_DIALECT_TILE_TILEOPS_TD
#define HK_DIALECT_TILE_TILEOPS_TD

include "hk/Dialect/Tile/TileBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "a kernel: one program that every unit of a CTA runs";
  let description = [{
    The arguments are memrefs in global memory (`[rows, features]`, or vectors),
    packed weights (`!tile.tiles`) and the batch. `units` is the number of
    units of a CTA. Level S adds `producers`, the warps that copy, and
    `shared`, the bytes of shared memory.

    Constraints:
    - (C1) arguments are memrefs of rank 1 or 2, `!tile.tiles` or index.
    - (C2) there is no result.
    - (C3) `units` is positive, and a CTA has at most 1024 threads.
    - (C4) `tile.constant` marks a memref, and the kernel does not store to it:
      memory that no kernel writes while a plan runs, such as packed
      parameters. (`!tile.tiles` are constant without the mark.)
    - (C5) with a `tile.grid_wait`: each thread reaches one and no more, and
      accesses no memory that is not constant before it does.

    Example:

    ```mlir
    tile.kernel @copy(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %b: index)
        attributes {units = 4 : i64} {
      ...
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       I64Attr:$units, OptionalAttr<I64Attr>:$producers,
                       OptionalAttr<I64Attr>:$shared);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type,
                                 "int64_t":$units)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The threads of a CTA: 32 for each unit and each producer.
    int64_t getThreads() {
      return 32 * int64_t(getUnits() + getProducers().value_or(0));
    }
    /// The mark of an argument that no kernel writes while a plan runs.
    static constexpr ::llvm::StringLiteral getConstantAttrName() {
      return ::llvm::StringLiteral("tile.constant");
    }
    /// Whether `value` is an argument that no kernel writes while a plan runs.
    bool isConstant(::mlir::Value value);
    /// Whether `op` itself, not what is nested in it, reads or writes memory
    /// that kernels of a plan write.
    bool isAccess(::mlir::Operation *op);
    /// Whether `op` or anything inside is such an access.
    bool hasAccess(::mlir::Operation *op);
    /// Whether each thread has a role.
    bool haveAllRoles();
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [
    Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "the end of a kernel";
  let description = [{
    Example: see `tile.kernel`.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_ItemOp : Tile_Op<"item", [Pure]> {
  let summary = "the number of the CTA in the grid";
  let description = [{
    Example:

    ```mlir
    %i = tile.item
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_CtasOp : Tile_Op<"ctas", [Pure]> {
  let summary = "the number of CTAs in the grid";
  let description = [{
    Example:

    ```mlir
    %n = tile.ctas
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_UnitOp : Tile_Op<"unit", [Pure]> {
  let summary = "the number of the unit in its CTA";
  let description = [{
    Example:

    ```mlir
    %u = tile.unit
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "one value everywhere";
  let description = [{
    Constraints:
    - (C1) the value has the element type of the result.

    Example:

    ```mlir
    %z = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $value attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MmaOp : Tile_Op<"mma"> {
  let summary = "C + A B^T, or C + A B";
  let description = [{
    ```
    d[i, n] = c[i, n] + sum_k a[i, k] b[row + n, column + k]
    d[i, n] = c[i, n] + sum_k a[i, k] b[row + k, column + n]   (transpose_b)
    ```

    with N and K the columns of C and A, and (row, column) an offset into B.
    Products are added in f32. Operands of f32 are rounded to tf32, or, with
    `split`, are sums of two tf32 of which three products are taken, which is
    about as exact as f32. Without C, C is zero.

    With `warpgroup`, four units that follow each other multiply together, and
    B is read once for all of them (wgmma). All four have to come here at the
    same time of their run, each with rows of its own.

    Constraints:
    - (C1) A is a slab or a strip, C and the result are of f32, of one layout
      and of the rows of A.
    - (C2) A and B have the same element type, f16, bf16 or f32.
    - (C3) K and N are multiples of 8 and lie within B.
    - (C4) `split` goes with f32 only.
    - (C5) the row and the column are multiples of 8.
    - (C6) `warpgroup` goes with operands of 16 bits, a multiple of 4 units, K a
      multiple of 16 and a column that is constant. Where B is swizzled, the
      column is a multiple of 16, and, with `transpose_b`, begins a block of B
      unless N ends in the same block.
    - (C7) A is a strip of W where what B has of K is in the order of strips of
      W, and a slab where it is not; so is the result for what B has of N. The row
      or the column of what is in that order is a multiple of W.

    Example:

    ```mlir
    %d = tile.mma %a, %b[%n, %k], %c
        : !tile.frag<16x64xf16>, !tile.buf<64x128xf16>, !tile.frag<16x64xf32>
          -> !tile.frag<16x64xf32>
    %o = tile.mma %p, %v[%j, %c0], %o0 {transpose_b} : ...
    ```
  }];
  let arguments = (ins Tile_Frag:$a, Arg<Tile_Buf, "", [MemRead]>:$b,
                       Index:$row, Index:$column, Optional<Tile_Frag>:$c,
                       UnitAttr:$transpose_b, UnitAttr:$split,
                       UnitAttr:$warpgroup);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $a `,` $b `[` $row `,` $column `]` (`,` $c^)? attr-dict `:`
    type($a) `,` type($b) (`,` type($c)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "FragType":$type, "::mlir::Value":$a,
                                 "::mlir::Value":$b, "::mlir::Value":$row,
                                 "::mlir::Value":$column, "::mlir::Value":$c,
                                 "bool":$transpose_b, "bool":$split), [{
    build($_builder, $_state, type, a, b, row, column, c, transpose_b, split,
          /*warpgroup=*/false);
  }]>];
  let extraClassDeclaration = [{
    /// Which of (C6) does not hold, as "expects X, but got Y", or an empty
    /// string.
    std::string whyNotWarpgroup();
  }];
}

def Tile_MapOp : Tile_Op<"map", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "a function of every element";
  let description = [{
    The region computes one element of the result from the elements of the
    operands at its place; an operand of size 1 in a dimension is the same for
    all of it. The region may use scalars from outside. It moves no data.

    Constraints:
    - (C1) the operands have the layout of the result, and each dimension is
      that of the result or 1.
    - (C2) the region has one argument an operand, of its element type, and
      yields one value of the element type of the result.

    Example:

    ```mlir
    %y = tile.map %x, %b : !tile.frag<16x64xf32>, !tile.frag<1x64xf32>
        -> !tile.frag<16x64xf16> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      %h = arith.truncf %s : f32 to f16
      tile.yield %h : f16
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Frag>:$inputs);
  let results = (outs Tile_Frag:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs attr-dict `:` type($inputs) `->` type($result) $body
  }];
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins
      "FragType":$type, "::mlir::ValueRange":$inputs,
      "::llvm::function_ref<::mlir::Value(::mlir::OpBuilder &, "
      "::mlir::Location, ::mlir::ValueRange)>":$body)>];
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, HasParent<"MapOp">, ReturnLike, Terminator]> {
  let summary = "the element that a map computes";
  let description = [{
    Example: see `tile.map`.
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_RowReduceOp : Tile_Op<"row_reduce", [Pure]> {
  let summary = "the sum or the maximum of every row";
  let description = [{
    Constraints:
    - (C1) the input is of f32; the result has its rows, element type and
      layout, and one column.

    Example:

    ```mlir
    %s = tile.row_reduce add %x : !tile.frag<16x128xf32>
        -> !tile.frag<16x1xf32>
    ```
  }];
  let arguments = (ins Tile_ReductionAttr:$kind, Tile_Frag:$input);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    custom<EnumKeyword>($kind) $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MaskOp : Tile_Op<"mask", [
    Pure, AttrSizedOperandSegments, AllTypesMatch<["scores", "result"]>]> {
  let summary = "minus infinity where a query does not see a key";
  let description = [{
    Element (i, j) is the score of query `row` + i and key `column` + j. It is
    kept if j is before `keys`, if `seen` (one value a column) is not zero,
    and, with `causal`, if the key is not after the query.

    Constraints:
    - (C1) the scores are a slab of f32; the result has their type.
    - (C2) `seen` is `1xC` of i8, with the columns of the scores.
    - (C3) at least one of `causal`, `keys` and `seen` is given.

    Example:

    ```mlir
    %m = tile.mask %s at(%i, %j) keys(%n) {causal} : !tile.frag<16x64xf32>
    ```
  }];
  let arguments = (ins Tile_Frag:$scores, Index:$row, Index:$column,
                       Optional<Index>:$keys, Optional<Tile_Frag>:$seen,
                       UnitAttr:$causal);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $scores `at` `(` $row `,` $column `)` (`keys` `(` $keys^ `)`)?
    (`seen` `(` $seen^ `:` type($seen) `)`)? attr-dict `:` type($scores)
  }];
  let hasVerifier = 1;
}

def Tile_RowIndexOp : Tile_Op<"row_index", [Pure]> {
  let summary = "the number of every row";
  let description = [{
    Row i of the result is `base` + i.

    Constraints:
    - (C1) the result is `Rx1` of i32.

    Example:

    ```mlir
    %i = tile.row_index %row : !tile.frag<16x1xi32>
    ```
  }];
  let arguments = (ins Index:$base);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = "$base attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_VoteOp : Tile_Op<"vote", [Pure]> {
  let summary = "the predicates of a unit, made one";
  let description = [{
    The result is the same for all threads of the unit.

    Constraints:
    - (C1) the input is of i1.

    Example:

    ```mlir
    %b = tile.vote any %p : !tile.frag<16x1xi1>
    ```
  }];
  let arguments = (ins Tile_VoteAttr:$kind, Tile_Frag:$input);
  let results = (outs I1:$result);
  let assemblyFormat = "custom<EnumKeyword>($kind) $input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "some columns of a frag";
  let description = [{
    Columns `column` to `column` + C of the input, C being those of the result.

    Constraints:
    - (C1) the result has the rows, element type and layout of the input.
    - (C2) the layout is slab or strip, and `column` is a multiple of its W, 8 in
      a slab.
    - (C3) the columns lie within the input.

    Example:

    ```mlir
    %h = tile.slice %x[64] : !tile.frag<16x128xf16> -> !tile.frag<16x32xf16>
    ```
  }];
  let arguments = (ins Tile_Frag:$input, I64Attr:$column);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $input `[` $column `]` attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ConcatOp : Tile_Op<"concat", [Pure]> {
  let summary = "frags beside each other";
  let description = [{
    Constraints:
    - (C1) the inputs have the rows, element type and layout of the result, and
      their columns add up to its.
    - (C2) the layout is slab or strip.

    Example:

    ```mlir
    %x = tile.concat %a, %b : !tile.frag<16x64xf32>, !tile.frag<16x64xf32>
        -> !tile.frag<16x128xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Frag>:$inputs);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // HK_DIALECT_TILE_TILEOPS_TD
