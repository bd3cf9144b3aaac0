//===- ScheduleRuns.cpp - Which sums are added in runs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULERUNS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

/// A length of which nothing is known.
static constexpr double unknown = std::numeric_limits<double>::infinity();

/// The elements of the longest group, at most.
static double countMost(RowDomain groups, RowDomain elements, StatsAttr stats) {
  if (groups.isTiles())
    return static_cast<double>(groups.getTiles().tile);
  if (elements.isFixed())
    return static_cast<double>(elements.getCount());
  if (!stats)
    return unknown;
  bool isOfNodes = groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair);
  if (!isOfNodes || groups.getEnd() == RowEnd::Neither || elements.isTiles())
    return countLongest(groups, elements, stats);
  EndPoint end = groups.getEnd() == RowEnd::Src ? EndPoint::Src : EndPoint::Dst;
  int64_t longest = groups.isKind(RowKind::Pair) ? stats.getLongestPair(end)
                                                 : stats.getLongestRow(end);
  return longest ? static_cast<double>(longest) : unknown;
}

namespace {
/// The numbers that one lane adds one after the other.
struct LongestWalk {
  double elements;
  StringRef of; ///< what they are
  /// Runs that are added plainly.
  int64_t plainRuns = TraverseLayout::plainRuns;

  double getRuns() const { return elements / static_cast<double>(plainRuns); }
};

struct ScheduleRuns : gnn::impl::ScheduleRunsBase<ScheduleRuns> {
  using ScheduleRunsBase::ScheduleRunsBase;

  LogicalResult initialize(MLIRContext *context) override {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (length >= 0 && length <= most)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'length' from 0 to " << most
           << ", got " << length.getValue();
  }

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      if (!isa_and_nonnull<TraverseScheduleAttr, CoreScheduleAttr>(
              Attribute(op.getScheduleAttr())) ||
          !TraverseFacts(op).addsFloats)
        return WalkResult::advance();
      FailureOr<TraverseLayout> layout = getPartialLayout(op);
      if (failed(layout))
        return WalkResult::interrupt();
      if (layout->window)
        refused(getArgument(), op.getLoc())
            << "its elements are staged in windows";
      else if (layout->addsAtomically)
        refused(getArgument(), op.getLoc())
            << "atomics add its parts, and keep none for compensation";
      else if (!layout->runs)
        choose(op, *layout);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    getOperation()->walk([&](OuterOp op) {
      GemmScheduleAttr schedule = op.getScheduleAttr();
      if (schedule && !ProductSchedule(schedule).runs)
        choose(op, schedule);
    });
  }

private:
  void choose(TraverseOp op, const TraverseLayout &layout);
  void choose(OuterOp op, GemmScheduleAttr schedule);
  bool isOfManyShares(TraverseOp op, const TraverseLayout &layout);
  bool isLong(Operation *op, LongestWalk longest, StringRef who);
  static LongestWalk findLongest(TraverseOp op, const TraverseLayout &layout);
};
} // namespace

/// The walk in which a lane has most runs, for those that are added plainly: of
/// a row by its team or by its block, or of what shares or pieces leave of it.
LongestWalk ScheduleRuns::findLongest(TraverseOp op,
                                      const TraverseLayout &layout) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  RowDomain groups = op.getGroups();
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  double most = countMost(groups, op.getElements(), stats);
  auto lanes = static_cast<double>(layout.elementLanes);
  double lanesOfBlock = lanes * static_cast<double>(layout.rowsPerBlock);
  auto block = static_cast<double>(TraverseSchedule(op).getBlockPositions());
  // A block leaves two of each row that goes on behind it.
  if (layout.rowWalk == RowWalk::ByEdges) {
    double pieces = 2 * (most / block + 2);
    TraverseSchedule join = scheduleJoin(op, TraverseSchedule(op), stats);
    if (join.rowWalk != RowWalk::ByLength)
      return {pieces / lanes, "pieces"};
    auto ofTeam = std::min(pieces, static_cast<double>(join.splitRows));
    return {std::max(ofTeam / lanes, pieces / lanesOfBlock), "pieces"};
  }
  LongestWalk longest{most / lanes, "elements"};
  // Tiles, pieces and what is made of them are of sums that may be of millions.
  bool isRow = groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair);
  if (isRow && !layout.isOneLane)
    longest.plainRuns = TraverseLayout::plainRunsOfRow;
  if (layout.rowWalk == RowWalk::Block)
    longest.elements = most / lanesOfBlock;
  if (layout.rowWalk != RowWalk::ByLength)
    return longest;
  LongestWalk left = longest;
  left.elements = most / lanesOfBlock;
  if (auto length = static_cast<double>(op.getLongLength()))
    left = {left.elements / length, "pieces"};
  longest.elements =
      std::min(longest.elements, static_cast<double>(layout.mostOfTeam()));
  return left.getRuns() > longest.getRuns() ? left : longest;
}

/// Whether a row may lie in so many shares of a block that it adds their parts
/// with compensation. Says so.
bool ScheduleRuns::isOfManyShares(TraverseOp op, const TraverseLayout &layout) {
  TraverseLayout inRuns = layout;
  inRuns.runs = length;
  if (layout.rowWalk != RowWalk::ByEdges || layout.addsAtomically ||
      !inRuns.addsSharesInParts())
    return false;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  double most = countMost(op.getGroups(), op.getElements(),
                          graph ? getStats(graph) : nullptr);
  // A row may begin in a share, and end in another one.
  double shares = std::min(static_cast<double>(layout.rowsPerBlock),
                           std::ceil((most - 1) / TeamShare::elements) + 1);
  if (shares <= TraverseLayout::plainShares)
    return false;
  passed(getArgument(), op.getLoc(), "Scheduled")
      << llvm::formatv("a row lies in {0:F0} shares of a block at most: their "
                       "parts are added with compensation",
                       shares)
             .str();
  return true;
}

/// Whether these are more than are added plainly. Says so.
bool ScheduleRuns::isLong(Operation *op, LongestWalk longest, StringRef who) {
  if (length == 0) {
    refused(getArgument(), op->getLoc()) << "the setting asks for plain sums";
    return false;
  }
  int64_t most = longest.plainRuns * length;
  std::string number =
      longest.elements < unknown
          ? llvm::formatv("{0:F0} {1} at most", std::ceil(longest.elements),
                          longest.of)
                .str()
          : ("an unknown number of " + longest.of).str();
  std::string text = (who + " adds up " + number).str();
  if (longest.elements <= static_cast<double>(most)) {
    refused(getArgument(), op->getLoc()) << text + ", too few for runs";
    return false;
  }
  passed(getArgument(), op->getLoc(), "Scheduled")
      << (text + ": in runs of " + Twine(length)).str();
  return true;
}

void ScheduleRuns::choose(TraverseOp op, const TraverseLayout &layout) {
  if (!isOfManyShares(op, layout) &&
      !isLong(op, findLongest(op, layout), "a lane"))
    return;
  TraverseSchedule schedule(op);
  schedule.runs = length;
  op.setScheduleAttr(op.getScheduleAttr().withFields(schedule));
}

/// Runs of a block that are added plainly where each thread of a GPU has 32
/// sums of a wide tile: in runs it takes 167 registers and not 90 (ptxas,
/// sm_90).
static constexpr int64_t plainRunsOfWideTile = 32;

/// Each thread of a block goes through all rows of its group.
void ScheduleRuns::choose(OuterOp op, GemmScheduleAttr given) {
  ProductSchedule schedule(given);
  schedule.runs = length;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  double most = countMost(op.getGroups(), op.getElements(),
                          graph ? getStats(graph) : nullptr);
  if (op.sumsHeads())
    most *= static_cast<double>(op.getHeads());
  LongestWalk longest{most, "rows"};
  bool isWide = schedule.n == ProductLayout::widestColumns;
  if (isWide && shareLanesRows(op))
    longest.plainRuns = plainRunsOfWideTile;
  if (isLong(op, longest, "a block"))
    op.setScheduleAttr(schedule.get(op.getContext()));
}
