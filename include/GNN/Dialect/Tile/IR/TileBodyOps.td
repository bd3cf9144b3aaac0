//===- TileBodyOps.td - Ops of the bodies of templates -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of TileOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEBODYOPS_TD
#define GNN_DIALECT_TILE_IR_TILEBODYOPS_TD

class Tile_BodyOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat(traits, [Pure])>;

def Tile_ReduceOp : Tile_BodyOp<"reduce", [SameOperandsAndResultType]> {
  let summary = "Reduce a value over dimensions of the domain";
  let description = [{
    The result does not depend on the named dimensions. A value that does not
    depend on one of them counts once for each point of this dimension. An empty
    reduction gives 0. A NaN among the values gives NaN.

    Constraints:
    * (C1) `dims` names at least one dimension, each once.

    Example:

    ```mlir
    %s = gnn_tile.reduce sum [element] %m : f32
    ```
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_Reduction, "reduction">:$kind,
                       DenseI32ArrayAttr:$dims, Tile_Scalar:$value);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = [{
    custom<Reduction>($kind, $dims) $value attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_ArgReduceOp : Tile_BodyOp<"arg_reduce",
    [AllTypesMatch<["value", "extreme"]>]> {
  let summary = "Find the extreme element of a group and its index";
  let description = [{
    `max` or `min` over the elements, and the lowest `index` (not negative) of the
    elements with this value. A NaN is more extreme than every number. An empty
    group gives 0 and -1.

    Constraints:
    * (C1) `kind` is `max` or `min`.

    Example:

    ```mlir
    %v, %i = gnn_tile.arg_reduce max %x, %edge : f32
    ```
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_Reduction, "reduction">:$kind,
                       AnyFloat:$value, I32:$index);
  let results = (outs AnyFloat:$extreme, I32:$argument);
  let assemblyFormat = [{
    `` $kind $value `,` $index attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_SoftmaxSumOp : Tile_BodyOp<"softmax_sum",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>, SameTypeOperands]> {
  let summary = "Sum values over elements, weighted by powers of scores";
  let description = [{
    `highest` is the greatest score of the elements of a group, and each sum is
    the sum of `exp(score - highest) * value`: for the value 1 it is the divisor
    of a softmax. Elements are walked once: a partial sum is rescaled when a
    higher score comes (online softmax: Milakov and Gimelshein, 2018). The
    results of parts of a group can be combined by the same op, as scores and
    values of the whole group.

    Empty groups give 0. A NaN among the scores, or an infinite one that is highest,
    gives NaN sums. Scores that are all minus infinity give sums of 0 and minus infinity
    as `highest`.

    Constraints:
    * (C1) There are as many sums as values.

    Example: attention over rows `%v`.

    ```mlir
    %highest, %powers, %total = gnn_tile.softmax_sum %score, %one, %v : f32
    ```
  }];
  let arguments = (ins AnyFloat:$score, Variadic<AnyFloat>:$values);
  let results = (outs AnyFloat:$highest, Variadic<AnyFloat>:$sums);
  let hasCustomAssemblyFormat = 1;
}

def Tile_FoldOp : Tile_BodyOp<"fold", [AttrSizedOperandSegments,
    IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Reduce over elements by a monoid with a state";
  let description = [{
    The region combines the states of the elements, given by `values`, pairwise:
    the two halves of its arguments are two states. It must be associative and
    commutative: lanes that take elements in turns combine their states in another
    order than that of the elements, but the same one on every run. `identity` is
    the state of no elements. Online softmax is an example, with the state
    (maximum, sum, weighted sum).

    Constraints:
    * (C1) There are as many identities and results as values, of their types.
    * (C2) The region has two arguments a value and yields one a value.
    * (C3) A component's result may depend only on components whose level is
      within its own.
    * (C4) An identity's level is within that of its result: it exists before any
      element.

    Example:

    ```mlir
    %m, %z = gnn_tile.fold %s, %one identity %ninf, %zero : f32, f32 {
    ^bb0(%m0: f32, %z0: f32, %m1: f32, %z1: f32):
      ...
      gnn_tile.yield %mx, %zs : f32, f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Scalar>:$values,
                       Variadic<Tile_Scalar>:$identity);
  let results = (outs Variadic<Tile_Scalar>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_SizeOp : Tile_BodyOp<"size"> {
  let summary = "Count the elements of the current group";
  let description = [{
    The number of elements, as a float.

    Example:

    ```mlir
    %n = gnn_tile.size : f32
    ```
  }];
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_IndexOp : Tile_BodyOp<"index"> {
  let summary = "Get the row or column of the current point";
  let description = [{
    The row of an access, or the head or the feature of the point.

    Constraints:
    * (C1) `at` is a group or an element without columns, or `all` with one of
      `head` and `feature`.

    Example:

    ```mlir
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    %f = gnn_tile.index #gnn_tile.at<all : feature>
    ```
  }];
  let arguments = (ins Tile_AtAttr:$at);
  let results = (outs I32:$result);
  let assemblyFormat = "$at attr-dict";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["TraverseOp", "GemmOp", "FoldOp", "WalkOp", "ParallelOp",
                 "TeamsOp", "BlocksOp", "StageWindowOp", "AddAtomicallyOp"]>]> {
  let summary = "Yield the values of a body";
  let description = [{
    Ends a body. It yields one value for each output of a `gnn_tile.traverse`,
    the value that a `gnn_tile.gemm` stores, the components of a
    `gnn_tile.fold`, or the values that a `gnn_tile.walk` or `gnn_tile.parallel`
    combines. It is omitted in the text of a `gnn_tile.blocks` or
    `gnn_tile.teams`.

    Example:

    ```mlir
    gnn_tile.yield %s : f32
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[
      Tile_Scalar, VectorOfNonZeroRankOf<[AnyFloat, AnySignlessInteger]>]>>:$values);
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // GNN_DIALECT_TILE_IR_TILEBODYOPS_TD
