//===- ReadChoices.cpp - What a backward pass reads -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadChoices.h"

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

/// Bytes that are worth it: rows of fewer stay in the L2 cache, so that the sum
/// of a result takes less time than a walk over edges (aifb, mutag on an H200:
/// 3 to 8 us).
static constexpr double leastBytes = 8 << 20;

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

SmallVector<GroupSum> gnn::chooseGroupSums(const JointFunction &joint,
                                           GradientMemory memory) {
  llvm::MapVector<Operation *, llvm::SmallPtrSet<Operation *, 2>> products;
  for (Operation &op : joint.body())
    if (op.hasAttr(attentionNumber) && !isa<AttentionOp>(op))
      if (AttentionOp attention = attentionOf(&op))
        products[attention].insert(&op);
  SmallVector<GroupSum> sums;
  if (products.empty())
    return sums;
  SavedValues values(joint, memory);
  for (auto &entry : products) {
    auto attention = cast<AttentionOp>(entry.first);
    SavedValues without(joint, memory, [&](Operation *reader) {
      return entry.second.contains(reader);
    });
    double less = values.getSavedBytes() - without.getSavedBytes();
    double numbers =
        numbersKept * values.bytesOf(withFeatures(
                          withRowSpace(attention.getType(), RowSpace::Edge),
                          attention.getScoreFeatures()));
    bool overEdges = less > numbers + leastBytes;
    std::string reason = "the sum of each group is taken ";
    if (overEdges)
      reason += "over its edges: " + textOfBytes(numbers) +
                " of numbers of edges, and " + textOfBytes(less) +
                " of its result are not saved";
    else
      reason += "of its result: " +
                (less > 0 ? textOfBytes(less) + " that are saved, and " +
                                textOfBytes(numbers) +
                                " of numbers of edges otherwise"
                          : "it is there for others");
    auto number = cast<IntegerAttr>(attention->getAttr(attentionNumber));
    sums.push_back({static_cast<unsigned>(number.getInt()), attention.getLoc(),
                    overEdges, reason});
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

bool gnn::readInputsOfActivations(const JointFunction &joint,
                                  const SavedValues &values) {
  bool changed = false;
  for (auto compare : joint.body().getOps<arith::CmpFOp>()) {
    auto activation = compare.getLhs().getDefiningOp<ActivationOp>();
    if (!activation || !hasSideInResult(activation) || !asksForSide(compare) ||
        values.getHandedOver().contains(activation.getResult()))
      continue;
    compare.getLhsMutable().assign(activation.getInput());
    changed = true;
  }
  return changed;
}
