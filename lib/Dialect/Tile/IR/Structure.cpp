//===- Structure.cpp - Names of what a bound graph gives ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which orders, groupings and maps a graph has.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Structure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace gnn::tile;

bool gnn::tile::isFixed(StringRef domain) {
  int64_t rows;
  return !domain.getAsInteger(10, rows) && rows >= 0;
}

/// Rows of a graph lead to those of the graph it is derived from under the same
/// name with this in front.
static constexpr StringRef kParent = "parent_";

bool gnn::tile::isOfParent(StringRef domain) {
  return domain.starts_with(kParent);
}

std::string gnn::tile::ofParent(StringRef domain) {
  return (kParent + domain).str();
}

StringRef gnn::tile::withoutParent(StringRef domain) {
  domain.consume_front(kParent);
  return domain;
}

/// The orders of a space and of the parent's rows of that space are the same.
static bool isOwnDomain(StringRef text) {
  if (isFixed(text))
    return true;
  auto [space, order] = text.split('.');
  if (text.contains('.') && order.empty())
    return false;
  if (space == "edge")
    return is_contained({"", "in_rows", "out_rows", "src_pairs", "dst_pairs",
                         "src_types", "dst_types"},
                        order);
  if (space == "src_pair" || space == "dst_pair")
    return is_contained({"", "by_node", "node_types"}, order);
  if (space == "src" || space == "dst")
    return is_contained({"", "by_type", "by_degree"}, order);
  if (space == "edge_type")
    return is_contained({"", "src_types", "dst_types"}, order);
  return order.empty() &&
         is_contained({"src_node_type", "dst_node_type", "graph"}, space);
}

/// The spaces whose rows are fewer in a derived graph.
static bool hasParent(StringRef space) {
  return is_contained({"edge", "src_pair", "dst_pair", "edge_type"}, space);
}

bool gnn::tile::isDomain(StringRef text) {
  if (!text.consume_front(kParent))
    return isOwnDomain(text);
  return hasParent(getSpace(text)) && isOwnDomain(text);
}

StringRef gnn::tile::getSpace(StringRef domain) {
  return domain.split('.').first;
}

bool gnn::tile::hasRows(StringRef groups, StringRef elements) {
  if (!isDomain(elements) || isFixed(elements) || isOfParent(elements))
    return false;
  if (groups == "graph")
    return true;
  SmallVector<StringRef, 4> contiguous =
      StringSwitch<SmallVector<StringRef, 4>>(groups)
          .Case("dst", {"edge.in_rows", "dst_pair.by_node"})
          .Case("src", {"edge.out_rows", "src_pair.by_node"})
          .Case("dst_pair", {"edge.dst_pairs"})
          .Case("src_pair", {"edge.src_pairs"})
          .Case("edge_type",
                {"edge.src_pairs", "edge.dst_pairs", "src_pair", "dst_pair"})
          .Case("src_node_type", {"src.by_type", "edge.src_types",
                                  "src_pair.node_types", "edge_type.src_types"})
          .Case("dst_node_type", {"dst.by_type", "edge.dst_types",
                                  "dst_pair.node_types", "edge_type.dst_types"})
          .Default({});
  return is_contained(contiguous, elements);
}

bool gnn::tile::hasMap(StringRef from, StringRef to) {
  if (!isDomain(from) || isFixed(from) || isOfParent(from) || !isDomain(to) ||
      isFixed(to))
    return false;
  // A row of the parent is reached by way of that of this graph.
  StringRef a = getSpace(from), b = getSpace(withoutParent(to));
  if (a == b)
    return true;
  SmallVector<StringRef, 8> reached =
      StringSwitch<SmallVector<StringRef, 8>>(a)
          .Case("edge", {"src", "dst", "src_pair", "dst_pair", "edge_type",
                         "src_node_type", "dst_node_type"})
          .Case("src_pair", {"src", "edge_type", "src_node_type"})
          .Case("dst_pair", {"dst", "edge_type", "dst_node_type"})
          .Case("src", {"src_node_type"})
          .Case("dst", {"dst_node_type"})
          .Case("edge_type", {"src_node_type", "dst_node_type"})
          .Default({});
  return is_contained(reached, b);
}

std::string gnn::tile::mapKey(StringRef from, StringRef to) {
  return ("map " + from + " " + to).str();
}

std::string gnn::tile::rowsKey(StringRef groups, StringRef elements) {
  return ("rows " + groups + " " + elements).str();
}

std::string gnn::tile::tilesKey(StringRef groups, StringRef elements,
                                int64_t size) {
  return ("tiles " + groups + " " + elements + " ").str() +
         std::to_string(size);
}

std::string gnn::tile::countKey(StringRef domain) {
  return ("count " + getSpace(domain)).str();
}

std::string gnn::tile::tileCountKey(StringRef groups, StringRef elements,
                                    int64_t size) {
  return ("tile_count " + groups + " " + elements + " ").str() +
         std::to_string(size);
}

/// A tile size as it is spelled in a key.
static bool isPositive(StringRef text) {
  int32_t value;
  return !text.getAsInteger(10, value) && value > 0 && isDigit(text.front()) &&
         text.front() != '0';
}

std::string gnn::tile::checkStructureKey(StringRef key) {
  SmallVector<StringRef, 4> words;
  key.split(words, ' ');
  if (words.size() == 3 && words[0] == "map")
    return hasMap(words[1], words[2])
               ? ""
               : ("no map leads from '" + words[1] + "' to '" + words[2] + "'")
                     .str();
  bool rows = words.size() == 3 && words[0] == "rows";
  bool tiles = words.size() == 4 &&
               (words[0] == "tiles" || words[0] == "tile_rows") &&
               isPositive(words[3]);
  if (!rows && !tiles)
    return ("expected 'map FROM TO', 'rows GROUPS ELEMENTS', 'tiles GROUPS "
            "ELEMENTS N' or 'tile_rows GROUPS ELEMENTS N', got '" +
            key + "'")
        .str();
  return hasRows(words[1], words[2])
             ? ""
             : ("the elements of a '" + words[1] +
                "' do not lie side by side in '" + words[2] + "'")
                   .str();
}

std::string gnn::tile::checkCountKey(StringRef key) {
  SmallVector<StringRef, 4> words;
  key.split(words, ' ');
  if (words.size() == 2 && words[0] == "count" &&
      is_contained({"node", "node_type"}, words[1]))
    return ""; // as many at either end
  if (words.size() == 2 && words[0] == "count")
    return isDomain(words[1]) && !isFixed(words[1]) &&
                   getSpace(words[1]) == words[1]
               ? ""
               : ("expected a row space, got '" + words[1] + "'").str();
  bool tiles =
      words.size() == 4 && words[0] == "tile_count" && isPositive(words[3]);
  bool longest = words.size() == 3 && words[0] == "max_row";
  if (!tiles && !longest)
    return ("expected 'count SPACE', 'tile_count GROUPS ELEMENTS N' or "
            "'max_row GROUPS ELEMENTS', got '" +
            key + "'")
        .str();
  return hasRows(words[1], words[2])
             ? ""
             : ("the elements of a '" + words[1] +
                "' do not lie side by side in '" + words[2] + "'")
                   .str();
}
