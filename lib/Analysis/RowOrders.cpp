//===- RowOrders.cpp - The cost of an order of rows -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/RowOrders.h"

#include "GNN/Analysis/CostModel.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Idle lanes
//===----------------------------------------------------------------------===//

RowSpread::RowSpread(const RowLengths &lengths, double squares)
    : mean(lengths.elements / std::max(lengths.rows, 1.0)), rows(lengths.rows),
      deviation(0) {
  if (mean <= 0 || rows <= 1)
    return;
  if (squares > 0) {
    double ratio = squares / rows / (mean * mean);
    deviation = std::sqrt(std::log(std::max(ratio, 1.0)));
    return;
  }
  // The longest of so many normal numbers is expected about so far out:
  // log(longest / mean) = out * deviation - deviation^2 / 2.
  double out = std::sqrt(2 * std::log(rows));
  double longest = std::log(std::max(lengths.longest / mean, 1.0));
  deviation = out - std::sqrt(std::max(out * out - 2 * longest, 0.0));
}

double RowSpread::getVariance() const {
  return std::exp(deviation * deviation) - 1;
}

/// The part of normal numbers that are below.
static double normalBelow(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

double RowSpread::expectLongest(double count, double most) const {
  if (deviation == 0)
    return std::min(mean, most);
  // The integral of the length over the distribution of the greatest of
  // `count` normal numbers.
  constexpr double reach = 9;
  constexpr int steps = 1000;
  double shift = std::log(mean) - deviation * deviation / 2;
  double end = reach + deviation, step = (end + reach) / steps;
  double sum = 0, before = 0;
  for (int i = 0; i < steps; ++i) {
    double x = -reach + step * (i + 0.5);
    double below = std::pow(normalBelow(x + step / 2), count);
    sum += std::min(std::exp(shift + deviation * x), most) * (below - before);
    before = below;
  }
  return sum;
}

double RowSpread::expectIdle(TakenOrder order, double together,
                             double most) const {
  double alone = expectLongest(1, most);
  if (alone <= 0 || together <= 1)
    return 1;
  if (order == TakenOrder::Natural)
    return expectLongest(together, most) / alone;
  double window = std::max(rows, together);
  if (order == TakenOrder::DegreeWindows)
    window = std::min(window, static_cast<double>(degreeWindow));
  return 1 + (together - 1) / window * expectLongest(window, most) / alone;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// What of a row lies in sectors of its own where rows are taken from anywhere:
/// its pointers, its first ids and its result.
static constexpr double sectorsOfRow = 3;

/// Launches that an order has to save: times of kernels which take a few of
/// them are not known better (docs/Cost.md).
static constexpr double launchesToSave = 2;

/// Why rows are not taken in an order of their own, whatever it would gain.
static std::string explainNatural(TraverseOp op,
                                  const TraverseSchedule &schedule) {
  if (!op.getElements())
    return "rows have no elements";
  if (op.joinsPieces())
    return "rows that have pieces are listed already";
  if (schedule.rowWalk == RowWalk::ByEdges)
    return "teams take equal shares of the elements";
  if (schedule.rowWalk == RowWalk::Block)
    return "a block has one row";
  TraverseFacts facts(op);
  TraverseSchedule taken = schedule;
  taken.rowOrder = TakenOrder::ByDegree;
  std::string why = explainRefusal(taken, facts, layOut(taken, facts));
  if (why.empty() && schedule.rowsPerBlock < 2)
    return "a block has one row";
  return why;
}

/// The squares of lengths of rows, where these are known: of nodes.
static double countSquares(TraverseOp op, StatsAttr stats) {
  RowDomain groups = op.getGroups(), elements = op.getElements();
  if (!groups.isKind(RowKind::Node) || !elements.isKind(RowKind::Edge))
    return 0;
  return static_cast<double>(groups.getEnd() == RowEnd::Src
                                 ? stats.getOutDegreeSquares()
                                 : stats.getInDegreeSquares());
}

namespace {
/// The costs of the orders of the rows of one traversal.
struct OrderCosts {
  OrderCosts(const CostModel &model, TraverseOp op,
             const TraverseSchedule &schedule, StatsAttr stats)
      : model(model), work(describeTraversal(op, stats)),
        spread(getLengths(op.getGroups(), op.getElements(), stats),
               countSquares(op, stats)),
        together(static_cast<double>(schedule.rowsPerBlock)),
        natural(costTraversal(model, op, stats)) {
    if (schedule.rowWalk == RowWalk::ByLength)
      most = static_cast<double>(schedule.splitRows);
    else if (op.getPartsOf())
      most = static_cast<double>(op.getLongLength());
    for (const WalkWork &walk : work.walks) {
      warps += walk.rows * walk.warps;
      rounds += walk.getRounds() * walk.warps;
    }
  }

  double getIdle(TakenOrder order) const {
    return spread.expectIdle(order, together, most);
  }

  /// Seconds of the kernel. The time of rounds was fitted on rows in natural
  /// order, and has their idle lanes in it. A row waits a round for its number.
  /// Rows that are taken from anywhere have none of their neighbors near, nor
  /// their sources; those of a window stay in the L2.
  double cost(TakenOrder order) const {
    if (order == TakenOrder::Natural)
      return natural;
    const TargetFigures &figures = model.getFigures();
    double ofRounds = figures.roundSeconds * work.crowding;
    double seconds = natural -
                     rounds * ofRounds *
                         (1 - getIdle(order) / getIdle(TakenOrder::Natural)) +
                     warps * ofRounds;
    double bytes = sizeof(int32_t);
    if (order == TakenOrder::ByDegree) {
      bytes += sectorBytes * sectorsOfRow;
      KernelWork far = work;
      for (GatherWork &gather : far.gathers)
        gather.near.clear();
      seconds += std::max(model.cost(far) - model.cost(work), 0.0);
    }
    return seconds + work.reducedRows * bytes / figures.memoryBandwidth;
  }

private:
  const CostModel &model;
  KernelWork work;
  RowSpread spread;
  /// Rows of a block, which lasts as its longest does.
  double together;
  double natural;
  double most = std::numeric_limits<double>::infinity();
  double warps = 0, rounds = 0;
};
} // namespace

TakenOrder gnn::chooseRowOrder(TraverseOp op, int64_t setting,
                               std::string &why) {
  why = "it is turned off";
  if (setting == 0)
    return TakenOrder::Natural;
  TraverseSchedule schedule(op);
  why = explainNatural(op, schedule);
  if (!why.empty())
    return TakenOrder::Natural;
  if (setting > 0)
    return setting == 1 ? TakenOrder::ByDegree : TakenOrder::DegreeWindows;
  StatsAttr stats;
  why = explainCuts(op, stats);
  if (!why.empty())
    return TakenOrder::Natural;
  CostModel model(op, CostKind::WholeRows);
  OrderCosts costs(model, op, schedule, stats);
  TakenOrder best = TakenOrder::DegreeWindows;
  if (costs.cost(TakenOrder::ByDegree) < costs.cost(best))
    best = TakenOrder::ByDegree;
  double now = costs.cost(TakenOrder::Natural), then = costs.cost(best);
  why = llvm::formatv("a block takes {0:F2} times as long as its mean row, and "
                      "{1:F2} times {2}: {3} instead of {4} by the model",
                      costs.getIdle(TakenOrder::Natural), costs.getIdle(best),
                      stringifyTakenOrder(best), model.textOf(then),
                      model.textOf(now));
  if (model.isBetterByLaunches(now, then, launchesToSave))
    return best;
  why = ("an order by degree " + CostModel::explainLoss(now, then) + ": " + why)
            .str();
  return TakenOrder::Natural;
}
