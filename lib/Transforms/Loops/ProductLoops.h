//===- ProductLoops.h - The loops of a product ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of gemm and outer: a block owns a tile of 64 rows and 16, 32
// or 64 columns; both operands are staged in workgroup memory, depth first.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LOOPS_PRODUCTLOOPS_H
#define GNN_LIB_TRANSFORMS_LOOPS_PRODUCTLOOPS_H

#include "../Utils/IndexArrays.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn::tile {

/// How an operand lies in memory.
struct ProductOperand {
  bool byDepth;    ///< values of the summed dimension side by side
  int64_t aligned; ///< so many values on a boundary of their size: 1 or 4
};

/// Values of a row that an access to `columns` of its columns reads or writes
/// at once, on a boundary of their size: 4 or 1.
int64_t getAligned(mlir::Value memref, AtAttr at, int64_t columns);

/// Builds the loops of one product in front of it.
class ProductLoops {
public:
  ProductLoops(TileOpInterface op, mlir::ValueRange arrays,
               const ProductLayout &layout, mlir::Type element,
               ProductOperand left, ProductOperand right);

  /// A staged operand: `[depth, extent]` in workgroup memory.
  struct StagedSide {
    int64_t extent;
    ProductOperand operand;
    mlir::Value array;
    SpreadAttr spread; ///< of what is loaded
    bool isCopied;     ///< past the registers of threads
  };

  IndexBuilder b;
  IndexArrays arrays;
  ProductLayout layout;
  mlir::Type element;
  StagedSide left, right;

  /// Rows, and those that are there: behind the last one, it is meant again.
  struct ClampedRows {
    mlir::Value clamped, inside; ///< `inside` is null where all are
  };
  /// `count` rows from `first` on, up to `last` (null: all).
  ClampedRows rowsFrom(mlir::Value first, int64_t count, mlir::Value last);
  /// The same of `size` rows; all are there if `count` divides that.
  ClampedRows rowsFrom(mlir::Value first, int64_t count, int64_t size);
  /// The bound that columns of `size` are below, if steps of so many do not
  /// divide that.
  mlir::IntegerAttr columnsBelow(int64_t size, int64_t step,
                                 int64_t offset = 0);
  /// A vector that holds `value` everywhere.
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, double value);

  /// The type of the loads of a step of `side`.
  mlir::VectorType loadedType(const StagedSide &side);
  /// Stages what was loaded of both and adds its product to `sums`.
  mlir::Value multiply(mlir::Value sums, mlir::Value leftTile,
                       mlir::Value rightTile);
  /// How the tile's sums are spread.
  SpreadAttr sumsSpread();
  SpreadAttr spread(llvm::ArrayRef<int64_t> each,
                    llvm::ArrayRef<int64_t> lanes);

private:
  StagedSide makeSide(int64_t extent, ProductOperand operand, bool isCopied,
                      mlir::Value other);
  mlir::Value makeArray(int64_t extent, mlir::Value other);
  void stage(const StagedSide &side, mlir::Value tile);
  mlir::Value readStaged(const StagedSide &side);
};

/// Makes loops of a product on a range, which stays to be erased.
void lowerToLoops(GemmOp op, const ProductLayout &layout);
void lowerToLoops(OuterOp op, const ProductLayout &layout);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LOOPS_PRODUCTLOOPS_H
