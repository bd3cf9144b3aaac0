//===- ShardSources.cpp - Walks over ranges of sources, one by one --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that edges gather come from the L2 while a walk goes over a range of
// sources that fits in it. Each node then has a part for each range, and a
// second traversal makes its row of these.
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SHARDSOURCES
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// The most shards that are weighed: with more, most nodes have few edges in
/// each.
static constexpr int64_t mostShards = 32;

namespace {
/// A traversal of the edges of nodes, and the graph that they are edges of.
struct ShardedWalk {
  TraverseOp op;
  SplitBody split;
  GraphOp graph;
  EndPoint end; ///< whose nodes are gathered
};

struct ShardSources : gnn::impl::ShardSourcesBase<ShardSources> {
  using ShardSourcesBase::ShardSourcesBase;

  LogicalResult initialize(MLIRContext *context) override {
    constexpr int64_t most = 65535;
    if ((shards >= -1 && shards <= most && shards != 1))
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'shards' -1, 0 or from 2 to " << most
           << ", got " << shards.getValue();
  }

  void runOnOperation() override {
    if (shards == 0)
      return;
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (op.getGroups().isKind(RowKind::Node) &&
          op.getElements().isIn(Space::Edge) && !op.getReduced().empty())
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  void visit(TraverseOp op);
  std::string plan(ShardedWalk &walk);
  std::string choose(ShardedWalk &walk, int64_t &count, std::string &gain);
};
} // namespace

/// Finds what is cut. Why nothing is; empty if it can be.
std::string ShardSources::plan(ShardedWalk &walk) {
  TraverseOp op = walk.op;
  if (op.getTileSchedule())
    return "it has a schedule";
  if (op.getPartsOf())
    return "its long rows are made of parts";
  walk.graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  if (walk.graph.getShards())
    return "its edges are those of shards already";
  walk.end =
      op.getGroups().getEnd() == RowEnd::Dst ? EndPoint::Src : EndPoint::Dst;
  std::string why = planSplit(op, walk.split);
  if (why.empty() && !walk.split.ofElements.empty())
    why = "it writes a row for each of its elements";
  if (why.empty())
    why = explainShards(op, walk.end);
  return why;
}

/// Bytes of the tables of nodes that each element gathers a row of features of.
static double countTables(TraverseOp op, EndPoint end, StatsAttr stats) {
  Space node = end == EndPoint::Src ? Space::Src : Space::Dst;
  DomainAttr domain = op.getDomain();
  llvm::SmallPtrSet<Value, 4> known;
  double bytes = 0;
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    if (at.getAnchor() == Anchor::Element && at.getSpace().isIn(node) &&
        at.getFeature() && known.insert(input->get()).second)
      bytes +=
          countRows(RowDomain(node), stats) *
          getElementTypeOrSelf(input->get().getType()).getIntOrFloatBitWidth() /
          8 * (at.getHead() ? domain.getHeads() : 1) * domain.getFeatures();
  }
  return bytes;
}

/// Takes the steps back, and the graph where no others walk it.
static void undo(TwoSteps steps, GraphOp graph) {
  undo(steps);
  if (SymbolTable::symbolKnownUseEmpty(graph, graph->getParentOp()))
    graph.erase();
}

/// Chooses how many shards there are by the cost of the steps that they make.
/// Why none are; empty if some are.
std::string ShardSources::choose(ShardedWalk &walk, int64_t &count,
                                 std::string &gain) {
  TraverseOp op = walk.op;
  StatsAttr stats;
  std::string why = explainCuts(op, stats);
  if (!why.empty())
    return why;
  if (!TraverseFacts(op).shufflesInsideElements)
    return "its columns may be walked in tiles";
  CostModel model(op, CostKind::Full);
  double tables = countTables(op, walk.end, stats);
  double atHand = KernelConstants::tableShare * model.getFigures().l2Bytes;
  if (tables <= atHand)
    return llvm::formatv("the {0:F1} MB that it gathers from are in the L2",
                         tables / 1e6);
  double whole = costWalk(model, op, edgeWalks, stats), best = whole;
  for (int64_t shards = 2; shards <= mostShards; shards *= 2) {
    if (tables > atHand * static_cast<double>(shards))
      continue;
    GraphOp graph = walk.graph.shard(walk.end, shards);
    TwoSteps steps = splitIntoShards(op, walk.split, graph);
    StatsAttr ofShards = getStats(graph);
    double cost = costWalk(model, steps.first, edgeWalks, ofShards) +
                  costWalk(model, steps.second, edgeWalks, ofShards);
    if (cost < best) {
      best = cost;
      count = shards;
    }
    undo(steps, graph);
  }
  gain = llvm::formatv(": {0} in all instead of {1} by the model, where tables "
                       "of {2:F1} MB are gathered from",
                       model.textOf(best), model.textOf(whole), tables / 1e6);
  if (!count || !model.isBetter(whole, best))
    return "shards pay too little" + gain;
  return "";
}

void ShardSources::visit(TraverseOp op) {
  ShardedWalk walk{op, {}, nullptr, EndPoint::Src};
  int64_t count = std::max<int64_t>(shards, 0);
  std::string gain, why = plan(walk);
  if (why.empty() && shards < 0)
    why = choose(walk, count, gain);
  if (!why.empty()) {
    refused(getArgument(), op->getLoc()) << why;
    return;
  }
  passed(getArgument(), op.getLoc(), "Cut")
      << llvm::formatv("the edges of each '{0}' are walked in {1} ranges of "
                       "'{2}', one by one{3}",
                       name(op.getGroups().get().space), count,
                       stringifyEndPoint(walk.end), gain)
             .str();
  TwoSteps steps =
      splitIntoShards(op, walk.split, walk.graph.shard(walk.end, count));
  op.replaceAllUsesWith(steps.second);
  op.erase();
}
