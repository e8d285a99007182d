// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level V: what moves between global memory, shared memory and registers.

#ifndef HK_DIALECT_TILE_TILEMEMORYOPS_TD
#define HK_DIALECT_TILE_TILEMEMORYOPS_TD

include "hk/Dialect/Tile/TileOps.td"

def Tile_Global : AnyTypeOf<[MemRefRankOf<[AnyType], [1, 2]>, Tile_Tiles]>;

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "global memory to a frag";
  let description = [{
    - A matrix `[R, C]` at (row, column): element (i, j) of the result is
      m[row + i, column + j].
    - A vector at an offset: `1xC` takes one element a column, `Rx1` one a row.

    Rows at or after `rows` are zeros and not read (of a vector: elements at or
    after it); so are columns at or after `columns` of the result, and what lies
    beyond the last column of the memref. Each unit
    loads its own frag, and the rows are its own.

    Constraints:
    - (C1) two indices for a matrix, one for a vector.
    - (C2) the memref and the frag have the same element type.
    - (C3) a vector is loaded as `1xC` or `Rx1`, a matrix not as `Rx1`.
    - (C4) `columns` is positive and at most the columns of the result.

    Example:

    ```mlir
    %x = tile.load %m[%row, %c0] rows(%end)
        : memref<?x128xf32> -> !tile.frag<16x128xf32>
    %b = tile.load %bias[%n] : memref<384xf32> -> !tile.frag<1x64xf32>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnyType], [1, 2]>, "", [MemRead]>:$source,
                       Variadic<Index>:$indices, Optional<Index>:$rows,
                       OptionalAttr<I64Attr>:$columns);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`rows` `(` $rows^ `)`)?
    (`columns` `(` $columns^ `)`)? attr-dict `:` type($source) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "a frag to global memory";
  let description = [{
    Element (i, j) goes to m[row + i, column + j]. Rows at or after `rows`, and
    columns at or after `columns` or beyond the memref, are not written.

    Constraints:
    - (C1) the memref is a matrix, of the element type of the frag.
    - (C2) `columns` is positive and at most the columns of the frag.

    Example:

    ```mlir
    tile.store %y to %m[%row, %c0] rows(%end)
        : !tile.frag<16x128xf32>, memref<?x128xf32>
    ```
  }];
  let arguments = (ins Tile_Frag:$value,
                       Arg<MemRefRankOf<[AnyType], [2]>, "", [MemWrite]>:$target,
                       Index:$row, Index:$column, Optional<Index>:$rows,
                       OptionalAttr<I64Attr>:$columns);
  let assemblyFormat = [{
    $value `to` $target `[` $row `,` $column `]` (`rows` `(` $rows^ `)`)?
    (`columns` `(` $columns^ `)`)? attr-dict `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_StageOp : Tile_Op<"stage", [AttrSizedOperandSegments]> {
  let summary = "global memory to shared memory (collective)";
  let description = [{
    Of packed weights, tile number `index`, as it is. Of a matrix, the rows
    from (row, column) on; rows at or after `rows` and columns at or after
    `columns`, or beyond the memref, are zeros and not read. With `padded` of
    [s, p], each p rows of the result are the next s of the matrix, and zeros
    behind them.

    Constraints:
    - (C1) one index for packed weights, two for a matrix.
    - (C2) the element types agree, and tiles have the shape of the result.
    - (C3) `rows`, `columns` and `padded` are given for a matrix only; `columns`
      is positive and at most the columns of the result.
    - (C4) s of `padded` is positive and at most p, which divides the rows of the
      result.

    Example:

    ```mlir
    %w = tile.stage %tiles[%i] : !tile.tiles<64x128xf16>
        -> !tile.buf<64x128xf16>
    %k = tile.stage %qkv[%row, %c] rows(%end) columns(40)
        : memref<?x384xf16> -> !tile.buf<64x40xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_Global, "", [MemRead]>:$source,
                       Variadic<Index>:$indices, Optional<Index>:$rows,
                       OptionalAttr<I64Attr>:$columns,
                       OptionalAttr<DenseI64ArrayAttr>:$padded);
  let results = (outs Tile_Buf:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`rows` `(` $rows^ `)`)?
    (`columns` `(` $columns^ `)`)? (`padded` $padded^)? attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PublishOp : Tile_Op<"publish"> {
  let summary = "frags of all units become one buf (collective)";
  let description = [{
    The only exchange of data: each unit writes its frag at `row`, `column` of
    the buf. The operands differ from unit to unit; together they cover the
    rows that are read.

    Constraints:
    - (C1) the frag is a slab of the element type of the buf and fits into it.
    - (C2) the row and the column are multiples of 8.

    Example:

    ```mlir
    %k = tile.publish %f at(%row, %c0)
        : !tile.frag<16x64xf16> -> !tile.buf<64x64xf16>
    ```
  }];
  let arguments = (ins Tile_Frag:$value, Index:$row, Index:$column);
  let results = (outs Res<Tile_Buf, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = [{
    $value `at` `(` $row `,` $column `)` attr-dict `:` type($value) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Tile_EmptyOp : Tile_Op<"empty", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buf that puts fill, block of rows by block (collective)";
  let description = [{
    Where `publish` makes a buf of one frag of each unit, this is for as many as
    loops compute: each is written by `tile.put`, and together they cover the
    rows that are read. All puts come before the first other use, so that to
    those the buf is a value.

    Example:

    ```mlir
    %k = tile.empty : !tile.buf<128x64xf16>
    scf.for %first = %c0 to %rows step %c64 {
      %row = arith.addi %first, %unit_row : index
      tile.put %f to %k[%row, %c0] : !tile.frag<16x64xf16>, !tile.buf<128x64xf16>
    }
    ```
  }];
  let results = (outs Tile_Buf:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_FetchOp : Tile_Op<"fetch"> {
  let summary = "a part of a buf to a frag";
  let description = [{
    Element (i, j) of the result is b[row + i, column + j]: the A operand of
    `mma`, by `ldmatrix` for 16-bit elements.

    Constraints:
    - (C1) the result is a slab of the element type of the buf, no larger than
      it.
    - (C2) the row and the column are multiples of 8.

    Example:

    ```mlir
    %a = tile.fetch %b[%row, %c0]
        : !tile.buf<128x64xf16> -> !tile.frag<32x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_Buf, "", [MemRead]>:$source, Index:$row,
                       Index:$column);
  let results = (outs Tile_Frag:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $column `]` attr-dict `:` type($source) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ExtentOp : Tile_Op<"extent"> {
  let summary = "how far a mask reaches";
  let description = [{
    1 + the index of the last byte of m[begin, begin + size) that is not zero,
    or 0 if there is none. With `leading`, the number of bytes in front of the
    first one that is zero, or `size` if there is none. The result is the same
    for all units.

    Constraints:
    - (C1) the memref is a vector of i8.

    Example:

    ```mlir
    %n = tile.extent %mask[%begin] of(%s) : memref<?xi8>
    %whole = tile.extent %mask[%begin] of(%s) {leading} : memref<?xi8>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I8], [1]>, "", [MemRead]>:$mask,
                       Index:$begin, Index:$size, UnitAttr:$leading);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $mask `[` $begin `]` `of` `(` $size `)` attr-dict `:` type($mask)
  }];
}

#endif // HK_DIALECT_TILE_TILEMEMORYOPS_TD
