//===- VectorLoops.h - Vectors as loops of scalars --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector that is read, summed, carried, reduced or needed twice becomes an
// array of one thread; any other vector is computed element by element where
// one of these, or a store, needs it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOSCALARLOOPS_VECTORLOOPS_H
#define GNN_LIB_CONVERSION_TILETOSCALARLOOPS_VECTORLOOPS_H

#include "../../Transforms/Utils/IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace gnn::tile {

/// Makes the loops of scalars of one loop over blocks.
class VectorLoops {
public:
  explicit VectorLoops(BlocksOp blocks)
      : blocks(blocks), b(blocks.getLoc(), blocks) {}

  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using Indices = llvm::SmallVector<Value>;
  using MaybeValue = mlir::FailureOr<Value>;
  using Body = llvm::function_ref<mlir::LogicalResult(const Indices &)>;

  // Elements (VectorElements.cpp).
  MaybeValue element(Value value, const Indices &at);
  MaybeValue compute(mlir::Operation *op, const Indices &at);
  MaybeValue elementOfConstant(mlir::arith::ConstantOp op, const Indices &at);
  MaybeValue elementOfBroadcast(mlir::vector::BroadcastOp op,
                                const Indices &at);
  MaybeValue elementOfShapeCast(mlir::vector::ShapeCastOp op,
                                const Indices &at);
  MaybeValue elementOfMask(mlir::vector::CreateMaskOp op, const Indices &at);
  MaybeValue elementOfReduction(mlir::vector::MultiDimReductionOp op,
                                const Indices &at);
  MaybeValue elementOfExtract(mlir::vector::ExtractOp op, const Indices &at);
  MaybeValue elementOfEach(mlir::ValueRange each, const Indices &at,
                           llvm::function_ref<MaybeValue(Value)> get);
  MaybeValue elementOfReduceEach(ReduceEachOp op, const Indices &at);
  MaybeValue elementOfRead(mlir::vector::TransferReadOp op, const Indices &at);
  MaybeValue elementOfGather(mlir::vector::GatherOp op, const Indices &at);
  MaybeValue pointwise(mlir::Operation *op, const Indices &at);
  MaybeValue reduce(mlir::vector::CombiningKind kind, int64_t count, Value init,
                    llvm::function_ref<MaybeValue(Value)> term);
  /// The mask of a transfer at an element of its vector; null where all are
  /// there.
  MaybeValue isTransferred(mlir::VectorTransferOpInterface op,
                           const Indices &at);
  /// Where a transfer finds an element of its vector.
  Indices placeOf(mlir::VectorTransferOpInterface op, const Indices &at);

  // Tiles of rows (RowTiles.cpp).
  struct RowElement {
    Indices indices;
    Value isColumn; ///< whether it lies before the end; null: it does
    Value inside;   ///< that, and whether its row is there; null: both are so
  };
  template <typename RowsOp>
  mlir::FailureOr<RowElement> locate(RowsOp op, const Indices &at);
  MaybeValue elementOfRows(LoadRowsOp op, const Indices &at);
  mlir::LogicalResult lowerStore(StoreRowsOp op);

  // Statements (Vectors.cpp).
  mlir::LogicalResult lower(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerPure(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  void store(mlir::Value value, mlir::Value memref, const Indices &at);
  mlir::LogicalResult lowerWrite(mlir::vector::TransferWriteOp op);
  mlir::LogicalResult lowerScatter(mlir::vector::ScatterOp op);
  mlir::LogicalResult lowerWindow(StageWindowOp op);
  mlir::LogicalResult lowerStage(StageOp op);
  mlir::LogicalResult lowerContract(ContractOp op);
  void bindResults(mlir::Operation *op, mlir::ValueRange values);
  mlir::LogicalResult fill(Value array, Value value);
  mlir::LogicalResult keep(Value value);

  // Workers (Workers.cpp).
  mlir::LogicalResult lowerWalk(WalkOp walk);
  mlir::LogicalResult lowerParallel(ParallelOp op);
  mlir::LogicalResult combine(mlir::Block &block, mlir::ValueRange others,
                              mlir::ValueRange states);
  mlir::FailureOr<llvm::SmallVector<Value>> evaluate(mlir::ValueRange values);
  void assign(mlir::ValueRange evaluated, mlir::ValueRange states);
  Value stateFor(mlir::Type type);
  void bind(Value value, Value state);

  Value scalar(Value value) { return scalars.lookupOrDefault(value); }
  Value arrayFor(mlir::Type type);
  mlir::LogicalResult forAll(llvm::ArrayRef<int64_t> shape, Body body,
                             const Indices &outer = {});
  void copy(Value from, Value to);

  BlocksOp blocks, made;
  IndexBuilder b;
  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Value> arrays;
  /// Whether what is written is added to what is there.
  bool addsAtomically = false;
};

/// The error at an op that has no loops of scalars.
mlir::LogicalResult refuseVectors(mlir::Operation *op,
                                  llvm::StringRef expected);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOSCALARLOOPS_VECTORLOOPS_H
