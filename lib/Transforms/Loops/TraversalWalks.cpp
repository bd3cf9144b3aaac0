//===- TraversalWalks.cpp - Reductions over elements as walks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each reduction's first states, states of an element, combination and result.
//
//===----------------------------------------------------------------------===//

#include "TraversalLoops.h"

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Whether the index of an element is its position in the walk.
static bool hasPositions(ArgReduceOp arg) {
  auto index = arg.getIndex().getDefiningOp<IndexOp>();
  return index && index.getAt().isInOrderOf(
                      arg->getParentOfType<TraverseOp>().getDomain());
}

/// Whether elements of a group have higher and higher indices: their positions,
/// or the numbers of edges that ascend within their group.
static bool hasAscendingIndices(ArgReduceOp arg) {
  if (hasPositions(arg))
    return true;
  auto index = arg.getIndex().getDefiningOp<IndexOp>();
  if (!index || index.getAt().getAnchor() != Anchor::Element)
    return false;
  RowDomain space = index.getAt().getSpace();
  auto op = arg->getParentOfType<TraverseOp>();
  RowDomain groups = op.getGroups(), elements = op.getElements();
  return space == RowDomain(Space::Edge) && elements.isIn(Space::Edge) &&
         groups.isOfGraph() &&
         ascendInGroups(groups.get().space, elements.get());
}

/// Adds `value` and all that it depends on, operands first.
void TraversalLoops::collectNeeds(Value value, llvm::SetVector<Value> &needs) {
  if (needs.contains(value))
    return;
  if (Operation *inner = value.getDefiningOp())
    if (!reducesElements(inner))
      for (Value operand : inner->getOperands())
        collectNeeds(operand, needs);
  needs.insert(value);
}

/// The reductions of this rank, and the element outputs that become ready
/// with it.
TraversalLoops::Walked TraversalLoops::collectWalked(int64_t rank) {
  Walked result;
  auto &[reductions, outputs, needs] = result;
  for (Operation &inner : op.getBody().front())
    if (reducesElements(&inner) && ranks[inner.getResult(0)] == rank + 1) {
      for (Value operand : inner.getOperands())
        collectNeeds(operand, needs);
      reductions.push_back(&inner);
    }
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element &&
        ranks.lookup(value) == rank) {
      collectNeeds(value, needs);
      outputs.push_back(i);
    }
  return result;
}

void TraversalLoops::walkElements(int64_t rank) {
  auto [reductions, outputs, needs] = collectWalked(rank);
  if (reductions.empty() && outputs.empty())
    return;
  if (ofParts)
    return finishAll(reductions, walkParts(reductions));
  // A value that does not vary by element is computed once, in front of the
  // walk.
  for (Value value : needs)
    if (!getLevel(value).element)
      (void)valueOf(value);

  bool isLong = byBlock && layout.rowWalk == RowWalk::ByLength;
  WalkOp walk =
      createWalk(begin, walked, reductions,
                 isLong ? layout.longInFlight() : layout.inFlight,
                 byBlock ? layout.runs : layout.runsOf(layout.mostOfTeam()),
                 layout.window);
  walk.setInStep(!byBlock && !layout.isOneLane && layout.rowsPerWarp() > 1 &&
                 TraverseFacts(op).shufflesInsideElements);
  OpBuilder::InsertionGuard restore(b);
  Block &body = walk.getBody().front();
  WalkPoint here;
  here.position = body.getArgument(0);
  point = &here;
  b.setInsertionPointToEnd(&body);
  for (Value value : needs)
    if (getLevel(value).element)
      (void)valueOf(value);
  SmallVector<Value> states;
  for (Operation *reduction : reductions)
    llvm::append_range(states, statesOf(reduction));
  for (unsigned output : outputs)
    store(output);
  YieldOp::create(b, states);
  point = nullptr;
  if (reductions.empty())
    return;
  b.setInsertionPointAfter(walk);
  SmallVector<Value> results(walk.getResults());
  if (firstPart)
    results = combineAll(reductions, results, walkParts(reductions));
  finishAll(reductions, results);
}

/// The states of a long row, from those of its parts; of a row cut by blocks,
/// from its pieces.
SmallVector<Value> TraversalLoops::walkParts(Reductions reductions) {
  WalkOp walk = createWalk(
      firstPart, endPart, reductions,
      op.joinsPieces() ? layout.inFlight : layout.longInFlight(), layout.runs);
  OpBuilder::InsertionGuard restore(b);
  Block &body = walk.getBody().front();
  b.setInsertionPointToEnd(&body);
  SmallVector<Value> states;
  for (auto [part, reduced] : llvm::zip_equal(op.getParts(), op.getReduced())) {
    AtAttr at = TraverseOp::getPartAt(reduced);
    states.push_back(load(part, indicesOf(at, body.getArgument(0)), at));
  }
  YieldOp::create(b, states);
  return SmallVector<Value>(walk.getResults());
}

/// A walk that combines the states of these reductions, in runs of so many
/// elements if not 0, without what it does at a position.
WalkOp TraversalLoops::createWalk(Value begin, Value end, Reductions reductions,
                                  int64_t inFlight, int64_t run,
                                  int64_t window) {
  SmallVector<Value> identities;
  for (Operation *reduction : reductions)
    llvm::append_range(identities, identitiesOf(reduction));
  int64_t slots = layout.elementLanes * (byBlock ? layout.rowsPerBlock : 1);
  // Elements of a slot are in order, the states of several slots are not.
  bool addsInOrder =
      inFlight > 1 && llvm::any_of(reductions, [](Operation *op) {
        auto arg = dyn_cast<ArgReduceOp>(op);
        return isa<SoftmaxSumOp>(op) || (arg && hasAscendingIndices(arg));
      });
  bool adds =
      llvm::any_of(reductions, [](Operation *op) { return addsUp(*op); });
  if (byBlock)
    window *= layout.rowsPerBlock;
  auto walk = WalkOp::create(
      b, begin, end, identities, byBlock ? Worker::Block : Worker::Element,
      slots, inFlight, run && adds ? b.getI64IntegerAttr(run) : IntegerAttr(),
      /*in_step=*/false, window ? b.getI64IntegerAttr(window) : IntegerAttr());
  OpBuilder::InsertionGuard restore(b);
  walk.getBody().emplaceBlock().addArgument(b.getIndexType(), b.getLoc());
  if (reductions.empty())
    return walk;
  size_t count = identities.size();
  auto addStates = [&](Region &region, int64_t states) -> Block & {
    Block &block = region.emplaceBlock();
    for (int64_t i = 0; i < states; ++i)
      for (Value identity : identities)
        block.addArgument(identity.getType(), b.getLoc());
    b.setInsertionPointToEnd(&block);
    return block;
  };
  ValueRange states = addStates(walk.getCombine(), 2).getArguments();
  YieldOp::create(b, combineAll(reductions, states.take_front(count),
                                states.drop_front(count)));
  if (addsInOrder) { // all elements that are there at once
    states = addStates(walk.getTogether(), 1 + inFlight).getArguments();
    SmallVector<ValueRange> elements;
    for (int64_t i = 1; i <= inFlight; ++i)
      elements.push_back(states.slice(i * count, count));
    YieldOp::create(b, addAll(reductions, states.take_front(count), elements));
  }
  return walk;
}

SmallVector<Value> TraversalLoops::combineAll(Reductions reductions,
                                              ValueRange x, ValueRange y) {
  SmallVector<Value> combined;
  for (Operation *reduction : reductions) {
    unsigned first = combined.size(), count = reduction->getNumResults();
    llvm::append_range(combined, combine(reduction, x.slice(first, count),
                                         y.slice(first, count)));
  }
  return combined;
}

void TraversalLoops::finishAll(Reductions reductions, ValueRange results) {
  for (Operation *reduction : reductions) {
    unsigned count = reduction->getNumResults();
    finish(reduction, results.take_front(count));
    results = results.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// One reduction
//===----------------------------------------------------------------------===//

/// Higher than every index.
static constexpr int64_t noIndex = std::numeric_limits<int32_t>::max();

TypedAttr TraversalLoops::identityOf(Reduction kind, Type element) {
  return arith::getIdentityValueAttr(getReductionKind(kind, element), element,
                                     b, b.getLoc());
}

/// The highest score of nothing: minus infinity has no difference to itself.
static TypedAttr lowestOf(FloatType type) {
  return FloatAttr::get(type, llvm::APFloat::getLargest(
                                  type.getFloatSemantics(), /*Negative=*/true));
}

Value TraversalLoops::combineKind(Reduction kind, Value x, Value y) {
  return arith::getReductionOp(getReductionKind(kind, getElementTypeOrSelf(x)),
                               b, b.getLoc(), x, y);
}

SmallVector<Value> TraversalLoops::identitiesOf(Operation *reduction) {
  SmallVector<Value> identities;
  for (OpResult result : reduction->getResults()) {
    Level level = getLevel(result);
    Type element = result.getType(), type = typeAt(element, level);
    if (auto fold = dyn_cast<FoldOp>(reduction)) {
      Value identity = fold.getIdentity()[result.getResultNumber()];
      identities.push_back(spread(valueOf(identity), level));
      continue;
    }
    if (isa<SoftmaxSumOp>(reduction)) {
      identities.push_back(
          constant(type, result.getResultNumber() == 0
                             ? lowestOf(cast<FloatType>(element))
                             : b.getZeroAttr(element)));
      continue;
    }
    auto arg = dyn_cast<ArgReduceOp>(reduction);
    Reduction kind = arg ? arg.getKind() : cast<ReduceOp>(reduction).getKind();
    bool isIndex = arg && result.getResultNumber() == 1;
    identities.push_back(isIndex ? constant(type, noIndex)
                                 : constant(type, identityOf(kind, element)));
  }
  return identities;
}

SmallVector<Value> TraversalLoops::statesOf(Operation *reduction) {
  LocationScope scope(b, reduction->getLoc());
  if (auto reduce = dyn_cast<ReduceOp>(reduction)) {
    Value value = valueOf(reduce.getValue());
    if (reduce.getDims().size() > 1)
      value = reduceVector(reduce, value, getLevel(reduce.getValue()));
    return {value};
  }
  SmallVector<Value> states;
  for (auto [operand, result] :
       llvm::zip(reduction->getOperands(), reduction->getResults()))
    states.push_back(spread(valueOf(operand), getLevel(result)));
  return states;
}

/// The better of two candidates; of equals, the one of the lower index.
static SmallVector<Value> better(ImplicitLocOpBuilder &b, Reduction kind,
                                 ValueRange x, ValueRange y) {
  using P = arith::CmpFPredicate;
  auto compare = [&](P predicate, Value l, Value r) -> Value {
    return arith::CmpFOp::create(b, predicate, l, r);
  };
  auto both = [&](Value l, Value r) -> Value {
    return arith::AndIOp::create(b, l, r);
  };
  auto either = [&](Value l, Value r) -> Value {
    return arith::OrIOp::create(b, l, r);
  };
  Value xNaN = compare(P::UNO, x[0], x[0]), yNaN = compare(P::UNO, y[0], y[0]);
  Value wins = compare(kind == Reduction::Max ? P::OGT : P::OLT, y[0], x[0]);
  Value same = either(compare(P::OEQ, x[0], y[0]), both(xNaN, yNaN));
  Value firstNaN = both(yNaN, compare(P::ORD, x[0], x[0]));
  Value lower = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, y[1], x[1]);
  wins = either(either(wins, firstNaN), both(same, lower));
  return {arith::SelectOp::create(b, wins, y[0], x[0]),
          arith::SelectOp::create(b, wins, y[1], x[1])};
}

/// The better of a candidate and one that has a higher index: of equals, it is
/// the one that came before. `none` is the index of no candidate; null: there
/// is one.
static SmallVector<Value> betterOfNext(ImplicitLocOpBuilder &b, Reduction kind,
                                       ValueRange x, ValueRange y, Value none) {
  using P = arith::CmpFPredicate;
  // A NaN is beyond every number, and no other one beyond it.
  Value beyond = arith::CmpFOp::create(
      b, kind == Reduction::Max ? P::UGT : P::ULT, y[0], x[0]);
  Value isNumber = arith::CmpFOp::create(b, P::ORD, x[0], x[0]);
  Value wins = arith::AndIOp::create(b, beyond, isNumber);
  if (none)
    wins = arith::OrIOp::create(
        b, wins,
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[1], none));
  return {arith::SelectOp::create(b, wins, y[0], x[0]),
          arith::SelectOp::create(b, wins, y[1], x[1])};
}

/// States of a group whose first element is at `position`. An extreme by
/// position starts there: a first element that is no better is the best.
SmallVector<Value> TraversalLoops::statesFrom(Operation *reduction,
                                              Value position) {
  SmallVector<Value> states = identitiesOf(reduction);
  auto arg = dyn_cast<ArgReduceOp>(reduction);
  if (arg && hasPositions(arg))
    states[1] = spread(b.toI32(position), getLevel(arg.getArgument()));
  return states;
}

/// The sums of several states by the power of the highest score of all.
SmallVector<Value> TraversalLoops::rescale(SoftmaxSumOp op,
                                           ArrayRef<ValueRange> states) {
  Value top;
  for (ValueRange state : states)
    top = top ? combineKind(Reduction::Max, top, state[0]) : state[0];
  SmallVector<Value> combined{top};
  combined.resize(op.getNumResults());
  for (ValueRange state : states) {
    Value power = math::ExpOp::create(
        b, arith::SubFOp::create(b, state[0], top), arith::FastMathFlags::afn);
    for (auto [i, value] : llvm::enumerate(op.getSums())) {
      Value term = arith::MulFOp::create(b, spread(power, getLevel(value)),
                                         state[i + 1]);
      Value &sum = combined[i + 1];
      sum = sum ? arith::AddFOp::create(b, sum, term).getResult() : term;
    }
  }
  return combined;
}

SmallVector<Value> TraversalLoops::addAll(Reductions reductions,
                                          ValueRange before,
                                          ArrayRef<ValueRange> elements,
                                          bool isStarted) {
  SmallVector<Value> all;
  for (Operation *reduction : reductions) {
    unsigned first = all.size(), count = reduction->getNumResults();
    auto ownOf = [&](ValueRange states) { return states.slice(first, count); };
    if (auto softmax = dyn_cast<SoftmaxSumOp>(reduction)) {
      LocationScope scope(b, reduction->getLoc());
      SmallVector<ValueRange> own{ownOf(before)};
      for (ValueRange states : elements)
        own.push_back(ownOf(states));
      llvm::append_range(all, rescale(softmax, own));
      continue;
    }
    SmallVector<Value> own(ownOf(before));
    auto arg = dyn_cast<ArgReduceOp>(reduction);
    bool isAscending = arg && hasAscendingIndices(arg);
    Value none;
    if (isAscending && !(isStarted && hasPositions(arg)))
      none = constant(own[1].getType(), noIndex);
    for (ValueRange states : elements)
      own = isAscending
                ? betterOfNext(b, arg.getKind(), own, ownOf(states), none)
                : combine(reduction, own, ownOf(states));
    llvm::append_range(all, own);
  }
  return all;
}

SmallVector<Value> TraversalLoops::combine(Operation *reduction, ValueRange x,
                                           ValueRange y) {
  LocationScope scope(b, reduction->getLoc());
  if (auto reduce = dyn_cast<ReduceOp>(reduction))
    return {combineKind(reduce.getKind(), x[0], y[0])};
  if (auto arg = dyn_cast<ArgReduceOp>(reduction))
    return better(b, arg.getKind(), x, y);
  if (auto softmax = dyn_cast<SoftmaxSumOp>(reduction))
    return rescale(softmax, {x, y});
  auto fold = cast<FoldOp>(reduction);
  Block &block = fold.getCombine().front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    rowValues[argument] = i < x.size() ? x[i] : y[i - x.size()];
  SmallVector<Value> combined;
  for (auto [value, result] :
       llvm::zip(block.getTerminator()->getOperands(), fold.getResults()))
    combined.push_back(spread(valueOf(value), getLevel(result)));
  for (BlockArgument argument : block.getArguments())
    rowValues.erase(argument);
  for (Operation &inner : block)
    for (Value result : inner.getResults())
      rowValues.erase(result);
  return combined;
}

/// The highest score of a group that has elements, of a softmax's states: minus
/// infinity if all are, which is the lowest number in states. Elements of the
/// lowest number weigh something, as a sum that is a number says; rows of
/// features alone do not tell the two apart.
Value TraversalLoops::highestOf(ValueRange states) {
  Value highest = states.front();
  Type type = highest.getType();
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  auto isEqual = [&](Value value, TypedAttr number) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value,
                                 constant(type, number));
  };
  Value areInfinite = isEqual(highest, lowestOf(element));
  for (Value sum : states.drop_front())
    if (sum.getType() == type) // numbers, not rows of features
      areInfinite = arith::AndIOp::create(b, areInfinite,
                                          isEqual(sum, b.getZeroAttr(element)));
  Value infinity = constant(type, identityOf(Reduction::Max, element));
  return arith::SelectOp::create(b, areInfinite, infinity, highest);
}

/// Divides means, and gives 0 and no index for the extreme of nothing.
void TraversalLoops::finish(Operation *reduction, ValueRange results) {
  LocationScope scope(b, reduction->getLoc());
  SmallVector<Value> finished(results);
  auto reduce = dyn_cast<ReduceOp>(reduction);
  bool isMean = reduce && reduce.getKind() == Reduction::Mean;
  if (isa<SoftmaxSumOp>(reduction))
    finished[0] =
        arith::SelectOp::create(b, b.less(begin, end), highestOf(finished),
                                constant(finished[0].getType(), 0));
  bool isExtreme = isa<ArgReduceOp>(reduction) ||
                   (reduce && reduce.getKind() != Reduction::Sum && !isMean);
  if (isMean) {
    Value count = b.toI32(b.sub(end, begin));
    count = arith::MaxSIOp::create(b, count, b.number32(1));
    Type type = finished[0].getType(), element = getElementTypeOrSelf(type);
    // One quotient instead of one for each feature.
    Value share = arith::DivFOp::create(
        b, constant(element, 1), arith::SIToFPOp::create(b, element, count),
        arith::FastMathFlags::afn);
    if (share.getType() != type)
      share = vector::BroadcastOp::create(b, type, share);
    finished[0] = arith::MulFOp::create(b, finished[0], share);
  }
  if (isExtreme) {
    Value any = b.less(begin, end);
    for (auto [i, value] : llvm::enumerate(finished))
      value = arith::SelectOp::create(b, any, value,
                                      constant(value.getType(), i ? -1 : 0));
  }
  for (auto [result, value] : llvm::zip(reduction->getResults(), finished))
    rowValues[result] = value;
}
