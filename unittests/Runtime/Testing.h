//===- Testing.h - Common parts of the tests --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_TESTING_H
#define GNN_UNITTESTS_RUNTIME_TESTING_H

#include "GNN/Runtime/Graph.h"
#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/HostMemory.h"
#include "GNN/Runtime/Structures.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gnn::runtime::testing {

/// A graph as plain vectors, for tests to compute from.
struct PlainGraph {
  bool square = true;
  int64_t srcNodes = 0, dstNodes = 0, nodeTypes = 1, edgeTypes = 1;
  std::vector<int32_t> src, dst, type, srcType, dstType;
  std::vector<EdgeTypeEnds> schema;
  std::vector<std::string> nodeNames, edgeNames;

  int64_t nodes(GraphSide side) const {
    return side == GraphSide::Src || square ? srcNodes : dstNodes;
  }
  const std::vector<int32_t> &ends(GraphSide side) const {
    return side == GraphSide::Src ? src : dst;
  }
  const std::vector<int32_t> &typeOf(GraphSide side) const {
    return side == GraphSide::Src || square ? srcType : dstType;
  }

  GraphArrays arrays() const {
    GraphArrays result;
    result.square = square;
    result.numSrcNodes = srcNodes;
    result.numDstNodes = dstNodes;
    result.numEdges = static_cast<int64_t>(src.size());
    result.numNodeTypes = nodeTypes;
    result.numEdgeTypes = edgeTypes;
    result.edgeSrc = src.data();
    result.edgeDst = dst.data();
    result.edgeType = type.data();
    result.srcNodeType = srcType.data();
    result.dstNodeType = dstType.data();
    result.schema = schema;
    result.nodeTypeNames = nodeNames;
    result.edgeTypeNames = edgeNames;
    return result;
  }

  std::shared_ptr<const Graph> build() const {
    auto graph = Graph::create(arrays());
    EXPECT_TRUE(graph) << graph.message();
    return graph ? *graph : nullptr;
  }
};

/// The plain form of a graph.
inline PlainGraph plain(const Graph &graph) {
  PlainGraph result;
  result.square = graph.isSquare();
  result.srcNodes = graph.numNodes(GraphSide::Src);
  result.dstNodes = graph.numNodes(GraphSide::Dst);
  result.nodeTypes = graph.numNodeTypes();
  result.edgeTypes = graph.numEdgeTypes();
  result.src = graph.edgeEnds(GraphSide::Src).vec();
  result.dst = graph.edgeEnds(GraphSide::Dst).vec();
  result.type = graph.edgeType().vec();
  result.srcType = graph.nodeType(GraphSide::Src).vec();
  result.dstType = graph.nodeType(GraphSide::Dst).vec();
  result.schema = graph.schema();
  result.nodeNames = graph.nodeTypeNames();
  result.edgeNames = graph.edgeTypeNames();
  return result;
}

/// Random edges in random order between few nodes: self loops and repeated
/// edges come by themselves. The last type of each kind stays empty where there
/// are several.
inline PlainGraph randomGraph(unsigned seed, bool square, int64_t srcNodes,
                              int64_t dstNodes, int64_t edges,
                              int64_t nodeTypes, int64_t edgeTypes) {
  std::mt19937 random(seed);
  auto draw = [&](int64_t limit) {
    return static_cast<int32_t>(random() % static_cast<uint64_t>(limit));
  };
  PlainGraph graph;
  graph.square = square;
  graph.srcNodes = srcNodes;
  graph.dstNodes = square ? srcNodes : dstNodes;
  graph.nodeTypes = nodeTypes;
  graph.edgeTypes = edgeTypes;
  for (int64_t e = 0; e < edges; ++e) {
    graph.src.push_back(draw(graph.srcNodes));
    graph.dst.push_back(draw(graph.dstNodes));
    graph.type.push_back(draw(edgeTypes > 1 ? edgeTypes - 1 : 1));
  }
  for (int64_t v = 0; v < graph.srcNodes; ++v)
    graph.srcType.push_back(draw(nodeTypes > 1 ? nodeTypes - 1 : 1));
  graph.dstType = graph.srcType;
  if (!square) {
    graph.dstType.clear();
    for (int64_t v = 0; v < graph.dstNodes; ++v)
      graph.dstType.push_back(draw(nodeTypes > 1 ? nodeTypes - 1 : 1));
  }
  return graph;
}

/// Graphs of all odd forms.
inline std::vector<PlainGraph> oddGraphs() {
  std::vector<PlainGraph> graphs = {
      randomGraph(1, true, 1, 0, 0, 1, 1),    // one node, no edges
      randomGraph(2, true, 1, 0, 5, 1, 3),    // one node, self loops
      randomGraph(3, true, 7, 0, 40, 3, 4),   // multi-edges
      randomGraph(4, true, 50, 0, 30, 4, 5),  // isolated nodes
      randomGraph(5, true, 33, 0, 300, 1, 1), // no types
      randomGraph(6, false, 9, 31, 100, 3, 4),
      randomGraph(7, false, 40, 3, 90, 2, 2),
      randomGraph(8, false, 1, 1, 4, 1, 2),
      randomGraph(9, false, 5, 0, 0, 2, 3), // one side empty
      randomGraph(10, true, 64, 0, 2000, 6, 17),
  };
  PlainGraph nothing;
  nothing.nodeTypes = nothing.edgeTypes = 0;
  graphs.push_back(nothing);
  PlainGraph noEdgeTypes = randomGraph(11, true, 4, 0, 0, 2, 1);
  noEdgeTypes.edgeTypes = 0;
  graphs.push_back(noEdgeTypes);
  return graphs;
}

/// True where `text` holds `part`; gtest prints both otherwise.
inline ::testing::AssertionResult contains(const std::string &text,
                                           const std::string &part) {
  if (text.find(part) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "expected '" << part << "' in '" << text << "'";
}

} // namespace gnn::runtime::testing

#endif // GNN_UNITTESTS_RUNTIME_TESTING_H
