//===- Converter.h - Layers of the overlay from ops on graphs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOOVERLAY_CONVERTER_H
#define GNN_LIB_CONVERSION_GNNTOOVERLAY_CONVERTER_H

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn {

/// One number for each edge and head.
struct EdgeNumbers {
  /// A value of `tensor<?xf32>` for each head.
  llvm::SmallVector<mlir::Value, 1> heads;
  /// They are exponentials of scores, which sums over the edges of a
  /// destination are still to be divided by.
  bool isSoftmax = false;
};

/// Rows of features for each edge, which no layer holds: rows of the node at
/// one end, times numbers of the edge.
struct Message {
  /// Rows of nodes, of all heads.
  mlir::Value rows;
  /// The features of a row: none, `[d]`, or `[heads, d]`.
  llvm::SmallVector<int64_t, 2> features;
  EndPoint end = EndPoint::Src;
  /// Factors of each edge; none: 1.
  std::optional<EdgeNumbers> numbers;
};

/// Converts the ops of a function that depend on its rows of nodes. Others
/// stay: they are computed once, of weights and the graph.
class Converter {
public:
  explicit Converter(mlir::func::FuncOp func)
      : func(func), builder(func.getContext()) {}

  /// Errors are diagnostics at the user's op.
  mlir::LogicalResult run();

private:
  //===--------------------------------------------------------------------===//
  // GNNToOverlay.cpp: values
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult findGraph();
  bool dependsOnRows(mlir::Value value) const {
    return dependent.contains(value);
  }
  /// Whether an op, or a region of it, reads such a value.
  bool readsRows(mlir::Operation &op) const;
  mlir::LogicalResult convert(mlir::Operation &op);
  mlir::LogicalResult reconnect(mlir::Operation *layer);
  mlir::LogicalResult convertReturn(mlir::func::ReturnOp op);

  /// The type of rows of nodes with that many features.
  mlir::RankedTensorType rowsType(int64_t features) const;
  mlir::RankedTensorType edgeType() const;

  /// The rows of nodes that a value became, of one dimension of features. Null,
  /// with an error at `op`: it became something else.
  mlir::Value rowsOf(mlir::Operation *op, mlir::Value value);
  /// The numbers of edges that a value became, or those of weights and the
  /// graph alone; failure, with an error at `op`: it is something else.
  mlir::FailureOr<EdgeNumbers> numbersOf(mlir::Operation *op,
                                         mlir::Value value);
  /// Whether a value has one number for each edge, or one a head.
  bool isNumbers(mlir::Value value) const;
  void setRows(mlir::Value value, mlir::Value rows) {
    rowsOfValue[value] = rows;
  }

  /// Reports that no layer does what `op` does.
  mlir::InFlightDiagnostic refuse(mlir::Operation *op) const {
    return op->emitError("has no overlay layer: ");
  }

  //===--------------------------------------------------------------------===//
  // Weights.cpp: layouts of weights, and projections of rows by them
  //===--------------------------------------------------------------------===//

  /// A weight with other dimensions; it is computed before the program.
  mlir::Value reshapeWeight(mlir::Location loc, mlir::Value weight,
                            llvm::ArrayRef<int64_t> shape);
  /// A weight of one number or row a feature, repeated for each head.
  mlir::Value flatWeight(mlir::Location loc, mlir::Value weight,
                         int64_t features);
  /// A block of a weight at a place of another that is 0 elsewhere.
  struct Block {
    mlir::Value weight;
    bool transposed = false;
    int64_t fromRow = 0, fromColumn = 0, row = 0, column = 0, rows = 0,
            columns = 0;
  };
  /// `ones` are blocks of ones: row, column, rows, columns.
  mlir::Value assemble(mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<Block> blocks,
                       llvm::ArrayRef<int64_t> ones = {});
  /// The weight of a layer: a matrix, as it is or transposed.
  mlir::Value layerWeight(mlir::Location loc, mlir::Value weight);

  /// Columns [offset, offset + width) of rows at column `at` of rows with
  /// `total` features, which are 1 at the columns `ones` and 0 elsewhere. A
  /// product that makes the rows is done with other weights.
  mlir::Value project(mlir::Location loc, mlir::Value rows, int64_t offset,
                      int64_t width, int64_t at, int64_t total,
                      llvm::ArrayRef<int64_t> ones = {});

  //===--------------------------------------------------------------------===//
  // Rows.cpp: ops on rows of nodes
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult convertLinear(LinearOp op);
  mlir::LogicalResult convertDot(DotOp op);
  mlir::LogicalResult convertActivation(ActivationOp op);
  mlir::LogicalResult convertBatchNorm(BatchNormOp op);
  mlir::LogicalResult convertAdd(mlir::arith::AddFOp op);
  mlir::LogicalResult convertMul(mlir::arith::MulFOp op);
  mlir::LogicalResult convertReduceHeads(ReduceHeadsOp op);
  mlir::LogicalResult convertReshape(ReshapeOp op);
  mlir::LogicalResult convertRebind(RebindRowsOp op);

  /// Adds a row of numbers to rows: as the bias of the product, or what the sum
  /// begins with, that made them, if `mayFold`; else by a layer.
  mlir::Value addRow(mlir::Location loc, mlir::Value rows, mlir::Value row,
                     bool mayFold);
  /// A layer that scales and shifts; null: a scale of 1, a shift of 0.
  mlir::Value scaleRows(mlir::Location loc, mlir::Value rows, mlir::Value scale,
                        mlir::Value shift);
  mlir::ArrayAttr functions(llvm::ArrayRef<overlay::ActAttr> acts);
  overlay::ActAttr function(overlay::ActivationKind kind,
                            std::optional<double> parameter = {});

  //===--------------------------------------------------------------------===//
  // Edges.cpp: ops on rows of edges
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult convertGather(GatherOp op);
  mlir::LogicalResult convertApply(ApplyOp op);
  mlir::LogicalResult convertSddmm(SddmmOp op);
  mlir::LogicalResult convertSoftmax(EdgeSoftmaxOp op);
  mlir::LogicalResult convertAggregate(AggregateOp op);
  mlir::LogicalResult convertSpmm(SpmmOp op);

  mlir::FailureOr<Message> messageOf(mlir::Operation *op, mlir::Value value,
                                     std::optional<EndPoint> via);
  /// Converts a product of rows at one end of each edge with its numbers.
  mlir::LogicalResult convertProduct(mlir::Operation *op, mlir::Value rows,
                                     std::optional<EndPoint> via,
                                     mlir::Value factors);
  mlir::FailureOr<Message> multiply(mlir::Operation *op, Message message,
                                    const EdgeNumbers &numbers);
  /// Sums of the features of both ends for each head of `features`.
  EdgeNumbers innerProducts(mlir::Location loc, mlir::Value sources,
                            mlir::Value destinations,
                            llvm::ArrayRef<int64_t> features);
  /// The sum or product of one number of each end, or one a head.
  EdgeNumbers combineEnds(mlir::Location loc, mlir::Value sources,
                          mlir::Value destinations, int64_t heads, bool adds);
  /// Converts an elementwise sum or product of such numbers, gathered.
  mlir::LogicalResult convertOfEnds(mlir::Operation *op, bool adds);
  mlir::LogicalResult reduce(mlir::Operation *op, mlir::Value result,
                             Message message, ReduceKind kind,
                             std::optional<EndPoint> via);
  mlir::Value reduceHead(mlir::Location loc, const Message &message,
                         int64_t head, overlay::Aggregation kind);
  /// 1 / the number of edges into the destination, for each edge.
  mlir::Value inverseDegrees(mlir::Location loc);

  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
  /// The graph whose edges layers walk.
  mlir::FlatSymbolRefAttr graph;
  mlir::DenseSet<mlir::Value> dependent;
  mlir::DenseMap<mlir::Value, mlir::Value> rowsOfValue;
  mlir::DenseMap<mlir::Value, EdgeNumbers> numbersOfValue;
  mlir::DenseMap<mlir::Value, Message> messageOfValue;
  /// Rows with a column of ones behind them, by the rows.
  mlir::DenseMap<mlir::Value, mlir::Value> withOnes;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOOVERLAY_CONVERTER_H
