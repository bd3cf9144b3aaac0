//===- StructureBuilder.cpp - Builds structures by stable sorts -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureBuilder.h"

#include "GroupSort.h"
#include "Parallel.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

using namespace gnn::runtime;

namespace {
Indices iota(int64_t count) {
  Indices values(static_cast<size_t>(count));
  forRanges(values.size(), [&](size_t begin, size_t end) {
    std::iota(values.begin() + static_cast<ptrdiff_t>(begin),
              values.begin() + static_cast<ptrdiff_t>(end),
              static_cast<int32_t>(begin));
  });
  return values;
}

GraphSide sideOf(Space space) {
  return space == Space::Dst || space == Space::DstPair ||
                 space == Space::DstNodeType
             ? GraphSide::Dst
             : GraphSide::Src;
}

Space nodeTypeAt(GraphSide side) {
  return side == GraphSide::Src ? Space::SrcNodeType : Space::DstNodeType;
}

/// The key of rows in an order: the space whose groups lie side by side then.
std::optional<Space> sortedBy(OrderedSpace space) {
  switch (space.order) {
  case Order::InRows:
    return Space::Dst;
  case Order::OutRows:
    return Space::Src;
  case Order::ByNode:
    return sideOf(space.space) == GraphSide::Src ? Space::Src : Space::Dst;
  case Order::SrcTypes:
    return Space::SrcNodeType;
  case Order::DstTypes:
    return Space::DstNodeType;
  case Order::ByType:
  case Order::NodeTypes:
    return nodeTypeAt(sideOf(space.space));
  case Order::SrcPairs:
    return Space::SrcPair;
  case Order::DstPairs:
    return Space::DstPair;
  case Order::Natural:
  case Order::ByDegree:
  case Order::DegreeWindows:
    return std::nullopt;
  }
  return std::nullopt;
}

/// The pieces of groups, from the pointers to their elements.
int64_t countPieces(const Indices &row, size_t begin, size_t end, Cut cut) {
  int64_t result = 0;
  for (size_t g = begin; g < end; ++g)
    result += cut.count(int64_t(row[g + 1]) - row[g]);
  return result;
}

/// The pieces of all groups before each part of them.
std::vector<int64_t> piecesBefore(const Indices &row, unsigned parts, Cut cut) {
  std::vector<int64_t> before(parts + 1, 0);
  forParts(row.size() - 1, parts, [&](unsigned part, size_t begin, size_t end) {
    before[part + 1] = countPieces(row, begin, end, cut);
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  return before;
}

} // namespace

SharedIndices StructureBuilder::find(const StructureKey &key) const {
  auto found = kept.arrays.find(key);
  return found == kept.arrays.end() ? nullptr : found->second;
}

SharedIndices StructureBuilder::keep(const StructureKey &key, Indices array) {
  auto shared = std::make_shared<const Indices>(std::move(array));
  return share(key, std::move(shared));
}

SharedIndices StructureBuilder::share(const StructureKey &key,
                                      SharedIndices array) {
  kept.expected.erase(key);
  return kept.arrays[key] = std::move(array);
}

void StructureCache::expect(const StructureKey &key) {
  std::lock_guard<std::mutex> lock(mutex);
  if (key.kind == StructureKey::Kind::Map && !arrays.count(key))
    expected.insert(key);
}

const PairLists &gnn::runtime::pairLists(const Graph &graph, GraphSide side) {
  StructureCache &kept = graph.cache();
  std::shared_ptr<const PairLists> &slot = kept.pairs[side == GraphSide::Dst];
  if (slot)
    return *slot;
  SortKeys keys{graph.edgeEnds(side), graph.numNodes(side)};
  if (graph.numEdgeTypes() > 1) {
    keys.major = graph.edgeType();
    keys.numMajor = graph.numEdgeTypes();
  }
  Groups groups = findGroups(keys);
  auto shared = [](Indices &array) {
    return std::make_shared<const Indices>(std::move(array));
  };
  slot = std::make_shared<const PairLists>(
      PairLists{shared(groups.minor), shared(groups.major),
                shared(groups.ofElement), shared(groups.begin)});
  return *slot;
}

int64_t StructureBuilder::size(Space space) {
  switch (space) {
  case Space::Edge:
    return graph.numEdges();
  case Space::SrcPair:
  case Space::DstPair:
    return static_cast<int64_t>(pairs(sideOf(space)).node->size());
  case Space::Src:
  case Space::Node:
    return graph.numNodes(GraphSide::Src);
  case Space::Dst:
    return graph.numNodes(GraphSide::Dst);
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
  case Space::ParentEdgeType:
  case Space::ParentLoop: {
    if (space == Space::ParentLoop)
      space = Space::ParentEdge; // rows of one array
    CountKey rows;
    rows.space = withoutParent(space);
    Expected<int64_t> count = kept.origin->parent->count(rows);
    if (!count)
      throw std::runtime_error(count.message());
    bool hasLoops = space == Space::ParentEdge && kept.origin->addsLoops;
    return *count + (hasLoops ? graph.numNodes(GraphSide::Dst) : 0);
  }
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Ways from row to row
//===----------------------------------------------------------------------===//

/// A structure of the parent; `guarded` makes an Error of what is thrown.
SharedIndices StructureBuilder::ofParent(const StructureKey &key) {
  Expected<SharedIndices> array = kept.origin->parent->structure(key);
  if (!array)
    throw std::runtime_error(array.message());
  return *array;
}

/// The same of a map from the natural order, with the rows of new loops behind,
/// which lie there in every order.
SharedIndices StructureBuilder::orderOfParent(OrderedSpace order) {
  SharedIndices array =
      ofParent(StructureKey::map({order.space, Order::Natural}, order));
  if (order.space != Space::Edge || !kept.origin->addsLoops)
    return array;
  Indices all = *array;
  all.resize(static_cast<size_t>(size(Space::ParentEdge)));
  std::iota(all.begin() + static_cast<ptrdiff_t>(array->size()), all.end(),
            static_cast<int32_t>(array->size()));
  return std::make_shared<const Indices>(std::move(all));
}

/// For each node, the row of its new loop behind those of the parent's edges.
ArrayView<int32_t> StructureBuilder::rowsOfLoops() {
  int64_t nodes = graph.numNodes(GraphSide::Dst);
  Indices rows(static_cast<size_t>(nodes));
  std::iota(rows.begin(), rows.end(),
            static_cast<int32_t>(size(Space::ParentEdge) - nodes));
  scratch.push_back(std::move(rows));
  return scratch.back();
}

/// For each row of `space`, the parent's row in its natural order.
ArrayView<int32_t> StructureBuilder::rowsInParent(Space space) {
  if (space == Space::Dst)
    return rowsOfLoops();
  if (space == Space::Edge)
    return kept.origin->edge;
  if (space == Space::EdgeType)
    return kept.origin->edgeType;
  const Indices &pairOf = *pairs(sideOf(space)).ofEdge;
  SharedIndices parentPairOf = ofParent(StructureKey::map(
      {Space::Edge, Order::Natural}, {space, Order::Natural}));
  Indices rows(static_cast<size_t>(size(space)));
  forRanges(pairOf.size(), [&](size_t begin, size_t end) {
    // Edges of one pair write the same value.
    for (size_t e = begin; e < end; ++e)
      __atomic_store_n(
          &rows[static_cast<size_t>(pairOf[e])],
          (*parentPairOf)[static_cast<size_t>(kept.origin->edge[e])],
          __ATOMIC_RELAXED);
  });
  scratch.push_back(std::move(rows));
  return scratch.back();
}

/// Adds what leads from each row of `from` to its row of `to`, both in their
/// natural order.
void StructureBuilder::addSteps(Space from, Space to, Steps &steps) {
  if (from == to)
    return;
  if (from == Space::EdgeType) {
    steps.push_back(typesOfEdgeTypes(sideOf(to)));
    return;
  }
  bool ofPairs = from == Space::SrcPair || from == Space::DstPair;
  GraphSide side = sideOf(from == Space::Edge ? to : from);
  switch (to) {
  case Space::Src:
  case Space::Dst:
    steps.push_back(ofPairs ? ArrayView<int32_t>(*pairs(side).node)
                            : graph.edgeEnds(side));
    return;
  case Space::SrcPair:
  case Space::DstPair:
    steps.push_back(*pairs(side).ofEdge);
    return;
  case Space::EdgeType:
    steps.push_back(ofPairs ? ArrayView<int32_t>(*pairs(side).type)
                            : graph.edgeType());
    return;
  default: // Node types.
    if (from != Space::Src && from != Space::Dst)
      addSteps(from, side == GraphSide::Src ? Space::Src : Space::Dst, steps);
    steps.push_back(graph.nodeType(side));
  }
}

/// By the schema, which `get` has checked.
ArrayView<int32_t> StructureBuilder::typesOfEdgeTypes(GraphSide side) {
  Indices types;
  for (const EdgeTypeEnds &ends : graph.schema())
    types.push_back(side == GraphSide::Src ? ends.src : ends.dst);
  scratch.push_back(std::move(types));
  return scratch.back();
}

/// Where the steps lead from each of `count` rows.
Indices StructureBuilder::follow(int64_t count, const Steps &steps) const {
  if (steps.empty())
    return iota(count);
  Indices result(static_cast<size_t>(count));
  forRanges(result.size(), [&](size_t begin, size_t end) {
    // In blocks, which stay in the first cache from step to step.
    constexpr size_t kBlock = 2048;
    for (size_t block = begin; block < end; block += kBlock) {
      size_t stop = std::min(block + kBlock, end);
      std::copy(steps[0].begin() + block, steps[0].begin() + stop,
                result.begin() + static_cast<ptrdiff_t>(block));
      for (size_t step = 1; step < steps.size(); ++step) {
        const int32_t *leads = steps[step].data();
        for (size_t i = block; i < stop; ++i)
          result[i] = leads[result[i]];
      }
    }
  });
  return result;
}

/// One of the lists of pairs, where that is the map; null else.
SharedIndices StructureBuilder::listOfPairs(const StructureKey &key) {
  Space from = key.elements.space, to = key.target.space;
  if (key.elements.order != Order::Natural ||
      key.target.order != Order::Natural)
    return nullptr;
  if (from == Space::Edge && (to == Space::SrcPair || to == Space::DstPair))
    return pairs(sideOf(to)).ofEdge;
  if (from != Space::SrcPair && from != Space::DstPair)
    return nullptr;
  if (to == Space::Src || to == Space::Dst)
    return pairs(sideOf(from)).node;
  return to == Space::EdgeType ? pairs(sideOf(from)).type : nullptr;
}

SharedIndices StructureBuilder::map(const StructureKey &key) {
  OrderedSpace from = key.elements, to = key.target;
  if (from.space == to.space && to.order == Order::Natural)
    return permutation(from);
  if (from.space == to.space && from.order == Order::Natural)
    return inverse(to);
  if (SharedIndices list = listOfPairs(key))
    return share(key, std::move(list));
  OrderedSpace natural{from.space, Order::Natural};
  if (std::optional<Space> group = sortedBy(from);
      group && kept.expected.count(key) &&
      !find(StructureKey::map(from, natural))) {
    sort(from, *group, /*wantsOrder=*/false);
    if (SharedIndices found = find(key))
      return found;
  }
  Steps steps;
  std::vector<SharedIndices> held;
  auto lead = [&](SharedIndices array) {
    steps.push_back(*array);
    held.push_back(std::move(array));
  };
  if (from.order != Order::Natural)
    lead(permutation(from));
  OrderedSpace own{withoutParent(to.space), to.order};
  addSteps(from.space, own.space, steps);
  if (to.space != own.space)
    steps.push_back(rowsInParent(own.space));
  if (to.order != Order::Natural)
    lead(to.space == own.space ? inverse(to) : orderOfParent(own));
  return keep(key, follow(size(from.space), steps));
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Sorts the rows of a space by their row of `group`. Keeps the pointers to
/// groups, the maps that are expected of this order, and the order itself if it
/// is wanted or leads to what is expected.
void StructureBuilder::sort(OrderedSpace space, Space group, bool wantsOrder) {
  OrderedSpace natural{space.space, Order::Natural};
  auto leads = [&](Space to, Indices &led) -> ArrayView<int32_t> {
    Steps steps;
    addSteps(space.space, to, steps);
    if (steps.size() == 1)
      return steps[0];
    led = follow(size(space.space), steps);
    return led;
  };
  std::vector<StructureKey> maps;
  for (const StructureKey &key : kept.expected) {
    if (key.target == space)
      wantsOrder = true;
    if (!(key.elements == space))
      continue;
    if (key.target.order == Order::Natural && key.target != natural &&
        !isOfParent(key.target.space))
      maps.push_back(key);
    else
      wantsOrder = true;
  }
  Indices led;
  SortKeys keys{leads(group, led), size(group)};
  RowSort sorted(keys);
  if (!find(StructureKey::rows(group, space)))
    keep(StructureKey::rows(group, space), sorted.takeRows());
  for (const StructureKey &key : maps) {
    Indices own;
    keep(key, sorted.apply(leads(key.target.space, own)));
  }
  if (wantsOrder)
    keep(StructureKey::map(space, natural), sorted.order());
}

/// By descending degree: by the distance from the largest. In windows, rows
/// that lie so are sorted by their window then.
Indices StructureBuilder::rowsByDegree(OrderedSpace space) {
  SharedIndices row =
      rows(space.space, *gnn::elementsOf(space.space, Space::Edge));
  Indices degree(row->size() - 1);
  int32_t largest = 0;
  for (size_t v = 0; v < degree.size(); ++v) {
    degree[v] = (*row)[v + 1] - (*row)[v];
    largest = std::max(largest, degree[v]);
  }
  for (int32_t &value : degree)
    value = largest - value;
  SortKeys keys{degree, int64_t(largest) + 1};
  Indices order = RowSort(keys).order();
  if (space.order == Order::ByDegree)
    return order;
  Indices window(order.size());
  for (size_t i = 0; i < window.size(); ++i)
    window[i] = order[i] / static_cast<int32_t>(degreeWindow);
  SortKeys windows{window,
                   (int64_t(window.size()) + degreeWindow - 1) / degreeWindow};
  return RowSort(windows).apply(order);
}

/// For each position of an order, the row in the natural order.
SharedIndices StructureBuilder::permutation(OrderedSpace space) {
  OrderedSpace natural{space.space, Order::Natural};
  StructureKey key = StructureKey::map(space, natural);
  if (SharedIndices found = find(key))
    return found;
  if (space.order == Order::Natural)
    return keep(key, iota(size(space.space)));
  if (isByDegree(space.order))
    return keep(key, rowsByDegree(space));
  sort(space, *sortedBy(space), /*wantsOrder=*/true);
  return find(key);
}

/// For each row of the natural order, its position in an order.
SharedIndices StructureBuilder::inverse(OrderedSpace space) {
  OrderedSpace natural{space.space, Order::Natural};
  StructureKey key = StructureKey::map(natural, space);
  if (SharedIndices found = find(key))
    return found;
  SharedIndices order = permutation(space);
  Indices result(order->size());
  forRanges(result.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      result[static_cast<size_t>((*order)[i])] = static_cast<int32_t>(i);
  });
  return keep(key, std::move(result));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Pointers to what each edge type has of pairs, or of edges by pairs.
Indices StructureBuilder::rowsOfEdgeTypes(OrderedSpace elements) {
  bool ofEdges = elements.space == Space::Edge;
  GraphSide side = ofEdges
                       ? (elements.order == Order::SrcPairs ? GraphSide::Src
                                                            : GraphSide::Dst)
                       : sideOf(elements.space);
  const PairLists &lists = pairs(side);
  Indices result(static_cast<size_t>(graph.numEdgeTypes()) + 1);
  auto from = lists.type->begin();
  for (size_t r = 0; r < result.size(); ++r) {
    from = std::lower_bound(from, lists.type->end(), static_cast<int32_t>(r));
    auto pair = static_cast<size_t>(from - lists.type->begin());
    result[r] = ofEdges ? (*lists.begin)[pair] : static_cast<int32_t>(pair);
  }
  return result;
}

SharedIndices StructureBuilder::rows(Space group, OrderedSpace elements) {
  StructureKey key = StructureKey::rows(group, elements);
  if (SharedIndices found = find(key))
    return found;
  if (group == Space::Graph)
    return keep(key, {0, static_cast<int32_t>(size(elements.space))});
  if (group == Space::EdgeType)
    return keep(key, rowsOfEdgeTypes(elements));
  if (group == Space::SrcPair || group == Space::DstPair)
    return share(key, pairs(sideOf(group)).begin);
  sort(elements, group, /*wantsOrder=*/false);
  return find(key);
}

Indices StructureBuilder::tiles(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  Cut cut{key.tile, key.isOfLong()};
  unsigned parts = partsOf(row->size() - 1);
  std::vector<int64_t> before = piecesBefore(*row, parts, cut);
  Indices result(static_cast<size_t>(3 * before.back()));
  forParts(row->size() - 1, parts,
           [&](unsigned part, size_t begin, size_t end) {
             int32_t *out = result.data() + 3 * before[part];
             for (size_t g = begin; g < end; ++g) {
               int64_t first = (*row)[g], last = (*row)[g + 1];
               if (cut.count(last - first) > 0)
                 out = cut.write(static_cast<int32_t>(g), first, last, out);
             }
           });
  return result;
}

Indices StructureBuilder::tileRows(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  Cut cut{key.tile, key.isOfLong()};
  unsigned parts = partsOf(row->size() - 1);
  std::vector<int64_t> before = piecesBefore(*row, parts, cut);
  Indices result(row->size());
  forParts(row->size() - 1, parts,
           [&](unsigned part, size_t begin, size_t end) {
             int64_t sum = before[part];
             for (size_t g = begin; g < end; ++g) {
               result[g] = static_cast<int32_t>(sum);
               sum += countPieces(*row, g, g + 1, cut);
             }
           });
  result.back() = static_cast<int32_t>(before.back());
  return result;
}

int64_t StructureBuilder::countOfGroups(const CountKey &key) {
  if (key.kind == CountKey::Kind::PieceCount)
    return (size(key.elements.space) + key.tile - 1) / key.tile * 2;
  if (key.kind == CountKey::Kind::CutRowCount)
    return countCutRows(key);
  SharedIndices row = rows(key.space, key.elements);
  unsigned parts = partsOf(row->size() - 1);
  switch (key.kind) {
  case CountKey::Kind::TileCount:
    return piecesBefore(*row, parts, {key.tile, /*ofLong=*/false}).back();
  case CountKey::Kind::LongTileCount:
    return piecesBefore(*row, parts, {key.tile, /*ofLong=*/true}).back();
  default:
    break;
  }
  int64_t longest = 0, inLong = 0;
  for (size_t g = 0; g + 1 < row->size(); ++g) {
    int64_t length = int64_t((*row)[g + 1]) - (*row)[g];
    longest = std::max(longest, length);
    inLong += length > key.tile ? length : 0;
  }
  return key.kind == CountKey::Kind::MaxRow ? longest : inLong;
}
