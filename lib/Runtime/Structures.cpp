//===- Structures.cpp - Builds structures by stable counting sorts --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Structures.h"

#include "Guarded.h"
#include "StructureCache.h"

#include <algorithm>
#include <stdexcept>

using namespace gnn::runtime;

Expected<Space> gnn::runtime::parseSpace(std::string_view text) {
  if (std::optional<Space> space = findSpace(text))
    return *space;
  return failure("expected a row space (", listSpaces(), "), got '", text, "'");
}

Expected<StructureKey> gnn::runtime::parseStructureKey(std::string_view text) {
  std::string error;
  if (auto key = StructureKey::parse(text, error))
    return *key;
  return failure("structure '", text, "': ", error);
}

Expected<CountKey> gnn::runtime::parseCountKey(std::string_view text) {
  std::string error;
  if (auto key = CountKey::parse(text, error))
    return *key;
  return failure("count '", text, "': ", error);
}

namespace {
using Array = std::vector<int32_t>;

/// Builds structures of one graph. The cache's lock is held meanwhile.
class Builder {
public:
  explicit Builder(const Graph &graph) : graph(graph), kept(graph.cache()) {}

  Expected<Int32Array> get(const StructureKey &key);
  Expected<int64_t> count(const CountKey &key);

private:
  const PairLists &pairs(Side side);
  int64_t size(Space space);
  ArrayView<int32_t> groupOf(Space group, Space elements);
  ArrayView<int32_t> typesOfEdgeTypes(Side side);
  Int32Array permutation(OrderedSpace space);
  Int32Array inverse(OrderedSpace space);
  ArrayView<int32_t> rowsInParent(Space space);
  Int32Array ofParent(const StructureKey &key);
  Array sortedNodes(Side side, Order order);
  Int32Array rows(Space group, OrderedSpace elements);
  Array map(OrderedSpace from, OrderedSpace to);
  Array tiles(const StructureKey &key);
  Array tileRows(const StructureKey &key);
  Int32Array keep(const StructureKey &key, Array array);

  const Graph &graph;
  StructureCache &kept;
  /// The node types of pairs and the like, which are not kept.
  std::vector<Array> scratch;
};

Array iota(int64_t count) {
  Array values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>(i);
  return values;
}

/// Pointers to the groups of `count` groups, from the group of each element.
Array pointers(ArrayView<int32_t> groupOf, int64_t count) {
  Array result(static_cast<size_t>(count) + 1, 0);
  for (int32_t group : groupOf)
    ++result[static_cast<size_t>(group) + 1];
  for (size_t g = 1; g < result.size(); ++g)
    result[g] += result[g - 1];
  return result;
}

/// The elements listed in `order` (all of them in their own order where it is
/// null), sorted by key; elements of one key stay in order.
Array stableSort(ArrayView<int32_t> keys, int64_t numKeys, const Array *order) {
  Array next = pointers(keys, numKeys);
  Array sorted(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    int32_t element = order ? (*order)[i] : static_cast<int32_t>(i);
    int32_t key = keys[static_cast<size_t>(element)];
    sorted[static_cast<size_t>(next[static_cast<size_t>(key)]++)] = element;
  }
  return sorted;
}

Side sideOf(Space space) {
  return space == Space::Dst || space == Space::DstPair ||
                 space == Space::DstNodeType
             ? Side::Dst
             : Side::Src;
}
} // namespace

Int32Array Builder::keep(const StructureKey &key, Array array) {
  Int32Array shared = std::make_shared<const Array>(std::move(array));
  kept.arrays[key] = shared;
  return shared;
}

/// Sorts the edges by (type, node) and numbers the distinct ones. Keeps the
/// order too, as it is found on the way.
const PairLists &Builder::pairs(Side side) {
  std::shared_ptr<const PairLists> &slot = kept.pairs[side == Side::Dst];
  if (slot)
    return *slot;
  ArrayView<int32_t> ends = graph.edgeEnds(side), types = graph.edgeType();
  Array byNode = stableSort(ends, graph.numNodes(side), nullptr);
  Array order = stableSort(types, graph.numEdgeTypes(), &byNode);
  Array node, type, ofEdge(ends.size());
  for (int32_t edge : order) {
    size_t e = static_cast<size_t>(edge);
    if (node.empty() || node.back() != ends[e] || type.back() != types[e]) {
      node.push_back(ends[e]);
      type.push_back(types[e]);
    }
    ofEdge[e] = static_cast<int32_t>(node.size() - 1);
  }
  auto lists = std::make_shared<PairLists>();
  lists->node = std::make_shared<const Array>(std::move(node));
  lists->type = std::make_shared<const Array>(std::move(type));
  lists->ofEdge = std::make_shared<const Array>(std::move(ofEdge));
  OrderedSpace sorted{Space::Edge,
                      side == Side::Src ? Order::SrcPairs : Order::DstPairs};
  keep(StructureKey::map(sorted, {Space::Edge, Order::Natural}),
       std::move(order));
  slot = lists;
  return *slot;
}

int64_t Builder::size(Space space) {
  switch (space) {
  case Space::Edge:
    return graph.numEdges();
  case Space::SrcPair:
  case Space::DstPair:
    return static_cast<int64_t>(pairs(sideOf(space)).node->size());
  case Space::Src:
  case Space::Node:
    return graph.numNodes(Side::Src);
  case Space::Dst:
    return graph.numNodes(Side::Dst);
  case Space::EdgeType:
    return graph.numEdgeTypes();
  case Space::NodeType:
  case Space::SrcNodeType:
  case Space::DstNodeType:
    return graph.numNodeTypes();
  case Space::Graph:
    return 1;
  case Space::ParentEdge:
  case Space::ParentSrcPair:
  case Space::ParentDstPair:
  case Space::ParentEdgeType: {
    CountKey rows;
    rows.space = withoutParent(space);
    Expected<int64_t> count = kept.origin->parent->count(rows);
    if (!count)
      throw std::runtime_error(count.message());
    return *count;
  }
  }
  return 0;
}

/// A structure of the parent; `guarded` makes an Error of what is thrown.
Int32Array Builder::ofParent(const StructureKey &key) {
  Expected<Int32Array> array = kept.origin->parent->structure(key);
  if (!array)
    throw std::runtime_error(array.message());
  return *array;
}

/// For each row of `space`, the parent's row in its natural order.
ArrayView<int32_t> Builder::rowsInParent(Space space) {
  if (space == Space::Edge)
    return kept.origin->edge;
  if (space == Space::EdgeType)
    return kept.origin->edgeType;
  const Array &pairOf = *pairs(sideOf(space)).ofEdge;
  Int32Array parentPairOf = ofParent(StructureKey::map(
      {Space::Edge, Order::Natural}, {space, Order::Natural}));
  Array rows(static_cast<size_t>(size(space)));
  for (size_t e = 0; e < pairOf.size(); ++e)
    rows[static_cast<size_t>(pairOf[e])] =
        (*parentPairOf)[static_cast<size_t>(kept.origin->edge[e])];
  scratch.push_back(std::move(rows));
  return scratch.back();
}

/// For each element in its natural order, the row of `group` it belongs to.
ArrayView<int32_t> Builder::groupOf(Space group, Space elements) {
  Side side =
      sideOf(elements == Space::Edge || elements == Space::EdgeType ? group
                                                                    : elements);
  bool ofPairs = elements == Space::SrcPair || elements == Space::DstPair;
  switch (group) {
  case Space::Src:
  case Space::Dst:
    return ofPairs ? ArrayView<int32_t>(*pairs(side).node)
                   : graph.edgeEnds(side);
  case Space::SrcPair:
  case Space::DstPair:
    return *pairs(side).ofEdge;
  case Space::EdgeType:
    return ofPairs ? ArrayView<int32_t>(*pairs(side).type) : graph.edgeType();
  case Space::SrcNodeType:
  case Space::DstNodeType: {
    if (elements == Space::Src || elements == Space::Dst)
      return graph.nodeType(side);
    if (elements == Space::EdgeType)
      return typesOfEdgeTypes(side);
    ArrayView<int32_t> nodes =
        ofPairs ? ArrayView<int32_t>(*pairs(side).node) : graph.edgeEnds(side);
    Array types(nodes.size());
    for (size_t i = 0; i < types.size(); ++i)
      types[i] = graph.nodeType(side)[static_cast<size_t>(nodes[i])];
    scratch.push_back(std::move(types));
    return scratch.back();
  }
  default:
    scratch.emplace_back(static_cast<size_t>(size(elements)), 0);
    return scratch.back();
  }
}

/// By the schema, which `get` has checked.
ArrayView<int32_t> Builder::typesOfEdgeTypes(Side side) {
  Array types;
  for (const EdgeTypeEnds &ends : graph.schema())
    types.push_back(side == Side::Src ? ends.src : ends.dst);
  scratch.push_back(std::move(types));
  return scratch.back();
}

Array Builder::sortedNodes(Side side, Order order) {
  if (order == Order::ByType)
    return stableSort(graph.nodeType(side), graph.numNodeTypes(), nullptr);
  // By descending degree: by the distance from the largest.
  Array degree(static_cast<size_t>(graph.numNodes(side)), 0);
  for (int32_t node : graph.edgeEnds(side))
    ++degree[static_cast<size_t>(node)];
  int32_t largest =
      degree.empty() ? 0 : *std::max_element(degree.begin(), degree.end());
  for (int32_t &value : degree)
    value = largest - value;
  return stableSort(degree, int64_t(largest) + 1, nullptr);
}

/// For each position of an order, the row in the natural order.
Int32Array Builder::permutation(OrderedSpace space) {
  OrderedSpace natural{space.space, Order::Natural};
  StructureKey key = StructureKey::map(space, natural);
  auto found = kept.arrays.find(key);
  if (found != kept.arrays.end())
    return found->second;
  Side side = sideOf(space.space);
  switch (space.order) {
  case Order::Natural:
    return keep(key, iota(size(space.space)));
  case Order::InRows:
    return keep(key, stableSort(graph.edgeEnds(Side::Dst),
                                graph.numNodes(Side::Dst), nullptr));
  case Order::OutRows:
    return keep(key, stableSort(graph.edgeEnds(Side::Src),
                                graph.numNodes(Side::Src), nullptr));
  case Order::SrcPairs:
  case Order::DstPairs:
    // Building the pairs sorts the edges on the way and keeps the order.
    pairs(space.order == Order::SrcPairs ? Side::Src : Side::Dst);
    return kept.arrays[key];
  case Order::ByNode:
    return keep(key,
                stableSort(*pairs(side).node, graph.numNodes(side), nullptr));
  case Order::ByType:
  case Order::ByDegree:
    return keep(key, sortedNodes(side, space.order));
  case Order::SrcTypes:
  case Order::DstTypes:
  case Order::NodeTypes: {
    Space types = space.order == Order::SrcTypes   ? Space::SrcNodeType
                  : space.order == Order::DstTypes ? Space::DstNodeType
                  : side == Side::Src              ? Space::SrcNodeType
                                                   : Space::DstNodeType;
    return keep(key, stableSort(groupOf(types, space.space),
                                graph.numNodeTypes(), nullptr));
  }
  }
  return nullptr;
}

/// For each row of the natural order, its position in an order.
Int32Array Builder::inverse(OrderedSpace space) {
  OrderedSpace natural{space.space, Order::Natural};
  StructureKey key = StructureKey::map(natural, space);
  auto found = kept.arrays.find(key);
  if (found != kept.arrays.end())
    return found->second;
  Int32Array order = permutation(space);
  Array result(order->size());
  for (size_t i = 0; i < result.size(); ++i)
    result[static_cast<size_t>((*order)[i])] = static_cast<int32_t>(i);
  return keep(key, std::move(result));
}

Array Builder::map(OrderedSpace from, OrderedSpace to) {
  Array result;
  if (from.order == Order::Natural)
    result = iota(size(from.space));
  else
    result = *permutation(from);
  auto follow = [&](ArrayView<int32_t> leads) {
    for (int32_t &value : result)
      value = leads[static_cast<size_t>(value)];
  };
  OrderedSpace own{withoutParent(to.space), to.order};
  if (from.space != own.space)
    follow(groupOf(own.space, from.space));
  if (to.space != own.space)
    follow(rowsInParent(own.space));
  if (to.order != Order::Natural)
    follow(to.space == own.space ? *inverse(to)
                                 : *ofParent(StructureKey::map(
                                       {own.space, Order::Natural}, own)));
  return result;
}

Int32Array Builder::rows(Space group, OrderedSpace elements) {
  StructureKey key = StructureKey::rows(group, elements);
  auto found = kept.arrays.find(key);
  if (found != kept.arrays.end())
    return found->second;
  if (group == Space::Graph)
    return keep(key, {0, static_cast<int32_t>(size(elements.space))});
  return keep(key, pointers(groupOf(group, elements.space), size(group)));
}

/// Pieces of at most `tile` elements that a group of `length` is cut into.
static int64_t pieces(int64_t length, int64_t tile) {
  return (length + tile - 1) / tile;
}

Array Builder::tiles(const StructureKey &key) {
  Int32Array row = rows(key.group, key.elements);
  Array result;
  for (size_t g = 0; g + 1 < row->size(); ++g)
    for (int64_t begin = (*row)[g]; begin < (*row)[g + 1]; begin += key.tile) {
      result.push_back(static_cast<int32_t>(g));
      result.push_back(static_cast<int32_t>(begin));
      result.push_back(static_cast<int32_t>(
          std::min<int64_t>(begin + key.tile, (*row)[g + 1])));
    }
  return result;
}

Array Builder::tileRows(const StructureKey &key) {
  Int32Array row = rows(key.group, key.elements);
  Array result(row->size(), 0);
  for (size_t g = 0; g + 1 < row->size(); ++g)
    result[g + 1] = static_cast<int32_t>(
        result[g] + pieces((*row)[g + 1] - (*row)[g], key.tile));
  return result;
}

/// Space::Node stands in no structure; Node counts need a square graph.
static Error checkSpace(const Graph &graph, Space space) {
  if (space == Space::Node && !graph.isSquare())
    return failure("expected src or dst on a bipartite graph, got 'node'");
  return {};
}

/// Node types of edge types are known where the schema names them all.
static Error checkEdgeTypes(const Graph &graph, OrderedSpace elements,
                            Space target) {
  auto isNodeType = [](Space space) {
    return space == Space::SrcNodeType || space == Space::DstNodeType;
  };
  bool bySource = elements.order == Order::SrcTypes;
  if (elements.space != Space::EdgeType ||
      (!isNodeType(target) && elements.order == Order::Natural))
    return {};
  Side side = bySource || (elements.order == Order::Natural &&
                           target == Space::SrcNodeType)
                  ? Side::Src
                  : Side::Dst;
  for (size_t r = 0; r < graph.schema().size(); ++r)
    if (const EdgeTypeEnds &ends = graph.schema()[r];
        (side == Side::Src ? ends.src : ends.dst) < 0)
      return failure("expected a schema that gives the ",
                     side == Side::Src ? "source" : "destination",
                     "'s node type of every edge type, got none of edge type ",
                     r);
  if (graph.schema().empty() && graph.numEdgeTypes() > 0)
    return failure("expected a graph with a schema, got none");
  return {};
}

/// Rows of a parent are there where the graph is derived.
static Error checkParent(const StructureCache &kept, Space space) {
  if (isOfParent(space) && !kept.origin)
    return failure("expected a graph derived from another, got one that is "
                   "not, for '",
                   name(space), "'");
  return {};
}

Expected<Int32Array> Builder::get(const StructureKey &key) {
  bool isMap = key.kind == StructureKey::Kind::Map;
  std::string problem = isMap ? checkMap(key.elements, key.target)
                              : checkRows(key.group, key.elements);
  if (!problem.empty())
    return failure(problem);
  Error legal =
      checkEdgeTypes(graph, key.elements, isMap ? key.target.space : key.group);
  if (!legal && isMap)
    legal = checkEdgeTypes(graph, key.target, key.target.space);
  if (!legal && isMap)
    legal = checkParent(kept, key.target.space);
  if (legal)
    return legal;
  auto found = kept.arrays.find(key);
  if (found != kept.arrays.end())
    return found->second;
  switch (key.kind) {
  case StructureKey::Kind::Map:
    if (key.elements.space == key.target.space) {
      if (key.target.order == Order::Natural)
        return permutation(key.elements);
      if (key.elements.order == Order::Natural)
        return inverse(key.target);
    }
    return keep(key, map(key.elements, key.target));
  case StructureKey::Kind::Rows:
    return rows(key.group, key.elements);
  case StructureKey::Kind::Tiles:
    return keep(key, tiles(key));
  case StructureKey::Kind::TileRows:
    return keep(key, tileRows(key));
  }
  return failure("unknown kind of structure");
}

Expected<int64_t> Builder::count(const CountKey &key) {
  if (key.kind == CountKey::Kind::Count) {
    if (Error error = checkSpace(graph, key.space))
      return error;
    if (Error error = checkParent(kept, key.space))
      return error;
    return size(key.space);
  }
  std::string problem = checkRows(key.space, key.elements);
  if (!problem.empty())
    return failure(problem);
  if (Error error = checkEdgeTypes(graph, key.elements, key.space))
    return error;
  Int32Array row = rows(key.space, key.elements);
  int64_t result = 0;
  for (size_t g = 0; g + 1 < row->size(); ++g) {
    int64_t length = int64_t((*row)[g + 1]) - (*row)[g];
    if (key.kind == CountKey::Kind::MaxRow)
      result = std::max(result, length);
    else
      result += pieces(length, key.tile);
  }
  return result;
}

Expected<Int32Array> Graph::structure(const StructureKey &key) const {
  return guarded("structure", [&]() -> Expected<Int32Array> {
    std::lock_guard<std::mutex> lock(structures->mutex);
    return Builder(*this).get(key);
  });
}

Expected<int64_t> Graph::count(const CountKey &key) const {
  return guarded("count", [&]() -> Expected<int64_t> {
    std::lock_guard<std::mutex> lock(structures->mutex);
    return Builder(*this).count(key);
  });
}
