//===- ScheduleColumns.cpp - Columns of a block, by the L2 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the columns that a block may take, or the heads, finds those for which the
// gathers of all tiles, their walks included, take the least time.
//
//===----------------------------------------------------------------------===//

#include "ScheduleFacts.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/ColumnTiles.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

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

/// The share of the L2 that tables may take so that their rows stay there,
/// beside what streams through. On an H200, whose L2 has 60 MB, tables of 60 MB
/// are gathered from at 7.1 TB/s, those of 30 MB at 8.4, by 64 features whole
/// and 128 in tiles of 32 (benchmarks/experiment.py columns).
static constexpr double shareOfL2 = 2.0 / 3;

/// Columns of a tile at least: fewer would be less than a line of the cache.
static constexpr int64_t leastColumns = 32;

namespace {
/// What a tile takes of a row: so many features of so many heads.
struct Tile {
  int64_t heads, columns;
};

/// What a traversal does once for each tile.
struct TileWork {
  double groups = 0;
  double elements = 0;
  /// Bytes that each element reads whatever the tile: ids.
  double idBytes = 0;
  /// Bytes of numbers that an element has, in all or for each head: scores.
  double scoreBytes = 0, headScoreBytes = 0;
  /// Bytes of the results of an element to which tiles of columns add.
  double resultBytes = 0;
  /// Tables that elements gather rows from, with the bytes of one column.
  struct Table {
    double rows, bytesPerColumn;
    bool hasHeads;

    double bytesOf(Tile tile) const {
      return bytesPerColumn *
             static_cast<double>(tile.columns * (hasHeads ? tile.heads : 1));
    }
  };
  SmallVector<Table> tables;
};

struct ScheduleColumns : gnn::impl::ScheduleColumnsBase<ScheduleColumns> {
  using ScheduleColumnsBase::ScheduleColumnsBase;

  void runOnOperation() override {
    model.emplace(getOperation(), CostKind::WholeRows);
    getOperation()->walk([&](TraverseOp op) {
      if (!isForGPU(op))
        return;
      TraverseSchedule schedule(op);
      TraverseFacts facts(op);
      if (!schedule.vector)
        schedule.vector =
            schedule.columnsPerBlock &&
                    schedule.columnsPerBlock < facts.features
                ? std::gcd(facts.widestVector, schedule.columnsPerBlock)
                : facts.widestVector;
      if (!schedule.columnsPerBlock)
        choose(op, schedule, facts);
      schedule.setOn(op);
    });
  }

private:
  std::optional<CostModel> model;

  void choose(TraverseOp op, TraverseSchedule &schedule,
              const TraverseFacts &facts);
  int64_t chooseWhole(TraverseOp op, const TraverseSchedule &schedule,
                      const TraverseFacts &facts);
  int64_t chooseOfFew(TraverseOp op, const TraverseSchedule &schedule);
  double seconds(const TileWork &work, Tile tile, Tile row);
  bool fits(const TileWork &work, Tile tile);
};
} // namespace

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

static TileWork describe(TraverseOp op, const TraverseFacts &facts,
                         StatsAttr stats) {
  DomainAttr domain = op.getDomain();
  TileWork work;
  work.groups = countRows(domain.getGroups(), stats);
  work.elements = countRows(domain.getElements(), stats);
  for (auto [input, at] :
       llvm::zip(op.getInputs(), op.getInputsAt().getAsRange<AtAttr>())) {
    if (at.getAnchor() != Anchor::Element)
      continue;
    double bytes = sizeOf(input.getType());
    if (at.getSpace())
      work.idBytes += 4;
    if (!at.getFeature())
      (at.getHead() ? work.headScoreBytes : work.scoreBytes) += bytes;
    else if (at.getSpace() && !at.getSpace().hasSpaceOf(domain.getElements()))
      work.tables.push_back(
          {countRows(at.getSpace(), stats), bytes, at.getHead()});
  }
  if (facts.reducesFeatures)
    work.resultBytes = countResultBytes(op);
  return work;
}

/// The time of all such tiles of a row, but for what does not depend on them.
double ScheduleColumns::seconds(const TileWork &work, Tile tile, Tile row) {
  auto ofColumns =
      static_cast<double>(llvm::divideCeil(row.columns, tile.columns));
  auto tiles =
      ofColumns * static_cast<double>(llvm::divideCeil(row.heads, tile.heads));
  double bytes = work.idBytes + work.scoreBytes +
                 work.headScoreBytes * static_cast<double>(tile.heads);
  double each = work.groups * model->getFigures().rowSeconds +
                work.elements * bytes / model->getFigures().memoryBandwidth;
  for (const TileWork::Table &table : work.tables)
    each +=
        model->gatherSeconds({work.elements, table.bytesOf(tile), table.rows});
  // Each tile writes, and but for the first reads, what the others do.
  double added = 2 * (ofColumns - 1) * work.resultBytes;
  return tiles * each +
         work.elements * added / model->getFigures().memoryBandwidth;
}

/// Whether what a tile gathers of all rows stays in the L2.
bool ScheduleColumns::fits(const TileWork &work, Tile tile) {
  double bytes = 0;
  for (const TileWork::Table &table : work.tables)
    bytes += table.rows * table.bytesOf(tile);
  return bytes <= shareOfL2 * model->getFigures().l2Bytes;
}

/// True of sums over the rows of weights and over tiles, of which each type has
/// one or some, and of sums of as many rows as the program says.
static bool hasFewGroups(TraverseOp op, const TraverseFacts &facts) {
  RowDomain elements = op.getElements();
  if (!elements)
    return facts.reducesHeads && op.getGroups().isFixed();
  return elements.isTiles() || elements.isKind(RowKind::EdgeType) ||
         elements.isKind(RowKind::NodeType);
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
  // Eight elements are under way, of which a lane holds as many vectors.
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
  TileWork work = describe(op, facts, stats);
  if (schedule.rowWalk == RowWalk::ByEdges)
    work.groups = 0; // no team waits for another's row
  if (work.tables.empty())
    return;
  int64_t width = schedule.lanes ? schedule.lanes * schedule.vector : 0;
  Tile row{facts.heads, facts.features};
  if (schedule.headsPerBlock)
    row.heads = std::min(row.heads, schedule.headsPerBlock);
  Tile all{row.heads, whole}, best = all;
  auto offer = [&](Tile tile) {
    double time = seconds(work, tile, row);
    bool isAll = best.columns == whole && best.heads == row.heads;
    if (fits(work, tile) && model->isBetter(seconds(work, all, row), time) &&
        (isAll || time < seconds(work, best, row)))
      best = tile;
  };
  if (facts.columnTilesRefusal.empty())
    for (int64_t columns = leastColumns; columns < whole; columns *= 2)
      if (columns % schedule.vector == 0 && (!width || columns % width == 0))
        offer({row.heads, columns});
  if (facts.headTilesRefusal.empty() && !schedule.headsPerBlock)
    for (int64_t heads = 1; heads < row.heads; heads *= 2)
      if (heads * whole >= leastColumns)
        offer({heads, whole});
  auto micros = [&](Tile tile) {
    return llvm::formatv("{0:F2} us", 1e6 * seconds(work, tile, row)).str();
  };
  if (best.columns == whole && best.heads == row.heads) {
    std::string why = llvm::formatv("blocks take all {0} columns: {1} by the "
                                    "model",
                                    whole, micros(all))
                          .str();
    if (!facts.columnTilesRefusal.empty() && !fits(work, all))
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
