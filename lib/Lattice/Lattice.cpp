//===- Lattice.cpp - Row spaces, their orders, and what a graph gives -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LatticeText.h"

#include <iterator>

using namespace gnn;

namespace {
struct SpaceRow {
  Space space;
  const char *text;
  RowKind kind;
  RowEnd end;
};
struct OrderRow {
  Space space;
  RowOrder order;
};
/// How the elements of one group lie.
enum class Within { Ascending, ByPair };
struct GroupsRow {
  Space groups;
  OrderedSpace elements;
  Within within;
};
struct MapRow {
  Space from, to;
};
struct PrefixRow {
  Space first, all;
};
struct ParentRow {
  Space space;
  const char *text;
  Space own;
};

constexpr SpaceRow kSpaces[] = {
#define GNN_ROW_SPACE(NAME, TEXT, KIND, END)                                   \
  {Space::NAME, TEXT, RowKind::KIND, RowEnd::END},
#include "GNN/Lattice/RowSpaces.def"
#define GNN_END_SPACE(NAME, TEXT, KIND, END)                                   \
  {Space::NAME, TEXT, RowKind::KIND, RowEnd::END},
#include "GNN/Lattice/RowSpaces.def"
};

constexpr ParentRow kParents[] = {
#define GNN_PARENT_SPACE(NAME, TEXT, OWN) {Space::NAME, TEXT, Space::OWN},
#include "GNN/Lattice/RowSpaces.def"
#define GNN_LOOP_SPACE(NAME, TEXT, OWN) {Space::NAME, TEXT, Space::OWN},
#include "GNN/Lattice/RowSpaces.def"
};

constexpr const char *kOrders[] = {
#define GNN_ORDER(NAME, TEXT) TEXT,
#include "GNN/Lattice/RowSpaces.def"
};

constexpr OrderRow kOrdersOf[] = {
#define GNN_ORDER_OF(SPACE, ORDER, MEANING) {Space::SPACE, RowOrder::ORDER},
#include "GNN/Lattice/RowSpaces.def"
};

constexpr GroupsRow kGroups[] = {
#define GNN_GROUPS(GROUPS, SPACE, ORDER, WITHIN)                               \
  {Space::GROUPS, {Space::SPACE, RowOrder::ORDER}, Within::WITHIN},
#include "GNN/Lattice/RowSpaces.def"
};

constexpr MapRow kMaps[] = {
#define GNN_MAP(FROM, TO) {Space::FROM, Space::TO},
#include "GNN/Lattice/RowSpaces.def"
};

constexpr PrefixRow kPrefixes[] = {
#define GNN_PREFIX(FIRST, ALL) {Space::FIRST, Space::ALL},
#include "GNN/Lattice/RowSpaces.def"
};

/// Adds `word` to a list with commas.
void append(std::string &list, std::string_view word) {
  if (!list.empty())
    list += ", ";
  list += word;
}
} // namespace

std::string gnn::quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

bool gnn::parseSpace(std::string_view word, Space &space, std::string &error) {
  if (std::optional<Space> found = findSpace(word)) {
    space = *found;
    return true;
  }
  error = "expected a row space (" + listSpaces() + "), got " + quoted(word);
  return false;
}

//===----------------------------------------------------------------------===//
// Spaces and orders
//===----------------------------------------------------------------------===//

const char *gnn::name(Space space) {
  size_t i = static_cast<size_t>(space);
  return i < std::size(kSpaces) ? kSpaces[i].text
                                : kParents[i - std::size(kSpaces)].text;
}

const char *gnn::name(RowOrder order) {
  return kOrders[static_cast<size_t>(order)];
}

std::optional<Space> gnn::findSpace(std::string_view text) {
  for (const SpaceRow &row : kSpaces)
    if (text == row.text)
      return row.space;
  for (const ParentRow &row : kParents)
    if (text == row.text)
      return row.space;
  return std::nullopt;
}

std::string gnn::listSpaces() {
  std::string list;
  for (const SpaceRow &row : kSpaces)
    append(list, row.text);
  for (const ParentRow &row : kParents)
    append(list, row.text);
  return list;
}

RowKind gnn::kindOf(Space space) {
  return kSpaces[static_cast<size_t>(withoutParent(space))].kind;
}

RowEnd gnn::endOf(Space space) {
  return kSpaces[static_cast<size_t>(withoutParent(space))].end;
}

Space gnn::atEnd(RowSpace space, RowEnd end) {
  if (space == RowSpace::Node)
    return end == RowEnd::Src ? Space::Src : Space::Dst;
  if (space == RowSpace::NodeType)
    return end == RowEnd::Src ? Space::SrcNodeType : Space::DstNodeType;
  return static_cast<Space>(space);
}

bool gnn::isOfParent(Space space) {
  return static_cast<size_t>(space) >= std::size(kSpaces);
}

Space gnn::withoutParent(Space space) {
  return isOfParent(space)
             ? kParents[static_cast<size_t>(space) - std::size(kSpaces)].own
             : space;
}

std::optional<Space> gnn::ofParent(Space space) {
  for (const ParentRow &row : kParents)
    if (row.own == space && row.space != Space::ParentLoop)
      return row.space;
  return std::nullopt;
}

bool gnn::hasOrder(Space space, RowOrder order) {
  if (order == RowOrder::Natural)
    return true;
  if (space == Space::ParentLoop)
    return false;
  for (const OrderRow &row : kOrdersOf)
    if (row.space == withoutParent(space) && row.order == order)
      return true;
  return false;
}

std::optional<OrderedSpace> OrderedSpace::parse(std::string_view text,
                                                std::string &error) {
  size_t dot = text.find('.');
  OrderedSpace rows;
  if (!parseSpace(text.substr(0, dot), rows.space, error))
    return std::nullopt;
  if (dot == std::string_view::npos)
    return rows;
  std::string orders = name(rows.space);
  for (size_t i = 1; i < std::size(kOrders); ++i) {
    RowOrder order = static_cast<RowOrder>(i);
    if (!hasOrder(rows.space, order))
      continue;
    if (text.substr(dot + 1) == kOrders[i])
      return OrderedSpace{rows.space, order};
    append(orders, OrderedSpace{rows.space, order}.str());
  }
  error = "expected one of " + orders + "; got " + quoted(text);
  return std::nullopt;
}

std::string OrderedSpace::str() const {
  std::string text = name(space);
  if (order != RowOrder::Natural)
    text += std::string(".") + name(order);
  return text;
}

//===----------------------------------------------------------------------===//
// Maps and groups
//===----------------------------------------------------------------------===//

bool gnn::hasStep(Space from, Space to) {
  for (const MapRow &row : kMaps)
    if (row.from == from && row.to == to)
      return true;
  return false;
}

/// Node and NodeType rows are known by their ends alone.
static bool isWithoutEnd(Space space) {
  return space == Space::Node || space == Space::NodeType;
}

std::string gnn::checkMap(OrderedSpace from, OrderedSpace to) {
  // A row of the parent is reached by way of that of this graph.
  Space a = from.space, b = withoutParent(to.space);
  bool walked = !isOfParent(a) && !isWithoutEnd(a);
  if (walked && (a == b || hasStep(a, b)))
    return {};
  std::string list;
  for (const SpaceRow &row : kSpaces)
    if (walked && (row.space == a || hasStep(a, row.space)))
      append(list, row.text);
  return "no map leads from " + quoted(from.str()) + " to " + quoted(to.str()) +
         (list.empty() ? std::string()
                       : ": expected one of " + list +
                             ", or the parent's rows of these");
}

bool gnn::isPrefixOf(OrderedSpace first, OrderedSpace all) {
  for (const PrefixRow &row : kPrefixes)
    if (first == OrderedSpace{row.first, RowOrder::Natural} &&
        all == OrderedSpace{row.all, RowOrder::Natural})
      return true;
  return false;
}

bool gnn::isInjective(OrderedSpace from, OrderedSpace to) {
  return from.space == withoutParent(to.space) || isPrefixOf(from, to);
}

std::string gnn::checkRows(Space group, OrderedSpace elements) {
  bool walked = !isOfParent(elements.space) && !isWithoutEnd(elements.space);
  if (group == Space::Graph && walked)
    return {};
  std::string list;
  for (const GroupsRow &row : kGroups) {
    if (row.groups != group)
      continue;
    if (row.elements == elements)
      return {};
    append(list, row.elements.str());
  }
  return "the elements of a " + quoted(name(group)) +
         " do not lie side by side in " + quoted(elements.str()) +
         (list.empty() ? std::string() : ": expected one of " + list);
}

std::optional<OrderedSpace> gnn::elementsOf(Space group, Space elements) {
  for (const GroupsRow &row : kGroups)
    if (row.groups == group && row.elements.space == elements)
      return row.elements;
  OrderedSpace natural{elements, RowOrder::Natural};
  if (group == Space::Graph && checkRows(group, natural).empty())
    return natural;
  return std::nullopt;
}

bool gnn::ascendInGroups(Space group, OrderedSpace elements) {
  for (const GroupsRow &row : kGroups)
    if (row.groups == group && row.elements == elements)
      return row.within == Within::Ascending;
  return group == Space::Graph && elements.order == RowOrder::Natural &&
         checkRows(group, elements).empty();
}
