//===- Distribution.h - Values held by threads of a block -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of the loops form becomes the parts of it that one thread holds, by
// a spread: each of some columns side by side, one row after the other.
//
// In a `gnn_tile.teams`, as traversals have it, there is one spread for all:
// rows are heads, columns features, and each vector is held where it stands. A
// part past the end is read from the beginning and does not count. Around it,
// in products, what is staged, summed and stored says its spread, and what it
// is computed of is held so. Values move from one spread to another through
// workgroup memory.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_DISTRIBUTION_H
#define GNN_LIB_TRANSFORMS_LANES_DISTRIBUTION_H

#include "../Utils/IndexBuilder.h"

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace gnn::tile {

/// How a vector is held: by a spread over threads, as far as it varies by rows
/// and by columns; other threads hold copies. A spread of one dimension is that
/// of columns.
struct Spread {
  enum Axis {
    None = 0,
    Rows = 1,
    Columns = 2,
    Tile = Rows | Columns,
    /// Over the lanes of columns, in teams: one element of a walk each, in
    /// turn.
    Elements = 4
  };
  SpreadAttr attr;
  Axis axis = Tile;

  /// The spread of a vector with as many dimensions.
  static Spread ofWhole(SpreadAttr attr) {
    return {attr, attr.getEach().size() == 2 ? Tile : Columns};
  }
  Spread of(Axis other) const { return {attr, other}; }
  bool hasRows() const { return axis & Rows; }
  bool hasColumns() const { return axis & Columns; }
  bool hasElements() const { return axis & Elements; }
  /// The axis of a dimension of a vector; None where it does not vary by it.
  Axis axisOf(mlir::VectorType type, unsigned dim) const {
    unsigned of = type.getRank() == 1 ? Tile | Elements
                  : dim == 0          ? Rows
                                      : Columns | Elements;
    return static_cast<Axis>(axis & of);
  }
  /// Columns side by side in a part; rows and columns of lanes.
  int64_t width() const { return hasColumns() ? attr.getEach().back() : 1; }
  int64_t eachRows() const { return isFlat() ? 1 : attr.getEach()[0]; }
  int64_t laneRows() const { return isFlat() ? 1 : attr.getLanes()[0]; }
  int64_t laneColumns() const { return attr.getLanes().back(); }
  /// Lanes of columns that have an element of a vector each; others have the
  /// same again.
  int64_t laneElements(mlir::VectorType type) const {
    return std::min(laneColumns(), type.getShape().back());
  }
  bool isFlat() const { return attr.getEach().size() == 1; }
  /// Rows that a thread holds, and parts of columns.
  int64_t rowsOf(mlir::VectorType type) const;
  int64_t columnsOf(mlir::VectorType type) const;
  int64_t partsOf(mlir::VectorType type) const {
    return rowsOf(type) * columnsOf(type);
  }
  /// The most parts that a thread holds: all are written one after the other.
  static constexpr int64_t mostParts = 1 << 16;
  /// Whether it has one or two dimensions, and a thread holds no more parts.
  bool isOfParts(mlir::VectorType type) const;
  /// Whether threads hold as much of it, each element once.
  bool fits(mlir::VectorType type) const;

  auto key() const {
    return std::make_pair(attr.getAsOpaquePointer(), static_cast<int>(axis));
  }
};

/// One of the parts: the row of those that the thread holds, the part of
/// columns, and one of its columns (-1: all).
struct VectorPart {
  int64_t row = 0, column = 0, single = -1;
};

/// Whether a vector is computed of scalars alone, where it is used.
bool isOfScalars(mlir::Value value);

/// Makes the lanes form of one loop over blocks.
class Distribution {
public:
  Distribution(BlocksOp blocks) : blocks(blocks), b(blocks.getLoc(), blocks) {}

  mlir::LogicalResult run();
  int64_t getThreads() const { return threads; }

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  // Layouts (Spreads.cpp).
  Spread::Axis axisOf(Value value);
  llvm::SmallVector<Spread> spreadsOf(Value value);
  mlir::LogicalResult askAll();
  mlir::LogicalResult ask(mlir::Operation *user, Value value, Spread spread,
                          mlir::Operation *at = nullptr);
  mlir::LogicalResult askOperands(mlir::Operation *op, Spread spread,
                                  mlir::Operation *at);
  mlir::LogicalResult askCarried(mlir::Operation *op, unsigned number,
                                 Spread spread);
  mlir::LogicalResult askCopied(StageOp op, Spread spread);
  bool record(Value value, Spread spread);

  // Statements (Distribute.cpp).
  mlir::LogicalResult distribute(mlir::Block &block);
  mlir::LogicalResult distribute(mlir::Operation *op);
  mlir::LogicalResult distributeOther(mlir::Operation *op);
  mlir::LogicalResult distributeFor(mlir::scf::ForOp loop);
  mlir::LogicalResult distributeIf(mlir::scf::IfOp op);
  mlir::LogicalResult distributeTeams(TeamsOp op);
  mlir::LogicalResult verifyHolds(mlir::Operation *op);
  mlir::LogicalResult verifyOperands(mlir::Operation *op);
  mlir::LogicalResult verifyComputed(mlir::Operation *op);
  mlir::LogicalResult verifyAlike(mlir::Operation *op, Value value, Value as);
  bool isOfAnyAxis(Value value);
  Values partsOf(mlir::ValueRange values, mlir::ValueRange as);
  void setParts(mlir::ValueRange values, mlir::ValueRange parts);

  // Values (Parts.cpp).
  Value get(Value value, Spread spread, VectorPart part);
  Value compute(Value value, Spread spread, VectorPart part);
  Value computePointwise(mlir::Operation *op, Spread spread, VectorPart part);
  Value broadcast(mlir::vector::BroadcastOp op, Spread spread, VectorPart part);
  void materialize(Value value);
  Values materialized(Value value, Spread spread);
  mlir::Type partType(mlir::Type element, Spread spread, VectorPart part);
  std::pair<Value, Value> placeOf(Spread spread);
  Value rowOf(Spread spread, VectorPart part);
  Value columnOf(Spread spread, VectorPart part);
  Value numberOf(mlir::VectorType type, Spread spread, VectorPart part);
  Value entryOfHead(mlir::DenseElementsAttr values, VectorPart part);
  Value scalar(Value value) { return scalars.lookupOrDefault(value); }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  Value bitXor(Value x, Value y) {
    return mlir::arith::XOrIOp::create(b, x, y);
  }
  Value zero(mlir::Type type) {
    return mlir::arith::ConstantOp::create(b, b.getZeroAttr(type));
  }

  // Products and memory (ProductTiles.cpp).
  void stage(StageOp op);
  mlir::LogicalResult multiply(ContractOp op);
  /// An operand of a product: its array, and the first step's row there.
  struct Staged {
    Value array, first;
    int64_t depth;
  };
  using StepAdder = llvm::function_ref<Values(mlir::ValueRange, Value)>;
  mlir::LogicalResult verifyStaged(mlir::vector::TransferReadOp op,
                                   int64_t width);
  mlir::FailureOr<Staged> findStaged(ContractOp op, Value operand,
                                     int64_t width);
  Values placesIn(Value array, Value first);
  Values addSteps(const Staged &left, const Staged &right, Spread spread,
                  mlir::ValueRange sums, Value from, Value rightFrom);
  Values addAllSteps(const Staged &side, Values sums, StepAdder add);
  void store(StoreRowsOp op);
  void storePart(StoreRowsOp op, Spread spread, VectorPart part);
  Value readStaged(mlir::vector::TransferReadOp op, Spread spread,
                   VectorPart part);
  Value load(LoadRowsOp op, Spread spread, VectorPart part);
  /// Where a part of rows lies, and whether it is there (null: it is).
  struct PartPlace {
    Values indices;
    Value inside;
    /// Whether it is the last vector of features that are no multiple of a
    /// vector (null: it is not), and the features that this one has.
    Value isTail;
    int64_t left = 0;
  };
  PartPlace locate(LoadRowsOp op, Spread spread, VectorPart part);
  void copy(LoadRowsOp op, Spread spread, VectorPart part, Value array,
            mlir::ValueRange indices);
  Value addFirst(Value first, Value depth);
  static int64_t permutationOf(Value array);
  Value permute(Value array, Value depth, Value across);

  // Products on tensor cores (ProductMma.cpp).
  mlir::LogicalResult checkFragments(ContractOp op);
  Values addFragments(const Staged &left, const Staged &right, Spread spread,
                      mlir::ValueRange sums, Value from, Value rightFrom);
  Value permuted(const Staged &side, Spread spread, Value across);

  // Lanes and what they read and write (LaneMemory.cpp).
  /// One round of the lanes over rows or columns.
  struct Round {
    Value offset; // of what this lane has; 0 where it has nothing
    Value inside; // whether it has something; null: always
    /// As of a PartPlace.
    Value isTail;
    int64_t left = 0;
  };
  void locateLane();
  void locateTail(Round &round, Value end, int64_t left);
  const llvm::SmallVector<Round> &roundsOf(Spread::Axis axis, int64_t size);
  mlir::LogicalResult distributeRead(mlir::vector::TransferReadOp op);
  void storePart(mlir::Value part, mlir::Value memref, mlir::ValueRange indices,
                 bool isAligned = false);
  mlir::LogicalResult distributeWrite(mlir::vector::TransferWriteOp op);
  Spread spreadOfWritten(mlir::vector::TransferWriteOp op);
  mlir::LogicalResult distributeStore(mlir::memref::StoreOp op);
  mlir::FailureOr<llvm::SmallVector<PartPlace>>
  placesOf(mlir::VectorTransferOpInterface op, Spread spread);
  Value onlyLane(Spread::Axis axis);
  bool isAligned(mlir::VectorTransferOpInterface op);
  Value readPart(mlir::vector::TransferReadOp op, const PartPlace &place,
                 int64_t width);
  void writePart(mlir::vector::TransferWriteOp op, const PartPlace &place,
                 Value part);

  // Reductions and workers (LaneReductions.cpp).
  mlir::LogicalResult verifyReduction(mlir::vector::MultiDimReductionOp op);
  mlir::LogicalResult distributeReduction(mlir::vector::MultiDimReductionOp op);
  Value reduce(mlir::vector::MultiDimReductionOp op, Spread spread,
               VectorPart part);
  Value reduceOwn(mlir::arith::AtomicRMWKind kind, Value source, Spread spread,
                  unsigned dim, VectorPart part);
  mlir::LogicalResult reduceEach(ReduceEachOp op);
  Value getOfElement(Value source, VectorPart part, int64_t element);
  mlir::LogicalResult distributeExtract(mlir::vector::ExtractOp op);
  mlir::LogicalResult distributeSlice(mlir::vector::ExtractStridedSliceOp op);
  mlir::LogicalResult distributeGather(mlir::vector::GatherOp op);
  mlir::LogicalResult distributeScatter(mlir::vector::ScatterOp op);
  mlir::LogicalResult distributeParallel(ParallelOp op);
  mlir::LogicalResult runByTurns(ParallelOp op);
  void distributeAnyTeam(AnyTeamOp op);
  void distributeMostOfTeams(MostOfTeamsOp op);
  Value overTeams(Value number);
  // Windows (LaneWindows.cpp).
  void stageWindow(StageWindowOp op);
  void loadNumbers(LoadNumbersOp op);
  void transpose(llvm::MutableArrayRef<Value> vectors);
  void waitForWindow(bool ofTeam);
  mlir::LogicalResult combineLanes(ParallelOp op,
                                   llvm::MutableArrayRef<Values> states,
                                   int64_t count, int64_t stride);
  mlir::LogicalResult combineWarps(ParallelOp op,
                                   llvm::MutableArrayRef<Values> states);
  mlir::FailureOr<llvm::SmallVector<Values>>
  combineStates(ParallelOp op, llvm::ArrayRef<Values> x,
                llvm::ArrayRef<Values> y);
  void storeFlags(ParallelOp op, Value flag);
  void waitForFlags(int64_t flagsBefore);
  mlir::LogicalResult readFlags(mlir::Operation *op, Value flags);
  Value overLanes(Value value, mlir::gpu::AllReduceOperation operation,
                  int64_t lanes, int64_t stride);
  Value shuffleXor(Value value, int64_t offset);
  Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  Value forEachPart(Value value, llvm::function_ref<Value(Value)> f);
  int64_t lanesOfWarp() const { return getBlockLimits(blocks).lanes; }
  int64_t warps() const { return lanes.getThreads() / lanesOfWarp(); }

  BlocksOp blocks, made;
  IndexBuilder b;
  mlir::IRMapping scalars;
  Value thread;
  int64_t threads = 0;

  /// Parts of values by spread. In spreads that a value is not held in, it is
  /// computed where it is needed.
  using Key = std::pair<void *, std::pair<const void *, int>>;
  static Key keyOf(Value value, Spread spread) {
    return {value.getAsOpaquePointer(), spread.key()};
  }
  std::map<Key, Values> held;
  /// The spreads that values are asked for in, and what has been asked of those
  /// that a store computes.
  llvm::DenseMap<Value, llvm::SmallVector<Spread>> asked;
  std::set<std::pair<Key, mlir::Operation *>> askedAt;

  /// The values that were computed for the load or store at hand.
  std::map<std::pair<Key, std::array<int64_t, 3>>, Value> atHand;
  bool hasAtHand = false;

  /// First row and column of a thread by spread, and where it reads in a
  /// permuted array by these.
  std::map<const void *, std::pair<Value, Value>> places;
  std::map<std::pair<void *, int64_t>, Values> readPlaces;

  /// The lanes of the teams that are distributed, null outside of them, and
  /// what a lane is among them.
  SpreadAttr lanes;
  TeamsOp teams;
  Value featureLane, headLane, elementLane, team;
  std::map<std::pair<Spread::Axis, int64_t>, llvm::SmallVector<Round>> rounds;
  llvm::DenseMap<Value, Spread::Axis> axes;
  /// Parts of what the lanes of a team have left in a private array.
  llvm::DenseMap<Value, Values> left;
  /// Arrays of flags, one a warp, in workgroup memory.
  llvm::DenseMap<Value, Value> flags;
  int64_t flagsStored = 0;
  /// Whether this is the work of one team, of one lane over elements.
  bool isOfTeam = false, isOfElement = false;
  /// Whether what is written is added to what is there.
  bool addsAtomically = false;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_DISTRIBUTION_H
