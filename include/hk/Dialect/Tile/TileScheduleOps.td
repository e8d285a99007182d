// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level S: the schedule. Channels, slots and roles.

#ifndef HK_DIALECT_TILE_TILESCHEDULEOPS_TD
#define HK_DIALECT_TILE_TILESCHEDULEOPS_TD

include "hk/Dialect/Tile/TileMemoryOps.td"

def Tile_RoleOp : Tile_Op<"role", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "what some warps of a CTA do";
  let description = [{
    The consumers are the units, warps 0 to `units`; the producers are the
    warps after them. A role may use what is computed before it from scalars;
    no other value crosses.

    Constraints:
    - (C1) the parent is a kernel, with one role of each kind at most.
    - (C2) values from outside of the role are arguments of the kernel,
      scalars and channels.
    - (C3) only a producer has `acquire`, `copy` and `commit`; only a consumer
      has `wait` and `release`.

    Example:

    ```mlir
    tile.role producer {
      ...
    }
    ```
  }];
  let arguments = (ins Tile_RoleKindAttr:$kind);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<EnumKeyword>($kind) attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Tile_ChanOp : Tile_Op<"chan", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring of slots";
  let description = [{
    `offset` is where its slots begin in shared memory and `barriers` where its
    barriers do (8 bytes each: all full ones, then all empty ones), once they
    are allocated.

    Constraints:
    - (C1) the parent is a kernel.
    - (C2) offsets are aligned: slots to 1024 bytes, barriers to 8.

    Example:

    ```mlir
    %c = tile.chan bulk : !tile.chan<64x128xf16, 3>
    ```
  }];
  let arguments = (ins Tile_TransportAttr:$transport,
                       OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$barriers);
  let results = (outs Tile_Chan:$result);
  let assemblyFormat = "custom<EnumKeyword>($transport) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_AcquireOp : Tile_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the producer waits for the next slot to be empty";
  let description = [{
    Constraints:
    - (C1) the result is no larger than a slot, in bytes.

    Example:

    ```mlir
    %s = tile.acquire %c : !tile.chan<64x128xf16, 3> -> !tile.buf<64x128xf16>
    ```
  }];
  let arguments = (ins Tile_Chan:$chan);
  let results = (outs Tile_Buf:$result);
  let assemblyFormat = "$chan attr-dict `:` type($chan) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CopyOp : Tile_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "global memory to a slot";
  let description = [{
    As `stage`, into the slot that was acquired; it is full once the copy is
    complete and committed.

    Constraints:
    - (C1) as for `stage`.
    - (C2) the slot is the result of an `acquire`.

    Example:

    ```mlir
    tile.copy %tiles[%i] to %s : !tile.tiles<64x128xf16> -> !tile.buf<64x128xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_Global, "", [MemRead]>:$source,
                       Variadic<Index>:$indices, Optional<Index>:$rows,
                       Arg<Tile_Buf, "", [MemWrite]>:$slot,
                       OptionalAttr<I64Attr>:$columns,
                       OptionalAttr<DenseI64ArrayAttr>:$padded);
  let assemblyFormat = [{
    $source `[` $indices `]` (`rows` `(` $rows^ `)`)?
    (`columns` `(` $columns^ `)`)? (`padded` $padded^)? `to` $slot attr-dict `:`
    type($source) `->` type($slot)
  }];
  let hasVerifier = 1;
}

def Tile_CommitOp : Tile_Op<"commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the slot becomes full when its copies are complete";
  let description = [{
    Example:

    ```mlir
    tile.commit %c : !tile.chan<64x128xf16, 3>
    ```
  }];
  let arguments = (ins Tile_Chan:$chan);
  let assemblyFormat = "$chan attr-dict `:` type($chan)";
}

def Tile_WaitOp : Tile_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a consumer waits for the next slot to be full";
  let description = [{
    Constraints:
    - (C1) the result is no larger than a slot, in bytes.

    Example:

    ```mlir
    %b = tile.wait %c : !tile.chan<64x128xf16, 3> -> !tile.buf<64x128xf16>
    ```
  }];
  let arguments = (ins Tile_Chan:$chan);
  let results = (outs Tile_Buf:$result);
  let assemblyFormat = "$chan attr-dict `:` type($chan) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReleaseOp : Tile_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a unit is done with the oldest slot that it holds";
  let description = [{
    Example:

    ```mlir
    tile.release %c : !tile.chan<64x128xf16, 3>
    ```
  }];
  let arguments = (ins Tile_Chan:$chan);
  let assemblyFormat = "$chan attr-dict `:` type($chan)";
}

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buf of its own in shared memory";
  let description = [{
    Example:

    ```mlir
    %b = tile.alloc : !tile.buf<64x64xf16>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_Buf:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_PutOp : Tile_Op<"put"> {
  let summary = "a frag into a buf";
  let description = [{
    Constraints:
    - (C1), (C2) as for `publish`.

    Example:

    ```mlir
    tile.put %f to %b[%row, %c0] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>
    ```
  }];
  let arguments = (ins Tile_Frag:$value, Arg<Tile_Buf, "", [MemWrite]>:$target,
                       Index:$row, Index:$column);
  let assemblyFormat = [{
    $value `to` $target `[` $row `,` $column `]` attr-dict `:` type($value) `,`
    type($target)
  }];
  let hasVerifier = 1;
}

def Tile_SyncOp : Tile_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a barrier of all units";
  let description = [{
    Example:

    ```mlir
    tile.sync
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridWaitOp : Tile_Op<"grid_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a thread waits for the kernels in front of this one";
  let description = [{
    Where a kernel may be started before the one in front of it has ended
    (programmatic dependent launch), all of that one, and of what it waited
    for, is complete and in memory from here on. Elsewhere it does nothing.
    Each thread waits for itself: (C5) of `tile.kernel`.

    Constraints:
    - (C1) the parent is a kernel or a role.

    Example:

    ```mlir
    tile.grid_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // HK_DIALECT_TILE_TILESCHEDULEOPS_TD
