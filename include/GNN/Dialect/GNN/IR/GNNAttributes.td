//===- GNNAttributes.td - Row spaces and statistics --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNATTRIBUTES_TD
#define GNN_DIALECT_GNN_IR_GNNATTRIBUTES_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/TensorEncoding.td"
include "GNN/Dialect/GNN/IR/GNNEnums.td"

class GNN_Attr<string name, list<Trait> traits = []>
    : AttrDef<GNN_Dialect, name, traits>;

// The row spaces of GNN/Lattice/RowSpaces.def.
def GNN_RowSpace
    : AttrOrTypeParameter<"::gnn::RowSpace", "the meaning of one row of a tensor"> {
  let printer = "$_printer << ::gnn::stringifyRowSpace($_self)";
}
def GNN_RowSpaceAttr : GNN_Attr<"RowSpace"> {
  let summary = "The meaning of one row of a tensor";
  let mnemonic = "row_space";
  let parameters = (ins GNN_RowSpace:$value);
  let assemblyFormat = "$value";
  let returnType = "::gnn::RowSpace";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::gnn::RowSpaceAttr::get($_builder.getContext(), $0)";
}

def GNN_RowsAttr : GNN_Attr<"Rows", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<OpAsmAttrInterface, ["getAlias"]>]> {
  let mnemonic = "rows";
  let summary = "Tensor encoding: the row space of the leading dimension";
  let description = [{
    `#gnn.rows<@g, src_pair>` has one row for each (source node, edge type) that
    occurs in the graph `@g`. A printed module defines an alias for it at the
    top: `#src_pair`, or `#block1_src_pair` for a graph `@block1`.

    | space | one row for each | number of rows known |
    | --- | --- | --- |
    | `edge` | edge, in the user's order | when a graph is bound |
    | `src_pair` | (source node, edge type) that occurs, by (type, node) | when a graph is bound |
    | `dst_pair` | (destination node, edge type) that occurs, by (type, node) | when a graph is bound |
    | `src`, `dst` | source or destination node of a bipartite graph | when a graph is bound |
    | `node` | node of a square graph | when a graph is bound |
    | `edge_type`, `node_type` | edge type, node type | when compiled |
    | `graph` | graph: one row | when compiled |

    Constraints:
    * (C1) The tensor has a leading dimension.
    * (C2) It is `?` when the number of rows is known only with a bound graph.
    * (C3) It is static for `edge_type` and `node_type` rows.
    * (C4) It is 1 for `graph` rows.
    * (C5) All other dimensions are static and at least 1.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$graph,
                        GNN_RowSpace:$space);
  let assemblyFormat = "`<` $graph `,` $space `>`";
}

def GNN_StatsAttr : GNN_Attr<"Stats"> {
  let mnemonic = "stats";
  let genMnemonicAlias = 1;
  let summary = "Statistics of a graph, known before it is bound";
  let description = [{
    Passes estimate costs by these counts. A graph without them is optimized by
    rules that are safe for any graph. `gnn-run --stats FILE` and
    `Graph.stats()` print the attribute of a graph.

    Fields are written by name, in any order, as in the example. The first six
    are required. The others are left out if they are unknown: a number is
    then 0, and a list is empty.

    Constraints:
    * (C1) No count is negative.
    * (C2) `type_edges`, `src_pairs` and `dst_pairs` are of one length, and so are
      `src_pair_max` and `dst_pair_max` unless they are empty.
    * (C3) `type_edges` adds up to `edges`.
    * (C4) An edge type has no more pairs than edges.
    * (C5) `near_edges` has three counts that ascend up to `edges`, or none.
    * (C6) No pair has more edges than its type.
    * (C7) A largest degree that is known is at least the mean and at most `edges`; a
      sum of squares is at least `edges` and the square of that degree, and at most
      its product with `edges`.

    Example:

    ```mlir
    #gnn.stats<src_nodes = 4, dst_nodes = 4, edges = 5, type_edges = [3, 2],
               src_pairs = [2, 2], dst_pairs = [3, 1], in_degree_max = 2>
    ```
  }];
  let parameters = (ins
    AttrParameter<"int64_t", "source nodes">:$src_nodes,
    AttrParameter<"int64_t", "destination nodes">:$dst_nodes,
    AttrParameter<"int64_t", "edges">:$edges,
    AttrParameter<"::mlir::DenseI64ArrayAttr",
        "for each edge type, its edges">:$type_edges,
    AttrParameter<"::mlir::DenseI64ArrayAttr",
        "for each edge type, its distinct source nodes">:$src_pairs,
    AttrParameter<"::mlir::DenseI64ArrayAttr",
        "for each edge type, its distinct destination nodes">:$dst_pairs,
    DefaultValuedParameter<"int64_t", "0",
        "sum of the squared in-degrees of destination nodes">:$in_degree_squares,
    DefaultValuedParameter<"int64_t", "0",
        "largest in-degree: the longest row">:$in_degree_max,
    DefaultValuedParameter<"int64_t", "0",
        "sum of the squared out-degrees of source nodes">:$out_degree_squares,
    DefaultValuedParameter<"int64_t", "0",
        "largest out-degree">:$out_degree_max,
    OptionalParameter<"::mlir::DenseI64ArrayAttr",
        "for each edge type, the most of its edges at one source">:$src_pair_max,
    OptionalParameter<"::mlir::DenseI64ArrayAttr",
        "for each edge type, the most of its edges at one destination">:$dst_pair_max,
    OptionalParameter<"::mlir::DenseI64ArrayAttr",
        "for a square graph, the edges whose ids are at most 4,096, 32,768 and "
        "262,144 apart">:$near_edges);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The statistics of only the edges of some types, renumbered in the order
    /// of `types`, on the same nodes. Their degrees are unknown.
    StatsAttr restrictTo(::llvm::ArrayRef<int64_t> types) const;
    /// The statistics with one more self loop of edge type `type` at each node,
    /// which may be a new type, if no node has one.
    StatsAttr withLoops(int64_t type) const;
    /// The expected statistics with `count` ranges of the nodes at `end` as edge
    /// types: edges between near ids stay in one range, others are random.
    StatsAttr shard(::gnn::EndPoint end, int64_t count) const;

    /// The share of edges whose ids are at most `distance` apart, by the longest
    /// counted distance up to that; 0 without such a count.
    double getNearShare(double distance) const;

    /// The number of edges of the node at `end` with the most edges; an estimate
    /// if the degrees of nodes are unknown but those of pairs are known; 0 if
    /// nothing is known.
    int64_t getLongestRow(::gnn::EndPoint end) const;
    /// The same for the pairs of an edge type and a node; that of nodes if those
    /// of pairs are unknown.
    int64_t getLongestPair(::gnn::EndPoint end) const;

    /// An estimate of the largest number of edges of some types in one node, from
    /// the longest pair of each type: it is between the longest of them and their
    /// sum.
    static double expectLongestRow(::llvm::ArrayRef<int64_t> longestPairs);
  }];
}

class GNN_TargetFields<string type, string what>
    : AttrOrTypeParameter<"::gnn::" # type, what> {
  let cppAccessorType = "const ::gnn::" # type # "&";
  let printer = "::gnn::print($_printer, $_self)";
}
def GNN_TargetLimits : GNN_TargetFields<"TargetLimits", "the limits of a target">;
def GNN_TargetAbilities : GNN_TargetFields<"TargetAbilities", "the abilities of a target">;
def GNN_TargetFigures : GNN_TargetFields<"TargetFigures", "the figures of the cost model">;

def GNN_TargetAttr : GNN_Attr<"Target"> {
  let mnemonic = "target";
  let genMnemonicAlias = 1;
  let summary = "The target that a module is compiled for";
  let description = [{
    The attribute `gnn.target` of a module, which `gnn-attach-target` sets. Every
    pass whose choices depend on the target reads it; the default target of a
    module is the first GPU of Targets.def.

    `kind` is the kind of device: `cuda` for a GPU, `emulator` for an emulated
    GPU, `cpu` for the cores of a CPU. `name` is the name of a target with known
    figures (docs/Cost.md), or empty. `chip` is the architecture of the code: a
    chip of LLVM's NVPTX backend, or a processor.

    All six parameters are written by name, in any order, as in the example.
    Fields of `limits` and `figures` that are left out are 0: the target does
    not have them. `abilities` lists the fields that are true. TargetFields.def
    defines the fields.

    Constraints:
    * (C1) `kind` is not empty.
    * (C2) No limit or figure is negative.
    * (C3) The vector of a `cpu` has 1, 2, 4, 8 or 16 elements, and there are 8 to 1024
      vector registers.

    Example:

    ```mlir
    #gnn.target<kind = "cpu", name = "", chip = "x86-64-v3",
                limits = {lanes = 1, threads = 1, vector = 8, vector_registers = 16},
                abilities = [], figures = {memory_bandwidth = 2.0e10}>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"the kind of device">:$kind,
    StringRefParameter<"a known target">:$name,
    StringRefParameter<"the architecture of the code">:$chip,
    GNN_TargetLimits:$limits, GNN_TargetAbilities:$abilities,
    GNN_TargetFigures:$figures);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // GNN_DIALECT_GNN_IR_GNNATTRIBUTES_TD
