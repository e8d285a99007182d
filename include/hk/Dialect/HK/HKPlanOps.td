// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels while a network is being cut, and the executables and plans that
// it is cut into.

#ifndef HK_DIALECT_HK_HKPLANOPS_TD
#define HK_DIALECT_HK_HKPLANOPS_TD

include "hk/Dialect/HK/HKAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def HK_YieldOp : HK_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["PackedOp", "KernelOp", "VariantOp", "PlanOp"]>]> {
  let summary = "the values of a region";
  let description = [{
    Example: see `hk.packed`, `hk.kernel` and `hk.plan`.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
}

def HK_KernelOp : HK_Op<"kernel", [IsolatedFromAbove, SingleBlock]> {
  let summary = "operations that will be one kernel";
  let description = [{
    A run of operations cut out of the network, with its operands as the
    arguments of its region. `scope` is what a workgroup has to own: a run of
    rows, or a whole sequence. `schedules` are the ways to lower it, best
    first, once they are assigned.

    Constraints:
    - (C1) the arguments of the region have the types of the operands.
    - (C2) the region yields values of the types of the results.
    - (C3) with scope `row`, no operation in the region has scope `sequence`,
      but for attention whose keys and values are arguments, or views or casts
      of them.
    - (C4) `schedules` holds schedule attributes, such as `#hk.cpu`.
    - (C5) `skip_rows`, if given, is the index of an operand that is a mask:
      lengths `[B]` of i32, or a key_mask `[B, S]` of i1.

    With `skip_rows`, nobody reads the rows of the results that are not valid
    under that mask: the code may leave them unwritten. It may hold anything
    there, NaN included.

    Example:

    ```mlir
    %y = hk.kernel @norm(%a = %x : tensor<?x128x64xf32>)
        -> (tensor<?x128x64xf32>) scope(row) {
      %r = hk.layer_norm %a : tensor<?x128x64xf32>
      hk.yield %r : tensor<?x128x64xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs,
                       HK_ScopeAttr:$scope,
                       OptionalAttr<ArrayAttr>:$schedules,
                       OptionalAttr<I64Attr>:$skip_rows);
  let results = (outs Variadic<HK_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def HK_ExecutableOp : HK_Op<"executable", [
    Symbol, IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a kernel, in one or more variants";
  let description = [{
    Constraints:
    - (C1) the region holds `hk.variant`s, one at least.
    - (C2) all variants have the same argument and result types.

    Example:

    ```mlir
    hk.executable @norm {
      hk.variant #hk.cpu<isa = "x86-64-v3", rows = 64, mr = 6, nr = 16,
                         keys = 64>
          grid(affine_map<()[B] -> (B * 2)>) {
      ^bb0(%a: tensor<?x128x64xf32>):
        %r = hk.layer_norm %a : tensor<?x128x64xf32>
        hk.yield %r : tensor<?x128x64xf32>
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The types of the arguments and results that all variants have.
    ::mlir::FunctionType getSignature();
  }];
}

def HK_VariantOp : HK_Op<"variant", [
    HasParent<"ExecutableOp">, IsolatedFromAbove, SingleBlock]> {
  let summary = "one lowering of an executable";
  let description = [{
    The body computes on whole tensors; a workgroup computes the part of the
    results that it owns. `grid` gives the number of workgroups for a batch B.
    An argument of type index, if there is one, is the last, and is the layer.
    `skip_rows` is that of `hk.kernel`, as the index of an argument.

    Constraints:
    - (C1) `schedule` is a schedule attribute, such as `#hk.cpu`.
    - (C2) `grid` has no dimension, one symbol and one result.
    - (C3) the region ends in `hk.yield`.
    - (C4) `skip_rows`, if given, is the index of an argument that is a mask.

    Example: see `hk.executable`.
  }];
  let arguments = (ins HK_ScheduleAttrInterface:$schedule, AffineMapAttr:$grid,
                       OptionalAttr<I64Attr>:$skip_rows);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $schedule `grid` `(` $grid `)` (`skip_rows` `(` $skip_rows^ `)`)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def HK_PlanOp : HK_Op<"plan", [
    Symbol, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one way to run a function";
  let description = [{
    Dispatches, run in order. `rank` orders the plans of a function by the
    compiler's opinion, best first; `role` says what the plan is for;
    `workspace` is the size in bytes of the workspace for a batch B.

    Constraints:
    - (C1) the region holds `hk.dispatch` only, and ends in `hk.yield`.
    - (C2) `workspace` has no dimension, one symbol and one result.
    - (C3) the arguments of the region and what it yields have the types of
      the inputs and results of `function`.
    - (C4) each yielded value is the result of a dispatch that lies in that
      result of the function.

    Example:

    ```mlir
    hk.plan @forward.rows of @forward rank(0) role(candidate)
        workspace(affine_map<()[B] -> (B * 1024)>) {
    ^bb0(%x: tensor<?x128x64xf32>):
      %y = hk.dispatch @norm(%x) at([#hk.result<0>])
          : (tensor<?x128x64xf32>) -> tensor<?x128x64xf32>
      hk.yield %y : tensor<?x128x64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$function,
                       I64Attr:$rank, HK_RoleAttr:$role,
                       AffineMapAttr:$workspace);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $function `rank` `(` $rank `)` `role` `(` custom<EnumKeyword>($role) `)`
    `workspace` `(` $workspace `)` attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def HK_DispatchOp : HK_Op<"dispatch", [
    HasParent<"PlanOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a launch of an executable";
  let description = [{
    `places` says where each result lies: in the workspace or in a result of
    the function. `layer` is the layer whose packed values the kernel reads.

    Constraints:
    - (C1) `executable` is an `hk.executable` whose variants have the types of
      the operands (followed by an index where there is a `layer`) and results.
    - (C2) there is one place for each result, `#hk.workspace` or `#hk.result`.
    - (C3) `layer` is not negative.

    Example: see `hk.plan`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$executable,
                       Variadic<AnyType>:$inputs, OptionalAttr<I64Attr>:$layer,
                       ArrayAttr:$places);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $executable `(` $inputs `)` (`layer` `(` $layer^ `)`)?
    `at` `(` $places `)` attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

#endif // HK_DIALECT_HK_HKPLANOPS_TD
