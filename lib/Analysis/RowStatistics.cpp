//===- RowStatistics.cpp - How many rows a domain has ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/RowStatistics.h"

#include "llvm/ADT/STLExtras.h"

using namespace gnn;
using gnn::tile::RowDomain;

double gnn::countRows(RowDomain domain, StatsAttr stats) {
  if (domain.isTiles()) {
    StructureKey tiles = domain.getTiles();
    return countRows(tiles.elements, stats) / tiles.tile + 1;
  }
  if (!domain.isOfGraph())
    return domain.getCount();
  RowSpace known =
      domain.isKind(RowKind::NodeType)
          ? RowSpace::NodeType
          : static_cast<RowSpace>(withoutParent(domain.get().space));
  return RowCount::rows(known).evaluate(stats);
}

double gnn::countMean(RowDomain groups, RowDomain elements, StatsAttr stats) {
  if (!groups.isKind(RowKind::Node) && !groups.isKind(RowKind::Pair))
    return 0;
  double rows = countRows(groups, stats);
  return rows ? countRows(elements, stats) / rows : 0;
}

double gnn::countLongest(RowDomain groups, RowDomain elements,
                         StatsAttr stats) {
  double all = countRows(elements, stats);
  if (!groups.isKind(RowKind::EdgeType))
    return all;
  llvm::ArrayRef<int64_t> ofTypes = stats.getTypeEdges();
  if (elements.isKind(RowKind::Pair))
    ofTypes = elements.getEnd() == RowEnd::Src ? stats.getSrcPairs()
                                               : stats.getDstPairs();
  return ofTypes.empty() ? all : *llvm::max_element(ofTypes);
}
