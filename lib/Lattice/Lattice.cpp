//===- Lattice.cpp - Row spaces, their orders, and what a graph gives -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Lattice/Lattice.h"

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
struct GroupsRow {
  Space groups;
  OrderedSpace elements;
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
#define GNN_GROUPS(GROUPS, SPACE, ORDER)                                       \
  {Space::GROUPS, {Space::SPACE, RowOrder::ORDER}},
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

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// Takes the next word of a text whose words are separated by single spaces; a
/// space too many gives an empty word.
class Words {
public:
  explicit Words(std::string_view text) : rest(text) {}

  bool atEnd() const { return done; }
  std::string_view next() {
    size_t end = rest.find(' ');
    std::string_view word = rest.substr(0, end);
    done = end == std::string_view::npos;
    rest = done ? std::string_view() : rest.substr(end + 1);
    return word;
  }

private:
  std::string_view rest;
  bool done = false;
};

/// A tile size from 1 to the largest int32, without signs and leading zeros.
bool parseTile(std::string_view word, int64_t &tile, std::string &error) {
  bool digits = !word.empty() && word.size() <= 10 && word.front() != '0';
  int64_t value = 0;
  for (char c : word.substr(0, 10)) {
    digits &= c >= '0' && c <= '9';
    value = value * 10 + (c - '0');
  }
  if (digits && value <= INT32_MAX) {
    tile = value;
    return true;
  }
  error = "expected a tile size from 1 to " + std::to_string(INT32_MAX) +
          ", got " + quoted(word);
  return false;
}

bool parseSpace(std::string_view word, Space &space, std::string &error) {
  if (std::optional<Space> found = findSpace(word)) {
    space = *found;
    return true;
  }
  error = "expected a row space (" + listSpaces() + "), got " + quoted(word);
  return false;
}

/// Parses the words "G A" or "G A N" behind the kind of a key.
bool parseGrouping(std::string_view kind, Words words, bool tiled, Space &group,
                   OrderedSpace &elements, int64_t &tile, std::string &error) {
  std::string form = "expected " +
                     quoted(std::string(kind) + (tiled ? " G A N" : " G A")) +
                     " separated by single spaces";
  if (words.atEnd()) {
    error = form;
    return false;
  }
  std::string_view groupWord = words.next();
  if (words.atEnd()) {
    error = form;
    return false;
  }
  std::string_view elementsWord = words.next();
  if (words.atEnd() == tiled) {
    error = form;
    return false;
  }
  std::string_view tileWord = tiled ? words.next() : "";
  if (tiled && !words.atEnd()) {
    error = form;
    return false;
  }
  if (!parseSpace(groupWord, group, error))
    return false;
  std::optional<OrderedSpace> parsed = OrderedSpace::parse(elementsWord, error);
  if (!parsed)
    return false;
  elements = *parsed;
  error = checkRows(group, elements);
  return error.empty() && (!tiled || parseTile(tileWord, tile, error));
}
} // namespace

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

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

static constexpr const char *kStructures[] = {
    "map", "rows", "tiles", "tile_rows", "long_tiles", "long_tile_rows"};
static constexpr const char *kCounts[] = {
    "count", "tile_count", "max_row", "long_tile_count", "long_element_count"};

/// The place of `word` in a list of names; none where it is not there.
template <size_t N>
static std::optional<size_t> placeOf(std::string_view word,
                                     const char *const (&names)[N]) {
  for (size_t i = 0; i < N; ++i)
    if (word == names[i])
      return i;
  return std::nullopt;
}

std::optional<StructureKey> StructureKey::parse(std::string_view text,
                                                std::string &error) {
  Words words(text);
  std::string_view kindWord = words.next();
  std::optional<size_t> kind = placeOf(kindWord, kStructures);
  StructureKey key;
  if (!kind) {
    error = "expected map, rows, tiles, tile_rows, long_tiles or "
            "long_tile_rows, got " +
            quoted(kindWord);
    return std::nullopt;
  }
  key.kind = static_cast<Kind>(*kind);
  if (key.kind != Kind::Map) {
    bool tiled = key.kind != Kind::Rows;
    if (!parseGrouping(kindWord, words, tiled, key.group, key.elements,
                       key.tile, error))
      return std::nullopt;
    return key;
  }
  std::string_view from = words.atEnd() ? "" : words.next();
  std::string_view to = words.atEnd() ? "" : words.next();
  if (from.empty() || to.empty() || !words.atEnd()) {
    error = "expected 'map A B' separated by single spaces";
    return std::nullopt;
  }
  auto parsedFrom = OrderedSpace::parse(from, error);
  auto parsedTo = parsedFrom ? OrderedSpace::parse(to, error) : std::nullopt;
  if (!parsedTo)
    return std::nullopt;
  error = checkMap(*parsedFrom, *parsedTo);
  if (!error.empty())
    return std::nullopt;
  return map(*parsedFrom, *parsedTo);
}

std::string StructureKey::str() const {
  std::string text = kStructures[static_cast<size_t>(kind)];
  if (kind == Kind::Map)
    return text + " " + elements.str() + " " + target.str();
  text += std::string(" ") + name(group) + " " + elements.str();
  if (kind != Kind::Rows)
    text += " " + std::to_string(tile);
  return text;
}

StructureKey StructureKey::map(OrderedSpace from, OrderedSpace to) {
  StructureKey key;
  key.kind = Kind::Map;
  key.elements = from;
  key.target = to;
  return key;
}

StructureKey StructureKey::rows(Space group, OrderedSpace elements) {
  StructureKey key;
  key.kind = Kind::Rows;
  key.group = group;
  key.elements = elements;
  return key;
}

StructureKey StructureKey::tiles(Space group, OrderedSpace elements,
                                 int64_t tile) {
  StructureKey key = rows(group, elements);
  key.kind = Kind::Tiles;
  key.tile = tile;
  return key;
}

StructureKey StructureKey::longTiles(Space group, OrderedSpace elements,
                                     int64_t tile) {
  StructureKey key = tiles(group, elements, tile);
  key.kind = Kind::LongTiles;
  return key;
}

StructureKey StructureKey::tileRows(const StructureKey &tiles) {
  StructureKey key = tiles;
  key.kind = tiles.isOfLong() ? Kind::LongTileRows : Kind::TileRows;
  return key;
}

std::optional<CountKey> CountKey::parse(std::string_view text,
                                        std::string &error) {
  Words words(text);
  std::string_view kindWord = words.next();
  std::optional<size_t> kind = placeOf(kindWord, kCounts);
  CountKey key;
  if (!kind) {
    error = "expected count, tile_count, max_row, long_tile_count or "
            "long_element_count, got " +
            quoted(kindWord);
    return std::nullopt;
  }
  key.kind = static_cast<Kind>(*kind);
  if (key.kind != Kind::Count) {
    if (!parseGrouping(kindWord, words, key.isOfTiles(), key.space,
                       key.elements, key.tile, error))
      return std::nullopt;
    return key;
  }
  std::string_view space = words.atEnd() ? "" : words.next();
  if (space.empty() || !words.atEnd()) {
    error = "expected 'count SPACE' separated by single spaces";
    return std::nullopt;
  }
  if (!parseSpace(space, key.space, error))
    return std::nullopt;
  return key;
}

std::string CountKey::str() const {
  std::string text = kCounts[static_cast<size_t>(kind)];
  text += std::string(" ") + name(space);
  if (kind != Kind::Count)
    text += " " + elements.str();
  if (isOfTiles())
    text += " " + std::to_string(tile);
  return text;
}

CountKey CountKey::count(Space space) {
  CountKey key;
  key.space = space;
  return key;
}

CountKey CountKey::tileCount(Space group, OrderedSpace elements, int64_t tile) {
  CountKey key = count(group);
  key.kind = Kind::TileCount;
  key.elements = elements;
  key.tile = tile;
  return key;
}

CountKey CountKey::longTileCount(Space group, OrderedSpace elements,
                                 int64_t tile) {
  CountKey key = tileCount(group, elements, tile);
  key.kind = Kind::LongTileCount;
  return key;
}

CountKey CountKey::longElementCount(Space group, OrderedSpace elements,
                                    int64_t tile) {
  CountKey key = tileCount(group, elements, tile);
  key.kind = Kind::LongElementCount;
  return key;
}
