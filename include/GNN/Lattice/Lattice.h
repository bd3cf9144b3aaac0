//===- Lattice.h - Row spaces, orders, what a graph gives --------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RowSpaces.def as C++, for the compiler and the runtime alike: no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LATTICE_LATTICE_H
#define GNN_LATTICE_LATTICE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace gnn {

/// What one row of a tensor of the gnn dialect stands for.
enum class RowSpace : uint32_t {
#define GNN_ROW_SPACE(NAME, TEXT, KIND, END) NAME,
#include "GNN/Lattice/RowSpaces.def"
};

/// Sets of rows that the runtime knows: those of gnn under the same numbers,
/// node types by the end at which they are reached, and rows of the graph that
/// a derived graph is made from. A pair is a (node, edge type) that occurs.
/// Node is legal on square graphs alone, where it is Src and Dst.
enum class Space : uint32_t {
#define GNN_ROW_SPACE(NAME, TEXT, KIND, END) NAME,
#include "GNN/Lattice/RowSpaces.def"
#define GNN_END_SPACE(NAME, TEXT, KIND, END) NAME,
#include "GNN/Lattice/RowSpaces.def"
#define GNN_PARENT_SPACE(NAME, TEXT, OWN) NAME,
#include "GNN/Lattice/RowSpaces.def"
#define GNN_LOOP_SPACE(NAME, TEXT, OWN) NAME,
#include "GNN/Lattice/RowSpaces.def"
};

/// Orders in which the rows of a space are listed.
enum class RowOrder : uint32_t {
#define GNN_ORDER(NAME, TEXT) NAME,
#include "GNN/Lattice/RowSpaces.def"
};

/// What kind of thing a row is about.
enum class RowKind { Edge, Pair, Node, NodeType, EdgeType, Graph };

/// The end of an edge that a space is about.
enum class RowEnd { Neither, Src, Dst };

/// "edge", "src_pair", ..., "parent_edge_type".
const char *name(Space space);
/// "" for the natural order, "in_rows", ...
const char *name(RowOrder order);

/// The space of that name.
std::optional<Space> findSpace(std::string_view text);
/// The names of all spaces, with commas between.
std::string listSpaces();

RowKind kindOf(Space space);
RowEnd endOf(Space space);

/// The space of gnn_tile for one of gnn that is reached at `end`: nodes and
/// node types are named by their end, the others keep their name. Without an
/// end they count as those of destinations.
Space atEnd(RowSpace space, RowEnd end);

/// Whether the rows are those of the parent of a derived graph.
bool isOfParent(Space space);
/// The space that these rows are of in their own graph: Edge of ParentEdge.
Space withoutParent(Space space);
/// The parent's rows of a space: ParentEdge of Edge; none where a derived graph
/// has as many as its parent.
std::optional<Space> ofParent(Space space);

/// Whether rows of the space are listed in that order.
bool hasOrder(Space space, RowOrder order);

/// Whether a row of `from` leads to one row of another space `to` by an entry
/// of the table: neither the same space nor the graph.
bool hasStep(Space from, Space to);

/// A space in one of its orders, written "space" or "space.order".
struct OrderedSpace {
  Space space = Space::Edge;
  RowOrder order = RowOrder::Natural;

  /// Parses and checks that the space has that order; else says what is wrong.
  static std::optional<OrderedSpace> parse(std::string_view text,
                                           std::string &error);
  std::string str() const;

  std::tuple<Space, RowOrder> key() const { return {space, order}; }
  bool operator==(OrderedSpace other) const { return key() == other.key(); }
  bool operator!=(OrderedSpace other) const { return key() != other.key(); }
  bool operator<(OrderedSpace other) const { return key() < other.key(); }
};

/// Empty if every row of `from` leads to one row of `to` (`map FROM TO`); else
/// what is wrong, with the spaces it leads to.
std::string checkMap(OrderedSpace from, OrderedSpace to);

/// Whether the rows of `first` are the first ones of `all`, at the same
/// positions: no map leads there.
bool isPrefixOf(OrderedSpace first, OrderedSpace all);

/// Whether no two rows of `from` lead to one row of `to`, so that each may
/// write its own: another order of their space, the parent's rows, or those
/// that they are the first of.
bool isInjective(OrderedSpace from, OrderedSpace to);

/// Empty if each group has its elements side by side (`rows GROUP ELEMENTS`);
/// else what is wrong, with the orders in which they do.
std::string checkRows(Space group, OrderedSpace elements);

/// The order of a space in which the elements of each group lie side by side,
/// the first of the table; none where there is none.
std::optional<OrderedSpace> elementsOf(Space group, Space elements);

/// What an index array of a graph is. `A` is a set of elements in an order, `G`
/// what groups them, `N` the most elements a tile holds.
///
///   map A B          int32[|A|]: the row of B each position of A leads to
///   rows G A         int32[|G|+1]: elements of group g are [p[g], p[g+1])
///   tiles G A N      int32[3n]: (group, begin, end) of pieces of <= N elements
///   tile_rows G A N  int32[|G|+1]: tiles of group g in that list
///   long_tiles G A N, long_tile_rows G A N: the same of groups of more than N
///                    elements alone
struct StructureKey {
  enum class Kind : uint32_t {
    Map,
    Rows,
    Tiles,
    TileRows,
    LongTiles,
    LongTileRows
  };

  Kind kind = Kind::Map;
  /// `A`.
  OrderedSpace elements;
  /// `B` of a map.
  OrderedSpace target;
  /// `G` of the other kinds.
  Space group = Space::Graph;
  /// `N` of the kinds of tiles, at least 1.
  int64_t tile = 0;

  /// Parses and checks canonical text, words separated by one space; else says
  /// what is wrong.
  static std::optional<StructureKey> parse(std::string_view text,
                                           std::string &error);
  std::string str() const;

  static StructureKey map(OrderedSpace from, OrderedSpace to);
  static StructureKey rows(Space group, OrderedSpace elements);
  static StructureKey tiles(Space group, OrderedSpace elements, int64_t tile);
  static StructureKey longTiles(Space group, OrderedSpace elements,
                                int64_t tile);
  /// The first tile of each group of a list of tiles.
  static StructureKey tileRows(const StructureKey &tiles);

  /// Whether it is about the tiles of long groups alone.
  bool isOfLong() const {
    return kind == Kind::LongTiles || kind == Kind::LongTileRows;
  }

  auto key() const { return std::tuple(kind, elements, target, group, tile); }
  bool operator==(const StructureKey &other) const {
    return key() == other.key();
  }
  bool operator<(const StructureKey &other) const {
    return key() < other.key();
  }
};

/// What a scalar of a graph is.
///
///   count SPACE         rows of a space
///   tile_count G A N    tiles in `tiles G A N`
///   max_row G A         elements of the longest group of `rows G A`
///   long_tile_count G A N     tiles in `long_tiles G A N`
///   long_element_count G A N  elements in these tiles
struct CountKey {
  enum class Kind : uint32_t {
    Count,
    TileCount,
    MaxRow,
    LongTileCount,
    LongElementCount
  };

  Kind kind = Kind::Count;
  /// SPACE or `G`.
  Space space = Space::Edge;
  /// `A`.
  OrderedSpace elements;
  /// `N`.
  int64_t tile = 0;

  /// As StructureKey::parse.
  static std::optional<CountKey> parse(std::string_view text,
                                       std::string &error);
  std::string str() const;

  static CountKey count(Space space);
  static CountKey tileCount(Space group, OrderedSpace elements, int64_t tile);
  static CountKey longTileCount(Space group, OrderedSpace elements,
                                int64_t tile);
  static CountKey longElementCount(Space group, OrderedSpace elements,
                                   int64_t tile);

  /// Whether it is about tiles, and has an `N`.
  bool isOfTiles() const { return kind != Kind::Count && kind != Kind::MaxRow; }

  auto key() const { return std::tuple(kind, space, elements, tile); }
  bool operator==(const CountKey &other) const { return key() == other.key(); }
  bool operator<(const CountKey &other) const { return key() < other.key(); }
};

} // namespace gnn

#endif // GNN_LATTICE_LATTICE_H
