//===- RowSpacesTest.cpp - The lattice against a graph --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A path is a function from rows to rows. These tests write the functions of a
// small graph down and hold the lattice against them.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

using namespace gnn;

namespace {

struct Edge {
  int src, dst, type;
};

using Pair = std::pair<int, int>; // (edge type, node)

/// A graph whose edge types each have one node type at both ends, with
/// parallel edges, a self loop and an isolated node.
class SmallGraph {
public:
  SmallGraph() {
    for (const Edge &edge : edges) {
      srcPairs.insert({edge.type, edge.src});
      dstPairs.insert({edge.type, edge.dst});
    }
  }

  int countOf(RowSpace space) const {
    switch (space) {
    case RowSpace::Edge:
      return edges.size();
    case RowSpace::SrcPair:
      return srcPairs.size();
    case RowSpace::DstPair:
      return dstPairs.size();
    case RowSpace::Src:
    case RowSpace::Dst:
    case RowSpace::Node:
      return nodeTypes.size();
    case RowSpace::NodeType:
      return 2;
    case RowSpace::EdgeType:
      return 3;
    case RowSpace::Graph:
      return 1;
    }
    return 0;
  }

  /// The row of `path.to` that a row of `path.from` leads to.
  int follow(RowPath path, int row) const {
    if (path.isIdentity())
      return row;
    if (path.to == RowSpace::Graph)
      return 0;
    switch (path.from) {
    case RowSpace::Edge:
      return followEdge(path, edges[row]);
    case RowSpace::SrcPair:
      return followPair(path, *std::next(srcPairs.begin(), row));
    case RowSpace::DstPair:
      return followPair(path, *std::next(dstPairs.begin(), row));
    case RowSpace::EdgeType:
      return schema[row][path.via == EndPoint::Dst];
    default:
      return nodeTypes[row];
    }
  }

private:
  int followEdge(RowPath path, const Edge &edge) const {
    int node = path.via == EndPoint::Src ? edge.src : edge.dst;
    switch (path.to) {
    case RowSpace::SrcPair:
      return indexOf(srcPairs, {edge.type, edge.src});
    case RowSpace::DstPair:
      return indexOf(dstPairs, {edge.type, edge.dst});
    case RowSpace::Src:
      return edge.src;
    case RowSpace::Dst:
      return edge.dst;
    case RowSpace::Node:
      return node;
    case RowSpace::NodeType:
      return nodeTypes[node];
    default:
      return edge.type;
    }
  }

  int followPair(RowPath path, Pair pair) const {
    if (path.to == RowSpace::EdgeType)
      return pair.first;
    return path.to == RowSpace::NodeType ? nodeTypes[pair.second] : pair.second;
  }

  static int indexOf(const std::set<Pair> &pairs, Pair pair) {
    return std::distance(pairs.begin(), pairs.find(pair));
  }

  // Node types {0, 0, 0, 1, 1}; type 0 leads 0 -> 1, type 1 leads 0 -> 0,
  // type 2 has no edges.
  std::vector<int> nodeTypes = {0, 0, 0, 1, 1};
  std::vector<std::vector<int>> schema = {{0, 1}, {0, 0}, {1, 0}};
  std::vector<Edge> edges = {{1, 3, 0}, {0, 1, 1}, {1, 3, 0},
                             {0, 3, 0}, {1, 1, 1}, {0, 1, 1}};
  std::set<Pair> srcPairs, dstPairs;
};

/// Spaces of a square graph; those of a bipartite one have its ends for nodes.
std::vector<RowSpace> spacesOf(bool square) {
  std::vector<RowSpace> spaces = {RowSpace::Edge,     RowSpace::SrcPair,
                                  RowSpace::DstPair,  RowSpace::NodeType,
                                  RowSpace::EdgeType, RowSpace::Graph};
  if (square)
    spaces.push_back(RowSpace::Node);
  else
    spaces.insert(spaces.end(), {RowSpace::Src, RowSpace::Dst});
  return spaces;
}

/// All paths between two spaces: none, one, or one for each end.
std::vector<RowPath> pathsBetween(RowSpace from, RowSpace to) {
  RowPath path = {from, to, std::nullopt};
  if (!path.exists())
    return {};
  if (!path.isAmbiguous())
    return {path};
  return {{from, to, EndPoint::Src}, {from, to, EndPoint::Dst}};
}

} // namespace

TEST(RowSpaces, CompositionIsThatOfFunctions) {
  SmallGraph graph;
  int checked = 0, refused = 0;
  for (bool square : {true, false})
    for (RowSpace a : spacesOf(square))
      for (RowSpace b : spacesOf(square))
        for (RowSpace c : spacesOf(square))
          for (RowPath first : pathsBetween(a, b))
            for (RowPath second : pathsBetween(b, c)) {
              std::optional<RowPath> composed = compose(first, second);
              if (!composed) {
                ++refused;
                continue;
              }
              RowPath path = *composed;
              ASSERT_TRUE(path.exists());
              ASSERT_EQ(path.isAmbiguous(), path.via.has_value());
              for (int row = 0; row < graph.countOf(a); ++row)
                ASSERT_EQ(graph.follow(path, row),
                          graph.follow(second, graph.follow(first, row)))
                    << stringifyRowSpace(a).str() << " -> "
                    << stringifyRowSpace(b).str() << " -> "
                    << stringifyRowSpace(c).str();
              ++checked;
            }
  EXPECT_GT(checked, 100);
  // Pairs by the schema to the other end's node type, on both kinds of graph.
  EXPECT_EQ(refused, 4);
}

TEST(RowSpaces, OntoPathsHaveNoEmptyGroups) {
  SmallGraph graph;
  int onto = 0;
  for (bool square : {true, false})
    for (RowSpace a : spacesOf(square))
      for (RowSpace b : spacesOf(square))
        for (RowPath path : pathsBetween(a, b)) {
          if (!path.isOnto())
            continue;
          std::set<int> reached;
          for (int row = 0; row < graph.countOf(a); ++row)
            reached.insert(graph.follow(path, row));
          EXPECT_EQ(static_cast<int>(reached.size()), graph.countOf(b));
          onto += a != b;
        }
  EXPECT_EQ(onto, 4); // edge -> src_pair, dst_pair, on both kinds of graph
}

TEST(RowSpaces, LatticeGoesOneWay) {
  for (bool square : {true, false})
    for (RowSpace a : spacesOf(square))
      for (RowSpace b : spacesOf(square)) {
        RowPath there = {a, b, std::nullopt}, back = {b, a, std::nullopt};
        EXPECT_TRUE(a == b || !(there.exists() && back.exists()));
      }
}

TEST(RowSpaces, EndOfPath) {
  auto endOf = [](RowSpace from, RowSpace to) {
    return RowPath{from, to, std::nullopt}.getEnd();
  };
  EXPECT_EQ(endOf(RowSpace::SrcPair, RowSpace::Node), EndPoint::Src);
  EXPECT_EQ(endOf(RowSpace::DstPair, RowSpace::NodeType), EndPoint::Dst);
  EXPECT_EQ(endOf(RowSpace::Edge, RowSpace::Dst), EndPoint::Dst);
  EXPECT_EQ(endOf(RowSpace::DstPair, RowSpace::EdgeType), std::nullopt);
  EXPECT_EQ(endOf(RowSpace::Node, RowSpace::NodeType), std::nullopt);
}
