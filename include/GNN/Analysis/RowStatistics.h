//===- RowStatistics.h - How many rows a domain has -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_ROWSTATISTICS_H
#define GNN_ANALYSIS_ROWSTATISTICS_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/RowDomain.h"

namespace gnn {

/// How many rows a domain has on a graph with `stats`. None are counted of node
/// types, edge types and the graph, which are few; of tiles, one beyond those
/// of all elements in one group.
double countRows(tile::RowDomain domain, StatsAttr stats);

/// How many elements a group has in the mean, where groups are nodes or pairs;
/// 0 where they are few: types, the graph, tiles.
double countMean(tile::RowDomain groups, tile::RowDomain elements,
                 StatsAttr stats);

/// How many elements the longest of `groups` has, which are edge types, node
/// types or the graph. Of node types, all might be of one.
double countLongest(tile::RowDomain groups, tile::RowDomain elements,
                    StatsAttr stats);

} // namespace gnn

#endif // GNN_ANALYSIS_ROWSTATISTICS_H
