//===- Passes.td - Passes that choose schedules ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass per decision, in the order of gnn-schedule-pipeline. Each leaves the
// fields that are set.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCHEDULES_PASSES_TD
#define GNN_TRANSFORMS_SCHEDULES_PASSES_TD

include "mlir/Pass/PassBase.td"

class SchedulePass<string argument>
    : Pass<argument, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def ApplySchedules : Pass<"gnn-tile-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "Give templates the schedules of a file";
  let description = [{
    A file has a line of JSON for each template, as `gnn-tile-save-schedules` writes and
    `gnn-tile-list-schedules` prints them:

    ```text
    {"function":"layer","graph":"g","template":"gemm","domain":"rows src_pair types edge_type",
     "accesses":["<group -> src : feature>","","<group : feature>"],
     "types":["memref<?x64xf32>","memref<3x64x8xf32>","memref<?x8xf32>"],
     "body":"65ef9ac8f7e1a3b0","schedule":{"n":16}}
    ```

    All fields except `schedule` and `layout`, which is ignored, form the key: the function, the
    template with its domain and accesses, the types, and a hash of its body. Templates with one
    key are the same kernel and get the same schedule. A schedule may leave fields open, which
    later passes choose. Errors are: a line that is not such an object; two lines with one key
    (ambiguous); a line for an existing function without a template with this key (stale), where
    the error names the part in which the most similar template differs; a line for a missing
    function (unused); a field to which the template gives another value.

    Needs: templates on buffers. Keeps: fields that are set, or fails. Never takes a
    schedule for a template that computes something else.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "File of schedules">,
    Option<"allowUnused", "allow-unused", "bool", /*default=*/"false",
           "Leave lines that no template takes">,
  ];
}

def ApplyRecords : Pass<"gnn-tile-apply-records", "::mlir::ModuleOp"> {
  let summary = "Give templates schedules that tuning found";
  let description = [{
    A file has a line of JSON for each record, as `gnn-tune --records` adds them
    (docs/Tuning.md). A record matches a template if all of these are equal: its computation,
    domain, accesses and types, the statistics of its graph in steps of a factor of two, the
    kind of chip, and the version of the compiler. Functions and graphs may have other names. The
    last of several records applies.

    A record with a schedule that the template cannot have, and an invalid line,
    are skipped with a remark. A template that takes the schedule of a record
    gets `gnn.schedule_from = "record of FILE"`. With `keys` the pass writes the
    key of a matching record for each template without a schedule, one line
    each, to a file. A cache compiles a program again if a record with such a
    key is new.

    Needs: templates on buffers; `gnn.target` and statistics as at the time of the records.
    Keeps: schedules that templates have. Never fails for a record; fails with neither `file` nor
    `keys`.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "File of records">,
    Option<"keys", "keys", "std::string", /*default=*/"",
           "File that gets the keys of records that templates can take">,
  ];
}

def RankSchedules : Pass<"gnn-tile-rank-schedules", "::mlir::ModuleOp"> {
  let summary = "Give templates the schedules that a trained model ranks first";
  let description = [{
    Lists the schedules of each template like `gnn-tile-list-schedules`, ranks them by a trained
    model (docs/TuningModels.md), and sets the fields of the first. `rule` is `ranked:FILE`, the
    file of the model. Later passes choose the open fields. `gnn-schedule-pipeline` runs the
    pass with `schedule-rule=ranked:FILE`; by default the rules of the other passes choose. A
    remark states the schedule of the model, and that of the rules.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <columns_per_block = 64, vector = 4, lanes = 16, ...>
    ```

    An unreadable or invalid file is an error. A template that the model does not cover stays
    open, with a remark. The same holds if none of its schedules leaves room for a block, and if a
    file or a record has set its schedule (`gnn.schedule_from`).

    Needs: templates on buffers. Keeps: every field that is set. Never sets a schedule that
    `gnn-verify-schedules` refuses.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
  let options = [
    Option<"rule", "rule", "std::string", /*default=*/"", "`ranked:FILE`">,
  ];
}

def SaveSchedules : Pass<"gnn-tile-save-schedules", "::mlir::ModuleOp"> {
  let summary = "Write the schedules of templates to a file";
  let description = [{
    Writes one line for each template, in the format of `gnn-tile-apply-schedules`. Equal
    templates have one line; different schedules of equal templates are an error.

    Needs: templates on buffers. Keeps: everything. Never leaves half a file.
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "File to write">,
  ];
}

def ListSchedules : Pass<"gnn-tile-list-schedules", "::mlir::ModuleOp"> {
  let summary = "List the schedules that templates may have";
  let description = [{
    Prints, for each template, a line for each complete schedule that the
    template can have and that agrees with the set fields: the search space of a
    tuner. Each line is valid in a file for `gnn-tile-apply-schedules`, and also
    states the resources of the layout: threads of a block, vectors that a
    thread processes, bytes of shared memory, and an estimate of registers. In a
    module for a CPU the schedules are those of its cores:
    `#gnn_tile.core_schedule`, and products without the fields of a GPU.

    Without a schedule a template may have tens of thousands. After `gnn-schedule-pipeline` all
    fields are set; `vary` opens some again:

    ```sh
    gnn-opt model.mlir -o /dev/null --gnn-graph-pipeline --gnn-tile-pipeline \
        --gnn-schedule-pipeline --gnn-tile-list-schedules="vary=in_flight,rows_per_block"
    ```

    `filter` removes schedules that are unlikely to be the fastest (LO-SpMM 3.2
    to 3.4), by the GPU and by the rows of `graph`. `registers` excludes those
    whose thread or block needs more registers than exist, `utilization` those
    with partial warps, or with blocks for at most half of the multiprocessors,
    and `balance` those whose blocks differ by more than a quarter in their
    elements, or spend more than a quarter on padding. If no schedule of a
    template passes, those closest to passing stay. A remark gives the number of
    schedules that each filter leaves.

    Needs: templates on buffers. Keeps: everything. Never lists a schedule that
    `gnn-verify-schedules` refuses.
  }];
  let options = [
    ListOption<"vary", "vary", "std::string",
               "Fields of which all values are listed, even if they are set">,
    ListOption<"filter", "filter", "std::string",
               "Filters that leave schedules out: registers, utilization, balance">,
    Option<"graph", "graph", "std::string", /*default=*/"",
           "File of the graph whose rows the filters use">,
    Option<"file", "file", "std::string", /*default=*/"",
           "File to write, instead of printing">,
  ];
}

def ListCosts : Pass<"gnn-tile-list-costs", "::mlir::ModuleOp"> {
  let summary = "List the cost model's times of traversals";
  let description = [{
    Prints, for each traversal of a graph with statistics, a line of JSON: its function, its
    domain, and its time in seconds by the cost model, including all launches that it becomes.
    For a walk by edges, `walk` describes one tile of it, as the model sees it: elements,
    gathers, streams, the work of lanes for each element. `benchmarks/walk_figures.py` fits the
    model's figures to these lines and to measured times.

    ```sh
    gnn-opt model.mlir -o /dev/null --gnn-graph-pipeline --gnn-tile-pipeline \
        --gnn-schedule-pipeline --gnn-tile-list-costs
    ```

    Needs: traversals on memrefs with schedules; one without a schedule is weighed with the
    schedule that it would get. Keeps: everything. Never weighs other templates.
  }];
  let options = [
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows may become pieces">,
  ];
}

def ScheduleCores : SchedulePass<"gnn-tile-schedule-cores"> {
  let summary = "Lay traversals out for the cores of a CPU";
  let description = [{
    Sets all open fields, in place of the passes that choose for a GPU. A block is the work that
    a core takes at once: up to 64 rows, one after the other, in the widest vectors that fit a
    vector register of the module's target and to which every row is aligned. Each core gets at
    least 4 blocks, if they take 4 microseconds each. A row of more features than half of the
    registers hold is cut, unless the body reduces over features.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule #gnn_tile.core_schedule<columns_per_block = 64, vector = 16, rows_per_block = 64, row_order = natural>
    ```

    A schedule of another kind is for another target, and is an error.

    Needs: traversals on memrefs; statistics of the graph for fewer rows than 64.
    Keeps: every field that is set. Never cuts a row over whose features the body
    reduces.
  }];
}

def ScheduleEdgeWalks : SchedulePass<"gnn-tile-schedule-edge-walks"> {
  let summary = "Choose which walks go by edges";
  let description = [{
    Sets `row_walk = by_edges`: teams take equal shares of the elements of all rows, and a
    second kernel joins the parts of rows at the borders of blocks
    (`gnn-tile-split-edge-walks`). In a walk by rows, teams wait for long rows and idle in short
    ones. With `edges=-1` shares are chosen if, by the cost model, both kernels take less time
    than a walk by rows by a quarter of a launch, or by two launches for fewer than 2^18
    elements; with 1 wherever possible; with 0 nowhere.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <row_walk = by_edges>
    ```

    Needs: statistics of the graph for -1. Keeps: traversals whose schedule states who walks
    rows, how many lanes share their elements, or their order. Never: takes a walk whose groups
    are reduced over features or heads afterwards.
  }];
  let options = [
    Option<"edges", "edges", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
  ];
}

def ScheduleColumns : SchedulePass<"gnn-tile-schedule-columns"> {
  let summary = "Choose how many features or heads of a row a block takes";
  let description = [{
    Sets `columns_per_block` and the dependent `vector`: the widest to which
    every row is aligned. Walks by edges of few elements have a narrower vector,
    so rows have more lanes, until all lanes are 768 a multiprocessor. This does
    not apply if features of elements are reduced or scores weigh them. A block
    takes whole rows of up to 128 vectors, or of fewer if a row has so many
    heads that a lane would take too many of them.

    A traversal that adds up tiles or rows of types, or a fixed number of rows,
    has few groups. Its blocks take 4 vectors, or up to 32 if the launch then
    still has more than 4 blocks a multiprocessor.

    If elements gather rows of tables that do not fit the L2 cache, a block may
    take only as many columns, or heads (`heads_per_block`), as fit. Such tiles
    run one after the other, and each walks the elements again (G-Sparse III-B).
    The pass makes them if they take less time by the cost model. If the body
    reduces over features, tiles of columns are launches that add to the result
    (`gnn-tile-split-columns`), which each of them reads and writes; tiles of
    heads are launches as well, with nothing to add. With `tiles=false` no block
    takes a tile for the L2.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 512> ...
    // becomes, on a graph whose 512 features are several times the L2
    gnn_tile.traverse @g <dst, edge.in_rows, features = 512> ... schedule <columns_per_block = 32, vector = 4>
    ```

    Needs: statistics of the graph for tiles that fit the L2; takes whole rows without. Keeps:
    every field that is set. Never cuts a row over whose features the body reduces if elements
    are reduced too, results have features, or a reduced value needs a reduction.
  }];
  let options = [
    Option<"tiles", "tiles", "bool", /*default=*/"true",
           "Take tiles whose gathered rows stay in the L2">,
  ];
}

def ScheduleLanes : SchedulePass<"gnn-tile-schedule-lanes"> {
  let summary = "Choose which lanes share the features and elements of a row";
  let description = [{
    Sets `lanes`, `head_lanes` and `element_lanes`. Lanes are first given to the
    vectors of features, then to heads, within a warp. The rest of the warp
    takes elements, at most 8 at a time; or as many as the warp has lanes, if
    lanes work in step because the body reduces over features while elements are
    walked. With statistics of the graph, a group has at most as many lanes for
    elements as the mean group has elements, and the warp takes more groups:
    down to one thread a group. If groups have two elements or more on average
    and all groups run at once, three blocks a multiprocessor, they have twice
    as many lanes, up to a warp. These lanes would otherwise idle, and the
    longest of few groups determines the time. A body that walks no elements has
    one lane for them.

    A dot without a walk, such as a dot of each edge, ends with its row, so the
    number of its warps grows with its lanes. If it gathers rows, it has fewer
    lanes: lanes are doubled as long as each lane has as many vectors of all
    heads as the row has lanes (docs/Cost.md#lanes-of-dots-by-teams).

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <columns_per_block = 64, vector = 4>
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2>
    ```

    Needs: `columns_per_block` and `vector`; uses `stats` of the graph. Keeps: every
    field that is set. Never lets a row have more lanes than a warp.
  }];
}

def ScheduleRows : SchedulePass<"gnn-tile-schedule-rows"> {
  let summary = "Choose how many rows a block takes, and how many elements are in flight";
  let description = [{
    Sets `in_flight` to 4 if elements are walked, or to fewer if a group of the
    mean length has fewer elements for each lane. It stays 4 if each group has a
    warp and all groups run at once, three blocks a multiprocessor, because the
    longest group then determines the time. Sets `rows_per_block` so that a
    block has 256 threads, or fewer if the given `processor_blocks` or windows
    leave no room for 256.

    A walk by edges has 8 elements in flight, with these exceptions:

    * 4 if features of elements are reduced, scores weigh them, extremes have
      their index, or numbers beside their rows are in the order of elements;
    * 16 for plain sums or sums with such numbers if one or two lanes have a
      row, and for extremes with their index if one lane has a row.

    In walks by edges, `rows_per_block` counts shares of 64 elements.
    `distribution` becomes `cyclic` if rows have no results, and have either up
    to 4 lanes or, for dots, at most 21 elements on average
    (docs/Cost.md#dots-by-edges-in-turns); `cyclic=false` turns this off.
    `processor_blocks` becomes 3 or 4, by the registers of lanes.

    ```mlir
    gnn_tile.traverse ... schedule <..., lanes = 16, head_lanes = 1, element_lanes = 2>
    // becomes
    gnn_tile.traverse ... schedule <..., in_flight = 4, rows_per_block = 8>
    ```

    Needs: the lanes; uses `stats` of the graph. Keeps: every field that is set.
    Never makes a block of more than 1024 threads.
  }];
  let options = [
    Option<"cyclic", "cyclic", "bool", /*default=*/"true",
           "Let teams of walks by edges take turns if rows are narrow or short">,
  ];
}

def ScheduleRowWalks : SchedulePass<"gnn-tile-schedule-row-walks"> {
  let summary = "Choose who walks the elements of rows";
  let description = [{
    Sets `row_walk` and `split_rows`.

    Rows of types and of the graph are few and have many elements: all teams of
    a block walk one row (`block`). Each row of nodes and pairs has a team
    (`team`). Long rows are an exception: all teams of a block walk them, one
    after the other, after the other rows (`by_length`). The block takes at
    least 4 elements of a long row at once, for any `in_flight`. Without sums
    over elements, or if these do not fit the shared memory, each team walks its
    own row.

    A long row has more than 32 rounds of its own team. If all rows run at once
    by the statistics, four blocks a multiprocessor, a long row has more than 8
    rounds, or 4 if lanes reduce features, and more than four times the mean
    number of elements. In the step that joins pieces
    (`gnn-tile-split-edge-walks`) the elements are pieces.

    If a kernel has few long rows of nodes or pairs, each has a block of its
    own. Let w be the number of waves with one block a row, t the rounds of the
    longest row by `by_length`, and b those of a block with all its teams. Rows
    have blocks of their own if w is at most 2, and 1 + 3 w + max(1, w) b is
    less than t. The terms beside b stand for a block that joins the results of
    its teams, and waits for the blocks beside it. For a maximum with its index,
    3 w becomes 5 w (`countRowWalkRounds`).

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <...>
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <..., row_walk = by_length, split_rows = 256>
    // or, of 528 nodes with 50 elements each
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <..., row_walk = block>
    ```

    Needs: lanes and rows; uses `stats` of the graph. Keeps: every field that is set. Never:
    uses more than 40 KiB of shared memory a block.
  }];
}

def ScheduleRowOrders : SchedulePass<"gnn-tile-schedule-row-orders"> {
  let summary = "Choose which rows blocks take first";
  let description = [{
    Sets `row_order`. Adjacent rows of a warp or a block wait for the longest of them. By degree,
    rows of a block have similar lengths (`bind_buffer` of G-Sparse, III-B): `by_degree` orders
    all rows, and `degree_windows` those of each 4,096, which keeps nearby rows together. Both
    read the number of each row from a structure of the graph.

    By default rows are taken in memory order. `orders=-1` chooses the order with the least time
    by the cost model: the idle lanes of an order are the expected longest row of a block over
    the mean (`RowSpread::expectIdle` of RowOrders.h), and an order has to save two launches and
    a share of the time. With 1 rows are taken by degree wherever possible, and with 2 by degree
    within windows.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <..., row_walk = by_length, split_rows = 256>
    // becomes, with 2
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <..., row_order = degree_windows, row_walk = by_length, split_rows = 256>
    ```

    Needs: who walks rows; statistics of the graph for -1. Keeps: every field that is set.
    Never: reorders walks by edges, whose teams take equal shares, rows that have a block
    each, or groups other than nodes and pairs.
  }];
  let options = [
    Option<"orders", "orders", "int64_t", /*default=*/"0",
           "Rows that blocks take first: 0 in memory order, 1 by degree, 2 by degree within "
           "windows, -1 by statistics">,
  ];
}

def ScheduleRuns : SchedulePass<"gnn-tile-schedule-runs"> {
  let summary = "Choose which sums are added in runs";
  let description = [{
    Sets `runs` of a traversal that adds up floats over elements: the number of
    elements that a lane adds up one after the other. Such runs are then added
    with compensation, and the error of a sum is that of a run, for any length
    of a row. The pass sets the field if lanes may have more than eight runs of
    a row by the statistics of the graph, or if the graph has no statistics.
    Shorter rows and the tiles and pieces of long ones are added plainly.

    The equal shares of walks by edges are short, and are added plainly too. `runs` is set if a
    row may lie in more than 16 shares of a block, whose parts the block then adds with
    compensation, or leave more pieces than two runs, which the second kernel then adds with
    compensation.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <..., row_walk = by_length, split_rows = 256>
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <..., row_walk = by_length, split_rows = 256, runs = 32>
    ```

    Needs: who walks rows; statistics of the graph to leave it out. Keeps: every field
    that is set, and schedules of other targets. Never: touches sums of integers or of f64.
  }];
  let options = [
    Option<"length", "length", "int64_t", /*default=*/"32",
           "Elements of a run; 0: sums are added plainly">,
  ];
}

def ScheduleProducts : SchedulePass<"gnn-tile-schedule-products"> {
  let summary = "Choose the tiles of products, the cores, and how tiles are copied";
  let description = [{
    Sets `n` of a `gnn_tile.gemm` or `gnn_tile.outer`: the narrowest tile of 16, 32 or 64
    columns that holds all columns, or 64. Sets `kind` to `tf32x3` with `tensor-cores`, which
    pipelines turn off for GPUs without them (before sm_80), for operands of f32: of every gemm,
    and of an outer product without sums in tiles of 16 columns or whose `copies` are `async`.
    Otherwise `kind` is `ffma`. Sets `copies` to `async` with `async-copies` where possible: for
    outer products, and for gemms with a weight that is not transposed, whose rows are aligned
    to 16 bytes. Otherwise it is `registers`. Sets `max_registers` with `registers` if a gemm on
    tensor cores reads its rows in order, has one weight, and stages a depth of 33 to 64 at once:
    to 128 with 64 columns and to 96 with 32. ptxas would keep fewer (docs/Cost.md).

    ```mlir
    gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) ...
    // becomes
    gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) ... schedule <n = 16, kind = ffma, copies = registers>
    ```

    Needs: nothing. Keeps: fields that are set. Never touches traversals.
  }];
  let options = [
    Option<"tensorCores", "tensor-cores", "bool", /*default=*/"true",
           "Multiply on tensor cores if they are faster">,
    Option<"asyncCopies", "async-copies", "bool", /*default=*/"true",
           "Copy tiles of products without registers of threads">,
    Option<"registers", "registers", "bool", /*default=*/"true",
           "State the registers of products of rows in order">,
  ];
}

def VerifySchedules : Pass<"gnn-verify-schedules", "::mlir::func::FuncOp"> {
  let summary = "Check that every template has a schedule that can be honoured";
  let description = [{
    Checks the input of `gnn-kernels-pipeline`: every field of every schedule is set, and the
    template can honour it. An error names the field.

    Needs: nothing. Keeps: everything. Never changes the IR.
  }];
}

#endif // GNN_TRANSFORMS_SCHEDULES_PASSES_TD
