// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile dialect, its types and enums.

#ifndef HK_DIALECT_TILE_TILEBASE_TD
#define HK_DIALECT_TILE_TILEBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::hk::tile";
  let summary = "kernels for GPUs, as tiles and who holds them";
  let description = [{
    A kernel is one program that every *unit* of a CTA runs. A unit is a group
    of warps (one, for `mma.sync`) that owns some rows of what the CTA owns. A
    `frag` is a tile in the registers of one unit; a `buf` is a tile in shared
    memory, the same for all units.

    The dialect has two levels. Level V is values: what is computed, and who
    shares it. Tiles are immutable, and only `load`, `stage` and `store` touch
    memory. Level S is the schedule: channels (rings of slots with a full and
    an empty barrier each), roles and slots of shared memory; every effect is
    explicit. Passes lead from V to S once, and targets differ only after S.

    Operations marked *collective* are reached by all units of a CTA, in the
    same order, with the same operands.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hk::tile";
  let genSpecializedAttr = 0;
}

def Tile_Layout : Tile_Enum<"FragLayout", "how a frag lies in registers", [
  I32EnumAttrCase<"Slab", 0, "slab">,
  I32EnumAttrCase<"Line", 1, "line">,
  I32EnumAttrCase<"Strip16", 2, "strip16">,
  I32EnumAttrCase<"Strip32", 3, "strip32">
]>;

def Tile_Reduction : Tile_Enum<"Reduction", "how columns are combined", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Max", 1, "max">
]>;
def Tile_ReductionAttr
    : EnumAttr<Tile_Dialect, Tile_Reduction, "reduction">;

def Tile_Vote : Tile_Enum<"VoteKind", "how a predicate is made uniform", [
  I32EnumAttrCase<"Any", 0, "any">,
  I32EnumAttrCase<"All", 1, "all">
]>;
def Tile_VoteAttr : EnumAttr<Tile_Dialect, Tile_Vote, "vote_kind">;

def Tile_RoleKind : Tile_Enum<"RoleKind", "what the warps of a role do", [
  I32EnumAttrCase<"Consumer", 0, "consumer">,
  I32EnumAttrCase<"Producer", 1, "producer">
]>;
def Tile_RoleKindAttr : EnumAttr<Tile_Dialect, Tile_RoleKind, "role_kind">;

def Tile_Transport : Tile_Enum<"Transport", "how data gets into a slot", [
  // cp.async by the lanes of the producer; sm_80 and later.
  I32EnumAttrCase<"Async", 0, "async">,
  // One cp.async.bulk of contiguous bytes; sm_90 and later.
  I32EnumAttrCase<"Bulk", 1, "bulk">
]>;
def Tile_TransportAttr : EnumAttr<Tile_Dialect, Tile_Transport, "transport">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Tile_Type<string name, string mnemonic_, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = mnemonic_;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Frag : Tile_Type<"Frag", "frag"> {
  let summary = "a tile in the registers of one unit";
  let description = [{
    `rows` x `columns` elements of a unit. A size of 1 is a broadcast: `16x1`
    is one value a row, `1x64` one a column.

    In the *slab* layout a warp owns runs of 16 rows; thread (g, t) =
    (lane / 4, lane mod 4) holds rows g and g + 8 of each, columns 8j + 2t and
    8j + 2t + 1. It is the accumulator of `mma.sync.m16n8k16` and, rounded to
    f16, the A operand of the next.

    A *strip* of W = 16 or 32 is a slab with other columns: of each W, thread
    (g, t) holds the W / 4 from Wt / 4 on, which lie beside each other in memory.
    What a matrix instruction takes for column 8j + 2t + e of each W is column
    Wt / 4 + 2j + e, for j below W / 8 and e below 2; so a product of strips
    takes a B in the order of strips (`!tile.buf`). A slab is a strip of 8.

    The *line* layout is for kernels that stream rows: 2^n lanes hold a row,
    each of them runs of 16 contiguous bytes of f32. As many lanes as the widest
    line of the kernel needs hold every row of it. `mma` does not take it.

    Constraints:
    - (C1) elements are f32, f16, bf16, i1, i8 or i32.
    - (C2) in the slab layout, rows are 1 or a multiple of 16, columns are 1 or
      a multiple of 8, or in a strip of its width.
    - (C3) sizes are positive.

    ```mlir
    !tile.frag<16x128xf32>
    !tile.frag<16x128xf32, strip16>
    !tile.frag<8x512xf32, line>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType,
                        EnumParameter<Tile_Layout>:$layout);
  let builders = [TypeBuilderWithInferredContext<
      (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
           CArg<"::hk::tile::FragLayout",
                "::hk::tile::FragLayout::Slab">:$layout), [{
    return $_get(elementType.getContext(), rows, columns, elementType, layout);
  }]>];
  let extraClassDeclaration = [{
    bool isLine() const { return getLayout() == FragLayout::Line; }
    /// The columns among which those of the lanes of a row take turns: 8 in a
    /// slab.
    int64_t getStrip() const { return getStripWidth(getLayout()); }
    bool isStrip() const { return getStrip() > 8; }
    /// The same shape and layout with other elements.
    FragType withElementType(::mlir::Type type) const {
      return get(getRows(), getColumns(), type, getLayout());
    }
    /// One value a row is a slab, whatever the row is.
    FragType withColumns(int64_t columns) const {
      return get(getRows(), columns, getElementType(),
                 columns == 1 && isStrip() ? FragLayout::Slab : getLayout());
    }
  }];
}

def Tile_Buf : Tile_Type<"Buf", "buf"> {
  let summary = "a tile in shared memory";
  let description = [{
    `rows` x `columns` elements, stored as blocks of columns one after another.
    A row of a block has S bytes, the largest of 128, 64, 32 and 16 that
    divides a row of the tile, and its 16-byte chunk c lies at
    c ^ ((row * S / 128) & (S / 16 - 1)), so that `ldmatrix` meets no bank
    twice. The same bytes are read along rows (weights, keys) or along columns
    (values). This is also what `#hk.tiles` keeps in memory.

    Rows or columns may be in the order of strips of W = 16 or 32: of each W, the
    one in place 8j + 2t + e is Wt / 4 + 2j + e, for j below W / 8, t below 4 and
    e below 2.

    Constraints:
    - (C1) elements are f16, bf16 or f32.
    - (C2) rows and columns are positive multiples of 8.
    - (C3) strips are of 8 (the order as it is), 16 or 32, and divide rows or
      columns.

    ```mlir
    !tile.buf<64x128xf16>
    !tile.buf<64x128xf16, strip_rows = 16, strip_columns = 32>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType, "int64_t":$stripRows,
                        "int64_t":$stripColumns);
  let builders = [TypeBuilderWithInferredContext<
      (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
           CArg<"int64_t", "8">:$stripRows,
           CArg<"int64_t", "8">:$stripColumns), [{
    return $_get(elementType.getContext(), rows, columns, elementType,
                 stripRows, stripColumns);
  }]>];
  let extraClassDeclaration = [{
    int64_t getElementBytes() const {
      return getElementType().getIntOrFloatBitWidth() / 8;
    }
    int64_t getBytes() const {
      return getRows() * getColumns() * getElementBytes();
    }
    /// S: the bytes of a row of a block.
    int64_t getBlockBytes() const;
    /// The columns of a block.
    int64_t getBlockColumns() const {
      return getBlockBytes() / getElementBytes();
    }
  }];
}

def Tile_Tiles : Tile_Type<"Tiles", "tiles"> {
  let summary = "packed weights in global memory: images of bufs";
  let description = [{
    The address of a weight in the layout `#hk.tiles<rows, columns>`; each tile
    is the image of a `!tile.buf` of this shape and order.

    Constraints:
    - (C1) as for `!tile.buf`.

    ```mlir
    !tile.tiles<64x128xf16>
    !tile.tiles<64x128xf16, strip_rows = 32>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType, "int64_t":$stripRows,
                        "int64_t":$stripColumns);
  let builders = [TypeBuilderWithInferredContext<
      (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
           CArg<"int64_t", "8">:$stripRows,
           CArg<"int64_t", "8">:$stripColumns), [{
    return $_get(elementType.getContext(), rows, columns, elementType,
                 stripRows, stripColumns);
  }]>];
  let extraClassDeclaration = [{
    BufType getBufType() const {
      return BufType::get(getRows(), getColumns(), getElementType(),
                          getStripRows(), getStripColumns());
    }
  }];
}

def Tile_Chan : Tile_Type<"Chan", "chan"> {
  let summary = "a ring of slots between the producer and the consumers";
  let description = [{
    Level S. Each slot holds a `!tile.buf` and has two barriers: full (the data
    is there) and empty (every unit is done with it).

    Constraints:
    - (C1) there is at least one slot.

    ```mlir
    !tile.chan<64x128xf16, 3>
    ```
  }];
  let parameters = (ins "BufType":$slotType, "int64_t":$slots);
  let builders = [TypeBuilderWithInferredContext<
      (ins "BufType":$slotType, "int64_t":$slots), [{
    return $_get(slotType.getContext(), slotType, slots);
  }]>];
  let extraClassDeclaration = [{
    /// The bytes from one slot to the next: slots begin at multiples of 1024.
    int64_t getSlotStride() const {
      return (getSlotType().getBytes() + 1023) / 1024 * 1024;
    }
  }];
}

#endif // HK_DIALECT_TILE_TILEBASE_TD
