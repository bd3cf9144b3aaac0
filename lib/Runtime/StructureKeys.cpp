//===- StructureKeys.cpp - Canonical text of structures and counts --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Structures.h"

#include <charconv>

using namespace gnn::runtime;

namespace {
constexpr const char *kSpaces[] = {"edge",
                                   "src_pair",
                                   "dst_pair",
                                   "src",
                                   "dst",
                                   "node",
                                   "edge_type",
                                   "node_type",
                                   "src_node_type",
                                   "dst_node_type",
                                   "graph",
                                   "parent_edge",
                                   "parent_src_pair",
                                   "parent_dst_pair",
                                   "parent_edge_type"};

constexpr const char *kOrders[] = {
    "",        "in_rows",   "out_rows",  "src_pairs", "dst_pairs", "by_node",
    "by_type", "by_degree", "src_types", "dst_types", "node_types"};

bool hasOrder(Space space, Order order) {
  space = withoutParent(space);
  switch (order) {
  case Order::Natural:
    return true;
  case Order::InRows:
  case Order::OutRows:
  case Order::SrcPairs:
  case Order::DstPairs:
    return space == Space::Edge;
  case Order::SrcTypes:
  case Order::DstTypes:
    return space == Space::Edge || space == Space::EdgeType;
  case Order::NodeTypes:
  case Order::ByNode:
    return space == Space::SrcPair || space == Space::DstPair;
  case Order::ByType:
  case Order::ByDegree:
    return space == Space::Src || space == Space::Dst;
  }
  return false;
}

std::string ordersOf(Space space) {
  std::string text = name(space);
  for (size_t i = 1; i < std::size(kOrders); ++i)
    if (hasOrder(space, static_cast<Order>(i)))
      text += std::string(", ") + name(space) + "." + kOrders[i];
  return text;
}

/// Words separated by single spaces; an empty word stands for a space too many.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = 0;;) {
    size_t end = text.find(' ', begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos)
      return words;
    begin = end + 1;
  }
}

Expected<int64_t> parseTile(std::string_view word) {
  int64_t value = 0;
  auto [end, status] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size() || value < 1 ||
      value > INT32_MAX || word.front() == '0')
    return failure("expected a tile size from 1 to ", INT32_MAX, ", got '",
                   word, "'");
  return value;
}

/// The words "G A" or "G A N" of a key, checked.
struct Grouping {
  Space group;
  OrderedSpace elements;
  int64_t tile = 0;
};

Expected<Grouping> parseGrouping(const std::vector<std::string_view> &words,
                                 bool tiled) {
  if (words.size() != (tiled ? 4u : 3u))
    return failure("expected '", words[0], tiled ? " G A N" : " G A",
                   "' separated by single spaces");
  Expected<Space> group = parseSpace(words[1]);
  if (!group)
    return group.takeError();
  Expected<OrderedSpace> elements = OrderedSpace::parse(words[2]);
  if (!elements)
    return elements.takeError();
  if (Error error = checkRows(*group, *elements))
    return error;
  Grouping result{*group, *elements};
  if (tiled) {
    Expected<int64_t> tile = parseTile(words[3]);
    if (!tile)
      return tile.takeError();
    result.tile = *tile;
  }
  return result;
}

bool isNodeSpace(Space space) {
  return space == Space::Src || space == Space::Dst;
}
} // namespace

bool gnn::runtime::isOfParent(Space space) {
  return space >= Space::ParentEdge;
}

Space gnn::runtime::withoutParent(Space space) {
  switch (space) {
  case Space::ParentEdge:
    return Space::Edge;
  case Space::ParentSrcPair:
    return Space::SrcPair;
  case Space::ParentDstPair:
    return Space::DstPair;
  case Space::ParentEdgeType:
    return Space::EdgeType;
  default:
    return space;
  }
}

const char *gnn::runtime::name(Space space) {
  return kSpaces[static_cast<size_t>(space)];
}

Expected<Space> gnn::runtime::parseSpace(std::string_view text) {
  for (size_t i = 0; i < std::size(kSpaces); ++i)
    if (text == kSpaces[i])
      return static_cast<Space>(i);
  std::string all;
  for (const char *space : kSpaces)
    all += (all.empty() ? "" : ", ") + std::string(space);
  return failure("expected a row space (", all, "), got '", text, "'");
}

Expected<OrderedSpace> OrderedSpace::parse(std::string_view text) {
  size_t dot = text.find('.');
  Expected<Space> space = parseSpace(text.substr(0, dot));
  if (!space)
    return space.takeError();
  if (dot == std::string_view::npos)
    return OrderedSpace{*space, Order::Natural};
  for (size_t i = 1; i < std::size(kOrders); ++i)
    if (text.substr(dot + 1) == kOrders[i] &&
        hasOrder(*space, static_cast<Order>(i)))
      return OrderedSpace{*space, static_cast<Order>(i)};
  return failure("expected one of ", ordersOf(*space), "; got '", text, "'");
}

std::string OrderedSpace::str() const {
  std::string text = name(space);
  if (order != Order::Natural)
    text += std::string(".") + kOrders[static_cast<size_t>(order)];
  return text;
}

Error gnn::runtime::checkMap(OrderedSpace elements, OrderedSpace target) {
  // A row of the parent is reached by way of that of this graph.
  Space a = elements.space, b = withoutParent(target.space);
  bool legal = false;
  switch (a) {
  case Space::Edge:
    legal = b == Space::Edge || isNodeSpace(b) || b == Space::SrcPair ||
            b == Space::DstPair || b == Space::EdgeType ||
            b == Space::SrcNodeType || b == Space::DstNodeType;
    break;
  case Space::SrcPair:
    legal = b == Space::SrcPair || b == Space::Src || b == Space::EdgeType ||
            b == Space::SrcNodeType;
    break;
  case Space::DstPair:
    legal = b == Space::DstPair || b == Space::Dst || b == Space::EdgeType ||
            b == Space::DstNodeType;
    break;
  case Space::Src:
    legal = b == Space::Src || b == Space::SrcNodeType;
    break;
  case Space::Dst:
    legal = b == Space::Dst || b == Space::DstNodeType;
    break;
  case Space::EdgeType:
    legal = b == Space::EdgeType || b == Space::SrcNodeType ||
            b == Space::DstNodeType;
    break;
  case Space::SrcNodeType:
  case Space::DstNodeType:
  case Space::Graph:
    legal = b == a;
    break;
  default:
    break;
  }
  if (legal)
    return {};
  return failure("expected a space that ", name(a),
                 " rows lead to (edge: any but graph; a pair: itself, its "
                 "node, edge_type, its node's type; src or dst: itself, its "
                 "node type; edge_type: itself, a node type; the parent's rows "
                 "of these; others: themselves), got '",
                 target.str(), "'");
}

Error gnn::runtime::checkRows(Space group, OrderedSpace elements) {
  Space a = elements.space;
  Order order = elements.order;
  bool legal = false;
  switch (group) {
  case Space::Graph:
    legal = a != Space::Node && a != Space::NodeType && !isOfParent(a);
    break;
  case Space::Dst:
    legal = (a == Space::Edge && order == Order::InRows) ||
            (a == Space::DstPair && order == Order::ByNode);
    break;
  case Space::Src:
    legal = (a == Space::Edge && order == Order::OutRows) ||
            (a == Space::SrcPair && order == Order::ByNode);
    break;
  case Space::DstPair:
    legal = a == Space::Edge && order == Order::DstPairs;
    break;
  case Space::SrcPair:
    legal = a == Space::Edge && order == Order::SrcPairs;
    break;
  case Space::EdgeType:
    legal = (a == Space::Edge &&
             (order == Order::SrcPairs || order == Order::DstPairs)) ||
            ((a == Space::SrcPair || a == Space::DstPair) &&
             order == Order::Natural);
    break;
  case Space::SrcNodeType:
    legal = (a == Space::Src && order == Order::ByType) ||
            ((a == Space::Edge || a == Space::EdgeType) &&
             order == Order::SrcTypes) ||
            (a == Space::SrcPair && order == Order::NodeTypes);
    break;
  case Space::DstNodeType:
    legal = (a == Space::Dst && order == Order::ByType) ||
            ((a == Space::Edge || a == Space::EdgeType) &&
             order == Order::DstTypes) ||
            (a == Space::DstPair && order == Order::NodeTypes);
    break;
  default:
    break;
  }
  if (legal)
    return {};
  return failure(
      "expected an order whose groups are contiguous and ascending (dst "
      "edge.in_rows, src edge.out_rows, dst_pair edge.dst_pairs, src_pair "
      "edge.src_pairs, edge_type edge.src_pairs, edge_type edge.dst_pairs, "
      "edge_type src_pair, edge_type dst_pair, src src_pair.by_node, dst "
      "dst_pair.by_node, src_node_type src.by_type, src_node_type "
      "edge.src_types, src_node_type src_pair.node_types, src_node_type "
      "edge_type.src_types, dst_node_type dst.by_type, dst_node_type "
      "edge.dst_types, dst_node_type dst_pair.node_types, dst_node_type "
      "edge_type.dst_types, graph with any of this graph), got '",
      name(group), " ", elements.str(), "'");
}

static Expected<StructureKey> parseStructureWords(std::string_view text) {
  std::vector<std::string_view> words = split(text);
  StructureKey key;
  if (words[0] == "map") {
    if (words.size() != 3)
      return failure("expected 'map A B' separated by single spaces");
    Expected<OrderedSpace> from = OrderedSpace::parse(words[1]);
    if (!from)
      return from.takeError();
    Expected<OrderedSpace> to = OrderedSpace::parse(words[2]);
    if (!to)
      return to.takeError();
    if (Error error = checkMap(*from, *to))
      return error;
    return StructureKey::map(*from, *to);
  }
  if (words[0] == "rows")
    key.kind = StructureKey::Kind::Rows;
  else if (words[0] == "tiles")
    key.kind = StructureKey::Kind::Tiles;
  else if (words[0] == "tile_rows")
    key.kind = StructureKey::Kind::TileRows;
  else
    return failure("expected map, rows, tiles or tile_rows, got '", words[0],
                   "'");
  bool tiled = key.kind == StructureKey::Kind::Tiles ||
               key.kind == StructureKey::Kind::TileRows;
  Expected<Grouping> grouping = parseGrouping(words, tiled);
  if (!grouping)
    return grouping.takeError();
  key.group = grouping->group;
  key.elements = grouping->elements;
  key.tile = grouping->tile;
  return key;
}

Expected<StructureKey> StructureKey::parse(std::string_view text) {
  Expected<StructureKey> key = parseStructureWords(text);
  if (!key)
    return key.takeError().in("structure '" + std::string(text) + "'");
  return key;
}

std::string StructureKey::str() const {
  std::string grouping = std::string(name(group)) + " " + elements.str();
  switch (kind) {
  case Kind::Map:
    return "map " + elements.str() + " " + target.str();
  case Kind::Rows:
    return "rows " + grouping;
  case Kind::Tiles:
    return "tiles " + grouping + " " + std::to_string(tile);
  case Kind::TileRows:
    return "tile_rows " + grouping + " " + std::to_string(tile);
  }
  return {};
}

StructureKey StructureKey::map(OrderedSpace elements, OrderedSpace target) {
  StructureKey key;
  key.kind = Kind::Map;
  key.elements = elements;
  key.target = target;
  return key;
}

StructureKey StructureKey::rows(Space group, OrderedSpace elements) {
  StructureKey key;
  key.kind = Kind::Rows;
  key.group = group;
  key.elements = elements;
  return key;
}

static Expected<CountKey> parseCountWords(std::string_view text) {
  std::vector<std::string_view> words = split(text);
  CountKey key;
  if (words[0] == "count") {
    if (words.size() != 2)
      return failure("expected 'count SPACE' separated by single spaces");
    Expected<Space> space = parseSpace(words[1]);
    if (!space)
      return space.takeError();
    key.space = *space;
    return key;
  }
  if (words[0] == "tile_count")
    key.kind = CountKey::Kind::TileCount;
  else if (words[0] == "max_row")
    key.kind = CountKey::Kind::MaxRow;
  else
    return failure("expected count, tile_count or max_row, got '", words[0],
                   "'");
  Expected<Grouping> grouping =
      parseGrouping(words, key.kind == CountKey::Kind::TileCount);
  if (!grouping)
    return grouping.takeError();
  key.space = grouping->group;
  key.elements = grouping->elements;
  key.tile = grouping->tile;
  return key;
}

Expected<CountKey> CountKey::parse(std::string_view text) {
  Expected<CountKey> key = parseCountWords(text);
  if (!key)
    return key.takeError().in("count '" + std::string(text) + "'");
  return key;
}

std::string CountKey::str() const {
  std::string grouping = std::string(name(space)) + " " + elements.str();
  switch (kind) {
  case Kind::Count:
    return std::string("count ") + name(space);
  case Kind::TileCount:
    return "tile_count " + grouping + " " + std::to_string(tile);
  case Kind::MaxRow:
    return "max_row " + grouping;
  }
  return {};
}
