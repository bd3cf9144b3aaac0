//===- ProductLayout.h - Tiles of products ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way in which a block computes a tile of a product, from the op and its
// schedule alone; see TraverseLayout.h.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_PRODUCTLAYOUT_H
#define GNN_DIALECT_TILE_IR_PRODUCTLAYOUT_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// A tile product of a block. On the general cores threads form rows, each of
/// which has the columns of the tile, 4 a thread; on the tensor cores they have
/// the layout of their fragments (ProductMma.cpp), with the same number of sums
/// a thread.
struct ProductLayout {
  static constexpr int64_t threads = 128, rows = 64, columnsPerThread = 4;
  static constexpr int64_t widestColumns = 64; ///< of any tile

  int64_t columns = 16; ///< of the tile
  int64_t depth = 16;   ///< of the summed dimension, what is staged at once
  /// Whether the next step is loaded during the sum of the current one.
  bool loadsAhead = false;
  bool onTensorCores = false;
  /// The operands that are copied without registers of threads.
  bool copiesLeft = false, copiesRight = false;
  int64_t runs = 0; ///< rows of an outer product added at once; 0: all

  /// Steps of a run, a whole number.
  int64_t stepsOfRun() const { return (runs + depth - 1) / depth; }
  int64_t threadsPerRow() const { return columns / columnsPerThread; }
  int64_t rowsPerThread() const { return rows * threadsPerRow() / threads; }
  /// Values that a thread loads of a step.
  int64_t loads() const {
    int64_t across = (copiesLeft ? 0 : rows) + (copiesRight ? 0 : columns);
    return depth * across / threads;
  }
  /// An estimate of registers: sums, a row and a column of the staged tiles;
  /// loaded values, beside them or before; positions.
  int64_t registers() const {
    int64_t own = rowsPerThread() * columnsPerThread;
    int64_t sums = own + rowsPerThread() + columnsPerThread;
    return 32 + (runs ? 2 * own : 0) +
           (loadsAhead ? sums + loads() : std::max(sums, loads()));
  }
  /// The two staged tiles, doubled if one is written while the other is read.
  int64_t sharedBytes() const {
    return (loadsAhead ? 2 : 1) * 4 * depth * (rows + columns);
  }
};

/// The layout of a product by a complete schedule.
ProductLayout layOut(GemmOp op, GemmScheduleAttr schedule);
ProductLayout layOut(OuterOp op, GemmScheduleAttr schedule);
/// The layout of a gemm whose input is an array of its block.
ProductLayout layOutInBlock(GemmOp op, GemmScheduleAttr schedule);
/// Empty if the product can be computed so; else the reason.
std::string explainRefusal(GemmOp op, GemmScheduleAttr schedule);
std::string explainRefusal(OuterOp op, GemmScheduleAttr schedule);
/// The layout that a complete schedule says; reports one that is not.
mlir::FailureOr<ProductLayout> getLayout(GemmOp op);
mlir::FailureOr<ProductLayout> getLayout(OuterOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_PRODUCTLAYOUT_H
