//===- TileProduct.h - Shared-memory tiles of a product ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gemm and outer have in common: a block of 128 threads owns a tile of 64
// rows and 16, 32 or 64 columns, a thread 2, 4 or 8 rows of 4 columns of it.
// Both operands lie in shared memory with the summed dimension first.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_TILEPRODUCT_H
#define GNN_LIB_CONVERSION_TILETOGPU_TILEPRODUCT_H

#include "Kernel.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

#include "mlir/IR/IRMapping.h"

namespace gnn::tile {

/// Values of an operand that lie side by side, which a thread stages: where the
/// first of them is in the tile, along the summed dimension and across.
struct ProductPiece {
  mlir::Value depth, across;
  int64_t width;
};

/// How an operand lies in memory.
struct ProductOperand {
  bool byDepth; ///< values of the summed dimension side by side
  bool aligned; ///< in fours
};

/// A tile product in fp32 on the general cores.
class TileProduct {
public:
  /// A tile over operands of type `element`.
  TileProduct(Kernel &kernel, ProductLayout layout, mlir::Type element,
              ProductOperand left, ProductOperand right);

  int64_t columns() const { return layout.columns; }
  int64_t depth() const { return layout.depth; }

  /// What this thread loads of each step of an operand.
  llvm::ArrayRef<ProductPiece> leftPieces() const { return left.pieces; }
  llvm::ArrayRef<ProductPiece> rightPieces() const { return right.pieces; }

  /// Sums of the thread's rows, each a vector of its columns.
  llvm::SmallVector<mlir::Value> zero();
  /// The value of each left piece, then of each right one, of the step that
  /// begins at `first`.
  using Load =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value first)>;
  /// What else is added up of the loaded values of a step.
  using Fold = llvm::function_ref<void(llvm::SmallVectorImpl<mlir::Value> &sums,
                                       mlir::ValueRange loaded)>;
  /// Adds the products of all steps from `begin` to `end` in their order. There
  /// is one at least. `sums` may go on with what `fold` adds to.
  llvm::SmallVector<mlir::Value> sum(mlir::ValueRange sums, mlir::Value begin,
                                     mlir::Value end, Load load,
                                     Fold fold = nullptr);
  /// The sum of `value`, which each thread has of its right pieces, over all
  /// threads with the same columns: of column `thread` in the threads below
  /// `columns`. Once all steps are done.
  mlir::Value sumOverThreads(mlir::Value value);
  void barrier();
  mlir::Value getThread() const { return thread; }

  /// Row `i` of the thread and first of its columns, in the tile.
  mlir::Value row(int64_t i);
  mlir::Value column() { return right.first; }

private:
  /// One of the two operands in shared memory. So that threads write to all
  /// banks where they hold values of the summed dimension side by side, what is
  /// across is permuted in eights, by 4 of the summed dimension: the thread's
  /// first value lies at one of a few places.
  struct Side {
    int64_t extent = 0;
    bool byDepth = false;
    mlir::Value buffer, first;
    llvm::SmallVector<mlir::Value> places;
    llvm::SmallVector<ProductPiece> pieces;

    int64_t permutations() const { return std::min<int64_t>(4, extent / 8); }
  };
  Side makeSide(Kernel &kernel, mlir::Type element, ProductOperand operand,
                int64_t extent, mlir::Value first);
  using Values = llvm::SmallVector<mlir::Value>;
  void stage(const Side &side, mlir::ValueRange values, mlir::Value half);
  void stage(mlir::ValueRange loaded, mlir::Value half);
  mlir::Value read(const Side &side, int64_t k, mlir::Value from,
                   int64_t offset, int64_t width);
  Values sumStaged(mlir::ValueRange sums, mlir::Value half);
  Values sumSome(mlir::ValueRange sums, mlir::Value from);
  Values sumAhead(mlir::ValueRange sums, mlir::Value begin, mlir::Value end,
                  Load load, Fold fold);

  Emitter &e;
  ProductLayout layout;
  mlir::Type element;
  mlir::Value thread;
  Side left, right;
};

/// Emits the body of a product's epilogue on `width` columns at once and gives
/// the yielded value.
mlir::Value emitEpilogue(Emitter &e, mlir::Block &body,
                         mlir::IRMapping &mapping, int64_t width);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_TILEPRODUCT_H
