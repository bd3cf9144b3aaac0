//===- LaneMemory.cpp - Reads and writes of lanes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "LaneForms.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Where this lane is
//===----------------------------------------------------------------------===//

void Distribution::locateLane() {
  auto place = affine::AffineDelinearizeIndexOp::create(
      b, thread,
      ArrayRef<int64_t>{lanes.getElements(), lanes.getHeads(),
                        lanes.getFeatures()},
      /*hasOuterBound=*/false);
  team = place.getResult(0);
  elementLane = place.getResult(1);
  headLane = place.getResult(2);
  featureLane = place.getResult(3);
}

/// The rounds of the lanes over a dimension, computed where the kernel begins.
const SmallVector<Distribution::Round> &
Distribution::roundsOf(Spread::Axis axis, int64_t size) {
  auto [it, isNew] = rounds.try_emplace({axis, size});
  if (!isNew)
    return it->second;
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointAfterValue(featureLane);
  if (axis == Spread::Elements) { // a power of two
    int64_t step = std::min(size, lanes.getFeatures());
    Value first = featureLane;
    if (step < lanes.getFeatures())
      first = arith::AndIOp::create(b, first, b.index(step - 1));
    for (int64_t begin = 0; begin < size; begin += step)
      it->second.push_back({b.add(first, begin), Value(), Value(), 0});
    return it->second;
  }
  bool isFeature = axis == Spread::Columns;
  int64_t side = isFeature ? lanes.getVector() : 1;
  int64_t step = side * (isFeature ? lanes.getFeatures() : lanes.getHeads());
  Value first = isFeature ? featureLane : headLane;
  if (side > 1)
    first = b.mul(first, side);
  for (int64_t begin = 0; begin < size; begin += step) {
    Round round{b.add(first, begin), Value(), Value(), 0};
    if (begin + step > size) {
      round.inside = b.less(round.offset, b.index(size));
      round.offset =
          arith::SelectOp::create(b, round.inside, round.offset, b.index(0));
      // Rounds before have whole vectors.
      if (size % side)
        locateTail(round, b.index(size - size % side), size % side);
    }
    it->second.push_back(round);
  }
  return it->second;
}

/// Says where the lane has the last features, which are less than a vector:
/// those from `end` on. A lane that has nothing has as many where a row has no
/// more.
void Distribution::locateTail(Round &round, Value end, int64_t left) {
  round.isTail =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, round.offset, end);
  round.left = left;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether each part of what is read or written begins where the vectors of a
/// buffer do.
bool Distribution::isAligned(VectorTransferOpInterface op) {
  int64_t width = lanes.getVector(), offset;
  SmallVector<int64_t> strides;
  if (failed(cast<MemRefType>(op.getBase().getType())
                 .getStridesAndOffset(strides, offset)))
    return false;
  strides.back() = offset; // of columns: 1
  return llvm::all_of(strides,
                      [&](int64_t stride) {
                        return !ShapedType::isDynamic(stride) &&
                               stride % width == 0;
                      }) &&
         isMultiple(op.getIndices().back(), width);
}

/// The remainder of `number` by whole vectors of `width`, where that is known:
/// features but for the columns before a tile.
static std::optional<int64_t> remainderOf(Value number, int64_t width) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % width;
  if (isMultiple(number, width))
    return 0;
  auto difference = number.getDefiningOp<arith::SubIOp>();
  if (!difference || !isMultiple(difference.getRhs(), width))
    return std::nullopt;
  return remainderOf(difference.getLhs(), width);
}

FailureOr<SmallVector<Distribution::PartPlace>>
Distribution::placesOf(VectorTransferOpInterface op, Spread spread) {
  SmallVector<Value> base = llvm::map_to_vector(
      op.getIndices(), [&](Value index) { return scalar(index); });
  if (op.hasOutOfBoundsDim())
    return op->emitOpError("expected dimensions in bounds, got ")
           << op.getInBounds();
  int64_t width = lanes.getVector();
  Value limit; // of features; null: the size of the vector
  Value mask = op.getMask();
  if (mask) {
    auto create = mask.getDefiningOp<vector::CreateMaskOp>();
    if (!create)
      return op->emitOpError("expected a mask made by vector.create_mask");
    limit = create.getOperands().back();
  }
  SmallVector<PartPlace> places{{base, Value(), Value()}};
  VectorType type = op.getVectorType();
  for (auto [i, expr] : llvm::enumerate(op.getPermutationMap().getResults())) {
    Spread::Axis axis = spread.axisOf(type, i);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (axis == Spread::None)
      continue;
    if (!dim)
      return op->emitOpError("expected a dimension of the buffer for each "
                             "dimension of the vector that is spread");
    bool isLast = dim.getPosition() + 1 == base.size();
    bool isFeature = axis == Spread::Columns;
    if (isFeature && width > 1 && !isLast)
      return op->emitOpError("expected features side by side in memory for "
                             "vectors of ")
             << width;
    int64_t size = type.getDimSize(i);
    std::optional<int64_t> left = 0;
    if (isFeature && limit)
      left = remainderOf(limit, width);
    if (!left)
      return op->emitOpError("expected a mask of a number of features that is "
                             "known but for whole vectors of ")
             << width;
    SmallVector<PartPlace> next;
    for (PartPlace &place : places)
      for (const Round &round : roundsOf(axis, size)) {
        PartPlace here = place;
        here.inside = b.both(here.inside, round.inside);
        Round own = round;
        Value &offset = own.offset;
        if (limit && isFeature) {
          Value inside = b.less(offset, scalar(limit));
          offset = select(inside, offset, b.index(0));
          here.inside = b.both(here.inside, inside);
          if (*left)
            locateTail(own, b.sub(scalar(limit), b.index(*left)), *left);
        }
        if (isFeature) {
          here.isTail = own.isTail;
          here.left = own.left;
        }
        Value &at = here.indices[dim.getPosition()];
        at = matchPattern(at, m_Zero()) ? offset : b.add(at, offset);
        next.push_back(here);
      }
    places = next;
  }
  return places;
}

/// Where a row has whole vectors, what lies behind the features is read with
/// the last of them, and is in no result. Elsewhere the tail is read one by
/// one, and of what it lacks the beginning of the row again.
Value Distribution::readPart(vector::TransferReadOp op, const PartPlace &place,
                             int64_t width) {
  Value memref = scalar(op.getBase());
  bool aligned = isAligned(op);
  int64_t columns = cast<MemRefType>(memref.getType()).getShape().back();
  bool hasWhole =
      aligned && !ShapedType::isDynamic(columns) && columns % width == 0;
  if (!place.isTail || hasWhole)
    return b.loadVector(memref, place.indices, width, aligned);
  Values entries;
  for (int64_t i = 0; i < width; ++i) {
    Values indices = place.indices;
    Value step = b.index(i);
    if (i >= place.left)
      step = select(place.isTail, b.index(0), step);
    indices.back() = b.add(indices.back(), step);
    entries.push_back(b.loadVector(memref, indices, 1));
  }
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return vector::FromElementsOp::create(b, VectorType::get({width}, element),
                                        entries);
}

/// Writes a part, or adds it to what is there.
void Distribution::storePart(Value part, Value memref, ValueRange indices,
                             bool isAligned) {
  if (!addsAtomically)
    return b.storeVector(part, memref, indices, isAligned);
  auto type = dyn_cast<VectorType>(part.getType());
  for (int64_t i = 0, n = type ? type.getNumElements() : 1; i < n; ++i) {
    Values at(indices);
    Value number = part;
    if (type) {
      at.back() = b.add(at.back(), i);
      number = vector::ExtractOp::create(b, part, i);
    }
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addf, number, memref,
                                at);
  }
}

/// Nothing is written behind the features.
void Distribution::writePart(vector::TransferWriteOp op, const PartPlace &place,
                             Value part) {
  Value memref = scalar(op.getBase());
  if (!place.isTail)
    return storePart(part, memref, place.indices, isAligned(op));
  OpBuilder::InsertionGuard restore(b);
  auto branch = scf::IfOp::create(b, place.isTail, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  for (int64_t i = 0; i < place.left; ++i) {
    Values indices = place.indices;
    indices.back() = b.add(indices.back(), i);
    storePart(vector::ExtractOp::create(b, part, i), memref, indices);
  }
  b.setInsertionPointToStart(branch.elseBlock());
  storePart(part, memref, place.indices, isAligned(op));
}

/// Reads past the end of a row read its beginning again.
LogicalResult Distribution::distributeRead(vector::TransferReadOp op) {
  if (isPrivate(op.getBase())) {
    setParts(op.getResult(), left.lookup(op.getBase()));
    return success();
  }
  Spread spread = spreadsOf(op.getResult()).front();
  auto places =
      placesOf(cast<VectorTransferOpInterface>(op.getOperation()), spread);
  if (failed(places))
    return failure();
  Values &parts = held[keyOf(op.getResult(), spread)];
  parts.clear(); // where a block is distributed again
  for (const PartPlace &place : *places)
    parts.push_back(readPart(op, place, spread.width()));
  return success();
}

/// A vector of one dimension that is of scalars may be one of features or of
/// heads. It is of these where it takes the place of what is read as such, as a
/// lane writes what itself has read, and where it is in no whole vectors.
Spread Distribution::spreadOfWritten(vector::TransferWriteOp op) {
  Spread spread = spreadsOf(op.getVector()).front();
  if (op.getVectorType().getRank() != 1 || !isOfScalars(op.getVector()))
    return spread;
  if (!op.getMask() && op.getVectorType().getDimSize(0) % lanes.getVector())
    spread = spread.of(Spread::Rows);
  Value buffer = getBuffer(op.getBase());
  AffineExpr dim = op.getPermutationMap().getResult(0);
  teams->walk([&](vector::TransferReadOp read) {
    std::optional<unsigned> position =
        read.getPermutationMap().getResultPosition(dim);
    if (position && getBuffer(read.getBase()) == buffer)
      spread = spread.of(
          spreadsOf(read).front().axisOf(read.getVectorType(), *position));
  });
  return spread;
}

LogicalResult Distribution::distributeWrite(vector::TransferWriteOp op) {
  if (isPrivate(op.getBase())) {
    left[op.getBase()] = partsOf(op.getVector(), op.getVector());
    return success();
  }
  Spread spread = spreadOfWritten(op);
  auto places =
      placesOf(cast<VectorTransferOpInterface>(op.getOperation()), spread);
  if (failed(places))
    return failure();
  Values parts = materialized(op.getVector(), spread);
  Value once = onlyLane(spread.axis);
  for (auto [place, part] : llvm::zip(*places, parts))
    b.where(b.both(once, place.inside),
            [&, &place = place, &part = part] { writePart(op, place, part); });
  return success();
}

LogicalResult Distribution::distributeStore(memref::StoreOp op) {
  if (isPrivate(op.getMemRef())) {
    left[op.getMemRef()] = {scalar(op.getValue())};
    return success();
  }
  SmallVector<Value> indices = llvm::map_to_vector(
      op.getIndices(), [&](Value index) { return scalar(index); });
  b.where(onlyLane(Spread::None), [&] {
    storePart(scalar(op.getValue()), scalar(op.getMemRef()), indices);
  });
  return success();
}

/// Whether this lane stores what several lanes have; null if they have not.
Value Distribution::onlyLane(Spread::Axis axis) {
  Value once;
  auto only = [&](bool isShared, Value lane, int64_t count) {
    if (isShared && count > 1)
      once = b.both(once, b.isZero(lane));
  };
  only(!isOfElement, elementLane, lanes.getElements());
  only(!isOfTeam, team, lanes.getTeams());
  only(!(axis & Spread::Rows), headLane, lanes.getHeads());
  only(!(axis & Spread::Columns), featureLane, lanes.getFeatures());
  return once;
}
