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

/// Whether it walks the edges of nodes and reduces what they have.
static bool isOfNodes(TraverseOp op) {
  return op.getGroups().isKind(RowKind::Node) &&
         op.getElements().isIn(Space::Edge) && !op.getReduced().empty();
}

namespace {
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
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (isOfNodes(op))
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  void visit(TraverseOp op);
};
} // namespace

std::string gnn::tile::planShards(TraverseOp op, ShardChoice &choice) {
  if (!isOfNodes(op))
    return "it does not reduce the edges of nodes";
  if (op.getTileSchedule())
    return "it has a schedule";
  if (op.getPartsOf())
    return "its long rows are made of parts";
  choice.graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  if (choice.graph.getShards())
    return "its edges are those of shards already";
  choice.end =
      op.getGroups().getEnd() == RowEnd::Dst ? EndPoint::Src : EndPoint::Dst;
  std::string why = planSplit(op, choice.split);
  if (why.empty() && !choice.split.ofElements.empty())
    why = "it writes a row for each of its elements";
  if (why.empty())
    why = explainShards(op, choice.end);
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

/// The cost of a traversal in so many shards.
static double costOf(const CostModel &model, TraverseOp op, ShardChoice &choice,
                     int64_t shards, int64_t edgeWalks) {
  GraphOp graph = choice.graph.shard(choice.end, shards);
  TwoSteps steps = splitIntoShards(op, choice.split, graph);
  StatsAttr stats = getStats(graph);
  double cost = costWalk(model, steps.first, edgeWalks, stats) +
                costWalk(model, steps.second, edgeWalks, stats);
  undo(steps, graph);
  return cost;
}

/// Chooses how many shards there are by the cost of the steps that they make.
/// Why none are; empty if some are.
static std::string chooseShards(const CostModel &model, TraverseOp op,
                                int64_t edgeWalks, ShardChoice &choice,
                                std::string &gain) {
  StatsAttr stats;
  std::string why = explainCuts(op, stats);
  if (!why.empty())
    return why;
  TraverseFacts facts(op);
  if (!facts.shufflesInsideElements && !facts.weighsElements)
    return "tiles of columns may fit the L2 without shards "
           "(gnn-tile-schedule-columns)";
  double tables = countTables(op, choice.end, stats);
  double atHand = KernelConstants::tableShare * model.getFigures().l2Bytes;
  if (tables <= atHand)
    return llvm::formatv("the {0:F1} MB that it gathers from are in the L2",
                         tables / 1e6);
  choice.whole = choice.cost = costWalk(model, op, edgeWalks, stats);
  for (int64_t shards = 2; shards <= mostShards; shards *= 2) {
    if (tables > atHand * static_cast<double>(shards))
      continue;
    double cost = costOf(model, op, choice, shards, edgeWalks);
    // Fewer of them are fewer rows to join.
    if (choice.count ? model.isBetter(choice.cost, cost) : cost < choice.cost) {
      choice.cost = cost;
      choice.count = shards;
    }
  }
  gain = llvm::formatv(
      ": {0} in total instead of {1} by the model, where tables "
      "of {2:F1} MB are gathered from",
      model.textOf(choice.cost), model.textOf(choice.whole), tables / 1e6);
  if (!choice.count || !model.isBetter(choice.whole, choice.cost))
    return ("shards " + CostModel::explainLoss(choice.whole, choice.cost) +
            gain)
        .str();
  return "";
}

double gnn::tile::costInShards(const CostModel &model, TraverseOp op,
                               int64_t shards, int64_t edgeWalks,
                               StatsAttr stats) {
  ShardChoice choice;
  std::string gain;
  if (shards != 0 && planShards(op, choice).empty()) {
    if (shards > 0)
      return costOf(model, op, choice, shards, edgeWalks);
    if (chooseShards(model, op, edgeWalks, choice, gain).empty())
      return choice.cost;
  }
  return costWalk(model, op, edgeWalks, stats);
}

void ShardSources::visit(TraverseOp op) {
  ShardChoice choice;
  std::string gain, why = shards == 0 ? "it is turned off" : "";
  if (why.empty())
    why = planShards(op, choice);
  if (why.empty() && shards < 0)
    why = chooseShards(CostModel(op, getCostKind(longRows)), op, edgeWalks,
                       choice, gain);
  else
    choice.count = shards;
  if (!why.empty()) {
    refused(getArgument(), op->getLoc()) << why;
    return;
  }
  passed(getArgument(), op.getLoc(), "Cut")
      << llvm::formatv("the edges of each '{0}' are walked in {1} ranges of "
                       "'{2}', one by one{3}",
                       name(op.getGroups().get().space), choice.count,
                       stringifyEndPoint(choice.end), gain)
             .str();
  TwoSteps steps = splitIntoShards(
      op, choice.split, choice.graph.shard(choice.end, choice.count));
  op.replaceAllUsesWith(steps.second);
  op.erase();
}
