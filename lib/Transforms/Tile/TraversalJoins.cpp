//===- TraversalJoins.cpp - Two traversals as one -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraversalJoins.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Rows that may be walked by one kernel for several ends: those of edges one
/// by one, and edges or pairs that meet in nodes and pairs. Sums over types and
/// the graph are cut into pieces of their own.
bool gnn::tile::isJoinable(TraverseOp op) {
  DomainAttr domain = op.getDomain();
  RowDomain groups = domain.getGroups();
  if (op.getSchedule() || op->getNumResults() == 0)
    return false;
  if (!domain.getElements())
    return groups.isKind(RowKind::Edge);
  return groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair);
}

SmallVector<TraverseOp> gnn::tile::collectJoinable(Block &block) {
  SmallVector<TraverseOp> ops;
  for (auto op : block.getOps<TraverseOp>())
    if (isJoinable(op))
      ops.push_back(op);
  return ops;
}

//===----------------------------------------------------------------------===//
// Accesses and dimensions
//===----------------------------------------------------------------------===//

/// An access where features are heads.
static AtAttr translate(AtAttr at, bool featureIsHead) {
  if (!featureIsHead)
    return at;
  return AtAttr::get(at.getContext(), at.getAnchor(), at.getSpace(),
                     at.getFeature(), false, at.getOffset());
}

AtAttr Join::ofFirst(AtAttr at) const {
  at = translate(at, firstIsHead);
  if (!edges || at.getAnchor() != Anchor::Group)
    return at;
  // Elements may be the same edges in another order.
  RowDomain space = at.getSpace() ? at.getSpace() : edges;
  if (space == domain.getElements())
    space = RowDomain();
  at = AtAttr::get(at.getContext(), Anchor::Element, space, at.getHead(),
                   at.getFeature(), at.getOffset(), at.getColumn());
  return hoistAccess(at, domain);
}

AtAttr Join::ofSecond(AtAttr at) const {
  return hoistAccess(translate(at, secondIsHead), domain);
}

/// Whether an access reaches the row of this point itself, all of it.
static bool isOwnRow(AtAttr at) { return !at.getSpace() && !at.getOffset(); }

/// Whether the features of a traversal that has no heads can be heads: they are
/// those of whole rows, both of what it reads and of what it writes.
static bool canTurn(TraverseOp op, Level used) {
  if (used.head || !used.feature || reducesLanes(op) || readsPart(op) ||
      readsColumns(op))
    return false;
  return llvm::all_of(op.getOutputsMutable(), [&](OpOperand &output) {
    return op.getWrittenColumns(output).isWhole;
  });
}

/// Sizes of heads and features that hold both, where features of one may be
/// heads.
static std::optional<Join> joinDims(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  Level usedA = usedDims(first), usedB = usedDims(second);
  auto attempt = [&](bool firstIsHead,
                     bool secondIsHead) -> std::optional<Join> {
    int64_t headsA = a.getHeads(), featuresA = a.getFeatures();
    int64_t headsB = b.getHeads(), featuresB = b.getFeatures();
    Level levelA = usedA, levelB = usedB;
    if (firstIsHead) {
      std::swap(headsA, featuresA);
      std::swap(levelA.head, levelA.feature);
    }
    if (secondIsHead) {
      std::swap(headsB, featuresB);
      std::swap(levelB.head, levelB.feature);
    }
    auto heads = joinSize(headsA, levelA.head, headsB, levelB.head);
    auto features =
        joinSize(featuresA, levelA.feature, featuresB, levelB.feature);
    if (!heads || !features)
      return std::nullopt;
    // A traversal that reduces features has as many as before.
    auto grows = [&](TraverseOp op, int64_t ownHeads, int64_t ownFeatures) {
      return reducesLanes(op) &&
             (*heads != ownHeads || *features != ownFeatures);
    };
    if (grows(first, headsA, featuresA) || grows(second, headsB, featuresB))
      return std::nullopt;
    return Join{DomainAttr::get(first.getContext(), b.getGroups(),
                                b.getElements(), *heads, *features),
                !a.getElements() && b.getElements() ? a.getGroups()
                                                    : RowDomain(),
                firstIsHead, secondIsHead};
  };
  if (std::optional<Join> same = attempt(false, false))
    return same;
  if (canTurn(first, usedA) && usedB.head)
    return attempt(true, false);
  if (canTurn(second, usedB) && usedA.head)
    return attempt(false, true);
  return std::nullopt;
}

/// The numbers of the inputs of `second` that `first` gives.
static SmallVector<unsigned> readsOf(TraverseOp first, TraverseOp second) {
  SmallVector<unsigned> numbers;
  for (auto [i, input] : llvm::enumerate(second.getInputs()))
    if (input.getDefiningOp() == first)
      numbers.push_back(i);
  return numbers;
}

/// Whether each value that `second` reads of `first` is the one of its own row,
/// with the features that it was written with.
static bool readsOwnRows(TraverseOp first, TraverseOp second,
                         const Join &join) {
  for (unsigned i : readsOf(first, second)) {
    unsigned number = cast<OpResult>(second.getInputs()[i]).getResultNumber();
    AtAttr written = first.getOutputAt(number);
    AtAttr read = join.ofSecond(second.getInputAt(i));
    if (first.getDomain().getElements() || !isOwnRow(written) ||
        join.ofFirst(written) != read)
      return false;
  }
  // A tensor that is gone on with is written by both.
  return llvm::none_of(second.getOutputs(), [&](Value output) {
    return output.getDefiningOp() == first;
  });
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

bool Dependences::dependsBetween(Operation *op, Operation *other) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return maker && maker != other && dependsOn(maker, other);
  });
}

Dependences::Dependences(Block &block) {
  for (Operation &op : block)
    places.try_emplace(&op, places.size());
  makers.assign(places.size(), llvm::BitVector(places.size()));
  for (Operation &op : block) {
    llvm::BitVector &mine = makers[places.lookup(&op)];
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto maker = places.find(operand.getDefiningOp());
            maker != places.end()) {
          mine |= makers[maker->second];
          mine.set(maker->second);
        }
    });
  }
}

void Dependences::join(Operation *first, Operation *second, Operation *joined) {
  unsigned gone = places.lookup(first), place = places.lookup(second);
  llvm::BitVector both = makers[gone];
  both |= makers[place];
  both.reset(gone);
  for (llvm::BitVector &mine : makers)
    if (mine.test(gone) || mine.test(place)) {
      mine |= both;
      mine.set(place);
      mine.reset(gone);
    }
  makers[place] = both;
  places.erase(first);
  places.erase(second);
  places[joined] = place;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

bool gnn::tile::isRead(OpResult result, TraverseOp second) {
  return llvm::any_of(result.getUsers(),
                      [&](Operation *user) { return user != second; });
}

bool gnn::tile::areSideBySide(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  return first.getGraphAttr() == second.getGraphAttr() &&
         a.getGroups() == b.getGroups() && a.getElements() == b.getElements();
}

bool gnn::tile::isIntoElements(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  return first.getGraphAttr() == second.getGraphAttr() && !a.getElements() &&
         a.getGroups().isKind(RowKind::Edge) && b.getElements() &&
         b.getElements().hasSpaceOf(a.getGroups()) &&
         !readsOf(first, second).empty();
}

/// Whether maps lead from the elements of the walk to all that is read and
/// written of an edge.
static bool hasMaps(TraverseOp first, const Join &join,
                    function_ref<bool(OpResult)> keeps) {
  auto isReached = [&](AtAttr at) {
    at = join.ofFirst(at);
    RowDomain from =
        at.getStart(join.domain.getGroups(), join.domain.getElements());
    return at.getAnchor() == Anchor::All || !at.getSpace() ||
           hasMap(from, at.getSpace());
  };
  bool areReached =
      llvm::all_of(first.getInputsAt().getAsRange<AtAttr>(), isReached);
  for (OpResult result : first->getResults())
    if (keeps(result))
      areReached &= isReached(first.getOutputAt(result.getResultNumber()));
  first.getBody().walk(
      [&](IndexOp index) { areReached &= isReached(index.getAt()); });
  return areReached;
}

std::optional<Join> gnn::tile::planJoin(TraverseOp first, TraverseOp second,
                                        const Dependences &dependences,
                                        function_ref<bool(OpResult)> keeps,
                                        std::string *why) {
  auto refuse = [&](const Twine &reason) {
    if (why)
      *why = reason.str();
    return std::nullopt;
  };
  auto countKept = [](TraverseOp op, auto isKept) {
    return llvm::count_if(op->getResults(), isKept);
  };
  unsigned results =
      countKept(first, keeps) + countKept(second, [&](OpResult result) {
        return isRead(result, second);
      });
  if (results == 0)
    return refuse("nothing reads their results");
  if (results > mostResults)
    return refuse("together they have " + Twine(results) +
                  " results, more than " + Twine(mostResults));
  std::optional<Join> join = joinDims(first, second);
  if (!join)
    return refuse("they have other heads and features");
  if (!readsOwnRows(first, second, *join))
    return refuse("the second reads rows of the first that it is not at, or "
                  "goes on with one of its results");
  if (dependences.dependsBetween(second, first))
    return refuse("the second reads what is computed of the first in between");
  if (join->edges && !hasMaps(first, *join, keeps))
    return refuse("no map leads from its elements to what the first reads");
  return join;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// The body of a traversal as far as some of its results take it.
class Needed {
public:
  Needed(TraverseOp op, function_ref<bool(OpResult)> isNeeded);

  bool contains(Value value) const { return values.contains(value); }

private:
  llvm::DenseSet<Value> values;
};
} // namespace

Needed::Needed(TraverseOp op, function_ref<bool(OpResult)> isNeeded) {
  Block &body = op.getBody().front();
  for (auto [value, result] :
       llvm::zip_equal(body.getTerminator()->getOperands(), op->getResults()))
    if (isNeeded(result))
      values.insert(value);
  for (Operation &inner : llvm::reverse(body.without_terminator())) {
    if (llvm::none_of(inner.getResults(),
                      [&](Value value) { return values.contains(value); }))
      continue;
    inner.walk([&](Operation *op) {
      values.insert(op->operand_begin(), op->operand_end());
    });
    values.insert(inner.result_begin(), inner.result_end());
  }
}

TraverseOp gnn::tile::buildJoin(OpBuilder &builder, TraverseOp first,
                                TraverseOp second, const Join &plan,
                                function_ref<bool(OpResult)> keeps) {
  auto keepsOfSecond = [&](OpResult result) { return isRead(result, second); };
  Needed ofFirst(first, [&](OpResult result) {
    return keeps(result) || llvm::is_contained(second.getInputs(), result);
  });
  Needed ofSecond(second, keepsOfSecond);
  JoinedInputs inputs;
  SmallVector<Value> outputs;
  SmallVector<Attribute> outputsAt;
  constexpr unsigned none = ~0U;
  SmallVector<unsigned> numbers[2];
  auto addInputs = [&](TraverseOp op, const Needed &needed,
                       SmallVectorImpl<unsigned> &numbers, auto translate) {
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      bool isMade = op == second && input.getDefiningOp() == first;
      bool isNeeded = needed.contains(op.getBody().getArgument(i));
      numbers.push_back(isMade || !isNeeded
                            ? none
                            : inputs.add(input, translate(op.getInputAt(i))));
    }
  };
  auto addOutputs = [&](TraverseOp op, auto isKept, auto translate) {
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      if (isKept(result)) {
        outputs.push_back(op.getOutputs()[i]);
        outputsAt.push_back(translate(op.getOutputAt(i)));
      }
  };
  auto translateFirst = [&](AtAttr at) { return plan.ofFirst(at); };
  auto translateSecond = [&](AtAttr at) { return plan.ofSecond(at); };
  addInputs(first, ofFirst, numbers[0], translateFirst);
  addInputs(second, ofSecond, numbers[1], translateSecond);
  addOutputs(first, keeps, translateFirst);
  addOutputs(second, keepsOfSecond, translateSecond);

  builder.setInsertionPoint(second);
  Location loc = builder.getFusedLoc({first.getLoc(), second.getLoc()});
  auto op = TraverseOp::create(builder, loc, ValueRange(outputs).getTypes(),
                               first.getGraphAttr(), plan.domain, inputs.values,
                               outputs, builder.getArrayAttr(inputs.accesses),
                               builder.getArrayAttr(outputsAt),
                               /*schedule=*/nullptr);
  Block &block = inputs.addBlock(op);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  SmallVector<Value> made, yielded;
  auto addBody = [&](TraverseOp traverse, const Needed &needed,
                     ArrayRef<unsigned> args, SmallVectorImpl<Value> *values,
                     auto isKept, auto translate) {
    Block &body = traverse.getBody().front();
    IRMapping mapping;
    for (auto [i, number] : llvm::enumerate(args)) {
      Value input = traverse.getInputs()[i];
      if (number != none)
        mapping.map(body.getArgument(i), block.getArgument(number));
      else if (input.getDefiningOp() == first)
        mapping.map(body.getArgument(i),
                    made[cast<OpResult>(input).getResultNumber()]);
    }
    for (Operation &inner : body.without_terminator()) {
      if (llvm::none_of(inner.getResults(),
                        [&](Value value) { return needed.contains(value); }))
        continue;
      Operation *copy = inside.clone(inner, mapping);
      if (auto index = dyn_cast<IndexOp>(copy))
        index.setAtAttr(translate(index.getAt()));
    }
    for (auto [value, result] : llvm::zip(body.getTerminator()->getOperands(),
                                          traverse->getResults())) {
      Value copy = mapping.lookupOrDefault(value);
      if (values)
        values->push_back(copy);
      if (isKept(result))
        yielded.push_back(copy);
    }
  };
  addBody(first, ofFirst, numbers[0], &made, keeps, translateFirst);
  addBody(second, ofSecond, numbers[1], nullptr, keepsOfSecond,
          translateSecond);
  YieldOp::create(inside, loc, yielded);
  return op;
}

void gnn::tile::replaceBoth(RewriterBase &rewriter, TraverseOp first,
                            TraverseOp second, TraverseOp joined,
                            Dependences &dependences) {
  SmallVector<Operation *> readers;
  for (Operation *op = first->getNextNode(); op != joined;
       op = op->getNextNode())
    if (dependences.dependsOn(op, first))
      readers.push_back(op);
  Operation *last = second;
  for (Operation *reader : readers) {
    rewriter.moveOpAfter(reader, last);
    last = reader;
  }
  dependences.join(first, second, joined);
  unsigned next = 0;
  for (TraverseOp op : {first, second})
    for (OpResult result : op->getResults())
      if (isRead(result, second))
        rewriter.replaceAllUsesWith(result, joined->getResult(next++));
  rewriter.eraseOp(second);
  rewriter.eraseOp(first);
}
