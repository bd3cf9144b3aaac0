//===- JoinTraversals.cpp - One kernel for traversals side by side --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two traversals over the same rows in the same order are one with the results
// of both, and what is computed for each edge is computed where a walk over the
// edges of each row reads it. Fusion of a producer into its consumer ends where
// others read the producer; this goes on from there.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "TraversalUtils.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/Origin.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_JOINTRAVERSALS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {
/// How two traversals become one.
struct Join {
  DomainAttr domain;
  /// Whether the groups of the first are the elements of the second.
  bool intoElements = false;
  /// Whether the features of the first or the second are heads in the joined
  /// domain.
  bool firstIsHead = false, secondIsHead = false;

  /// Accesses as the joined traversal has them.
  AtAttr ofFirst(AtAttr at) const;
  AtAttr ofSecond(AtAttr at) const;
};

class Dependences;

struct JoinTraversals : gnn::impl::JoinTraversalsBase<JoinTraversals> {
  using JoinTraversalsBase::JoinTraversalsBase;

  void runOnOperation() override {
    model.emplace(getOperation(),
                  longRows ? CostKind::Full : CostKind::WholeRows);
    IRRewriter rewriter(&getContext());
    for (Block &block : getOperation().getBody()) {
      joinAll(rewriter, block);
      if (getContext().getRemarkEngine())
        reportRefusals(rewriter, block);
    }
  }

private:
  static SmallVector<TraverseOp> collect(Block &block);
  void joinAll(IRRewriter &rewriter, Block &block);
  /// The joined traversal, in the place of both; null where they stay.
  TraverseOp tryJoin(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                     Dependences &dependences);
  void reportRefusals(IRRewriter &rewriter, Block &block);
  void reportRefusal(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                     const Dependences &dependences);
  /// The joined traversal in front of the second; null where it may cost more.
  /// `numbers` says what was compared, or what is not known.
  TraverseOp weigh(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                   const Join &join, std::string &numbers);

  std::optional<CostModel> model;
};
} // namespace

/// Rows that may be walked by one kernel for several ends: those of edges one
/// by one, and edges or pairs that meet in nodes and pairs. Sums over types and
/// the graph are cut into pieces of their own.
static bool isJoinable(TraverseOp op) {
  DomainAttr domain = op.getDomain();
  RowDomain groups = domain.getGroups();
  if (op.getSchedule() || op->getNumResults() == 0)
    return false;
  if (!domain.getElements())
    return groups.isKind(RowKind::Edge);
  return groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair);
}

/// An access where features are heads.
static AtAttr translate(AtAttr at, bool featureIsHead) {
  if (!featureIsHead)
    return at;
  return AtAttr::get(at.getContext(), at.getAnchor(), at.getSpace(),
                     at.getFeature(), false, at.getOffset());
}

AtAttr Join::ofFirst(AtAttr at) const {
  at = translate(at, firstIsHead);
  if (!intoElements || at.getAnchor() != Anchor::Group)
    return at;
  at =
      AtAttr::get(at.getContext(), Anchor::Element, at.getSpace(), at.getHead(),
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
    // What reduces features has as many as before.
    auto grows = [&](TraverseOp op, int64_t ownHeads, int64_t ownFeatures) {
      return reducesLanes(op) &&
             (*heads != ownHeads || *features != ownFeatures);
    };
    if (grows(first, headsA, featuresA) || grows(second, headsB, featuresB))
      return std::nullopt;
    return Join{DomainAttr::get(first.getContext(), b.getGroups(),
                                b.getElements(), *heads, *features),
                a.getGroups() != b.getGroups(), firstIsHead, secondIsHead};
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
    AtAttr written = join.ofFirst(first.getOutputAt(number));
    AtAttr read = join.ofSecond(second.getInputAt(i));
    if (first.getDomain().getElements() || !isOwnRow(written) ||
        written != read)
      return false;
  }
  // A tensor that is gone on with is written by both.
  return llvm::none_of(second.getOutputs(), [&](Value output) {
    return output.getDefiningOp() == first;
  });
}

namespace {
/// What each op of a straight line is computed of.
class Dependences {
public:
  explicit Dependences(Block &block);

  /// Whether `op` is computed of what `other` gives.
  bool dependsOn(Operation *op, Operation *other) const {
    return makers[places.at(op)].test(places.at(other));
  }
  /// Whether it is so by way of an op in between, so that the two cannot be
  /// one.
  bool dependsBetween(Operation *op, Operation *other) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      return maker && maker != other && dependsOn(maker, other);
    });
  }

  /// Puts `joined` in the place of two others, of which neither depends on the
  /// other but for what `second` reads of `first` itself.
  void join(Operation *first, Operation *second, Operation *joined);

private:
  llvm::DenseMap<Operation *, unsigned> places;
  std::vector<llvm::BitVector> makers;
};
} // namespace

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

/// Whether something else than `second` reads a result of `first`.
static bool isRead(OpResult result, TraverseOp second) {
  return llvm::any_of(result.getUsers(),
                      [&](Operation *user) { return user != second; });
}

static unsigned countRead(TraverseOp op, TraverseOp second) {
  return llvm::count_if(op->getResults(), [&](OpResult result) {
    return isRead(result, second);
  });
}

/// Whether the groups of `first` are walked as elements of `second`, which
/// reads of each what `first` computes.
static bool isIntoElements(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  return !a.getElements() && b.getElements() &&
         a.getGroups() == b.getElements() && !readsOf(first, second).empty();
}

/// Whether two traversals walk the same rows, or the second as elements what
/// the first walks one by one.
static bool haveSameRows(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  bool isSame =
      a.getGroups() == b.getGroups() && a.getElements() == b.getElements();
  return first.getGraphAttr() == second.getGraphAttr() &&
         (isSame || isIntoElements(first, second));
}

/// The plan for two traversals of one block with the same rows, the first of
/// which comes before the second; none and the reason where there is none.
static std::optional<Join> plan(TraverseOp first, TraverseOp second,
                                const Dependences &dependences,
                                std::string *why = nullptr) {
  auto refuse = [&](const Twine &reason) {
    if (why)
      *why = reason.str();
    return std::nullopt;
  };
  unsigned results = countRead(first, second) + countRead(second, second);
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
  return join;
}

/// Builds the joined traversal in front of `second`, with the results of either
/// that something else reads.
static TraverseOp build(IRRewriter &rewriter, TraverseOp first,
                        TraverseOp second, const Join &plan) {
  JoinedInputs inputs;
  SmallVector<Value> outputs;
  SmallVector<Attribute> outputsAt;
  SmallVector<unsigned> numbers[2];
  for (auto [i, input] : llvm::enumerate(first.getInputs()))
    numbers[0].push_back(inputs.add(input, plan.ofFirst(first.getInputAt(i))));
  for (auto [i, input] : llvm::enumerate(second.getInputs()))
    numbers[1].push_back(
        input.getDefiningOp() == first
            ? ~0U
            : inputs.add(input, plan.ofSecond(second.getInputAt(i))));
  auto addOutputs = [&](TraverseOp op, auto translate) {
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      if (isRead(result, second)) {
        outputs.push_back(op.getOutputs()[i]);
        outputsAt.push_back(translate(op.getOutputAt(i)));
      }
  };
  addOutputs(first, [&](AtAttr at) { return plan.ofFirst(at); });
  addOutputs(second, [&](AtAttr at) { return plan.ofSecond(at); });

  rewriter.setInsertionPoint(second);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  auto op = TraverseOp::create(rewriter, loc, ValueRange(outputs).getTypes(),
                               first.getGraphAttr(), plan.domain, inputs.values,
                               outputs, rewriter.getArrayAttr(inputs.accesses),
                               rewriter.getArrayAttr(outputsAt),
                               /*schedule=*/nullptr);
  Block &block = inputs.addBlock(op);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  SmallVector<Value> ofFirst, yielded;
  auto addBody = [&](TraverseOp traverse, ArrayRef<unsigned> args,
                     SmallVectorImpl<Value> *values, auto translate) {
    Block &body = traverse.getBody().front();
    IRMapping mapping;
    for (auto [i, number] : llvm::enumerate(args))
      mapping.map(body.getArgument(i),
                  number != ~0U
                      ? Value(block.getArgument(number))
                      : ofFirst[cast<OpResult>(traverse.getInputs()[i])
                                    .getResultNumber()]);
    cloneBody(inside, body, mapping, translate);
    for (auto [value, result] : llvm::zip(body.getTerminator()->getOperands(),
                                          traverse->getResults())) {
      Value copy = mapping.lookupOrDefault(value);
      if (values)
        values->push_back(copy);
      if (isRead(result, second))
        yielded.push_back(copy);
    }
  };
  addBody(first, numbers[0], &ofFirst,
          [&](AtAttr at) { return plan.ofFirst(at); });
  addBody(second, numbers[1], nullptr,
          [&](AtAttr at) { return plan.ofSecond(at); });
  YieldOp::create(inside, loc, yielded);
  return op;
}

/// Puts the joined traversal, which stands in front of the second, in the place
/// of both, and what is computed of the first behind it.
static void replace(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                    TraverseOp joined, Dependences &dependences) {
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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

TraverseOp JoinTraversals::weigh(IRRewriter &rewriter, TraverseOp first,
                                 TraverseOp second, const Join &join,
                                 std::string &numbers) {
  if (!join.intoElements)
    return build(rewriter, first, second, join);
  if (countWalks(second) > 1) {
    numbers = "it walks the edges more than once";
    return nullptr;
  }
  auto graph = SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(
      second, second.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!stats) {
    numbers = "rows may be short, or one of them long";
    return nullptr;
  }
  TraverseOp joined = build(rewriter, first, second, join);
  double before = costTraversal(*model, first, stats) +
                  costTraversal(*model, second, stats);
  double after = costTraversal(*model, joined, stats);
  numbers = model->textOf(after) + " instead of " + model->textOf(before) +
            " by the model";
  if (model->isBetter(before, after))
    return joined;
  rewriter.eraseOp(joined);
  return nullptr;
}

TraverseOp JoinTraversals::tryJoin(IRRewriter &rewriter, TraverseOp first,
                                   TraverseOp second,
                                   Dependences &dependences) {
  if (!haveSameRows(first, second))
    return nullptr;
  std::optional<Join> found = plan(first, second, dependences);
  if (!found)
    return nullptr;
  std::string numbers;
  TraverseOp joined = weigh(rewriter, first, second, *found, numbers);
  if (!joined)
    return nullptr;
  passed(getArgument(), second.getLoc(), "Joined")
      << (found->intoElements
              ? "a walk computes for each edge what it reads of it: "
              : "one traversal with the results of two: ") +
             gnn::describeOrigins(first) + " and " +
             gnn::describeOrigins(second) +
             (numbers.empty() ? "" : ", " + numbers);
  replace(rewriter, first, second, joined, dependences);
  return joined;
}

/// Says nothing of two over the same rows where the second is computed from the
/// first, as most are.
void JoinTraversals::reportRefusal(IRRewriter &rewriter, TraverseOp first,
                                   TraverseOp second,
                                   const Dependences &dependences) {
  if (!haveSameRows(first, second))
    return;
  bool isInto = isIntoElements(first, second);
  if (!isInto && dependences.dependsOn(second, first))
    return;
  std::string why;
  if (std::optional<Join> found = plan(first, second, dependences, &why))
    if (TraverseOp joined = weigh(rewriter, first, second, *found, why)) {
      // What joinAll was to take: nothing is refused, and nothing may stay.
      rewriter.eraseOp(joined);
      return;
    }
  refused(getArgument(), second.getLoc())
      << (isInto ? "what it reads of each edge is stored: "
                 : "two traversals over the same rows, " +
                       gnn::describeOrigins(first) + " and " +
                       gnn::describeOrigins(second) + ": ") +
             why;
}

void JoinTraversals::reportRefusals(IRRewriter &rewriter, Block &block) {
  SmallVector<TraverseOp> ops = collect(block);
  Dependences dependences(block);
  for (size_t second = 1; second < ops.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      reportRefusal(rewriter, ops[first], ops[second], dependences);
}

SmallVector<TraverseOp> JoinTraversals::collect(Block &block) {
  SmallVector<TraverseOp> ops;
  for (auto op : block.getOps<TraverseOp>())
    if (isJoinable(op))
      ops.push_back(op);
  return ops;
}

/// Tries each with those before it. A pair that was refused stays refused, as
/// the join of others takes no dependence away: after a join it goes on with
/// the new op.
void JoinTraversals::joinAll(IRRewriter &rewriter, Block &block) {
  SmallVector<TraverseOp> ops = collect(block);
  Dependences dependences(block);
  for (size_t second = 1, first = 0; second < ops.size();) {
    if (first == second) {
      ++second;
      first = 0;
    } else if (TraverseOp joined =
                   tryJoin(rewriter, ops[first], ops[second], dependences)) {
      // Its readers have moved behind it, and it meets the first again.
      ops = collect(block);
      second = llvm::find(ops, joined) - ops.begin();
      first = 0;
    } else {
      ++first;
    }
  }
}
