//===- Partition.cpp - Blocks of a graph and regions of the memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Partition.h"
#include "OverlayForms.h"
#include "Regions.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Overlay/IR/Overlay.h"
#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/Npz.h"
#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Remarks.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYPARTITION
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

using overlay::ProgramOp;
using overlay::RegionOp;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// The statistics of a graph: its own, or those that its parent's lead to.
static StatsAttr statsOf(GraphOp graph) {
  if (StatsAttr stats = graph.getStatsAttr())
    return stats;
  if (!graph.getParentGraph())
    return nullptr;
  auto parent = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      graph, graph.getParentGraphAttr());
  return parent && parent.getStatsAttr()
             ? graph.deriveStats(parent.getStatsAttr())
             : StatsAttr();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OverlayPartition : gnn::impl::OverlayPartitionBase<OverlayPartition> {
  using OverlayPartitionBase::OverlayPartitionBase;

  OverlayPartition(const OverlayPartitionOptions &options,
                   overlay::GivenGraph given)
      : OverlayPartitionBase(options), given(std::move(given)) {}

  void runOnOperation() override {
    if (failed(overlay::verifyForm(getOperation(), OverlayForm::Prepared)))
      return signalPassFailure();
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (overlay::hasLayers(func) && failed(partition(func)))
        return signalPassFailure();
  }

  LogicalResult partition(func::FuncOp func) {
    auto target = getOperation()->getAttrOfType<overlay::OverlayTargetAttr>(
        overlay::targetName);
    if (!target)
      target =
          overlay::OverlayTargetAttr::get(&getContext(), overlay::Parameters());
    FailureOr<overlay::PartitionAttr> cut =
        choosePartition(func, target.getValues());
    if (failed(cut))
      return failure();
    FailureOr<ProgramOp> program = overlay::makeProgram(func, target, *cut);
    if (failed(program))
      return failure();
    bool fits = overlay::memoryEnd(*program) <= target.getValues().memoryBytes;
    if (!edgesOfShards.empty() && (shardEdges || !fits))
      program->setPartitionAttr(overlay::PartitionAttr::get(
          &getContext(), cut->getVertices(), cut->getEdges(), cut->getN1(),
          cut->getN2(), cut->getEntries(), cut->getSources(),
          DenseI64ArrayAttr::get(&getContext(), edgesOfShards)));
    passed(getArgument(), func.getLoc(), "Partitioned")
        << counted(cut->getBlocks(), "block") + " of " +
               counted(cut->getN1(), "row") + ", " +
               std::to_string(cut->getNumEntries()) + " entries";
    func.erase();
    return success();
  }

  /// The graph that is given for a declaration, or for the one that it is
  /// derived from; null: none is.
  std::shared_ptr<const runtime::Graph> findGiven(GraphOp declared) {
    StringRef name = declared.getParentGraph().value_or(declared.getSymName());
    for (StringRef key : {name, StringRef()})
      if (auto it = given.graphs.find(key.str()); it != given.graphs.end())
        return it->second;
    return nullptr;
  }

  /// The graph `made`, or that of the file, as the function's graph is derived
  /// from it.
  FailureOr<std::shared_ptr<const runtime::Graph>>
  readGraph(func::FuncOp func, GraphOp declared,
            std::shared_ptr<const runtime::Graph> made) {
    auto fail = [&](const runtime::Error &error) {
      return emitError(func.getLoc(), "graph: ") << error.message();
    };
    if (!made) {
      auto file = runtime::GraphFile::load(graph);
      if (!file)
        return fail(file.takeError());
      made = file->graph;
    }
    auto addLoops = [&](runtime::SelfLoops mode) -> runtime::Error {
      auto looped = runtime::addSelfLoops(*made, mode);
      if (looped)
        made = looped->graph;
      return looped.takeError();
    };
    if (addSelfLoops)
      if (runtime::Error error = addLoops(runtime::SelfLoops::Replace))
        return fail(error);
    if (!declared.getParentGraph())
      return made;
    if (!declared.getLoops() || declared.getShards())
      return declared.emitError(
          "has no overlay layer: expected a graph, or one "
          "derived from it by self loops");
    auto mode =
        runtime::parseSelfLoops(stringifyLoopsKind(*declared.getLoops()).str());
    if (runtime::Error error = addLoops(*mode))
      return fail(error);
    return made;
  }

  FailureOr<overlay::PartitionAttr>
  choosePartition(func::FuncOp func, const overlay::Parameters &parameters) {
    edgesOfShards.clear();
    if (given.partition) {
      if (runtime::Error error = given.partition->checkEntries(parameters))
        return emitError(func.getLoc(), "partition: ") << error.message();
      return describe(*given.partition, parameters);
    }
    if (blocksPerPe == 0)
      return emitError(func.getLoc(),
                       "expected blocks-per-pe of 1 or more, got 0");
    auto declared =
        getOperation().lookupSymbol<GraphOp>(overlay::graphOf(func).getAttr());
    std::shared_ptr<const runtime::Graph> known = findGiven(declared);
    int64_t vertices = 0, edges = 0;
    if (known || !graph.empty()) {
      auto read = readGraph(func, declared, known);
      if (failed(read))
        return failure();
      known = *read;
      vertices = known->numNodes(runtime::GraphSide::Src);
      edges = known->numEdges();
    } else {
      StatsAttr stats = statsOf(declared);
      if (!stats)
        return emitError(func.getLoc(), "expected statistics of @")
               << declared.getSymName()
               << ", or a file: a program of the overlay is for one number of "
                  "nodes and edges";
      if (skipEmpty)
        return emitError(func.getLoc(),
                         "skip-empty: expected a file of the graph");
      vertices = stats.getSrcNodes();
      edges = stats.getEdges();
    }
    int64_t rows =
        n1 ? n1 : overlay::chooseN1(vertices, parameters, blocksPerPe);
    if (vertices >= int64_t(1) << 31 || edges >= int64_t(1) << 31)
      return emitError(func.getLoc(),
                       "expected fewer than 2^31 nodes and edges, got ")
             << vertices << " and " << edges;
    if (rows % parameters.psys != 0 ||
        rows > static_cast<int64_t>(parameters.featureRows))
      return emitError(func.getLoc(), "expected n1 to be a multiple of ")
             << parameters.psys << " up to " << parameters.featureRows
             << ", got " << rows;
    if (runtime::Error error =
            overlay::Partition::checkSizes(vertices, rows, parameters))
      return emitError(func.getLoc()) << error.message();
    if (!known)
      return overlay::PartitionAttr::get(&getContext(), vertices, edges, rows,
                                         parameters.featureColumns, {}, {}, {});
    overlay::PartitionOptions options;
    options.skipEmpty = skipEmpty;
    auto cut = overlay::Partition::create(known, rows, parameters, options);
    if (!cut)
      return emitError(func.getLoc(), "graph: ") << cut.message();
    overlay::PartitionAttr found = describe(*cut, parameters);
    StatsAttr stats = statsOf(declared);
    if (!given.takesOthers || found.getEntries() || !stats)
      return found;
    // Others may have fewer self loops that are replaced.
    return overlay::PartitionAttr::get(
        &getContext(), vertices, std::max<int64_t>(edges, stats.getEdges()),
        rows, parameters.featureColumns, {}, {}, {});
  }

  /// The partition with the entries of its shards, unless each subshard has
  /// one.
  overlay::PartitionAttr describe(const overlay::Partition &cut,
                                  const overlay::Parameters &parameters) {
    SmallVector<int64_t> entries(cut.blocks()), sources;
    edgesOfShards.assign(cut.blocks(), 0);
    bool isPlain = cut.entries().size() == cut.blocks() * cut.blocks();
    for (auto [i, entry] : llvm::enumerate(cut.entries())) {
      uint64_t shard = cut.shardOf(i);
      isPlain &= entry.block == i - shard * cut.blocks();
      ++entries[shard];
      edgesOfShards[shard] += entry.count;
      sources.push_back(entry.block);
    }
    DenseI64ArrayAttr ofShards, ofEntries;
    if (!isPlain) {
      ofShards = DenseI64ArrayAttr::get(&getContext(), entries);
      ofEntries = DenseI64ArrayAttr::get(&getContext(), sources);
    }
    return overlay::PartitionAttr::get(
        &getContext(), cut.vertices(), cut.edges(), cut.n1(),
        parameters.featureColumns, ofShards, ofEntries, DenseI64ArrayAttr());
  }

  /// The graphs, where they are no file.
  overlay::GivenGraph given;
  /// Edges of the shards of the graph, where it is known.
  SmallVector<int64_t> edgesOfShards;
};
} // namespace

std::unique_ptr<Pass>
gnn::createOverlayPartition(const OverlayPartitionOptions &options,
                            overlay::GivenGraph given) {
  return std::make_unique<OverlayPartition>(options, std::move(given));
}
