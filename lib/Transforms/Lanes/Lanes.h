//===- Lanes.h - What each lane of a block holds ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of the loops form becomes the parts of it that one lane holds:
// `vector` features side by side in each, one a round of the lanes over heads
// and one a round of those over features.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_LANES_H
#define GNN_LIB_TRANSFORMS_LANES_LANES_H

#include "../Utils/IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

namespace gnn::tile {

/// What a dimension of a vector is: a dimension of size 1 is nothing.
enum class Axis { None, Head, Feature };

/// What a lane holds of a value: [head round][feature round], with a single
/// entry for an axis that it does not have.
struct Held {
  llvm::SmallVector<Axis, 2> axes; // of its dimensions; none of a scalar
  llvm::SmallVector<mlir::Value> parts;

  bool has(Axis axis) const { return llvm::is_contained(axes, axis); }
};

/// One round of the lanes over a dimension.
struct Round {
  mlir::Value offset; // of what this lane has; 0 where it has nothing
  mlir::Value inside; // whether it has something; null: always
};

/// Makes the lanes form of one loop over blocks, or of a part of it.
class LaneDistribution {
public:
  /// `loop` is spread over `lanes`.
  LaneDistribution(mlir::Operation *loop, LanesAttr lanes)
      : lanes(lanes), b(loop->getLoc(), loop) {}

  mlir::LogicalResult run(mlir::scf::ForallOp blocks);
  /// Leaves the rest of the loop over blocks as it is.
  mlir::LogicalResult runOnPart(mlir::scf::ForOp part);

private:
  // Values (DistributeLanes.cpp).
  void locateLane();
  const llvm::SmallVector<Round> &roundsOf(Axis axis, int64_t size);
  llvm::SmallVector<Axis, 2> defaultAxes(mlir::Type type);
  mlir::Type partType(mlir::Type element, llvm::ArrayRef<Axis> axes);
  int64_t countParts(mlir::VectorType type, llvm::ArrayRef<Axis> axes);
  Held get(mlir::Value value);
  Held get(mlir::Value value, llvm::ArrayRef<Axis> axes, mlir::VectorType type);
  mlir::Value scalar(mlir::Value value) { return get(value).parts.front(); }
  void set(mlir::Value value, Held held) { known[value] = std::move(held); }
  void setScalar(mlir::Value value, mlir::Value lane) {
    set(value, {{}, {lane}});
  }
  mlir::LogicalResult distribute(mlir::Block &block);
  mlir::LogicalResult distribute(mlir::Operation *op);
  /// Returns the loop of this lane.
  mlir::FailureOr<mlir::scf::ForOp> distributeFor(mlir::scf::ForOp loop);
  mlir::LogicalResult distributeIf(mlir::scf::IfOp op);
  mlir::LogicalResult distributePointwise(mlir::Operation *op);
  mlir::LogicalResult distributeBroadcast(mlir::vector::BroadcastOp op);
  mlir::LogicalResult distributeShapeCast(mlir::vector::ShapeCastOp op);
  mlir::LogicalResult distributeStep(mlir::vector::StepOp op);
  mlir::LogicalResult verifyOperands(mlir::Operation *op);

  // Memory (LaneMemory.cpp).
  mlir::LogicalResult distributeRead(mlir::vector::TransferReadOp op);
  mlir::LogicalResult distributeWrite(mlir::vector::TransferWriteOp op);
  /// Where the parts of a vector that is read or written lie: for each, the
  /// indices and whether it counts.
  struct Place {
    llvm::SmallVector<mlir::Value> indices;
    mlir::Value inside;
  };
  mlir::FailureOr<llvm::SmallVector<Place>>
  placesOf(mlir::VectorTransferOpInterface op, llvm::ArrayRef<Axis> axes);
  mlir::Value onlyLane(llvm::ArrayRef<Axis> axes);
  bool isAligned(mlir::VectorTransferOpInterface op);

  // Reductions and workers (LaneReductions.cpp).
  mlir::LogicalResult distributeReduction(mlir::vector::MultiDimReductionOp op);
  mlir::LogicalResult distributeParallel(ParallelOp op);
  mlir::LogicalResult runByTurns(ParallelOp op);
  mlir::LogicalResult combineLanes(ParallelOp op,
                                   llvm::MutableArrayRef<Held> states,
                                   int64_t count, int64_t stride);
  mlir::LogicalResult combineWarps(ParallelOp op,
                                   llvm::MutableArrayRef<Held> states);
  mlir::FailureOr<llvm::SmallVector<Held>>
  combineStates(ParallelOp op, llvm::ArrayRef<Held> x, llvm::ArrayRef<Held> y);
  void storeFlags(ParallelOp op, llvm::ArrayRef<Held> states);
  mlir::LogicalResult readFlags(mlir::Operation *op, mlir::Value flags);
  mlir::Value overLanes(mlir::Value value,
                        mlir::gpu::AllReduceOperation operation, int64_t lanes,
                        int64_t stride);
  mlir::Value shuffleXor(mlir::Value value, int64_t offset);
  mlir::Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value forEachPart(mlir::Value value,
                          llvm::function_ref<mlir::Value(mlir::Value)> f);

  int64_t warps() const { return lanes.getThreads() / 32; }

  LanesAttr lanes;
  IndexBuilder b;
  mlir::Value thread, featureLane, headLane, elementLane, team;
  llvm::DenseMap<mlir::Value, Held> known;
  std::map<std::pair<Axis, int64_t>, llvm::SmallVector<Round>> rounds;
  /// Arrays of flags, one a warp, in workgroup memory.
  llvm::DenseMap<mlir::Value, mlir::Value> flags;
  /// Whether this is the work of one team, of one lane over elements.
  bool isOfTeam = false, isOfElement = false;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_LANES_H
