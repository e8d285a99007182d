// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules, layouts and placements.

#ifndef HK_DIALECT_HK_HKATTRIBUTES_TD
#define HK_DIALECT_HK_HKATTRIBUTES_TD

include "hk/Dialect/HK/HKInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

class HK_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<HK_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def HK_CPUAttr : HK_Attr<"CPU", "cpu",
    [DeclareAttrInterfaceMethods<HK_ScheduleAttrInterface>]> {
  let summary = "the schedule of a kernel for x86-64";
  let description = [{
    `isa` is a level of the x86-64 ABI (`x86-64`, `x86-64-v3`, `x86-64-v4`) and
    sets the vector width: 4, 8 or 16 f32 lanes. A workgroup owns `rows` rows
    of one sequence. `mr` x `nr` is the register tile of a linear operation
    (rows x output features; `nr` is also the width of a weight panel), and
    `keys` is how many keys the online softmax takes at a time.

    ```mlir
    #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
    ```
  }];
  let parameters = (ins StringRefParameter<"ABI level">:$isa, "int64_t":$rows,
                        "int64_t":$mr, "int64_t":$nr, "int64_t":$keys);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of f32 lanes of a vector register.
    int64_t getVectorWidth() const;
  }];
}

def HK_MmaParameter : EnumParameter<HK_MmaKind> {
  let defaultValue = "::hk::MmaKind::Sync";
}

def HK_CUDAAttr : HK_Attr<"CUDA", "cuda",
    [DeclareAttrInterfaceMethods<HK_ScheduleAttrInterface>]> {
  let summary = "the schedule of a kernel for NVIDIA GPUs";
  let description = [{
    `arch` is the target of the code: `sm_80`, `sm_86`, `sm_89`, `sm_90a` or
    `sm_120`. A CTA owns `rows` rows (tokens) and has `units` warps that
    compute, each of which owns `rows / units` rows, whole. Where one warp
    holds a row in registers, `columns` is 0 and the CTA computes all features
    of its rows; otherwise it computes `columns` features of a linear
    operation, and the grid has a CTA for each run of them. Where `columns` is
    0 and the kernel is attention alone, a CTA computes all heads of its rows,
    unless `heads` says how many it takes. Where the kernel computes keys and
    values as well, `rows` are all of a sequence, or of as many as have room if
    each is padded to whole units (and share rows and units out evenly), or a
    part of one: then a CTA computes keys of all rows that its queries see.

    `block` is the width of the accumulators of a linear operation (features
    computed at once; where keys are computed, those of as many heads as it has
    room for), `depth` the input features multiplied at once where they
    are streamed through shared memory, and `keys` the keys that the online
    softmax takes at a time. `stages` is the number of slots of a ring in
    shared memory. `operands` is what the matrix units multiply, and `mma` the
    instruction that does: of a warp (`sync`), or of the four warps of a
    warpgroup, where shapes allow it (`wgmma`: sm_90a, f16 or bf16, a multiple
    of 4 units). `ctas` goes with the latter: so many CTAs are to share an SM,
    and warps that copy give registers to those that compute; 0 leaves registers
    to ptxas. With a `row_blocks` of 2, a CTA takes two blocks of `rows` rows of
    a sequence, one after the other, the last and the first, or the last but
    one and the second, and so on: causal attention then has as much to do in
    each CTA. It is for kernels that read keys and values from memory. With
    `persistent`, which goes with `ctas`, the grid has no more CTAs than the GPU
    holds at once, and each takes blocks of rows and runs of heads or columns
    until none are left: it starts once, and loads ahead from one to the next.

    ```mlir
    #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
             block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
    ```
  }];
  let parameters = (ins StringRefParameter<"architecture">:$arch,
                        "int64_t":$rows, "int64_t":$units, "int64_t":$columns,
                        "int64_t":$heads, "int64_t":$block, "int64_t":$depth,
                        "int64_t":$keys, "int64_t":$stages,
                        EnumParameter<HK_Operands>:$operands,
                        HK_MmaParameter:$mma,
                        DefaultValuedParameter<"int64_t", "0">:$ctas,
                        DefaultValuedParameter<"int64_t", "1">:$row_blocks,
                        DefaultValuedParameter<"bool", "false">:$persistent);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_CublasLtAttr : HK_Attr<"CublasLt", "cublaslt",
    [DeclareAttrInterfaceMethods<HK_ScheduleAttrInterface>]> {
  let summary = "a matrix product that cuBLASLt computes";
  let description = [{
    One more way to run a kernel that is a linear operation, with bias and
    residual, and nothing else. There is no code for it: the module says what
    the product is, and the runtime calls the library where it is, and where
    that was measured to be faster. `operands` is f16: input and weights are
    rounded to it, sums are f32.

    ```mlir
    #hk.cublaslt<operands = f16>
    ```
  }];
  let parameters = (ins EnumParameter<HK_Operands>:$operands);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_LoopsAttr : HK_Attr<"Loops", "loops",
    [DeclareAttrInterfaceMethods<HK_ScheduleAttrInterface>]> {
  let summary = "the schedule of a kernel that is to be right, not fast";
  let description = [{
    The kernel is lowered through linalg to plain loops, without tiles, vectors
    or approximations: what the oracle runs, so that its faults are not those
    of the optimised road. A workgroup owns `rows` rows, a whole sequence.

    ```mlir
    #hk.loops<isa = "x86-64", rows = 128>
    ```
  }];
  let parameters = (ins StringRefParameter<"ABI level">:$isa, "int64_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_PanelsAttr : HK_Attr<"Panels", "panels"> {
  let summary = "weights in panels of a few output features";
  let description = [{
    The encoding of a weight matrix `[N, K]` that lies in memory as panels of
    `width` rows of it, each panel transposed: for each group of rows n0, for
    each k, for each j, element (n0 + j, k). The last panel is as narrow as
    what is left of N. A register tile of a linear operation reads one panel
    from end to end.

    ```mlir
    tensor<384x128xf32, #hk.panels<32>>
    ```
  }];
  let parameters = (ins "int64_t":$width);
  let assemblyFormat = "`<` $width `>`";
  let genVerifyDecl = 1;
}

def HK_TilesAttr : HK_Attr<"Tiles", "tiles"> {
  let summary = "weights in tiles that are images of shared memory";
  let description = [{
    The encoding of a weight matrix `[N, K]` that lies in memory as tiles of
    `rows` x `columns` elements, padded with zeros, tile (i, j) at position
    i * ceil(K / columns) + j. A tile is the image of a `!tile.buf`: blocks of
    W columns, one after another, where W * size of an element = S is the
    largest of 128, 64, 32 and 16 bytes that divides a row of the tile. A block
    has `rows` rows of S bytes; the 16-byte chunk c of row r lies at
    c ^ ((r * S / 128) & (S / 16 - 1)).

    Rows are in the order of strips of W = `strip_rows`: of each W, the one in
    place 8j + 2t + e is Wt / 4 + 2j + e, for j below W / 8, t below 4 and e
    below 2; and so are columns, with `strip_columns`. It is how strips of
    registers (`!tile.frag`) number what a matrix instruction counts from 0 to
    W - 1. Strips of 8 leave all in its place.

    ```mlir
    tensor<384x128xf16, #hk.tiles<rows = 64, columns = 128, strip_rows = 32>>
    ```

    Constraints:
    - (C1) rows and columns are positive multiples of 8.
    - (C2) strips are of 8, 16 or 32, and divide rows or columns.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        DefaultValuedParameter<"int64_t", "8">:$strip_rows,
                        DefaultValuedParameter<"int64_t", "8">:$strip_columns);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_WorkspaceAttr : HK_Attr<"Workspace", "workspace"> {
  let summary = "a place in the workspace";
  let description = [{
    The value lies at byte B * `offset` of the plan's workspace, where B is the
    batch.

    ```mlir
    #hk.workspace<65536>
    ```
  }];
  let parameters = (ins "int64_t":$offset);
  let assemblyFormat = "`<` $offset `>`";
  let genVerifyDecl = 1;
}

def HK_ResultAttr : HK_Attr<"Result", "result"> {
  let summary = "a result of the function";
  let description = [{
    The value is written straight to result `index` of the function.

    ```mlir
    #hk.result<0>
    ```
  }];
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
  let genVerifyDecl = 1;
}

#endif // HK_DIALECT_HK_HKATTRIBUTES_TD
