//===- RowSpaces.h - Row spaces of tensors and their paths ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a tensor, from its type, and the lattice of row spaces.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_ROWSPACES_H
#define GNN_DIALECT_GNN_IR_ROWSPACES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"

#include "GNN/Lattice/Lattice.h"

#include "GNN/Dialect/GNN/IR/GNNEnums.h.inc"

#include <optional>

namespace mlir {
class SymbolTableCollection;
} // namespace mlir

namespace gnn {

class RowsAttr;

/// The text of a row space, and the row space of a text.
llvm::StringRef stringifyRowSpace(RowSpace space);
std::optional<RowSpace> symbolizeRowSpace(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Rows of a type
//===----------------------------------------------------------------------===//

/// The row space encoding of a ranked tensor type; null for any other type.
RowsAttr getRows(mlir::Type type);

/// The row space of a type that has one, else none.
std::optional<RowSpace> getRowSpace(mlir::Type type);

/// Whether the type has one row for each edge type or node type.
bool isTypeRows(mlir::Type type);

/// Whether the type can be a feature: f32, bf16 or f16.
bool isFeatureType(mlir::Type type);

/// The type of rows or of a weight.
inline mlir::RankedTensorType getTensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The dimensions of one row: all but the leading one if the type has a row
/// space, all otherwise.
llvm::ArrayRef<int64_t> getFeatures(mlir::RankedTensorType type);

/// The number of features of one row; 1 for a scalar a row.
int64_t getNumFeatures(mlir::RankedTensorType type);

/// A type with the row space of `type` and other features, in its element type
/// or the given one. `type` has a row space.
mlir::RankedTensorType withFeatures(mlir::RankedTensorType type,
                                    llvm::ArrayRef<int64_t> features,
                                    mlir::Type elementType = {});

/// A type with the features and element type of `type` on rows of `space` of
/// the same graph. `numRows` is the type count for edge types and node types;
/// other spaces ignore it.
mlir::RankedTensorType
withRowSpace(mlir::RankedTensorType type, RowSpace space,
             int64_t numRows = mlir::ShapedType::kDynamic);

/// Whether the number of rows is known only with a bound graph.
bool hasDynamicRows(RowSpace space);

/// Whether the rows are pairs of an edge type and a node at one end.
bool isPairSpace(RowSpace space);

/// Whether the rows are nodes: all of a square graph, or those of one side.
bool isNodeSpace(RowSpace space);

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

/// A way from each row of the finer space `from` to one row of the coarser
/// space `to`. `via` is the end of the edge that it takes, given only if there
/// are two ways.
struct RowPath {
  RowSpace from;
  RowSpace to;
  std::optional<EndPoint> via;

  /// Whether there is any way at all; a space leads to itself.
  bool exists() const;

  /// Whether there are two ways, so that `via` is needed.
  bool isAmbiguous() const;

  /// Whether each row leads to itself.
  bool isIdentity() const { return from == to; }

  /// The end that the path takes, named by `via` or by its spaces; none if it
  /// takes neither (types, graph).
  std::optional<EndPoint> getEnd() const;

  /// Whether the graph's schema decides the path: edge types to node types.
  bool needsSchema() const;

  /// Whether every row of `to` has at least one row of `from` on any graph.
  bool isOnto() const;
};

/// The path that takes `first` and then `second`; `first.to` is `second.from`
/// and both exist. None if no single path leads there: from source pairs by the
/// schema to the types of destinations, or the reverse.
std::optional<RowPath> compose(RowPath first, RowPath second);

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace detail {

/// Verifies (G1): all rows of `op` belong to one graph.
mlir::LogicalResult verifyOnOneGraph(mlir::Operation *op);

/// Verifies (G2) to (G5) for the rows of the operands and results of `op`.
mlir::LogicalResult verifyGraphSymbols(mlir::Operation *op,
                                       mlir::SymbolTableCollection &symbols);

/// Verifies (G2) and (G3) for a row space, reporting at `op`.
mlir::LogicalResult verifyRowSpace(mlir::Operation *op, RowsAttr rows,
                                   mlir::SymbolTableCollection &symbols);

/// Verifies (G2) to (G4) for one type, reporting at `op`.
mlir::LogicalResult verifyRowsOf(mlir::Operation *op, mlir::Type type,
                                 mlir::SymbolTableCollection &symbols);

} // namespace detail

/// All operands and results with rows belong to one graph.
template <typename ConcreteType>
class OnOneGraph : public mlir::OpTrait::TraitBase<ConcreteType, OnOneGraph> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyOnOneGraph(op);
  }
};

/// The types of operands and results name a graph.
template <typename ConcreteType>
class NamesGraph : public mlir::OpTrait::TraitBase<ConcreteType, NamesGraph> {};

/// The op works on one row, and is only legal in the body of a loop over rows
/// or of an attention.
template <typename ConcreteType>
class OnOneRow : public mlir::OpTrait::TraitBase<ConcreteType, OnOneRow> {};

} // namespace gnn

/// Parses a row space as a keyword.
template <> struct mlir::FieldParser<gnn::RowSpace> {
  static mlir::FailureOr<gnn::RowSpace> parse(mlir::AsmParser &parser);
};

#endif // GNN_DIALECT_GNN_IR_ROWSPACES_H
