//===- BuildAggregatedProduct.h - Other orders of a chain -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_BUILDAGGREGATEDPRODUCT_H
#define GNN_LIB_TRANSFORMS_GRAPH_BUILDAGGREGATEDPRODUCT_H

#include "GNN/Analysis/AggregatedProduct.h"

#include "mlir/IR/Builders.h"

namespace gnn {

/// The chain in the order asked for, of the type of its result.
mlir::Value buildChain(mlir::OpBuilder &builder, const AggregatedProduct &chain,
                       bool productFirst);

/// The chain in two parts, each over a graph derived from these edge types.
mlir::Value buildSplitChain(mlir::OpBuilder &builder,
                            const AggregatedProduct &chain,
                            llvm::ArrayRef<int64_t> productFirst,
                            llvm::ArrayRef<int64_t> aggregateFirst);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_BUILDAGGREGATEDPRODUCT_H
