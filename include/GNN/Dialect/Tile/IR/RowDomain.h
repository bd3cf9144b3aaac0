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

namespace gnn::tile {

/// Rows in an order: those of a space of the graph, or a fixed number of rows
/// (those of weights), or none at all.
class RowDomain {
public:
  RowDomain() = default;
  RowDomain(OrderedSpace rows) : rows(rows), kind(Kind::OfGraph) {}
  RowDomain(Space space, RowOrder order = RowOrder::Natural)
      : RowDomain(OrderedSpace{space, order}) {}
  static RowDomain fixed(int64_t count);

  /// Whether there are rows, and which.
  explicit operator bool() const { return kind != Kind::None; }
  bool isFixed() const { return kind == Kind::Fixed; }
  bool isOfGraph() const { return kind == Kind::OfGraph; }

  /// The number of fixed rows.
  int64_t getCount() const { return count; }
  /// The rows of the graph.
  OrderedSpace get() const { return rows; }

  /// Whether they are rows of the graph, of that space in any order.
  bool isIn(Space space) const { return isOfGraph() && rows.space == space; }
  /// Whether both are rows of one space of the graph.
  bool hasSpaceOf(RowDomain other) const {
    return other.isOfGraph() && isIn(other.rows.space);
  }
  /// Whether they are rows of the graph that a derived graph is made from.
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
  enum class Kind { None, OfGraph, Fixed };
  std::tuple<int, uint32_t, uint32_t, int64_t> key() const {
    return {static_cast<int>(kind), static_cast<uint32_t>(rows.space),
            static_cast<uint32_t>(rows.order), count};
  }

  OrderedSpace rows;
  int64_t count = 0;
  Kind kind = Kind::None;
};

/// True if each group has its elements side by side, so that there is a
/// structure `rows GROUPS ELEMENTS`.
bool hasRows(RowDomain groups, RowDomain elements);

/// True if every row of `from` leads to one row of `to`: there is a structure
/// `map FROM TO`, or both are the same.
bool hasMap(RowDomain from, RowDomain to);

/// True if no two rows of `from` lead to one row of `to`, so that each may
/// write its own.
bool isInjective(RowDomain from, RowDomain to);

/// True if rows of `from` lead to rows of `to` at other positions, which the
/// structure `map FROM TO` has.
bool needsMap(RowDomain from, RowDomain to);

/// Empty if there are such rows or such a map; else why there are none, with
/// what there is instead.
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

/// `edge`, `edge.in_rows`, or `192`.
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
