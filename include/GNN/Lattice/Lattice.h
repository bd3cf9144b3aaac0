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

/// The thing that one row of a tensor of the gnn dialect stands for.
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

/// The kind of thing that a row is about.
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

/// Whether elements that lie side by side in that order have ascending numbers
/// in the natural one within each group. Their numbers among a parent's rows
/// need not ascend.
bool ascendInGroups(Space group, OrderedSpace elements);

/// How far apart the ids of an edge's ends are that the statistics of a graph
/// count as near.
inline constexpr int64_t nearDistances[] = {1 << 12, 1 << 15, 1 << 18};

/// Rows of a window of `degree_windows`: the first so many of the natural
/// order, the next so many, and so on, each by descending degree. Ids that are
/// near by the statistics stay near.
inline constexpr int64_t degreeWindow = nearDistances[0];

/// Whether rows lie by how many edges they have.
inline bool isByDegree(RowOrder order) {
  return order == RowOrder::ByDegree || order == RowOrder::DegreeWindows;
}

/// How the elements of all groups are shared where they are walked one after
/// the other: a block has `N` of them, a power of two, and each of its teams a
/// share. The fields of a share are known when a graph is bound:
///
///   first    the place in `filled` of the group that its first element is of
///   flags    see below
///   heads    shares behind it in its block that its last group goes on in
///   span     shares of its block, from it on, that its first group is in
///
/// The last share has padding: elements that are not there, without an end.
/// Teams add it to what is behind the last end, whose group `filled` has as 0.
/// Nobody stores that: the last element ends its group, so the share has no
/// tail, and shares of padding alone have no flags.
struct TeamShare {
  static constexpr int64_t elements = 64;
  static constexpr int64_t mostOfBlock = 1 << 14;
  /// Shares whose words take turns in a stream, and words that each has in one:
  /// what the teams of a warp load at once lies side by side.
  static constexpr int64_t sharesTogether = 32, wordsTogether = 4;
  static constexpr int64_t wordsOfTurn = sharesTogether * wordsTogether;
  /// Bytes of a line of a GPU's caches, where a stream begins: warps load its
  /// words as whole lines.
  static constexpr int64_t lineBytes = 128;
  enum Field { First, Flags, Heads, Span, NumFields };
  enum Flag {
    Inside = 1,  ///< it begins inside of its first group: the group's head
    HasTail = 2, ///< its last group begins in it and goes on
    Crosses = 4, ///< that group goes on in the next block
    Whole = 8    ///< its block lies in one group, which goes on
  };

  static bool isBlock(int64_t size) {
    return size >= elements && size <= mostOfBlock && (size & (size - 1)) == 0;
  }
  /// Entries of `stream` for so many elements: with whole blocks of any size.
  static int64_t streamLength(int64_t count) { return count + mostOfBlock; }
  /// Entries of `filled` of so many groups: a kernel asks for three groups
  /// behind the one that it is in.
  static int64_t filledLength(int64_t groups) { return groups + 3; }
  /// Where a stream has the word of an element.
  static int64_t placeOfWord(int64_t element) {
    int64_t share = element / elements % sharesTogether,
            word = element % elements;
    return element / (sharesTogether * elements) * sharesTogether * elements +
           word / wordsTogether * wordsOfTurn + share * wordsTogether +
           word % wordsTogether;
  }
  /// Entries of `shares` of blocks of `size` elements.
  static int64_t sharesLength(int64_t count, int64_t size) {
    return (count + size - 1) / size * (size / elements) * NumFields;
  }
  /// The pieces of a group with elements from `begin` to before `end`: what of
  /// block i the group begins in and goes on from is piece 2 i + 1, what lies
  /// in a later one, i, is piece 2 i.
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

/// How the elements of `N` groups that a team takes together are merged: an
/// entry for each row of `B` that they lead to, in ascending order. It has that
/// row, and for each of the groups the position of its element; the top bit
/// says that it has none, behind the position of another element of the entry.
/// Elements of one group that lead to one row have an entry each.
struct MergedRows {
  static constexpr int64_t mostRows = 16;
  static bool isSize(int64_t rows) { return rows >= 2 && rows <= mostRows; }
  /// Values of an entry.
  static int64_t entryLength(int64_t rows) { return 1 + rows; }
};

/// The key of an index array of a graph. `A` is a set of elements in an order,
/// `G` what groups them, `N` the most elements a tile holds.
///
///   map A B          int32[|A|]: the row of B each position of A leads to
///   rows G A         int32[|G|+1]: elements of group g are [p[g], p[g+1])
///   tiles G A N      int32[3n]: (group, begin, end) of pieces of <= N elements
///   tile_rows G A N  int32[|G|+1]: tiles of group g in that list
///   long_tiles G A N, long_tile_rows G A N: the same of groups of more than N
///                    elements alone
///
/// Where elements are walked one after the other, whatever groups they are in,
/// by blocks of N elements, each by teams that have a share of 64:
///
///   stream G A B     int32[|A|+16384]: the row of B, and the top bit at the
///                    last element of each group, at the place of its word;
///                    zeros elsewhere
///   filled G A       int32[|G|+3]: the groups that have elements, then zeros
///   shares G A N     int32[4n]: the fields of each TeamShare
///   cut_rows G A N   int32[3n]: (group, begin, end) of the groups that lie in
///                    several blocks or have no elements: their pieces
///
/// Where N groups of an order of G are walked together, whose elements lead to
/// rows of B. With L, those of more than L elements have none here:
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
  /// `G` of the kinds but maps.
  Space group = Space::Graph;
  /// `N` of the kinds that have one, at least 1.
  int64_t tile = 0;
  /// The order of `G`, and `L` (0: all groups), of merged rows.
  RowOrder order = RowOrder::Natural;
  int64_t longest = 0;

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
  static StructureKey stream(Space group, OrderedSpace elements,
                             OrderedSpace target);
  static StructureKey filled(Space group, OrderedSpace elements);
  static StructureKey shares(Space group, OrderedSpace elements, int64_t block);
  static StructureKey cutRows(Space group, OrderedSpace elements,
                              int64_t block);
  static StructureKey merged(OrderedSpace groups, OrderedSpace elements,
                             OrderedSpace target, int64_t rows,
                             int64_t longest = 0);
  /// The first entries of what is merged.
  static StructureKey mergedRows(const StructureKey &merged);

  bool isMap() const { return kind == Kind::Map; }
  bool isMerged() const {
    return kind == Kind::Merged || kind == Kind::MergedRows;
  }
  bool hasTarget() const {
    return isMap() || kind == Kind::Stream || isMerged();
  }
  /// Whether it is about blocks of elements, N a power of two.
  bool isOfBlocks() const {
    return kind == Kind::Shares || kind == Kind::CutRows;
  }
  /// Whether it is about tiles or blocks, or merged rows, and has an `N`.
  bool hasSize() const {
    return isMerged() ||
           (!hasTarget() && kind != Kind::Rows && kind != Kind::Filled);
  }

  /// Whether it is about the tiles of long groups alone.
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
  static CountKey pieceCount(Space group, OrderedSpace elements, int64_t block);
  static CountKey cutRowCount(Space group, OrderedSpace elements,
                              int64_t block);
  /// The entries of what is merged.
  static CountKey mergedCount(const StructureKey &merged);
  /// The structure that `mergedCount` counts.
  StructureKey merged() const {
    return StructureKey::merged({space, order}, elements, target, tile,
                                longest);
  }

  /// Whether it is about tiles or blocks, and has an `N`.
  bool hasSize() const { return kind != Kind::Count && kind != Kind::MaxRow; }
  /// Whether it is about blocks of elements, N a power of two.
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
