//===- Vectors.cpp - Vectors of the loops form as loops of scalars --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the body of a loop over blocks anew, statement by statement.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "GNN/Conversion/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTILEVECTORSTOSCALARLOOPS
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

/// An array of one thread, in front of all loops.
Value VectorLoops::arrayFor(Type type) {
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(made.getBody());
  auto vector = cast<VectorType>(type);
  return memref::AllocaOp::create(
      b, MemRefType::get(vector.getShape(), vector.getElementType()));
}

/// Loops over all indices of a shape.
LogicalResult VectorLoops::forAll(ArrayRef<int64_t> shape, Body body,
                                  const Indices &outer) {
  if (shape.empty())
    return body(outer);
  LogicalResult done = success();
  b.loop(b.index(0), b.index(shape.front()), b.index(1), [&](Value at) {
    Indices indices(outer);
    indices.push_back(at);
    done = forAll(shape.drop_front(), body, indices);
  });
  return done;
}

void VectorLoops::copy(Value from, Value to) {
  ArrayRef<int64_t> shape = cast<MemRefType>(to.getType()).getShape();
  (void)forAll(shape, [&](const Indices &at) {
    Value value = memref::LoadOp::create(b, from, at);
    memref::StoreOp::create(b, value, to, at);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Writes all elements of a vector to an array.
LogicalResult VectorLoops::fill(Value array, Value value) {
  auto type = cast<VectorType>(value.getType());
  return forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
    FailureOr<Value> one = element(value, at);
    if (failed(one))
      return failure();
    memref::StoreOp::create(b, *one, array, at);
    return success();
  });
}

/// Computes a vector here, where it stands.
LogicalResult VectorLoops::keep(Value value) {
  Value array = arrayFor(value.getType());
  arrays.erase(value); // of the last time, where a block is lowered twice
  LogicalResult done = fill(array, value);
  arrays[value] = array;
  return done;
}

/// Lets the scalars among the results be these.
void VectorLoops::bindResults(Operation *op, ValueRange values) {
  for (Value result : op->getResults())
    if (!isa<VectorType>(result.getType())) {
      scalars.map(result, values.front());
      values = values.drop_front();
    }
}

LogicalResult VectorLoops::lowerFor(scf::ForOp loop) {
  SmallVector<Value> init;
  for (auto [first, argument] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isa<VectorType>(first.getType())) {
      init.push_back(scalar(first));
      continue;
    }
    arrays[argument] = arrayFor(first.getType());
    if (failed(fill(arrays[argument], first)))
      return failure();
  }
  LogicalResult done = success();
  auto step = [&](Value at, ValueRange carried) -> SmallVector<Value> {
    scalars.map(loop.getInductionVar(), at);
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (!isa<VectorType>(argument.getType())) {
        scalars.map(argument, carried.front());
        carried = carried.drop_front();
      }
    done = lower(*loop.getBody());
    // All of them before one is written over.
    SmallVector<Value> next, arraysOfNext;
    for (Value value : loop.getYieldedValues()) {
      if (failed(done))
        return {};
      if (!isa<VectorType>(value.getType())) {
        next.push_back(scalar(value));
        continue;
      }
      arraysOfNext.push_back(arrayFor(value.getType()));
      done = fill(arraysOfNext.back(), value);
    }
    for (BlockArgument argument : llvm::reverse(loop.getRegionIterArgs()))
      if (isa<VectorType>(argument.getType()))
        copy(arraysOfNext.pop_back_val(), arrays[argument]);
    return next;
  };
  SmallVector<Value> left =
      b.loop(scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
             scalar(loop.getStep()), init, step);
  bindResults(loop, left);
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    if (isa<VectorType>(result.getType()))
      arrays.insert_or_assign(result, arrays.lookup(argument));
  return done;
}

LogicalResult VectorLoops::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (isa<VectorType>(result.getType()))
      arrays[result] = arrayFor(result.getType());
    else
      types.push_back(result.getType());
  auto fillBlock = [&](Block &block) -> FailureOr<SmallVector<Value>> {
    if (failed(lower(block)))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip_equal(
             block.getTerminator()->getOperands(), op.getResults())) {
      if (!isa<VectorType>(value.getType()))
        yielded.push_back(scalar(value));
      else if (failed(fill(arrays[result], value)))
        return failure();
    }
    return yielded;
  };
  auto scalarResults =
      b.branchLike(op, scalar(op.getCondition()), types, fillBlock);
  if (failed(scalarResults))
    return failure();
  bindResults(op, *scalarResults);
  return success();
}

/// Writes a number, or adds it to what is there.
void VectorLoops::store(Value value, Value memref, const Indices &at) {
  if (addsAtomically)
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addf, value, memref,
                                at);
  else
    memref::StoreOp::create(b, value, memref, at);
}

LogicalResult VectorLoops::lowerWrite(vector::TransferWriteOp op) {
  if (!op.getPermutationMap().isProjectedPermutation() ||
      op.hasOutOfBoundsDim() || !isa<MemRefType>(op.getBase().getType()))
    return refuseVectors(op, "a write that stays inside of an array");
  auto type = cast<VectorType>(op.getVector().getType());
  auto transfer = cast<VectorTransferOpInterface>(op.getOperation());
  return forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
    FailureOr<Value> inside = isTransferred(transfer, at);
    if (failed(inside))
      return failure();
    LogicalResult done = success();
    b.where(*inside, [&] {
      FailureOr<Value> one = element(op.getVector(), at);
      done = one;
      if (succeeded(one))
        store(*one, scalar(op.getBase()), placeOf(transfer, at));
    });
    return done;
  });
}

LogicalResult VectorLoops::lowerScatter(vector::ScatterOp op) {
  return forAll(
      op.getVectorType().getShape(), [&](const Indices &at) -> LogicalResult {
        FailureOr<Value> index = element(op.getIndices(), at);
        FailureOr<Value> inside = element(op.getMask(), at);
        FailureOr<Value> value = element(op.getValueToStore(), at);
        if (failed(index) || failed(inside) || failed(value))
          return failure();
        Indices to = llvm::map_to_vector(
            op.getOffsets(), [&](Value offset) { return scalar(offset); });
        to.back() = b.add(to.back(), *index);
        b.where(*inside, [&] {
          memref::StoreOp::create(b, *value, scalar(op.getBase()), to);
        });
        return success();
      });
}

LogicalResult VectorLoops::lowerStage(StageOp op) {
  return forAll(op.getTile().getType().getShape(),
                [&](const Indices &at) -> LogicalResult {
                  FailureOr<Value> one = element(op.getTile(), at);
                  if (failed(one))
                    return failure();
                  bool byDepth = op.getTransposed();
                  Value row = b.add(scalar(op.getRow()), at[byDepth ? 1 : 0]);
                  memref::StoreOp::create(b, *one, scalar(op.getArray()),
                                          ValueRange{row, at[byDepth ? 0 : 1]});
                  return success();
                });
}

/// One element after the other.
LogicalResult VectorLoops::lowerWindow(StageWindowOp op) {
  auto type = cast<MemRefType>(op.getArrays().front().getType());
  Value first = scalar(op.getFirst());
  LogicalResult done = success();
  b.loop(first, scalar(op.getEnd()), b.index(1), [&](Value position) {
    Block &body = op.getBody().front();
    scalars.map(body.getArgument(0), position);
    done = lower(body);
    Value column = b.sub(position, first), row;
    if (op.getTeam()) {
      row = scalar(op.getTeam());
    } else {
      Value columns = b.index(type.getDimSize(1));
      row = arith::DivUIOp::create(b, column, columns);
      column = arith::RemUIOp::create(b, column, columns);
    }
    for (auto [value, array] :
         llvm::zip_equal(body.getTerminator()->getOperands(), op.getArrays()))
      memref::StoreOp::create(b, scalar(value), scalar(array),
                              ValueRange{row, column});
  });
  return done;
}

/// The products are added in the order of the dimension that is summed.
LogicalResult VectorLoops::lowerContract(ContractOp op) {
  Value array = arrayFor(op.getType());
  LogicalResult done =
      forAll(op.getType().getShape(), [&](const Indices &at) -> LogicalResult {
        FailureOr<Value> first = element(op.getSums(), at);
        if (failed(first))
          return failure();
        LogicalResult done = success();
        auto step = [&](Value k, ValueRange sum) -> SmallVector<Value> {
          FailureOr<Value> x = element(op.getLeft(), {k, at[0]});
          FailureOr<Value> y = element(op.getRight(), {k, at[1]});
          done = failure(failed(x) || failed(y));
          if (failed(done))
            return {};
          return {math::FmaOp::create(b, *x, *y, sum[0])};
        };
        SmallVector<Value> sum = b.loop(b.index(0), b.index(op.getDepth()),
                                        b.index(1), *first, step);
        memref::StoreOp::create(b, sum[0], array, at);
        return done;
      });
  arrays[op.getResult()] = array;
  return done;
}

/// A vector that is needed twice is kept, or chains of such would be computed
/// over and over; rows and what is inside are cheap. Scalars are computed here.
LogicalResult VectorLoops::lowerPure(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isa<VectorType>(result.getType())) {
      FailureOr<Value> value = compute(op, {});
      if (failed(value))
        return failure();
      scalars.map(result, *value);
      continue;
    }
    Type element = getElementTypeOrSelf(result);
    bool isCheap =
        op->getNumOperands() == 0 || element.isIndex() || element.isInteger(1);
    bool isReduction = isa<vector::MultiDimReductionOp, ReduceEachOp>(op);
    if ((isReduction || (!isCheap && !result.hasOneUse())) &&
        failed(keep(result)))
      return failure();
  }
  return success();
}

LogicalResult VectorLoops::lower(Operation *op) {
  b.setLoc(op->getLoc());
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TeamsOp op) { return lower(*op.getBody()); })
      .Case([&](scf::ForOp op) { return lowerFor(op); })
      .Case([&](scf::IfOp op) { return lowerIf(op); })
      .Case([&](WalkOp op) { return lowerWalk(op); })
      .Case([&](ParallelOp op) { return lowerParallel(op); })
      .Case([&](AnyTeamOp op) {
        scalars.map(op.getResult(), scalars.lookup(op.getCondition()));
        return success();
      })
      .Case([&](MostOfTeamsOp op) {
        scalars.map(op.getResult(), scalar(op.getNumber()));
        return success();
      })
      .Case([&](StageWindowOp op) { return lowerWindow(op); })
      .Case([&](LoadNumbersOp op) {
        Value first = scalar(op.getFirst());
        if (op.getTeam())
          first = b.add(first, b.mul(scalar(op.getTeam()), *op.getShare()));
        for (auto [u, number] : llvm::enumerate(op.getNumbers()))
          scalars.map(number, memref::LoadOp::create(b, scalar(op.getBuffer()),
                                                     b.add(first, u)));
        return success();
      })
      .Case([&](AddAtomicallyOp op) {
        llvm::SaveAndRestore restore(addsAtomically, true);
        return lower(op.getRegion().front());
      })
      .Case([&](vector::TransferWriteOp op) { return lowerWrite(op); })
      .Case([&](memref::StoreOp op) {
        store(scalar(op.getValue()), scalar(op.getMemRef()),
              llvm::map_to_vector(op.getIndices(),
                                  [&](Value at) { return scalar(at); }));
        return success();
      })
      .Case([&](vector::ScatterOp op) { return lowerScatter(op); })
      .Case([&](ArrayOp op) {
        MemRefType type = op.getArray().getType();
        if (isPrivate(op)) // the one thread has an entry for each team
          type = MemRefType::get(type.getShape(), type.getElementType());
        scalars.map(op.getArray(), memref::AllocaOp::create(b, type));
        return success();
      })
      .Case([&](StageOp op) { return lowerStage(op); })
      .Case([&](ContractOp op) { return lowerContract(op); })
      .Case([&](StoreRowsOp op) { return lowerStore(op); })
      .Case<nvgpu::DeviceAsyncCreateGroupOp, nvgpu::DeviceAsyncWaitOp>(
          [](Operation *) { return success(); }) // copies are done at once
      .Case<LoadRowsOp, vector::TransferReadOp, vector::GatherOp>(
          [&](auto op) { return keep(op.getResult()); })
      .Default([&](Operation *op) -> LogicalResult {
        bool hasVectors = llvm::any_of(op->getResultTypes(), isVector) ||
                          llvm::any_of(op->getOperandTypes(), isVector);
        if (hasVectors && isPure(op) && op->getNumRegions() == 0)
          return lowerPure(op);
        if (hasVectors || op->getNumRegions())
          return refuseVectors(op, "an op of the loops form");
        b.clone(*op, scalars);
        return success();
      });
}

LogicalResult VectorLoops::lower(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult VectorLoops::run() {
  made = blocks.createEmpty(b, /*threads=*/1);
  scalars.map(blocks.getInductionVars(), made.getInductionVars());
  b.setInsertionPoint(made.getBody()->getTerminator());
  if (failed(lower(*blocks.getBody())))
    return failure();
  blocks.erase();
  return success();
}

namespace {
struct ConvertGNNTileVectorsToScalarLoops
    : gnn::impl::ConvertGNNTileVectorsToScalarLoopsBase<
          ConvertGNNTileVectorsToScalarLoops> {
  void runOnOperation() override {
    SmallVector<BlocksOp> loops;
    getOperation()->walk([&](BlocksOp blocks) {
      if (!blocks.getThreads())
        loops.push_back(blocks);
    });
    for (BlocksOp blocks : loops) {
      Location loc = blocks.getLoc(); // it is replaced
      if (failed(VectorLoops(blocks).run()))
        return signalPassFailure();
      passed(getArgument(), loc, "Lowered")
          << "computed by loops of one thread";
    }
  }
};
} // namespace
