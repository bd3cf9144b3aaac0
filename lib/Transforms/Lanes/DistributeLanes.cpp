//===- DistributeLanes.cpp - The parts that one lane holds ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An own pass, not upstream's distribution of warps: lanes are groups within a
// warp, and what cannot be distributed is an error here, not left to one lane
// (docs/RationaleKernels.md).
//
//===----------------------------------------------------------------------===//

#include "LaneForms.h"
#include "Lanes.h"
#include "RunByEach.h"

#include "GNN/Dialect/Tile/IR/FormAttributes.h"
#include "GNN/Transforms/Lanes/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_DISTRIBUTELANES
#include "GNN/Transforms/Lanes/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Where this lane is
//===----------------------------------------------------------------------===//

void LaneDistribution::locateLane() {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
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
const SmallVector<Round> &LaneDistribution::roundsOf(Axis axis, int64_t size) {
  auto [it, isNew] = rounds.try_emplace({axis, size});
  if (!isNew)
    return it->second;
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointAfterValue(featureLane);
  bool isFeature = axis == Axis::Feature;
  int64_t side = isFeature ? lanes.getVector() : 1;
  int64_t step = side * (isFeature ? lanes.getFeatures() : lanes.getHeads());
  Value first = isFeature ? featureLane : headLane;
  if (side > 1)
    first = b.mul(first, side);
  for (int64_t begin = 0; begin < size; begin += step) {
    Round round{b.add(first, begin), Value()};
    if (begin + step > size) {
      round.inside = b.less(round.offset, b.index(size));
      round.offset =
          arith::SelectOp::create(b, round.inside, round.offset, b.index(0));
    }
    it->second.push_back(round);
  }
  return it->second;
}

SmallVector<Axis, 2> LaneDistribution::defaultAxes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return {};
  if (vector.getRank() == 1)
    return {Axis::Feature};
  return {vector.getDimSize(0) == 1 ? Axis::None : Axis::Head,
          vector.getDimSize(1) == 1 ? Axis::None : Axis::Feature};
}

Type LaneDistribution::partType(Type element, ArrayRef<Axis> axes) {
  bool isVector =
      llvm::is_contained(axes, Axis::Feature) && lanes.getVector() > 1;
  return isVector ? Type(VectorType::get({lanes.getVector()}, element))
                  : element;
}

int64_t LaneDistribution::countParts(VectorType type, ArrayRef<Axis> axes) {
  int64_t count = 1;
  for (auto [axis, size] : llvm::zip(axes, type.getShape()))
    if (axis != Axis::None)
      count *= roundsOf(axis, size).size();
  return count;
}

/// Whether a constant of several values counts heads.
static bool countsHeads(DenseElementsAttr values) {
  auto type = cast<VectorType>(values.getType());
  if (type.getRank() != 2 || type.getDimSize(1) != 1 ||
      !type.getElementType().isSignlessInteger(32))
    return false;
  for (auto [i, value] : llvm::enumerate(values.getValues<int32_t>()))
    if (value != static_cast<int32_t>(i))
      return false;
  return true;
}

/// What this lane holds of a value.
Held LaneDistribution::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  if (auto type = dyn_cast<VectorType>(value.getType()))
    return get(value, defaultAxes(type), type);
  return {{}, {value}}; // of the host
}

/// The same of one that may be a constant, which is made where it is used.
Held LaneDistribution::get(Value value, ArrayRef<Axis> axes, VectorType type) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return get(value);
  Held held;
  if (!constant.isSplat()) {
    held.axes = {Axis::Head, Axis::None};
    for (const Round &round : roundsOf(Axis::Head, type.getDimSize(0)))
      held.parts.push_back(
          arith::IndexCastOp::create(b, b.getI32Type(), round.offset));
    return held;
  }
  held.axes.assign(axes.begin(), axes.end());
  TypedAttr attr = constant.getSplatValue<TypedAttr>();
  if (auto part = dyn_cast<VectorType>(partType(type.getElementType(), axes)))
    attr = DenseElementsAttr::get(part, Attribute(attr));
  held.parts.assign(countParts(type, axes), arith::ConstantOp::create(b, attr));
  return held;
}

/// Constants of the loop and of its function are made where they are used.
static LogicalResult verifyConstants(Operation *loop) {
  WalkResult walk = loop->walk([](Operation *op) {
    for (Value operand : op->getOperands()) {
      DenseElementsAttr values;
      if (!isa<VectorType>(operand.getType()) ||
          !matchPattern(operand, m_Constant(&values)) || values.isSplat() ||
          countsHeads(values))
        continue;
      op->emitOpError("expected constants of equal entries, or the numbers "
                      "of heads, got ")
          << values;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

/// Checks that lanes hold the vectors that an operation uses. A mask is made
/// where it is used, by what reads or writes.
LogicalResult LaneDistribution::verifyOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isa<VectorType>(operand.getType()) || known.contains(operand) ||
        matchPattern(operand, m_Constant()))
      continue;
    if (flags.contains(operand))
      return op->emitOpError("expected an entry or the maximum of what teams "
                             "have said");
    if (!operand.getDefiningOp<vector::CreateMaskOp>())
      return op->emitOpError("expected vectors of the loop over blocks, got "
                             "one from outside");
    if (!isa<VectorTransferOpInterface>(op))
      return op->emitOpError("expected a mask to be used by what reads or "
                             "writes only");
  }
  return success();
}

LogicalResult LaneDistribution::distribute(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(distribute(&op)))
      return failure();
  return verifyOperands(block.getTerminator());
}

LogicalResult LaneDistribution::distribute(Operation *op) {
  b.setLoc(op->getLoc());
  for (Value operand : op->getOperands())
    if (Value array = flags.lookup(operand))
      return readFlags(op, array);
  if (failed(verifyOperands(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp op) -> LogicalResult { return distributeFor(op); })
      .Case([&](scf::IfOp op) { return distributeIf(op); })
      .Case([&](ParallelOp op) { return distributeParallel(op); })
      .Case([&](memref::StoreOp op) {
        Value value = scalar(op.getValue()), memref = scalar(op.getMemRef());
        SmallVector<Value> indices = llvm::map_to_vector(
            op.getIndices(), [&](Value index) { return scalar(index); });
        OpBuilder::InsertionGuard restore(b);
        if (Value once = onlyLane({}))
          b.setInsertionPointToStart(
              scf::IfOp::create(b, once, /*withElseRegion=*/false).thenBlock());
        b.storeVector(value, memref, indices);
        return success();
      })
      .Case([&](arith::ConstantOp op) { // of vectors: by its users
        if (!isa<VectorType>(op.getType()))
          setScalar(op, b.clone(*op)->getResult(0));
        return success();
      })
      .Case([&](vector::BroadcastOp op) { return distributeBroadcast(op); })
      .Case([&](vector::ShapeCastOp op) { return distributeShapeCast(op); })
      .Case([&](vector::StepOp op) { return distributeStep(op); })
      .Case([&](vector::TransferReadOp op) { return distributeRead(op); })
      .Case([&](vector::TransferWriteOp op) { return distributeWrite(op); })
      .Case([&](vector::MultiDimReductionOp op) {
        return distributeReduction(op);
      })
      .Case([&](vector::CreateMaskOp) { return success(); }) // by its users
      .Case([&](vector::ExtractOp op) -> LogicalResult {
        Held held = get(op.getSource());
        if (held.parts.size() != 1 ||
            op.getSourceVectorType().getNumElements() != 1)
          return op.emitOpError("expected to extract the only entry, got ")
                 << op.getSourceVectorType();
        setScalar(op.getResult(), held.parts[0]);
        return success();
      })
      .Default([&](Operation *op) { return distributePointwise(op); });
}

/// A scalar is computed by each lane, an elementwise operation on each part.
LogicalResult LaneDistribution::distributePointwise(Operation *op) {
  if (!hasVectors(op)) {
    if (op->getNumRegions() > 0)
      return op->emitOpError("cannot be distributed over lanes");
    if (failed(verifyRunByEach(op)))
      return failure();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, scalar(operand));
    Operation *clone = b.clone(*op, mapping);
    for (auto [result, lane] : llvm::zip(op->getResults(), clone->getResults()))
      setScalar(result, lane);
    return success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return op->emitOpError("cannot be distributed over lanes");
  auto type = cast<VectorType>(op->getResult(0).getType());
  // Constants go with the operand that is none.
  SmallVector<Axis, 2> axes = defaultAxes(type);
  for (Value operand : op->getOperands())
    if (isa<VectorType>(operand.getType()) && known.contains(operand) &&
        !matchPattern(operand, m_Constant()))
      axes = known[operand].axes;
  Held result{axes, {}};
  SmallVector<Held> operands;
  for (Value operand : op->getOperands()) {
    auto vector = dyn_cast<VectorType>(operand.getType());
    operands.push_back(vector ? get(operand, axes, vector) : get(operand));
    if (vector && operands.back().axes != axes)
      return op->emitOpError("expected operands that vary alike");
  }
  Type part = partType(type.getElementType(), axes);
  for (int64_t i = 0, e = countParts(type, axes); i < e; ++i) {
    SmallVector<Value> parts;
    for (Held &operand : operands)
      parts.push_back(operand.axes.empty() ? operand.parts[0]
                                           : operand.parts[i]);
    result.parts.push_back(mlir::clone(b, op, part, parts)->getResult(0));
  }
  set(op->getResult(0), std::move(result));
  return success();
}

LogicalResult LaneDistribution::distributeBroadcast(vector::BroadcastOp op) {
  VectorType type = op.getResultVectorType();
  Held from = get(op.getSource()), result{defaultAxes(type), {}};
  Type part = partType(type.getElementType(), result.axes);
  auto widen = [&](Value value) -> Value {
    return value.getType() == part
               ? value
               : vector::BroadcastOp::create(b, part, value);
  };
  // Of heads, then features: where the source does not vary, its only entry.
  auto countOf = [&](ArrayRef<Axis> axes, ArrayRef<int64_t> shape, Axis axis) {
    for (auto [own, size] : llvm::zip(axes, shape))
      if (own == axis)
        return roundsOf(axis, size).size();
    return size_t(1);
  };
  ArrayRef<int64_t> shape = type.getShape();
  size_t heads = countOf(result.axes, shape, Axis::Head);
  size_t features = countOf(result.axes, shape, Axis::Feature);
  size_t fromFeatures = from.has(Axis::Feature) ? features : 1;
  llvm::DenseMap<Value, Value> widened;
  for (size_t h = 0; h < heads; ++h)
    for (size_t f = 0; f < features; ++f) {
      Value value = from.parts[(from.has(Axis::Head) ? h * fromFeatures : 0) +
                               (from.has(Axis::Feature) ? f : 0)];
      Value &wide = widened[value];
      if (!wide)
        wide = widen(value);
      result.parts.push_back(wide);
    }
  set(op, std::move(result));
  return success();
}

/// Adds or drops dimensions of size 1.
LogicalResult LaneDistribution::distributeShapeCast(vector::ShapeCastOp op) {
  Held held = get(op.getSource());
  SmallVector<Axis, 2> left, axes;
  llvm::copy_if(held.axes, std::back_inserter(left),
                [](Axis axis) { return axis != Axis::None; });
  unsigned next = 0;
  VectorType type = op.getResultVectorType();
  for (int64_t size : type.getShape()) {
    bool isNone = size == 1 && (type.getRank() > 1 || left.empty());
    if (!isNone && next == left.size())
      return op.emitOpError("expected to add or drop dimensions of size 1");
    axes.push_back(isNone ? Axis::None : left[next++]);
  }
  held.axes = axes;
  set(op, std::move(held));
  return success();
}

/// The numbers of features.
LogicalResult LaneDistribution::distributeStep(vector::StepOp op) {
  auto type = cast<VectorType>(op.getType());
  Held held{{Axis::Feature}, {}};
  auto part = dyn_cast<VectorType>(partType(type.getElementType(), held.axes));
  SmallVector<Attribute> sideBySide;
  for (int64_t i = 0; part && i < part.getNumElements(); ++i)
    sideBySide.push_back(b.getIndexAttr(i));
  for (const Round &round : roundsOf(Axis::Feature, type.getDimSize(0))) {
    Value value = round.offset;
    if (part)
      value = b.add(vector::BroadcastOp::create(b, part, value),
                    arith::ConstantOp::create(
                        b, DenseElementsAttr::get(part, sideBySide)));
    held.parts.push_back(value);
  }
  set(op, std::move(held));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<scf::ForOp> LaneDistribution::distributeFor(scf::ForOp loop) {
  SmallVector<Value> inits;
  SmallVector<Held> states;
  for (Value init : loop.getInitArgs()) {
    states.push_back(get(init));
    llvm::append_range(inits, states.back().parts);
  }
  auto made = scf::ForOp::create(b, scalar(loop.getLowerBound()),
                                 scalar(loop.getUpperBound()),
                                 scalar(loop.getStep()), inits);
  auto assign = [&](ValueRange values, ValueRange parts) {
    unsigned next = 0;
    for (auto [value, state] : llvm::zip(values, states)) {
      Held held = state;
      for (Value &part : held.parts)
        part = parts[next++];
      set(value, std::move(held));
    }
  };
  setScalar(loop.getInductionVar(), made.getInductionVar());
  assign(loop.getRegionIterArgs(), made.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard restore(b);
    if (inits.empty())
      b.setInsertionPoint(made.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(made.getBody());
    if (failed(distribute(*loop.getBody())))
      return failure();
    SmallVector<Value> next;
    for (auto [value, state] :
         llvm::zip(loop.getBody()->getTerminator()->getOperands(), states)) {
      auto type = dyn_cast<VectorType>(value.getType());
      Held held = type ? get(value, state.axes, type) : get(value);
      if (held.axes != state.axes)
        return loop.emitOpError("expected carried values that vary alike in "
                                "each step");
      llvm::append_range(next, held.parts);
    }
    if (!inits.empty())
      scf::YieldOp::create(b, next);
  }
  assign(loop.getResults(), made.getResults());
  return made;
}

LogicalResult LaneDistribution::distributeIf(scf::IfOp op) {
  auto made = scf::IfOp::create(b, scalar(op.getCondition()),
                                static_cast<bool>(op.elseBlock()));
  SmallVector<Held> results;
  SmallVector<SmallVector<Value>> yielded;
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPoint(to.front().getTerminator());
    if (failed(distribute(from.front())))
      return failure();
    SmallVector<Value> &parts = yielded.emplace_back();
    for (auto [i, value] :
         llvm::enumerate(from.front().getTerminator()->getOperands())) {
      auto type = dyn_cast<VectorType>(value.getType());
      bool isFirst = i == results.size();
      Held held =
          type && !isFirst ? get(value, results[i].axes, type) : get(value);
      if (isFirst)
        results.push_back(held);
      if (held.axes != results[i].axes)
        return op.emitOpError("expected results that vary alike in both "
                              "branches");
      llvm::append_range(parts, held.parts);
    }
  }
  if (results.empty())
    return success();
  b.setLoc(op.getLoc());
  auto withResults =
      scf::IfOp::create(b, ValueRange(yielded[0]).getTypes(),
                        made.getCondition(), /*withElseRegion=*/true);
  for (auto [from, to, parts] : llvm::zip_equal(
           made->getRegions(), withResults->getRegions(), yielded)) {
    to.takeBody(from);
    to.front().getTerminator()->erase();
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(&to.front());
    scf::YieldOp::create(b, parts);
  }
  made.erase();
  ValueRange parts = withResults.getResults();
  for (auto [result, held] : llvm::zip_equal(op.getResults(), results)) {
    size_t count = held.parts.size();
    held.parts.assign(parts.begin(), parts.begin() + count);
    parts = parts.drop_front(count);
    set(result, held);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult LaneDistribution::run(scf::ForallOp blocks) {
  if (failed(verifyConstants(blocks)))
    return failure();
  auto made = cast<scf::ForallOp>(b.cloneWithoutRegions(*blocks));
  made->removeAttr(attribute::lanes);
  made->setAttr(attribute::threads, b.getI64IntegerAttr(lanes.getThreads()));
  Block &body = made.getRegion().emplaceBlock();
  for (BlockArgument argument : blocks.getBody()->getArguments())
    setScalar(argument,
              body.addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToStart(&body);
  scf::InParallelOp::create(b);
  b.setInsertionPointToStart(&body);
  locateLane();
  if (failed(distribute(*blocks.getBody())))
    return failure();
  blocks.erase();
  return success();
}

LogicalResult LaneDistribution::runOnPart(scf::ForOp part) {
  if (failed(verifyConstants(part)))
    return failure();
  locateLane();
  FailureOr<scf::ForOp> made = distributeFor(part);
  if (failed(made))
    return failure();
  (*made)->setAttr(attribute::threads, b.getI64IntegerAttr(lanes.getThreads()));
  if (!flags.empty()) { // the next step writes them again
    b.setInsertionPoint(made->getBody()->getTerminator());
    gpu::BarrierOp::create(b);
  }
  part.erase();
  return success();
}

namespace {
struct DistributeLanes : gnn::impl::DistributeLanesBase<DistributeLanes> {
  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation()->walk([&](Operation *loop) {
      if (isa<scf::ForallOp, scf::ForOp>(loop) &&
          loop->hasAttr(attribute::lanes))
        loops.push_back(loop);
    });
    for (Operation *loop : loops)
      if (failed(verifyLoopOfLanes(loop)))
        return signalPassFailure();
    for (Operation *loop : loops)
      if (failed(distribute(loop)))
        return signalPassFailure();
  }

private:
  LogicalResult distribute(Operation *loop) {
    auto lanes = loop->getAttrOfType<LanesAttr>(attribute::lanes);
    Location loc = loop->getLoc(); // it is replaced
    LaneDistribution distribution(loop, lanes);
    auto blocks = dyn_cast<scf::ForallOp>(loop);
    if (failed(blocks ? distribution.run(blocks)
                      : distribution.runOnPart(cast<scf::ForOp>(loop))))
      return failure();
    gnn::passed(getArgument(), loc, "Distributed")
        << ("over " + Twine(lanes.getThreads()) + " lanes").str();
    return success();
  }
};
} // namespace
