//===- EdgeSteps.cpp - Steps of a walk over equal shares ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step has several elements under way, whose rows are loaded at once. Where
// no group ends among them, they are added together. Else they are added one by
// one, each by the group that it is of.
//
//===----------------------------------------------------------------------===//

#include "EdgeWalks.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// A branch that gives values of these types.
SmallVector<Value> EdgeWalk::choose(Value condition, TypeRange types,
                                    Chosen then, Chosen otherwise) {
  auto branch = scf::IfOp::create(b, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return branch.getResults();
}

void EdgeWalk::where(Value condition, Body then, Body otherwise) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

/// A number that was made an index and a number again.
static Value numberOf(Value value) {
  auto number = value.getDefiningOp<arith::IndexCastOp>();
  auto index =
      number ? number.getIn().getDefiningOp<arith::IndexCastOp>() : nullptr;
  return index && index.getIn().getType() == value.getType() ? index.getIn()
                                                             : value;
}

/// The results of a branch; of values that are there in front of it, a select.
static SmallVector<Value> selectKnown(IndexBuilder &b, ValueRange results) {
  SmallVector<Value> selected(results);
  if (results.empty())
    return selected;
  auto branch = results.front().getDefiningOp<scf::IfOp>();
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(branch); // behind it, LLVM makes a branch of it again
  for (auto [value, then, otherwise] :
       llvm::zip_equal(selected, branch.thenYield().getOperands(),
                       branch.elseYield().getOperands())) {
    Value a = numberOf(then), c = numberOf(otherwise);
    if (!branch->isAncestor(a.getParentBlock()->getParentOp()) &&
        !branch->isAncestor(c.getParentBlock()->getParentOp()))
      value = arith::SelectOp::create(b, branch.getCondition(), a, c);
  }
  return selected;
}

//===----------------------------------------------------------------------===//
// Elements under way
//===----------------------------------------------------------------------===//

/// Finds the elements from `first` on. Padding is the last one, without an end:
/// it is added to states behind the last end, which nobody stores (TeamShare).
void EdgeWalk::locate(Batch &batch, Value first, ValueRange loaded) {
  Value last = b.sub(op.getEndRow(), b.index(1));
  for (auto [u, here] : llvm::enumerate(batch.points)) {
    here.number = b.add(first, u);
    here.position = b.min(here.number, last);
  }
  // Each stream says the ends.
  for (RowDomain target : op.getStreamTargets()) {
    batch.words = Values(loaded.take_front(batch.points.size()));
    loaded = loaded.drop_front(batch.points.size());
    for (auto [word, here] : llvm::zip_equal(batch.words, batch.points))
      here.rows[target] = IndexArrays::rowOfWord(b, word);
  }
}

/// Padding has no rows.
void EdgeWalk::storeElements(Batch &batch) {
  for (unsigned output : outputs) {
    if (isScattered(output)) {
      scatter(output, batch);
      continue;
    }
    for (unsigned u = 0; u < batch.points.size(); ++u) {
      enterPoint(batch, u);
      b.where(b.less(point->number, op.getEndRow()), [&] { store(output); });
    }
  }
  point = nullptr;
}

/// Adds elements of the group that is entered.
void EdgeWalk::add(Carried &now, Batch &batch) {
  evaluateBatch(ofBoth, batch);
  Values all;
  for (Operation *reduction : reductions) {
    unsigned count = reduction->getNumResults();
    ValueRange before = ValueRange(now.states).slice(all.size(), count);
    auto softmax = dyn_cast<SoftmaxSumOp>(reduction);
    if (softmax && numbers.contains(softmax.getScore())) {
      llvm::append_range(all, addSoftmax(softmax, before, batch));
      continue;
    }
    SmallVector<Values> own;
    for (unsigned u = 0; u < batch.points.size(); ++u) {
      enterPoint(batch, u);
      own.push_back(statesOf(reduction));
    }
    llvm::append_range(all, addAll(reduction, before,
                                   llvm::to_vector_of<ValueRange>(own),
                                   /*isStarted=*/true));
  }
  point = nullptr;
  storeElements(batch);
  now.states = all;
}

/// Stores the group that ends with the element at `position`.
void EdgeWalk::closeGroup(Carried &now, Value position, Value team) {
  IndexArrays::ElementRange elements{b.index(0), b.index(1)}; // some
  if (now.begin) {
    elements = {now.begin, b.add(position, 1)};
    now.begin = elements.end;
  }
  if (!types.empty())
    where(
        now.isHead,
        [&] {
          if (layout.addsAtomically)
            addToGroup(now.group, now.states);
          else
            leave(now.states, heads, team);
        },
        [&] { finishGroup(now.group, now.states, elements); });
}

void EdgeWalk::nextGroup(Carried &now) {
  now.group = now.next;
  if (now.second) {
    now.groupValues = now.nextValues;
    now.next = now.second;
    now.second = filledAt(b.add(now.place, 3));
    now.nextValues = valuesOfGroup(now.next);
  } else {
    now.next = filledAt(b.add(now.place, 2));
    now.groupValues = valuesOfGroup(now.group);
  }
  now.place = b.add(now.place, 1);
}

/// One element after the other, each of which may be the last of its group. All
/// lanes have its numbers: what several elements need at once would stay in
/// registers, of which kernels have as many as this rare path.
SmallVector<Value> EdgeWalk::stepInOrder(const Carried &carried, Batch batch,
                                         Value team) {
  spreadNumbers(batch);
  Carried now = carried;
  now.states = putTogether(now.states);
  auto ofLanes = std::exchange(numbers, {});
  Value zero = b.number32(0);
  for (auto [word, here] : llvm::zip_equal(batch.words, batch.points)) {
    Batch own; // of the other branch are others
    own.points = {here};
    own.groupValues = {now.groupValues};
    add(now, own);
    Values same = now.pack(b), fresh = statesOfGroup(b.add(here.number, 1));
    Value isNone = constant(b.getI1Type(), 0);
    auto end = [&, &here = here] {
      Carried then = now;
      closeGroup(then, here.number, team);
      then.states = fresh;
      then.isHead = isNone;
      nextGroup(then);
      return then.pack(b);
    };
    Values left = choose(b.less(word, zero), TypeRange(ValueRange(same)), end,
                         [&] { return same; });
    // Selects of one state take fewer registers than moves where branches meet.
    if (llvm::all_of(reductions, llvm::IsaPred<ReduceOp>))
      left = selectKnown(b, left);
    now = now.unpack(b, left);
  }
  numbers = std::move(ofLanes);
  now.states = takeApart(now.states);
  return now.pack(b);
}

/// Without states, what numbers are reduced of is found for one element after
/// the other, and the numbers of all at once.
SmallVector<Value> EdgeWalk::stepOverEnds(const Carried &carried, Batch batch) {
  Value zero = b.number32(0);
  Carried now = carried;
  batch.groupValues.clear();
  for (auto [u, word] : llvm::enumerate(batch.words)) {
    batch.groupValues.push_back(now.groupValues);
    evaluateReduced(batch, u);
    Values same = now.pack(b);
    auto end = [&] {
      Carried then = now;
      nextGroup(then);
      return then.pack(b);
    };
    now = now.unpack(b, choose(b.less(word, zero), TypeRange(ValueRange(same)),
                               end, [&] { return same; }));
  }
  evaluateBatch(ofBoth, batch);
  storeElements(batch);
  return now.pack(b);
}

SmallVector<Value> EdgeWalk::step(Value first, const Carried &carried,
                                  ValueRange loaded, Value team) {
  Batch batch;
  batch.points.resize(layout.inFlight);
  batch.groupValues = {carried.groupValues};
  locate(batch, first, loaded);
  loadSideBySide(batch);
  evaluateBatch(ofElement, batch);
  Value any;
  for (Value word : batch.words)
    any = any ? arith::OrIOp::create(b, any, word).getResult() : word;
  Value zero = b.number32(0);
  Value ends = b.less(any, zero);
  if (exchanges())
    ends = AnyTeamOp::create(b, ends);
  return choose(
      ends, TypeRange(ValueRange(carried.pack(b))),
      [&] { // some groups end
        llvm::SaveAndRestore ofBranch(rowValues);
        return types.empty() ? stepOverEnds(carried, batch)
                             : stepInOrder(carried, batch, team);
      },
      [&] {
        llvm::SaveAndRestore ofBranch(rowValues);
        Carried now = carried;
        Batch own = batch;
        add(now, own);
        return now.pack(b);
      });
}
