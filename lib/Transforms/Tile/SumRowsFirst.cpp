//===- SumRowsFirst.cpp - Sums of all edges by way of rows ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient by a weight that scores have in common is a sum over all edges.
// A walk over the edges of each row reads the same rows of features: it adds up
// those of each row, and then rows are added up, which are fewer.
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"
#include "TraversalJoins.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/Origin.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SUMROWSFIRST
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {
struct SumRowsFirst : gnn::impl::SumRowsFirstBase<SumRowsFirst> {
  using SumRowsFirstBase::SumRowsFirstBase;

  void runOnOperation() override {
    model.emplace(getOperation(), getCostKind(longRows));
    for (Block &block : getOperation().getBody())
      for (TraverseOp op : llvm::to_vector(block.getOps<TraverseOp>()))
        if (op.getDomain().getGroups().isKind(RowKind::Graph) &&
            op.getDomain().getElements() && !op.getSchedule())
          visit(block, op);
  }

private:
  void visit(Block &block, TraverseOp op);
  /// Why the sum is not taken by the rows of `walk`; empty if it is now.
  std::string trySplit(Block &block, TraverseOp op, TraverseOp walk);

  std::optional<CostModel> model;
};
} // namespace

/// Whether a row without elements changes what is reduced of all rows: an
/// extreme of nothing is 0, and so is the highest score.
static bool countsEmptyRows(Operation *reduction) {
  auto reduce = dyn_cast<ReduceOp>(reduction);
  return isa<ArgReduceOp, SoftmaxSumOp>(reduction) ||
         (reduce && (reduce.getKind() == Reduction::Max ||
                     reduce.getKind() == Reduction::Min));
}

/// The sum over the rows of a walk, in front of `op`, and that of these rows.
static std::pair<TraverseOp, TraverseOp>
splitByRows(TraverseOp op, const SplitBody &split, RowDomain rows) {
  OpBuilder builder(op);
  IRMapping mapping;
  auto copy = cast<TraverseOp>(builder.clone(*op, mapping));
  SplitBody ofCopy;
  planSplit(copy, ofCopy);
  auto [first, second] = splitTraverse(copy, ofCopy, rows);
  SmallVector<Attribute> accesses;
  for (AtAttr at : first.getInputsAt().getAsRange<AtAttr>())
    accesses.push_back(hoistAccess(at, first.getDomain()));
  first.setInputsAtAttr(builder.getArrayAttr(accesses));
  return {first, second};
}

/// The cost of a sum of all rows, which `gnn-tile-split-sums` spreads over the
/// GPU: no row is long then, and reading takes the time.
static double costOfSum(const CostModel &model, TraverseOp op,
                        StatsAttr stats) {
  KernelWork work = describeTraversal(op, stats);
  work.walks.clear();
  work.reducedRows = work.longestRow = 0;
  return model.cost(work);
}

std::string SumRowsFirst::trySplit(Block &block, TraverseOp op,
                                   TraverseOp walk) {
  SplitBody split;
  std::string why = planSplit(op, split);
  if (why.empty() && (split.reductions.empty() || !split.ofElements.empty()))
    why = "it reduces nothing, or writes a row for each of its elements";
  if (why.empty() && llvm::any_of(split.reductions, countsEmptyRows))
    why = "a row without elements would take part in the extreme";
  if (why.empty() && Dependences(block).dependsOn(walk, op))
    why = "the walk reads what is made of it";
  if (!why.empty())
    return why;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!stats)
    return "nothing is known of the length of rows";
  auto [first, second] = splitByRows(op, split, walk.getGroups());
  auto drop = [](TraverseOp rows, TraverseOp sums) {
    SmallVector<Value> outputs(rows.getOutputs());
    sums.erase();
    rows.erase();
    for (Value output : outputs) {
      Operation *empty = output.getDefiningOp();
      Value count = empty->getOperand(0);
      empty->erase();
      count.getDefiningOp()->erase();
    }
  };
  // As `gnn-tile-join-traversals` will have it.
  bool isLater = walk->isBeforeInBlock(first);
  TraverseOp before = isLater ? walk : first, behind = isLater ? first : walk;
  auto isKept = [&](OpResult result) { return isRead(result, behind); };
  std::optional<Join> join =
      planJoin(before, behind, Dependences(block), isKept, &why);
  std::string numbers;
  if (join) {
    OpBuilder builder(op);
    TraverseOp joined = buildJoin(builder, before, behind, *join, isKept);
    double now =
        costOfSum(*model, op, stats) + costWalk(*model, walk, edgeWalks, stats);
    double then = costOfSum(*model, second, stats) +
                  costWalk(*model, joined, edgeWalks, stats);
    joined.erase();
    numbers = model->textOf(then) + " instead of " + model->textOf(now) +
              " by the model";
    if (!model->isBetter(now, then))
      why = numbers;
  }
  if (!why.empty()) {
    drop(first, second);
    return why;
  }
  passed(getArgument(), op.getLoc(), "Split")
      << "the sum over all edges is taken of the rows of '" +
             walk.getGroups().str() + "' first, by the walk of " +
             gnn::describeOrigins(walk) + ": " + numbers;
  op->replaceAllUsesWith(second);
  op.erase();
  return "";
}

void SumRowsFirst::visit(Block &block, TraverseOp op) {
  std::string why = "no walk over the edges of rows goes through its elements";
  bool isFirst = true;
  for (TraverseOp walk : collectJoinable(block)) {
    DomainAttr domain = walk.getDomain();
    if (walk.getGraphAttr() != op.getGraphAttr() ||
        domain.getElements() != op.getDomain().getElements() ||
        !domain.getGroups().isKind(RowKind::Node) ||
        domain.getGroups() != domain.getGroups().getNatural())
      continue;
    std::string whyNot = trySplit(block, op, walk);
    if (whyNot.empty())
      return;
    if (isFirst)
      why = whyNot;
    isFirst = false;
  }
  refused(getArgument(), op.getLoc()) << why;
}
