//===- SeparateGroupSums.cpp - Numbers of groups before their elements ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams that take equal shares of the elements meet a group in several places,
// and no team has the time to add up its features. Its sums are computed in a
// traversal of the groups alone.
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"
#include "TraversalUtils.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SEPARATEGROUPSUMS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Whether `op` adds up features or heads of a group.
static bool isGroupSum(Operation &op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && !getLevel(reduce.getValue()).element &&
         llvm::any_of(reduce.getDims(), [](int32_t dim) {
           return dim != static_cast<int32_t>(Dim::Element);
         });
}

/// The sums of the features of a group, and all that they are computed from,
/// in the order of the body.
struct GroupSums {
  SmallVector<ReduceOp> sums;
  llvm::SetVector<Operation *> ops;
};

/// Finds the sums. Why they cannot be computed without elements; empty if they
/// can.
static std::string findSums(TraverseOp op, GroupSums &found) {
  llvm::DenseSet<Value> late; // known once all elements have been walked
  llvm::DenseSet<Value> needed;
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator()) {
    bool isLate = reducesElements(&inner) || isa<SizeOp>(inner) ||
                  llvm::any_of(inner.getOperands(), [&](Value operand) {
                    return late.contains(operand);
                  });
    if (isLate)
      late.insert(inner.result_begin(), inner.result_end());
    if (!isGroupSum(inner))
      continue;
    if (isLate)
      return "a sum over features of a group needs all of its elements";
    found.sums.push_back(cast<ReduceOp>(inner));
    needed.insert(inner.result_begin(), inner.result_end());
  }
  if (found.sums.empty())
    return "it adds up no features of a group";
  SmallVector<Operation *> ops;
  for (Operation &inner : llvm::reverse(body.without_terminator()))
    if (llvm::any_of(inner.getResults(),
                     [&](Value value) { return needed.contains(value); })) {
      needed.insert(inner.operand_begin(), inner.operand_end());
      ops.push_back(&inner);
    }
  found.ops.insert(ops.rbegin(), ops.rend());
  return "";
}

/// Adds the arguments of `op` that `isNeeded` to the operands of a traversal.
template <typename Needed>
static SmallVector<BlockArgument>
takeInputs(TraverseOp op, Needed isNeeded, SmallVectorImpl<Value> &inputs,
           SmallVectorImpl<Attribute> &accesses) {
  SmallVector<BlockArgument> taken;
  for (BlockArgument argument : op.getBody().getArguments()) {
    if (!isNeeded(argument))
      continue;
    taken.push_back(argument);
    inputs.push_back(op.getInputs()[argument.getArgNumber()]);
    accesses.push_back(op.getInputAt(argument.getArgNumber()));
  }
  return taken;
}

/// A traversal of the groups that gives the sums, in front of `op`.
static TraverseOp sumGroups(OpBuilder &builder, TraverseOp op,
                            const GroupSums &found) {
  DomainAttr domain = op.getDomain();
  SmallVector<Value> inputs, outputs;
  SmallVector<Attribute> inputsAt, outputsAt;
  SmallVector<BlockArgument> taken = takeInputs(
      op,
      [&](BlockArgument argument) {
        return llvm::any_of(argument.getUsers(), [&](Operation *user) {
          return found.ops.contains(user);
        });
      },
      inputs, inputsAt);
  for (ReduceOp sum : found.sums) {
    Level level = getLevel(sum.getResult());
    outputs.push_back(emptyParts(builder, op.getLoc(), op.getGraphAttr(),
                                 op.getGroups(), featuresAt(level, domain),
                                 sum.getType()));
    outputsAt.push_back(AtAttr::get(op.getContext(), Anchor::Group, {},
                                    level.head, level.feature, 0));
  }
  auto first = TraverseOp::create(
      builder, op.getLoc(), ValueRange(outputs).getTypes(), op.getGraphAttr(),
      DomainAttr::get(op.getContext(), op.getGroups(), RowDomain(),
                      domain.getHeads(), domain.getFeatures()),
      inputs, outputs, builder.getArrayAttr(inputsAt),
      builder.getArrayAttr(outputsAt), /*schedule=*/nullptr);
  Block &body = first.getBody().emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : taken)
    mapping.map(argument, body.addArgument(argument.getType(), op.getLoc()));
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  for (Operation *inner : found.ops)
    inside.clone(*inner, mapping);
  SmallVector<Value> yielded;
  for (ReduceOp sum : found.sums)
    yielded.push_back(mapping.lookup(sum.getResult()));
  YieldOp::create(inside, op.getLoc(), yielded);
  return first;
}

/// The same traversal, which reads the sums that `first` gives.
static TraverseOp readSums(OpBuilder &builder, TraverseOp op,
                           const GroupSums &found, TraverseOp first) {
  auto isSum = [&](Operation *inner) {
    auto reduce = dyn_cast<ReduceOp>(inner);
    return reduce && llvm::is_contained(found.sums, reduce);
  };
  // All that is left, from results to what they are computed from.
  Block &from = op.getBody().front();
  llvm::DenseSet<Value> needed(from.getTerminator()->operand_begin(),
                               from.getTerminator()->operand_end());
  llvm::DenseSet<Operation *> left;
  for (Operation &inner : llvm::reverse(from.without_terminator())) {
    if (isSum(&inner) || llvm::none_of(inner.getResults(), [&](Value value) {
          return needed.contains(value);
        }))
      continue;
    left.insert(&inner);
    inner.walk([&](Operation *nested) {
      needed.insert(nested->operand_begin(), nested->operand_end());
    });
  }
  SmallVector<Value> inputs;
  SmallVector<Attribute> inputsAt;
  SmallVector<BlockArgument> taken = takeInputs(
      op, [&](BlockArgument argument) { return needed.contains(argument); },
      inputs, inputsAt);
  llvm::append_range(inputs, first.getResults());
  llvm::append_range(inputsAt, first.getOutputsAt());
  auto second = TraverseOp::create(
      builder, op.getLoc(), op.getResultTypes(), op.getGraphAttr(),
      op.getDomainAttr(), inputs, op.getOutputs(),
      builder.getArrayAttr(inputsAt), op.getOutputsAtAttr(),
      /*schedule=*/nullptr);
  Block &body = second.getBody().emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : taken)
    mapping.map(argument, body.addArgument(argument.getType(), op.getLoc()));
  for (ReduceOp sum : found.sums)
    mapping.map(sum.getResult(), body.addArgument(sum.getType(), op.getLoc()));
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  for (Operation &inner : from)
    if (left.contains(&inner) || isa<YieldOp>(inner))
      inside.clone(inner, mapping);
  return second;
}

namespace {
struct SeparateGroupSums : gnn::impl::SeparateGroupSumsBase<SeparateGroupSums> {
  using SeparateGroupSumsBase::SeparateGroupSumsBase;

  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (op.getElements() && llvm::any_of(op.getBody().front(), isGroupSum))
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  void visit(TraverseOp op);
  std::string weigh(TraverseOp op, TwoSteps steps, std::string &gain);
};
} // namespace

/// Why both steps take no less than `op`; empty if they do.
std::string SeparateGroupSums::weigh(TraverseOp op, TwoSteps steps,
                                     std::string &gain) {
  SplitBody split;
  bool mayBeCut = longRows && planSplit(op, split).empty();
  CostKind kind = getCostKind(mayBeCut);
  std::string why = explainEdges(steps.second, edges, gain, op, kind);
  if (!why.empty() || edges > 0)
    return why;
  StatsAttr stats;
  if (why = explainCuts(op, stats); !why.empty())
    return why;
  CostModel model(op, kind);
  double whole = costTraversal(model, op, stats);
  double cost = costTraversal(model, steps.first, stats) +
                costWalk(model, steps.second, edges, stats);
  gain = ": " + model.textOf(cost) + " in total instead of " +
         model.textOf(whole) + " by the model";
  return model.isBetter(whole, cost) ? ""
                                     : "equal shares of the elements pay too "
                                       "little" +
                                           gain;
}

void SeparateGroupSums::visit(TraverseOp op) {
  GroupSums found;
  std::string gain, why = edges == 0 ? "walks by edges are turned off"
                          : op.getTileSchedule() ? "it has a schedule"
                                                 : "";
  if (why.empty() && op.getPartsOf())
    why = "its long rows are made of parts";
  if (why.empty())
    why = findSums(op, found);
  TwoSteps steps;
  if (why.empty()) {
    OpBuilder builder(op);
    steps.first = sumGroups(builder, op, found);
    steps.second = readSums(builder, op, found, steps.first);
    why = weigh(op, steps, gain);
    if (!why.empty())
      undo(steps);
  }
  if (!why.empty()) {
    refused(getArgument(), op.getLoc()) << why;
    return;
  }
  passed(getArgument(), op.getLoc(), "Separated")
      << llvm::formatv("sums over features of each '{0}' are computed before "
                       "its elements are walked{1}",
                       name(op.getGroups().get().space), gain)
             .str();
  op->replaceAllUsesWith(steps.second);
  op.erase();
}
