//===- Lattice.h - Row spaces, orders, what a graph gives --------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RowSpaces.def as C++, for the compiler and the runtime, without LLVM.
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

/// The meaning of one row of a tensor of the gnn dialect.
enum class RowSpace : uint32_t {
#define GNN_ROW_SPACE(NAME, TEXT, KIND, END) NAME,
#include "GNN/Lattice/RowSpaces.def"
};

/// Sets of rows that the runtime knows: those of gnn under the same numbers,
/// node types by their end, and rows of the graph from which a derived graph is
/// made. A pair is a (node, edge type) that occurs. Node is legal only on
/// square graphs, where it is Src and Dst.
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

/// The kind of object of a row.
enum class RowKind { Edge, Pair, Node, NodeType, EdgeType, Graph };

/// The end of an edge to which a space belongs.
enum class RowEnd { Neither, Src, Dst };

/// "edge", "src_pair", ..., "parent_edge_type".
const char *name(Space space);
/// "" for the natural order, "in_rows", ...
const char *name(RowOrder order);

/// The space with that name.
std::optional<Space> findSpace(std::string_view text);
/// The names of all spaces, separated by commas.
std::string listSpaces();

RowKind kindOf(Space space);
RowEnd endOf(Space space);

/// The space of gnn_tile for one of gnn that is reached at `end`: nodes and
/// node types are named by their end, the others keep their name. Without an
/// end they count as those of destinations.
Space atEnd(RowSpace space, RowEnd end);

/// Whether the rows are those of the parent of a derived graph.
bool isOfParent(Space space);
/// The space of these rows in their own graph: Edge for ParentEdge.
Space withoutParent(Space space);
/// The parent's rows of a space: ParentEdge for Edge; none if a derived graph
/// has as many as its parent.
std::optional<Space> ofParent(Space space);

/// Whether rows of the space are listed in that order.
bool hasOrder(Space space, RowOrder order);

/// Whether a row of `from` leads to one row of another space `to` by an entry
/// of the table: not for the same space or the graph.
bool hasStep(Space from, Space to);

/// A space in one of its orders, written "space" or "space.order".
struct OrderedSpace {
  Space space = Space::Edge;
  RowOrder order = RowOrder::Natural;

  /// Parses and checks that the space has that order; else gives the error.
  static std::optional<OrderedSpace> parse(std::string_view text,
                                           std::string &error);
  std::string str() const;

  std::tuple<Space, RowOrder> key() const { return {space, order}; }
  bool operator==(OrderedSpace other) const { return key() == other.key(); }
  bool operator!=(OrderedSpace other) const { return key() != other.key(); }
  bool operator<(OrderedSpace other) const { return key() < other.key(); }
};

/// Empty if every row of `from` leads to one row of `to` (`map FROM TO`); else
/// the error, with the spaces to which it leads.
std::string checkMap(OrderedSpace from, OrderedSpace to);

/// Whether the rows of `first` are the first ones of `all`, at the same
/// positions, so that no map is needed.
bool isPrefixOf(OrderedSpace first, OrderedSpace all);

/// Whether no two rows of `from` lead to one row of `to`, so that each may
/// write its own: another order of their space, the parent's rows, or the rows
/// of which they are the first.
bool isInjective(OrderedSpace from, OrderedSpace to);

/// Empty if the elements of each group are adjacent (`rows GROUP ELEMENTS`);
/// else the error, with the orders in which they are.
std::string checkRows(Space group, OrderedSpace elements);

/// The first order of the table in which the elements of each group are
/// adjacent; none if there is none.
std::optional<OrderedSpace> elementsOf(Space group, Space elements);

/// Whether elements that are adjacent in that order have ascending numbers in
/// the natural one within each group. Their numbers among a parent's rows need
/// not ascend.
bool ascendInGroups(Space group, OrderedSpace elements);

/// The distances between the ids of an edge's ends that statistics of a graph
/// count as near.
inline constexpr int64_t nearDistances[] = {1 << 12, 1 << 15, 1 << 18};

/// Rows of a window of `degree_windows`: consecutive ranges of the natural
/// order of this size, each sorted by descending degree. Ids that are near by
/// the statistics stay near.
inline constexpr int64_t degreeWindow = nearDistances[0];

/// Whether rows are ordered by their number of edges.
inline bool isByDegree(RowOrder order) {
  return order == RowOrder::ByDegree || order == RowOrder::DegreeWindows;
}

/// The division of the elements of all groups if they are walked one after the
/// other: a block has `N` of them, a power of two, and each of its teams a
/// share. The fields of a share are known when a graph is bound:
///
///   first    the place in `filled` of the group of its first element
///   flags    see below
///   heads    following shares in its block into which its last group continues
///   span     shares of its block, from it on, that its first group covers
///
/// The last share has padding: missing elements, without an end. Teams add it
/// to the elements after the last end, whose group is 0 in `filled`. Nobody
/// stores this: the last element ends its group, so the share has no tail, and
/// shares of only padding have no flags.
/// tail, and shares of padding alone have no flags.
struct TeamShare {
  static constexpr int64_t elements = 64;
  static constexpr int64_t mostOfBlock = 1 << 14;
  /// Shares whose words take turns in a stream, and words that each has in one
  /// turn: data that the teams of a warp load at once is adjacent.
  static constexpr int64_t sharesTogether = 32, wordsTogether = 4;
  static constexpr int64_t wordsOfTurn = sharesTogether * wordsTogether;
  /// Bytes of a line of a GPU's caches, to which a stream is aligned: warps
  /// load its words as whole lines.
  static constexpr int64_t lineBytes = 128;
  enum Field { First, Flags, Heads, Span, NumFields };
  enum Flag {
    Inside = 1,  ///< it begins inside its first group: the group's head
    HasTail = 2, ///< its last group begins in it and continues
    Crosses = 4, ///< that group continues in the next block
    Whole = 8    ///< its block lies in one group, which continues
  };

  static bool isBlock(int64_t size) {
    return size >= elements && size <= mostOfBlock && (size & (size - 1)) == 0;
  }
  /// Entries of `stream` for this number of elements: with whole blocks of any
  /// size.
  static int64_t streamLength(int64_t count) { return count + mostOfBlock; }
  /// Entries of `filled` for this number of groups: a kernel reads three groups
  /// after its current one.
  static int64_t filledLength(int64_t groups) { return groups + 3; }
  /// The position of an element's word in a stream.
  static int64_t placeOfWord(int64_t element) {
    int64_t share = element / elements % sharesTogether,
            word = element % elements;
    return element / (sharesTogether * elements) * sharesTogether * elements +
           word / wordsTogether * wordsOfTurn + share * wordsTogether +
           word % wordsTogether;
  }
  /// Entries of `shares` for blocks of `size` elements.
  static int64_t sharesLength(int64_t count, int64_t size) {
    return (count + size - 1) / size * (size / elements) * NumFields;
  }
  /// The pieces of a group with elements from `begin` to before `end`: the part
  /// in block i is piece 2 i + 1 if the group begins in this block and
  /// continues after it, and piece 2 i if it began before.
  static int64_t firstPiece(int64_t begin, int64_t size) {
    return 2 * (begin / size) + 1;
  }
  static int64_t endPiece(int64_t end, int64_t size) {
    return 2 * ((end - 1) / size) + 1;
  }
  static bool isCut(int64_t begin, int64_t end, int64_t size) {
    return begin == end || begin / size != (end - 1) / size;
  }
};

/// The merged elements of `N` groups that a team takes together: an entry for
/// each row of `B` to which they lead, in ascending order. It has that row, and
/// for each of the groups the position of its element; the top bit marks a
/// group without one, after the position of another element of the entry.
/// Elements of one group that lead to one row have an entry each.
struct MergedRows {
  static constexpr int64_t mostRows = 16;
  static bool isSize(int64_t rows) { return rows >= 2 && rows <= mostRows; }
  /// Values of an entry.
  static int64_t entryLength(int64_t rows) { return 1 + rows; }
};

/// The key of an index array of a graph. `A` is a set of elements in an order,
/// `G` their groups, `N` the maximum number of elements of a tile.
///
///   map A B          int32[|A|]: the row of B each position of A leads to
///   rows G A         int32[|G|+1]: elements of group g are [p[g], p[g+1])
///   tiles G A N      int32[3n]: (group, begin, end) of pieces of <= N elements
///   tile_rows G A N  int32[|G|+1]: tiles of group g in that list
///   long_tiles G A N, long_tile_rows G A N: the same of groups of more than N
///                    elements alone
///
/// If elements of all groups are walked one after the other, by blocks of N
/// elements, whose teams have a share of 64 each:
///
///   stream G A B     int32[|A|+16384]: the row of B, and the top bit at the
///                    last element of each group, at the place of its word;
///                    zeros elsewhere
///   filled G A       int32[|G|+3]: the groups that have elements, then zeros
///   shares G A N     int32[4n]: the fields of each TeamShare
///   cut_rows G A N   int32[3n]: (group, begin, end) of the groups that lie in
///                    several blocks or have no elements: their pieces
///
/// If N groups of an order of G are walked together, whose elements lead to
/// rows of B. With L, groups of more than L elements have no entries:
///
///   merged G A B N [L]       int32[(1 + N) n]: the entries of MergedRows
///   merged_rows G A B N [L]  int32[|G|+1]: the first entry of each N groups,
///                            then n
struct StructureKey {
  enum class Kind : uint32_t {
    Map,
    Rows,
    Tiles,
    TileRows,
    LongTiles,
    LongTileRows,
    Stream,
    Filled,
    Shares,
    CutRows,
    Merged,
    MergedRows
  };

  Kind kind = Kind::Map;
  /// `A`.
  OrderedSpace elements;
  /// `B` of a map, a stream or merged rows.
  OrderedSpace target;
  /// `G` of the kinds other than maps.
  Space group = Space::Graph;
  /// `N` of the kinds that have one, at least 1.
  int64_t tile = 0;
  /// The order of `G`, and `L` (0: all groups), of merged rows.
  RowOrder order = RowOrder::Natural;
  int64_t longest = 0;

  /// Parses and checks canonical text, words separated by one space; else gives
  /// the error.
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
  static StructureKey stream(Space group, OrderedSpace elements,
                             OrderedSpace target);
  static StructureKey filled(Space group, OrderedSpace elements);
  static StructureKey shares(Space group, OrderedSpace elements, int64_t block);
  static StructureKey cutRows(Space group, OrderedSpace elements,
                              int64_t block);
  static StructureKey merged(OrderedSpace groups, OrderedSpace elements,
                             OrderedSpace target, int64_t rows,
                             int64_t longest = 0);
  /// The first entries of the merged groups.
  static StructureKey mergedRows(const StructureKey &merged);

  bool isMap() const { return kind == Kind::Map; }
  bool isMerged() const {
    return kind == Kind::Merged || kind == Kind::MergedRows;
  }
  bool hasTarget() const {
    return isMap() || kind == Kind::Stream || isMerged();
  }
  /// Whether it is for blocks of elements, N a power of two.
  bool isOfBlocks() const {
    return kind == Kind::Shares || kind == Kind::CutRows;
  }
  /// Whether it is for tiles or blocks, or merged rows, and has an `N`.
  bool hasSize() const {
    return isMerged() ||
           (!hasTarget() && kind != Kind::Rows && kind != Kind::Filled);
  }

  /// Whether it is only for the tiles of long groups.
  bool isOfLong() const {
    return kind == Kind::LongTiles || kind == Kind::LongTileRows;
  }

  auto key() const {
    return std::tuple(kind, elements, target, group, tile, order, longest);
  }
  bool operator==(const StructureKey &other) const {
    return key() == other.key();
  }
  bool operator<(const StructureKey &other) const {
    return key() < other.key();
  }
};

/// The key of a scalar of a graph.
///
///   count SPACE         rows of a space
///   tile_count G A N    tiles in `tiles G A N`
///   max_row G A         elements of the longest group of `rows G A`
///   long_tile_count G A N     tiles in `long_tiles G A N`
///   long_element_count G A N  elements in these tiles
///   piece_count G A N         pieces that blocks of N elements may leave: two
///                             a block
///   cut_row_count G A N       groups in `cut_rows G A N`
///   merged_count G A B N [L]  entries in `merged G A B N [L]`
struct CountKey {
  enum class Kind : uint32_t {
    Count,
    TileCount,
    MaxRow,
    LongTileCount,
    LongElementCount,
    PieceCount,
    CutRowCount,
    MergedCount
  };

  Kind kind = Kind::Count;
  /// SPACE or `G`.
  Space space = Space::Edge;
  /// `A`.
  OrderedSpace elements;
  /// `N`.
  int64_t tile = 0;
  /// `B`, the order of `G`, and `L`, of merged rows.
  OrderedSpace target;
  RowOrder order = RowOrder::Natural;
  int64_t longest = 0;

  /// See StructureKey::parse.
  static std::optional<CountKey> parse(std::string_view text,
                                       std::string &error);
  std::string str() const;

  static CountKey count(Space space);
  static CountKey tileCount(Space group, OrderedSpace elements, int64_t tile);
  static CountKey longTileCount(Space group, OrderedSpace elements,
                                int64_t tile);
  static CountKey longElementCount(Space group, OrderedSpace elements,
                                   int64_t tile);
  static CountKey pieceCount(Space group, OrderedSpace elements, int64_t block);
  static CountKey cutRowCount(Space group, OrderedSpace elements,
                              int64_t block);
  /// The entries of the merged groups.
  static CountKey mergedCount(const StructureKey &merged);
  /// The structure whose entries `mergedCount` counts.
  StructureKey merged() const {
    return StructureKey::merged({space, order}, elements, target, tile,
                                longest);
  }

  /// Whether it is for tiles or blocks, and has an `N`.
  bool hasSize() const { return kind != Kind::Count && kind != Kind::MaxRow; }
  /// Whether it is for blocks of elements, N a power of two.
  bool isOfBlocks() const {
    return kind == Kind::PieceCount || kind == Kind::CutRowCount;
  }

  auto key() const {
    return std::tuple(kind, space, elements, tile, target, order, longest);
  }
  bool operator==(const CountKey &other) const { return key() == other.key(); }
  bool operator<(const CountKey &other) const { return key() < other.key(); }
};

} // namespace gnn

#endif // GNN_LATTICE_LATTICE_H
