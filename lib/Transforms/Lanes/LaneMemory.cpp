//===- LaneMemory.cpp - What lanes read and write -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace gnn::tile;

/// Whether a number is sure to be a multiple of `by`.
static bool isMultiple(OpFoldResult number, int64_t by) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % by == 0;
  auto value = cast<Value>(number);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    auto variables = loop ? loop.getLoopInductionVars() : std::nullopt;
    if (!variables || !llvm::is_contained(*variables, value))
      return false;
    size_t i = llvm::find(*variables, value) - variables->begin();
    return isMultiple((*loop.getLoopLowerBounds())[i], by) &&
           isMultiple((*loop.getLoopSteps())[i], by);
  }
  auto isOperandMultiple = [&](Value operand) {
    return isMultiple(operand, by);
  };
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return llvm::all_of(op->getOperands(), isOperandMultiple);
  return isa<arith::MulIOp>(op) &&
         llvm::any_of(op->getOperands(), isOperandMultiple);
}

/// Whether each part of what is read or written begins where the vectors of a
/// buffer do.
bool LaneDistribution::isAligned(VectorTransferOpInterface op) {
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

FailureOr<SmallVector<LaneDistribution::Place>>
LaneDistribution::placesOf(VectorTransferOpInterface op, ArrayRef<Axis> axes) {
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
  SmallVector<Place> places{{base, Value()}};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    AffineExpr expr = op.getPermutationMap().getResult(i);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (axis == Axis::None)
      continue;
    if (!dim)
      return op->emitOpError("expected a dimension of the buffer for each "
                             "dimension of the vector that is spread");
    bool isLast = dim.getPosition() + 1 == base.size();
    if (axis == Axis::Feature && width > 1 && !isLast)
      return op->emitOpError("expected features side by side in memory for "
                             "vectors of ")
             << width;
    int64_t size = op.getVectorType().getDimSize(i);
    if (axis == Axis::Feature && size % width)
      return op->emitOpError("expected features in whole vectors of ")
             << width << ", got " << size;
    if (axis == Axis::Feature && limit && !isMultiple(limit, width))
      return op->emitOpError("expected a mask of whole vectors: of a number of "
                             "features that is a multiple of ")
             << width;
    SmallVector<Place> next;
    for (Place &place : places)
      for (const Round &round :
           roundsOf(axis, op.getVectorType().getDimSize(i))) {
        Place here = place;
        here.inside = b.both(here.inside, round.inside);
        Value offset = round.offset;
        if (limit && axis == Axis::Feature) {
          Value inside = b.less(offset, scalar(limit));
          offset = arith::SelectOp::create(b, inside, offset, b.index(0));
          here.inside = b.both(here.inside, inside);
        }
        Value &at = here.indices[dim.getPosition()];
        at = matchPattern(at, m_Zero()) ? offset : b.add(at, offset);
        next.push_back(here);
      }
    places = next;
  }
  return places;
}

/// Reads past the end of a row read its beginning again.
LogicalResult LaneDistribution::distributeRead(vector::TransferReadOp op) {
  Held held{defaultAxes(op.getVectorType()), {}};
  auto places =
      placesOf(cast<VectorTransferOpInterface>(op.getOperation()), held.axes);
  if (failed(places))
    return failure();
  Value memref = scalar(op.getBase());
  int64_t width = held.has(Axis::Feature) ? lanes.getVector() : 1;
  bool aligned = isAligned(op);
  for (const Place &place : *places)
    held.parts.push_back(b.loadVector(memref, place.indices, width, aligned));
  set(op, std::move(held));
  return success();
}

LogicalResult LaneDistribution::distributeWrite(vector::TransferWriteOp op) {
  Held held = get(op.getVector());
  auto places =
      placesOf(cast<VectorTransferOpInterface>(op.getOperation()), held.axes);
  if (failed(places))
    return failure();
  Value memref = scalar(op.getBase()), once = onlyLane(held.axes);
  bool aligned = isAligned(op);
  for (auto [place, part] : llvm::zip(*places, held.parts)) {
    OpBuilder::InsertionGuard restore(b);
    if (Value condition = b.both(once, place.inside))
      b.setInsertionPointToStart(
          scf::IfOp::create(b, condition, /*withElseRegion=*/false)
              .thenBlock());
    b.storeVector(part, memref, place.indices, aligned);
  }
  return success();
}

/// Whether this lane stores what several lanes have; null if they have not.
Value LaneDistribution::onlyLane(ArrayRef<Axis> axes) {
  Value once;
  auto only = [&](bool isShared, Value lane, int64_t count) {
    if (isShared && count > 1)
      once = b.both(once, b.isZero(lane));
  };
  only(!isOfElement, elementLane, lanes.getElements());
  only(!isOfTeam, team, lanes.getTeams());
  only(!llvm::is_contained(axes, Axis::Head), headLane, lanes.getHeads());
  only(!llvm::is_contained(axes, Axis::Feature), featureLane,
       lanes.getFeatures());
  return once;
}
