//===- RowAnalysis.cpp - On which rows a value is known -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/RowAnalysis.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

using namespace mlir;
using namespace gnn;

/// All row spaces, coarse ones first.
static constexpr RowSpace spaces[] = {
    RowSpace::Graph,   RowSpace::NodeType, RowSpace::EdgeType,
    RowSpace::Node,    RowSpace::Src,      RowSpace::Dst,
    RowSpace::SrcPair, RowSpace::DstPair,  RowSpace::Edge};

/// The paths from `from` to `to`: none, one, or one for each end.
static SmallVector<RowPath, 2> pathsBetween(RowSpace from, RowSpace to,
                                            GraphOp graph) {
  SmallVector<RowPath, 2> paths;
  bool square = graph.getKind() == GraphKind::Square;
  bool isSide = to == RowSpace::Src || to == RowSpace::Dst;
  if (from != to && (square ? isSide : to == RowSpace::Node))
    return paths;
  RowPath plain{from, to, std::nullopt};
  if (!plain.exists())
    return paths;
  if (!plain.isAmbiguous())
    return {plain};
  for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
    if (!plain.needsSchema() || graph.hasNodeTypesAt(end))
      paths.push_back({from, to, end});
  return paths;
}

static bool isSame(RowPath a, RowPath b) {
  return a.to == b.to && a.via == b.via;
}

std::optional<RowPath> gnn::restOfPath(RowPath whole, RowPath begin,
                                       GraphOp graph) {
  for (RowPath rest : pathsBetween(begin.to, whole.to, graph)) {
    auto both = compose(begin, rest);
    if (both && isSame(*both, whole))
      return rest;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Dependences of a row
//===----------------------------------------------------------------------===//

namespace {

/// Things that a row can depend on, as bits. Rows that are at no end of an
/// edge, nodes and node types, are at the source.
enum : unsigned {
  dependsOnEdge = 1,
  dependsOnEdgeType = 2,
  dependsOnSrc = 4,
  dependsOnSrcType = 8,
  dependsOnDst = dependsOnSrc << 2,
  dependsOnDstType = dependsOnSrcType << 2,
  dependsOnSomeType =
      64, ///< whichever: all rows but those of the graph have one
};

} // namespace

static unsigned nodeAt(std::optional<EndPoint> end) {
  return end == EndPoint::Dst ? dependsOnDst : dependsOnSrc;
}

static unsigned typeAt(std::optional<EndPoint> end) {
  return end == EndPoint::Dst ? dependsOnDstType : dependsOnSrcType;
}

/// The facts needed to find a row that `path` leads to: the node, and not its
/// type besides.
static unsigned getNeeded(RowPath path) {
  if (path.to == RowSpace::Edge)
    return dependsOnEdge;
  if (path.to == RowSpace::Graph)
    return 0;
  unsigned needed = 0;
  if (isPairSpace(path.to) || path.to == RowSpace::EdgeType)
    needed |= dependsOnEdgeType;
  if (isPairSpace(path.to) || isNodeSpace(path.to))
    needed |= nodeAt(path.getEnd());
  if (path.to == RowSpace::NodeType)
    needed |= typeAt(path.getEnd());
  return needed;
}

/// All that is known to a row that `path` leads to.
static unsigned getKnown(RowPath path, GraphOp graph) {
  if (path.to == RowSpace::Edge)
    return ~0u;
  unsigned known = getNeeded(path);
  if (path.to != RowSpace::Graph)
    known |= dependsOnSomeType;
  if (isPairSpace(path.to) || isNodeSpace(path.to))
    known |= typeAt(path.getEnd());
  if (known & dependsOnEdgeType)
    for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
      if (graph.hasNodeTypesAt(end))
        known |= typeAt(end);
  return known;
}

/// The dependence of rows at the end of `path`, seen from its beginning.
static unsigned alongPath(unsigned dependence, RowPath path) {
  bool atNoEnd = path.to == RowSpace::Node || path.to == RowSpace::NodeType;
  if (path.isIdentity() || !atNoEnd || path.getEnd() != EndPoint::Dst)
    return dependence;
  unsigned some = dependence & dependsOnSomeType;
  return (dependence ^ some) << 2 | some; // no more than the node and its type
}

unsigned RowAnalysis::getDependence(Value value) {
  if (auto known = dependences.find(value); known != dependences.end())
    return known->second;
  RowSpace space = *getRowSpace(value.getType());
  unsigned dependence = getNeeded({space, space, std::nullopt});
  Operation *op = value.getDefiningOp();
  if (op && isRowWise(op)) {
    dependence = 0;
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<RowPath> path = getOperandPath(operand))
        dependence |= readsRowsOf(operand.get(), *path)
                          ? alongPath(getDependence(operand.get()), *path)
                          : getNeeded(*path);
  }
  if (isa_and_present<TypedLinearOp>(op)) // its weights are rows of types
    dependence |= dependsOnSomeType;
  return dependences[value] = dependence;
}

bool RowAnalysis::readsRowsOf(Value value, RowPath path) const {
  return scope == Scope::AllRows || path.isIdentity() ||
         value.getDefiningOp<GatherOp>();
}

SmallVector<RowPath> RowAnalysis::getCoarserRows(Value value) {
  RowSpace own = *getRowSpace(value.getType());
  GraphOp graph =
      getGraph(value.getParentBlock()->getParentOp(), value.getType());
  unsigned dependence = getDependence(value);
  SmallVector<RowPath> found;
  for (RowSpace space : spaces)
    for (RowPath path : pathsBetween(own, space, graph))
      if (!path.isIdentity() && !(dependence & ~getKnown(path, graph)))
        found.push_back(path);
  return found;
}

RowSpace RowAnalysis::getCoarsestRows(Value value) {
  SmallVector<RowPath> coarser = getCoarserRows(value);
  return coarser.empty() ? *getRowSpace(value.getType()) : coarser.front().to;
}

double gnn::getNumRows(Operation *op, RankedTensorType type, RowSpace space,
                       StatsAttr stats) {
  GraphOp graph = getGraph(op, type);
  if (space == RowSpace::EdgeType)
    return graph.getEdgeTypes();
  if (space == RowSpace::NodeType)
    return graph.getNodeTypes();
  if (space == RowSpace::Graph)
    return 1;
  return RowCount::rows(space).evaluate(stats);
}
