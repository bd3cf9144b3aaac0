//===- ScheduleColumns.cpp - Columns of a block, by the L2 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the columns of a block, or its heads, for which the gathers of all
// tiles, their walks included, take the least time.
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

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
};
} // namespace

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
               "with {0:F0} elements alone, a lane takes {1} features instead "
               "of {2}, and a row has more lanes",
               facts.numElements, schedule.vector, widest.vector)
               .str();
}

void ScheduleColumns::choose(TraverseOp op, TraverseSchedule &schedule,
                             const TraverseFacts &facts) {
  chooseColumns(schedule, facts);
  int64_t whole = schedule.columnsPerBlock;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!tiles || !facts.hasElements || !stats ||
      (!facts.reducesFeatures && facts.fewGroups))
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
    std::string why = llvm::formatv("no tile of columns is faster than all {0} "
                                    "columns in a block, {1} by the model",
                                    whole, micros(all))
                          .str();
    if (!facts.columnTilesRefusal.empty() && !costs.fits(all))
      why += "; tiles of columns are impossible: " + facts.columnTilesRefusal;
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
