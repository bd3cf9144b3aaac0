//===- TileAttributes.td - Domain, access, schedules -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Domains of walks, accesses of operands, and schedules.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEATTRIBUTES_TD
#define GNN_DIALECT_TILE_IR_TILEATTRIBUTES_TD

include "GNN/Dialect/Tile/IR/TileBase.td"
include "GNN/Dialect/Tile/IR/TileEnums.td"
include "GNN/Dialect/Tile/IR/TileSchedules.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/TensorEncoding.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// The lattice of GNN/Lattice/RowSpaces.def.
class Tile_TextParameter<string type, string summary>
    : AttrOrTypeParameter<type, summary> {
  let printer = "$_printer << $_self.str()";
}
def Tile_RowDomain : Tile_TextParameter<
    "::gnn::tile::RowDomain", "rows of a space in an order, or a number of rows">;
def Tile_StructureKey
    : Tile_TextParameter<"::gnn::StructureKey", "index array of a graph">;
def Tile_CountKey : Tile_TextParameter<"::gnn::CountKey", "scalar of a graph">;

// An attribute of one such parameter, which getters of ops unwrap.
class Tile_KeyAttr<string name, string attrMnemonic, dag parameter,
                   string type> : Tile_Attr<name, attrMnemonic> {
  let parameters = parameter;
  let hasCustomAssemblyFormat = 1;
  let returnType = type;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::gnn::tile::" # name # "Attr::get($_builder.getContext(), $0)";
}

def Tile_RowDomainAttr : Tile_KeyAttr<"RowDomain", "rows",
    (ins Tile_RowDomain:$value), "::gnn::tile::RowDomain"> {
  let summary = "rows in an order";
  let description = [{
    A domain is one of these:

    * a row space in one of its orders, `edge.in_rows`;
    * the tiles into which groups are cut, `tiles<edge_type, src_pair, 1024>`,
      or only those of long groups, `long_tiles<dst, edge.in_rows, 256>`;
    * the pieces of groups that blocks of elements leave, `pieces<dst,
      edge.in_rows, 1024>`;
    * a number of rows, `192`, for weights.

    docs/Structures.md describes all of them.
  }];
}

def Tile_OrderAttr : Tile_Attr<"Order", "order", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<OpAsmAttrInterface, ["getAlias"]>]> {
  let summary = "Tensor encoding: the order of the rows";
  let description = [{
    `tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>` has one row for each edge,
    and edges into one node are adjacent. An access to such a tensor reads or
    writes its rows in that order: another order is an error. If a derived graph
    reads its parent's rows, the order is one of the parent's: `#gnn_tile.at<group
    -> parent_edge.in_rows>`.

    A tensor without this encoding has its rows in their natural order, the
    user's, or has no rows of a graph. The accesses state the row space.
    Bufferization drops the encoding: for a buffer only the access states the
    order.

    Constraints:
    * (C1) It is an order of a row space of the graph itself, and not the natural
      one.
    * (C2) The tensor has a leading dimension of `?`.
  }];
  let parameters = (ins Tile_RowDomain:$rows);
  let assemblyFormat = "`<` $rows `>`";
  let genVerifyDecl = 1;
}

def Tile_StructureKeyAttr : Tile_KeyAttr<"StructureKey", "structure",
    (ins Tile_StructureKey:$value), "::gnn::StructureKey"> {
  let summary = "an index array of a graph";
  let description = [{
    The keys are `map FROM TO`, `rows GROUPS ELEMENTS`, `tiles GROUPS ELEMENTS
    N`, `tile_rows GROUPS ELEMENTS N`, `long_tiles` and `long_tile_rows` of the
    same, `stream GROUPS ELEMENTS TO`, `filled GROUPS ELEMENTS`, and `shares`
    and `cut_rows GROUPS ELEMENTS N`. docs/Structures.md defines them.
  }];
}

def Tile_CountKeyAttr : Tile_KeyAttr<"CountKey", "count",
    (ins Tile_CountKey:$value), "::gnn::CountKey"> {
  let summary = "a scalar of a graph";
  let description = [{
    The keys are `count SPACE`, `tile_count GROUPS ELEMENTS N`, `max_row GROUPS
    ELEMENTS`, and `long_tile_count`, `long_element_count`, `piece_count` and
    `cut_row_count GROUPS ELEMENTS N`. docs/Structures.md defines them.
  }];
}

def Tile_DomainAttr : Tile_Attr<"Domain", "domain"> {
  let summary = "the domain of a traversal: groups, their elements, heads, features";
  let description = [{
    `#gnn_tile.domain<dst, edge.in_rows, heads = 4, features = 64>` walks the
    destination nodes and, for each, its incoming edges. Without elements it is
    row-wise: `#gnn_tile.domain<edge.in_rows, features = 64>`. The default of
    `heads` and `features` is 1.

    Constraints:
    * (C1) `groups` is a row space of the graph itself in one of its orders, tiles,
      or a number of rows.
    * (C2) The elements of a group are adjacent: `rows GROUPS ELEMENTS` is a
      structure of docs/Structures.md, `groups` are tiles of these elements, or
      `elements` are tiles of these groups.
    * (C3) The numbers of heads and of features are 1 to 2^30.
  }];
  let parameters = (ins
    Tile_RowDomain:$groups,
    Tile_RowDomain:$elements,
    DefaultValuedParameter<"int64_t", "1">:$heads,
    DefaultValuedParameter<"int64_t", "1">:$features);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_AtAttr : Tile_Attr<"At", "at"> {
  let summary = "the row of an operand and the dimensions that it has";
  let description = [{
    `#gnn_tile.at<element -> src : head, feature>`: the row is the source node
    of the current edge, the trailing dimensions are head and feature. `group`
    and `element` alone are the position in the domain's own order; `all` has
    no row. `feature + 64` starts at the 65th feature, and `head + 2` at the third
    head.

    `#gnn_tile.at<group : feature, column>` reads weights transposed: the operand
    is `[matrices, features, columns]`, and row `i` is column `i mod columns` of
    matrix `i div columns`.

    Constraints:
    * (C1) A row space is reached from a group or an element, not from `all`.
    * (C2) An offset is not negative and belongs to `feature` or to `head`.
    * (C3) `column` belongs to `group : feature`, without a space, head or offset.
  }];
  let parameters = (ins
    EnumParameter<Tile_Anchor>:$anchor,
    Tile_RowDomain:$space,
    DefaultValuedParameter<"bool", "false">:$head,
    DefaultValuedParameter<"bool", "false">:$feature,
    DefaultValuedParameter<"int64_t", "0">:$offset,
    DefaultValuedParameter<"bool", "false">:$column,
    DefaultValuedParameter<"int64_t", "0">:$headOffset);
  let builders = [AttrBuilder<(ins "Anchor":$anchor, "RowDomain":$space,
      "bool":$head, "bool":$feature, "int64_t":$offset,
      CArg<"bool", "false">:$column), [{
    return $_get($_ctxt, anchor, space, head, feature, offset, column,
                 /*headOffset=*/0);
  }]>];
  let extraClassDeclaration = [{
    /// The rows from which it starts, in a domain with these rows.
    ::gnn::tile::RowDomain getStart(::gnn::tile::RowDomain groups,
                                    ::gnn::tile::RowDomain elements) const;
    /// The domain to whose rows it leads; the operand has as many rows.
    ::gnn::tile::RowDomain getRows(::gnn::tile::RowDomain groups,
                                   ::gnn::tile::RowDomain elements) const;
    /// Whether its rows are in the order of the domain's elements: the row of each
    /// element is at its position, without a map.
    bool isInOrderOf(DomainAttr domain) const;
    /// The same access to the heads and features from these on.
    AtAttr from(int64_t head, int64_t feature) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_ProductKindAttr
    : EnumAttr<Tile_Dialect, Tile_ProductKind, "product_kind">;
def Tile_StagingAttr : EnumAttr<Tile_Dialect, Tile_Staging, "staging">;
def Tile_WorkerAttr : EnumAttr<Tile_Dialect, Tile_Worker, "worker">;

def Tile_TraverseScheduleAttr : Tile_ScheduleDef<
    Tile_Dialect, "TraverseSchedule", "traverse_schedule",
    [DeclareAttrInterfaceMethods<Tile_TraversalScheduleInterface>]> {
  let summary = "the layout of a traversal on the GPU";
  let description = [{
    The passes of `gnn-schedule-pipeline` set the open fields, and those of
    `gnn-kernels-pipeline` follow all fields. A field that cannot be honoured is
    an error that names it. A traversal that has a schedule before templates are
    fused is not fused. docs/Schedules.md defines the fields.

    Fields are written by name, in any order; a field that is left out is open:
    `#gnn_tile.traverse_schedule<lanes = 16, vector = 4, row_walk = team>`.
  }];
  let genVerifyDecl = 1;
}

def Tile_CoreScheduleAttr : Tile_ScheduleDef<
    Tile_Dialect, "CoreSchedule", "core_schedule",
    [DeclareAttrInterfaceMethods<Tile_TraversalScheduleInterface>]> {
  let summary = "the layout of a traversal on the core of a CPU";
  let description = [{
    A block is the work that a core takes at once: one lane, which processes its
    rows one after the other. `gnn-tile-schedule-cores` sets the open fields. On a
    GPU too, this schedule makes a kernel of one thread a block.

    Fields are written by name, in any order; a field that is left out is open:
    `#gnn_tile.core_schedule<vector = 8>`.
  }];
}

def Tile_GemmScheduleAttr
    : Tile_ScheduleDef<Tile_Dialect, "GemmSchedule", "gemm_schedule"> {
  let summary = "the layout of a matrix product on the GPU";
  let description = [{
    The passes of `gnn-schedule-pipeline` set the open fields. A product that has
    a schedule before templates are fused is not fused. A block computes a tile of
    64 rows; `ProductLayout.h` defines its layout.

    Fields are written by name, in any order; a field that is left out is open:
    `#gnn_tile.gemm_schedule<n = 32, kind = ffma>`.
  }];
  let extraClassDeclaration = [{
    /// Columns of a block's tile; 0 if open.
    int64_t getN() const { return ProductSchedule(*this).n; }
    bool isOnTensorCores() const {
      auto kind = ProductSchedule(*this).kind;
      return kind && *kind != ProductKind::FFMA;
    }
    bool copiesAsync() const {
      return ProductSchedule(*this).copies == ProductCopies::Async;
    }
  }];
}

def Tile_SpreadAttr : Tile_Attr<"Spread", "spread"> {
  let summary = "the distribution of a vector over the threads of a block";
  let description = [{
    With `#gnn_tile.spread<each = [4, 4], lanes = [16, 8]>` a thread holds 4
    rows of 4 adjacent columns. So 16 by 8 threads hold 64 rows of 32 columns;
    the threads of one row follow each other. If the vector is larger, it is
    distributed in such pieces, and a thread holds a part of each piece. Further
    threads of the block hold the same values as the first ones. Threads that
    differ only in rows hold the same values of a vector of columns.

    At an op it states the threads of the values of a vector that is staged in
    workgroup memory, summed by a `gnn_tile.contract`, or stored; the operands of
    such a vector have the same spread.

    At a `gnn_tile.teams` it is the spread of all vectors, whose rows are heads
    and whose columns are features. It also states which lanes share the work:
    `#gnn_tile.spread<each = [1, 4], lanes = [1, 16], teams = 8, elements = 2>`
    is a block of 8 teams. Each team has 2 groups of 1 x 16 lanes, which share
    the elements of its row; lanes of features are adjacent. All of these
    numbers come from the schedule of a traversal.

    Constraints:
    * (C1) `each` and `lanes` have one entry a dimension, of one or two, all powers
      of two. The product of each is at most 1024.
    * (C2) `teams` and `elements` are both given or both absent; if given, there
      are two dimensions, `elements` is a power of two and `teams` at least 1.
    * (C3) With these, there is one lane in all; or there are whole warps of 32,
      at most 1024 lanes, and at most 32 in a team.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$each,
                        ArrayRefParameter<"int64_t">:$lanes,
                        DefaultValuedParameter<"int64_t", "0">:$teams,
                        DefaultValuedParameter<"int64_t", "0">:$elements);
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$each,
                                   "::llvm::ArrayRef<int64_t>":$lanes), [{
    return $_get($_ctxt, each, lanes, 0, 0);
  }]>];
  let assemblyFormat = [{
    `<` `each` `=` `[` $each `]` `,` `lanes` `=` `[` $lanes `]`
    (`,` `teams` `=` $teams^ `,` `elements` `=` $elements)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of threads that hold different values.
    int64_t getNumThreads() const {
      int64_t threads = 1;
      for (int64_t lanes : getLanes())
        threads *= lanes;
      return threads;
    }
    /// For teams: lanes of heads and of features, adjacent features, threads of a
    /// team and of the block.
    int64_t getHeads() const { return getLanes().front(); }
    int64_t getFeatures() const { return getLanes().back(); }
    int64_t getVector() const { return getEach().back(); }
    int64_t getTeamLanes() const { return getElements() * getNumThreads(); }
    int64_t getThreads() const { return getTeams() * getTeamLanes(); }
  }];
}

#endif // GNN_DIALECT_TILE_IR_TILEATTRIBUTES_TD
