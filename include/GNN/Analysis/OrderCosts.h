//===- OrderCosts.h - Costs of orders of sum and product --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_ORDERCOSTS_H
#define GNN_ANALYSIS_ORDERCOSTS_H

#include "GNN/Analysis/AggregatedProduct.h"

#include <optional>

namespace gnn {

using Relations = llvm::SmallVector<int64_t>;

/// The relations that multiply first and those that aggregate first.
struct Order {
  Relations productFirst, aggregateFirst;
};

/// An order with its cost.
struct WeighedOrder {
  Order order;
  double cost;
};

/// The possible orders of a chain.
struct OrderChoice {
  WeighedOrder given; ///< the one that it has
  WeighedOrder turned;
  /// A separate order for each relation, if they differ and can be split.
  std::optional<WeighedOrder> mixed;
  /// Whether relations have different orders.
  bool differ = false;

  /// The best order, which differs from the given one only if that pays.
  enum class Best { Given, Turned, Mixed } best = Best::Given;
};

/// The gradients that will be requested of a chain: the effects of its order on
/// the backward pass are included.
struct ChainGradients {
  bool ofInput = false, ofWeight = false;
};

/// The costs of the orders of a chain on a graph. A chain without types is one
/// relation.
class OrderCosts {
public:
  OrderCosts(const AggregatedProduct &chain, const CostModel &model,
             StatsAttr stats, ChainGradients gradients = {});

  OrderChoice choose() const;
  /// The saving of the best order, relative to the cost of the given one.
  double getSaving() const;
  /// Rows of the product.
  double rows(const Order &order) const;

private:
  /// The statistics of one relation.
  struct Relation {
    double edges;
    double sources; ///< rows that the edges read, each counted once
    double rowsBefore, rowsAfter;
  };

  double cost(const Order &order) const;
  Order all(bool productFirst) const;
  /// The best order of each relation, without launches.
  Order eachItsOwn() const;
  llvm::SmallVector<KernelWork> kernels(const Order &order) const;
  void addProductFirst(llvm::ArrayRef<int64_t> list,
                       llvm::SmallVectorImpl<KernelWork> &kernels) const;
  void addAggregateFirst(llvm::ArrayRef<int64_t> list,
                         llvm::SmallVectorImpl<KernelWork> &kernels) const;
  /// The backward pass of each: both are walked along the transposed paths, and
  /// multiply the same number of rows again for each gradient.
  void addGradients(llvm::ArrayRef<int64_t> list, bool productFirst,
                    llvm::SmallVectorImpl<KernelWork> &kernels) const;
  KernelWork multiply(llvm::ArrayRef<int64_t> list, double rows) const;

  double longestRow(llvm::ArrayRef<int64_t> list) const;
  double longestPair(llvm::ArrayRef<int64_t> list) const;

  const AggregatedProduct &chain;
  const CostModel &model;
  ChainGradients gradients;
  llvm::SmallVector<Relation> relations;
  llvm::ArrayRef<int64_t> longestPairs; ///< of each relation, where known
  double in, out, flopsPerRow, weightBytes, numNodes, numInputs, longest;
  double longestInput; ///< edges that read one row of the input
  double element;      ///< bytes of a feature
  double edgeBytes;    ///< bytes that an edge has of its own: an id and scales
};

} // namespace gnn

#endif // GNN_ANALYSIS_ORDERCOSTS_H
