//===- RowAnalysis.cpp - On which rows a value is known -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAnalysis.h"

#include "GNN/Analysis/CostModel.h"

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

RowPath gnn::coarsestRows(Value value) {
  RowSpace own = *getRowSpace(value.getType());
  RowPath self{own, own, std::nullopt};
  Operation *op = value.getDefiningOp();
  if (!op || !isRowWise(op))
    return self;
  GraphOp graph = getGraph(op, value.getType());
  SmallVector<RowPath> bases;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<RowPath> path = getRows(operand.get().getType())
                                      ? getOperandPath(operand)
                                      : std::nullopt;
    if (!path)
      continue;
    auto further = compose(*path, coarsestRows(operand.get()));
    bases.push_back(further ? *further : *path);
  }
  for (RowSpace space : spaces)
    for (RowPath path : pathsBetween(own, space, graph))
      if (llvm::all_of(bases, [&](RowPath base) {
            return restOfPath(base, path, graph).has_value();
          }))
        return path;
  return self;
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
