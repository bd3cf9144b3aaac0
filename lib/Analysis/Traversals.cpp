//===- Traversals.cpp - What one traversal costs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What templates count themselves, with the caches that gathers meet and the
// rounds of walks, which follow from the schedule that a traversal will have.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Elements of the longest group.
static double countLongestGroup(DomainAttr domain, StatsAttr stats) {
  RowDomain groups = domain.getGroups(), elements = domain.getElements();
  double rows = std::max(countRows(groups, stats), 1.0);
  double mean = countRows(elements, stats) / rows;
  if (!elements.isKind(RowKind::Edge) || groups.getEnd() == RowEnd::Neither)
    return groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair)
               ? mean
               : countLongest(groups, elements, stats);
  EndPoint end = groups.getEnd() == RowEnd::Src ? EndPoint::Src : EndPoint::Dst;
  double longest = groups.isKind(RowKind::Pair) ? stats.getLongestPair(end)
                                                : stats.getLongestRow(end);
  return std::max(longest, mean);
}

static WalkWork describeWalk(TraverseOp op, StatsAttr stats) {
  TraverseFacts facts(op);
  TraverseSchedule schedule(op);
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  chooseSplitRows(schedule);
  TraverseLayout layout = layOut(schedule, facts);
  WalkWork walk;
  walk.walks = countWalks(op);
  walk.rows = countRows(op.getGroups(), stats);
  walk.edges = countRows(op.getElements(), stats);
  walk.longest = countLongestGroup(op.getDomain(), stats);
  walk.edgesPerRound = layout.elementLanes * layout.inFlight;
  walk.splitEdges = schedule.splitRows;
  walk.teams = layout.rowsPerBlock;
  walk.warps = layout.threadsPerRow() / 32.0;
  walk.waits = facts.shufflesInsideElements ? 2 : 1;
  return walk;
}

/// Whether rows of `to` are met in their order on the way through `from`: edges
/// lie in the order of their destinations.
static bool isInOrder(RowDomain from, RowDomain to) {
  return from == RowDomain(Space::Edge, RowOrder::InRows) &&
         to.getEnd() == RowEnd::Dst;
}

KernelWork gnn::describeTraversal(TraverseOp op, StatsAttr stats) {
  auto evaluate = [&](const CountSum &sum) {
    return sum.evaluate([&](const CountKey &count) {
      return count.kind == CountKey::Kind::TileCount
                 ? countRows(RowDomain::tiles(count.space, count.elements,
                                              count.tile),
                             stats)
                 : countRows(RowDomain(count.space), stats);
    });
  };
  DomainAttr domain = op.getDomain();
  TileCost cost = op.getCost();
  KernelWork work;
  work.otherFlops = evaluate(cost.flops);
  work.streamBytes = evaluate(cost.readBytes) + evaluate(cost.writtenBytes);
  double largest = 0;
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = hoistAccess(op.getAccess(*input), domain);
    bool isElement = at.getAnchor() == Anchor::Element;
    RowDomain from = isElement ? domain.getElements() : domain.getGroups();
    if (at.getAnchor() == Anchor::All || !at.getSpace() ||
        !needsMap(from, at.getSpace()))
      continue;
    auto type = cast<ShapedType>(input->get().getType());
    GatherWork gather;
    gather.rows = countRows(from, stats);
    gather.rowBytes = type.getElementTypeBitWidth() / 8.0 *
                      (at.getHead() ? domain.getHeads() : 1) *
                      (at.getFeature() ? domain.getFeatures() : 1);
    gather.tableRows = countRows(at.getSpace(), stats);
    gather.table = input->get();
    double tableBytes = gather.tableRows * gather.rowBytes;
    work.streamBytes -= gather.rows * gather.rowBytes;
    if (isInOrder(from, at.getSpace())) {
      work.streamBytes += tableBytes;
      gather.isAgain = true;
    } else if (isElement) {
      largest = std::max(largest, tableBytes);
    }
    work.gathers.push_back(gather);
  }
  if (!domain.getElements())
    return work;
  work.reducedRows = countRows(domain.getGroups(), stats);
  work.walks.push_back(describeWalk(op, stats));
  work.walks.back().tables = {largest};
  return work;
}
