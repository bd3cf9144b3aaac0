//===- Distribute.cpp - Loops and vectors over the threads of a block -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the body of a loop over blocks anew, statement by statement: scalars as
// they are, vectors as the parts of them that one thread holds.
//
// An own pass, not upstream's distribution of warps: lanes are groups within a
// warp, and what cannot be distributed is an error here, not left to one lane
// (docs/RationaleKernels.md).
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "Distribution.h"
#include "LaneForms.h"

#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Transforms/Lanes/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_DISTRIBUTE
#include "GNN/Transforms/Lanes/Passes.h.inc"
} // namespace gnn

static bool isVector(Type type) { return isa<VectorType>(type); }

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

/// The parts of `values`, each in the spread of that of `as`; scalars as they
/// are.
SmallVector<Value> Distribution::partsOf(ValueRange values, ValueRange as) {
  SmallVector<Value> parts;
  for (auto [value, model] : llvm::zip_equal(values, as)) {
    if (!isVector(value.getType()))
      parts.push_back(scalar(value));
    else if (auto spreads = spreadsOf(model); !spreads.empty())
      llvm::append_range(parts, materialized(value, spreads.front()));
  }
  return parts;
}

/// Lets `values` be held as `parts`, which are those of `partsOf`.
void Distribution::setParts(ValueRange values, ValueRange parts) {
  for (Value value : values) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type) {
      scalars.map(value, parts.front());
      parts = parts.drop_front();
    } else if (auto spreads = spreadsOf(value); !spreads.empty()) {
      int64_t count = spreads.front().partsOf(type);
      held[keyOf(value, spreads.front())] = Values(parts.take_front(count));
      parts = parts.drop_front(count);
    }
  }
}

/// Checks that a vector varies as another one does, of which it takes the
/// place. A constant does.
LogicalResult Distribution::verifyAlike(Operation *op, Value value, Value as) {
  if (!lanes || matchPattern(value, m_Constant()) ||
      axisOf(value) == axisOf(as) ||
      ((axisOf(as) & Spread::Elements) && isOfAnyAxis(value)))
    return success();
  return op->emitOpError("expected values that vary alike");
}

LogicalResult Distribution::distributeFor(scf::ForOp loop) {
  LogicalResult done = success();
  auto step = [&](Value at, ValueRange carried) -> Values {
    int64_t flagsBefore = flagsStored;
    scalars.map(loop.getInductionVar(), at);
    setParts(loop.getRegionIterArgs(), carried);
    done = distribute(*loop.getBody());
    for (auto [next, argument] :
         llvm::zip_equal(loop.getYieldedValues(), loop.getRegionIterArgs()))
      if (succeeded(done))
        done = verifyAlike(loop, next, argument);
    if (failed(done))
      return {};
    Values next = partsOf(loop.getYieldedValues(), loop.getRegionIterArgs());
    waitForFlags(flagsBefore);
    return next;
  };
  Values left =
      b.loop(scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
             scalar(loop.getStep()),
             partsOf(loop.getInitArgs(), loop.getRegionIterArgs()), step);
  setParts(loop.getResults(), left);
  return done;
}

LogicalResult Distribution::distributeIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    auto type = dyn_cast<VectorType>(result.getType());
    if (!type)
      types.push_back(result.getType());
    else if (auto spreads = spreadsOf(result); !spreads.empty())
      types.append(spreads.front().partsOf(type),
                   partType(type.getElementType(), spreads.front(), {}));
  }
  auto fill = [&](Block &block) -> FailureOr<Values> {
    if (failed(distribute(block)))
      return failure();
    ValueRange yielded = block.getTerminator()->getOperands();
    for (auto [value, result] : llvm::zip_equal(yielded, op.getResults()))
      if (failed(verifyAlike(op, value, result)))
        return failure();
    b.setLoc(op.getLoc());
    return partsOf(yielded, op.getResults());
  };
  FailureOr<Values> results =
      b.branchLike(op, scalar(op.getCondition()), types, fill);
  if (failed(results))
    return failure();
  setParts(op.getResults(), *results);
  return success();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Whether a constant of several values has one for each head.
static bool isOfHeads(DenseElementsAttr values) {
  auto type = cast<VectorType>(values.getType());
  return type.getRank() == 2 && type.getDimSize(1) == 1;
}

bool gnn::tile::isOfScalars(Value value) {
  if (!isVector(value.getType()) || matchPattern(value, m_Constant()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isPure(op) &&
         (isa<vector::BroadcastOp, vector::StepOp>(op) ||
          OpTrait::hasElementwiseMappableTraits(op)) &&
         llvm::all_of(op->getOperands(), isOfScalars);
}

/// Checks that lanes can hold the vectors that an operation uses and gives: one
/// of one dimension by rows or by columns.
LogicalResult Distribution::verifyHolds(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto vector = dyn_cast<VectorType>(type);
    Spread spread{lanes};
    if (!vector || (vector.getRank() == 1
                        ? spread.of(Spread::Rows).isOfParts(vector) &&
                              spread.of(Spread::Columns).isOfParts(vector)
                        : spread.isOfParts(vector)))
      continue;
    return op->emitOpError("cannot be distributed over threads: expected "
                           "vectors of one or two dimensions, of which a lane "
                           "holds up to ")
           << Spread::mostParts << " parts, got " << vector;
  }
  return success();
}

/// Checks that lanes hold the vectors that an operation uses. Constants and
/// masks are made where they are used, masks by what reads or writes.
LogicalResult Distribution::verifyOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isVector(operand.getType()))
      continue;
    DenseElementsAttr constant;
    if (matchPattern(operand, m_Constant(&constant))) {
      if (constant.isSplat() || isOfHeads(constant))
        continue;
      return op->emitOpError("expected constants of equal entries, or of one "
                             "for each head, got ")
             << constant;
    }
    bool isOfTeams = teams->isAncestor(operand.getParentBlock()->getParentOp());
    if (held.count(keyOf(operand, spreadsOf(operand).front())) ||
        (!isOfTeams && isOfScalars(operand))) // of teams and tiles, by CSE
      continue;
    if (flags.contains(operand))
      return op->emitOpError("expected an entry or the maximum of what teams "
                             "have said");
    if (!operand.getDefiningOp<vector::CreateMaskOp>())
      return op->emitOpError("expected vectors of its gnn_tile.teams, got one "
                             "from outside");
    if (!isa<VectorTransferOpInterface>(op))
      return op->emitOpError("expected a mask to be used by what reads or "
                             "writes only");
  }
  return success();
}

/// An operation that every thread of a block runs as it is must only read,
/// compute, or let threads wait for each other: scalars of the loops form are
/// computed once a block, and that must not be seen.
static LogicalResult verifyRunByEach(Operation *op) {
  if (isMemoryEffectFree(op) ||
      isa<memref::LoadOp, gpu::BarrierOp, nvgpu::DeviceAsyncCreateGroupOp,
          nvgpu::DeviceAsyncWaitOp>(op))
    return success();
  return op->emitOpError("cannot be done by every thread of a block: expected "
                         "no effects but those of a load");
}

/// Checks that lanes have their parts of what an operation computes.
LogicalResult Distribution::verifyComputed(Operation *op) {
  Value result = op->getResult(0);
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    auto isLong = [](int64_t size) { return size != 1; };
    auto longOf = [&](VectorType type) {
      return llvm::make_filter_range(type.getShape(), isLong);
    };
    VectorType type = cast.getResultVectorType();
    bool isAlike = axisOf(result) == axisOf(cast.getSource());
    if (llvm::equal(longOf(cast.getSourceVectorType()), longOf(type)) &&
        (isAlike || type.getNumElements() == 1))
      return success();
    return op->emitOpError("expected to add or drop dimensions of size 1");
  }
  if (isa<vector::BroadcastOp, vector::StepOp>(op))
    return success();
  if (auto from = dyn_cast<vector::FromElementsOp>(op)) {
    VectorType type = from.getType();
    if (type.getRank() == 1 && llvm::isPowerOf2_64(type.getDimSize(0)))
      return success();
    return op->emitOpError("expected a power of two of elements, got ") << type;
  }
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return op->emitOpError("cannot be distributed over threads: expected an op "
                           "that computes each element by itself, a broadcast "
                           "or one that reads, writes or reduces vectors");
  for (Value operand : op->getOperands())
    if (isVector(operand.getType()) && failed(verifyAlike(op, operand, result)))
      return failure();
  return success();
}

/// A vector is computed here in the spreads that it is held in; anything else
/// is done by every thread.
LogicalResult Distribution::distributeOther(Operation *op) {
  bool givesVectors = llvm::any_of(op->getResultTypes(), isVector);
  if (givesVectors && op->getNumResults() == 1 &&
      (isMemoryEffectFree(op) || isa<LoadRowsOp, vector::TransferReadOp>(op))) {
    if (lanes && failed(verifyComputed(op)))
      return failure();
    return materialize(op->getResult(0)), success();
  }
  if (givesVectors || llvm::any_of(op->getOperandTypes(), isVector) ||
      op->getNumRegions())
    return op->emitOpError("cannot be distributed over threads: expected an op "
                           "of scalars, one that gives one vector, or an "
                           "scf.for or scf.if");
  if (failed(verifyRunByEach(op)))
    return failure();
  b.clone(*op, scalars);
  return success();
}

LogicalResult Distribution::distribute(Operation *op) {
  b.setLoc(op->getLoc());
  if (lanes) {
    for (Value operand : op->getOperands())
      if (Value array = flags.lookup(operand))
        return readFlags(op, array);
    if (failed(verifyHolds(op)) || failed(verifyOperands(op)))
      return failure();
  }
  using Switch = llvm::TypeSwitch<Operation *, LogicalResult>;
  auto ofProducts = [&]() {
    return Switch(op)
        .Case([&](ArrayOp op) {
          if (isPrivate(op)) // values of the lanes
            return success();
          scalars.map(op.getArray(),
                      memref::AllocaOp::create(b, op.getArray().getType()));
          return success();
        })
        .Case([&](StageOp op) { return stage(op), success(); })
        .Case([&](ContractOp op) { return multiply(op); })
        .Case([&](StoreRowsOp op) { return store(op), success(); })
        .Default([&](Operation *op) { return distributeOther(op); });
  };
  auto ofLanes = [&]() {
    return Switch(op)
        .Case([&](ParallelOp op) { return distributeParallel(op); })
        .Case([&](AnyTeamOp op) { return distributeAnyTeam(op), success(); })
        .Case([&](StageWindowOp op) { return stageWindow(op), success(); })
        .Case([&](LoadNumbersOp op) { return loadNumbers(op), success(); })
        .Case([&](AddAtomicallyOp op) {
          llvm::SaveAndRestore restore(addsAtomically, true);
          return distribute(op.getRegion().front());
        })
        .Case([&](memref::StoreOp op) { return distributeStore(op); })
        .Case([&](memref::LoadOp op) {
          if (!isPrivate(op.getMemRef()))
            return distributeOther(op);
          setParts(op.getResult(), left.lookup(op.getMemRef()));
          return success();
        })
        .Case([&](MostOfTeamsOp op) {
          return distributeMostOfTeams(op), success();
        })
        .Case([&](vector::TransferReadOp op) { return distributeRead(op); })
        .Case([&](vector::TransferWriteOp op) { return distributeWrite(op); })
        .Case([&](vector::MultiDimReductionOp op) {
          return distributeReduction(op);
        })
        .Case([&](vector::CreateMaskOp) { return success(); }) // by its users
        .Case([&](vector::ExtractOp op) { return distributeExtract(op); })
        .Case([&](vector::ExtractStridedSliceOp op) {
          return distributeSlice(op);
        })
        .Case([&](ReduceEachOp op) { return reduceEach(op); })
        .Case([&](vector::GatherOp op) { return distributeGather(op); })
        .Case([&](vector::ScatterOp op) { return distributeScatter(op); })
        .Default([&](Operation *op) -> LogicalResult {
          if (isa<arith::ConstantOp>(op) &&
              isVector(op->getResult(0).getType()))
            return success(); // by its users
          return distributeOther(op);
        });
  };
  return Switch(op)
      .Case([&](TeamsOp op) { return distributeTeams(op); })
      .Case([&](scf::ForOp op) { return distributeFor(op); })
      .Case([&](scf::IfOp op) { return distributeIf(op); })
      .Default([&](Operation *) { return lanes ? ofLanes() : ofProducts(); });
}

LogicalResult Distribution::distribute(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(distribute(&op)))
      return failure();
  return lanes ? verifyOperands(block.getTerminator()) : success();
}

LogicalResult Distribution::distributeTeams(TeamsOp op) {
  teams = op;
  lanes = op.getSpread();
  locateLane();
  LogicalResult done = distribute(*op.getBody());
  lanes = {};
  rounds.clear();
  flags.clear();
  return done;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult Distribution::run() {
  if (failed(askAll()))
    return failure();
  LoadsAt loadsAt;
  for (auto [key, at] : askedAt)
    if (auto load =
            Value::getFromOpaquePointer(key.first).getDefiningOp<LoadRowsOp>())
      loadsAt[at].insert(load);
  if (failed(insertBarriers(blocks, loadsAt)))
    return failure();
  made = blocks.createEmpty(b, threads);
  scalars.map(blocks.getInductionVars(), made.getInductionVars());
  b.setInsertionPoint(made.getBody()->getTerminator());
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  if (failed(distribute(*blocks.getBody())))
    return failure();
  blocks.erase();
  return success();
}

namespace {
struct Distribute : gnn::impl::DistributeBase<Distribute> {
  void runOnOperation() override {
    SmallVector<BlocksOp> loops;
    WalkResult walk = getOperation()->walk([&](BlocksOp blocks) {
      if (blocks.getThreads())
        return WalkResult::advance();
      bool says = false;
      WalkResult walk = blocks->walk([&](Operation *op) -> WalkResult {
        says |= isa<TeamsOp, StageOp, ContractOp, StoreRowsOp>(op);
        if (auto array = dyn_cast<ArrayOp>(op))
          return failure(failed(verifyPermuted(array)) ||
                         failed(verifyPrivate(array)));
        auto teams = dyn_cast<TeamsOp>(op);
        return teams ? verifyTeams(teams) : success();
      });
      if (says)
        loops.push_back(blocks);
      return walk;
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (BlocksOp blocks : loops) {
      Location loc = blocks.getLoc(); // it is replaced
      Distribution distribution(blocks);
      if (failed(distribution.run()))
        return signalPassFailure();
      passed(getArgument(), loc, "Distributed")
          << "over " + counted(distribution.getThreads(), "thread");
    }
  }
};
} // namespace
