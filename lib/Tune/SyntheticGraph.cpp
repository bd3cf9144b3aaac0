//===- SyntheticGraph.cpp - A graph of equal statistics -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both ends of the edges of a type get nodes and degrees; then they are joined,
// as many within blocks of near ids as are declared to be near.
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/SyntheticGraph.h"

#include "Numbers.h"
#include "SyntheticDegrees.h"

#include "GNN/Runtime/Seconds.h"
#include "GNN/Runtime/Structures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Near edges
//===----------------------------------------------------------------------===//

/// The share of pairs of ids below `size` that are at most `distance` apart.
static double nearShare(double size, double distance) {
  return size <= distance ? 1
                          : 1 - (1 - distance / size) * (1 - distance / size);
}

namespace {
/// Blocks of ids, and the share of edges that have both ends in one of them or
/// in smaller ones.
struct Level {
  int64_t block;
  double share;
};
} // namespace

/// The levels by which edges become near: those of each distance are joined in
/// blocks of that size, and of these some are nearer by chance.
static std::vector<Level> findLevels(int64_t nodes, double edges,
                                     ArrayRef<int64_t> near, double loops) {
  std::vector<double> blocks, far;
  for (auto [distance, count] : llvm::zip(nearDistances, near))
    if (distance < nodes) {
      blocks.push_back(double(distance));
      far.push_back(1 - std::max(double(count) - loops, 0.0) /
                            std::max(edges, 1.0));
    }
  std::vector<double> distances = blocks, share(blocks.size() + 1);
  blocks.push_back(double(nodes)); // anywhere
  double left = 1;
  for (size_t level = blocks.size() - 1; level > 0; --level) {
    double distance = distances[level - 1], known = 0;
    for (size_t i = level + 1; i < blocks.size(); ++i)
      known += share[i] * (1 - nearShare(blocks[i], distance));
    double own =
        (far[level - 1] - known) / (1 - nearShare(blocks[level], distance));
    share[level] = std::clamp(own, 0.0, left);
    left -= share[level];
  }
  share[0] = left;
  std::vector<Level> levels;
  double sum = 0;
  for (size_t i = 0; i + 1 < blocks.size(); ++i)
    levels.push_back({int64_t(blocks[i]), sum += share[i]});
  return levels;
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

namespace {
using Ends = std::vector<int32_t>;

constexpr EndPoint both[] = {EndPoint::Src, EndPoint::Dst};

class Maker {
public:
  Maker(GraphOp op, uint64_t seed, const SyntheticLimits &limits)
      : op(op), stats(*op.getStats()), src(stats, EndPoint::Src),
        dst(stats, EndPoint::Dst), numbers(seed), seed(seed), limits(limits) {}

  Error check();
  Expected<std::shared_ptr<const runtime::Graph>> make();

private:
  Error checkEnd(EndPoint end, const EndStatistics &statistics) const;
  Error checkNodes(ArrayRef<EndPoint> ends, int64_t count);
  bool isSquare() const { return GraphOp(op).getKind() == GraphKind::Square; }
  /// Those whose edges end at the nodes of the source side.
  ArrayRef<EndPoint> endsOfSrc() {
    return isSquare() ? ArrayRef(both) : ArrayRef(both[0]);
  }
  std::optional<size_t> findLoopType() const;
  std::vector<int64_t> findNeeded(ArrayRef<EndPoint> ends);
  Expected<Nodes> layOutNodes(ArrayRef<EndPoint> ends, int64_t count);
  Ends listEnds(ArrayRef<Pair> pairs, bool hasLoops);
  void joinWithin(const Level &level, Ends &from, Ends &to, int64_t pairs);
  Error separate(size_t begin);
  Error goOn() const;
  /// The same at some steps of a loop.
  Error goOn(size_t step) const {
    return step % stepsBetweenChecks ? Error() : goOn();
  }
  Error joinType(size_t type, Ends from, Ends to, ArrayRef<Level> levels);
  void sortByDestination();
  void shuffle(Ends &ends) {
    for (size_t i = ends.size(); i > 1; --i)
      std::swap(ends[i - 1], ends[numbers.below(i)]);
  }

  GraphOp op;
  StatsAttr stats;
  EndStatistics src, dst;
  Numbers numbers;
  const uint64_t seed;
  const SyntheticLimits &limits;
  Ends edgeSrc, edgeDst, edgeType;
};
} // namespace

Error Maker::checkEnd(EndPoint end, const EndStatistics &statistics) const {
  std::string name = stringifyEndPoint(end).str();
  for (size_t type = 0; type < statistics.edges.size(); ++type) {
    int64_t edges = statistics.edges[type], pairs = statistics.pairs[type];
    if (edges && !statistics.nodes)
      return runtime::failure("expected at least 1 of ", name,
                              "_nodes for the ", edges, " edges of type ", type,
                              ", got 0");
    if (pairs > statistics.nodes || (edges > 0) != (pairs > 0))
      return runtime::failure("expected ", edges ? "from 1 to " : "",
                              edges ? std::min(statistics.nodes, edges) : 0,
                              " ", name, "_pairs of edge type ", type, ", got ",
                              pairs);
    double most = double(statistics.mostOfPair(type)) * double(pairs);
    if (double(edges) > most)
      return runtime::failure("expected at most ", int64_t(most),
                              " edges of type ", type, " by its ", name,
                              "_pairs and the longest of them, got ", edges);
  }
  return {};
}

/// The type of the self loops that each node has: one with an edge of it at
/// each; the last, as loops are added behind the other edges.
std::optional<size_t> Maker::findLoopType() const {
  for (size_t type = src.edges.size(); type-- > 0;)
    if (src.pairs[type] == src.nodes && dst.pairs[type] == src.nodes)
      return type;
  return std::nullopt;
}

/// By node type: the most pairs that an edge type has there.
std::vector<int64_t> Maker::findNeeded(ArrayRef<EndPoint> ends) {
  std::vector<int64_t> needed(std::max<size_t>(op.getNodeTypes(), 1));
  for (EndPoint end : ends)
    for (size_t type = 0; type < src.edges.size(); ++type)
      if (int64_t of = op.getNodeTypeOf(type, end); of >= 0)
        needed[of] = std::max(needed[of],
                              (end == EndPoint::Src ? src : dst).pairs[type]);
  return needed;
}

/// Whether all node types together have room for their pairs.
Error Maker::checkNodes(ArrayRef<EndPoint> ends, int64_t count) {
  std::vector<int64_t> needed = findNeeded(ends);
  int64_t sum = std::accumulate(needed.begin(), needed.end(), int64_t(0));
  if (sum <= count)
    return {};
  std::string list = llvm::formatv(
      "{0:$[, ]}", llvm::make_range(needed.begin(), needed.end()));
  return runtime::failure(
      "expected at least ", sum, " ",
      isSquare() ? "" : stringifyEndPoint(ends.front()).str() + "_",
      "nodes by the pairs at node types, which the schema keeps apart: ", list,
      "; got ", count);
}

Error Maker::check() {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (auto [name, count] :
       {std::pair("src_nodes", src.nodes), std::pair("dst_nodes", dst.nodes),
        std::pair("edges", stats.getEdges())})
    if (count > most)
      return runtime::limitExceeded("expected at most ", most, " ", name,
                                    " of a synthetic graph, got ", count);
  if (Error error = checkEnd(EndPoint::Src, src))
    return error;
  if (Error error = checkEnd(EndPoint::Dst, dst))
    return error;
  if (Error error = checkNodes(endsOfSrc(), src.nodes))
    return error;
  if (!isSquare())
    if (Error error = checkNodes(ArrayRef(both[1]), dst.nodes))
      return error;
  if (op.getSelfLoops() && !findLoopType())
    return runtime::failure("expected an edge type with pairs at each of the ",
                            src.nodes, " nodes for its self loops, got none");
  // Degrees, the pairs of both ends, and edges that are joined, sorted and
  // kept.
  double bytes = 48 * (double(src.nodes) + double(dst.nodes)) +
                 96 * double(stats.getEdges());
  if (bytes > double(limits.maxBytes))
    return runtime::limitExceeded(
        "expected at most ", limits.maxBytes,
        " bytes for a synthetic graph, got ",
        std::to_string(int64_t(std::min(bytes, 9e18))));
  return {};
}

/// An error once the making is stopped or has taken too long.
Error Maker::goOn() const {
  if (limits.isStopped && limits.isStopped())
    return runtime::failure("the making of a synthetic graph was stopped");
  if (runtime::secondsSince(limits.begin) <= limits.seconds)
    return {};
  return runtime::failure("expected statistics whose graph is made within ",
                          llvm::formatv("{0:f1} s", limits.seconds).str(),
                          ", got those of ", src.nodes,
                          isSquare() ? "" : " and " + std::to_string(dst.nodes),
                          " nodes and ", stats.getEdges(),
                          " edges: give a graph, or a larger budget");
}

/// Nodes of a type follow each other; a type has as many as edges need, and
/// its share of the others. Popular ones are at steps about the golden section
/// of all: every block of ids has some, so that edges can be near.
Expected<Nodes> Maker::layOutNodes(ArrayRef<EndPoint> ends, int64_t count) {
  std::vector<int64_t> needed = findNeeded(ends);
  size_t numTypes = needed.size();
  std::vector<int64_t> sizes(numTypes);
  int64_t sum = std::accumulate(needed.begin(), needed.end(), int64_t(0));
  int64_t free = count - sum, given = 0;
  double weight = 0, all = sum ? double(sum) : double(numTypes);
  for (size_t i = 0; i < numTypes; ++i) {
    weight += sum ? double(needed[i]) : 1;
    auto until = int64_t(double(free) * weight / all + 0.5);
    sizes[i] = needed[i] + until - given;
    given = until;
  }
  Nodes nodes;
  nodes.ofType.resize(numTypes);
  for (size_t i = 0; i < numTypes; ++i)
    nodes.type.insert(nodes.type.end(), sizes[i], int32_t(i));
  int64_t at = count ? int64_t(numbers.below(count)) : 0, step = count * 0.618;
  while (std::gcd(step, count) > 1)
    ++step;
  for (int64_t i = 0; i < count; ++i, at = (at + step) % count) {
    if (Error error = goOn(i))
      return error;
    nodes.all.push_back(int32_t(at));
    nodes.ofType[nodes.type[at]].push_back(int32_t(at));
  }
  return nodes;
}

/// The nodes of pairs, each as often as it has edges; of a type with loops one
/// of these is the loop's.
Ends Maker::listEnds(ArrayRef<Pair> pairs, bool hasLoops) {
  Ends ends;
  int64_t count = 0;
  for (const Pair &pair : pairs)
    count += pair.edges - hasLoops;
  ends.reserve(count);
  for (const Pair &pair : pairs)
    ends.insert(ends.end(), pair.edges - hasLoops, pair.node);
  shuffle(ends);
  return ends;
}

/// Sorts by blocks of ids; begins[b] is where block b begins.
static std::vector<size_t> sortByBlocks(Ends &ends, int64_t block,
                                        size_t numBlocks) {
  std::vector<size_t> begins(numBlocks + 2);
  for (int32_t node : ends)
    ++begins[node / block + 2];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  Ends sorted(ends.size());
  for (int32_t node : ends)
    sorted[begins[node / block + 1]++] = node;
  ends = std::move(sorted);
  return begins;
}

/// Joins that many ends, which are in any order, within blocks, or as many as
/// there are. The others are left in any order.
void Maker::joinWithin(const Level &level, Ends &from, Ends &to,
                       int64_t pairs) {
  size_t numBlocks =
      (std::max(src.nodes, dst.nodes) + level.block - 1) / level.block;
  std::vector<size_t> ofFrom = sortByBlocks(from, level.block, numBlocks);
  std::vector<size_t> ofTo = sortByBlocks(to, level.block, numBlocks);
  auto within = [&](size_t b) {
    return std::min(ofFrom[b + 1] - ofFrom[b], ofTo[b + 1] - ofTo[b]);
  };
  double all = 0;
  for (size_t b = 0; b < numBlocks; ++b)
    all += double(within(b));
  double part = all > 0 ? std::min(double(pairs) / all, 1.0) : 0, sum = 0;
  Ends otherFrom, otherTo;
  for (size_t b = 0; b < numBlocks; ++b) {
    double before = std::floor(sum + 0.5);
    sum += part * double(within(b));
    auto count = size_t(std::floor(sum + 0.5) - before);
    size_t i = ofFrom[b], j = ofTo[b];
    for (; count > 0; --count) {
      edgeSrc.push_back(from[i++]);
      edgeDst.push_back(to[j++]);
    }
    otherFrom.insert(otherFrom.end(), from.begin() + i,
                     from.begin() + ofFrom[b + 1]);
    otherTo.insert(otherTo.end(), to.begin() + j, to.begin() + ofTo[b + 1]);
  }
  from = std::move(otherFrom);
  to = std::move(otherTo);
  shuffle(from); // blocks are joined at random
  shuffle(to);
}

/// Takes self loops apart from `begin` on, by exchanges of destinations.
Error Maker::separate(size_t begin) {
  constexpr unsigned mostTries = 1000;
  size_t count = edgeSrc.size() - begin;
  for (size_t e = begin; e < edgeSrc.size(); ++e) {
    unsigned tries = 0;
    while (edgeSrc[e] == edgeDst[e]) {
      size_t other = begin + numbers.below(count);
      if (++tries > mostTries)
        return runtime::failure("expected edges of type ", edgeType[e],
                                " that need no second self loop at node ",
                                edgeSrc[e]);
      if (edgeSrc[other] == edgeDst[e] || edgeSrc[e] == edgeDst[other])
        continue;
      std::swap(edgeDst[e], edgeDst[other]);
    }
  }
  return {};
}

Error Maker::joinType(size_t type, Ends from, Ends to, ArrayRef<Level> levels) {
  if (from.size() != to.size())
    return runtime::failure("expected as many sources as destinations of edge "
                            "type ",
                            type, ", got ", from.size(), " and ", to.size());
  const size_t begin = edgeSrc.size();
  const double all = double(from.size());
  for (const Level &level : levels) {
    if (Error error = goOn())
      return error;
    auto joined = int64_t(edgeSrc.size() - begin);
    joinWithin(level, from, to,
               std::max<int64_t>(int64_t(level.share * all + 0.5) - joined, 0));
  }
  edgeSrc.insert(edgeSrc.end(), from.begin(), from.end());
  edgeDst.insert(edgeDst.end(), to.begin(), to.end());
  edgeType.resize(edgeSrc.size(), int32_t(type));
  return op.getSelfLoops() ? separate(begin) : Error();
}

void Maker::sortByDestination() {
  std::vector<size_t> begins(dst.nodes + 1);
  for (int32_t node : edgeDst)
    ++begins[node + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  Ends sorted[3];
  for (Ends &ends : sorted)
    ends.resize(edgeDst.size());
  for (size_t e = 0; e < edgeDst.size(); ++e) {
    size_t at = begins[edgeDst[e]]++;
    sorted[0][at] = edgeSrc[e];
    sorted[1][at] = edgeDst[e];
    sorted[2][at] = edgeType[e];
  }
  edgeSrc = std::move(sorted[0]);
  edgeDst = std::move(sorted[1]);
  edgeType = std::move(sorted[2]);
}

Expected<std::shared_ptr<const runtime::Graph>> Maker::make() {
  for (Ends *ends : {&edgeSrc, &edgeDst, &edgeType})
    ends->reserve(stats.getEdges());
  auto srcNodes = layOutNodes(endsOfSrc(), src.nodes);
  if (!srcNodes)
    return srcNodes.takeError();
  Expected<Nodes> ofDst = Nodes();
  if (!isSquare())
    ofDst = layOutNodes(ArrayRef(both[1]), dst.nodes);
  if (!ofDst)
    return ofDst.takeError();
  const Nodes &dstNodes = isSquare() ? *srcNodes : *ofDst;
  auto isOver = [&] { return static_cast<bool>(goOn()); };
  auto srcPairs = findDegrees(op, EndPoint::Src, src, *srcNodes, seed, isOver);
  auto dstPairs = findDegrees(op, EndPoint::Dst, dst, dstNodes, seed, isOver);
  if (Error error = goOn())
    return error;
  std::optional<size_t> loopType;
  if (op.getSelfLoops())
    loopType = findLoopType();
  double loops = loopType ? double(src.nodes) : 0;
  std::vector<Level> levels;
  if (auto near = stats.getNearEdges(); near && !near.empty())
    levels =
        findLevels(src.nodes, double(stats.getEdges()) - loops, near, loops);
  for (size_t type = 0; type < srcPairs.size(); ++type) {
    bool hasLoops = type == loopType;
    if (Error error = joinType(type, listEnds(srcPairs[type], hasLoops),
                               listEnds(dstPairs[type], hasLoops), levels))
      return error;
  }
  for (int64_t node = 0; loopType && node < src.nodes; ++node) {
    if (Error error = goOn(node))
      return error;
    edgeSrc.push_back(int32_t(node));
    edgeDst.push_back(int32_t(node));
    edgeType.push_back(int32_t(*loopType));
  }
  if (Error error = goOn())
    return error;
  sortByDestination();
  if (Error error = goOn())
    return error;
  runtime::GraphArrays arrays;
  arrays.square = isSquare();
  arrays.numSrcNodes = src.nodes;
  arrays.numDstNodes = dst.nodes;
  arrays.numEdges = int64_t(edgeSrc.size());
  arrays.numNodeTypes = op.getNodeTypes();
  arrays.numEdgeTypes = op.getEdgeTypes();
  arrays.edgeSrc = edgeSrc.data();
  arrays.edgeDst = edgeDst.data();
  arrays.edgeType = edgeType.data();
  arrays.srcNodeType = srcNodes->type.data();
  arrays.dstNodeType = dstNodes.type.data();
  if (op.getSchema())
    for (size_t type = 0; type < srcPairs.size(); ++type)
      arrays.schema.push_back({int32_t(op.getNodeTypeOf(type, EndPoint::Src)),
                               int32_t(op.getNodeTypeOf(type, EndPoint::Dst))});
  return runtime::Graph::create(arrays);
}

Expected<std::shared_ptr<const runtime::Graph>>
gnn::tune::makeSyntheticGraph(GraphOp declared, uint64_t seed,
                              const SyntheticLimits &limits) {
  Maker maker(declared, seed, limits);
  if (Error error = maker.check())
    return error;
  return maker.make();
}

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

/// "in-degrees vary by 1.02 (declared 1.03), longest 120 (declared 120)".
static std::string describeEnd(StringRef name, const EndStatistics &declared,
                               const runtime::DegreeStatistics &made,
                               int64_t edges) {
  auto variation = [&](int64_t squares) {
    double mean = double(edges) / double(std::max<int64_t>(declared.nodes, 1));
    double variance =
        double(squares) / double(std::max<int64_t>(declared.nodes, 1)) -
        mean * mean;
    return mean > 0 ? std::sqrt(std::max(variance, 0.0)) / mean : 0;
  };
  auto ofDeclared = [](std::string value, bool isKnown) {
    return isKnown ? " (declared " + value + ")" : std::string();
  };
  return llvm::formatv(
             "{0}-degrees vary by {1:f2}{2}, longest {3}{4}", name,
             variation(made.squares),
             ofDeclared(llvm::formatv("{0:f2}", variation(declared.squares)),
                        declared.squares),
             made.max,
             ofDeclared(std::to_string(declared.longest), declared.longest))
      .str();
}

Expected<std::string>
gnn::tune::describeSynthetic(GraphOp declared, uint64_t seed,
                             const runtime::Graph &graph) {
  auto made = runtime::statistics(graph);
  if (!made)
    return made.takeError();
  StatsAttr stats = *declared.getStats();
  std::string nodes = std::to_string(made->srcNodes);
  if (declared.getKind() != GraphKind::Square)
    nodes += " and " + std::to_string(made->dstNodes);
  std::string text =
      llvm::formatv("graph '{0}' is synthetic, made of its statistics by seed "
                    "{1}: {2} nodes, {3} edges of {4} type{5}; {6}; {7}",
                    declared.getSymName(), seed, nodes, made->edges,
                    made->relations.size(),
                    made->relations.size() == 1 ? "" : "s",
                    describeEnd("in", EndStatistics(stats, EndPoint::Dst),
                                made->inDegree, made->edges),
                    describeEnd("out", EndStatistics(stats, EndPoint::Src),
                                made->outDegree, made->edges))
          .str();
  if (auto near = stats.getNearEdges(); near && !near.empty())
    text += llvm::formatv("; near edges [{0:$[, ]}] (declared [{1:$[, ]}])",
                          llvm::make_range(made->nearEdges.begin(),
                                           made->nearEdges.end()),
                          llvm::make_range(near.asArrayRef().begin(),
                                           near.asArrayRef().end()))
                .str();
  return text;
}

Error gnn::tune::makeSyntheticGraphs(func::FuncOp func, uint64_t seed,
                                     GraphsByName &graphs,
                                     std::vector<std::string> &lines,
                                     const SyntheticLimits &limits) {
  llvm::StringSet<> ofFunction;
  auto module = func->getParentOfType<ModuleOp>();
  if (auto uses = SymbolTable::getSymbolUses(func))
    for (SymbolTable::SymbolUse use : *uses) {
      StringRef name = use.getSymbolRef().getRootReference();
      auto declared = module.lookupSymbol<GraphOp>(name);
      ofFunction.insert(
          declared && declared.isDerived() ? *declared.getParentGraph() : name);
    }
  for (auto declared : module.getOps<GraphOp>()) {
    if (!declared.getStats() || !ofFunction.contains(declared.getSymName()) ||
        graphs.count(declared.getSymName().str()))
      continue;
    std::string name = declared.getSymName().str();
    auto graph = makeSyntheticGraph(declared, seed, limits);
    if (!graph)
      return graph.takeError().in("graph '" + name + "'");
    auto line = describeSynthetic(declared, seed, **graph);
    if (!line)
      return line.takeError().in("graph '" + name + "'");
    lines.push_back(std::move(*line));
    graphs[name] = std::move(*graph);
  }
  return {};
}
