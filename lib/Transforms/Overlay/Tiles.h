//===- Tiles.h - Instructions of tiles --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_OVERLAY_TILES_H
#define GNN_LIB_TRANSFORMS_OVERLAY_TILES_H

#include "OverlayForms.h"

#include "mlir/IR/Builders.h"

namespace gnn::overlay {

/// Builds the layer blocks of a program.
class TileBuilder {
public:
  /// A tile of a linear layer makes `linearGroup` fibers, where there are so
  /// many.
  TileBuilder(ProgramOp program, bool unroll, int64_t linearGroup);

  /// Builds the block of layer number `layer`, at the end of the program.
  /// Errors, at the layer: more than a head of layers has room for.
  mlir::LogicalResult addLayer(LayerOpInterface op, int64_t layer);

private:
  void addAggregate(AggregateOp op);
  void addLinear(LinearOp op);
  void addVectorInner(VectorInnerOp op);
  void addVectorAdd(VectorAddOp op);
  void addActivation(ActivationOp op);
  void addBatchNorm(BatchNormOp op);
  void addOnEdges(ActivationOp op);

  mlir::LogicalResult checkLayer(LayerOpInterface op, int64_t layer);

  /// Calls body(fiber, block) for each tile of rows of that many features, in
  /// fiber-major order; of tiles of `step` fibers it is the first.
  void forTiles(int64_t features, llvm::function_ref<void(int64_t, int64_t)>,
                int64_t step = 1);
  /// Calls body(block of destinations, block of sources, entry) for each entry.
  void forEntries(llvm::function_ref<void(int64_t, int64_t, int64_t)>);
  /// Builds a tiling block.
  void addTile(llvm::function_ref<void()> body);
  /// Builds `trips` iterations: a loop, whose body is that of iteration 0, or
  /// all of them one behind the other. `isInLoop` tells which.
  void repeat(int64_t trips,
              llvm::function_ref<void(int64_t trip, bool isInLoop)> body);

  void load(Space space, mlir::FlatSymbolRefAttr region, int64_t offset,
            int64_t stride, int64_t rows, int64_t width, int64_t buffer,
            bool byDescriptor = false, int64_t fiberStride = 0);
  void loadBlock(mlir::FlatSymbolRefAttr region, int64_t fiber, int64_t block,
                 int64_t buffer, int64_t stride = 0);
  /// The output, `fibers` from `fiber` on, begins with `value` or a bias.
  void init(InitValue value, mlir::FlatSymbolRefAttr bias, int64_t fiber,
            int64_t trips, bool onEdges = false, int64_t fibers = 1);
  /// Functions of a tile. The first reads `buffer`, the others the output.
  void addActivations(mlir::ArrayAttr acts, int64_t buffer, bool onEdges,
                      mlir::FlatSymbolRefAttr affine = {}, int64_t fiber = 0,
                      int64_t fibers = 1);
  void store(Space space, int64_t offset, int64_t rows, int64_t width,
             bool byDescriptor = false, int64_t fiber = 0);
  /// Fiber `from` of the output is a block of rows of `fiber`.
  void storeBlock(int64_t fiber, int64_t block, int64_t from = 0);
  void storeEntry(int64_t entry);
  mlir::IntegerAttr number(int64_t value) {
    return builder.getI64IntegerAttr(value);
  }
  mlir::UnitAttr flag(bool isSet) {
    return isSet ? builder.getUnitAttr() : mlir::UnitAttr();
  }

  int64_t subfiberBytes() const { return 4 * n1 * n2; }
  int64_t fiberBytes() const { return subfiberBytes() * blocks; }

  ProgramOp program;
  PartitionAttr partition;
  bool unroll;
  int64_t linearGroup;
  int64_t n1, n2, blocks;
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// Where the layer's result goes.
  mlir::FlatSymbolRefAttr output;
};

} // namespace gnn::overlay

#endif // GNN_LIB_TRANSFORMS_OVERLAY_TILES_H
