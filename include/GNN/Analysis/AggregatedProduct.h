//===- AggregatedProduct.h - A sum over edges and a product -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain of a product with weights, scales, and a sum of edges, in whichever
// order a function has them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_AGGREGATEDPRODUCT_H
#define GNN_ANALYSIS_AGGREGATEDPRODUCT_H

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include <string>

namespace gnn {

/// `sum_e s_e (x_e W)` or `(sum_e s_e x_e) W` over the edges `e` into, or out
/// of, a node or pair; `W` is one weight or has one for each edge type.
struct AggregatedProduct {
  /// A factor of one number a row, or one a head.
  struct Scale {
    mlir::Value value;
    RowPath path; ///< from the edge
    bool divides;
    mlir::Location loc; ///< of the op that applies it
  };

  /// The chain that ends with `op`, or none. If the ops are nearly such a
  /// chain, `why` gets the obstacle.
  static std::optional<AggregatedProduct> match(mlir::Operation *op,
                                                std::string &why);

  bool isTyped() const { return getRows(weight.getType()) != nullptr; }
  GraphOp getGraph() const { return gnn::getGraph(root, resultType); }
  /// Whether relations can have different orders: each has a weight of its own,
  /// the sum ends at nodes, and the graph is not derived from another.
  bool canSplit() const;

  /// The row space of the product if it comes last: pairs if each edge type has
  /// a weight.
  RowSpace getRowsAfter() const;

  mlir::Operation *root = nullptr;     ///< the last op of the chain
  mlir::Operation *product = nullptr;  ///< rows by weights
  mlir::Operation *sum = nullptr;      ///< of edges
  mlir::Operation *gather = nullptr;   ///< of rows by edges, or null
  mlir::RankedTensorType resultType;   ///< what the last op gives
  bool productFirst = true;            ///< the order it has
  mlir::Value input;                   ///< the rows before product and sum
  RowPath inputPath;                   ///< from the edge
  llvm::SmallVector<int64_t> inShape;  ///< features that the product takes
  llvm::SmallVector<int64_t> outShape; ///< and gives
  mlir::Value weight;
  mlir::Value bias;       ///< of a product that comes last, or null
  bool addsInput = false; ///< to the sum at each node, before such a product
  RowSpace rowsBefore;    ///< what the product works on if it comes first
  llvm::SmallVector<Scale> scales;
  EndPoint reduceEnd = EndPoint::Dst; ///< whose edges are summed
  ReduceKind kind = ReduceKind::Sum;  ///< how edges are reduced
  RowSpace reduceTo = RowSpace::Node; ///< to what: nodes or pairs
  bool sumsPairs = false;             ///< pairs are summed to nodes then
};

} // namespace gnn

#endif // GNN_ANALYSIS_AGGREGATEDPRODUCT_H
