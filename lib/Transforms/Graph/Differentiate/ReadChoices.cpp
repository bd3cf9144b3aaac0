//===- ReadChoices.cpp - Reads of a backward pass -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadChoices.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace gnn;

/// Numbers of an edge and a score that the sum over edges keeps between two
/// kernels: the product of the value with the gradient of the result, and one
/// that the gradient of the score asks for. The softmax is there anyway.
static constexpr double numbersKept = 2;

/// The share of the L2 in which so many bytes more stay between two kernels
/// that the sum of a result takes less time than a walk over edges: 3 to 8 us
/// for the graphs aifb and mutag, 2 and 6 MB of 60 MB, on an H200.
static constexpr double shareOfL2 = 0.14;

std::string gnn::textOfBytes(double bytes) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g bytes", bytes);
  return text;
}

static Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return value;
}

/// The attention whose result a product reads.
static AttentionOp attentionOf(Operation *product) {
  for (Value operand : product->getOperands())
    if (auto op = throughReshapes(operand).getDefiningOp<AttentionOp>();
        op && op->getAttr(attentionNumber) == product->getAttr(attentionNumber))
      return op;
  return {};
}

namespace {
/// The costs of the two sums of an attention, and who reads its result for one.
struct SumCosts {
  AttentionOp attention;
  double result = 0;  ///< bytes that are saved at most
  double numbers = 0; ///< bytes of numbers of edges that are kept otherwise
  /// Bytes that take as long as the rows that each edge gathers once more then.
  double gathered = 0;
  bool isReturned = false; ///< in this shape or another
  SparedReaders readers = {};

  /// The result costs less where others read it too.
  bool mayTakeEdges() const { return !isReturned && result > readers.price; }
};
} // namespace

static std::string describe(const SumCosts &costs, double stays,
                            bool overEdges) {
  std::string result = textOfBytes(costs.result),
              numbers = textOfBytes(costs.numbers);
  if (overEdges)
    return "over its edges: " + numbers + " of numbers of edges, and " +
           result + " of its result are not saved";
  if (costs.isReturned || costs.result > costs.readers.price)
    return "of its result: it is there for others";
  if (costs.result > costs.numbers + stays)
    return "of its result: at most " + result +
           " that are saved, and rows of edges that are gathered again "
           "otherwise, as long as " +
           textOfBytes(costs.gathered);
  return "of its result: at most " + result + " that are saved" +
         (costs.result > costs.numbers ? " and stay in the L2 cache" : "") +
         ", and " + numbers + " of numbers of edges otherwise";
}

/// The products that the sum is of read the rows at both ends of an edge. A
/// walk that adds them up does so before the one that goes on with the score's
/// gradient, which computes them itself where the sum is known. In bytes of
/// the result, which is written and read.
static double countGathered(const JointFunction &joint, AttentionOp attention,
                            const TargetFigures &figures) {
  double bytes = SavedValues::bytesOf(
      joint, withRowSpace(attention.getType(), RowSpace::Edge));
  return bytes * figures.memoryBandwidth / figures.l2Gather / 2;
}

SmallVector<GroupSum> gnn::chooseGroupSums(const JointFunction &joint,
                                           GradientMemory memory,
                                           const TargetFigures &figures) {
  llvm::MapVector<Operation *, SumCosts> attentions;
  for (Operation &op : joint.body())
    if (op.hasAttr(attentionNumber) && !isa<AttentionOp>(op))
      if (AttentionOp attention = attentionOf(&op)) {
        SumCosts &costs = attentions[attention];
        costs.attention = attention;
        costs.isReturned = llvm::any_of(joint.outputs(), [&](Value output) {
          return throughReshapes(output) == attention.getResult();
        });
        costs.readers.readers.insert(&op);
      }
  double stays =
      memory == GradientMemory::Low ? 0 : shareOfL2 * figures.l2Bytes;
  SmallVector<SparedReaders> asked;
  for (auto &[op, costs] : attentions) {
    RankedTensorType type = costs.attention.getType();
    costs.result = SavedValues::bytesOf(joint, type);
    costs.numbers =
        numbersKept *
        SavedValues::bytesOf(joint,
                             withFeatures(withRowSpace(type, RowSpace::Edge),
                                          costs.attention.getScoreFeatures()));
    // Without statistics no walk computes what it reads of an edge.
    if (memory != GradientMemory::Low && getStats(op))
      costs.gathered = countGathered(joint, costs.attention, figures);
    costs.readers.price = costs.numbers + costs.gathered + stays;
    if (costs.mayTakeEdges())
      asked.push_back(costs.readers);
  }
  llvm::BitVector spared;
  if (!asked.empty())
    spared = SavedValues(joint, memory, asked).getSpared();
  SmallVector<GroupSum> sums;
  unsigned next = 0; // of those that were asked for
  for (auto &[op, costs] : attentions) {
    bool overEdges = costs.mayTakeEdges() && spared[next++];
    auto number = cast<IntegerAttr>(op->getAttr(attentionNumber));
    sums.push_back({static_cast<unsigned>(number.getInt()), op->getLoc(),
                    overEdges,
                    "the sum of each group is taken " +
                        describe(costs, stays, overEdges)});
  }
  return sums;
}

void gnn::readReshapedResults(const JointFunction &joint) {
  Operation *end = joint.body().getTerminator();
  for (Value output : joint.outputs()) {
    Operation *last = output.getDefiningOp();
    Value root = throughReshapes(output);
    if (root == output || !root.getDefiningOp() ||
        llvm::is_contained(joint.outputs(), root))
      continue;
    OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    Value back =
        ReshapeOp::create(builder, last->getLoc(),
                          cast<RankedTensorType>(root.getType()), output);
    root.replaceUsesWithIf(back, [&](OpOperand &use) {
      Operation *user = joint.body().findAncestorOpInBlock(*use.getOwner());
      return user != end && back.getDefiningOp()->isBeforeInBlock(user);
    });
    if (back.use_empty())
      back.getDefiningOp()->erase();
  }
}

/// Whether a comparison asks on which side of 0 its first operand is.
static bool asksForSide(arith::CmpFOp compare) {
  using P = arith::CmpFPredicate;
  Value bound = compare.getRhs();
  if (auto broadcast = bound.getDefiningOp<BroadcastOp>())
    bound = broadcast.getInput();
  return llvm::is_contained({P::OGT, P::OLE}, compare.getPredicate()) &&
         matchPattern(bound, m_AnyZeroFloat());
}

/// Whether a product with weights, or of rows, reads a value: it is stored
/// then.
static bool isReadByProduct(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<OuterOp, TypedOuterOp>(user);
  });
}

bool gnn::readInputsOfActivations(const JointFunction &joint,
                                  const SavedValues &values) {
  bool changed = false;
  for (auto compare : joint.body().getOps<arith::CmpFOp>()) {
    auto activation = compare.getLhs().getDefiningOp<ActivationOp>();
    if (!activation || !hasSideInResult(activation) || !asksForSide(compare) ||
        values.getHandedOver().contains(activation.getResult()) ||
        isReadByProduct(activation.getResult()))
      continue;
    compare.getLhsMutable().assign(activation.getInput());
    changed = true;
  }
  return changed;
}
