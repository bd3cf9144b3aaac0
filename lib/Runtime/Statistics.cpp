//===- Statistics.cpp - Statistics of a graph -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guarded.h"

#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/Structures.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace gnn::runtime;

static Expected<DegreeStatistics> degreeStatistics(const Graph &graph,
                                                   Side side) {
  Expected<std::vector<int32_t>> degree = degrees(graph, side);
  if (!degree)
    return degree.takeError();
  DegreeStatistics result;
  for (int32_t value : *degree) {
    result.max = std::max<int64_t>(result.max, value);
    result.squares += static_cast<int64_t>(value) * value;
  }
  if (!degree->empty()) {
    auto nodes = static_cast<double>(degree->size());
    result.mean = static_cast<double>(graph.numEdges()) / nodes;
    result.secondMoment = static_cast<double>(result.squares) / nodes;
  }
  return result;
}

/// Elements of each edge type, from the row pointers of `elements`.
static Error countByType(const Graph &graph, OrderedSpace elements,
                         GraphStatistics &result,
                         int64_t RelationStatistics::*field) {
  auto rows = graph.structure(StructureKey::rows(Space::EdgeType, elements));
  if (!rows)
    return rows.takeError();
  for (size_t r = 0; r < result.relations.size(); ++r)
    result.relations[r].*field = int64_t((**rows)[r + 1]) - (**rows)[r];
  return {};
}

/// The most edges that a pair of each type has.
static Error longestPairs(const Graph &graph, Space pair, Order order,
                          GraphStatistics &result,
                          int64_t RelationStatistics::*field) {
  auto types = graph.structure(
      StructureKey::rows(Space::EdgeType, {pair, Order::Natural}));
  if (!types)
    return types.takeError();
  auto rows = graph.structure(StructureKey::rows(pair, {Space::Edge, order}));
  if (!rows)
    return rows.takeError();
  for (size_t r = 0; r < result.relations.size(); ++r)
    for (auto p = size_t((**types)[r]); p < size_t((**types)[r + 1]); ++p)
      result.relations[r].*field = std::max(
          result.relations[r].*field, int64_t((**rows)[p + 1]) - (**rows)[p]);
  return {};
}

Expected<GraphStatistics> gnn::runtime::statistics(const Graph &graph) {
  return guarded("statistics", [&]() -> Expected<GraphStatistics> {
    GraphStatistics result;
    result.srcNodes = graph.numNodes(Side::Src);
    result.dstNodes = graph.numNodes(Side::Dst);
    result.edges = graph.numEdges();
    result.relations.resize(static_cast<size_t>(graph.numEdgeTypes()));
    if (Error error = countByType(graph, {Space::Edge, Order::SrcPairs}, result,
                                  &RelationStatistics::edges))
      return error;
    if (Error error = countByType(graph, {Space::SrcPair, Order::Natural},
                                  result, &RelationStatistics::srcPairs))
      return error;
    if (Error error = countByType(graph, {Space::DstPair, Order::Natural},
                                  result, &RelationStatistics::dstPairs))
      return error;
    if (Error error = longestPairs(graph, Space::SrcPair, Order::SrcPairs,
                                   result, &RelationStatistics::srcPairMax))
      return error;
    if (Error error = longestPairs(graph, Space::DstPair, Order::DstPairs,
                                   result, &RelationStatistics::dstPairMax))
      return error;
    for (const RelationStatistics &relation : result.relations) {
      result.srcPairs += relation.srcPairs;
      result.dstPairs += relation.dstPairs;
    }
    Expected<DegreeStatistics> out = degreeStatistics(graph, Side::Src);
    if (!out)
      return out.takeError();
    Expected<DegreeStatistics> in = degreeStatistics(graph, Side::Dst);
    if (!in)
      return in.takeError();
    result.outDegree = *out;
    result.inDegree = *in;
    return result;
  });
}

static nlohmann::ordered_json toJson(const DegreeStatistics &degree) {
  return {{"max", degree.max},
          {"squares", degree.squares},
          {"mean", degree.mean},
          {"second_moment", degree.secondMoment}};
}

std::string GraphStatistics::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RelationStatistics &relation : relations)
    list.push_back({{"edges", relation.edges},
                    {"src_pairs", relation.srcPairs},
                    {"dst_pairs", relation.dstPairs},
                    {"src_pair_max", relation.srcPairMax},
                    {"dst_pair_max", relation.dstPairMax}});
  nlohmann::ordered_json result = {
      {"src_nodes", srcNodes},
      {"dst_nodes", dstNodes},
      {"edges", edges},
      {"src_pairs", srcPairs},
      {"dst_pairs", dstPairs},
      {"out_degree", toJson(outDegree)},
      {"in_degree", toJson(inDegree)},
  };
  result["relations"] = std::move(list);
  return result.dump();
}

/// "[a, b]" of one count of each relation.
static std::string listText(const std::vector<RelationStatistics> &relations,
                            int64_t RelationStatistics::*count) {
  std::string text;
  for (const RelationStatistics &relation : relations)
    text += (text.empty() ? "" : ", ") + std::to_string(relation.*count);
  return "[" + text + "]";
}

std::string GraphStatistics::attribute() const {
  std::pair<const char *, std::string> fields[] = {
      {"src_nodes", std::to_string(srcNodes)},
      {"dst_nodes", std::to_string(dstNodes)},
      {"edges", std::to_string(edges)},
      {"type_edges", listText(relations, &RelationStatistics::edges)},
      {"src_pairs", listText(relations, &RelationStatistics::srcPairs)},
      {"dst_pairs", listText(relations, &RelationStatistics::dstPairs)},
      {"in_degree_squares", std::to_string(inDegree.squares)},
      {"in_degree_max", std::to_string(inDegree.max)},
      {"out_degree_squares", std::to_string(outDegree.squares)},
      {"out_degree_max", std::to_string(outDegree.max)},
      {"src_pair_max", listText(relations, &RelationStatistics::srcPairMax)},
      {"dst_pair_max", listText(relations, &RelationStatistics::dstPairMax)},
  };
  std::string text;
  for (const auto &[name, value] : fields)
    text += (text.empty() ? "" : ", ") + std::string(name) + " = " + value;
  return "#gnn.stats<" + text + ">";
}
