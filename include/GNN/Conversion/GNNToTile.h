//===- GNNToTile.h - How ops are lowered to gnn_tile ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the function being lowered: tensors, whose types state the order of
// their rows, and the row spaces of these.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_GNNTOTILE_H
#define GNN_CONVERSION_GNNTOTILE_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// A lowered value. Edge rows that the function computes are in the order of
/// its destinations' incoming edges (`edge.in_rows`), arguments and results in
/// the user's order (`edge`). Rows of a derived graph may be among those of its
/// parent (`parent_edge.in_rows`).
struct LoweredRows {
  mlir::Value tensor;                         ///< null until it is computed
  tile::RowDomain space;                      ///< none for plain weights
  mlir::FlatSymbolRefAttr graph;              ///< null for plain weights
  llvm::SmallVector<int64_t> features;        ///< trailing dimensions
  int64_t count = mlir::ShapedType::kDynamic; ///< rows known when compiling
  bool isPrefix = false;     ///< the tensor may have more rows than these
  bool isTransposed = false; ///< the value has the last two dimensions of the
                             ///< tensor, which are `features`, exchanged

  /// The space in the order of the rows. The type of the tensor has it
  /// (`#gnn_tile.order`); rows that are not computed yet will be in the
  /// function's order.
  tile::RowDomain getDomain() const;
};

/// An input of a traversal: a value, the path to its row, and the dimensions of
/// the domain that are its features.
struct Input {
  LoweredRows rows;
  tile::AtAttr at;
};

/// Lowers the ops of one function.
class Lowering {
public:
  mlir::OpBuilder &builder;
  /// The graph to which kernels without a graph are bound.
  mlir::FlatSymbolRefAttr anyGraph;

  /// Builds at the insertion point of `builder`.
  Lowering(mlir::OpBuilder &builder, mlir::FlatSymbolRefAttr anyGraph)
      : builder(builder), anyGraph(anyGraph) {}

  /// The lowered form of `value`, in any order of rows: for ops that read it
  /// through an access.
  LoweredRows view(mlir::Value value) { return values.find(value)->second; }
  /// The same with adjacent rows in an order of its own graph: a copy if they
  /// are among the parent's.
  LoweredRows get(mlir::Value value);
  /// The form of a weight for a product that takes it from the right: as `view`
  /// or, with `ownRows`, as `get` has it, but a transposed weight is the
  /// original one, with `isTransposed`.
  LoweredRows weight(mlir::Value value, bool ownRows);
  /// Sets the lowered form of `value`, whose features become those of its type;
  /// a transposed weight is a separate form, for products.
  void set(mlir::Value value, LoweredRows rows);
  /// Sets the elements of a value of static shape to those of a tensor.
  void setElements(mlir::Value value, mlir::Value tensor);

  /// The tensor to return for `value`: a separate one, in the user's order.
  mlir::Value result(mlir::Location loc, mlir::Value value);

  // Building blocks (Lowering.cpp).

  /// A value of this type: its space and features, without a tensor.
  LoweredRows describe(mlir::Type type, std::optional<EndPoint> end = {});
  /// This number of rows of `size` features without a graph and without a
  /// tensor.
  LoweredRows fixedRows(int64_t count, int64_t size) {
    return {mlir::Value(), tile::RowDomain::fixed(count), anyGraph, {size}};
  }
  /// A tensor of these rows and features, uninitialized, in the order of the
  /// function, or in another one.
  mlir::Value empty(mlir::Location loc, const LoweredRows &rows,
                    mlir::Type element) {
    return empty(loc, rows, element, rows.getDomain());
  }
  mlir::Value empty(mlir::Location loc, const LoweredRows &rows,
                    mlir::Type element, tile::RowDomain order);
  /// The same rows with other trailing dimensions, row-major.
  LoweredRows reshape(mlir::Location loc, const LoweredRows &rows,
                      llvm::ArrayRef<int64_t> features);
  /// A weight as a domain of one row with all its elements as features.
  LoweredRows asRow(mlir::Location loc, const LoweredRows &weight);
  /// `value` with another static shape of the same number of elements.
  mlir::Value reshaped(mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<int64_t> shape);
  /// A weight repeated this many times: `[times, elements]`.
  mlir::Value repeated(mlir::Location loc, const LoweredRows &weight,
                       int64_t times);
  /// One row as a weight of these dimensions.
  LoweredRows asWeight(mlir::Location loc, const LoweredRows &row,
                       llvm::ArrayRef<int64_t> features);
  /// An access to `rows` from the group or element of `from`.
  tile::AtAttr access(const LoweredRows &rows, tile::Anchor anchor,
                      tile::RowDomain from, std::optional<EndPoint> via,
                      bool head, bool feature, int64_t offset = 0) {
    return access(rows.getDomain(), anchor, from, via, head, feature, offset);
  }
  tile::AtAttr access(tile::RowDomain rows, tile::Anchor anchor,
                      tile::RowDomain from, std::optional<EndPoint> via,
                      bool head, bool feature, int64_t offset = 0);
  /// An input whose features are the leading dimensions of `dims` (one or two).
  Input leading(const LoweredRows &rows, tile::Anchor anchor,
                tile::RowDomain from, std::optional<EndPoint> via,
                unsigned dims);
  /// The same for a group in a walk over all features of `of`.
  Input leading(const LoweredRows &rows, const LoweredRows &of,
                std::optional<EndPoint> via = {}) {
    return leading(rows, tile::Anchor::Group, of.getDomain(), via,
                   of.features.size());
  }
  /// An access to rows with the `own` leading ones of the `dims` feature
  /// dimensions of a domain, as for an output.
  tile::AtAttr leadingAt(tile::Anchor anchor, size_t own, size_t dims);
  /// An input without rows whose features are the trailing dimensions.
  Input trailing(const LoweredRows &weight, unsigned dims);
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  /// A traversal with one output, whose access has `head` and `feature`.
  mlir::Value traverse(mlir::Location loc, mlir::FlatSymbolRefAttr graph,
                       tile::DomainAttr domain, llvm::ArrayRef<Input> inputs,
                       mlir::Value output, tile::AtAttr outputAt, Body body);
  using Bodies = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  /// A traversal with several outputs, one access each.
  mlir::ResultRange traverse(mlir::Location loc, mlir::FlatSymbolRefAttr graph,
                             tile::DomainAttr domain,
                             llvm::ArrayRef<Input> inputs,
                             mlir::ValueRange outputs,
                             llvm::ArrayRef<mlir::Attribute> outputsAt,
                             Bodies body);
  /// A domain with these feature dimensions, at most two.
  tile::DomainAttr domainOf(tile::RowDomain groups, tile::RowDomain elements,
                            llvm::ArrayRef<int64_t> dims);
  /// A row-wise traversal over the rows of `result`, with unchanged features.
  mlir::Value rowwise(mlir::Location loc, const LoweredRows &result,
                      mlir::Type element, llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<Input> inputs, Body body);
  /// Sets `value` to the rows of `result`, computed by such a traversal.
  void setRowwise(mlir::Value value, LoweredRows result,
                  llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Input> inputs,
                  Body body) {
    result.tensor = rowwise(value.getLoc(), result,
                            mlir::getElementTypeOrSelf(value.getType()), dims,
                            inputs, body);
    set(value, std::move(result));
  }
  /// The elements of a group, in the order in which they are adjacent; none if
  /// there is no such order.
  tile::RowDomain elementsOf(tile::RowDomain groups, RowSpace elements);

private:
  /// A new copy of `rows` of its own graph, in the user's order or in the order
  /// in which the function computes.
  LoweredRows materialize(mlir::Location loc, const LoweredRows &rows,
                          bool userOrder);
  /// `rows` in an order of their own graph.
  const LoweredRows &withOwnRows(mlir::Location loc, LoweredRows &rows);

  llvm::DenseMap<mlir::Value, LoweredRows> values;
  /// Transposed weights as products read them.
  llvm::DenseMap<mlir::Value, LoweredRows> transposed;
  llvm::DenseSet<mlir::Value> returned;
};

/// Adds `LowerToTileOpInterface` to the ops of gnn, and to elementwise ops and
/// constants of arith and math.
void registerLoweringModels(mlir::DialectRegistry &registry);

/// The reduction of a body for a kind of the graph level.
tile::Reduction reductionOf(ReduceKind kind);

/// Refuses more than the two feature dimensions of a domain.
mlir::LogicalResult checkDims(mlir::Operation *op,
                              llvm::ArrayRef<int64_t> dims);

/// The number of elements of these dimensions.
int64_t sizeOf(llvm::ArrayRef<int64_t> features);

/// The feature dimensions of the walk of an op that treats all features alike:
/// one or two stay, so that adjacent ops have the same, more become one.
llvm::SmallVector<int64_t> walkedDims(llvm::ArrayRef<int64_t> features);

/// A reduction in a body, over one dimension.
mlir::Value emitReduce(mlir::OpBuilder &b, mlir::Location loc,
                       tile::Reduction kind, tile::Dim dim, mlir::Value value);

} // namespace gnn

#endif // GNN_CONVERSION_GNNTOTILE_H
