//===- LinearReorder.cpp - Weights times weights first --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of a product becomes a product with the product of the weights,
// where that is cheaper (Hector 3.2.3). Each candidate is built, weighed
// against what it makes dead, and dropped where it does not pay.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "LinearMap.h"
#include "Utils.h"

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Analysis/OrderCosts.h"
#include "GNN/Analysis/RowAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_LINEARREORDER
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

namespace {

/// The cost of a set of ops: all that decides between two.
struct Bill {
  double cost = 0;    // seconds or rows, with statistics
  double rows = 0;    // through products
  double flops = 0;   // on rows
  unsigned count = 0; // products with rows
  /// Flops a row on edges, pairs and nodes, for graphs without statistics.
  std::array<double, 3> perRow = {};
};

struct LinearReorder : gnn::impl::LinearReorderBase<LinearReorder> {
  using LinearReorderBase::LinearReorderBase;

  void runOnOperation() override {
    model.emplace(getOperation(), cost.getValue());
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      if (isa<ProductOpInterface, SliceOp>(op) && op->getNumResults() == 1 &&
          getRows(op->getResult(0).getType()))
        roots.push_back(op);
    });
    for (Operation *root : roots)
      reorder(root);
  }

private:
  void reorder(Operation *root);
  Value build(Operation *root, LinearChain &chain);
  Bill weigh(ArrayRef<Operation *> ops, bool countsRows, RowAnalysis &rows,
             StatsAttr stats);
  void addReleased(Bill &bill, ArrayRef<Operation *> products,
                   const SetVector<Operation *> &dead, bool after,
                   RowAnalysis &rows);

  std::optional<CostModel> model;
};
} // namespace

/// The value that the chain above `root` becomes; null where there is none.
Value LinearReorder::build(Operation *root, LinearChain &chain) {
  auto target = cast<RankedTensorType>(root->getResult(0).getType());
  RowSpace rows = *getRowSpace(target);
  if (auto slice = dyn_cast<SliceOp>(root))
    return chain.pushSlice(slice.getInput(), {rows, rows, std::nullopt},
                           slice.getOffset(), target);
  auto of = cast<ProductOpInterface>(root).getProductOperands();
  if (!of)
    return nullptr;
  Value weight = root->getOperand(of->weight);
  LinearMap map{weight, of->isVector, false, std::nullopt};
  if (std::optional<RowSpace> types = getRowSpace(weight.getType()))
    map.types = RowPath{rows, *types, of->via};
  Value result =
      chain.push(root->getOperand(of->rows),
                 *getOperandPath(root->getOpOperand(of->rows)), map, target);
  return of->bias
             ? chain.addBias(result, root->getOperand(*of->bias), map.types)
             : result;
}

/// The ops that nobody needs once `root` is replaced.
static SetVector<Operation *> deadWithout(Operation *root) {
  SetVector<Operation *> dead;
  dead.insert(root);
  for (size_t i = 0; i < dead.size(); ++i)
    for (Value operand : dead[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        if (isPure(op) && llvm::all_of(op->getUsers(), [&](Operation *user) {
              return dead.contains(user);
            }))
          dead.insert(op);
  return dead;
}

/// Whether `op` becomes a kernel of its own: products do, joins of features and
/// weights that are taken by type do; what only moves or adds up rows of the
/// graph goes into one.
static bool isKernel(Operation *op) {
  std::optional<RowSpace> rows = getRowSpace(op->getResult(0).getType());
  return isa<ProductOpInterface, ConcatOp, WeightProductOp>(op) ||
         (isa<GatherOp>(op) && rows && !hasDynamicRows(*rows)) ||
         (isa<SliceOp>(op) && !rows);
}

/// The place in `Bill::perRow`; none for rows of types.
static std::optional<unsigned> coarseness(RowSpace space) {
  switch (space) {
  case RowSpace::Edge:
    return 0;
  case RowSpace::SrcPair:
  case RowSpace::DstPair:
    return 1;
  case RowSpace::Src:
  case RowSpace::Dst:
  case RowSpace::Node:
    return 2;
  default:
    return std::nullopt;
  }
}

/// Ops are weighed on the coarsest rows that they can be computed on.
/// Products of weights alone have no graph: `stats` are those of the root.
Bill LinearReorder::weigh(ArrayRef<Operation *> ops, bool countsRows,
                          RowAnalysis &rowsOf, StatsAttr stats) {
  Bill bill;
  for (Operation *op : ops) {
    if (!isKernel(op))
      continue;
    auto costs = cast<RowCostInterface>(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<RowSpace> own = getRowSpace(type);
    RowSpace coarse =
        own ? rowsOf.getCoarsestRows(op->getResult(0)) : RowSpace::Graph;
    bool moves = own && hasDynamicRows(*own);
    if (moves && hasDynamicRows(coarse)) {
      double flops = costs.getFlops().getFactor(*own);
      if (auto place = coarseness(coarse))
        bill.perRow[*place] += flops;
      bill.count += isa<ProductOpInterface>(op);
    }
    if (!stats)
      continue;
    double rows = RowCount::rows(type).evaluate(stats);
    bool shrinks = moves && rows > 0;
    for (KernelWork &work : describeKernels(op, stats)) {
      work *= shrinks ? getNumRows(op, type, coarse, stats) / rows : 1;
      if (!countsRows)
        work.productRows = 0;
      bill.rows += work.productRows;
      bill.flops += work.getFlops();
      bill.cost += model->cost(work);
    }
  }
  return bill;
}

/// Whether all that reads `value` but `dead` adds its rows up, maybe scaled:
/// then the sum may come before the product.
static bool isOnlySummed(Value value, const SetVector<Operation *> &dead) {
  SetVector<Value> values; // whose rows are to be added up
  values.insert(value);
  auto isSummed = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (dead.contains(user) || isa<ProductOpInterface>(user))
      return true;
    auto linear = dyn_cast<LinearOpInterface>(user);
    if (!linear || user->getNumResults() != 1)
      return false;
    auto action = linear.getLinearAction(use.getOperandNumber());
    if (isa<AggregateOp, SpmmOp>(user))
      return action.has_value();
    bool scales = isa<ApplyOp>(user) && action;
    bool moves = isa<ReshapeOp>(user) || action == LinearAction::Rows;
    values.insert(user->getResult(0));
    return scales || moves;
  };
  for (size_t i = 0; i < values.size(); ++i)
    if (!llvm::all_of(values[i].getUses(), isSummed))
      return false;
  return true;
}

/// A product that stays, but whose rows after this are only added up, is free
/// to take the fewer rows of either end of each edge type.
void LinearReorder::addReleased(Bill &bill, ArrayRef<Operation *> products,
                                const SetVector<Operation *> &dead, bool after,
                                RowAnalysis &rowsOf) {
  for (Operation *op :
       SetVector<Operation *>(products.begin(), products.end())) {
    StatsAttr stats = getStats(op);
    if (dead.contains(op) || !stats || !isOnlySummed(op->getResult(0), dead))
      continue;
    auto of = cast<ProductOpInterface>(op).getProductOperands();
    RowSpace coarse = rowsOf.getCoarsestRows(op->getResult(0));
    bool byEdgeType =
        getRowSpace(op->getOperand(of->weight).getType()) == RowSpace::EdgeType;
    if (!byEdgeType || !isPairSpace(coarse))
      continue;
    Bill own = weigh(op, true, rowsOf, stats);
    double rows = RowCount::rows(coarse).evaluate(stats), fewest = 0;
    for (auto [src, dst] : llvm::zip(stats.getSrcPairs().asArrayRef(),
                                     stats.getDstPairs().asArrayRef()))
      fewest += std::min(src, dst);
    double share = after && rows ? fewest / rows : 1;
    bill.cost += model->costOfShare(own.cost, share);
    bill.rows += own.rows * share;
    bill.flops += own.flops * share;
  }
}

/// The saving of gnn-order-aggregate at the sum of what `root` gives, were that
/// left as it is.
static double savedByOrder(Operation *root, const CostModel &model,
                           RowAnalysis &rowsOf) {
  auto of = dyn_cast<ProductOpInterface>(root);
  StatsAttr stats = getStats(root);
  if (!of || !stats || model.getKind() == CostKind::Rows)
    return 0;
  Operation *user = root;
  while (user->getNumResults() == 1 && user->hasOneUse()) {
    user = *user->user_begin();
    if (isa<AggregateOp, SpmmOp>(user)) {
      std::string why;
      auto chain = AggregatedProduct::match(user, why);
      Value weight = root->getOperand(of.getProductOperands()->weight);
      if (!chain || chain->weight != weight)
        return 0;
      chain->rowsBefore = rowsOf.getCoarsestRows(root->getResult(0));
      return OrderCosts(*chain, model, stats).getSaving();
    }
    if (!isa<ReshapeOp, GatherOp, ApplyOp, arith::MulFOp>(user))
      return 0;
  }
  return 0;
}

/// The numbers that decide.
static std::string describe(const Bill &bill, bool hasStats, CostKind kind) {
  if (!hasStats)
    return llvm::formatv(
        "{0:f0} flops an edge, {1:f0} a pair and {2:f0} a node", bill.perRow[0],
        bill.perRow[1], bill.perRow[2]);
  std::string work = llvm::formatv("{0:f0} rows and {1:f0} flops of products",
                                   bill.rows, bill.flops);
  return kind == CostKind::Rows
             ? work
             : llvm::formatv("{0:f2} us ({1})", bill.cost * 1e6, work).str();
}

/// Without statistics finer rows are taken to be many more than coarser ones.
/// Where both forms do the same on each, the product of weights wins if it
/// makes products fewer, or sets one free that `stays`.
static bool isCheaper(const Bill &after, const Bill &before,
                      const CostModel &model, bool hasStats, bool stays) {
  bool isTie = model.getKind() == CostKind::Rows && after.cost == before.cost;
  if (hasStats && !isTie)
    return model.isBetter(before.cost, after.cost);
  if (!hasStats && after.perRow != before.perRow)
    return after.perRow < before.perRow;
  return stays ? after.count <= before.count : after.count < before.count;
}

void LinearReorder::reorder(Operation *root) {
  if (root->use_empty())
    return;
  Recorder recorder;
  OpBuilder builder(root);
  builder.setListener(&recorder);
  LinearChain chain(builder, root->getLoc());
  Value result = build(root, chain);
  auto drop = [&](bool all) {
    for (Operation *&op : llvm::reverse(recorder.ops))
      if (op->use_empty() && (all || op->getResult(0) != result)) {
        op->erase();
        op = nullptr;
      }
    llvm::erase(recorder.ops, nullptr);
  };
  bool found = chain.numCombined() || chain.numSplits();
  if (!result || !found || chain.isTooLong()) {
    drop(/*all=*/true);
    if (!chain.getObstacle().empty())
      refused(getArgument(), root->getLoc()) << chain.getObstacle();
    return;
  }
  drop(/*all=*/false);
  SetVector<Operation *> dead = deadWithout(root);
  bool hasStats = !!getStats(root);
  auto of = dyn_cast<ProductOpInterface>(root);
  bool isScore = of && of.getProductOperands()->isVector;
  RowAnalysis rows(RowAnalysis::Scope::AllRows);
  Bill before = weigh(dead.getArrayRef(), true, rows, getStats(root));
  Bill after = weigh(recorder.ops, !isScore, rows, getStats(root));
  addReleased(before, chain.getProducts(), dead, /*after=*/false, rows);
  addReleased(after, chain.getProducts(), dead, /*after=*/true, rows);
  // No sum passes a bias for each edge type.
  if (llvm::any_of(recorder.ops,
                   [](Operation *op) { return isa<arith::AddFOp>(op); }))
    before.cost -= savedByOrder(root, *model, rows);
  CostKind kind = model->getKind();
  std::string numbers = describe(after, hasStats, kind) + " instead of " +
                        describe(before, hasStats, kind);
  bool stays = llvm::any_of(chain.getProducts(),
                            [&](Operation *op) { return !dead.contains(op); });
  if (!isCheaper(after, before, *model, hasStats, stays)) {
    drop(/*all=*/true);
    refused(getArgument(), root->getLoc())
        << "the product of the weights first would take " + numbers;
    return;
  }
  passed(getArgument(), root->getLoc(), "Reordered")
      << (chain.numCombined() ? "the weights are multiplied first: "
                              : "each part is multiplied by itself: ") +
             numbers;
  root->getResult(0).replaceAllUsesWith(result);
  for (Operation *op : dead)
    op->erase();
}
