//===- Graph.cpp - Typed graphs -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Graph.h"

#include "Guarded.h"
#include "Parallel.h"
#include "StructureCache.h"

#include "GNN/Runtime/Structures.h"

#include <limits>

using namespace gnn::runtime;

namespace {
constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();

Error checkCount(int64_t count, int64_t limit, const char *what) {
  if (count < 0 || count > limit)
    return failure("expected 0 to ", limit, " ", what, ", got ", count);
  return {};
}

/// Checks that every id is in [0, limit).
Error checkIds(ArrayView<int32_t> ids, int64_t limit, const char *what,
               const char *element) {
  // A negative id is a large number here.
  size_t bad = findFirst(ids.size(), [&](size_t i) {
    return static_cast<uint32_t>(ids[i]) >= static_cast<uint32_t>(limit);
  });
  if (bad == ids.size())
    return {};
  return failure(what, " of ", element, " ", bad, ": expected 0 <= id < ",
                 limit, ", got ", ids[bad]);
}

Error checkNames(const std::vector<std::string> &names, int64_t types,
                 const char *what) {
  if (!names.empty() && static_cast<int64_t>(names.size()) != types)
    return failure("expected ", types, " ", what, " names, got ", names.size());
  return {};
}

/// A name in messages: the type's number, and its name where it has one.
std::string describe(int32_t type, const std::vector<std::string> &names) {
  std::string text = std::to_string(type);
  if (!names.empty())
    text += " ('" + names[static_cast<size_t>(type)] + "')";
  return text;
}

Expected<int32_t> findName(const std::vector<std::string> &names,
                           const std::string &name, const char *what) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name)
      return static_cast<int32_t>(i);
    if (i < 20)
      all += (i ? ", " : "") + names[i];
  }
  if (names.size() > 20)
    all += ", ... (" + std::to_string(names.size()) + " in all)";
  return failure("expected one of the ", what, "s ",
                 all.empty() ? "(none has a name)" : all, "; got '", name, "'");
}
} // namespace

Graph::Graph() : structures(std::make_unique<StructureCache>()) {}

Graph::~Graph() = default;

Expected<std::shared_ptr<const Graph>>
Graph::create(const GraphArrays &arrays) {
  return make(arrays, /*copy=*/true, nullptr);
}

Expected<std::shared_ptr<const Graph>>
Graph::borrow(const GraphArrays &arrays, std::shared_ptr<const void> owner) {
  return make(arrays, /*copy=*/false, std::move(owner));
}

Expected<std::shared_ptr<const Graph>>
Graph::make(const GraphArrays &arrays, bool copy,
            std::shared_ptr<const void> owner) {
  return guarded("graph", [&]() -> Expected<std::shared_ptr<const Graph>> {
    if (Error error = checkCount(arrays.numSrcNodes, kMaxRows, "source nodes"))
      return error;
    if (!arrays.square)
      if (Error error =
              checkCount(arrays.numDstNodes, kMaxRows, "destination nodes"))
        return error;
    if (Error error = checkCount(arrays.numEdges, kMaxRows, "edges"))
      return error;
    if (Error error = checkCount(arrays.numNodeTypes, kMaxTypes, "node types"))
      return error;
    if (Error error = checkCount(arrays.numEdgeTypes, kMaxTypes, "edge types"))
      return error;
    if (arrays.numEdges > 0 && (!arrays.edgeSrc || !arrays.edgeDst))
      return failure("expected source and destination ids of ", arrays.numEdges,
                     " edges, got none");

    std::shared_ptr<Graph> graph(new Graph());
    graph->square = arrays.square;
    graph->numSrcNodes = arrays.numSrcNodes;
    graph->numDstNodes =
        arrays.square ? arrays.numSrcNodes : arrays.numDstNodes;
    graph->nodeTypes = arrays.numNodeTypes;
    graph->edgeTypes = arrays.numEdgeTypes;
    graph->owner = std::move(owner);
    graph->owned.reserve(5);
    auto keep = [&](const int32_t *data, int64_t count) -> ArrayView<int32_t> {
      size_t size = static_cast<size_t>(count);
      if (data && !copy)
        return {data, size};
      Indices own(size);
      if (data)
        copyBytes(own.data(), data, size * sizeof(int32_t));
      else
        std::fill(own.begin(), own.end(), 0);
      graph->owned.push_back(std::move(own));
      return graph->owned.back();
    };
    graph->src = keep(arrays.edgeSrc, arrays.numEdges);
    graph->dst = keep(arrays.edgeDst, arrays.numEdges);
    graph->type = keep(arrays.edgeType, arrays.numEdges);
    graph->srcType = keep(arrays.srcNodeType, graph->numSrcNodes);
    graph->dstType = graph->square
                         ? graph->srcType
                         : keep(arrays.dstNodeType, graph->numDstNodes);
    graph->nodeNames = arrays.nodeTypeNames;
    graph->edgeNames = arrays.edgeTypeNames;

    if (Error error =
            checkIds(graph->src, graph->numSrcNodes, "source", "edge"))
      return error;
    if (Error error =
            checkIds(graph->dst, graph->numDstNodes, "destination", "edge"))
      return error;
    if (Error error = checkIds(graph->type, graph->edgeTypes, "type", "edge"))
      return error;
    if (Error error = checkIds(graph->srcType, graph->nodeTypes, "type",
                               graph->square ? "node" : "source node"))
      return error;
    if (!graph->square)
      if (Error error = checkIds(graph->dstType, graph->nodeTypes, "type",
                                 "destination node"))
        return error;
    if (Error error =
            checkNames(graph->nodeNames, graph->nodeTypes, "node type"))
      return error;
    if (Error error =
            checkNames(graph->edgeNames, graph->edgeTypes, "edge type"))
      return error;
    if (!arrays.schema.empty()) {
      if (Error error = graph->checkSchema(arrays.schema))
        return error;
      graph->ends = arrays.schema;
    }
    return std::shared_ptr<const Graph>(std::move(graph));
  });
}

Expected<int32_t> Graph::findNodeType(const std::string &name) const {
  return findName(nodeNames, name, "node type");
}

Expected<int32_t> Graph::findEdgeType(const std::string &name) const {
  return findName(edgeNames, name, "edge type");
}

Error Graph::checkSchema(const std::vector<EdgeTypeEnds> &schema) const {
  if (static_cast<int64_t>(schema.size()) != edgeTypes)
    return failure("expected a schema of ", edgeTypes, " edge types, got ",
                   schema.size());
  for (size_t r = 0; r < schema.size(); ++r)
    for (int32_t nodeType : {schema[r].src, schema[r].dst})
      if (nodeType < -1 || nodeType >= nodeTypes)
        return failure("schema of edge type ", r,
                       ": expected -1 <= node type < ", nodeTypes, ", got ",
                       nodeType);
  auto isWrong = [&](size_t e, GraphSide side) {
    const EdgeTypeEnds &want = schema[static_cast<size_t>(type[e])];
    int32_t expected = side == GraphSide::Src ? want.src : want.dst;
    return expected >= 0 &&
           expected != nodeType(side)[static_cast<size_t>(edgeEnds(side)[e])];
  };
  size_t e = findFirst(src.size(), [&](size_t e) {
    return isWrong(e, GraphSide::Src) || isWrong(e, GraphSide::Dst);
  });
  if (e == src.size())
    return {};
  GraphSide side = isWrong(e, GraphSide::Src) ? GraphSide::Src : GraphSide::Dst;
  const EdgeTypeEnds &want = schema[static_cast<size_t>(type[e])];
  return failure(
      "edge ", e, " of edge type ", describe(type[e], edgeNames), ": expected ",
      side == GraphSide::Src ? "a source" : "a destination", " of node type ",
      describe(side == GraphSide::Src ? want.src : want.dst, nodeNames),
      ", got ",
      describe(nodeType(side)[static_cast<size_t>(edgeEnds(side)[e])],
               nodeNames));
}

Error Graph::checkSelfLoops() const {
  std::vector<int32_t> loops(static_cast<size_t>(numSrcNodes));
  for (size_t e = 0; e < src.size(); ++e)
    if (src[e] == dst[e])
      ++loops[static_cast<size_t>(src[e])];
  for (size_t v = 0; v < loops.size(); ++v)
    if (loops[v] != 1)
      return failure(
          "expected one self loop at each node, got ", loops[v], " at node ", v,
          "; make them by --add-self-loops, in "
          "Python by gnn_mlir.add_self_loops(graph, \"replace\", 0)");
  return {};
}

Error Graph::checkDstSorted() const {
  size_t pairs = dst.size() < 2 ? 0 : dst.size() - 1;
  size_t e = findFirst(pairs, [&](size_t e) { return dst[e + 1] < dst[e]; });
  if (e == pairs)
    return {};
  return Error(failure("expected edges sorted by destination, got edge ", e + 1,
                       " to node ", dst[e + 1], " behind edge ", e, " to node ",
                       dst[e],
                       "; sort them by destination, in Python by "
                       "gnn_mlir.sort_edges(graph)")
                   .message(),
               ErrorKind::EdgeOrder);
}

void Graph::clearStructures() const {
  // Derived graphs stay, as bound functions may hold them. Their locks are
  // taken before their parent's.
  std::vector<std::shared_ptr<const Graph>> derived;
  {
    std::lock_guard<std::mutex> lock(structures->mutex);
    structures->arrays.clear();
    structures->pairs[0] = structures->pairs[1] = nullptr;
    structures->expected.clear();
    structures->statistics = nullptr;
    structures->onDevice.clear();
    for (const auto &[derivation, graph] : structures->derived)
      derived.push_back(graph);
  }
  for (const std::shared_ptr<const Graph> &graph : derived)
    graph->clearStructures();
}

Expected<Indices> gnn::runtime::narrowIds(ArrayView<int64_t> ids,
                                          const std::string &what) {
  return guarded("ids", [&]() -> Expected<Indices> {
    Indices result(ids.size());
    size_t bad = findFirst(ids.size(), [&](size_t i) {
      result[i] = static_cast<int32_t>(ids[i]);
      return static_cast<uint64_t>(ids[i]) > static_cast<uint64_t>(kMaxRows);
    });
    if (bad != ids.size())
      return failure(what, " ", bad, ": expected 0 <= id <= ", kMaxRows,
                     ", got ", ids[bad]);
    return result;
  });
}
