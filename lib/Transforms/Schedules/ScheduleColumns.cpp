//===- ScheduleColumns.cpp - Columns of a block, by the L2 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the columns that a block may take, or the heads, finds those for which the
// gathers of all tiles, their walks included, take the least time.
//
//===----------------------------------------------------------------------===//

#include "ScheduleFacts.h"

#include "GNN/Analysis/ColumnTiles.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULECOLUMNS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

/// Vectors that a lane takes of each head of a row at most.
static constexpr int64_t mostOfHead = 4;

/// Vectors that a block takes where groups are few, at least and at most, and
/// blocks a multiprocessor that are enough.
static constexpr int64_t leastOfFew = 4, mostOfFew = 32, enoughBlocks = 4;

namespace {
struct ScheduleColumns : gnn::impl::ScheduleColumnsBase<ScheduleColumns> {
  using ScheduleColumnsBase::ScheduleColumnsBase;

  void runOnOperation() override {
    model.emplace(getOperation(), CostKind::WholeRows);
    getOperation()->walk([&](TraverseOp op) {
      if (!isForGPU(op))
        return;
      TraverseSchedule schedule(op);
      TraverseFacts facts = getScheduleFacts(op);
      chooseVector(op, schedule, facts);
      if (!schedule.columnsPerBlock)
        choose(op, schedule, facts);
      schedule.setOn(op);
    });
  }

private:
  std::optional<CostModel> model;

  void choose(TraverseOp op, TraverseSchedule &schedule,
              const TraverseFacts &facts);
  void chooseVector(TraverseOp op, TraverseSchedule &schedule,
                    const TraverseFacts &facts);
  int64_t chooseWhole(TraverseOp op, const TraverseSchedule &schedule,
                      const TraverseFacts &facts);
  int64_t chooseOfFew(TraverseOp op, const TraverseSchedule &schedule);
};
} // namespace

/// True of sums over the rows of weights and over tiles, of which each type has
/// one or some, and of sums of as many rows as the program says.
static bool hasFewGroups(TraverseOp op, const TraverseFacts &facts) {
  RowDomain elements = op.getElements();
  if (!elements)
    return facts.reducesHeads && op.getGroups().isFixed();
  return elements.isTiles() || elements.isKind(RowKind::EdgeType) ||
         elements.isKind(RowKind::NodeType);
}

/// Says where few elements decide.
void ScheduleColumns::chooseVector(TraverseOp op, TraverseSchedule &schedule,
                                   const TraverseFacts &facts) {
  TraverseFacts unknown = facts;
  unknown.numElements = 0;
  TraverseSchedule widest = schedule;
  tile::chooseVector(widest, unknown);
  tile::chooseVector(schedule, facts);
  if (schedule.vector < widest.vector)
    passed(getArgument(), op.getLoc(), "MoreLanes")
        << llvm::formatv(
               "{0:F0} elements are few: lanes have {1} instead of {2} "
               "features, and rows more lanes",
               facts.numElements, schedule.vector, widest.vector)
               .str();
}

/// There are few groups, so that a block takes few columns of one, unless there
/// are more blocks then than the GPU takes at once.
int64_t ScheduleColumns::chooseOfFew(TraverseOp op,
                                     const TraverseSchedule &schedule) {
  int64_t groups = 1, features = op.getDomain().getFeatures();
  if (auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
          op, op.getGraphAttr())) {
    if (op.getGroups().isKind(RowKind::EdgeType))
      groups = graph.getEdgeTypes();
    if (op.getGroups().isKind(RowKind::NodeType))
      groups = graph.getNodeTypes();
  }
  if (op.getGroups().isFixed())
    groups = op.getGroups().getCount();
  int64_t columns = std::max(leastOfFew, schedule.lanes) * schedule.vector;
  while (columns < mostOfFew * schedule.vector &&
         groups * llvm::divideCeil(features, columns) >
             enoughBlocks * model->getFigures().processors)
    columns *= 2;
  return columns;
}

/// The columns that a block takes of a row where nothing is gained by fewer.
int64_t ScheduleColumns::chooseWhole(TraverseOp op,
                                     const TraverseSchedule &schedule,
                                     const TraverseFacts &facts) {
  int64_t features = facts.features;
  if (facts.reducesFeatures)
    return features;
  int64_t width = schedule.lanes ? schedule.lanes * schedule.vector : 0;
  // A lane goes through the heads of a row as well, by a copy of the body each;
  // where they are too many, more lanes share them.
  double vectorsPerHead = static_cast<double>(facts.mostVectors()) /
                          static_cast<double>(facts.heads);
  int64_t lanes = facts.limits.lanes;
  // Of the elements under way a lane of a walk by edges holds a vector each.
  int64_t ofHead = schedule.rowWalk == RowWalk::ByEdges ? 1 : mostOfHead;
  while (lanes > 1 && vectorsPerHead * facts.limits.lanes < lanes)
    lanes /= 2;
  int64_t whole =
      std::min(features, std::clamp<int64_t>(vectorsPerHead, 1, ofHead) *
                             lanes * schedule.vector);
  if (width && whole < features)
    whole = std::max(width, whole / width * width);
  if (hasFewGroups(op, facts))
    return std::min(whole, chooseOfFew(op, schedule));
  return whole;
}

void ScheduleColumns::choose(TraverseOp op, TraverseSchedule &schedule,
                             const TraverseFacts &facts) {
  int64_t whole = chooseWhole(op, schedule, facts);
  schedule.columnsPerBlock = whole;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!tiles || !facts.hasElements || !stats ||
      (!facts.reducesFeatures && hasFewGroups(op, facts)))
    return;
  TileCosts costs(*model, op, facts, stats,
                  schedule.rowWalk == RowWalk::ByEdges);
  if (!costs.hasTables())
    return;
  ColumnTile row{facts.heads, facts.features};
  if (schedule.headsPerBlock)
    row.heads = std::min(row.heads, schedule.headsPerBlock);
  ColumnTile all{row.heads, whole}, best = costs.choose(row, schedule, whole);
  auto micros = [&](ColumnTile tile) {
    return llvm::formatv("{0:F2} us", 1e6 * costs.seconds(tile, row)).str();
  };
  if (best == all) {
    std::string why = llvm::formatv("blocks take all {0} columns: {1} by the "
                                    "model",
                                    whole, micros(all))
                          .str();
    if (!facts.columnTilesRefusal.empty() && !costs.fits(all))
      why += "; they are reduced at once: " + facts.columnTilesRefusal;
    refused(getArgument(), op.getLoc()) << why;
    return;
  }
  bool isOfHeads = best.heads < row.heads;
  if (isOfHeads)
    schedule.headsPerBlock = best.heads;
  schedule.columnsPerBlock = best.columns;
  passed(getArgument(), op.getLoc(), "ColumnTiles")
      << llvm::formatv("blocks take {0} of {1} {2}, which fit the L2: {3} "
                       "instead of {4} by the model",
                       isOfHeads ? best.heads : best.columns,
                       isOfHeads ? row.heads : row.columns,
                       isOfHeads ? "heads" : "columns", micros(best),
                       micros(all))
             .str();
}
