//===- OverlayAttributes.td - Attributes of the overlay ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYATTRIBUTES_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYATTRIBUTES_TD

include "GNN/Dialect/Overlay/IR/OverlayEnums.td"

def Overlay_ActAttr : Overlay_Attr<"Act", "act"> {
  let summary = "A function of one element, with its parameter";
  let description = [{
    `relu`; `prelu` with the slope below 0; `swish`; `exp`; `sigmoid`; `divide` with
    the column of the divisor; `affine`, a scale and a shift by column
    (Activation Element, section 7). Examples are `#gnn_overlay.act<relu>` and
    `#gnn_overlay.act<prelu, 0.2>`.

    Constraints:
    * (C1) `kind` is not `none`.
    * (C2) `prelu` and `divide` have a parameter, a finite f32 number; the others have
      none.
    * (C3) The column of `divide` is a whole number from 0 to 65535.
  }];
  let parameters = (ins Overlay_WordParameter<"ActivationKind">:$kind,
                        OptionalParameter<"::mlir::FloatAttr">:$parameter);
  let assemblyFormat = "`<` custom<Word>($kind) (`,` custom<Number>($parameter)^)? `>`";
  let genVerifyDecl = 1;
}
def Overlay_ActsAttr
    : TypedArrayAttrBase<Overlay_ActAttr, "functions, applied in order">;

def Overlay_BuffersAttr : Overlay_Attr<"Buffers", "buffers"> {
  let summary = "Buffers of a processing element that an instruction empties";
  let description = [{
    Some of `weight`, `edge`, `feature` and `output`, in this order.

    Constraints:
    * (C1) There is at least one, and none occurs twice.
  }];
  let parameters = (ins "uint64_t":$bits);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class Overlay_Struct<string type, string what>
    : AttrOrTypeParameter<"::gnn::overlay::" # type, what> {
  let cppAccessorType = "const ::gnn::overlay::" # type # "&";
}
def Overlay_ParametersParameter
    : Overlay_Struct<"Parameters", "the hardware">;

def Overlay_OverlayTargetAttr : Overlay_Attr<"OverlayTarget", "target"> {
  let genMnemonicAlias = 1;
  let summary = "The hardware that a program is compiled for";
  let description = [{
    The parameters of section 4.2. The defaults are those of section 7: 8 processing
    elements of 16 x 16 on an Alveo U250. Parameters.def defines the parameters.

    Parameters are written by name; one that is left out has its default:
    `#gnn_overlay.target<pes = 8>`.

    Constraints:
    * (C1) `psys` is a power of two from 2 to 16.
    * (C2) `feature_columns` is 16: addresses are in units of a row.
    * (C3) `feature_rows` is a multiple of `psys` up to 16384; `edges` is at most 65536,
      and their weights fit a feature buffer.
    * (C4) No parameter is 0; `pes` is at most 4096, `weight_rows` 131072, and
      `memory_bytes` 2^44.
  }];
  let parameters = (ins Overlay_ParametersParameter:$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Overlay_PartitionAttr : Overlay_Attr<"Partition", "partition"> {
  let genMnemonicAlias = 1;
  let summary = "Fiber-Shard partition of a graph and its rows";
  let description = [{
    Rows of nodes are cut into blocks of `n1` and their features into fibers of `n2`;
    edges are cut into shards by the block of their destination, and shards into
    subshards by the block of their source (section 6.5).

    A subshard has one entry in the table of descriptors, several if it has more edges
    than an edge buffer, or none if it is empty and empty ones are left out. `sources`
    has the block of the sources of each entry and `entries` the number of entries of
    each shard, shards in order; without them each subshard has one entry. `shard_edges`
    has the number of edges of each shard, by which a program is cut into parts.

    Fields are written by name, in any order; lists may be left out:
    `#gnn_overlay.partition<vertices = 40, edges = 9, n1 = 16, n2 = 16>`.

    Constraints:
    * (C1) `n1` and `n2` are positive, no number is negative; vertices and edges have ids
      of 31 bits.
    * (C2) `entries` and `sources` are both given or both absent; there is one number of
      entries for each block, and their sum is the number of sources.
    * (C3) Sources of a shard do not descend, and each is a block.
    * (C4) There is one number of `shard_edges` for each block; their sum is at most `edges`.
  }];
  let parameters = (ins "int64_t":$vertices, "int64_t":$edges, "int64_t":$n1,
                        "int64_t":$n2,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$entries,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$sources,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$shard_edges);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Blocks of rows: ceil(vertices / n1).
    int64_t getBlocks() const;
    /// Entries of a shard, and of all shards.
    int64_t getNumEntries(int64_t shard) const;
    int64_t getNumEntries() const;
    /// Fibers of rows of that many features.
    int64_t getFibers(int64_t features) const;
  }];
}

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYATTRIBUTES_TD
