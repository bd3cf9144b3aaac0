//===- RowDomain.h - Rows in an order, and keys of structures ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lattice (GNN/Lattice/Lattice.h) as parameters of attributes.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_ROWDOMAIN_H
#define GNN_DIALECT_TILE_IR_ROWDOMAIN_H

#include "GNN/Lattice/Lattice.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"

namespace gnn {
class GraphOp;
} // namespace gnn

namespace gnn::tile {

/// Rows in an order: those of a space of the graph, the tiles into which their
/// groups are cut, pieces of groups, a fixed number of rows (those of weights),
/// or none at all.
class RowDomain {
public:
  RowDomain() = default;
  RowDomain(OrderedSpace rows) : rows(rows), kind(Kind::OfGraph) {}
  RowDomain(Space space, RowOrder order = RowOrder::Natural)
      : RowDomain(OrderedSpace{space, order}) {}
  static RowDomain fixed(int64_t count);
  /// The pieces of at most `most` elements into which each of `groups` is cut:
  /// those of the structure `tiles GROUPS ELEMENTS MOST`.
  static RowDomain tiles(Space groups, OrderedSpace elements, int64_t most);
  /// The same for only the groups with more than `most` elements: those of
  /// `long_tiles GROUPS ELEMENTS MOST`.
  static RowDomain longTiles(Space groups, OrderedSpace elements, int64_t most);
  /// The pieces that blocks of `block` elements each leave of groups whose
  /// elements are in several blocks: two pieces a block.
  static RowDomain pieces(Space groups, OrderedSpace elements, int64_t block);
  /// The groups that have such pieces, and those without elements: those of
  /// `cut_rows GROUPS ELEMENTS BLOCK`.
  static RowDomain cutRows(Space groups, OrderedSpace elements, int64_t block);
  /// The tiles of a structure or a count.
  static RowDomain tilesOf(const StructureKey &key);
  static RowDomain tilesOf(const CountKey &key);

  /// Whether there are rows, and their kind.
  explicit operator bool() const { return kind != Kind::None; }
  bool isFixed() const { return kind == Kind::Fixed; }
  bool isOfGraph() const { return kind == Kind::OfGraph; }
  bool isTiles() const { return kind == Kind::Tiles || isLongTiles(); }
  bool isLongTiles() const { return kind == Kind::LongTiles; }
  bool isPieces() const { return kind == Kind::Pieces; }
  bool isCutRows() const { return kind == Kind::CutRows; }

  /// The number of fixed rows.
  int64_t getCount() const { return count; }
  /// The rows of the graph.
  OrderedSpace get() const { return rows; }
  /// The structure that lists the tiles, or the groups with such pieces.
  StructureKey getTiles() const {
    if (isPieces() || isCutRows())
      return StructureKey::cutRows(tiled, rows, count);
    return isLongTiles() ? StructureKey::longTiles(tiled, rows, count)
                         : StructureKey::tiles(tiled, rows, count);
  }
  /// The count of rows of the graph, or of tiles.
  CountKey getCountKey() const;

  /// Whether they are rows of that space of the graph, in any order.
  bool isIn(Space space) const { return isOfGraph() && rows.space == space; }
  /// Whether both are rows of one space of the graph.
  bool hasSpaceOf(RowDomain other) const {
    return other.isOfGraph() && isIn(other.rows.space);
  }
  /// Whether they are rows of the graph from which a derived graph is made.
  bool isOfParent() const { return isOfGraph() && gnn::isOfParent(rows.space); }
  bool isKind(RowKind of) const {
    return isOfGraph() && kindOf(rows.space) == of;
  }
  RowEnd getEnd() const {
    return isOfGraph() ? endOf(rows.space) : RowEnd::Neither;
  }
  /// The rows of its space in their natural order.
  RowDomain getNatural() const;

  std::string str() const;

  bool operator==(const RowDomain &other) const { return key() == other.key(); }
  bool operator!=(const RowDomain &other) const { return !(*this == other); }
  bool operator<(const RowDomain &other) const { return key() < other.key(); }
  friend llvm::hash_code hash_value(const RowDomain &domain) {
    return llvm::hash_value(domain.key());
  }

private:
  enum class Kind { None, OfGraph, Fixed, Tiles, LongTiles, Pieces, CutRows };
  std::tuple<int, uint32_t, uint32_t, uint32_t, int64_t> key() const {
    return {static_cast<int>(kind), static_cast<uint32_t>(rows.space),
            static_cast<uint32_t>(rows.order), static_cast<uint32_t>(tiled),
            count};
  }

  OrderedSpace rows;          // of tiles and pieces: the elements
  Space tiled = Space::Graph; // of these: the groups
  int64_t count = 0;          // of these: the most elements of one, of a block
  Kind kind = Kind::None;
};

/// True if the elements of each group are adjacent: the elements of a tile, the
/// tiles of a group that is cut into them, or those of a structure `rows GROUPS
/// ELEMENTS`.
bool hasRows(RowDomain groups, RowDomain elements);

/// True if every row of `from` leads to one row of `to`: there is a structure
/// `map FROM TO`, both are the same, or `from` are tiles of `to`.
bool hasMap(RowDomain from, RowDomain to);

/// True if no two rows of `from` lead to one row of `to`, so that each may
/// write its own.
bool isInjective(RowDomain from, RowDomain to);

/// True if rows of `from` lead to rows of `to` at other positions, which are in
/// the structure `map FROM TO`.
bool needsMap(RowDomain from, RowDomain to);

/// The order of rows in a graph whose edges are sorted by destination: the
/// user's order of edges is that of `edge.in_rows`.
RowDomain ofSortedEdges(RowDomain rows);

/// Whether `from` leads to rows of `to`, if such exist, at other positions: by
/// `needsMap`, and by the order of edges that `graph` declares.
bool isMapped(GraphOp graph, RowDomain from, RowDomain to);

/// The structure with the begin and end of the elements of each group, for
/// domains with such rows: `rows`, or `tiles` for tiles, or `tile_rows` for
/// groups that are cut into them.
StructureKey getRowsKey(RowDomain groups, RowDomain elements);

/// The structure that leads from each row to another one, for different domains
/// with such a map: `map`, or `tiles` for tiles.
StructureKey getMapKey(RowDomain from, RowDomain to);

/// Empty if there are such rows or such a map; else the reason why there are
/// none, and the alternatives.
std::string explainRows(RowDomain groups, RowDomain elements);
std::string explainMap(RowDomain from, RowDomain to);

} // namespace gnn::tile

namespace gnn {
inline llvm::hash_code hash_value(const StructureKey &key) {
  return llvm::hash_value(key.str());
}
inline llvm::hash_code hash_value(const CountKey &key) {
  return llvm::hash_value(key.str());
}
} // namespace gnn

/// `edge`, `edge.in_rows`, `tiles<edge_type, src_pair, 1024>`,
/// `long_tiles<dst, edge.in_rows, 256>`, `pieces<dst, edge.in_rows, 1024>`, or
/// `192`.
template <> struct mlir::FieldParser<gnn::tile::RowDomain> {
  static mlir::FailureOr<gnn::tile::RowDomain> parse(mlir::AsmParser &parser);
};

/// `rows dst edge.in_rows`.
template <> struct mlir::FieldParser<gnn::StructureKey> {
  static mlir::FailureOr<gnn::StructureKey> parse(mlir::AsmParser &parser);
};

/// `count dst`.
template <> struct mlir::FieldParser<gnn::CountKey> {
  static mlir::FailureOr<gnn::CountKey> parse(mlir::AsmParser &parser);
};

#endif // GNN_DIALECT_TILE_IR_ROWDOMAIN_H
