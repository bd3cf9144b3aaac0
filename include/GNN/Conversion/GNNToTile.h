//===- GNNToTile.h - How ops are lowered to gnn_tile ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the function being lowered: tensors whose types say in which order
// their rows lie, and whose rows these are.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_GNNTOTILE_H
#define GNN_CONVERSION_GNNTOTILE_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::arith {
class ConstantOp;
} // namespace mlir::arith

namespace gnn {

class ActivationOp;
class AggregateOp;
class ApplyOp;
class AttentionOp;
class BatchNormOp;
class BroadcastOp;
class ConcatOp;
class DegreeOp;
class DotOp;
class DropoutOp;
class EdgeSoftmaxOp;
class ExpandRowsOp;
class ExtendEdgesOp;
class ExtendRowsOp;
class GatherOp;
class LayerNormOp;
class LinearOp;
class LoopRowsOp;
class OuterOp;
class OuterRowsOp;
class PickFeatureOp;
class PickOp;
class ReduceFeaturesOp;
class ReduceHeadsOp;
class ReshapeOp;
class RebindRowsOp;
class PadOp;
class PrefixRowsOp;
class RestrictRowsOp;
class SddmmOp;
class SliceOp;
class SpmmOp;
class SumRowsOp;
class TypedLinearOp;
class TypedOuterOp;
class WeightCombineOp;
class WeightOuterOp;
class WeightProductOp;
class WeightTransposeOp;

/// A lowered value. Edge rows that the function computes lie in the order of
/// its destinations' incoming edges (`edge.in_rows`), those it is given or
/// gives in the user's order (`edge`). Rows of a derived graph may lie among
/// those of its parent (`parent_edge.in_rows`).
struct LoweredRows {
  mlir::Value tensor;                         ///< null until it is computed
  tile::RowDomain space;                      ///< none for plain weights
  mlir::FlatSymbolRefAttr graph;              ///< null for plain weights
  llvm::SmallVector<int64_t> features;        ///< trailing dimensions
  int64_t count = mlir::ShapedType::kDynamic; ///< rows known when compiling
  bool isPrefix = false;     ///< the tensor may have more rows than these
  bool isTransposed = false; ///< the value has the last two dimensions of the
                             ///< tensor, which are `features`, exchanged

  /// The space in the order in which the rows lie. That is in the type of the
  /// tensor (`#gnn_tile.order`); rows yet to be computed will lie as `keptRows`
  /// has it.
  tile::RowDomain getDomain() const;
};

/// An input of a traversal: a value, the path to its row, and the dimensions
/// of the domain that its features are.
struct Input {
  LoweredRows rows;
  tile::AtAttr at;
};

/// Lowers the ops of one function.
class Lowering {
public:
  /// Builds at the insertion point of `builder`. Kernels that touch no graph
  /// are bound with `anyGraph`.
  Lowering(mlir::OpBuilder &builder, mlir::FlatSymbolRefAttr anyGraph)
      : builder(builder), anyGraph(anyGraph) {}

  /// Adds `LowerToTileOpInterface` to the ops of gnn, and to elementwise ops
  /// and constants of arith and math.
  static void registerModels(mlir::DialectRegistry &registry);

  /// Lowers `op` by its `LowerToTileOpInterface`, or reports why not at the op.
  mlir::LogicalResult lower(mlir::Operation *op);

  /// The lowered form of `value`, wherever its rows lie: for ops that read it
  /// through an access.
  const LoweredRows &view(mlir::Value value) {
    return values.find(value)->second;
  }
  /// The same with its rows one after the other in an order of its own graph: a
  /// copy where they lie in the parent's.
  const LoweredRows &get(mlir::Value value);
  /// The form of a weight for a product that takes it from the right: as `view`
  /// or, with `ownRows`, as `get` has it, but a transposed weight is where it
  /// was before, with `isTransposed`.
  const LoweredRows &weight(mlir::Value value, bool ownRows);
  void set(mlir::Value value, LoweredRows rows) {
    values[value] = std::move(rows);
  }

  /// The tensor to return for `value`: one of its own, in the user's order.
  mlir::Value result(mlir::Location loc, mlir::Value value);

  // Building blocks (Lowering.cpp).

  /// A fresh copy of `rows` of its own graph, in the user's order or in the one
  /// that the function computes in.
  LoweredRows materialize(mlir::Location loc, const LoweredRows &rows,
                          bool userOrder);
  /// What a value of this type is: its space and features, no tensor.
  LoweredRows describe(mlir::Type type, std::optional<EndPoint> end = {});
  /// A tensor of these rows and features, uninitialized, in the order in which
  /// the function computes, or in another one.
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
  /// `value` with another static shape of as many elements.
  mlir::Value reshaped(mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<int64_t> shape);
  /// A weight so many times: `[times, elements]`.
  mlir::Value repeated(mlir::Location loc, const LoweredRows &weight,
                       int64_t times);
  /// One row of `size` times a number.
  LoweredRows filled(mlir::Location loc, mlir::Type element, int64_t size,
                     double number);
  /// The sum of `times` parts of a value of static shape, one after the other,
  /// of `size` elements: `[size]`.
  mlir::Value sumOfParts(mlir::Location loc, mlir::Value value, int64_t times,
                         int64_t size);
  /// The same elements with at most one dimension in front of the last: what a
  /// weight has in front are rows of their own. The tensor may be null.
  LoweredRows columnsOf(mlir::Location loc, const LoweredRows &rows);
  /// Columns as a value of this type.
  LoweredRows fromColumns(mlir::Location loc, const LoweredRows &columns,
                          mlir::Type type);
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
  /// An access to rows with `own` of the `dims` feature dimensions of a domain,
  /// the leading ones, as an output has it.
  tile::AtAttr leadingAt(tile::Anchor anchor, size_t own, size_t dims);
  /// An input without rows whose features are the trailing dimensions.
  Input trailing(const LoweredRows &weight, unsigned dims);
  /// That, for rows of `features` that are walked as all but the last one and
  /// the last.
  Input trailingOf(mlir::Location loc, const LoweredRows &weight,
                   llvm::ArrayRef<int64_t> features);

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
  /// A row-wise traversal over the rows of `result`, features as they are.
  mlir::Value rowwise(mlir::Location loc, const LoweredRows &result,
                      mlir::Type element, llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<Input> inputs, Body body);
  /// The elements of a group, in the order that puts them side by side; none
  /// where no order does.
  tile::RowDomain elementsOf(tile::RowDomain groups, RowSpace elements);

private:
  friend class AttentionLowering;
  friend class LoopLowering;

  // By theme: RowOps.cpp, GradientOps.cpp, AttentionOps.cpp, DenseOps.cpp,
  // FeatureOps.cpp, ColumnOps.cpp, LoopOps.cpp.
  mlir::LogicalResult lowerGather(GatherOp op);
  mlir::LogicalResult lowerAggregate(AggregateOp op);
  mlir::LogicalResult lowerDegree(DegreeOp op);
  mlir::LogicalResult lowerApply(ApplyOp op);
  mlir::LogicalResult lowerSddmm(SddmmOp op);
  mlir::LogicalResult lowerSpmm(SpmmOp op);
  mlir::LogicalResult lowerEdgeSoftmax(EdgeSoftmaxOp op);
  mlir::LogicalResult lowerAttention(AttentionOp op);
  mlir::LogicalResult lowerLinear(LinearOp op);
  mlir::LogicalResult lowerTypedLinear(TypedLinearOp op);
  mlir::LogicalResult lowerOuter(OuterOp op);
  mlir::LogicalResult lowerTypedOuter(TypedOuterOp op);
  mlir::LogicalResult lowerWeightProduct(WeightProductOp op);
  mlir::LogicalResult lowerWeightProductByHeads(WeightProductOp op);
  mlir::LogicalResult lowerWeightCombine(WeightCombineOp op);
  mlir::LogicalResult lowerWeightOuter(WeightOuterOp op);
  mlir::LogicalResult lowerWeightTranspose(WeightTransposeOp op);
  mlir::LogicalResult lowerSumRows(SumRowsOp op);
  mlir::LogicalResult lowerDot(DotOp op);
  mlir::LogicalResult lowerOuterRows(OuterRowsOp op);
  mlir::LogicalResult lowerActivation(ActivationOp op);
  mlir::LogicalResult lowerBatchNorm(BatchNormOp op);
  mlir::LogicalResult lowerLayerNorm(LayerNormOp op);
  mlir::LogicalResult lowerDropout(DropoutOp op);
  mlir::LogicalResult lowerBroadcast(BroadcastOp op);
  mlir::LogicalResult lowerConcat(ConcatOp op);
  mlir::LogicalResult lowerSlice(SliceOp op);
  mlir::LogicalResult lowerPad(PadOp op);
  mlir::LogicalResult lowerReduceHeads(ReduceHeadsOp op);
  mlir::LogicalResult lowerReduceFeatures(ReduceFeaturesOp op);
  mlir::LogicalResult lowerReshape(ReshapeOp op);
  mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op);
  /// One number for each type: `rows` are those of `op`.
  mlir::LogicalResult lowerNumbersOfTypes(mlir::arith::ConstantOp op,
                                          LoweredRows rows,
                                          mlir::DenseElementsAttr numbers);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerWithRepeated(mlir::Operation *op, int64_t size);
  mlir::LogicalResult lowerRenamed(mlir::Operation *op, bool prefix);
  /// Requires as many rows of `rows` as of `others`, or at most as many.
  void requireCount(mlir::Location loc, const LoweredRows &rows,
                    const LoweredRows &others, bool atMost);
  /// Rows of zeros, in `output`.
  mlir::Value zeros(mlir::Location loc, const LoweredRows &rows,
                    mlir::Type element, mlir::Value output);
  /// Writes the rows of a value into `result`, whose features are two at most;
  /// `written` are the rows of `result` that those lead to, on another graph
  /// with the same rows if one is given.
  mlir::Value writeAmong(mlir::Location loc, mlir::Value input,
                         mlir::Value result, tile::RowDomain written,
                         llvm::ArrayRef<int64_t> dims,
                         mlir::FlatSymbolRefAttr graph = {});
  /// A new tensor for the rows of all edges of the graph that `looped` is
  /// derived from, in this order, and behind them of new loops.
  mlir::Value emptyWithLoops(mlir::Location loc, mlir::FlatSymbolRefAttr looped,
                             llvm::ArrayRef<int64_t> dims, mlir::Type element,
                             tile::RowDomain order);
  mlir::Value withLoopRows(ExtendEdgesOp op, mlir::FlatSymbolRefAttr looped,
                           llvm::ArrayRef<int64_t> dims);
  mlir::LogicalResult lowerRebind(RebindRowsOp op);
  mlir::LogicalResult lowerPrefix(PrefixRowsOp op);
  mlir::LogicalResult lowerRestrict(RestrictRowsOp op);
  mlir::LogicalResult lowerExpand(ExpandRowsOp op);
  mlir::LogicalResult lowerExtend(ExtendRowsOp op);
  mlir::LogicalResult lowerExtendEdges(ExtendEdgesOp op);
  mlir::LogicalResult lowerLoopRows(LoopRowsOp op);
  mlir::LogicalResult lowerPick(PickOp op);
  mlir::LogicalResult lowerPickFeature(PickFeatureOp op);
  mlir::LogicalResult lowerLoop(RowLoopInterface loop);

  /// The inputs from which the score of an edge follows, at elements `from`.
  llvm::SmallVector<Input> scoreInputs(AttentionOp op, tile::RowDomain from,
                                       size_t dims);

  /// `rows` in an order of their own graph.
  const LoweredRows &withOwnRows(mlir::Location loc, LoweredRows &rows);

  mlir::OpBuilder &builder;
  mlir::FlatSymbolRefAttr anyGraph;
  llvm::DenseMap<mlir::Value, LoweredRows> values;
  /// Transposed weights as products read them.
  llvm::DenseMap<mlir::Value, LoweredRows> transposed;
  llvm::DenseSet<mlir::Value> returned;
};

/// The rows of a space, edges in the order in which their values are kept;
/// nodes are read at `end`.
tile::RowDomain keptRows(RowSpace space, std::optional<EndPoint> end);

/// An end of a path as the lattice has it.
RowEnd toRowEnd(std::optional<EndPoint> end);

/// Whether `value` is an i1 that an elementwise op makes: it has no lowered
/// form, and what reads it computes it again.
bool isCondition(mlir::Value value);

/// The reduction of a body that a kind of the graph level stands for.
tile::Reduction reductionOf(ReduceKind kind);

/// Refuses more than the two feature dimensions that a domain has.
mlir::LogicalResult checkDims(mlir::Operation *op,
                              llvm::ArrayRef<int64_t> dims);

/// How many elements these dimensions have.
int64_t sizeOf(llvm::ArrayRef<int64_t> features);

/// The feature dimensions over which an op walks that treats all features
/// alike: one or two stay as they are, so that ops side by side have the same,
/// more become one.
llvm::SmallVector<int64_t> walkedDims(llvm::ArrayRef<int64_t> features);

/// A reduction in a body, over one dimension.
mlir::Value emitReduce(mlir::OpBuilder &b, mlir::Location loc,
                       tile::Reduction kind, tile::Dim dim, mlir::Value value);

/// The value of an op on one row, at a point of a domain with `dims` feature
/// dimensions, from its operands there.
mlir::Value emitOnOneRow(mlir::OpBuilder &b, mlir::Operation *op,
                         mlir::ValueRange operands, size_t dims);

/// The value of an activation at `x`; `slope` is the weight of prelu.
mlir::Value emitActivation(mlir::OpBuilder &b, mlir::Location loc,
                           ActivationKind kind,
                           std::optional<llvm::APFloat> alpha, mlir::Value x,
                           mlir::Value slope);

/// The value of a binary kind.
mlir::Value emitBinary(mlir::OpBuilder &b, mlir::Location loc, BinaryKind kind,
                       mlir::Value lhs, mlir::Value rhs);

} // namespace gnn

#endif // GNN_CONVERSION_GNNTOTILE_H
