//===- ProductTiles.cpp - What threads load, stage, sum and store ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductParts.h"

#include "GNN/Dialect/Tile/IR/ProductForms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Steps of the summed dimension that are written one after the other.
static constexpr int64_t unrolled = 16;
/// Values of a row of the left operand that are read at once.
static constexpr int64_t mostRows = 4;

//===----------------------------------------------------------------------===//
// Rows in global memory
//===----------------------------------------------------------------------===//

/// Whether the branch that we are in holds for that row and its mask alone.
bool ProductDistribution::isSureOfRow(Value inside, Layout layout, Part part) {
  return branch && branch->op.getInside() == inside &&
         branch->layout.spread == layout.spread && branch->part.row == part.row;
}

/// The same of columns: those of the load are those that are stored.
bool ProductDistribution::isSureOfColumn(LoadRowsOp op, Layout layout,
                                         Part part) {
  if (!branch || branch->layout.spread != layout.spread ||
      branch->part.column != part.column)
    return false;
  return branch->op.getBelow() == op.getBelow() &&
         branch->op.getIndices().back() == op.getIndices().back() &&
         (branch->part.single < 0 || branch->part.single == part.single);
}

/// Of columns past the end, column 0 is read.
Value ProductDistribution::load(LoadRowsOp op, Layout layout, Part part) {
  int64_t width = part.single < 0 ? layout.width() : 1;
  Type element = op.getType().getElementType();
  if (width > 1 && op.getAligned() % width) { // one by one
    SmallVector<Value> values;
    for (int64_t i = 0; i < width; ++i)
      values.push_back(load(op, layout, {part.row, part.column, i}));
    return vector::FromElementsOp::create(b, VectorType::get({width}, element),
                                          values);
  }
  Value inside;
  if (op.getInside() && !isSureOfRow(op.getInside(), layout, part))
    inside = get(op.getInside(), layout.of(Layout::Rows), {part.row, 0, -1});
  Value column, columnInside;
  if (op.hasColumns()) {
    column = add(scalar(op.getIndices().back()), columnOf(layout, part));
    if (op.getBelow() && !isSureOfColumn(op, layout, part)) {
      columnInside = less(column, index(*op.getBelow()));
      column = select(columnInside, column, index(0));
    }
  }
  SmallVector<Value> indices;
  for (Value at : op.getIndices()) {
    if (!isa<VectorType>(at.getType())) {
      indices.push_back(scalar(at));
      continue;
    }
    indices.push_back(get(at, layout.of(Layout::Rows), {part.row, 0, -1}));
  }
  if (column)
    indices.back() = column;
  Value value = loadFrom(scalar(op.getSource()), indices, width);
  inside = both(inside, columnInside);
  return inside ? select(inside, value, zero(value.getType())) : value;
}

void ProductDistribution::storePart(StoreRowsOp op, Layout layout, Part part) {
  Value inside;
  if (layout.spread.getNumThreads() < threads)
    inside = less(thread, index(layout.spread.getNumThreads()));
  if (op.getInside())
    inside = both(inside, get(op.getInside(), layout.of(Layout::Rows),
                              {part.row, 0, -1}));
  if (op.getBelow())
    inside =
        both(inside,
             less(add(scalar(op.getIndices().back()), columnOf(layout, part)),
                  index(*op.getBelow())));
  OpBuilder::InsertionGuard restore(b);
  if (inside) {
    auto ifOp = scf::IfOp::create(b, inside);
    b.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  }
  atHand.clear();
  hasAtHand = true;
  branch = Branch{op, layout, part};
  Value value = get(op.getValue(), layout, part);
  b.setLoc(op.getLoc());
  SmallVector<Value> indices;
  for (Value at : op.getIndices())
    indices.push_back(get(at, layout.of(Layout::Rows), {part.row, 0, -1}));
  indices.back() = add(indices.back(), columnOf(layout, part));
  storeTo(value, scalar(op.getTarget()), indices);
  branch.reset();
  hasAtHand = false;
}

void ProductDistribution::store(StoreRowsOp op) {
  SpreadAttr spread = op.getSpreadAttr();
  Layout layout{spread,
                spread.getEach().size() == 2 ? Layout::Tile : Layout::Columns};
  auto type = cast<VectorType>(op.getValue().getType());
  bool isWhole = op.getAligned() % layout.width() == 0;
  for (int64_t row = 0; row < layout.rowsOf(type); ++row)
    for (int64_t column = 0; column < layout.columnsOf(type); ++column)
      for (int64_t i = 0; i < (isWhole ? 1 : layout.width()); ++i)
        storePart(op, layout, {row, column, isWhole ? -1 : i});
}

//===----------------------------------------------------------------------===//
// Tiles in workgroup memory
//===----------------------------------------------------------------------===//

Value ProductDistribution::permute(Value array, Value depth, Value across) {
  int64_t permutation = permutations.lookup(array);
  if (permutation <= 1)
    return across;
  Value four = arith::AndIOp::create(
      b, arith::DivUIOp::create(b, depth, index(4)), index(permutation - 1));
  return bitXor(across, arith::MulIOp::create(b, four, index(8)));
}

/// The indices of an access in front of its last two, which are 0.
static FailureOr<SmallVector<Value>> slotOf(VectorTransferOpInterface op) {
  SmallVector<Value> indices(op.getIndices());
  if (indices.size() >= 2 && isZeroInteger(indices.back()) &&
      isZeroInteger(indices[indices.size() - 2])) {
    indices.resize(indices.size() - 2);
    return indices;
  }
  return op->emitOpError("cannot be distributed over threads: expected all of "
                         "an array from 0 on");
}

LogicalResult ProductDistribution::stage(vector::TransferWriteOp op) {
  auto memref = dyn_cast<MemRefType>(op.getBase().getType());
  if (!memref || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref) ||
      memref.getRank() < 2 || op.hasOutOfBoundsDim() || op.getMask())
    return op.emitOpError("cannot be distributed over threads: expected a "
                          "whole tile in workgroup memory");
  FailureOr<SmallVector<Value>> slot = slotOf(op);
  if (failed(slot))
    return failure();
  unsigned rank = memref.getRank();
  AffineMap map = op.getPermutationMap();
  bool byDepth = map.getDimPosition(0) == rank - 1;
  Layout layout{op->getAttrOfType<SpreadAttr>(spreadAttribute), Layout::Tile};
  auto type = cast<VectorType>(op.getVector().getType());
  auto storeAt = [&](Value value, Value depth, Value across) {
    SmallVector<Value> indices =
        llvm::map_to_vector(*slot, [&](Value at) { return scalar(at); });
    indices.append({depth, across});
    storeTo(value, scalar(op.getBase()), indices);
  };
  for (int64_t row = 0; row < layout.rowsOf(type); ++row)
    for (int64_t column = 0; column < layout.columnsOf(type); ++column) {
      Part part{row, column, -1};
      Value value = get(op.getVector(), layout, part);
      Value depth = rowOf(layout, part), across = columnOf(layout, part);
      if (byDepth)
        std::swap(depth, across);
      across = permute(op.getBase(), depth, across);
      if (!byDepth || layout.width() == 1) {
        storeAt(value, depth, across);
        continue;
      }
      for (int64_t i = 0; i < layout.width(); ++i)
        storeAt(vector::ExtractOp::create(b, value, i), addConstant(depth, i),
                across);
    }
  return success();
}

/// A part of what is staged, by vectors that no permutation tears.
Value ProductDistribution::readStaged(vector::TransferReadOp op, Layout layout,
                                      Part part) {
  SmallVector<Value> indices = llvm::map_to_vector(
      op.getIndices(), [&](Value at) { return scalar(at); });
  Value depth = rowOf(layout, part);
  indices.back() = permute(op.getBase(), depth, columnOf(layout, part));
  indices[indices.size() - 2] = depth;
  return loadFrom(scalar(op.getBase()), indices,
                  part.single < 0 ? layout.width() : 1);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// An operand of a product: where the thread's first value of each step lies,
/// by the permutation.
struct ProductDistribution::Staged {
  Value array;
  SmallVector<Value> slot;
  int64_t depth;
  SmallVector<Value> places;
};

FailureOr<ProductDistribution::Staged>
ProductDistribution::findStaged(vector::ContractionOp op, Value operand,
                                Value first) {
  auto read = operand.getDefiningOp<vector::TransferReadOp>();
  auto type =
      read ? dyn_cast<MemRefType>(read.getBase().getType()) : MemRefType();
  if (!type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      !read.getPermutationMap().isMinorIdentity() || read.hasOutOfBoundsDim() ||
      read.getMask())
    return op.emitOpError("cannot be distributed over threads: expected "
                          "operands that are staged in workgroup memory");
  FailureOr<SmallVector<Value>> slot = slotOf(read);
  if (failed(slot))
    return failure();
  Staged side;
  side.array = scalar(read.getBase());
  for (Value at : *slot)
    side.slot.push_back(scalar(at));
  side.depth = read.getVectorType().getDimSize(0);
  int64_t permutation =
      std::max<int64_t>(1, permutations.lookup(read.getBase()));
  SmallVector<Value> &known =
      readPlaces[{first.getAsOpaquePointer(), permutation}];
  if (known.empty()) {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointAfterValue(first);
    for (int64_t i = 0; i < permutation; ++i)
      known.push_back(i ? bitXor(first, index(8 * i)) : first);
  }
  side.places = known;
  return side;
}

Value ProductDistribution::readStep(const Staged &side, Value from, int64_t k,
                                    int64_t offset, int64_t width) {
  SmallVector<Value> indices(side.slot);
  indices.push_back(addConstant(from, k));
  indices.push_back(
      addConstant(side.places[k / 4 % side.places.size()], offset));
  return loadFrom(side.array, indices, width);
}

/// Adds the products of some steps from `from` on to each row of the thread.
SmallVector<Value> ProductDistribution::addSteps(const Staged &left,
                                                 const Staged &right,
                                                 int64_t rows, int64_t columns,
                                                 ValueRange sums, Value from) {
  SmallVector<Value> next(sums);
  int64_t atOnce = std::min(mostRows, rows);
  for (int64_t k = 0; k < std::min(unrolled, left.depth); ++k) {
    Value y = readStep(right, from, k, 0, columns);
    for (int64_t first = 0; first < rows; first += atOnce) {
      Value x = readStep(left, from, k, first, atOnce);
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

/// True if both operands have the summed dimension first, and it is summed.
static bool isDepthFirst(vector::ContractionOp op) {
  AffineExpr m, n, k;
  bindDims(op.getContext(), m, n, k);
  auto expected = AffineMap::inferFromExprList(
      ArrayRef<ArrayRef<AffineExpr>>{{k, m}, {k, n}, {m, n}}, op.getContext());
  return op.getIndexingMapsArray() == expected &&
         op.getKind() == vector::CombiningKind::ADD &&
         vector::isReductionIterator(op.getIteratorTypes()[2]) &&
         vector::isParallelIterator(op.getIteratorTypes()[0]) &&
         vector::isParallelIterator(op.getIteratorTypes()[1]);
}

LogicalResult ProductDistribution::multiply(vector::ContractionOp op) {
  Layout layout{op->getAttrOfType<SpreadAttr>(spreadAttribute), Layout::Tile};
  auto type = cast<VectorType>(op.getAccType());
  int64_t rows = layout.eachRows(), columns = layout.width();
  if (!isDepthFirst(op) || layout.rowsOf(type) != rows ||
      layout.columnsOf(type) != 1 || rows > 8 || columns > 8)
    return op.emitOpError("cannot be distributed over threads: expected a sum "
                          "over the first dimension of both operands, of which "
                          "each thread has up to 8 rows and columns side by "
                          "side");
  auto [row, column] = placeOf(layout);
  FailureOr<Staged> left = findStaged(op, op.getLhs(), row);
  FailureOr<Staged> right = findStaged(op, op.getRhs(), column);
  if (failed(left) || failed(right))
    return failure();
  if (left->depth > unrolled && left->depth % unrolled)
    return op.emitOpError("cannot be distributed over threads: expected a "
                          "depth that ")
           << unrolled << " divides, got " << left->depth;
  SmallVector<Value> sums = materialized(op.getAcc(), layout);
  Value zero = index(0);
  if (left->depth <= unrolled) {
    sums = addSteps(*left, *right, rows, columns, sums, zero);
  } else {
    auto loop =
        scf::ForOp::create(b, zero, index(left->depth), index(unrolled), sums);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, addSteps(*left, *right, rows, columns,
                                     loop.getRegionIterArgs(),
                                     loop.getInductionVar()));
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }
  held[{op.getResult().getAsOpaquePointer(), layout.key()}] = sums;
  return success();
}
