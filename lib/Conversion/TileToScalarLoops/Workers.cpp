//===- Workers.cpp - Walks and workers, one after the other ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States are arrays of one thread; they are combined in the order of the
// elements, or of the workers.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn::tile;

/// Elements that are combined with each other first.
static constexpr int64_t elementsAtOnce = 64;

/// An array of a state, which may be a scalar.
Value VectorLoops::stateFor(Type type) {
  if (isa<VectorType>(type))
    return arrayFor(type);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(made.getBody());
  return memref::AllocaOp::create(b, MemRefType::get({}, type));
}

/// Lets a state be what `value` has.
void VectorLoops::bind(Value value, Value state) {
  if (isa<VectorType>(value.getType()))
    arrays[value] = state;
  else
    scalars.map(value, memref::LoadOp::create(b, state, ValueRange()));
}

/// The contents of values, apart from where they come from: vectors as arrays.
FailureOr<SmallVector<Value>> VectorLoops::evaluate(ValueRange values) {
  SmallVector<Value> evaluated;
  for (Value value : values) {
    bool isVector = isa<VectorType>(value.getType());
    evaluated.push_back(isVector ? arrayFor(value.getType()) : scalar(value));
    if (isVector && failed(fill(evaluated.back(), value)))
      return failure();
  }
  return evaluated;
}

void VectorLoops::assign(ValueRange evaluated, ValueRange states) {
  for (auto [value, state] : llvm::zip_equal(evaluated, states)) {
    if (isa<MemRefType>(value.getType()))
      copy(value, state);
    else
      memref::StoreOp::create(b, value, state, ValueRange());
  }
}

/// Combines states with others, which are as many: arrays or scalars.
LogicalResult VectorLoops::combine(Block &block, ValueRange others,
                                   ValueRange states) {
  for (auto [i, state] : llvm::enumerate(states)) {
    bind(block.getArgument(i), state);
    BlockArgument other = block.getArgument(states.size() + i);
    if (isa<VectorType>(other.getType()))
      arrays[other] = others[i];
    else
      scalars.map(other, others[i]);
  }
  if (failed(lower(block)))
    return failure();
  // All of them before one is written over.
  FailureOr<SmallVector<Value>> next =
      evaluate(block.getTerminator()->getOperands());
  if (succeeded(next))
    assign(*next, states);
  return next;
}

/// Every element in turn. Some at a time have a state of their own, so that a
/// sum of many is no worse than one that lanes share.
LogicalResult VectorLoops::lowerWalk(WalkOp walk) {
  Block &body = walk.getBody().front();
  FailureOr<SmallVector<Value>> identities = evaluate(walk.getIdentity());
  if (failed(identities))
    return failure();
  SmallVector<Value> states, some;
  for (Type type : walk.getResultTypes()) {
    states.push_back(stateFor(type));
    some.push_back(stateFor(type));
  }
  assign(*identities, states);
  Value end = scalar(walk.getEnd()), step = b.index(elementsAtOnce);
  auto rounds = scf::ForOp::create(b, scalar(walk.getBegin()), end, step);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(rounds.getBody()->getTerminator());
  assign(*identities, some);
  Value first = rounds.getInductionVar();
  Value last = b.min(b.add(first, step), end);
  auto loop = scf::ForOp::create(b, first, last, b.index(1));
  scalars.map(body.getArgument(0), loop.getInductionVar());
  b.setInsertionPoint(loop.getBody()->getTerminator());
  if (failed(lower(body)))
    return failure();
  b.setLoc(walk.getLoc());
  if (states.empty())
    return success();
  Block &both = walk.getCombine().front();
  auto yielded = evaluate(body.getTerminator()->getOperands());
  if (failed(yielded) || failed(combine(both, *yielded, some)))
    return failure();
  b.setInsertionPointAfter(loop);
  SmallVector<Value> others;
  for (Value state : some)
    others.push_back(
        cast<MemRefType>(state.getType()).getRank()
            ? state
            : memref::LoadOp::create(b, state, ValueRange()).getResult());
  if (failed(combine(both, others, states)))
    return failure();
  b.setInsertionPointAfter(rounds);
  for (auto [result, state] : llvm::zip_equal(walk.getResults(), states))
    bind(result, state);
  return success();
}

/// Every worker in turn. The first of those whose results are combined begins
/// a state; where results have several entries, so do several workers.
LogicalResult VectorLoops::lowerParallel(ParallelOp op) {
  Block &body = op.getBody().front();
  ValueRange yielded = body.getTerminator()->getOperands();
  SmallVector<Value> states;
  for (Value value : yielded)
    states.push_back(stateFor(value.getType()));
  int64_t entries = 1;
  Value array; // of entries
  for (auto [result, value] : llvm::zip_equal(op.getResults(), yielded)) {
    if (result.getType() == value.getType())
      continue;
    entries = cast<VectorType>(result.getType()).getNumElements();
    if (op.getNumResults() > 1)
      return refuseVectors(op, "a single result where it has entries");
    array = arrayFor(result.getType());
  }
  auto loop =
      scf::ForOp::create(b, b.index(0), b.index(op.getCount()), b.index(1));
  Value number = loop.getInductionVar();
  scalars.map(body.getArgument(0), number);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    if (failed(lower(body)))
      return failure();
    if (states.empty())
      return success();
    b.setLoc(op.getLoc());
    Value each = b.index(op.getCount() / entries);
    Value rest = arith::RemSIOp::create(b, number, each);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, b.index(0));
    auto values = evaluate(yielded);
    if (failed(values))
      return failure();
    auto which = scf::IfOp::create(b, isFirst, /*withElseRegion=*/true);
    b.setInsertionPoint(which.thenBlock()->getTerminator());
    assign(*values, states);
    b.setInsertionPoint(which.elseBlock()->getTerminator());
    if (failed(combine(op.getCombine().front(), *values, states)))
      return failure();
    b.setInsertionPointAfter(which);
    if (array) {
      Value entry = arith::DivSIOp::create(b, number, each);
      Value state = memref::LoadOp::create(b, states[0], ValueRange());
      memref::StoreOp::create(b, state, array, entry);
    }
  }
  b.setLoc(op.getLoc());
  for (auto [result, state] : llvm::zip_equal(op.getResults(), states))
    bind(result, array ? array : state);
  return success();
}
