//===- TileLoopOps.td - Ops of the loops form --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that upstream's ops cannot express: the blocks of a kernel, reductions
// of several values in any order, and work that the threads of a block share.
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
  let summary = "Run the body in each block of a grid: a kernel";
  let description = [{
    Runs the body for all multiples of `step` from 0 to before the end, in up to
    three dimensions: those of the grid, x first. The blocks are independent of
    each other. It exists from the blocked form to the lanes form, after which
    `convert-gnn-tile-to-gpu` turns it into a kernel and its launch. Other
    loops, such as an `scf.forall`, do not become kernels.

    `template` names the template of the loop. It is used for the name of the
    kernel if the model's ops are unknown. `schedule` is the schedule of the
    template, for reports. If the loop has several templates, it is an array; a
    hand-written kernel has a text. `threads` is the number of threads of a
    block, and states that the body is the code of one thread: the lanes form. A
    `gnn_tile.cost` in front of the loop states the cost of a launch.

    `gnn-verify-form` has the contract of each form.

    Constraints:
    * (C1) The loop has 1 to 3 dimensions: the same number of ends of at least 0, positive
      steps, and arguments of the body, which are indices.
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
    /// The same loop with an empty body of this number of threads, in front of it.
    BlocksOp createEmpty(::mlir::OpBuilder &builder, int64_t threads);
    /// The cost that is stated in front of it; null if there is none.
    CostOp findCost();
    /// Checks that it states the number of threads of a block, and that its body is
    /// the code of a thread: no op of `gnn_tile` is left.
    ::llvm::LogicalResult verifyOfThreads();
  }];
}

def Tile_WalkOp : Tile_Op<"walk", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Combine the values of all elements of a row";
  let description = [{
    For every position from `begin` to before `end`, `body` computes a state;
    `combine` combines the states, starting from `identity`: the two halves of
    its arguments are two states. The region must be associative and
    commutative: a pass chooses the order in which states are combined, the same
    on every run. Without results, the body stores values. It must not read
    values that another element stores, and must read a buffer before it stores
    to it, because all stores of the elements in flight come last.

    `together` combines the state of a slot with all its elements in flight, if this takes
    less work than one after the other. Its first arguments are the state of the slot,
    followed by those of each element; a missing element has the identity. The result is
    that of `combine` for one element after the other, up to rounding.

    These attributes state how the elements are distributed:

    * `over`: the lanes that share the elements of the row, either some lanes of
      a team (`element`) or all lanes of the block (`block`).
    * `slots`: the number of workers that share the elements.
    * `in_flight`: the number of elements whose loads a worker issues together.
    * `run`: the number of elements that a worker combines one after the other.
      It then combines this run with the earlier ones, because the error of a
      sum grows with the number of values that are added one after the other. If
      `combine` adds a result, runs of it are added with compensation.
    * `in_step`: teams that share a warp take as many steps as the team with the
      most elements, so lanes may exchange values in `body`. The results are the
      same.
    * `window`: the workers first stage the indices and numbers of this number
      of elements in workgroup memory, each element once. This applies to values
      that are read by position alone.

    `gnn-tile-spread-walks` lowers the walk to loops by these attributes.

    Constraints:
    * (C1) The body has the position as its argument and yields the identities' types.
    * (C2) With results, `combine` has two arguments a result and yields one a result;
      without results, it is omitted.
    * (C3) `over` is `element` or `block`; there are 1 to 1024 `slots` and 1 to 32
      elements `in_flight`.
    * (C4) `run` is 1 to 2^31, of a walk with results.
    * (C5) A walk of several slots is in no `gnn_tile.parallel` over the same workers, and
      a walk over `block` is in no `gnn_tile.parallel` at all.
    * (C6) `together` has an argument for each result, and one for each result of each
      element in flight, yields one a result, and has no effects.
    * (C7) A walk `in_step` is over `element`, in a `gnn_tile.parallel` over `team`.
    * (C8) `window` is 1 to 2^20, and a multiple of `slots` times `in_flight`, of a walk
      in a `gnn_tile.teams` that has no `run` and is not `in_step`.

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
  let summary = "Run the body in each worker of a block";
  let description = [{
    Runs `body` for `count` numbers from 0, which the workers of the kind `over`
    share. A worker is a team, which owns a row (`team`), a lane of a team that
    takes elements of its row (`element`), or a lane of any team, if all teams
    take elements of one row (`block`). The iterations are independent of each
    other.

    The region `combine` combines the yielded values: the two halves of its arguments are
    those of two iterations, or of two sets of them. It must be associative and
    commutative, like that of `gnn_tile.walk`: a pass chooses the order, the same on every
    run. A result `vector<8xi32>` of `i32` has one entry for each eighth of the numbers.

    The workers exchange results by shuffles, for which all lanes of a warp have
    to reach the op. If they are all workers of the block, they exchange results
    through workgroup memory, and all threads have to reach the op. Outside of
    any other `gnn_tile.parallel`, control flow is the same for all threads.
    Inside, it differs around exchanges only between teams that are whole warps.

    Constraints:
    * (C1) The body has the number as its argument.
    * (C2) A result has the type of the yielded value, or is a vector of such
      entries whose number divides `count`.
    * (C3) With results, `combine` has two arguments a result, of the yielded types, and
      yields one a result; without results, it is omitted.
    * (C4) `count` is 1 to 1024.
    * (C5) An op over `block` is in no other `gnn_tile.parallel`, and none is in one over
      the same workers.

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
  let summary = "Test whether a condition holds for a team in step";
  let description = [{
    True if the operand is true in this team, or in another team that shares its
    warp. Whole warps take a branch on this value, so lanes may exchange results
    in the branch. The code of the branch has to be correct for teams whose
    operand is false, too.

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
  let summary = "Get the highest number of the teams that work in step";
  let description = [{
    The greatest operand of this team and of the teams that share its warp. A
    loop of this number of steps is the same for all lanes of a warp, so they
    may exchange values in it. A step beyond a team's own number must not change
    its results.

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
  let summary = "Stage numbers of the elements at given positions, each once";
  let description = [{
    For each position from `first` to before `end`, the body computes a number for each of
    the `arrays`, which have a row for each team. With `team`, the lanes of that team take
    the positions in turns, and entry i of its row is that of position `first` + i.
    Without it, all threads of the block take them, and entries continue from row to row.
    Threads wait for each other before, because others may still read the previous
    contents, and after it. `async` states that the numbers that the body loads are copied
    without registers (`gnn-tile-copy-async`).

    Constraints:
    * (C1) The body has the position as its argument and yields numbers of 32 bits, one
      for each array.
    * (C2) The arrays are of workgroup memory, of one static shape of two dimensions, and
      of the types of the numbers.
    * (C3) It is in a `gnn_tile.teams`; with `team` also in a `gnn_tile.parallel` over
      `team`, without it in none.
    * (C4) With `async`, each number is one that the body loads from global memory.

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
    Result u is the number at `first` + u. With `team` and `share`, each team
    has `share` consecutive numbers of its own, and result u is the number at
    `first` + `share` * `team` + u. The kernel reads each number once and writes
    none of them. So the loads are `nontemporal`, and caches may evict their
    lines first.

    If teams have one lane, the numbers of adjacent lanes are not adjacent in
    memory, and a load by all lanes of a warp would touch as many lines of
    memory as there are lanes. So adjacent lanes load one share after another
    together, 16 bytes a lane, and transpose the result by shuffles: all lanes
    of a warp have to reach the op. Four numbers need no exchange.

    In the loops form (`gnn-verify-form`), `first` is a multiple of 4, and with `team` the same
    for all teams, and nothing in the loop over blocks writes the buffer.

    Constraints:
    * (C1) The buffer has one dimension, no layout, the element type of the results, and is in
      global memory.
    * (C2) There are 4, 8 or 16 results, and their number divides `share`.
    * (C3) It is in a `gnn_tile.parallel` over `team`. Either both `team` and `share` are
      given, or neither.
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
    /// Whether an op may have this number of results.
    static bool has(int64_t count) {
      return count == 4 || count == 8 || count == 16;
    }
  }];
}

def Tile_ReduceEachOp : Tile_Op<"reduce_each", [Pure, SameTypeOperands,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Reduce several vectors, each to one entry of a vector";
  let description = [{
    Entry u of the result is the reduction of vector u over its last dimension:
    the features of an element. So numbers of the elements in flight become one
    vector, of which each lane has its own entries. The lanes that share the
    features of a row exchange half of their remaining values in each step,
    until each lane has the sum of one element: the exchange transposes and
    reduces at the same time. A computation with the result takes one
    instruction for all elements. `vector.extract` and
    `vector.extract_strided_slice` give the number of one element to all lanes.

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
  let summary = "Add written values to memory atomically";
  let description = [{
    Numbers that the body writes are added to those in memory, each by one atomic
    operation. Teams of any blocks may do so concurrently, in any order: a sum of three or
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
  let summary = "Run the body by teams of lanes";
  let description = [{
    The threads of the block are teams of lanes in the body. `spread` states
    which lanes share a `gnn_tile.walk` or a `gnn_tile.parallel`, and which of
    them holds which heads and features of a vector. Other ops in the loop over
    blocks, such as those of the tiles of a product, have their own spreads.
    They exchange values with the teams through memory. Between them threads
    wait for data that one side writes and the other reads or writes.

    The op is not a kernel of its own and has no results. The body uses only
    vectors that are defined in it, and scalars from anywhere. Inside, lanes
    wait for each other only if workers exchange results. So the body may read
    or write an array in workgroup memory, but not both. If lanes read values of
    a buffer that they have written, they must use the same indices and type.

    Constraints:
    * (C1) `spread` has `teams` and `elements`.
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
