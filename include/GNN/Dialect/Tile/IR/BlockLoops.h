//===- BlockLoops.h - Loops over blocks -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `scf.forall` that becomes a kernel: what each of its forms has.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_BLOCKLOOPS_H
#define GNN_DIALECT_TILE_IR_BLOCKLOOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn::tile {
class CostOp;

/// The dimension of the grid that dimension `i` of the loop is mapped to; none
/// where it is mapped to something else, or to nothing.
std::optional<mlir::gpu::Dimension> getGridDimension(mlir::scf::ForallOp op,
                                                     unsigned i);

/// Checks that a loop is one over blocks: on buffers, each dimension mapped to
/// one of the grid, lower bounds and steps constant.
mlir::LogicalResult verifyBlocks(mlir::scf::ForallOp op);

/// Checks that a loop over blocks says how many threads a block has, and that
/// its body is what a thread does: no op of `gnn_tile` is left.
mlir::LogicalResult verifyThreads(mlir::scf::ForallOp op);

/// The cost that is stated in front of a loop over blocks; null if none is.
CostOp findCost(mlir::scf::ForallOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_BLOCKLOOPS_H
