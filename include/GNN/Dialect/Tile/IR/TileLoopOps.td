//===- TileLoopOps.td - Ops of the loops form --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops beside upstream's, which cannot say which blocks become a kernel, nor an
// order-free reduction of several values at once, nor what the workers of a block
// do side by side.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILELOOPOPS_TD
#define GNN_DIALECT_TILE_IR_TILELOOPOPS_TD

include "GNN/Dialect/Tile/IR/TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_BlocksOp : Tile_Op<"blocks", [
    AutomaticAllocationScope, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
      "getLoopSteps", "isDefinedOutsideOfLoop"]>]> {
  let summary = "Do something in each block of a grid: a kernel";
  let description = [{
    Runs the body for all multiples of `step` from 0 to before the end, in up to three
    dimensions: those of the grid, x first. The blocks are independent of each other.
    From the blocked form to the lanes form it is the loop of which
    `convert-gnn-tile-to-gpu` makes a kernel and its launch. A loop of another kind,
    such as an `scf.forall`, is none.

    `template` is what it was made of, for the kernel's name where the model's ops are
    unknown. `schedule` is that of the template, for reports; of several an array of
    them; a kernel that is written by hand has a text. `threads` says that the body is
    what each of so many threads of a block does: the lanes form. A `gnn_tile.cost`
    in front of it says what a launch costs.

    `gnn-verify-form` has the contract of each form.

    Constraints:
    * (C1) The loop has 1 to 3 dimensions: as many ends of at least 0, positive steps,
      and arguments of the body, which are indices.
    * (C2) `threads` is 1 to 1024.
    * (C3) `schedule` is the schedule of a template, a text, or an array of such.
    * (C4) It is in no other `gnn_tile.blocks`.

    Example:

    ```mlir
    gnn_tile.blocks to [%n, 64] step [8, 32] template "traverse" threads 256 {
    ^bb0(%row: index, %column: index):
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$ends, DenseI64ArrayAttr:$static_ends,
                       DenseI64ArrayAttr:$steps, OptionalAttr<StrAttr>:$made_of,
                       OptionalAttr<AnyAttr>:$schedule,
                       OptionalAttr<I64Attr>:$threads);
  let regions = (region SizedRegion<1>:$region);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<::mlir::OpFoldResult>":$ends,
      "::llvm::ArrayRef<int64_t>":$steps, "::mlir::StringAttr":$made_of,
      "::mlir::Attribute":$schedule)>];
  let assemblyFormat = [{
    `to` custom<DynamicIndexList>($ends, $static_ends) `step` $steps
    (`template` $made_of^)? (`schedule` $schedule^)? (`threads` $threads^)?
    attr-dict-with-keyword $region
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getRank() { return getSteps().size(); }
    /// The number of the block in each dimension, a multiple of the step.
    ::mlir::ValueRange getInductionVars() { return getBody()->getArguments(); }
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedEnds();
    /// The same loop with an empty body of so many threads, in front of it.
    BlocksOp createEmpty(::mlir::OpBuilder &builder, int64_t threads);
    /// The cost that is stated in front of it; null if none is.
    CostOp findCost();
    /// Checks that it says how many threads a block has, and that its body is
    /// what a thread does: no op of `gnn_tile` is left.
    ::llvm::LogicalResult verifyOfThreads();
  }];
}

def Tile_WalkOp : Tile_Op<"walk", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Combine the values of all elements of a row";
  let description = [{
    For every position from `begin` to before `end`, `body` gives a state; the
    states are combined by `combine`, whose two halves of arguments are two
    states, starting from `identity`. The region must be associative and
    commutative: a pass chooses in which order states are combined, the same on
    every run. Without results, the body stores what it computes. It reads nothing
    that another element stores, and a buffer before it stores to it: all that is
    stored for the elements under way comes last.

    `together` says how what a slot has becomes that with all elements that it has
    under way, where that takes less than one after the other. Its first arguments are
    what the slot has, then come those of each element; of one that is not there, the
    identity. It gives what `combine` gives of one after the other, up to rounding.

    `over` says who walks: the lanes of a team that share the elements of a row
    (`element`), or all those of the block (`block`). `slots` is the number of these lanes, each of which has
    `in_flight` elements under way at once. With `run`, each combines so many elements, one
    after the other, and then that run with those before: the error of a sum grows with what
    is added in one go. Where `combine` adds a result, runs of it are added with
    compensation. With `in_step`, teams that share a warp take as many steps as the one with
    the most elements, so that lanes may exchange values in `body`; what counts is the same.
    With `window`, the workers first stage what they read of so many elements by their
    position alone, indices and numbers, in workgroup memory, each element once.
    `gnn-tile-spread-walks` makes loops of it by these.

    Constraints:
    * (C1) The body has the position as its argument and yields the identities'
      types.
    * (C2) With results, `combine` has two arguments a result and yields one a
      result; without, it is left out.
    * (C3) `over` is `element` or `block`; there are 1 to 1024 `slots` and 1 to 32
      elements `in_flight`.
    * (C4) `run` is 1 to 2^31, of a walk with results.
    * (C5) One of several slots is in no `gnn_tile.parallel` over the same workers, and
      one over `block` in none at all.
    * (C6) `together` has an argument for each result, and one for each result of each
      element in flight, yields one a result, and has no effects.
    * (C7) One `in_step` is over `element`, in a `gnn_tile.parallel` over `team`.
    * (C8) `window` is 1 to 2^20, and a multiple of `slots` times `in_flight`, of a walk in
      a `gnn_tile.teams` that has no `run` and is not `in_step`.

    Example:

    ```mlir
    %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4
        identity(%zero : vector<64xf32>) {
    ^bb0(%p: index):
      ...
      gnn_tile.yield %x : vector<64xf32>
    } combine {
    ^bb0(%a: vector<64xf32>, %b: vector<64xf32>):
      %c = arith.addf %a, %b : vector<64xf32>
      gnn_tile.yield %c : vector<64xf32>
    }
    ```
  }];
  let arguments = (ins Index:$begin, Index:$end, Variadic<AnyType>:$identity,
                       Tile_WorkerAttr:$over,
                       I64Attr:$slots, I64Attr:$in_flight,
                       OptionalAttr<I64Attr>:$run, UnitAttr:$in_step,
                       OptionalAttr<I64Attr>:$window);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$combine,
                        AnyRegion:$together);
  let assemblyFormat = [{
    `from` $begin `to` $end `over` `` $over `slots` $slots `in_flight` $in_flight
    (`run` $run^)? (`in_step` $in_step^)?
    (`window` $window^)?
    (`identity` `(` $identity^ `:` type($identity) `)`)?
    attr-dict-with-keyword $body (`combine` $combine^)?
    (`together` $together^)?
  }];
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def Tile_ParallelOp : Tile_Op<"parallel", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Do something in each worker of a block";
  let description = [{
    Runs `body` for `count` numbers from 0, which the workers of the kind `over`
    share: `team`, the lanes that own a row; `element`, lanes of a team that take
    elements of its row; `block`, these of all teams, which take elements of one
    row. The iterations are independent of each other.

    The region `combine` combines the values that they yield: its two halves of
    arguments are those of two iterations, or of two sets of them. It must be
    associative and commutative, as that of `gnn_tile.walk`: a pass chooses the order,
    the same on every run. A result `vector<8xi32>` of `i32` has one entry for each
    eighth of the numbers.

    The workers exchange results by shuffles, or through workgroup memory where they are
    all those of the block: all lanes of a warp, or all threads, have to reach the op.
    Outside of any other `gnn_tile.parallel`, control flow is the same for all threads.
    Inside, it differs around exchanges only by teams that are whole warps.

    Constraints:
    * (C1) The body has the number as its argument.
    * (C2) A result has the type of the yielded value, or is a vector of such
      entries whose number divides `count`.
    * (C3) With results, `combine` has two arguments a result, of the yielded
      types, and yields one a result; without, it is left out.
    * (C4) `count` is 1 to 1024.
    * (C5) One over `block` is in no other `gnn_tile.parallel`, and none is in one
      over the same workers.

    Example: the elements of a row by four lanes.

    ```mlir
    %s = gnn_tile.parallel 4 over element -> f32 {
    ^bb0(%slot: index):
      ...
      gnn_tile.yield %x : f32
    } combine {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      gnn_tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins I64Attr:$count,
                       Tile_WorkerAttr:$over);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$combine);
  let assemblyFormat = [{
    $count `over` `` $over (`->` type($results)^)?
    attr-dict-with-keyword $body (`combine` $combine^)?
  }];
  let hasRegionVerifier = 1;
}

def Tile_AnyTeamOp : Tile_Op<"any_team", [Pure, SameOperandsAndResultType]> {
  let summary = "Say whether something holds for a team that works in step";
  let description = [{
    True where the operand is; and of teams that share a warp, true in all where it is
    true in one. A branch by it is taken by whole warps, so that lanes may exchange results
    in it. The guarded code has to be right where the operand is false, too.

    Constraints:
    * (C1) It is in a `gnn_tile.parallel` over `team`.

    Example: elements of which one may be the last of its row, beside those of other
    teams.

    ```mlir
    %some = gnn_tile.any_team %ends : i1
    scf.if %some {
      ...
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Tile_MostOfTeamsOp : Tile_Op<"most_of_teams", [Pure, SameOperandsAndResultType]> {
  let summary = "Find the highest number of the teams that work in step";
  let description = [{
    The operand; and of teams that share a warp, the highest of all of them. A loop of so
    many steps is the same for all lanes of a warp, so that they may exchange values in
    it. A step beyond a team's own number may not change its results.

    Constraints:
    * (C1) It is in a `gnn_tile.parallel` over `team`.

    Example:

    ```mlir
    %steps = gnn_tile.most_of_teams %elements : index
    ```
  }];
  let arguments = (ins Index:$number);
  let results = (outs Index:$result);
  let assemblyFormat = "$number attr-dict `:` type($number)";
  let hasVerifier = 1;
}

def Tile_StageWindowOp : Tile_Op<"stage_window", [
    SingleBlock, AttrSizedOperandSegments]> {
  let summary = "Stage numbers of the elements at some positions, each once";
  let description = [{
    For each position from `first` to before `end`, the body gives a number for each of
    the `arrays`, which have a row for each team. With `team`, the lanes of that team take
    the positions in turns, and entry i of its row is that of position `first` + i. Without
    it, all threads of the block do, and entries go on from row to row. They wait for
    each other before that, as others may still read what was staged before, and behind
    it. `async` says that what the body loads for an array is copied past registers
    (`gnn-tile-copy-async`).

    Constraints:
    * (C1) The body has the position as its argument and yields numbers of 32 bits, one
      for each array.
    * (C2) The arrays are of workgroup memory, of one static shape of two dimensions, and
      of the types of the numbers.
    * (C3) It is in a `gnn_tile.teams`; with `team` in a `gnn_tile.parallel` over `team`,
      without in none.
    * (C4) With `async`, each number is what the body loads from global memory.

    Example: the sources of the next 128 edges of a team's row.

    ```mlir
    gnn_tile.stage_window %first to %end team %t into %sources : memref<8x128xi32, #gpu.address_space<workgroup>> {
    ^bb0(%p: index):
      %s = memref.load %source_of[%p] : memref<?xi32>
      gnn_tile.yield %s : i32
    }
    ```
  }];
  let arguments = (ins Index:$first, Index:$end, Optional<Index>:$team,
                       Arg<Variadic<MemRefOf<[I32, F32]>>, "", [MemWrite]>:$arrays,
                       UnitAttr:$async);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $first `to` $end (`team` $team^)? `into` $arrays `:` type($arrays)
    (`async` $async^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_LoadNumbersOp : Tile_Op<"load_numbers"> {
  let summary = "Load consecutive numbers with non-temporal vector loads";
  let description = [{
    Result u is the number at `first` + u. Where each team has its own `share` of so many
    consecutive numbers, it is that of team `team`, at `first` + `share` `team` + u. The kernel
    reads each number once and writes none of them: loads are `nontemporal`, so that caches may
    evict them first.

    Where a team is one lane, the shares of its neighbours lie apart, and a load of all lanes of
    a warp would reach as many lines of memory as there are lanes. So adjacent lanes load one
    share at a time together, 16 bytes a lane, and transpose the result with shuffles: all lanes
    of a warp have to reach the op. Four numbers need no exchange.

    In the loops form (`gnn-verify-form`), `first` is a multiple of 4, and with `team` the same
    for all teams, and nothing in the loop over blocks writes the buffer.

    Constraints:
    * (C1) The buffer has one dimension, no layout, the element type of the results, and is in
      global memory.
    * (C2) There are 4, 8 or 16 results, and their number divides `share`.
    * (C3) It is in a `gnn_tile.parallel` over `team`. Both `team` and `share` are there, or
      neither.
    * (C4) `team` is the number of that `gnn_tile.parallel`.

    Example: the weights of the next 8 edges of each team's 64.

    ```mlir
    %w:8 = gnn_tile.load_numbers %weights[%first] team %t share 64 : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I32, F32], [1]>, "", [MemRead]>:$buffer,
                       Index:$first, Optional<Index>:$team, OptionalAttr<I64Attr>:$share);
  let results = (outs Variadic<AnyTypeOf<[I32, F32]>>:$numbers);
  let assemblyFormat = [{
    $buffer `[` $first `]` (`team` $team^)? (`share` $share^)? attr-dict `:` type($buffer)
    `->` type($numbers)
  }];
  let builders = [OpBuilder<(ins "unsigned":$count, "::mlir::Value":$buffer, "::mlir::Value":$first,
                                 CArg<"::mlir::Value", "{}">:$team, CArg<"int64_t", "0">:$share)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Numbers that a lane loads at once: 16 bytes.
    static constexpr int64_t together = 4;
    /// Whether there is an op of so many numbers.
    static bool has(int64_t count) {
      return count == 4 || count == 8 || count == 16;
    }
  }];
}

def Tile_ReduceEachOp : Tile_Op<"reduce_each", [Pure, SameTypeOperands,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Reduce several vectors, each to one entry of another one";
  let description = [{
    Entry u of the result is what vector u has together over its last dimension: the
    features of an element. So numbers of the elements that are under way become one
    vector, of which each lane has its own entries: the lanes that have the features of a
    row exchange half of what they have left, until each has the sum of one element
    (transposition and reduction at once). To compute with the result takes one
    instruction for all elements; `vector.extract` and `vector.extract_strided_slice` give
    all lanes the number of one.

    Constraints:
    * (C1) The number of vectors is a power of two, at most 32; each has one or two
      dimensions.
    * (C2) `kind` is `sum`, `max` or `min`.

    Example: the dots of two elements.

    ```mlir
    %d = gnn_tile.reduce_each sum %p0, %p1 : vector<64xf32> -> vector<2xf32>
    ```
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_Reduction, "reduction">:$kind,
                       Variadic<VectorOfAnyRankOf<[AnyFloat, AnySignlessInteger]>>:$vectors);
  let results = (outs VectorOfAnyRankOf<[AnyFloat, AnySignlessInteger]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_AddAtomicallyOp : Tile_Op<"add_atomically", [
    RecursiveMemoryEffects, NoRegionArguments,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Add what is written to what is there";
  let description = [{
    Numbers that the body writes are added to those in memory, each by one atomic
    operation. Teams of any blocks may do so at once, in any order: a sum of three or
    more then differs in its last bits from run to run.

    Constraints:
    * (C1) It is in a `gnn_tile.teams`.
    * (C2) It writes f32 in global memory, by `vector.transfer_write` or `memref.store`.

    Example: a part of the row of a node.

    ```mlir
    gnn_tile.add_atomically {
      vector.transfer_write %part, %y[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x64xf32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins), [{
    ensureTerminator(*$_state.addRegion(), $_builder, $_state.location);
  }]>];
  let assemblyFormat = "attr-dict-with-keyword $region";
  let hasVerifier = 1;
}

def Tile_TeamsOp : Tile_Op<"teams", [
    RecursiveMemoryEffects, NoRegionArguments,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Do something by teams of lanes";
  let description = [{
    The threads of the block are teams of lanes in the body, as `spread` says: which
    lanes share a `gnn_tile.walk` or a `gnn_tile.parallel`, and which of them holds which
    heads and features of a vector. Ops around it in the loop over blocks, such as those
    of the tiles of a product, say their spreads themselves. Both hand values to each
    other through memory: threads wait between them for what one writes and the other
    reads or writes.

    The body is no kernel of its own and has no results. Vectors come from within,
    scalars from anywhere. Lanes do not wait for each other inside, but where workers
    exchange results: an array in workgroup memory is read or written, not both, and
    what they write in a view of a buffer they use by the same indices and type.

    Constraints:
    * (C1) `spread` says `teams` and `elements`.
    * (C2) It is in no other `gnn_tile.teams`.

    Example: the rows of a range, four at a time, into an array of workgroup memory.

    ```mlir
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 2> {
      scf.for %r = %first to %end step %c4 {
        gnn_tile.parallel 4 over team {
        ^bb0(%t: index):
          ...
        }
      }
    }
    ```
  }];
  let arguments = (ins Tile_SpreadAttr:$spread);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "SpreadAttr":$spread), [{
    $_state.getOrAddProperties<Properties>().spread = spread;
    ensureTerminator(*$_state.addRegion(), $_builder, $_state.location);
  }]>];
  let assemblyFormat = "$spread attr-dict-with-keyword $region";
  let hasVerifier = 1;
}

#endif // GNN_DIALECT_TILE_IR_TILELOOPOPS_TD
