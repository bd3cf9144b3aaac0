//===- LaneReductions.cpp - What lanes and warps exchange -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of vectors, and the results of workers: by shuffles within a warp,
// through workgroup memory between warps, always in the same order.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value LaneDistribution::forEachPart(Value value,
                                    function_ref<Value(Value)> function) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return function(value);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    parts.push_back(function(vector::ExtractOp::create(b, value, i)));
  return vector::FromElementsOp::create(b, vector, parts);
}

/// `value` of each lane as one, of clusters of `count` lanes that lie `stride`
/// apart. Every lane of a cluster gets the same bits.
Value LaneDistribution::overLanes(Value value,
                                  gpu::AllReduceOperation operation,
                                  int64_t count, int64_t stride) {
  if (count == 1)
    return value;
  return forEachPart(value, [&](Value part) -> Value { // as shuffles take it
    return gpu::SubgroupReduceOp::create(b, part, operation, /*uniform=*/false,
                                         count, stride);
  });
}

/// The value that the lane at `lane xor offset` has.
Value LaneDistribution::shuffleXor(Value value, int64_t offset) {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  return forEachPart(value, [&](Value part) {
    return gpu::ShuffleOp::create(b, part, i32(offset), i32(32),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  });
}

/// An array of the block in workgroup memory.
Value LaneDistribution::shared(ArrayRef<int64_t> shape, Type element) {
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(thread.getDefiningOp());
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  return memref::AllocaOp::create(b, type, b.getI64IntegerAttr(16));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static gpu::AllReduceOperation getAllReduce(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  using Over = gpu::AllReduceOperation;
  switch (kind) {
  case Kind::maximumf:
    return Over::MAXIMUMF;
  case Kind::minimumf:
    return Over::MINIMUMF;
  case Kind::maxs:
    return Over::MAXSI;
  case Kind::mins:
    return Over::MINSI;
  default:
    return Over::ADD;
  }
}

static std::optional<arith::AtomicRMWKind>
reductionKind(vector::CombiningKind kind, Type element) {
  using Combining = vector::CombiningKind;
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(element);
  switch (kind) {
  case Combining::ADD:
    return isFloat ? Kind::addf : Kind::addi;
  case Combining::MAXIMUMF:
    return Kind::maximumf;
  case Combining::MINIMUMF:
    return Kind::minimumf;
  case Combining::MAXSI:
    return Kind::maxs;
  case Combining::MINSI:
    return Kind::mins;
  default:
    return std::nullopt;
  }
}

/// Over heads or features: first what this lane has of them, then the lanes.
LogicalResult
LaneDistribution::distributeReduction(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  Type element = type.getElementType();
  std::optional<arith::AtomicRMWKind> kind =
      reductionKind(op.getKind(), element);
  if (!kind || op.getReductionDims().size() != 1)
    return op.emitOpError("expected a sum, maximum or minimum over one "
                          "dimension");
  TypedAttr identity =
      arith::getIdentityValueAttr(*kind, element, b, op.getLoc());
  Attribute start;
  if (!matchPattern(op.getAcc(), m_Constant(&start)) ||
      (start != identity &&
       !(isa<DenseElementsAttr>(start) &&
         cast<DenseElementsAttr>(start).isSplat() &&
         cast<DenseElementsAttr>(start).getSplatValue<Attribute>() ==
             identity)))
    return op.emitOpError("expected a reduction that starts from ") << identity;

  Held from = get(op.getSource());
  unsigned dim = op.getReductionDims()[0];
  Axis axis = from.axes[dim];
  Held result;
  for (auto [i, own] : llvm::enumerate(from.axes))
    if (i != dim)
      result.axes.push_back(own);
  auto combine = [&](Value x, Value y) {
    return x ? arith::getReductionOp(*kind, b, op.getLoc(), x, y) : y;
  };
  auto mask = [&](Value value, Value inside) -> Value {
    if (!inside)
      return value;
    TypedAttr nothing = identity;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      nothing = DenseElementsAttr::get(vector, Attribute(identity));
    return arith::SelectOp::create(b, inside, value,
                                   arith::ConstantOp::create(b, nothing));
  };
  auto across = [&](Value value) { // in order
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!vector)
      return value;
    Value total;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      total = combine(total, vector::ExtractOp::create(b, value, i));
    return total;
  };
  gpu::AllReduceOperation operation = getAllReduce(*kind);
  size_t count =
      axis == Axis::None ? 1 : roundsOf(axis, type.getDimSize(dim)).size();
  if (axis == Axis::None) {
    result.parts = from.parts;
  } else if (axis == Axis::Feature) {
    auto &own = roundsOf(axis, type.getDimSize(dim));
    for (size_t h = 0; h < from.parts.size() / count; ++h) {
      Value total;
      for (size_t c = 0; c < count; ++c)
        total = combine(total,
                        across(mask(from.parts[h * count + c], own[c].inside)));
      result.parts.push_back(
          overLanes(total, operation, lanes.getFeatures(), 1));
    }
  } else {
    auto &own = roundsOf(axis, type.getDimSize(dim));
    size_t features = from.parts.size() / count;
    for (size_t c = 0; c < features; ++c) {
      Value total;
      for (size_t h = 0; h < count; ++h)
        total =
            combine(total, mask(from.parts[h * features + c], own[h].inside));
      result.parts.push_back(
          overLanes(total, operation, lanes.getHeads(), lanes.getFeatures()));
    }
  }
  set(op.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

LogicalResult LaneDistribution::distributeParallel(ParallelOp op) {
  int64_t count = op.getCount(), workers = 1;
  Value own;
  switch (op.getOver()) {
  case Worker::Team:
    workers = lanes.getTeams();
    own = team;
    break;
  case Worker::Element:
    workers = lanes.getElements();
    own = elementLane;
    break;
  case Worker::Block:
    workers = lanes.getTeams() * lanes.getElements();
    own = elementLane;
    if (lanes.getTeams() > 1)
      own = b.add(b.mul(team, lanes.getElements()), elementLane);
    break;
  }
  if (workers == 1 && count > 1)
    return runByTurns(op);
  if (count != workers)
    return op.emitOpError("expected as many as there are workers: ")
           << workers << ", got " << count;
  Worker over = op.getOver();
  SmallVector<Held> states;
  {
    llvm::SaveAndRestore inTeam(isOfTeam, isOfTeam || over != Worker::Element);
    llvm::SaveAndRestore inElement(isOfElement,
                                   isOfElement || over != Worker::Team);
    Block &body = op.getBody().front();
    setScalar(body.getArgument(0), own);
    if (failed(distribute(body)))
      return failure();
    for (Value value : body.getTerminator()->getOperands())
      states.push_back(get(value));
  }
  b.setLoc(op.getLoc());
  if (states.empty())
    return success();
  TypeRange yielded = op.getBody().front().getTerminator()->getOperandTypes();
  for (auto [result, value] : llvm::zip(op.getResultTypes(), yielded))
    if (over != Worker::Team && result != value)
      return op.emitOpError("expected entries of the result for 'team' only, "
                            "got ")
             << result << " for '" << stringifyWorker(over) << "'";
  int64_t stride = lanes.getFeatures() * lanes.getHeads();
  if (over == Worker::Team) {
    stride = lanes.getTeamLanes();
    auto flagsType = dyn_cast<VectorType>(op.getResultTypes()[0]);
    if (op.getNumResults() != 1 || !flagsType ||
        flagsType.getNumElements() != warps() ||
        !isa<IntegerType>(flagsType.getElementType()))
      return op.emitOpError("expected one integer for each of the ")
             << warps() << " warps as the result of teams";
  }
  int64_t lanesOfWarp = over == Worker::Element ? count : 32 / stride;
  if (failed(combineLanes(op, states, lanesOfWarp, stride)))
    return failure();
  if (over == Worker::Team) {
    storeFlags(op, states);
    return success();
  }
  if (over == Worker::Block && warps() > 1 && failed(combineWarps(op, states)))
    return failure();
  for (auto [result, state] : llvm::zip(op.getResults(), states))
    set(result, std::move(state));
  return success();
}

/// One worker does all, one after the other.
LogicalResult LaneDistribution::runByTurns(ParallelOp op) {
  if (op.getNumResults() > 0)
    return op.emitOpError("expected several workers where results are "
                          "combined");
  auto loop =
      scf::ForOp::create(b, b.index(0), b.index(op.getCount()), b.index(1));
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Block &body = op.getBody().front();
  setScalar(body.getArgument(0), loop.getInductionVar());
  Worker over = op.getOver();
  llvm::SaveAndRestore inTeam(isOfTeam, isOfTeam || over != Worker::Element);
  llvm::SaveAndRestore inElement(isOfElement,
                                 isOfElement || over != Worker::Team);
  return distribute(body);
}

/// The reduction over lanes that combines as `combiner` does, if there is one.
static std::optional<gpu::AllReduceOperation>
findAllReduce(Operation *combiner) {
  using Over = gpu::AllReduceOperation;
  if (!combiner)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Over>>(combiner)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Over::ADD; })
      .Case([](arith::MaximumFOp) { return Over::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return Over::MINIMUMF; })
      .Case([](arith::MaxSIOp) { return Over::MAXSI; })
      .Case([](arith::MinSIOp) { return Over::MINSI; })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<SmallVector<Held>> LaneDistribution::combineStates(ParallelOp op,
                                                             ArrayRef<Held> x,
                                                             ArrayRef<Held> y) {
  Block &block = op.getCombine().front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    set(argument, i < x.size() ? x[i] : y[i - x.size()]);
  if (failed(distribute(block)))
    return failure();
  SmallVector<Held> combined;
  for (Value value : block.getTerminator()->getOperands())
    combined.push_back(get(value));
  b.setLoc(op.getLoc());
  return combined;
}

/// Gives every lane what `count` lanes, `stride` apart, have together.
LogicalResult LaneDistribution::combineLanes(ParallelOp op,
                                             MutableArrayRef<Held> states,
                                             int64_t count, int64_t stride) {
  SmallVector<unsigned> joint;
  Block &block = op.getCombine().front();
  for (ArrayRef<unsigned> group : groupResults(block)) {
    if (auto operation = findAllReduce(findOnlyCombiner(block, group)))
      for (Value &part : states[group[0]].parts)
        part = overLanes(part, *operation, count, stride);
    else
      llvm::append_range(joint, group);
  }
  if (joint.empty())
    return success();
  // Upstream has no reduction of several values at once.
  for (int64_t i = 1; i < count; i *= 2) {
    SmallVector<Held> others(states);
    for (unsigned number : joint)
      for (Value &part : others[number].parts)
        part = shuffleXor(part, i * stride);
    FailureOr<SmallVector<Held>> combined = combineStates(op, states, others);
    if (failed(combined))
      return failure();
    for (unsigned number : joint)
      states[number] = (*combined)[number];
  }
  return success();
}

/// Gives every thread what all warps have together. The lanes of a warp have
/// done so.
LogicalResult LaneDistribution::combineWarps(ParallelOp op,
                                             MutableArrayRef<Held> states) {
  int64_t stride = lanes.getFeatures() * lanes.getHeads();
  Value lane = b.add(b.mul(headLane, lanes.getFeatures()), featureLane);
  auto widthOf = [](const Held &held) -> int64_t {
    auto vector = dyn_cast<VectorType>(held.parts[0].getType());
    return vector ? vector.getNumElements() : 1;
  };
  SmallVector<Value> arrays; // [warp, lane, part], one a result
  for (const Held &held : states)
    arrays.push_back(
        shared({warps(), stride,
                static_cast<int64_t>(held.parts.size()) * widthOf(held)},
               getElementTypeOrSelf(held.parts[0])));
  auto indices = [&](Value warp, const Held &held, unsigned i) {
    return SmallVector<Value>{warp, lane, b.index(i * widthOf(held))};
  };
  auto loadAll = [&](Value warp) {
    SmallVector<Held> loaded(states.begin(), states.end());
    for (auto [array, held] : llvm::zip(arrays, loaded))
      for (auto [i, part] : llvm::enumerate(held.parts))
        part = b.loadVector(array, indices(warp, held, i), widthOf(held));
    return loaded;
  };
  auto place = affine::AffineDelinearizeIndexOp::create(
      b, thread, ArrayRef<int64_t>{32 / stride, stride},
      /*hasOuterBound=*/false);
  {
    OpBuilder::InsertionGuard restore(b);
    if (stride < 32)
      b.setInsertionPointToStart(scf::IfOp::create(b,
                                                   b.isZero(place.getResult(1)),
                                                   /*withElseRegion=*/false)
                                     .thenBlock());
    for (auto [array, held] : llvm::zip(arrays, states))
      for (auto [i, part] : llvm::enumerate(held.parts))
        b.storeVector(part, array, indices(place.getResult(0), held, i));
  }
  gpu::BarrierOp::create(b);
  SmallVector<Value> inits;
  for (const Held &held : loadAll(b.index(0)))
    llvm::append_range(inits, held.parts);
  auto assign = [&](ValueRange values) {
    unsigned next = 0;
    for (Held &held : states)
      for (Value &part : held.parts)
        part = values[next++];
  };
  auto loop =
      scf::ForOp::create(b, b.index(1), b.index(warps()), b.index(1), inits);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(loop.getBody());
    SmallVector<Held> others = loadAll(loop.getInductionVar());
    assign(loop.getRegionIterArgs());
    FailureOr<SmallVector<Held>> combined = combineStates(op, states, others);
    if (failed(combined))
      return failure();
    SmallVector<Value> next;
    for (const Held &held : *combined)
      llvm::append_range(next, held.parts);
    scf::YieldOp::create(b, next);
  }
  assign(loop.getResults());
  // What comes next writes the arrays again.
  gpu::BarrierOp::create(b);
  return success();
}

//===----------------------------------------------------------------------===//
// Flags of warps
//===----------------------------------------------------------------------===//

/// One entry a warp, for all threads to read.
void LaneDistribution::storeFlags(ParallelOp op, ArrayRef<Held> states) {
  Value value = states[0].parts[0];
  Value array = shared({warps()}, value.getType());
  auto place = affine::AffineDelinearizeIndexOp::create(
      b, thread, ArrayRef<int64_t>{32}, /*hasOuterBound=*/false);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(scf::IfOp::create(b,
                                                 b.isZero(place.getResult(1)),
                                                 /*withElseRegion=*/false)
                                   .thenBlock());
    b.storeVector(value, array, place.getResult(0));
  }
  gpu::BarrierOp::create(b);
  flags[op.getResult(0)] = array;
}

/// An entry of the flags, or the highest of all.
LogicalResult LaneDistribution::readFlags(Operation *op, Value array) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    SmallVector<OpFoldResult> position = extract.getMixedPosition();
    Value at =
        isa<Attribute>(position[0])
            ? b.index(cast<IntegerAttr>(cast<Attribute>(position[0])).getInt())
            : scalar(cast<Value>(position[0]));
    setScalar(extract.getResult(), b.loadVector(array, at, 1));
    return success();
  }
  auto reduction = dyn_cast<vector::ReductionOp>(op);
  if (!reduction || reduction.getKind() != vector::CombiningKind::MAXSI)
    return op->emitOpError("expected an entry or the maximum of what teams "
                           "have said");
  Value most;
  for (int64_t warp = 0; warp < warps(); ++warp) {
    Value flag = b.loadVector(array, b.index(warp), 1);
    most = most ? arith::MaxSIOp::create(b, most, flag).getResult() : flag;
  }
  setScalar(reduction.getDest(), most);
  return success();
}
