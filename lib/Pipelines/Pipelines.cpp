//===- Pipelines.cpp - The table of contents of the compiler --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All stages, from whole-graph ops to PTX, whose passes have their own file.
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Conversion/Passes.h"
#include "GNN/Pipelines/Overlay.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Lanes/Passes.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Stages/Passes.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gnn;

static void addCleaning(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Passes that decide on products, sums and scores: in all functions, or in
/// those of gradients alone.
static void addOperatorPasses(OpPassManager &pm,
                              const GraphPipelineOptions &options,
                              bool ofGradients) {
  OpPassManager passes(func::FuncOp::getOperationName());
  auto add = [&](std::unique_ptr<Pass> pass) {
    passes.addPass(std::move(pass));
    addCleaning(passes);
  };
  auto close = [&] {
    if (passes.empty())
      return;
    if (ofGradients)
      pm.addNestedPass<func::FuncOp>(createOnGradients(passes));
    else
      pm.nest<func::FuncOp>() = passes;
    passes.clear();
  };
  CostKind cost = options.cost;
  if (options.foldNormalization) // before products, to which it is an obstacle
    add(createFoldNormalization({cost}));
  if (options.linearReorder)
    add(createLinearReorder({cost}));
  if (options.compact)
    add(createCompact({cost}));
  if (options.orderAggregate) { // on the module, to which it adds graphs
    close();
    OrderAggregateOptions order{cost};
    order.ofGradients = ofGradients;
    pm.addPass(createOrderAggregate(order));
    addCleaning(passes);
  }
  if (options.mergeBias) // so that no score adds a bias for each edge
    add(createMergeBias());
  if (options.fuseAttention)
    add(createFuseAttention({cost}));
  close();
}

/// Ends of kernels, which need no cleaning in between.
static void addKernelEnds(OpPassManager &pm,
                          const GraphPipelineOptions &options) {
  CostKind cost = options.cost;
  if (options.foldNormalization)
    pm.addNestedPass<func::FuncOp>(createFoldNormalization({cost}));
  if (options.joinSums)
    pm.addNestedPass<func::FuncOp>(createJoinSums({cost}));
  if (options.moveScales)
    pm.addNestedPass<func::FuncOp>(createMoveScales({cost}));
  if (options.computeInHeads)
    pm.addNestedPass<func::FuncOp>(createComputeInHeads());
  if (options.mergeBias)
    pm.addNestedPass<func::FuncOp>(createMergeBias());
  addCleaning(pm);
}

/// gnn in, gnn out.
void gnn::buildGraphPipeline(OpPassManager &pm,
                             const GraphPipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Tensors}));
  // A layer may be a function; nothing is to be cleaned in it yet.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createVerifyGraphForm());
  if (options.raiseLoops)
    pm.addNestedPass<func::FuncOp>(createRaiseLoops());
  addCleaning(pm);
  addOperatorPasses(pm, options, /*ofGradients=*/false);
  // Gradients are those of what the passes have made, and go through them
  // again.
  DifferentiateOptions gradients;
  gradients.memory = options.memory;
  gradients.calls = options.calls;
  pm.addPass(createDifferentiate(gradients));
  addOperatorPasses(pm, options, /*ofGradients=*/true);
  addKernelEnds(pm, options);
}

/// gnn in, gnn_tile on memrefs out: results in arguments, one workspace.
static void buildTilePipeline(OpPassManager &pm,
                              const TilePipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Tensors}));
  pm.addPass(createConvertGNNToGNNTile());
  pm.addPass(createCanonicalizerPass()); // reshapes between templates vanish
  pm.addPass(createCSEPass());           // counts are the same everywhere
  bool longRows = options.longRows != 0;
  if (options.fuse) {
    pm.addNestedPass<func::FuncOp>(createFuseTraversals({/*refusals=*/false}));
    if (options.sumRowsFirst) // what is joined then
      pm.addNestedPass<func::FuncOp>(
          createSumRowsFirst({longRows, options.edgeWalks}));
    pm.addNestedPass<func::FuncOp>(createJoinTraversals());
    pm.addPass(
        createComputeInWalks({options.edgeNumbers, longRows, options.groupEdges,
                              options.edgeWalks, options.sourceShards}));
    // A row that several traversals read may now have one reader, and walks
    // what was reshaped for a traversal that they have taken in.
    pm.addPass(createCanonicalizerPass());
    pm.addNestedPass<func::FuncOp>(createFuseTraversals());
    if (options.mergeSums) // of what is fused
      pm.addNestedPass<func::FuncOp>(createMergeSums());
    pm.addNestedPass<func::FuncOp>(createFuseProducts());
    pm.addPass(createCSEPass());
  }
  pm.addNestedPass<func::FuncOp>( // of all that is fused
      createOnlineSoftmax({options.onlineSoftmax}));
  if (options.hoistFactors) // behind the quotients of a softmax
    pm.addNestedPass<func::FuncOp>(createHoistFactors());
  if (options.groupEdges)
    pm.addNestedPass<func::FuncOp>(createGroupEdges({options.edgeWalks}));
  pm.addNestedPass<func::FuncOp>(createGatherCopies({options.gatherCopies}));
  if (options.separateGroupSums)
    pm.addNestedPass<func::FuncOp>(
        createSeparateGroupSums({longRows, options.edgeWalks}));
  pm.addPass(
      createShardSources({options.sourceShards, longRows, options.edgeWalks}));
  if (options.splitSums) // with all that is fused
    pm.addNestedPass<func::FuncOp>(createSplitSums({options.sumRows}));
  pm.addNestedPass<func::FuncOp>(
      createSplitLongRows({options.longRows, options.edgeWalks}));
  // Results are tensors, or buffers as long as each has a place of its own.
  pm.addNestedPass<func::FuncOp>(createVerifyWholeResults());
  pm.addNestedPass<func::FuncOp>(createSeparateResults());
  pm.addNestedPass<func::FuncOp>(createWriteInPlace({options.writeInPlace}));
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createCanonicalizerPass()); // a reshape undone is the buffer
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.addResultAttribute = true;
  outParams.hoistStaticAllocs = true;
  outParams.hoistDynamicAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  pm.addPass(createCSEPass());
  if (options.useEdgeOrder)
    pm.addNestedPass<func::FuncOp>(createUseEdgeOrder());
  pm.addNestedPass<func::FuncOp>(createPadRows({options.padRows}));
  pm.addNestedPass<func::FuncOp>(
      createPlanMemory({options.shareMemory, options.sumsInProducts}));
}

/// The passes that kinds of target have of their own.
static void addOfTargets(OpPassManager &pm,
                         void (TargetBackend::*add)(OpPassManager &) const) {
  for (const TargetBackend *backend : listBackends()) {
    OpPassManager function(func::FuncOp::getOperationName());
    (backend->*add)(function);
    if (!function.empty())
      pm.addNestedPass<func::FuncOp>(
          createOnTarget(backend->getKind(), function));
  }
}

/// The passes that choose what is open of schedules.
static void addScheduleRule(OpPassManager &pm,
                            const SchedulePipelineOptions &options) {
  addOfTargets(pm, &TargetBackend::addSchedulePasses);
  pm.addNestedPass<func::FuncOp>(createScheduleEdgeWalks({options.edgeWalks}));
  pm.addNestedPass<func::FuncOp>(createScheduleColumns({options.columnTiles}));
  pm.addNestedPass<func::FuncOp>(createScheduleLanes());
  pm.addNestedPass<func::FuncOp>(createScheduleRows({options.cyclicWalks}));
  pm.addNestedPass<func::FuncOp>(createScheduleRowWalks());
  pm.addNestedPass<func::FuncOp>(createScheduleRowOrders({options.rowOrders}));
  pm.addNestedPass<func::FuncOp>(createScheduleProducts(
      {options.tensorCores, options.asyncCopies, options.productRegisters}));
  pm.addNestedPass<func::FuncOp>(createScheduleRuns({options.sumRuns}));
}

/// gnn_tile on memrefs in, the same with complete schedules out.
static void buildSchedulePipeline(OpPassManager &pm,
                                  const SchedulePipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Buffers}));
  // Programs written by hand come in here.
  pm.addNestedPass<func::FuncOp>(createVerifyWholeResults());
  if (!options.schedules.empty()) // first, so that the others leave them
    pm.addPass(createApplySchedules(
        {options.schedules, options.allowUnusedSchedules}));
  if (!options.records.empty() || !options.recordKeys.empty())
    pm.addPass(createApplyRecords({options.records, options.recordKeys}));
  if (options.scheduleRule != "rule") {
    OpPassManager rule(ModuleOp::getOperationName());
    addScheduleRule(rule, options);
    pm.addPass(createRankSchedules(options.scheduleRule, std::move(rule)));
  }
  addScheduleRule(pm, options);
  addPasses(pm, options.afterSchedule);
  pm.addNestedPass<func::FuncOp>(createVerifySchedules());
  if (!options.saveSchedules.empty())
    pm.addPass(createSaveSchedules({options.saveSchedules}));
}

/// Lowers the templates that are left, by loops of one thread.
static void addScalarLoops(OpPassManager &pm, std::unique_ptr<Pass> pass) {
  pm.addNestedPass<func::FuncOp>(std::move(pass));
  pm.addPass(createCSEPass());
}

/// Templates with schedules in, loops over blocks of templates on ranges out.
static void buildBlockPipeline(OpPassManager &pm,
                               const BlockPipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Buffers}));
  if (options.scalarLoops)
    return addScalarLoops(pm, createConvertGNNTileToScalarLoops());
  pm.addNestedPass<func::FuncOp>(createSplitColumns());
  pm.addNestedPass<func::FuncOp>(createSplitEdgeWalks());
  pm.addNestedPass<func::FuncOp>(createBlockTraversals());
  pm.addNestedPass<func::FuncOp>(createBlockProducts());
  if (options.sumsInProducts)
    pm.addNestedPass<func::FuncOp>(createFuseSumsIntoProducts());
  addPasses(pm, options.afterBlocked);
}

/// Templates on ranges in, loops and vectors out. Nothing has to be
/// canonicalized from here to the lanes, but may be (gnn-verify-form).
static void buildLoopsPipeline(OpPassManager &pm,
                               const LoopsPipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Blocked}));
  if (options.scalarLoops)
    return addScalarLoops(pm, createConvertGNNTileToScalarLoops());
  pm.addNestedPass<func::FuncOp>(createLowerTraversals());
  addOfTargets(pm, &TargetBackend::addLoopPasses);
  pm.addNestedPass<func::FuncOp>(createLowerProducts());
  addPasses(pm, options.afterLoops);
}

/// Loops and vectors in, what each thread does out.
static void buildLanesPipeline(OpPassManager &pm,
                               const LanesPipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Loops}));
  if (options.scalarLoops)
    return addScalarLoops(pm, createConvertGNNTileVectorsToScalarLoops());
  pm.addNestedPass<func::FuncOp>(createSpreadWalks());
  pm.addNestedPass<func::FuncOp>(createCopyAsync());
  pm.addNestedPass<func::FuncOp>(createLoadAhead());
  pm.addNestedPass<func::FuncOp>(createUseTensorCores());
  pm.addNestedPass<func::FuncOp>(createDistribute());
}

/// Loops over blocks in, kernels as `gpu.module` and a straight-line host
/// function of launches out.
static void buildGPUPipeline(OpPassManager &pm, const NoOptions &) {
  pm.addPass(createVerifyForm({Form::Lanes}));
  pm.addPass(createConvertGNNTileToGPU());
  pm.addPass(createMergeKernels()); // what follows sees each kernel once
  // States of walks by edges stay results of branches: a select is an operation
  // where no group ends, and waits for what the branches before it have loaded.
  pm.addPass(createCanonicalizerPass(
      GreedyRewriteConfig(),
      {"(anonymous namespace)::ConvertTrivialIfToSelect"}));
  pm.addPass(createCSEPass());
}

/// Kernels in, kernels out that a GPU and the emulator run alike.
static void buildMathPipeline(OpPassManager &pm, const NoOptions &) {
  pm.addPass(createVerifyForm({Form::Kernels}));
  pm.addNestedPass<gpu::GPUModuleOp>(createExpandLanes());
  pm.addNestedPass<gpu::GPUModuleOp>(createUseFastPowers());
  pm.addNestedPass<gpu::GPUModuleOp>(createContractProducts());
  pm.addNestedPass<gpu::GPUModuleOp>(createExpandDeviceMath());
  pm.addPass(createCSEPass());
}

template <typename Options>
static Stage makeStage(StringRef name, StringRef summary, Form from, Form to,
                       void (*build)(OpPassManager &, const Options &),
                       Options StageOptions::*options) {
  Stage stage{name.str(), summary.str(), from, to, {}, {}, {}};
  stage.build = [=](OpPassManager &pm, const StageOptions &all) {
    all.passes.build(pm, name, "begin");
    build(pm, all.*options);
    all.passes.build(pm, name, "end");
  };
  stage.print = [=, pipeline = stage.getPipeline()](llvm::raw_ostream &os,
                                                    const StageOptions &all) {
    if (StringRef before = all.passes.getText(name, "begin"); !before.empty())
      os << before << ",";
    os << pipeline;
    (all.*options).print(os);
    if (StringRef after = all.passes.getText(name, "end"); !after.empty())
      os << "," << after;
  };
  stage.add = [=, pipeline = stage.getPipeline(), text = stage.summary] {
    PassPipelineRegistration<Options>(pipeline, text, build);
  };
  return stage;
}

ArrayRef<Stage> gnn::getStages() {
  static const Stage stages[] = {
      makeStage("graph", "Optimize whole-graph operations (gnn -> gnn)",
                Form::Tensors, Form::Tensors, buildGraphPipeline,
                &StageOptions::graph),
      makeStage("tile", "Make templates on buffers (gnn -> gnn_tile)",
                Form::Tensors, Form::Buffers, buildTilePipeline,
                &StageOptions::tile),
      makeStage("schedule", "Lay templates out (gnn_tile -> gnn_tile)",
                Form::Buffers, Form::Buffers, buildSchedulePipeline,
                &StageOptions::schedule),
      makeStage("block", "Make loops over blocks (gnn_tile)", Form::Buffers,
                Form::Blocked, buildBlockPipeline, &StageOptions::block),
      makeStage("loops", "Make loops and vectors (gnn_tile -> scf, vector)",
                Form::Blocked, Form::Loops, buildLoopsPipeline,
                &StageOptions::loops),
      makeStage("lanes", "Make what each thread does (scf, vector -> scf, gpu)",
                Form::Loops, Form::Lanes, buildLanesPipeline,
                &StageOptions::lanes),
      makeStage("gpu", "Make kernels and launches (scf, gpu -> gpu)",
                Form::Lanes, Form::Kernels, buildGPUPipeline,
                &StageOptions::none),
      makeStage("math",
                "Write reductions and functions of kernels as arithmetic (gpu "
                "-> gpu)",
                Form::Kernels, Form::Kernels, buildMathPipeline,
                &StageOptions::none),
      makeStage("ptx", "Make PTX of GPU kernels (gpu -> binary)", Form::Kernels,
                Form::Binaries, buildPTXPipeline, &StageOptions::ptx),
  };
  return stages;
}

ArrayRef<OptionWord<StopAt>> gnn::OptionWords<StopAt>::list() {
  static const OptionWord<StopAt> words[] = {{"kernels", StopAt::Kernels},
                                             {"structured", StopAt::Structured},
                                             {"scheduled", StopAt::Scheduled},
                                             {"blocked", StopAt::Blocked},
                                             {"loops", StopAt::Loops}};
  return words;
}

std::optional<Form> gnn::getForm(StopAt stopAt) {
  switch (stopAt) {
  case StopAt::Kernels:
    return std::nullopt;
  case StopAt::Structured:
  case StopAt::Scheduled:
    return Form::Buffers;
  case StopAt::Blocked:
    return Form::Blocked;
  case StopAt::Loops:
    return Form::Loops;
  }
  llvm_unreachable("all forms are handled");
}

LogicalResult gnn::StageOptions::addPasses(StringRef text,
                                           std::string &message) {
  if (failed(passes.add(text, message)))
    return failure();
  schedule.afterSchedule = passes.getText("after-schedule").str();
  block.afterBlocked = passes.getText("after-blocked").str();
  loops.afterLoops = passes.getText("after-loops").str();
  return success();
}

void gnn::StageOptions::chooseStop(StopAt form) {
  stopAt = form;
  std::optional<Form> last = getForm(form);
  block.scalarLoops = last == Form::Buffers;
  loops.scalarLoops = last == Form::Blocked;
  lanes.scalarLoops = last == Form::Loops;
  if (form == StopAt::Structured) {
    tile.writeInPlace = false;
    tile.shareMemory = false;
  }
}

bool gnn::Stage::isSkipped(const StageOptions &options) const {
  if (from == Form::Buffers && to == Form::Buffers) // makes schedules
    return options.stopAt == StopAt::Structured;
  std::optional<Form> last = getForm(options.stopAt);
  return last && from > *last && to <= Form::Lanes;
}

void gnn::CompilePipelineOptions::assignTo(StageOptions &stages) const {
  assignGraphSwitches(stages.graph);
  assignTileSwitches(stages.tile);
  assignScheduleSwitches(stages);
  assignBlockSwitches(stages);
  assignKernelSwitches(stages);
  stages.weighRowsAsCut();
  stages.schedule.takeScheduleFiles(*this);
  stages.ptx.features = features;
  stages.ptx.optLevel = optLevel;
  stages.ptx.lineInfo = lineInfo;
  stages.ptx.format = format;
}

void gnn::buildCompilePipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  StageOptions all;
  options.assignTo(all);
  pm.addPass(createAttachTarget({/*kind=*/"", options.chip}));
  for (const Stage &stage : getStages())
    stage.build(pm, all);
}

/// From templates with schedules, or what comes behind them, to kernels.
static void buildKernelsPipeline(OpPassManager &pm,
                                 const KernelsPipelineOptions &options) {
  StageOptions all;
  all.chooseStop(options.stopAt);
  for (const Stage &stage : getStages())
    if (stage.to > Form::Buffers && stage.from < Form::Kernels &&
        stage.from >= Form::Buffers && !stage.isSkipped(all))
      stage.build(pm, all);
}

void gnn::registerPipelines() {
  for (const Stage &stage : getStages())
    stage.add();
  PassPipelineRegistration<KernelsPipelineOptions>(
      "gnn-kernels-pipeline",
      "The stages block, loops, lanes and gpu (gnn_tile -> gpu)",
      buildKernelsPipeline);
  PassPipelineRegistration<CompilePipelineOptions>("gnn-compile-pipeline",
                                                   "All stages (gnn -> binary)",
                                                   buildCompilePipeline);
  registerOverlayPipeline();
}
