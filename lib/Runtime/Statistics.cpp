//===- Statistics.cpp - Statistics of a graph -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guarded.h"
#include "Parallel.h"
#include "StructureCache.h"

#include "GNN/Runtime/Structures.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

using namespace gnn;
using namespace gnn::runtime;

/// The pairs of each edge type: [numTypes + 1] where they begin.
static std::vector<size_t> typesOfPairs(const PairLists &pairs,
                                        int64_t numTypes) {
  std::vector<size_t> result;
  auto from = pairs.type->begin();
  for (int64_t r = 0; r <= numTypes; ++r) {
    from = std::lower_bound(from, pairs.type->end(), static_cast<int32_t>(r));
    result.push_back(static_cast<size_t>(from - pairs.type->begin()));
  }
  return result;
}

/// Edges of a pair.
static int64_t sizeOf(const PairLists &pairs, size_t pair) {
  return int64_t((*pairs.begin)[pair + 1]) - (*pairs.begin)[pair];
}

/// Degrees are sums over the pairs of a node. Each task takes nodes of its own,
/// few enough for a core's cache; in the list of each edge type these follow
/// each other.
static DegreeStatistics degreesOf(const Graph &graph, GraphSide side,
                                  const PairLists &pairs,
                                  const std::vector<size_t> &types) {
  auto nodes = static_cast<size_t>(graph.numNodes(side));
  size_t all = pairs.node->size();
  size_t tasks = std::clamp(all / (8 * types.size()), size_t(1),
                            nodes / kItemsOfThread + 1);
  std::vector<DegreeStatistics> found(tasks);
  forTasks(tasks, partsOf(all), [&](unsigned, size_t task) {
    size_t begin = nodes * task / tasks, end = nodes * (task + 1) / tasks;
    HostArray<int32_t> degree(end - begin, 0);
    const int32_t *node = pairs.node->data();
    for (size_t r = 0; r + 1 < types.size(); ++r) {
      const int32_t *last = node + types[r + 1];
      const int32_t *at =
          std::lower_bound(node + types[r], last, static_cast<int32_t>(begin));
      for (; at != last && static_cast<size_t>(*at) < end; ++at)
        degree[static_cast<size_t>(*at) - begin] +=
            static_cast<int32_t>(sizeOf(pairs, static_cast<size_t>(at - node)));
    }
    for (int64_t value : degree) {
      found[task].max = std::max(found[task].max, value);
      found[task].squares += value * value;
    }
  });
  DegreeStatistics result;
  for (const DegreeStatistics &part : found) {
    result.max = std::max(result.max, part.max);
    result.squares += part.squares;
  }
  if (nodes) {
    result.mean =
        static_cast<double>(graph.numEdges()) / static_cast<double>(nodes);
    result.secondMoment =
        static_cast<double>(result.squares) / static_cast<double>(nodes);
  }
  return result;
}

/// The most edges that a pair of each type has. One type may have most pairs:
/// threads share the list.
static std::vector<int64_t> longestPairs(const PairLists &pairs,
                                         size_t numTypes) {
  unsigned parts =
      partsOf(pairs.node->size(), std::max(kItemsOfThread, numTypes));
  std::vector<std::vector<int64_t>> found(parts);
  forParts(pairs.node->size(), parts,
           [&](unsigned part, size_t begin, size_t end) {
             std::vector<int64_t> longest(numTypes, 0);
             for (size_t p = begin; p < end; ++p) {
               int64_t &most = longest[static_cast<size_t>((*pairs.type)[p])];
               most = std::max(most, sizeOf(pairs, p));
             }
             found[part] = std::move(longest);
           });
  for (unsigned part = 1; part < parts; ++part)
    for (size_t r = 0; r < numTypes; ++r)
      found[0][r] = std::max(found[0][r], found[part][r]);
  return std::move(found[0]);
}

/// Counts the pairs of one side.
static void countSide(const Graph &graph, GraphSide side,
                      GraphStatistics &result, DegreeStatistics &degree,
                      int64_t &all, int64_t RelationStatistics::*count,
                      int64_t RelationStatistics::*longest) {
  const PairLists &pairs = pairLists(graph, side);
  std::vector<size_t> types = typesOfPairs(pairs, graph.numEdgeTypes());
  std::vector<int64_t> most = longestPairs(pairs, result.relations.size());
  for (size_t r = 0; r < result.relations.size(); ++r) {
    RelationStatistics &relation = result.relations[r];
    relation.*count = static_cast<int64_t>(types[r + 1] - types[r]);
    relation.*longest = most[r];
    relation.edges =
        int64_t((*pairs.begin)[types[r + 1]]) - (*pairs.begin)[types[r]];
  }
  all = static_cast<int64_t>(pairs.node->size());
  degree = degreesOf(graph, side, pairs, types);
}

/// Edges whose ids are at most each of `nearDistances` apart.
static std::vector<int64_t> countNear(const Graph &graph) {
  constexpr size_t numCounts = std::size(nearDistances);
  ArrayView<int32_t> src = graph.edgeEnds(GraphSide::Src),
                     dst = graph.edgeEnds(GraphSide::Dst);
  unsigned parts = partsOf(src.size());
  std::vector<std::array<int64_t, numCounts>> found(parts);
  forParts(src.size(), parts, [&](unsigned part, size_t begin, size_t end) {
    std::array<int64_t, numCounts> near{};
    for (size_t e = begin; e < end; ++e) {
      int64_t distance = std::abs(int64_t(src[e]) - dst[e]);
      for (size_t i = 0; i < numCounts; ++i)
        near[i] += distance <= nearDistances[i];
    }
    found[part] = near;
  });
  std::vector<int64_t> result(numCounts);
  for (const auto &near : found)
    for (size_t i = 0; i < numCounts; ++i)
      result[i] += near[i];
  return result;
}

Expected<GraphStatistics> gnn::runtime::statistics(const Graph &graph) {
  return guarded("statistics", [&]() -> Expected<GraphStatistics> {
    StructureCache &kept = graph.cache();
    HostMemoryScope memory;
    std::lock_guard<std::mutex> lock(kept.mutex);
    if (kept.statistics)
      return *kept.statistics;
    GraphStatistics result;
    result.srcNodes = graph.numNodes(GraphSide::Src);
    result.dstNodes = graph.numNodes(GraphSide::Dst);
    result.edges = graph.numEdges();
    result.relations.resize(static_cast<size_t>(graph.numEdgeTypes()));
    countSide(graph, GraphSide::Src, result, result.outDegree, result.srcPairs,
              &RelationStatistics::srcPairs, &RelationStatistics::srcPairMax);
    countSide(graph, GraphSide::Dst, result, result.inDegree, result.dstPairs,
              &RelationStatistics::dstPairs, &RelationStatistics::dstPairMax);
    if (graph.isSquare())
      result.nearEdges = countNear(graph);
    kept.statistics = std::make_shared<const GraphStatistics>(result);
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
  result["near_edges"] = nearEdges;
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
  std::string near;
  for (int64_t count : nearEdges)
    near += (near.empty() ? "" : ", ") + std::to_string(count);
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
      {"near_edges", "[" + near + "]"},
  };
  std::string text;
  for (const auto &[name, value] : fields)
    text += (text.empty() ? "" : ", ") + std::string(name) + " = " + value;
  return "#gnn.stats<" + text + ">";
}
