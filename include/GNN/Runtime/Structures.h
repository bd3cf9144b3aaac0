//===- Structures.h - Structures of a graph and their keys ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_STRUCTURES_H
#define GNN_RUNTIME_STRUCTURES_H

#include "GNN/Lattice/Lattice.h"
#include "GNN/Runtime/Error.h"
#include "GNN/Runtime/Graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

using gnn::CountKey;
using Order = gnn::RowOrder;
using gnn::OrderedSpace;
using gnn::Space;
using gnn::StructureKey;

/// The space, structure or count of that canonical text.
Expected<Space> parseSpace(std::string_view text);
Expected<StructureKey> parseStructureKey(std::string_view text);
Expected<CountKey> parseCountKey(std::string_view text);

/// Shape of the degrees of one side.
struct DegreeStatistics {
  int64_t max = 0;
  /// Sum of the squares.
  int64_t squares = 0;
  double mean = 0;
  /// Mean of the squares; the variance is this less mean^2.
  double secondMoment = 0;
};

/// Statistics of one edge type.
struct RelationStatistics {
  int64_t edges = 0;
  /// Distinct (source, edge type) and (destination, edge type) pairs.
  int64_t srcPairs = 0;
  int64_t dstPairs = 0;
  /// The most edges of one of them.
  int64_t srcPairMax = 0;
  int64_t dstPairMax = 0;
};

/// Statistics by which passes decide.
struct GraphStatistics {
  int64_t srcNodes = 0;
  int64_t dstNodes = 0;
  int64_t edges = 0;
  int64_t srcPairs = 0;
  int64_t dstPairs = 0;
  DegreeStatistics outDegree;
  DegreeStatistics inDegree;
  /// One an edge type.
  std::vector<RelationStatistics> relations;
  /// The edges of a square graph whose ids are at most each of `nearDistances`
  /// apart. Empty of a bipartite one.
  std::vector<int64_t> nearEdges;

  /// As a JSON object with the names above in snake_case.
  std::string json() const;

  /// As `#gnn.stats<...>`, which a declaration of the graph takes.
  std::string attribute() const;
};

/// Computes the statistics; sorts the edges if no structure has done so.
Expected<GraphStatistics> statistics(const Graph &graph);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_STRUCTURES_H
