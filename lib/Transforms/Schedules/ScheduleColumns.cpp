//===- ScheduleColumns.cpp - Columns of a block, by the L2 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the widths that a block may take, finds the one for which the gathers of
// all tiles, their walks included, take the least time.
//
//===----------------------------------------------------------------------===//

#include "ScheduleFacts.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
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

namespace {
/// What a traversal does once for each tile of columns.
struct TileWork {
  double groups = 0;
  double elements = 0;
  /// Bytes that each element reads whatever the columns: ids, scores.
  double bytesPerElement = 0;
  /// Tables that elements gather rows from: one column of each.
  SmallVector<GatherWork> tables;
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
        schedule.columnsPerBlock = choose(op, schedule, facts);
      schedule.setOn(op);
    });
  }

private:
  std::optional<CostModel> model;

  int64_t choose(TraverseOp op, const TraverseSchedule &schedule,
                 const TraverseFacts &facts);
  int64_t chooseOfFew(TraverseOp op, const TraverseSchedule &schedule);
  double seconds(const TileWork &work, int64_t columns, int64_t features);
};
} // namespace

static TileWork describe(TraverseOp op, StatsAttr stats) {
  DomainAttr domain = op.getDomain();
  TileWork work;
  work.groups = countRows(domain.getGroups(), stats);
  work.elements = countRows(domain.getElements(), stats);
  for (auto [input, at] :
       llvm::zip(op.getInputs(), op.getInputsAt().getAsRange<AtAttr>())) {
    if (at.getAnchor() != Anchor::Element)
      continue;
    double bytes =
        getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth() / 8 *
        (at.getHead() ? domain.getHeads() : 1);
    if (at.getSpace())
      work.bytesPerElement += 4;
    if (!at.getFeature())
      work.bytesPerElement += bytes;
    else if (at.getSpace() && !at.getSpace().hasSpaceOf(domain.getElements()))
      work.tables.push_back(
          describeGather(at.getSpace(), work.elements, bytes, stats));
  }
  return work;
}

/// The time of all tiles of so many columns, but for what does not depend on
/// them.
double ScheduleColumns::seconds(const TileWork &work, int64_t columns,
                                int64_t features) {
  double each = work.groups * model->getFigures().rowSeconds +
                work.elements * work.bytesPerElement /
                    model->getFigures().memoryBandwidth;
  for (GatherWork table : work.tables) {
    table.rowBytes *= static_cast<double>(columns);
    each += model->gatherSeconds(table);
  }
  return llvm::divideCeil(features, columns) * each;
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

int64_t ScheduleColumns::choose(TraverseOp op, const TraverseSchedule &schedule,
                                const TraverseFacts &facts) {
  int64_t features = op.getDomain().getFeatures();
  if (facts.reducesFeatures)
    return features;
  int64_t width = schedule.lanes ? schedule.lanes * schedule.vector : 0;
  // A lane goes through the heads of a row as well, by a copy of the body each;
  // where they are too many, more lanes share them.
  double vectorsPerHead = static_cast<double>(facts.mostVectors()) /
                          static_cast<double>(facts.heads);
  int64_t lanes = facts.limits.lanes;
  bool isByEdges = schedule.rowWalk == RowWalk::ByEdges;
  // Eight elements are under way, of which a lane holds as many vectors.
  int64_t ofHead = isByEdges ? 1 : mostOfHead;
  while (lanes > 1 && vectorsPerHead * facts.limits.lanes < lanes)
    lanes /= 2;
  int64_t whole =
      std::min(features, std::clamp<int64_t>(vectorsPerHead, 1, ofHead) *
                             lanes * schedule.vector);
  if (width && whole < features)
    whole = std::max(width, whole / width * width);
  if (hasFewGroups(op, facts))
    return std::min(whole, chooseOfFew(op, schedule));
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!facts.hasElements || !stats)
    return whole;
  TileWork work = describe(op, stats);
  if (isByEdges)
    work.groups = 0; // no team waits for another's row
  if (work.tables.empty())
    return whole;
  int64_t best = whole;
  double bytesPerColumn = 0;
  for (const GatherWork &table : work.tables)
    bytesPerColumn += table.tableRows * table.rowBytes;
  auto fits = [&](int64_t columns) {
    return bytesPerColumn * columns <=
           KernelConstants::tableShare * model->getFigures().l2Bytes;
  };
  // Narrower tiles would gather less than a line of the cache.
  for (int64_t columns = 32; columns < whole; columns *= 2)
    if (fits(columns) && columns % schedule.vector == 0 &&
        (!width || columns % width == 0) &&
        model->isBetter(seconds(work, whole, features),
                        seconds(work, columns, features)) &&
        (best == whole ||
         seconds(work, columns, features) < seconds(work, best, features)))
      best = columns;
  auto micros = [&](int64_t columns) {
    return llvm::formatv("{0:F2} us", 1e6 * seconds(work, columns, features))
        .str();
  };
  if (best == whole)
    refused(getArgument(), op.getLoc())
        << llvm::formatv("blocks take all {0} columns: {1} by the model", whole,
                         micros(whole))
               .str();
  else
    passed(getArgument(), op.getLoc(), "ColumnTiles")
        << llvm::formatv(
               "blocks take {0} of {1} columns, which fit the L2: {2} "
               "instead of {3} by the model",
               best, features, micros(best), micros(whole))
               .str();
  return best;
}
