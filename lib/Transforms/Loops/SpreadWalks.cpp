//===- SpreadWalks.cpp - Walks as loops -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a row go round the slots in turns, several a slot at once.
// All slots of a row take the same number of steps, so that lanes stay
// together.
//
//===----------------------------------------------------------------------===//

#include "../Utils/LongSums.h"
#include "WalkWindows.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Combine.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SPREADWALKS
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

namespace {
/// One element of a step.
struct WalkedElement {
  Value position;
  Value inside; // whether it counts; null: always
  IRMapping values;
};

class WalkSpreader {
public:
  explicit WalkSpreader(WalkOp walk)
      : walk(walk), b(walk.getLoc(), walk), windows(walk) {}

  void run();
  size_t getStaged() const { return windows.getCount(); }

private:
  /// Where the loops of a walk begin and end: at its elements, or in step at
  /// the first and behind the most of the teams.
  Value getBegin() { return mostElements ? b.index(0) : walk.getBegin(); }
  Value getEnd() { return mostElements ? mostElements : walk.getEnd(); }
  SmallVector<Value> makeLoop(Value begin, Value end, Value slot);
  SmallVector<Value> makeSteps(Value begin, Value end, Value slot,
                               ValueRange states);
  SmallVector<Value> makeRuns(Value slot);
  SmallVector<Value> makeStates(Value slot) {
    return walk.getRun() ? makeRuns(slot)
                         : makeLoop(getBegin(), getEnd(), slot);
  }
  SmallVector<Value> choose(Value condition,
                            function_ref<SmallVector<Value>()> then,
                            ValueRange otherwise);
  SmallVector<WalkedElement> makePoints(Value first, Value end, Value slot);
  void clone(Operation *op, WalkedElement &point);
  void cloneBody(MutableArrayRef<WalkedElement> points);
  void cloneStores(MutableArrayRef<WalkedElement> points);
  void combine(MutableArrayRef<Value> states, ArrayRef<unsigned> numbers,
               WalkedElement &point);
  SmallVector<Value> addTogether(ValueRange carried,
                                 ArrayRef<WalkedElement> points);

  WalkOp walk;
  IndexBuilder b;
  Value mostElements; ///< of the teams that take their steps together
  WalkWindows windows;
};
} // namespace

SmallVector<WalkedElement> WalkSpreader::makePoints(Value first, Value end,
                                                    Value slot) {
  int64_t slots = walk.getSlots();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  SmallVector<WalkedElement> points(walk.getInFlight());
  points[0].position = first;
  if (points.size() == 1 && slots == 1 && !mostElements)
    return points;
  // Steps from `first`, as a position past the end may not fit 32 bits.
  Value begins = b.toI32(first);
  Value left = b.toI32(b.sub(end, first));
  Value last = b.sub(left, constant(1));
  Value own = slots > 1 ? b.toI32(slot) : Value();
  for (auto [u, point] : llvm::enumerate(points)) {
    if (u == 0 && slots == 1 && !mostElements)
      continue;
    Value step = own ? own : constant(0);
    if (u > 0)
      step = own ? b.add(own, constant(u * slots)) : constant(u);
    point.inside = b.less(step, left);
    Value place = b.add(begins, b.min(step, last));
    if (mostElements) // of a row without elements, which may be the first
      place = arith::MaxSIOp::create(b, place, constant(0));
    point.position = arith::IndexCastOp::create(b, b.getIndexType(), place);
  }
  return points;
}

/// Whether an operation finds rows: it is cloned where one is read.
static bool isLookup(Operation &op) {
  if (op.getNumResults() != 1 || hasEffect<MemoryEffects::Write>(&op))
    return false;
  Type type = op.getResult(0).getType();
  return type.isIndex() || type.isInteger(32);
}

/// Clones an operation for a point, after what it needs.
void WalkSpreader::clone(Operation *op, WalkedElement &point) {
  for (Value operand : op->getOperands())
    if (Operation *needed = operand.getDefiningOp();
        needed && needed->getBlock() == op->getBlock() &&
        !point.values.contains(operand))
      clone(needed, point);
  b.where(hasEffect<MemoryEffects::Write>(op) ? point.inside : Value(),
          [&] { b.clone(*op, point.values); });
}

/// Each operation for all points before the next one: loads are issued
/// together. Without what is stored.
void WalkSpreader::cloneBody(MutableArrayRef<WalkedElement> points) {
  Block &body = walk.getBody().front();
  for (WalkedElement &point : points) {
    point.values.map(body.getArgument(0), point.position);
    if (windows)
      windows.map(b, point.position, point.values);
  }
  auto isStaged = [&](Operation &op) {
    return op.getNumResults() == 1 &&
           points[0].values.contains(op.getResult(0));
  };
  for (Operation &op : body.without_terminator())
    if (!isLookup(op) && !hasEffect<MemoryEffects::Write>(&op) && !isStaged(op))
      for (WalkedElement &point : points)
        clone(&op, point);
  for (Value state : body.getTerminator()->getOperands())
    if (Operation *op = state.getDefiningOp(); op && op->getBlock() == &body)
      for (WalkedElement &point : points)
        if (!point.values.contains(state))
          clone(op, point);
}

/// Combines the results `numbers` with what an element gives for them.
void WalkSpreader::combine(MutableArrayRef<Value> states,
                           ArrayRef<unsigned> numbers, WalkedElement &point) {
  Block &block = walk.getCombine().front();
  unsigned count = walk.getNumResults();
  Operation *yield = walk.getBody().front().getTerminator();
  bool isAlone = findOnlyCombiner(block, numbers);
  IRMapping mapping;
  for (unsigned i : numbers) {
    Value state = point.values.lookupOrDefault(yield->getOperand(i));
    if (point.inside && isAlone)
      state = arith::SelectOp::create(b, point.inside, state,
                                      walk.getIdentity()[i]);
    mapping.map(block.getArgument(i), states[i]);
    mapping.map(block.getArgument(count + i), state);
  }
  for (unsigned i : numbers)
    for (Operation *op : getCombiners(block, i))
      if (!mapping.contains(op->getResult(0)))
        b.clone(*op, mapping);
  for (unsigned i : numbers) {
    Value before = states[i];
    states[i] = mapping.lookupOrDefault(block.getTerminator()->getOperand(i));
    if (point.inside && !isAlone)
      states[i] = arith::SelectOp::create(b, point.inside, states[i], before);
  }
}

/// The results with what all elements of a step give.
SmallVector<Value> WalkSpreader::addTogether(ValueRange carried,
                                             ArrayRef<WalkedElement> points) {
  Block &block = walk.getTogether().front();
  Operation *yield = walk.getBody().front().getTerminator();
  IRMapping mapping;
  unsigned number = 0;
  for (Value state : carried)
    mapping.map(block.getArgument(number++), state);
  for (const WalkedElement &point : points)
    for (auto [value, identity] :
         llvm::zip_equal(yield->getOperands(), walk.getIdentity())) {
      Value state = point.values.lookupOrDefault(value);
      if (point.inside)
        state = arith::SelectOp::create(b, point.inside, state, identity);
      mapping.map(block.getArgument(number++), state);
    }
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

void WalkSpreader::cloneStores(MutableArrayRef<WalkedElement> points) {
  for (Operation &op : walk.getBody().front().without_terminator())
    if (hasEffect<MemoryEffects::Write>(&op))
      for (WalkedElement &point : points)
        clone(&op, point);
}

SmallVector<Value> WalkSpreader::makeLoop(Value begin, Value end, Value slot) {
  if (!windows)
    return makeSteps(begin, end, slot, walk.getIdentity());
  return windows.makeLoop(b, begin, end, walk.getIdentity(),
                          [&](Value first, Value last, ValueRange states) {
                            return makeSteps(first, last, slot, states);
                          });
}

SmallVector<Value> WalkSpreader::makeSteps(Value begin, Value end, Value slot,
                                           ValueRange before) {
  Value step = b.index(walk.getSlots() * walk.getInFlight());
  auto body = [&](Value at, ValueRange carried) {
    Value first = mostElements ? b.add(walk.getBegin(), at) : at;
    // The last element of a run, too, is that of the walk.
    SmallVector<WalkedElement> points =
        makePoints(first, windows ? end : walk.getEnd(), slot);
    cloneBody(points);
    SmallVector<Value> states(carried);
    if (!walk.getTogether().empty())
      states = addTogether(carried, points);
    else if (!states.empty())
      for (ArrayRef<unsigned> numbers : groupResults(walk.getCombine().front()))
        for (WalkedElement &point : points)
          combine(states, numbers, point);
    cloneStores(points);
    return states;
  };
  return b.loop(begin, end, step, before, body);
}

/// The values that `then` gives where the condition holds, else these values.
SmallVector<Value> WalkSpreader::choose(Value condition,
                                        function_ref<SmallVector<Value>()> then,
                                        ValueRange otherwise) {
  auto branch = scf::IfOp::create(b, otherwise.getTypes(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return branch.getResults();
}

/// Runs of elements, whose results are combined. The first has none before it,
/// and where it is the only one, nothing was rounded away.
SmallVector<Value> WalkSpreader::makeRuns(Value slot) {
  Value allBegin = getBegin(), allEnd = getEnd();
  LongStates all(walk.getCombine().front());
  // The steps of a run are whole: only the last of all has fewer elements.
  int64_t ofSlot = llvm::alignTo(*walk.getRun(), walk.getInFlight());
  Value length = b.index(ofSlot * walk.getSlots());
  SmallVector<Value> none = all.start(b, walk.getIdentity());
  auto run = [&](Value begin, ValueRange before) -> SmallVector<Value> {
    Value next = b.add(begin, length);
    SmallVector<Value> own = makeLoop(begin, b.min(next, allEnd), slot);
    Value hasOthers =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, begin, allBegin);
    SmallVector<Value> first(own);
    llvm::append_range(first, ArrayRef<Value>(none).drop_front(own.size()));
    return choose(hasOthers, [&] { return all.add(b, before, own); }, first);
  };
  SmallVector<Value> parts = b.loop(allBegin, allEnd, length, none, run);
  SmallVector<Value> states(
      ArrayRef<Value>(parts).take_front(walk.getNumResults()));
  if (all.areShort())
    return states;
  Value several = b.less(length, b.sub(allEnd, allBegin));
  return choose(several, [&] { return all.join(b, parts); }, states);
}

void WalkSpreader::run() {
  if (walk.getInStep())
    mostElements =
        MostOfTeamsOp::create(b, b.sub(walk.getEnd(), walk.getBegin()));
  if (walk.getSlots() == 1) {
    walk.replaceAllUsesWith(makeStates(Value()));
    return;
  }
  auto slots = ParallelOp::create(b, walk.getResultTypes(), walk.getSlots(),
                                  walk.getOver());
  OpBuilder::InsertionGuard restore(b);
  Block &body = slots.getBody().emplaceBlock();
  Value slot = body.addArgument(b.getIndexType(), b.getLoc());
  b.setInsertionPointToEnd(&body);
  YieldOp::create(b, makeStates(slot));
  slots.getCombine().takeBody(walk.getCombine());
  walk.replaceAllUsesWith(slots.getResults());
}

/// Checks that a step can have several elements of a walk. Stores come last, so
/// that nothing may read behind them what they write.
static LogicalResult verifyBody(WalkOp walk) {
  llvm::DenseSet<Value> written;
  for (Operation &op : walk.getBody().front()) {
    if (op.getNumRegions() > 0)
      return op.emitOpError("cannot be computed for several elements of a walk "
                            "at once: expected ops without regions");
    SmallVector<BufferAccess> accesses = getAccesses(&op);
    for (const BufferAccess &access : accesses)
      if (!access.isWrite && written.contains(access.buffer))
        return op.emitOpError("cannot be computed for several elements of a "
                              "walk at once: expected to read in front of "
                              "what writes the buffer");
    for (const BufferAccess &access : accesses)
      if (access.isWrite)
        written.insert(access.buffer);
  }
  return success();
}

namespace {
struct SpreadWalks : gnn::impl::SpreadWalksBase<SpreadWalks> {
  void runOnOperation() override {
    SmallVector<WalkOp> walks;
    getOperation()->walk([&](WalkOp walk) { walks.push_back(walk); });
    for (WalkOp walk : walks) {
      if (failed(verifyBody(walk)))
        return signalPassFailure();
      WalkSpreader spreader(walk);
      std::string window =
          !walk.getWindow() ? ""
          : spreader.getStaged()
              ? (", in windows of " + Twine(*walk.getWindow()) +
                 " elements, which have " + Twine(spreader.getStaged()) +
                 " numbers each")
                    .str()
              : ", without windows: nothing is read by position alone";
      gnn::passed(getArgument(), walk.getLoc(), "Spread")
          << ("a walk in steps of " + Twine(walk.getSlots()) + " x " +
              Twine(walk.getInFlight()) + " elements" +
              (walk.getRun() ? ", in runs of " + std::to_string(*walk.getRun())
                             : "") +
              window)
                 .str();
      spreader.run();
      walk.erase();
    }
  }
};
} // namespace
