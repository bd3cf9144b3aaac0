//===- ProductTiles.cpp - Tiles of products by threads --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Steps of the summed dimension that are written one after the other.
static constexpr int64_t unrolled = ContractOp::depthAtOnce;
/// Values of a row of the left operand that are read at once.
static constexpr int64_t mostRows = 4;

//===----------------------------------------------------------------------===//
// Rows in global memory
//===----------------------------------------------------------------------===//

/// Column 0 is read for columns past the end.
Distribution::PartPlace Distribution::locate(LoadRowsOp op, Spread spread,
                                             VectorPart part) {
  Value inside;
  if (op.getInside())
    inside = get(op.getInside(), spread.of(Spread::Rows), {part.row, 0, -1});
  Value column, columnInside;
  if (op.hasColumns()) {
    column = b.add(scalar(op.getIndices().back()), columnOf(spread, part));
    if (op.getBelow()) {
      columnInside = b.less(column, b.index(*op.getBelow()));
      column = select(columnInside, column, b.index(0));
    }
  }
  SmallVector<Value> indices;
  for (Value at : op.getIndices()) {
    if (!isa<VectorType>(at.getType())) {
      indices.push_back(scalar(at));
      continue;
    }
    indices.push_back(get(at, spread.of(Spread::Rows), {part.row, 0, -1}));
  }
  if (column)
    indices.back() = column;
  return {indices, b.both(inside, columnInside), /*isTail=*/Value()};
}

Value Distribution::load(LoadRowsOp op, Spread spread, VectorPart part) {
  int64_t width = part.single < 0 ? spread.width() : 1;
  Type element = op.getType().getElementType();
  if (width > 1 && op.getAligned() % width) { // one by one
    SmallVector<Value> values;
    for (int64_t i = 0; i < width; ++i)
      values.push_back(load(op, spread, {part.row, part.column, i}));
    return vector::FromElementsOp::create(b, VectorType::get({width}, element),
                                          values);
  }
  PartPlace place = locate(op, spread, part);
  Value value = b.loadVector(scalar(op.getSource()), place.indices, width);
  return place.inside ? select(place.inside, value, zero(value.getType()))
                      : value;
}

/// Copies a part; of what is not there, nothing is read, and zeros are written.
void Distribution::copy(LoadRowsOp op, Spread spread, VectorPart part,
                        Value array, ValueRange indices) {
  PartPlace place = locate(op, spread, part);
  int64_t width = spread.width();
  Value count =
      place.inside ? select(place.inside, b.index(width), b.index(0)) : Value();
  nvgpu::DeviceAsyncCopyOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), array, indices,
      scalar(op.getSource()), place.indices, b.getIndexAttr(width), count,
      /*bypassL1=*/b.getUnitAttr());
}

void Distribution::storePart(StoreRowsOp op, Spread spread, VectorPart part) {
  Value inside;
  if (spread.attr.getNumThreads() < threads)
    inside = b.less(thread, b.index(spread.attr.getNumThreads()));
  if (op.getInside())
    inside = b.both(inside, get(op.getInside(), spread.of(Spread::Rows),
                                {part.row, 0, -1}));
  if (op.getBelow())
    inside = b.both(inside, b.less(b.add(scalar(op.getIndices().back()),
                                         columnOf(spread, part)),
                                   b.index(*op.getBelow())));
  b.where(inside, [&] {
    atHand.clear();
    hasAtHand = true;
    Value value = get(op.getValue(), spread, part);
    b.setLoc(op.getLoc());
    SmallVector<Value> indices;
    for (Value at : op.getIndices())
      indices.push_back(get(at, spread.of(Spread::Rows), {part.row, 0, -1}));
    indices.back() = b.add(indices.back(), columnOf(spread, part));
    b.storeVector(value, scalar(op.getTarget()), indices);
    hasAtHand = false;
  });
}

void Distribution::store(StoreRowsOp op) {
  Spread spread = Spread::ofWhole(op.getSpreadAttr());
  auto type = cast<VectorType>(op.getValue().getType());
  bool isWhole = op.getAligned() % spread.width() == 0;
  for (int64_t row = 0; row < spread.rowsOf(type); ++row)
    for (int64_t column = 0; column < spread.columnsOf(type); ++column)
      for (int64_t i = 0; i < (isWhole ? 1 : spread.width()); ++i)
        storePart(op, spread, {row, column, isWhole ? -1 : i});
}

//===----------------------------------------------------------------------===//
// Tiles in workgroup memory
//===----------------------------------------------------------------------===//

/// How an array is permuted: its element (k, m) lies at column m xor 8 times
/// (k / 4 mod that).
int64_t Distribution::permutationOf(Value array) {
  auto op = array.getDefiningOp<ArrayOp>();
  return op ? op.getPermuted() : 1;
}

Value Distribution::permute(Value array, Value depth, Value across) {
  int64_t permutation = permutationOf(array);
  if (permutation <= 1)
    return across;
  Value four = arith::AndIOp::create(
      b, arith::DivUIOp::create(b, depth, b.index(ArrayOp::depthsTogether)),
      b.index(permutation - 1));
  return bitXor(across, b.mul(four, ArrayOp::columnsTogether));
}

/// Checks that what is read as a tile, by vectors of `width`, is what has been
/// staged.
LogicalResult Distribution::verifyStaged(vector::TransferReadOp op,
                                         int64_t width) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  if (type && type.getRank() == 2 && isInWorkgroup(op.getBase()) &&
      op.getPermutationMap().isMinorIdentity() && !op.hasOutOfBoundsDim() &&
      !op.getMask() && isZeroInteger(op.getIndices()[1]) &&
      type.getDimSize(1) % width == 0)
    return success();
  return op->emitOpError("cannot be distributed over threads: expected rows of "
                         "an array in workgroup memory, from column 0 on and "
                         "without a mask, of columns that ")
         << width << " divides, got a read of " << op.getBase().getType();
}

void Distribution::stage(StageOp op) {
  bool byDepth = op.getTransposed();
  Spread spread{op.getSpread(), Spread::Tile};
  VectorType type = op.getTile().getType();
  Value array = op.getArray();
  auto storeAt = [&](Value value, Value depth, Value across) {
    b.storeVector(value, scalar(array), {addFirst(op.getRow(), depth), across});
  };
  auto stagePart = [&](VectorPart part) {
    Value depth = rowOf(spread, part), across = columnOf(spread, part);
    if (op.getBy() == Staging::InFlight) {
      across = permute(array, depth, across);
      return copy(op.getTile().getDefiningOp<LoadRowsOp>(), spread, part,
                  scalar(array), {addFirst(op.getRow(), depth), across});
    }
    Value value = get(op.getTile(), spread, part);
    if (byDepth)
      std::swap(depth, across);
    across = permute(array, depth, across);
    if (!byDepth || spread.width() == 1)
      return storeAt(value, depth, across);
    for (int64_t i = 0; i < spread.width(); ++i)
      storeAt(vector::ExtractOp::create(b, value, i), b.add(depth, i), across);
  };
  Value inside;
  if (spread.attr.getNumThreads() < threads)
    inside = b.less(thread, b.index(spread.attr.getNumThreads()));
  b.where(inside, [&] {
    for (int64_t row = 0; row < spread.rowsOf(type); ++row)
      for (int64_t column = 0; column < spread.columnsOf(type); ++column)
        stagePart({row, column, -1});
  });
}

/// Row `depth` behind the first one of an access.
Value Distribution::addFirst(Value first, Value depth) {
  return isZeroInteger(first) ? depth : b.add(scalar(first), depth);
}

/// A part of what is staged, by vectors that no permutation tears.
Value Distribution::readStaged(vector::TransferReadOp op, Spread spread,
                               VectorPart part) {
  Value depth = rowOf(spread, part);
  Value across = permute(op.getBase(), depth, columnOf(spread, part));
  return b.loadVector(scalar(op.getBase()),
                      {addFirst(op.getIndices()[0], depth), across},
                      part.single < 0 ? spread.width() : 1);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether the array that is read has the same in it where `op` stands.
static bool isStagedUntil(vector::TransferReadOp read, Operation *op) {
  Value array = getBuffer(read.getBase());
  auto writes = [&](Operation *other) {
    return other
        ->walk([&](Operation *inner) {
          bool isWritten =
              llvm::any_of(getAccesses(inner), [&](const BufferAccess &access) {
                return access.isWrite && access.buffer == array;
              });
          return isWritten ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  Operation *last = read->getBlock()->findAncestorOpInBlock(*op);
  for (Operation *next = read->getNextNode(); next != last;
       next = next->getNextNode())
    if (writes(next))
      return false;
  return last == op || !writes(last);
}

FailureOr<Distribution::Staged>
Distribution::findStaged(ContractOp op, Value operand, int64_t width) {
  auto read = operand.getDefiningOp<vector::TransferReadOp>();
  if (!read)
    return op.emitOpError("cannot be distributed over threads: expected "
                          "operands that are staged in workgroup memory");
  if (!isStagedUntil(read, op))
    return op.emitOpError("cannot be distributed over threads: expected "
                          "operands that nothing stages over before it");
  if (failed(verifyStaged(read, width)))
    return failure();
  return Staged{read.getBase(), read.getIndices()[0],
                read.getVectorType().getDimSize(0)};
}

/// Where the thread's first value of each step lies, by the permutation.
SmallVector<Value> Distribution::placesIn(Value array, Value first) {
  int64_t permutation = permutationOf(array);
  Values &known = readPlaces[{first.getAsOpaquePointer(), permutation}];
  if (known.empty()) {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointAfterValue(first);
    for (int64_t i = 0; i < permutation; ++i)
      known.push_back(i ? bitXor(first, b.index(ArrayOp::columnsTogether * i))
                        : first);
  }
  return known;
}

/// Adds the products of some steps, from these rows on, to each row of the
/// thread.
SmallVector<Value> Distribution::addSteps(const Staged &left,
                                          const Staged &right, Spread spread,
                                          ValueRange sums, Value from,
                                          Value rightFrom) {
  int64_t rows = spread.eachRows(), columns = spread.width();
  auto [row, column] = placeOf(spread);
  Values next(sums), leftPlaces = placesIn(left.array, row),
                     rightPlaces = placesIn(right.array, column);
  int64_t atOnce = std::min(mostRows, rows);
  auto read = [&](Value array, Value from, ArrayRef<Value> places, int64_t k,
                  int64_t offset, int64_t width) {
    Value place =
        b.add(places[k / ArrayOp::depthsTogether % places.size()], offset);
    return b.loadVector(scalar(array), {b.add(from, k), place}, width);
  };
  for (int64_t k = 0; k < std::min(unrolled, left.depth); ++k) {
    Value y = read(right.array, rightFrom, rightPlaces, k, 0, columns);
    for (int64_t first = 0; first < rows; first += atOnce) {
      Value x = read(left.array, from, leftPlaces, k, first, atOnce);
      for (int64_t i = 0; i < atOnce; ++i) {
        Value factor = atOnce > 1 ? vector::ExtractOp::create(b, x, i) : x;
        if (columns > 1)
          factor = vector::BroadcastOp::create(b, y.getType(), factor);
        next[first + i] = math::FmaOp::create(b, factor, y, next[first + i]);
      }
    }
  }
  return next;
}

/// Adds all steps of what is staged, some at a time.
SmallVector<Value> Distribution::addAllSteps(const Staged &side, Values sums,
                                             StepAdder add) {
  Value first = scalar(side.first);
  if (side.depth <= unrolled)
    return add(sums, first);
  return b.loop(first, b.add(first, side.depth), b.index(unrolled), sums,
                [&](Value from, ValueRange sums) { return add(sums, from); });
}

LogicalResult Distribution::multiply(ContractOp op) {
  Spread spread{op.getSpread(), Spread::Tile};
  VectorType type = op.getType();
  bool isOfFragments = op.isOnTensorCores();
  int64_t rows = spread.eachRows(), columns = spread.width();
  bool isSideBySide = spread.rowsOf(type) == rows &&
                      spread.columnsOf(type) == 1 && rows <= 8 && columns <= 8;
  if (!isOfFragments && !isSideBySide)
    return op.emitOpError("cannot be distributed over threads: expected sums "
                          "of which each thread has up to 8 rows and columns "
                          "side by side");
  if (isOfFragments && failed(checkFragments(op)))
    return failure();
  FailureOr<Staged> left =
      findStaged(op, op.getLeft(), std::min(mostRows, rows));
  FailureOr<Staged> right = findStaged(op, op.getRight(), columns);
  if (failed(left) || failed(right))
    return failure();
  bool isAlike = left->first == right->first ||
                 (isZeroInteger(left->first) && isZeroInteger(right->first));
  // The row of the right operand for that of the left one.
  auto rightOf = [&](Value at) {
    Value first = scalar(left->first);
    return isAlike       ? at
           : at == first ? scalar(right->first)
                         : b.add(scalar(right->first),
                                 arith::SubIOp::create(b, at, first));
  };
  Values sums = addAllSteps(
      *left, materialized(op.getSums(), spread),
      [&](ValueRange sums, Value at) {
        return isOfFragments
                   ? addFragments(*left, *right, spread, sums, at, rightOf(at))
                   : addSteps(*left, *right, spread, sums, at, rightOf(at));
      });
  held[{op.getResult().getAsOpaquePointer(), spread.key()}] = sums;
  return success();
}
