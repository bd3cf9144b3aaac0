//===- Combine.h - How states are combined ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `combine` region of gnn_tile.walk and gnn_tile.parallel.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_COMBINE_H
#define GNN_DIALECT_TILE_IR_COMBINE_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gnn::tile {

/// The operations by which a result is combined, in order.
llvm::SmallVector<mlir::Operation *> getCombiners(mlir::Block &combine,
                                                  unsigned result);

/// Groups of results that are combined together: those that look at the states
/// of others, and these. The rest are alone.
llvm::SmallVector<llvm::SmallVector<unsigned>>
groupResults(mlir::Block &combine);

/// The operation that combines the only result of a group, if it is one of both
/// states alone; else null.
mlir::Operation *findOnlyCombiner(mlir::Block &combine,
                                  llvm::ArrayRef<unsigned> group);

/// The operation that combines two values of a reduction: of floats, NaN if
/// there is one.
mlir::arith::AtomicRMWKind getReductionKind(Reduction kind, mlir::Type element);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_COMBINE_H
