//===- RowStatistics.cpp - How many rows a domain has ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/RowStatistics.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace gnn;
using gnn::tile::RowDomain;

double RowLengths::countInLong(double length) const {
  double mean = elements / std::max(rows, 1.0);
  if (longest <= length)
    return 0;
  if (length <= mean || longest >= elements)
    return elements;
  double slope = std::log(longest / elements) / std::log(longest / mean);
  return elements * std::pow(length / mean, slope);
}

double RowLengths::countPieces(double length) const {
  double inLong = countInLong(length);
  return inLong == 0 ? 0 : inLong / length + inLong / longest;
}

RowLengths &RowLengths::operator*=(double factor) {
  rows *= factor;
  elements *= factor;
  return *this;
}

double gnn::countRows(RowDomain domain, StatsAttr stats) {
  if (domain.isTiles()) {
    StructureKey tiles = domain.getTiles();
    RowDomain elements = tiles.elements;
    if (!domain.isLongTiles())
      return countRows(elements, stats) / tiles.tile + 1;
    return getLengths(tiles.group, elements, stats)
        .countPieces(static_cast<double>(tiles.tile));
  }
  if (domain.isPieces() || domain.isCutRows()) {
    StructureKey key = domain.getTiles();
    double blocks = countRows(key.elements, stats) / key.tile + 1;
    return domain.isPieces() ? 2 * blocks
                             : std::min(blocks, countRows(key.group, stats));
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

static EndPoint endPointOf(RowDomain groups) {
  return groups.getEnd() == RowEnd::Src ? EndPoint::Src : EndPoint::Dst;
}

double gnn::countLongestGroup(RowDomain groups, RowDomain elements,
                              StatsAttr stats) {
  if (groups.isTiles())
    return std::min(static_cast<double>(groups.getTiles().tile),
                    countRows(elements, stats));
  double rows = std::max(countRows(groups, stats), 1.0);
  double mean = countRows(elements, stats) / rows;
  if (!elements.isKind(RowKind::Edge) || groups.getEnd() == RowEnd::Neither)
    return groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair)
               ? mean
               : countLongest(groups, elements, stats);
  EndPoint end = endPointOf(groups);
  double longest = groups.isKind(RowKind::Pair) ? stats.getLongestPair(end)
                                                : stats.getLongestRow(end);
  return std::max(longest, mean);
}

RowLengths gnn::getLengths(RowDomain groups, RowDomain elements,
                           StatsAttr stats) {
  return {countRows(groups, stats), countRows(elements, stats),
          countLongestGroup(groups, elements, stats)};
}

double gnn::countInLong(RowDomain groups, RowDomain elements, double length,
                        StatsAttr stats) {
  return getLengths(groups, elements, stats).countInLong(length);
}

double gnn::evaluateCount(const CountKey &count, StatsAttr stats) {
  switch (count.kind) {
  case CountKey::Kind::Count:
    return countRows(RowDomain(count.space), stats);
  case CountKey::Kind::TileCount:
  case CountKey::Kind::LongTileCount:
    return countRows(RowDomain::tilesOf(count), stats);
  case CountKey::Kind::LongElementCount:
    return countInLong(count.space, count.elements,
                       static_cast<double>(count.tile), stats);
  case CountKey::Kind::PieceCount:
    return countRows(RowDomain::pieces(count.space, count.elements, count.tile),
                     stats);
  case CountKey::Kind::CutRowCount:
    return countRows(
        RowDomain::cutRows(count.space, count.elements, count.tile), stats);
  case CountKey::Kind::MergedCount: // where groups share nothing
    return countRows(RowDomain(count.elements), stats);
  case CountKey::Kind::MaxRow:
    return countLongestGroup(count.space, count.elements, stats);
  }
  llvm_unreachable("all kinds are handled");
}
