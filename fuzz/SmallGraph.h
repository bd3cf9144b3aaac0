//===- SmallGraph.h - What fuzzed plans are bound to ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_FUZZ_SMALLGRAPH_H
#define GNN_FUZZ_SMALLGRAPH_H

#include "GNN/Runtime/Graph.h"
#include "GNN/Runtime/Plan.h"

#include <memory>

/// A graph with as many types as `spec` says, two equal edges, a self loop and
/// an isolated node; null where there is none of such types.
inline std::shared_ptr<const gnn::runtime::Graph>
smallGraph(const gnn::runtime::GraphSpec &spec) {
  const int32_t src[] = {0, 1, 2, 2, 0, 3}, dst[] = {1, 1, 0, 1, 1, 3};
  gnn::runtime::GraphArrays arrays;
  arrays.square = spec.square;
  arrays.numSrcNodes = arrays.numDstNodes = spec.nodeTypes ? 5 : 0;
  arrays.numEdges = spec.nodeTypes && spec.edgeTypes ? 6 : 0;
  arrays.numNodeTypes = spec.nodeTypes;
  arrays.numEdgeTypes = spec.edgeTypes;
  arrays.edgeSrc = src;
  arrays.edgeDst = dst;
  auto graph = gnn::runtime::Graph::create(arrays);
  return graph ? *graph : nullptr;
}

#endif // GNN_FUZZ_SMALLGRAPH_H
