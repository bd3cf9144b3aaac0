//===- LaneElements.cpp - One element of a walk a lane --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the elements under way, such as scores, as a vector over the lanes
// that have the features of their rows.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn::tile;

/// Moves an operation to where its operands are there.
static void moveToOperands(Operation *op) {
  Operation *last = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *defining = operand.getDefiningOp();
    if (defining && defining->getBlock() == op->getBlock() &&
        (!last || last->isBeforeInBlock(defining)))
      last = defining;
  }
  if (last)
    op->moveAfter(last);
}

/// Lanes have the features of each vector, and get one vector's sum each: at
/// each step half as many vectors, of twice as many lanes.
LogicalResult Distribution::reduceEach(ReduceEachOp op) {
  Value result = op.getResult(), first = op.getVectors().front();
  auto type = cast<VectorType>(first.getType());
  arith::AtomicRMWKind kind =
      getReductionKind(op.getKind(), type.getElementType());
  unsigned dim = type.getRank() - 1;
  Spread source = spreadsOf(first).front(), spread = spreadsOf(result).front();
  Spread::Axis axis = source.axisOf(type, dim);
  bool isShared = axis == Spread::Columns;
  if ((axis != Spread::None && !isShared) ||
      llvm::any_of(op.getVectors(), [&](Value vector) {
        return spreadsOf(vector).front().key() != source.key();
      }))
    return op.emitOpError("expected vectors that vary alike, by features or by "
                          "nothing in the dimension that is reduced");
  int64_t lanesOfRow = lanes.getFeatures();
  int64_t each = spread.laneElements(op.getType());
  Values &parts = held[keyOf(result, spread)];
  parts.clear(); // where a block is distributed again
  auto isUp = [&](int64_t width) {
    Value bit = arith::AndIOp::create(b, featureLane, b.index(width));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, b.index(0))
        .getResult();
  };
  auto add = [&](Value x, Value y) {
    return arith::getReductionOp(kind, b, b.getLoc(), x, y);
  };
  for (int64_t row = 0; row < spread.rowsOf(op.getType()); ++row)
    for (size_t begin = 0; begin < op.getVectors().size(); begin += each) {
      Values left;
      for (Value vector : op.getVectors().slice(begin, each)) {
        // One number takes less registers than the features of a lane.
        Block::iterator end = b.getInsertionPoint();
        Block *block = b.getInsertionBlock();
        Operation *behind = end == block->begin() ? nullptr : &*std::prev(end);
        left.push_back(reduceOwn(kind, vector, source, dim, {row, 0, -1}));
        auto begin = behind ? std::next(behind->getIterator()) : block->begin();
        for (Operation &made : llvm::make_early_inc_range(
                 llvm::make_range(begin, b.getInsertionPoint())))
          moveToOperands(&made);
      }
      for (int64_t width = each / 2; width >= 1; width /= 2) {
        Value up = isUp(width);
        for (int64_t i = 0; i < width; ++i) {
          Value keep = select(up, left[i + width], left[i]);
          if (isShared) {
            Value send = select(up, left[i], left[i + width]);
            keep = add(keep, shuffleXor(send, width));
          }
          left[i] = keep;
        }
      }
      Value own = left.front();
      for (int64_t width = each; isShared && width < lanesOfRow; width *= 2)
        own = add(own, shuffleXor(own, width));
      parts.push_back(own);
    }
  return success();
}

/// An element of those that lanes have in turn, in all lanes of a row.
Value Distribution::getOfElement(Value source, VectorPart part,
                                 int64_t element) {
  auto type = cast<VectorType>(source.getType());
  Spread spread = spreadsOf(source).front();
  int64_t each = spread.laneElements(type);
  part.column = element / each;
  Value own = get(source, spread, part);
  if (each == 1)
    return own;
  // The number is among the lanes of the row: with one of the warp, that of the
  // first lane would have to be known.
  int64_t ofParts = (lanesOfWarp() - lanes.getFeatures()) * 256;
  return NVVM::ShflOp::create(b, own.getType(), b.number32(-1), own,
                              b.number32(element % each),
                              b.number32(ofParts + lanesOfWarp() - 1),
                              NVVM::ShflKind::idx, /*isValid=*/UnitAttr());
}

/// The only entry, or that of one element.
LogicalResult Distribution::distributeExtract(vector::ExtractOp op) {
  Value source = op.getSource();
  VectorType type = op.getSourceVectorType();
  Spread spread = spreadsOf(source).front();
  if (type.getNumElements() == 1) {
    scalars.map(op.getResult(), get(source, spread, {}));
    return success();
  }
  if (type.getRank() != 1 || !spread.hasElements() || op.hasDynamicPosition() ||
      op.getStaticPosition().front() < 0)
    return op.emitOpError("expected to extract the only entry, or that of an "
                          "element, got ")
           << type;
  scalars.map(op.getResult(),
              getOfElement(source, {}, op.getStaticPosition().front()));
  return success();
}

/// An element of each row.
LogicalResult Distribution::distributeSlice(vector::ExtractStridedSliceOp op) {
  Value source = op.getSource(), result = op.getResult();
  VectorType type = op.getSourceVectorType();
  auto last = [](ArrayAttr attr) {
    return cast<IntegerAttr>(attr.getValue().back()).getInt();
  };
  Spread own = spreadsOf(source).front(), spread = spreadsOf(result).front();
  if (type.getRank() != 2 || !own.hasElements() ||
      op.getType().getDimSize(0) != type.getDimSize(0) ||
      last(op.getSizes()) != 1)
    return op.emitOpError("expected the column of an element, got ")
           << op.getType() << " of " << type;
  Values &parts = held[keyOf(result, spread)];
  parts.clear();
  for (int64_t row = 0; row < spread.rowsOf(op.getType()); ++row)
    parts.push_back(getOfElement(source, {row, 0, -1}, last(op.getOffsets())));
  return success();
}

/// Whether a vector has an index of each element, one a lane.
static bool isOfElements(Spread::Axis axis, bool isOfAnyAxis) {
  return isOfAnyAxis || axis == Spread::Elements;
}

/// Each lane its own element.
LogicalResult Distribution::distributeGather(vector::GatherOp op) {
  Value indices = op.getIndices(), result = op.getResult();
  VectorType type = op.getVectorType();
  if (type.getRank() != 1 || !matchPattern(op.getMask(), m_One()) ||
      !isOfElements(axisOf(indices), isOfAnyAxis(indices)) ||
      !getElementTypeOrSelf(indices).isIndex())
    return op.emitOpError("expected indices of elements, one a lane, and no "
                          "mask, got ")
           << type << " at " << indices.getType();
  Spread spread = spreadsOf(result).front();
  SmallVector<Value> at = llvm::map_to_vector(
      op.getOffsets(), [&](Value index) { return scalar(index); });
  Value last = at.back();
  Values &parts = held[keyOf(result, spread)];
  parts.clear();
  for (int64_t i = 0; i < spread.columnsOf(type); ++i) {
    Value here = get(indices, spread, {0, i, -1});
    at.back() = matchPattern(last, m_Zero()) ? here : b.add(last, here);
    parts.push_back(memref::LoadOp::create(b, scalar(op.getBase()), at));
  }
  return success();
}

/// Each element by one of the lanes that have it.
LogicalResult Distribution::distributeScatter(vector::ScatterOp op) {
  Value indices = op.getIndices(), value = op.getValueToStore();
  VectorType type = op.getVectorType();
  Spread spread{lanes, Spread::Elements};
  bool areOfElements = llvm::all_of(
      ValueRange{indices, op.getMask(), value}, [&](Value operand) {
        return isOfElements(axisOf(operand), isOfAnyAxis(operand));
      });
  if (type.getRank() != 1 || !areOfElements ||
      !getElementTypeOrSelf(indices).isIndex())
    return op.emitOpError("expected indices and numbers of elements, one a "
                          "lane, got ")
           << type << " at " << indices.getType();
  SmallVector<Value> at = llvm::map_to_vector(
      op.getOffsets(), [&](Value index) { return scalar(index); });
  Value last = at.back();
  Value once = onlyLane(Spread::Columns);
  if (int64_t count = spread.laneElements(type); count < lanes.getFeatures())
    once = b.both(once, b.less(featureLane, b.index(count)));
  for (int64_t i = 0; i < spread.columnsOf(type); ++i) {
    VectorPart part{0, i, -1};
    Value here = get(indices, spread, part);
    Value inside = b.both(once, get(op.getMask(), spread, part));
    at.back() = matchPattern(last, m_Zero()) ? here : b.add(last, here);
    Value stored = get(value, spread, part);
    b.where(inside, [&] { b.storeVector(stored, scalar(op.getBase()), at); });
  }
  return success();
}
