//===- JoinTraversals.cpp - One kernel for traversals side by side --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two traversals over the same rows in the same order are one with the results
// of both. Fusion of a producer into its consumer ends where others read the
// producer; this goes on from there.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Passes.h"

#include "TraversalUtils.h"

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

namespace {
/// How two traversals become one.
struct Join {
  DomainAttr domain;
  /// Whether the features of the first or the second are heads in the joined
  /// domain.
  bool firstIsHead = false, secondIsHead = false;
};

struct JoinTraversals : gnn::impl::JoinTraversalsBase<JoinTraversals> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    while (joinOne(rewriter))
      ;
  }

private:
  bool joinOne(IRRewriter &rewriter);
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

/// Whether each point of a row-wise traversal reads and writes this row itself.
static bool isOwnRow(AtAttr at) {
  return at.getAnchor() == Anchor::Group && !at.getSpace() && !at.getOffset();
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
    return Join{DomainAttr::get(first.getContext(), a.getGroups(),
                                a.getElements(), *heads, *features),
                firstIsHead, secondIsHead};
  };
  if (std::optional<Join> same = attempt(false, false))
    return same;
  auto mayTurn = [](TraverseOp op, Level used) {
    return !used.head && used.feature && !reducesLanes(op);
  };
  if (mayTurn(first, usedA) && usedB.head)
    return attempt(true, false);
  if (mayTurn(second, usedB) && usedA.head)
    return attempt(false, true);
  return std::nullopt;
}

/// Whether each value that `second` reads of `first` is the one of its own row,
/// with the features that it was written with.
static bool readsOwnRows(TraverseOp first, TraverseOp second,
                         const Join &join) {
  for (auto [i, input] : llvm::enumerate(second.getInputs())) {
    auto result = dyn_cast<OpResult>(input);
    if (!result || result.getOwner() != first)
      continue;
    AtAttr written = first.getOutputAt(result.getResultNumber());
    AtAttr read = second.getInputAt(i);
    if (first.getDomain().getElements() || !isOwnRow(written) ||
        !isOwnRow(read) ||
        translate(written, join.firstIsHead) !=
            translate(read, join.secondIsHead))
      return false;
  }
  // A tensor that is gone on with is written by both.
  return llvm::none_of(second.getOutputs(), [&](Value output) {
    return output.getDefiningOp() == first;
  });
}

/// The plan for two traversals of one block, the first of which comes before
/// the second and can move there.
static std::optional<Join> plan(TraverseOp first, TraverseOp second) {
  DomainAttr a = first.getDomain(), b = second.getDomain();
  if (first.getGraphAttr() != second.getGraphAttr() ||
      a.getGroups() != b.getGroups() || a.getElements() != b.getElements())
    return std::nullopt;
  constexpr unsigned mostResults = 4;
  if (first->getNumResults() + second->getNumResults() > mostResults)
    return std::nullopt;
  for (Operation *user : first->getUsers())
    if (user != second && user->isBeforeInBlock(second))
      return std::nullopt;
  std::optional<Join> join = joinDims(first, second);
  if (!join || !readsOwnRows(first, second, *join))
    return std::nullopt;
  return join;
}

static void join(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                 const Join &plan) {
  SmallVector<Value> inputs, outputs(first.getOutputs());
  SmallVector<Attribute> accesses, outputsAt;
  llvm::append_range(outputs, second.getOutputs());
  auto addInput = [&](Value value, AtAttr at) -> unsigned {
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (inputs[i] == value && accesses[i] == at)
        return i;
    inputs.push_back(value);
    accesses.push_back(at);
    return inputs.size() - 1;
  };
  SmallVector<unsigned> numbers[2];
  for (auto [i, input] : llvm::enumerate(first.getInputs()))
    numbers[0].push_back(
        addInput(input, translate(first.getInputAt(i), plan.firstIsHead)));
  for (auto [i, input] : llvm::enumerate(second.getInputs()))
    numbers[1].push_back(input.getDefiningOp() == first
                             ? ~0U
                             : addInput(input, translate(second.getInputAt(i),
                                                         plan.secondIsHead)));
  for (AtAttr at : first.getOutputsAt().getAsRange<AtAttr>())
    outputsAt.push_back(translate(at, plan.firstIsHead));
  for (AtAttr at : second.getOutputsAt().getAsRange<AtAttr>())
    outputsAt.push_back(translate(at, plan.secondIsHead));

  rewriter.setInsertionPoint(second);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  auto op = TraverseOp::create(
      rewriter, loc, ValueRange(outputs).getTypes(), first.getGraphAttr(),
      plan.domain, inputs, outputs, rewriter.getArrayAttr(accesses),
      rewriter.getArrayAttr(outputsAt), /*schedule=*/nullptr);
  Block &block = op.getBody().emplaceBlock();
  for (Value input : inputs)
    block.addArgument(getElementTypeOrSelf(input.getType()), loc);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  SmallVector<Value> yielded;
  for (auto [traverse, isHead, args] :
       {std::tuple(first, plan.firstIsHead, &numbers[0]),
        std::tuple(second, plan.secondIsHead, &numbers[1])}) {
    Block &body = traverse.getBody().front();
    IRMapping mapping;
    for (auto [i, number] : llvm::enumerate(*args)) {
      Value value;
      if (number != ~0U)
        value = block.getArgument(number);
      else
        value =
            yielded[cast<OpResult>(traverse.getInputs()[i]).getResultNumber()];
      mapping.map(body.getArgument(i), value);
    }
    cloneBody(inside, body, mapping, [&, isHead = isHead](AtAttr at) {
      return translate(at, isHead);
    });
    for (Value value : body.getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
  }
  YieldOp::create(inside, loc, yielded);
  unsigned own = first->getNumResults();
  rewriter.replaceOp(second, op->getResults().drop_front(own));
  rewriter.replaceOp(first, op->getResults().take_front(own));
}

bool JoinTraversals::joinOne(IRRewriter &rewriter) {
  for (Block &block : getOperation().getBody()) {
    SmallVector<TraverseOp> ops;
    for (auto op : block.getOps<TraverseOp>())
      if (isJoinable(op))
        ops.push_back(op);
    for (size_t second = 1; second < ops.size(); ++second)
      for (size_t first = 0; first < second; ++first) {
        std::optional<Join> found = plan(ops[first], ops[second]);
        if (!found)
          continue;
        remark::passed(
            ops[second].getLoc(),
            remark::RemarkOpts::name("Joined").category(getArgument()))
            << "one traversal with the results of two: " +
                   gnn::describeOrigins(ops[first]) + " and " +
                   gnn::describeOrigins(ops[second]);
        join(rewriter, ops[first], ops[second], *found);
        return true;
      }
  }
  return false;
}
