//===- ProductParts.h - What each thread holds of tiles ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of the loops form with a spread becomes the parts of it that one
// thread holds, each of some columns side by side. Vectors of rows or columns
// alone are held as the tile is of which they are a dimension.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_PRODUCTPARTS_H
#define GNN_LIB_TRANSFORMS_LANES_PRODUCTPARTS_H

#include "../Utils/IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace gnn::tile {

/// How a vector is held: as tiles with that spread, or as their rows or
/// columns. A spread of one dimension is that of columns.
struct Layout {
  enum Axis { Tile, Rows, Columns };
  SpreadAttr spread;
  Axis axis = Tile;

  Layout of(Axis other) const { return {spread, other}; }
  bool hasRows() const { return axis != Columns; }
  bool hasColumns() const { return axis != Rows; }
  /// Columns side by side in a part; rows and columns of lanes.
  int64_t width() const { return hasColumns() ? spread.getEach().back() : 1; }
  int64_t eachRows() const { return isFlat() ? 1 : spread.getEach()[0]; }
  int64_t laneRows() const { return isFlat() ? 1 : spread.getLanes()[0]; }
  int64_t laneColumns() const { return spread.getLanes().back(); }
  bool isFlat() const { return spread.getEach().size() == 1; }
  /// Rows that a thread holds of `count`, and parts of columns.
  int64_t rowsOf(mlir::VectorType type) const;
  int64_t columnsOf(mlir::VectorType type) const;
  /// Whether threads hold as much of it, each element once.
  bool fits(mlir::VectorType type) const;

  auto key() const {
    return std::make_pair(spread.getAsOpaquePointer(), static_cast<int>(axis));
  }
};

/// One of the parts: the row of those that the thread holds, the part of
/// columns, and one of its columns (-1: all).
struct Part {
  int64_t row = 0, column = 0, single = -1;
};

/// Makes the lanes form of one loop over blocks.
class ProductDistribution {
public:
  ProductDistribution(mlir::scf::ForallOp blocks)
      : blocks(blocks), b(blocks.getLoc(), blocks) {}

  mlir::LogicalResult run();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // What is asked of values (ProductLayouts.cpp).
  mlir::LogicalResult askAll();
  mlir::LogicalResult ask(mlir::Operation *user, mlir::Value value,
                          Layout layout, mlir::Operation *at = nullptr);
  mlir::LogicalResult askOperands(mlir::Operation *op, Layout layout,
                                  mlir::Operation *at);
  mlir::LogicalResult askBroadcast(mlir::vector::BroadcastOp op, Layout layout,
                                   mlir::Operation *at);
  mlir::LogicalResult askCarried(mlir::Operation *op, unsigned number,
                                 Layout layout);
  mlir::LogicalResult askCopied(mlir::vector::TransferWriteOp op,
                                Layout layout);
  bool record(mlir::Value value, Layout layout);

  // Statements (DistributeProducts.cpp).
  mlir::LogicalResult distribute(mlir::Block &block);
  mlir::LogicalResult distribute(mlir::Operation *op);
  mlir::LogicalResult copyPart(mlir::Operation *op);
  mlir::LogicalResult distributeFor(mlir::scf::ForOp loop);
  mlir::LogicalResult distributeIf(mlir::scf::IfOp op);
  Values partsOf(mlir::ValueRange values, mlir::ValueRange as);
  void setParts(mlir::ValueRange values, mlir::ValueRange parts);

  // Products and memory (ProductTiles.cpp).
  mlir::LogicalResult stage(mlir::vector::TransferWriteOp op);
  mlir::LogicalResult multiply(mlir::vector::ContractionOp op);
  /// An operand of a product: its array, and the first step's row there.
  struct Staged {
    mlir::Value array, first;
    int64_t depth;
  };
  using StepAdder = llvm::function_ref<Values(mlir::ValueRange, mlir::Value)>;
  mlir::FailureOr<Staged> findStaged(mlir::vector::ContractionOp op,
                                     mlir::Value operand);
  Values placesIn(mlir::Value array, mlir::Value first);
  Values addSteps(const Staged &left, const Staged &right, Layout layout,
                  mlir::ValueRange sums, mlir::Value from);
  Values addAllSteps(const Staged &side, Values sums, StepAdder add);

  // Products on tensor cores (ProductMma.cpp).
  mlir::LogicalResult checkFragments(mlir::vector::ContractionOp op,
                                     Layout layout);
  Values addFragments(const Staged &left, const Staged &right, Layout layout,
                      mlir::ValueRange sums, mlir::Value from);
  mlir::Value permuted(const Staged &side, Layout layout, mlir::Value across);

  void store(StoreRowsOp op);
  void storePart(StoreRowsOp op, Layout layout, Part part);
  mlir::Value readStaged(mlir::vector::TransferReadOp op, Layout layout,
                         Part part);
  mlir::Value load(LoadRowsOp op, Layout layout, Part part);
  /// Where a part of rows lies, and whether it is there (null: it is).
  struct Place {
    Values indices;
    mlir::Value inside;
  };
  Place locate(LoadRowsOp op, Layout layout, Part part);
  void copy(LoadRowsOp op, Layout layout, Part part, mlir::Value array,
            mlir::ValueRange indices);
  bool isSureOfRow(mlir::Value inside, Layout layout, Part part);
  bool isSureOfColumn(LoadRowsOp op, Layout layout, Part part);
  mlir::Value addFirst(mlir::Value first, mlir::Value depth);
  mlir::Value permute(mlir::Value array, mlir::Value depth, mlir::Value across);

  // Values (ProductParts.cpp).
  mlir::Value get(mlir::Value value, Layout layout, Part part);
  mlir::Value compute(mlir::Value value, Layout layout, Part part);
  mlir::Value computePointwise(mlir::Operation *op, Layout layout, Part part);
  bool isUnclamped(mlir::arith::MinSIOp op, Layout layout, Part part);
  mlir::Value broadcast(mlir::vector::BroadcastOp op, Layout layout, Part part);
  mlir::Value reduce(mlir::vector::MultiDimReductionOp op, Layout layout,
                     Part part);
  void materialize(mlir::Value value);
  Values materialized(mlir::Value value, Layout layout);
  mlir::Type partType(mlir::Type element, Layout layout, Part part);
  std::pair<mlir::Value, mlir::Value> placeOf(Layout layout);
  mlir::Value rowOf(Layout layout, Part part);
  mlir::Value columnOf(Layout layout, Part part);
  mlir::Value scalar(mlir::Value value) {
    return scalars.lookupOrDefault(value);
  }

  // Arithmetic (ProductParts.cpp).
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value zero(mlir::Type type);

  mlir::scf::ForallOp blocks, made;
  IndexBuilder b;
  mlir::IRMapping scalars;
  mlir::Value thread;
  int64_t threads = 0;

  /// The layouts that values are held in; in others they are computed where
  /// they are needed.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Layout>> asked;
  using Key = std::pair<void *, std::pair<const void *, int>>;
  std::map<Key, Values> held;
  /// What has been asked of values that a store computes.
  std::set<std::pair<Key, mlir::Operation *>> askedAt;

  /// The store at hand: its branch has made sure of the row and column of a
  /// part.
  struct Branch {
    StoreRowsOp op;
    Layout layout;
    Part part;
  };
  std::optional<Branch> branch;
  /// What has been computed for the load or store at hand.
  std::map<std::pair<Key, std::array<int64_t, 3>>, mlir::Value> atHand;
  bool hasAtHand = false;

  /// First row and column of a thread by spread, and where it reads in a
  /// permuted array by these.
  std::map<const void *, std::pair<mlir::Value, mlir::Value>> places;
  std::map<std::pair<void *, int64_t>, Values> readPlaces;
  /// How arrays are permuted.
  llvm::DenseMap<mlir::Value, int64_t> permutations;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_PRODUCTPARTS_H
