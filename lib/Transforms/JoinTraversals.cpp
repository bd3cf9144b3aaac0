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

#include "GNN/Transforms/Passes.h"

#include "TraversalUtils.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/Origin.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_JOINTRAVERSALS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Results that one kernel has at most.
static constexpr unsigned mostResults = 6;

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

struct JoinTraversals : gnn::impl::JoinTraversalsBase<JoinTraversals> {
  using JoinTraversalsBase::JoinTraversalsBase;

  LogicalResult initialize(MLIRContext *) override {
    model.emplace(target.getValue(), CostKind::Full);
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    while (forPairs([&](TraverseOp first, TraverseOp second) {
      return tryJoin(rewriter, first, second);
    }))
      ;
    forPairs([&](TraverseOp first, TraverseOp second) {
      reportRefusal(rewriter, first, second);
      return false;
    });
  }

private:
  /// Calls `visit` with each two traversals of a block, one after the other in
  /// it, until it says that it changed something, and says whether it did.
  bool forPairs(function_ref<bool(TraverseOp, TraverseOp)> visit);
  bool tryJoin(IRRewriter &rewriter, TraverseOp first, TraverseOp second);
  void reportRefusal(IRRewriter &rewriter, TraverseOp first, TraverseOp second);
  /// The joined traversal; null and the reason why there is none, where it is
  /// the cost. `numbers` says what was compared.
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
  auto mayTurn = [](TraverseOp op, Level used) {
    return !used.head && used.feature && !reducesLanes(op) && !readsPart(op) &&
           !readsColumns(op);
  };
  if (mayTurn(first, usedA) && usedB.head)
    return attempt(true, false);
  if (mayTurn(second, usedB) && usedA.head)
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

/// What reads `first`, or what reads that, before `second`; none where `second`
/// is among it, so that it cannot come after `second`.
static std::optional<SmallVector<Operation *>>
readersBefore(Operation *first, Operation *second) {
  SmallVector<Operation *> readers;
  llvm::SmallPtrSet<Operation *, 8> known;
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode()) {
    bool reads = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        reads |= producer == first || known.contains(producer);
      }
    });
    if (!reads)
      continue;
    known.insert(op);
    readers.push_back(op);
  }
  for (Value operand : second->getOperands())
    if (known.contains(operand.getDefiningOp()))
      return std::nullopt;
  return readers;
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

/// The plan for two traversals of one block, the first of which comes before
/// the second.
static std::optional<Join> plan(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  bool isSame =
      a.getGroups() == b.getGroups() && a.getElements() == b.getElements();
  if (first.getGraphAttr() != second.getGraphAttr() ||
      !(isSame || isIntoElements(first, second)))
    return std::nullopt;
  unsigned results = countRead(first, second) + countRead(second, second);
  if (results == 0 || results > mostResults)
    return std::nullopt;
  std::optional<Join> join = joinDims(first, second);
  if (!join || !readsOwnRows(first, second, *join) ||
      !readersBefore(first, second))
    return std::nullopt;
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

/// Puts the joined traversal in the place of both.
static void replace(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                    TraverseOp joined) {
  Operation *last = second;
  auto readers = *readersBefore(first, second);
  for (Operation *reader : readers) {
    rewriter.moveOpAfter(reader, last);
    last = reader;
  }
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
  double before = model->cost(
      {describeTraversal(first, stats), describeTraversal(second, stats)});
  double after = model->cost(describeTraversal(joined, stats));
  numbers = model->textOf(after) + " instead of " + model->textOf(before) +
            " by the model";
  if (model->isBetter(before, after))
    return joined;
  rewriter.eraseOp(joined);
  return nullptr;
}

bool JoinTraversals::tryJoin(IRRewriter &rewriter, TraverseOp first,
                             TraverseOp second) {
  std::optional<Join> found = plan(first, second);
  if (!found)
    return false;
  std::string numbers;
  TraverseOp joined = weigh(rewriter, first, second, *found, numbers);
  if (!joined)
    return false;
  remark::passed(second.getLoc(),
                 remark::RemarkOpts::name("Joined").category(getArgument()))
      << (found->intoElements
              ? "a walk computes for each edge what it reads of it: "
              : "one traversal with the results of two: ") +
             gnn::describeOrigins(first) + " and " +
             gnn::describeOrigins(second) +
             (numbers.empty() ? "" : ", " + numbers);
  replace(rewriter, first, second, joined);
  return true;
}

void JoinTraversals::reportRefusal(IRRewriter &rewriter, TraverseOp first,
                                   TraverseOp second) {
  if (!isIntoElements(first, second))
    return;
  std::optional<Join> found = plan(first, second);
  std::string why = "it cannot be computed there";
  if (found)
    weigh(rewriter, first, second, *found, why);
  remark::missed(second.getLoc(),
                 remark::RemarkOpts::name("NotJoined").category(getArgument()))
      << "what it reads of each edge is stored: " + why;
}

bool JoinTraversals::forPairs(
    function_ref<bool(TraverseOp, TraverseOp)> visit) {
  for (Block &block : getOperation().getBody()) {
    SmallVector<TraverseOp> ops;
    for (auto op : block.getOps<TraverseOp>())
      if (isJoinable(op))
        ops.push_back(op);
    for (size_t second = 1; second < ops.size(); ++second)
      for (size_t first = 0; first < second; ++first)
        if (visit(ops[first], ops[second]))
          return true;
  }
  return false;
}
