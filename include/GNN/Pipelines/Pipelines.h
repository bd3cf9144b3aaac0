//===- Pipelines.h - The stages of the compiler -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages are one table. The named pipelines of gnn-opt, the compilation of
// a module, and the pipeline of a reproducer come from it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_PIPELINES_PIPELINES_H
#define GNN_PIPELINES_PIPELINES_H

#include "GNN/Analysis/CostOptions.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Pipelines/StagePasses.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <functional>
#include <string>

namespace gnn {

/// Options of functions with gradients, on top of others.
template <typename Base> struct GradientSettings : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<GradientMemory> memory{
      *this, "memory",
      llvm::cl::desc("Values that backward passes recompute: fast (cheap "
                     "ones), or low (products too, which saves memory)"),
      llvm::cl::init(GradientMemory::Fast)};
  Option<bool> calls{
      *this, "calls",
      llvm::cl::desc("Compile functions with gradients for calls without them "
                     "too, and not only their forward and backward passes"),
      llvm::cl::init(true)};

  /// Sets the same settings of `other`.
  template <typename Other> void assignGradientSettings(Other &other) const {
    other.memory = memory;
    other.calls = calls;
  }
};

/// Switches of the passes on whole-graph operations, on top of other options.
/// Each pass can be left out alone, to show its effect.
template <typename Base> struct GraphSwitches : public GradientSettings<Base> {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<bool> raiseLoops{
      *this, "raise-loops",
      llvm::cl::desc("Turn free-form loops into ops on whole tensors"),
      llvm::cl::init(true)};
  Option<bool> linearReorder{
      *this, "linear-reorder",
      llvm::cl::desc("Multiply weights by weights before rows by weights"),
      llvm::cl::init(true)};
  Option<bool> compact{
      *this, "compact",
      llvm::cl::desc("Compute rows for each pair, node or type they depend on"),
      llvm::cl::init(true)};
  Option<bool> orderAggregate{
      *this, "order-aggregate",
      llvm::cl::desc("Multiply before or after the sum over edges"),
      llvm::cl::init(true)};
  Option<bool> fuseAttention{
      *this, "fuse-attention",
      llvm::cl::desc(
          "Combine scores, edge softmax and weighted sum into one op"),
      llvm::cl::init(true)};
  Option<bool> foldNormalization{
      *this, "fold-normalization",
      llvm::cl::desc("Scale weights instead of normalized rows"),
      llvm::cl::init(true)};
  Option<bool> joinSums{*this, "join-sums",
                        llvm::cl::desc("Add up groups of groups in one sum"),
                        llvm::cl::init(true)};
  Option<bool> moveScales{*this, "move-scales",
                          llvm::cl::desc("Scale few rows instead of many"),
                          llvm::cl::init(true)};
  Option<bool> computeInHeads{
      *this, "compute-in-heads",
      llvm::cl::desc(
          "Move computations after the join of heads in front of it"),
      llvm::cl::init(true)};
  Option<bool> mergeBias{
      *this, "merge-bias",
      llvm::cl::desc(
          "Turn a repeated weight that is added to a product into its bias"),
      llvm::cl::init(true)};
  Option<CostKind> cost{
      *this, "cost",
      llvm::cl::desc(
          "The cost that passes compare: full (time), whole-rows (time, "
          "without pieces of long rows), or rows (of products)"),
      llvm::cl::init(CostKind::Full)};

  /// Sets the same switches of `other`.
  template <typename Other> void assignGraphSwitches(Other &other) const {
    other.raiseLoops = raiseLoops;
    other.linearReorder = linearReorder;
    other.compact = compact;
    other.orderAggregate = orderAggregate;
    other.fuseAttention = fuseAttention;
    other.foldNormalization = foldNormalization;
    other.joinSums = joinSums;
    other.moveScales = moveScales;
    other.computeInHeads = computeInHeads;
    other.mergeBias = mergeBias;
    other.cost = cost;
    this->assignGradientSettings(other);
  }
};

/// Switches of the passes on templates, on top of other options.
template <typename Base> struct TileSwitches : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<bool> fuse{*this, "fuse",
                    llvm::cl::desc("Fuse traversals and products"),
                    llvm::cl::init(true)};
  Option<bool> sumRowsFirst{
      *this, "sum-rows-first",
      llvm::cl::desc("Compute sums over all edges from row sums of a walk"),
      llvm::cl::init(true)};
  Option<bool> mergeSums{
      *this, "merge-sums",
      llvm::cl::desc("Replace two added sums over elements by one"),
      llvm::cl::init(true)};
  Option<bool> hoistFactors{
      *this, "hoist-factors",
      llvm::cl::desc("Multiply by factors that vary less first"),
      llvm::cl::init(true)};
  Option<bool> groupEdges{
      *this, "group-edges",
      llvm::cl::desc("Compute dots of edges in walks of their destinations"),
      llvm::cl::init(true)};
  Option<bool> separateGroupSums{
      *this, "separate-group-sums",
      llvm::cl::desc("Sum features of rows before their elements are walked"),
      llvm::cl::init(true)};
  Option<bool> splitSums{
      *this, "split-sums",
      llvm::cl::desc("Sum over types or the graph in two steps"),
      llvm::cl::init(true)};
  Option<int64_t> edgeNumbers{
      *this, "edge-numbers",
      llvm::cl::desc("Place of scores of edges and their gradients: -1: by "
                     "statistics; 0: in a kernel of their own; 1: in one walk, "
                     "which stores them; 2: in each walk"),
      llvm::cl::init(-1)};
  Option<int64_t> onlineSoftmax{
      *this, "online-softmax",
      llvm::cl::desc(
          "Compute a softmax's maximum and weighted sums in one walk: -1: if "
          "lanes share a row; 0: never; 1: wherever possible"),
      llvm::cl::init(-1)};
  Option<int64_t> sourceShards{
      *this, "source-shards",
      llvm::cl::desc(
          "Ranges of the nodes that edges gather, which are walked one by one: "
          "-1: by statistics; 0: none; 2 or more: their number"),
      llvm::cl::init(-1)};
  Option<bool> writeInPlace{
      *this, "write-in-place",
      llvm::cl::desc("Overwrite inputs that nothing reads later"),
      llvm::cl::init(true)};
  Option<int64_t> sumRows{
      *this, "sum-rows",
      llvm::cl::desc(
          "Rows that the first of these steps sums at once; 0: by statistics"),
      llvm::cl::init(0)};
  Option<int64_t> longRows{
      *this, "long-rows",
      llvm::cl::desc("Elements above which a row is walked in pieces, by many "
                     "blocks; 0: none is; -1: by statistics"),
      llvm::cl::init(-1)};
  Option<int64_t> gatherCopies{
      *this, "gather-copies",
      llvm::cl::desc(
          "Let copies gather rows of another order, instead of writing them "
          "there: -1: by statistics; 0: never; 1: wherever possible"),
      llvm::cl::init(-1)};
  Option<bool> useEdgeOrder{*this, "use-edge-order",
                            llvm::cl::desc("Read and write edges without a map "
                                           "if they are sorted by destination"),
                            llvm::cl::init(true)};
  Option<int64_t> padRows{
      *this, "pad-rows",
      llvm::cl::desc("Pad rows of odd widths to whole vectors: -1: by "
                     "statistics; 0: never; 1: wherever possible"),
      llvm::cl::init(-1)};

  /// Sets the same switches of `other`.
  template <typename Other> void assignTileSwitches(Other &other) const {
    other.fuse = fuse;
    other.groupEdges = groupEdges;
    other.separateGroupSums = separateGroupSums;
    other.splitSums = splitSums;
    other.edgeNumbers = edgeNumbers;
    other.sumRowsFirst = sumRowsFirst;
    other.mergeSums = mergeSums;
    other.hoistFactors = hoistFactors;
    other.onlineSoftmax = onlineSoftmax;
    other.sourceShards = sourceShards;
    other.writeInPlace = writeInPlace;
    other.sumRows = sumRows;
    other.longRows = longRows;
    other.gatherCopies = gatherCopies;
    other.useEdgeOrder = useEdgeOrder;
    other.padRows = padRows;
  }
};

/// Switches of the passes on schedules, on top of other options.
template <typename Base> struct ScheduleSwitches : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<bool> tensorCores{
      *this, "tensor-cores",
      llvm::cl::desc("Multiply on tensor cores if they are faster"),
      llvm::cl::init(true)};

  Option<bool> asyncCopies{
      *this, "async-copies", llvm::cl::init(true),
      llvm::cl::desc("Copy tiles of products without registers of threads")};

  Option<bool> productRegisters{
      *this, "product-registers", llvm::cl::init(true),
      llvm::cl::desc("State the registers of products of rows in order")};

  Option<int64_t> edgeWalks{
      *this, "edge-walks",
      llvm::cl::desc("Walk the elements of all rows in equal shares: -1: by "
                     "statistics; 0: never; 1: wherever possible"),
      llvm::cl::init(-1)};

  Option<int64_t> rowOrders{
      *this, "row-orders",
      llvm::cl::desc("Rows that blocks take first: 0: in memory order; 1: by "
                     "degree; 2: by degree within windows; -1: by statistics"),
      llvm::cl::init(0)};

  Option<int64_t> sumRuns{
      *this, "sum-runs",
      llvm::cl::desc("Elements of long sums that a lane adds plainly; such "
                     "runs are added with compensation; 0: all elements"),
      llvm::cl::init(32)};
  Option<bool> columnTiles{
      *this, "column-tiles",
      llvm::cl::desc("Walk columns or heads in tiles whose gathered rows stay "
                     "in the L2, by statistics"),
      llvm::cl::init(true)};

  Option<bool> cyclicWalks{
      *this, "cyclic-walks",
      llvm::cl::desc("Let teams of walks by edges take turns if rows are "
                     "narrow or short and have no results"),
      llvm::cl::init(true)};

  /// Sets the same switches of all stages: rows that are walked by edges need
  /// not be split.
  template <typename Stages> void assignScheduleSwitches(Stages &stages) const {
    stages.schedule.tensorCores = tensorCores;
    stages.schedule.asyncCopies = asyncCopies;
    stages.schedule.productRegisters = productRegisters;
    stages.schedule.columnTiles = columnTiles;
    stages.schedule.cyclicWalks = cyclicWalks;
    stages.tile.edgeWalks = stages.schedule.edgeWalks = edgeWalks;
    stages.schedule.rowOrders = rowOrders;
    stages.schedule.sumRuns = sumRuns;
  }
};

/// Switches of the passes on loops over blocks, on top of other options.
template <typename Base> struct BlockSwitches : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<bool> sumsInProducts{
      *this, "sums-in-products",
      llvm::cl::desc("Sum rows in the block that multiplies them"),
      llvm::cl::init(false)};

  /// Sets the same switches of all stages: memory is planned for it.
  template <typename Stages> void assignBlockSwitches(Stages &stages) const {
    stages.tile.sumsInProducts = sumsInProducts;
    stages.block.sumsInProducts = sumsInProducts;
  }
};

/// Switches of the passes on kernels, on top of other options.
template <typename Base> struct KernelSwitches : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<bool> cachePolicies{
      *this, "cache-policies",
      llvm::cl::desc("Evict data that kernels read once from the L2 first"),
      llvm::cl::init(true)};

  template <typename Stages> void assignKernelSwitches(Stages &stages) const {
    stages.ptx.cachePolicies = cachePolicies;
  }
};

/// Options of `gnn-graph-pipeline`.
struct GraphPipelineOptions
    : public GraphSwitches<mlir::PassPipelineOptions<GraphPipelineOptions>> {};

/// Options of `gnn-tile-pipeline`.
struct TilePipelineOptions
    : public TileSwitches<mlir::PassPipelineOptions<TilePipelineOptions>> {
  Option<bool> shareMemory{
      *this, "share-memory",
      llvm::cl::desc("Let buffers with disjoint lifetimes share memory"),
      llvm::cl::init(true)};
  Option<bool> sumsInProducts{
      *this, "sums-in-products",
      llvm::cl::desc(
          "Keep the inputs of sums for the products that may compute them"),
      llvm::cl::init(false)};
  Option<int64_t> edgeWalks{
      *this, "edge-walks",
      llvm::cl::desc("Keep rows whole that are walked by edges, by the choice "
                     "of the schedule pipeline"),
      llvm::cl::init(-1)};
};

/// Files of schedules, on top of other options.
template <typename Base> struct ScheduleFiles : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<std::string> schedules{*this, "schedules",
                                llvm::cl::desc("File of initial schedules"),
                                llvm::cl::init("")};
  Option<bool> allowUnusedSchedules{
      *this, "allow-unused-schedules",
      llvm::cl::desc("Skip schedules that no template takes"),
      llvm::cl::init(false)};
  Option<std::string> records{
      *this, "records", llvm::cl::desc("File of records, for other templates"),
      llvm::cl::init("")};
  Option<std::string> recordKeys{
      *this, "record-keys", llvm::cl::desc("File that gets keys of records"),
      llvm::cl::init("")};
  Option<std::string> saveSchedules{
      *this, "save-schedules", llvm::cl::desc("File that gets all schedules"),
      llvm::cl::init("")};
  Option<std::string> scheduleRule{
      *this, "schedule-rule", llvm::cl::desc("rule, or ranked:FILE, a model"),
      llvm::cl::init("rule")};

  /// Takes the same options of `other`.
  template <typename Other> void takeScheduleFiles(const Other &other) {
    schedules = other.schedules;
    allowUnusedSchedules = other.allowUnusedSchedules;
    records = other.records;
    recordKeys = other.recordKeys;
    saveSchedules = other.saveSchedules;
    scheduleRule = other.scheduleRule;
  }
};

/// Options of `gnn-schedule-pipeline`.
struct SchedulePipelineOptions
    : public ScheduleFiles<ScheduleSwitches<
          mlir::PassPipelineOptions<SchedulePipelineOptions>>> {
  Option<std::string, PassesParser> afterSchedule{
      *this, "after-schedule",
      llvm::cl::desc("Passes on the module after the choice of schedules, "
                     "before these are checked and saved"),
      llvm::cl::init("")};
};

/// Options of a stage that lowers templates to scalar loops instead, on top of
/// others.
template <typename Base> struct ScalarLoops : public Base {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<bool> scalarLoops{
      *this, "scalar-loops",
      llvm::cl::desc("Lower the input to loops of one thread instead, its slow "
                     "definition"),
      llvm::cl::init(false)};
};

/// Options of `gnn-block-pipeline`.
struct BlockPipelineOptions
    : public BlockSwitches<
          ScalarLoops<mlir::PassPipelineOptions<BlockPipelineOptions>>> {
  Option<std::string, PassesParser> afterBlocked{
      *this, "after-blocked",
      llvm::cl::desc("Passes on the module with loops over blocks"),
      llvm::cl::init("")};
};

/// Options of `gnn-loops-pipeline`.
struct LoopsPipelineOptions
    : public ScalarLoops<mlir::PassPipelineOptions<LoopsPipelineOptions>> {
  Option<std::string, PassesParser> afterLoops{
      *this, "after-loops",
      llvm::cl::desc("Passes on the module with loops and vectors"),
      llvm::cl::init("")};
};

/// Options of `gnn-lanes-pipeline`.
struct LanesPipelineOptions
    : public ScalarLoops<mlir::PassPipelineOptions<LanesPipelineOptions>> {};

/// The switches of all passes.
struct PassSwitches
    : public KernelSwitches<BlockSwitches<ScheduleSwitches<TileSwitches<
          GraphSwitches<mlir::PassPipelineOptions<PassSwitches>>>>>> {};

/// Reads "NAME=VALUE ..." as switches, with spaces or commas between, where
/// true and false are also on and off. A name is that of the switch or of its
/// pass. Fails with what was expected in `message`.
llvm::LogicalResult parsePassSwitches(llvm::StringRef text,
                                      PassSwitches &switches,
                                      std::string &message);

/// The names of the switches in `text`, which `parsePassSwitches` has read.
llvm::SmallVector<llvm::StringRef> listGivenSwitches(llvm::StringRef text);

/// The form that is lowered to loops of scalars, which run it without the later
/// passes.
enum class StopAt {
  Kernels,    ///< none: all stages run
  Structured, ///< templates after fusion; each buffer has its own place
  Scheduled,  ///< templates on buffers, with schedules
  Blocked,    ///< templates on ranges, in loops over blocks
  Loops       ///< loops and vectors, in loops over blocks
};

template <> struct OptionWords<StopAt> {
  static llvm::ArrayRef<OptionWord<StopAt>> list();
};

/// The form of a module that is run; none if all stages run.
std::optional<Form> getForm(StopAt stopAt);

/// The format of kernels: PTX text, or the output of CUDA's ptxas for it.
enum class KernelFormat { ISA, Bin, Fatbin };

template <> struct OptionWords<KernelFormat> {
  static llvm::ArrayRef<OptionWord<KernelFormat>> list();
};

} // namespace gnn

template <>
class llvm::cl::parser<gnn::KernelFormat>
    : public gnn::WordParser<gnn::KernelFormat> {
  using WordParser::WordParser;
};

template <>
class llvm::cl::parser<gnn::StopAt> : public gnn::WordParser<gnn::StopAt> {
  using WordParser::WordParser;
};

namespace gnn {

/// Options of `gnn-kernels-pipeline`.
struct KernelsPipelineOptions
    : public mlir::PassPipelineOptions<KernelsPipelineOptions> {
  Option<StopAt> stopAt{
      *this, "stop-at",
      llvm::cl::desc("Run the form structured, scheduled, blocked or loops by "
                     "loops of one thread; kernels: none"),
      llvm::cl::init(StopAt::Kernels)};
};

/// The options of every pipeline that ends in PTX.
template <typename Options>
struct PTXOptions : public mlir::PassPipelineOptions<Options> {
  template <typename T, typename... Mods>
  using Option = mlir::detail::PassOptions::Option<T, Mods...>;

  Option<std::string, ChipParser> chip{
      *this, "chip",
      llvm::cl::desc("GPU of the kernels, by its name or its chip; empty: that "
                     "of the module, else the first known one"),
      llvm::cl::init("")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("PTX version as a target feature, for example +ptx80; "
                     "empty: the oldest that the chip accepts"),
      llvm::cl::init("")};
  Option<unsigned> optLevel{*this, "opt-level",
                            llvm::cl::desc("LLVM optimization level, 0 to 3"),
                            llvm::cl::init(3)};
  Option<bool> lineInfo{
      *this, "line-info",
      llvm::cl::desc("State in PTX the line of the model for each instruction"),
      llvm::cl::init(true)};
  Option<KernelFormat> format{
      *this, "format",
      llvm::cl::desc("The content of a gpu.binary: isa (PTX text), or bin (a "
                     "cubin) or fatbin by CUDA's ptxas"),
      llvm::cl::init(KernelFormat::ISA)};
};

/// Options of `gnn-ptx-pipeline`.
struct PTXPipelineOptions
    : public KernelSwitches<PTXOptions<PTXPipelineOptions>> {};

/// Options of pipelines that have none.
struct NoOptions : public mlir::PassPipelineOptions<NoOptions> {};

/// The options of all stages, and the user's passes around them.
struct StageOptions {
  GraphPipelineOptions graph;
  TilePipelineOptions tile;
  SchedulePipelineOptions schedule;
  BlockPipelineOptions block;
  LoopsPipelineOptions loops;
  LanesPipelineOptions lanes;
  NoOptions none;
  PTXPipelineOptions ptx;
  StagePasses passes;
  StopAt stopAt = StopAt::Kernels;

  /// Adds passes of the user, in the syntax of `StagePasses::add`.
  mlir::LogicalResult addPasses(llvm::StringRef text, std::string &message);
  /// Runs a form without the later stages.
  void chooseStop(StopAt form);

  /// Computes costs of whole rows if none become pieces.
  void weighRowsAsCut() {
    if (!tile.longRows && graph.cost == CostKind::Full)
      graph.cost = CostKind::WholeRows;
  }
};

/// Options of `gnn-compile-pipeline`: those of its stages.
struct CompilePipelineOptions
    : public ScheduleFiles<KernelSwitches<BlockSwitches<ScheduleSwitches<
          TileSwitches<GraphSwitches<PTXOptions<CompilePipelineOptions>>>>>>> {
  void assignTo(StageOptions &stages) const;
};

/// A stage of the compiler.
struct Stage {
  /// The pipeline is called `gnn-NAME-pipeline`.
  std::string name;
  std::string summary;
  /// The form of its input, which it checks first.
  Form from;
  Form to;
  std::function<void(mlir::OpPassManager &, const StageOptions &)> build;
  /// Prints the passes that `build` adds as text of a pipeline:
  /// "my-pass,gnn-tile-pipeline{fuse=true}".
  std::function<void(llvm::raw_ostream &, const StageOptions &)> print;
  /// Registers its pipeline.
  std::function<void()> add;

  std::string getPipeline() const { return "gnn-" + name + "-pipeline"; }
  /// Whether it is left out because its input comes after the form that is run.
  bool isSkipped(const StageOptions &options) const;
};

/// All stages, in order.
llvm::ArrayRef<Stage> getStages();

/// The last stage that has the switch of this name.
const Stage &getLastStage(llvm::StringRef name);

/// gnn in, gnn out: the decisions on whole-graph operators.
void buildGraphPipeline(mlir::OpPassManager &pm,
                        const GraphPipelineOptions &options);

/// Kernels as `gpu.module` in, `gpu.binary` out; host functions stay as they
/// are. Needs no CUDA for the format "isa".
void buildPTXPipeline(mlir::OpPassManager &pm,
                      const PTXPipelineOptions &options);

/// All stages in a row: gnn in, launches of a `gpu.binary` out.
void buildCompilePipeline(mlir::OpPassManager &pm,
                          const CompilePipelineOptions &options);

/// Registers the passes of the stages by name, once per process.
void registerPasses();

/// Registers the pipelines by name, once per process.
void registerPipelines();

} // namespace gnn

#endif // GNN_PIPELINES_PIPELINES_H
