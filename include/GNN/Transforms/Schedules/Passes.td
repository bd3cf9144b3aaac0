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
    A file has a line of JSON for each template, such as
    `gnn-tile-save-schedules` writes and `gnn-tile-list-schedules` prints:

    ```text
    {"function":"layer","graph":"g","template":"gemm","domain":"rows src_pair types edge_type",
     "accesses":["<group -> src : feature>","","<group : feature>"],
     "types":["memref<?x64xf32>","memref<3x64x8xf32>","memref<?x8xf32>"],
     "body":"65ef9ac8f7e1a3b0","schedule":{"n":16}}
    ```

    The key is all but `schedule` and `layout`, which is not read: the function, the
    template with what it walks, where it reads and writes, the types, and a hash
    of its body. Templates with one key are the same kernel and get the same
    schedule. A schedule may leave fields out, which the passes behind this one
    choose. Errors are: a line that is not such an object; two lines with one key
    (ambiguous); a line whose function is there but no template with its key
    (stale), which names the part that differs from the template most like it; one
    whose function is not there (unused); a field that the template has with
    another value.

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
  let summary = "Give templates schedules that were found by measuring";
  let description = [{
    A file has a line of JSON for each record, as `gnn-tune --records` adds them
    (docs/Tuning.md). A record is of a template if all of this is equal: what it
    computes, walks, reads and writes, its types, the statistics of its graph in steps of a
    factor of two, the kind of chip, and the version of the compiler. Functions and
    graphs may have other names. The last of several records counts.

    A record whose schedule cannot be honoured, and a line that is no record, are left
    with a remark.

    Needs: templates on buffers; `gnn.target` and statistics as they were when the
    records were made. Keeps: schedules that templates have. Never fails.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "File of records">,
  ];
}

def RankSchedules : Pass<"gnn-tile-rank-schedules", "::mlir::ModuleOp"> {
  let summary = "Give templates the schedules that a trained model ranks first";
  let description = [{
    Lists the schedules of each template, as `gnn-tile-list-schedules` does, weighs them by a
    trained model (docs/TuningModels.md), and sets the fields of the first. `rule` is
    `ranked:FILE`, the file of the model. The passes behind this one choose what is
    left open. `gnn-schedule-pipeline` has it with `schedule-rule=ranked:FILE`; by default the
    rule of the other passes chooses. A remark says the schedule of the model, and that of the
    rule.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <columns_per_block = 64, vector = 4, lanes = 16, ...>
    ```

    A file that cannot be read, or is no model, is an error. A template that the model is not
    for stays open, with a remark.

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
    One line for each template, which `gnn-tile-apply-schedules` takes. Equal
    templates have one line; where their schedules differ, that is an error.

    Needs: templates on buffers. Keeps: everything. Never leaves half a file.
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "File to write">,
  ];
}

def ListSchedules : Pass<"gnn-tile-list-schedules", "::mlir::ModuleOp"> {
  let summary = "List the schedules that templates may have";
  let description = [{
    Prints, for each template, a line for each complete schedule that can be
    honoured and agrees with the fields that are set: what a tuner searches. Each
    line is one of a file that `gnn-tile-apply-schedules` takes, and says too what
    the layout takes: threads of a block, vectors that a thread goes through, bytes
    of shared memory, and an estimate of registers. In a module for a CPU they are
    those of its cores: `#gnn_tile.core_schedule`, and products without what a GPU
    alone has.

    Without a schedule a template may have tens of thousands. Behind
    `gnn-schedule-pipeline` all fields are set; `vary` opens some again:

    ```sh
    gnn-opt model.mlir -o /dev/null --gnn-graph-pipeline --gnn-tile-pipeline \
        --gnn-schedule-pipeline --gnn-tile-list-schedules="vary=in_flight,rows_per_block"
    ```

    With `filter` it leaves out those that cannot be the best (LO-SpMM 3.2 to 3.4), by
    the GPU and by the rows of `graph`: `registers` those whose thread or block needs
    more than there are, `utilization` those with parts of warps, or with blocks for
    half of the multiprocessors or fewer, `balance` those whose blocks differ by more
    than a quarter in their elements, or compute more than a quarter of padding. Where
    no schedule of a template passes, the least bad stay. A remark says how many each
    filter leaves.

    Needs: templates on buffers. Keeps: everything. Never lists a schedule that
    `gnn-verify-schedules` refuses.
  }];
  let options = [
    ListOption<"vary", "vary", "std::string",
               "Fields to list all values of, whatever is set">,
    ListOption<"filter", "filter", "std::string",
               "Filters that leave schedules out: registers, utilization, balance">,
    Option<"graph", "graph", "std::string", /*default=*/"",
           "File of the graph whose rows filters go by">,
    Option<"file", "file", "std::string", /*default=*/"",
           "File to write, instead of printing">,
  ];
}

def ListCosts : Pass<"gnn-tile-list-costs", "::mlir::ModuleOp"> {
  let summary = "List what the cost model says of traversals";
  let description = [{
    Prints, for each traversal of a graph with statistics, a line of JSON: its function,
    its domain, and the seconds that it takes by the cost model with all launches that
    it becomes. For a walk by edges, `walk` describes one tile of it, as the model sees it:
    elements, gathers, streams, what lanes do for each element.
    `benchmarks/walk_figures.py` fits the model's figures to that and to measured times.

    ```sh
    gnn-opt model.mlir -o /dev/null --gnn-graph-pipeline --gnn-tile-pipeline \
        --gnn-schedule-pipeline --gnn-tile-list-costs
    ```

    Needs: traversals on memrefs with schedules; those that have none are weighed as
    they would be scheduled. Keeps: everything. Never weighs other templates.
  }];
  let options = [
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows may become pieces">,
  ];
}

def ScheduleCores : SchedulePass<"gnn-tile-schedule-cores"> {
  let summary = "Lay traversals out for the cores of a CPU";
  let description = [{
    Sets all fields that are open, in place of the passes that choose for a GPU: a
    block is what a core takes at once, up to 64 rows, one after the other, in the
    widest vectors that are no longer than a vector register of the module's target and
    to which every row is aligned. Blocks are 4 a core or more, if they take 4
    microseconds each. A row of more features than half of the registers hold is cut,
    unless the body reduces over features.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule #gnn_tile.core_schedule<columns_per_block = 64, vector = 16, rows_per_block = 64, row_order = natural>
    ```

    A schedule of another kind is for another target, and an error.

    Needs: traversals on memrefs; statistics of the graph for fewer rows than 64.
    Keeps: every field that is set. Never cuts a row over whose features the body
    reduces.
  }];
}

def ScheduleEdgeWalks : SchedulePass<"gnn-tile-schedule-edge-walks"> {
  let summary = "Choose which walks go by edges";
  let description = [{
    Sets `row_walk = by_edges`: teams take equal shares of the elements of all rows, and
    what is left of rows at the borders of blocks is joined by a second kernel
    (`gnn-tile-split-edge-walks`). A walk by rows has teams that wait for long rows and
    idle in short ones. With `edges=-1` shares are chosen where the cost model gives
    both kernels a quarter of a launch less of time than a walk by rows, or two launches less
    where there are fewer than 2^18 elements; with 1 wherever they can be; with 0 nowhere.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <row_walk = by_edges>
    ```

    Needs: statistics of the graph for -1. Keeps: traversals whose schedule says who walks
    rows, how many lanes share their elements, or their order. Never: takes a walk
    whose groups are reduced over features or heads behind it.
  }];
  let options = [
    Option<"edges", "edges", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
  ];
}

def ScheduleColumns : SchedulePass<"gnn-tile-schedule-columns"> {
  let summary = "Choose how many features of a row a block takes, or heads";
  let description = [{
    Sets `columns_per_block` and, on which it depends, `vector`: the widest for
    which every row is aligned. Walks by edges of few elements have a narrower one, so that
    rows have more lanes, while all lanes are fewer than 768 a multiprocessor, unless
    features of elements are reduced or scores weigh them. A block takes whole rows of up to
    128 vectors, or of fewer where a row has so many heads that a lane would take too many
    of them.
    Where it adds up tiles or rows of types, or a fixed number of rows, there are few
    groups: it takes 4 vectors, or up to 32 while there are more than 4 blocks a
    multiprocessor.
    Where elements gather rows of tables that do not fit the L2 cache, it takes
    so many columns that the tables do, or so many heads (`heads_per_block`), if that
    pays: tiles run one after the other, and each walks the elements again (G-Sparse
    III-B). Where the body reduces over features, tiles of columns are launches that add
    to the result (`gnn-tile-split-columns`), which is read and written by each; tiles of
    heads are launches as well, with nothing to add. With `tiles=false` no block takes a
    tile for the L2.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 512> ...
    // becomes, on a graph whose 512 features are several times the L2
    gnn_tile.traverse @g <dst, edge.in_rows, features = 512> ... schedule <columns_per_block = 32, vector = 4>
    ```

    Needs: statistics of the graph for tiles that fit the L2; takes whole rows
    without. Keeps: every field that is set. Never cuts a row over whose features
    the body reduces where elements are reduced besides, results have features, or what
    is reduced needs a reduction.
  }];
  let options = [
    Option<"tiles", "tiles", "bool", /*default=*/"true",
           "Take tiles whose gathered rows stay in the L2">,
  ];
}

def ScheduleLanes : SchedulePass<"gnn-tile-schedule-lanes"> {
  let summary = "Choose which lanes share the features and elements of a row";
  let description = [{
    Sets `lanes`, `head_lanes` and `element_lanes`: as many lanes as there are
    vectors of features, then heads, within a warp. The rest of it takes elements,
    8 at a time at most, or all of it where lanes work in step because the body
    reduces over features while elements are walked. Where the statistics of the
    graph say that groups are shorter, only as many lanes as have elements in a
    group of the mean length take some, and the warp takes more groups: down to
    one thread a group. Groups of two elements or more in the mean have twice as many, up
    to a warp, while all groups are at work at once, three blocks a multiprocessor: those
    lanes would idle, and the longest of few groups decides. A body that walks no elements
    has one lane for them.

    A dot that walks none, such as one of each edge, ends with its row, so that its warps are
    as many as its lanes. Where it gathers rows its lanes are fewer, the fewer the shorter its rows
    are: twice as many are taken as long as each lane has as many vectors of all heads as
    there are lanes ([why](Cost.md#lanes-of-dots-by-teams)).

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
  let summary = "Choose how many rows a block takes, and elements at once";
  let description = [{
    Sets `in_flight`, 4 where elements are walked, or fewer where a group of the
    mean length has fewer for each lane, unless groups have a warp each and are at work at
    once, three blocks a multiprocessor, of which the longest decides; and `rows_per_block`, so many that a block has
    256 threads, or fewer where `processor_blocks` or windows that are given leave no room for so many.

    A walk by edges has 8 elements in flight: 4 where features of them are reduced,
    scores weigh them, extremes have their index, or numbers beside their rows lie in their
    order; 16 of plain sums or with such numbers where one or two lanes have a row, and of
    extremes with their index where one has.
    `rows_per_block` counts shares of 64 elements there. `distribution` becomes `cyclic` where
    rows have no results and up to 4 lanes, or, of dots, 21 elements at most in the mean
    ([why](Cost.md#dots-by-edges-in-turns)), which `cyclic=false` turns off; and
    `processor_blocks` 3 or 4 by what lanes hold.

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
           "Let teams of walks by edges take turns where rows are narrow or short">,
  ];
}

def ScheduleRowWalks : SchedulePass<"gnn-tile-schedule-row-walks"> {
  let summary = "Choose who walks the elements of rows";
  let description = [{
    Sets `row_walk` and `split_rows`.

    Types and the whole graph are few and have many elements each: all teams of a block walk one
    (`block`). The rows of nodes and pairs have a team each (`team`), but for long ones, which all
    teams of a block walk, one after the other, behind the others (`by_length`); the block takes at
    least 4 elements of a long row at once, whatever `in_flight` says. Without sums over elements,
    or where these do not fit the shared memory, each team walks its own row.

    A long row has more than 32 rounds of its own team. Where statistics say that all rows are at
    work at once, four blocks a multiprocessor, it has more than 8 rounds, 4 where lanes reduce
    features, and more elements than four times the mean. In the step that joins pieces
    (`gnn-tile-split-edge-walks`) rows count their pieces.

    Few long rows of nodes and pairs have a block each. Let w be the waves in which a block a row
    would run; t the rounds of the longest row by `by_length`; and b those of a block with all its
    teams. Then w is at most 2, and 1 + 3 w + max(1, w) b is less than t: a block joins what its
    teams have, and waits for the blocks beside it. A maximum with its index waits for 5 w
    (`countRowWalkRounds`).

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
    Sets `row_order`. Rows that a warp or a block walks beside each other wait for the
    longest of them. Taken by degree, rows of a block have about one length (`bind_buffer`
    of G-Sparse, III-B): all rows `by_degree`, or those of each 4,096, `degree_windows`,
    which leaves rows near those that lie near. Both read the number of each row from a
    structure of the graph.

    By default rows are taken as they lie. With `orders=-1` that order is chosen which
    takes the least time by the cost model: the idle lanes of an order are the expected
    longest row of a block over the mean (`RowSpread::expectIdle` of RowOrders.h), and an
    order has to save two launches and a share of the time. With 1 rows are taken by degree wherever they can be, and with 2 so
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
           "Rows that blocks take first: 0 as they lie, 1 by degree, 2 by degree within "
           "windows, -1 by statistics">,
  ];
}

def ScheduleRuns : SchedulePass<"gnn-tile-schedule-runs"> {
  let summary = "Choose which sums are added in runs";
  let description = [{
    Sets `runs`, the elements that a lane adds up one after the other, of a traversal
    that adds up floats over elements: such runs are then added with compensation, and
    the error of a sum is that of a run, however long a row is. So it does where
    lanes may have more than eight runs of a row by the statistics of the graph, or nothing is
    known of that. Rows that are shorter and the tiles and pieces of long ones are added as
    they come.

    The equal shares of walks by edges are short, and added as they come too. `runs` is set
    where a row may lie in more than 16 shares of a block, whose parts the block then adds
    with compensation, or leave more pieces than two runs, which the second kernel adds so.

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
    Sets `n` of a `gnn_tile.gemm` or `gnn_tile.outer`: the narrowest tile of 16, 32
    or 64 columns that holds all columns, or 64; and `kind`. The kind is `tf32x3` with
    `tensor-cores`, which pipelines turn off for GPUs without them (before sm_80), where operands
    are f32: of every gemm, and of an outer product without sums in tiles of 16 columns or whose
    `copies` are `async`. Else it is `ffma`. `copies` is `async` with `async-copies` where it can
    be: of outer products, and of gemms with a weight that is not transposed, whose rows are aligned
    to 16 bytes. Else it is `registers`.

    ```mlir
    gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) ...
    // becomes
    gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) ... schedule <n = 16, kind = ffma, copies = registers>
    ```

    Needs: nothing. Keeps: fields that are set. Never touches traversals.
  }];
  let options = [
    Option<"tensorCores", "tensor-cores", "bool", /*default=*/"true",
           "Multiply on tensor cores where that is faster">,
    Option<"asyncCopies", "async-copies", "bool", /*default=*/"true",
           "Copy tiles of products past the registers of threads">,
  ];
}

def VerifySchedules : Pass<"gnn-verify-schedules", "::mlir::func::FuncOp"> {
  let summary = "Check that every template has a schedule that can be honoured";
  let description = [{
    Checks what `gnn-kernels-pipeline` takes: every field of every schedule is
    set, and the template can do as it says. An error names the field.

    Needs: nothing. Keeps: everything. Never changes the IR.
  }];
}

#endif // GNN_TRANSFORMS_SCHEDULES_PASSES_TD
