//===- SyntheticDegrees.h - Degrees of equal statistics ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TUNE_SYNTHETICDEGREES_H
#define GNN_LIB_TUNE_SYNTHETICDEGREES_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace gnn::tune {

/// The statistics of one end of all edges. Numbers that are not known are 0,
/// lists of them empty.
struct EndStatistics {
  int64_t nodes, squares, longest;
  llvm::ArrayRef<int64_t> edges, pairs, longestPairs;

  EndStatistics(StatsAttr stats, EndPoint end) : edges(stats.getTypeEdges()) {
    bool isSrc = end == EndPoint::Src;
    nodes = isSrc ? stats.getSrcNodes() : stats.getDstNodes();
    squares = isSrc ? stats.getOutDegreeSquares() : stats.getInDegreeSquares();
    longest = isSrc ? stats.getOutDegreeMax() : stats.getInDegreeMax();
    pairs = isSrc ? stats.getSrcPairs() : stats.getDstPairs();
    if (auto most = isSrc ? stats.getSrcPairMax() : stats.getDstPairMax())
      longestPairs = most;
  }
  /// The most edges that a pair of a type may have.
  int64_t mostOfPair(size_t type) const {
    int64_t most = edges[type] - pairs[type] + 1;
    if (!longestPairs.empty())
      most = std::min(most, longestPairs[type]);
    return longest ? std::min(most, longest) : most;
  }
  bool knowsLongest(size_t type) const {
    return longest || !longestPairs.empty();
  }
};

/// Of the steps of a loop over nodes or edges, each of these asks whether to
/// stop: some 100 us apart.
constexpr size_t stepsBetweenChecks = 1 << 16;

/// The types of the nodes, and nodes in the order of their popularity.
struct Nodes {
  std::vector<int32_t> type;
  std::vector<int32_t> all;
  std::vector<std::vector<int32_t>> ofType;

  /// Those that edges may end at; -1: any.
  llvm::ArrayRef<int32_t> eligible(int64_t nodeType) const {
    return nodeType < 0 ? llvm::ArrayRef(all)
                        : llvm::ArrayRef(ofType[nodeType]);
  }
};

/// A node, and the edges of one type that end there.
struct Pair {
  int32_t node;
  int64_t edges;
};

/// By edge type: pairs of nodes at that end and their edges, of degrees whose
/// squares come nearest to those of the statistics; the same for the same seed.
/// They are of no use once `isOver`, which is asked now and then, is true.
std::vector<std::vector<Pair>> findDegrees(GraphOp op, EndPoint end,
                                           const EndStatistics &statistics,
                                           const Nodes &nodes, uint64_t seed,
                                           llvm::function_ref<bool()> isOver);

} // namespace gnn::tune

#endif // GNN_LIB_TUNE_SYNTHETICDEGREES_H
