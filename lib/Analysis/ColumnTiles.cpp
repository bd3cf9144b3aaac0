//===- ColumnTiles.cpp - Costs of tiles of columns ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the columns of a block, or its heads, for which the gathers of all
// tiles, their walks included, take the least time.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ColumnTiles.h"

#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/Tile/IR/ColumnTiles.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Bytes by which the row of a number is found.
static constexpr double idBytesOf = 4;

static double sizeOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

/// The bytes of what tiles of columns add to, of each element.
static double countResultBytes(TraverseOp op) {
  std::string why;
  double bytes = 0;
  for (PartialResult partial : findPartialResults(op, why)) {
    bool hasHeads = getLevel(partial.reduce.getResult()).head;
    bytes += sizeOf(partial.reduce.getType()) *
             static_cast<double>(hasHeads ? op.getDomain().getHeads() : 1);
  }
  return bytes;
}

TileCosts::TileCosts(const CostModel &model, TraverseOp op,
                     const TraverseFacts &facts, StatsAttr stats,
                     bool isByEdges)
    : model(model), op(op), facts(facts), stats(stats), isByEdges(isByEdges) {
  DomainAttr domain = op.getDomain();
  if (!isByEdges) // where no team waits for another's row
    groups = countRows(domain.getGroups(), stats);
  elements = countRows(domain.getElements(), stats);
  for (auto [input, at] :
       llvm::zip(op.getInputs(), op.getInputsAt().getAsRange<AtAttr>())) {
    if (at.getAnchor() != Anchor::Element)
      continue;
    double bytes = sizeOf(input.getType());
    if (at.getSpace())
      idBytes += 4;
    if (!at.getFeature())
      (at.getHead() ? headScoreBytes : scoreBytes) += bytes;
    else if (at.getSpace() && !at.getSpace().hasSpaceOf(domain.getElements())) {
      tables.push_back({describeGather(at.getSpace(), elements, bytes, stats),
                        at.getHead()});
      tables.back().ofColumn.ranges =
          countRanges(op, domain.getElements(), at.getSpace());
    }
  }
  joins = isByEdges && !op.getReduced().empty();
  if (facts.reducesFeatures)
    resultBytes = countResultBytes(op);
  // Results in the order of the walk are among what each tile has in order.
  writesInOrder =
      llvm::none_of(describeTraversal(op, stats).gathers,
                    [](const GatherWork &gather) { return gather.isWritten; });
}

double TileCosts::secondsByEdges(ColumnTile tile) const {
  KernelWork work = describeByEdges(op, stats, tile.heads, tile.columns);
  // Numbers of elements are met about in their order, whatever that is; what is
  // written is so once.
  for (const GatherWork &gather : work.gathers)
    if (!gather.isWritten && gather.tableRows >= gather.rows)
      work.streamBytes += gather.rows * (idBytesOf + gather.rowBytes);
  llvm::erase_if(work.gathers, [](const GatherWork &gather) {
    return gather.isWritten || gather.tableRows >= gather.rows;
  });
  return model.cost(work) - model.getLaunch();
}

double TileCosts::seconds(ColumnTile tile, ColumnTile row) const {
  auto ofColumns =
      static_cast<double>(llvm::divideCeil(row.columns, tile.columns));
  auto ofHeads = static_cast<double>(llvm::divideCeil(row.heads, tile.heads));
  double tiles = ofColumns * ofHeads;
  double launches = (ofHeads * (facts.reducesFeatures ? ofColumns : 1) - 1) *
                    (joins ? 2 : 1) * model.getLaunch();
  double bytes =
      idBytes + scoreBytes + headScoreBytes * static_cast<double>(tile.heads);
  double each = groups * model.getFigures().rowSeconds +
                elements * bytes / model.getFigures().memoryBandwidth;
  for (const Table &table : tables) {
    GatherWork gather = table.gatherOf(tile);
    each += model.gatherSeconds(gather, gather.tableRows * gather.rowBytes /
                                            gather.ranges);
  }
  // Each tile writes, and but for the first reads, what the others do.
  double added = elements * (ofColumns - 1) * resultBytes /
                 model.getFigures().memoryBandwidth;
  if (!isByEdges)
    return launches + tiles * each + 2 * added;
  return launches + tiles * secondsByEdges(tile) +
         (writesInOrder ? 1 : 2) * KernelConstants::streamShare * added;
}

bool TileCosts::fits(ColumnTile tile) const {
  double bytes = 0;
  for (const Table &table : tables)
    bytes += table.ofColumn.tableRows * table.gatherOf(tile).rowBytes /
             table.ofColumn.ranges;
  return bytes <= KernelConstants::tableShare * model.getFigures().l2Bytes;
}

ColumnTile TileCosts::choose(ColumnTile row, const TraverseSchedule &schedule,
                             int64_t whole) const {
  ColumnTile all{row.heads, whole}, best = all;
  auto offer = [&](ColumnTile tile) {
    double time = seconds(tile, row);
    if (fits(tile) && model.isBetter(seconds(all, row), time) &&
        (best == all || time < seconds(best, row)))
      best = tile;
  };
  int64_t vector = std::max<int64_t>(schedule.vector, 1);
  int64_t width = schedule.lanes ? schedule.lanes * vector : 1;
  if (facts.columnTilesRefusal.empty())
    for (int64_t columns = narrowestTile; columns < whole; columns *= 2)
      if (columns % vector == 0 && columns % width == 0)
        offer({row.heads, columns});
  if (facts.headTilesRefusal.empty() && !schedule.headsPerBlock)
    for (int64_t heads = 1; heads < row.heads; heads *= 2)
      if (heads * whole >= narrowestTile)
        offer({heads, whole});
  return best;
}
