//===- LaneReductions.cpp - Exchanges of lanes and warps ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of vectors, and the results of workers: by shuffles within a warp,
// through workgroup memory between warps, always in the same order.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value Distribution::forEachPart(Value value,
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
Value Distribution::overLanes(Value value, gpu::AllReduceOperation operation,
                              int64_t count, int64_t stride) {
  if (count == 1)
    return value;
  return forEachPart(value, [&](Value part) -> Value { // as shuffles take it
    return gpu::SubgroupReduceOp::create(b, part, operation, /*uniform=*/false,
                                         count, stride);
  });
}

/// The value that the lane at `lane xor offset` has.
Value Distribution::shuffleXor(Value value, int64_t offset) {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  return forEachPart(value, [&](Value part) {
    return gpu::ShuffleOp::create(b, part, i32(offset), i32(lanesOfWarp()),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  });
}

/// An array of the block in workgroup memory.
Value Distribution::shared(ArrayRef<int64_t> shape, Type element) {
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(team.getDefiningOp());
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

LogicalResult Distribution::verifyReduction(vector::MultiDimReductionOp op) {
  Type element = op.getSourceVectorType().getElementType();
  std::optional<arith::AtomicRMWKind> kind =
      reductionKind(op.getKind(), element);
  if (!kind || op.getReductionDims().size() != 1)
    return op.emitOpError("expected a sum, maximum or minimum over one "
                          "dimension");
  TypedAttr identity =
      arith::getIdentityValueAttr(*kind, element, b, op.getLoc());
  Attribute start;
  if (matchPattern(op.getAcc(), m_Constant(&start)))
    if (auto dense = dyn_cast<DenseElementsAttr>(start);
        dense && dense.isSplat())
      start = dense.getSplatValue<Attribute>();
  bool isZero = *kind == arith::AtomicRMWKind::addf &&
                matchPattern(op.getAcc(), m_AnyZeroFloat());
  if (start == identity || isZero)
    return success();
  return op.emitOpError("expected a reduction that starts from ") << identity;
}

/// Over heads or features.
LogicalResult
Distribution::distributeReduction(vector::MultiDimReductionOp op) {
  if (failed(verifyReduction(op)))
    return failure();
  Value result = op.getDest();
  if (isa<VectorType>(result.getType()))
    materialize(result);
  else
    scalars.map(result, reduce(op, {SpreadAttr(), Spread::None}, {}));
  return success();
}

/// Parts that are added one after the other: what is left of a long sum are
/// sums of so many, of which there are few.
static constexpr int64_t partsOfRun = 32;

/// Reduces what the thread has over a dimension, in order.
Value Distribution::reduceOwn(arith::AtomicRMWKind kind, Value value,
                              Spread source, unsigned dim, VectorPart part) {
  auto type = cast<VectorType>(value.getType());
  Type element = type.getElementType();
  Spread::Axis axis = source.axisOf(type, dim);
  bool isOfRows = axis == Spread::Rows;
  int64_t count = isOfRows               ? source.rowsOf(type)
                  : axis != Spread::None ? source.columnsOf(type)
                                         : 1;
  Value total;
  SmallVector<Value> runs; // that have ended
  auto add = [&](Value value) {
    total = total ? arith::getReductionOp(kind, b, b.getLoc(), total, value)
                  : value;
  };
  for (int64_t i = 0; i < count; ++i) {
    if (i && i % partsOfRun == 0)
      runs.push_back(std::exchange(total, Value()));
    VectorPart from = part;
    if (axis != Spread::None)
      (isOfRows ? from.row : from.column) = i;
    Value own = get(value, source, from);
    Round round;
    if (lanes && axis != Spread::None)
      round = roundsOf(axis, type.getDimSize(dim))[i];
    Value inside = round.inside;
    auto vector = dyn_cast<VectorType>(own.getType());
    TypedAttr identity =
        arith::getIdentityValueAttr(kind, element, b, b.getLoc());
    if (inside) {
      TypedAttr nothing = identity;
      if (vector)
        nothing = DenseElementsAttr::get(vector, Attribute(nothing));
      own = select(inside, own, arith::ConstantOp::create(b, nothing));
    }
    if (axis != Spread::Columns || !vector) {
      add(own);
      continue;
    }
    Value across; // in order
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value entry = vector::ExtractOp::create(b, own, i);
      if (round.isTail && i >= round.left) // behind the features
        entry =
            select(round.isTail, arith::ConstantOp::create(b, identity), entry);
      across = across
                   ? arith::getReductionOp(kind, b, b.getLoc(), across, entry)
                   : entry;
    }
    add(across);
  }
  for (Value run : runs)
    add(run);
  return total;
}

/// Reduces what the thread has, in order; then the lanes.
Value Distribution::reduce(vector::MultiDimReductionOp op, Spread spread,
                           VectorPart part) {
  VectorType type = op.getSourceVectorType();
  arith::AtomicRMWKind kind =
      *reductionKind(op.getKind(), type.getElementType());
  // In products, a thread has all rows of its columns.
  Spread source =
      lanes ? spreadsOf(op.getSource()).front()
            : Spread{SpreadAttr::get(op.getContext(),
                                     {type.getDimSize(0), spread.width()},
                                     {1, spread.laneColumns()}),
                     Spread::Tile};
  unsigned dim = op.getReductionDims()[0];
  Value total = reduceOwn(kind, op.getSource(), source, dim, part);
  switch (source.axisOf(type, dim)) {
  case Spread::Columns:
    return overLanes(total, getAllReduce(kind), source.laneColumns(), 1);
  case Spread::Elements:
    return overLanes(total, getAllReduce(kind), source.laneElements(type), 1);
  case Spread::Rows:
    return overLanes(total, getAllReduce(kind), source.laneRows(),
                     source.laneColumns());
  default:
    return total;
  }
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

LogicalResult Distribution::distributeParallel(ParallelOp op) {
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
  SmallVector<Values> states;
  {
    llvm::SaveAndRestore inTeam(isOfTeam, isOfTeam || over != Worker::Element);
    llvm::SaveAndRestore inElement(isOfElement,
                                   isOfElement || over != Worker::Team);
    Block &body = op.getBody().front();
    scalars.map(body.getArgument(0), own);
    if (failed(distribute(body)))
      return failure();
    for (Value value : body.getTerminator()->getOperands())
      states.push_back(partsOf(value, value));
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
  int64_t combined = over == Worker::Element ? count : lanesOfWarp() / stride;
  if (failed(combineLanes(op, states, combined, stride)))
    return failure();
  if (over == Worker::Team) {
    storeFlags(op, states[0][0]);
    return success();
  }
  if (over == Worker::Block && warps() > 1 && failed(combineWarps(op, states)))
    return failure();
  for (auto [result, state] : llvm::zip(op.getResults(), states))
    setParts(result, state);
  return success();
}

/// The highest of the teams of a warp. Lanes of a team agree already.
Value Distribution::overTeams(Value number) {
  int64_t stride = lanes.getTeamLanes();
  return overLanes(number, gpu::AllReduceOperation::MAXSI,
                   lanesOfWarp() / stride, stride);
}

void Distribution::distributeAnyTeam(AnyTeamOp op) {
  Value condition = scalar(op.getCondition());
  if (lanes.getTeamLanes() < lanesOfWarp()) {
    condition = NVVM::VoteSyncOp::create(b, b.getI1Type(), b.number32(-1),
                                         condition, NVVM::VoteSyncKind::any);
  }
  scalars.map(op.getResult(), condition);
}

void Distribution::distributeMostOfTeams(MostOfTeamsOp op) {
  Value number = scalar(op.getNumber());
  if (lanes.getTeamLanes() < lanesOfWarp())
    number = arith::IndexCastOp::create(b, b.getIndexType(),
                                        overTeams(b.toI32(number)));
  scalars.map(op.getResult(), number);
}

/// One worker does all, one after the other.
LogicalResult Distribution::runByTurns(ParallelOp op) {
  if (op.getNumResults() > 0)
    return op.emitOpError("expected several workers where results are "
                          "combined");
  Block &body = op.getBody().front();
  Worker over = op.getOver();
  llvm::SaveAndRestore inTeam(isOfTeam, isOfTeam || over != Worker::Element);
  llvm::SaveAndRestore inElement(isOfElement,
                                 isOfElement || over != Worker::Team);
  LogicalResult done = success();
  b.loop(b.index(0), b.index(op.getCount()), b.index(1), [&](Value number) {
    int64_t flagsBefore = flagsStored;
    scalars.map(body.getArgument(0), number);
    done = distribute(body);
    waitForFlags(flagsBefore);
  });
  return done;
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

FailureOr<SmallVector<SmallVector<Value>>>
Distribution::combineStates(ParallelOp op, ArrayRef<Values> x,
                            ArrayRef<Values> y) {
  Block &block = op.getCombine().front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    setParts(argument, i < x.size() ? x[i] : y[i - x.size()]);
  if (failed(distribute(block)))
    return failure();
  SmallVector<Values> combined;
  for (auto [value, result] :
       llvm::zip_equal(block.getTerminator()->getOperands(),
                       block.getArguments().take_front(x.size())))
    combined.push_back(partsOf(value, result));
  b.setLoc(op.getLoc());
  return combined;
}

/// Gives every lane what `count` lanes, `stride` apart, have together.
LogicalResult Distribution::combineLanes(ParallelOp op,
                                         MutableArrayRef<Values> states,
                                         int64_t count, int64_t stride) {
  SmallVector<unsigned> joint;
  Block &block = op.getCombine().front();
  for (ArrayRef<unsigned> group : groupResults(block)) {
    if (auto operation = findAllReduce(findOnlyCombiner(block, group)))
      for (Value &part : states[group[0]])
        part = overLanes(part, *operation, count, stride);
    else
      llvm::append_range(joint, group);
  }
  if (joint.empty())
    return success();
  // Upstream has no reduction of several values at once.
  for (int64_t i = 1; i < count; i *= 2) {
    SmallVector<Values> others(states.begin(), states.end());
    for (unsigned number : joint)
      for (Value &part : others[number])
        part = shuffleXor(part, i * stride);
    FailureOr<SmallVector<Values>> combined = combineStates(op, states, others);
    if (failed(combined))
      return failure();
    for (unsigned number : joint)
      states[number] = (*combined)[number];
  }
  return success();
}

/// Gives every thread what all warps have together. The lanes of a warp have
/// done so.
LogicalResult Distribution::combineWarps(ParallelOp op,
                                         MutableArrayRef<Values> states) {
  int64_t stride = lanes.getFeatures() * lanes.getHeads();
  Value lane = b.add(b.mul(headLane, lanes.getFeatures()), featureLane);
  auto widthOf = [](const Values &state) -> int64_t {
    auto vector = dyn_cast<VectorType>(state[0].getType());
    return vector ? vector.getNumElements() : 1;
  };
  Values arrays; // [warp, lane, part], one a result
  for (const Values &state : states)
    arrays.push_back(shared(
        {warps(), stride, static_cast<int64_t>(state.size()) * widthOf(state)},
        getElementTypeOrSelf(state[0])));
  auto indices = [&](Value warp, const Values &state, unsigned i) {
    return Values{warp, lane, b.index(i * widthOf(state))};
  };
  auto loadAll = [&](Value warp) {
    SmallVector<Values> loaded(states.begin(), states.end());
    for (auto [array, state] : llvm::zip(arrays, loaded))
      for (auto [i, part] : llvm::enumerate(state))
        part = b.loadVector(array, indices(warp, state, i), widthOf(state));
    return loaded;
  };
  auto place = affine::AffineDelinearizeIndexOp::create(
      b, thread, ArrayRef<int64_t>{lanesOfWarp() / stride, stride},
      /*hasOuterBound=*/false);
  Value isFirst =
      stride < lanesOfWarp() ? b.isZero(place.getResult(1)) : Value();
  b.where(isFirst, [&] {
    for (auto [array, state] : llvm::zip(arrays, states))
      for (auto [i, part] : llvm::enumerate(state))
        b.storeVector(part, array, indices(place.getResult(0), state, i));
  });
  gpu::BarrierOp::create(b);
  auto join = [](ArrayRef<Values> states) {
    Values all;
    for (const Values &state : states)
      llvm::append_range(all, state);
    return all;
  };
  auto assign = [&](ValueRange values) {
    for (Values &state : states) {
      size_t count = state.size();
      state = Values(values.take_front(count));
      values = values.drop_front(count);
    }
  };
  LogicalResult done = success();
  assign(b.loop(b.index(1), b.index(warps()), b.index(1),
                join(loadAll(b.index(0))), [&](Value warp, ValueRange carried) {
                  SmallVector<Values> others = loadAll(warp);
                  assign(carried);
                  auto combined = combineStates(op, states, others);
                  done = combined;
                  return failed(combined) ? Values() : join(*combined);
                }));
  if (failed(done))
    return failure();
  // The next reduction writes the arrays again.
  gpu::BarrierOp::create(b);
  return success();
}

//===----------------------------------------------------------------------===//
// Flags of warps
//===----------------------------------------------------------------------===//

/// Waits where a step has stored flags, since the next one stores them again.
void Distribution::waitForFlags(int64_t flagsBefore) {
  if (flagsStored > flagsBefore)
    gpu::BarrierOp::create(b);
}

/// One entry a warp, for all threads to read.
void Distribution::storeFlags(ParallelOp op, Value flag) {
  Value array = shared({warps()}, flag.getType());
  auto place = affine::AffineDelinearizeIndexOp::create(
      b, thread, ArrayRef<int64_t>{lanesOfWarp()}, /*hasOuterBound=*/false);
  b.where(b.isZero(place.getResult(1)),
          [&] { b.storeVector(flag, array, place.getResult(0)); });
  gpu::BarrierOp::create(b);
  flags[op.getResult(0)] = array;
  ++flagsStored;
}

/// An entry of the flags, or the highest of all.
LogicalResult Distribution::readFlags(Operation *op, Value array) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    SmallVector<OpFoldResult> position = extract.getMixedPosition();
    Value at =
        isa<Attribute>(position[0])
            ? b.index(cast<IntegerAttr>(cast<Attribute>(position[0])).getInt())
            : scalar(cast<Value>(position[0]));
    scalars.map(extract.getResult(), b.loadVector(array, at, 1));
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
  scalars.map(reduction.getDest(), most);
  return success();
}
