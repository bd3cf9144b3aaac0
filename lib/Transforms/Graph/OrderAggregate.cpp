//===- OrderAggregate.cpp - Multiply before or after the sum --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum_e a_e (x_e W_r) = (sum_e a_e x_e) W_r, for each relation r on its own
// (GraphAGILE 6.3, theorems 1 and 2, generalized). docs/Rationale.md has a
// worked example.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"
#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "BuildAggregatedProduct.h"
#include "Utils.h"

#include "GNN/Analysis/OrderCosts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_ORDERAGGREGATE
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct OrderAggregate : gnn::impl::OrderAggregateBase<OrderAggregate> {
  using OrderAggregateBase::OrderAggregateBase;

  void runOnOperation() override {
    model.emplace(getOperation(), cost.getValue());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (ofGradients && !func->hasAttr(attribute::gradientOf))
        continue;
      DenseSet<Operation *> decided;
      while (orderOne(func, decided))
        ;
    }
  }

private:
  /// Changes the order of one chain; whether there was one. Ops in `decided`
  /// end chains that stay.
  bool orderOne(func::FuncOp func, DenseSet<Operation *> &decided);
  /// The value that replaces a chain; null where it stays as it is. Values in
  /// `trained` have a gradient.
  Value reorder(OpBuilder &builder, const AggregatedProduct &chain,
                const Varying &trained);
  Value reorderByRule(OpBuilder &builder, const AggregatedProduct &chain);
  void report(const AggregatedProduct &chain, bool changes,
              const Twine &reason);

  std::optional<CostModel> model;
};

} // namespace

void OrderAggregate::report(const AggregatedProduct &chain, bool changes,
                            const Twine &reason) {
  Location loc = chain.root->getLoc();
  if (changes)
    passed(getArgument(), loc, "Ordered") << reason.str();
  else
    refused(getArgument(), loc) << reason.str();
}

/// Theorem 2 of GraphAGILE: the sum is over the narrower rows. The rule is
/// right where a product moves between rows of nodes, or of edges and fewer.
/// Pairs or types may be any number on either side, so the given order stays.
Value OrderAggregate::reorderByRule(OpBuilder &builder,
                                    const AggregatedProduct &chain) {
  int64_t in = ShapedType::getNumElements(chain.inShape);
  int64_t out = ShapedType::getNumElements(chain.outShape);
  if (chain.isTyped()) {
    report(chain, false,
           "without statistics a product by edge type stays where it is");
    return {};
  }
  bool onNodes =
      isNodeSpace(chain.rowsBefore) && isNodeSpace(chain.getRowsAfter());
  if (!onNodes && chain.rowsBefore != RowSpace::Edge) {
    report(chain, false,
           "features alone do not decide between a product of " +
               stringifyRowSpace(chain.rowsBefore) + " rows and of " +
               stringifyRowSpace(chain.getRowsAfter()) + " rows");
    return {};
  }
  bool productFirst = in == out ? chain.productFirst : in > out;
  report(chain, productFirst != chain.productFirst,
         "rows of " + Twine(in) + " features before the product and " +
             Twine(out) + " after it");
  return productFirst == chain.productFirst
             ? Value()
             : buildChain(builder, chain, productFirst);
}

Value OrderAggregate::reorder(OpBuilder &builder,
                              const AggregatedProduct &chain,
                              const Varying &trained) {
  StatsAttr stats = getStats(chain.root, chain.resultType);
  if (!stats || (model->getKind() == CostKind::Rows && !chain.isTyped()))
    return reorderByRule(builder, chain);
  ChainGradients gradients = {trained.contains(chain.input),
                              trained.contains(chain.weight)};
  OrderCosts costs(chain, *model, stats, gradients);
  OrderChoice choice = costs.choose();
  std::string reason;
  llvm::raw_string_ostream os(reason);
  bool inRows = model->getKind() == CostKind::Rows;
  auto print = [&](const Twine &what, const WeighedOrder &order) {
    os << what << llvm::format(" %.0f rows", costs.rows(order.order));
    if (!inRows)
      os << llvm::format(" (%.4g us)", order.cost * 1e6);
  };
  print("product first", chain.productFirst ? choice.given : choice.turned);
  print(", sum first", chain.productFirst ? choice.turned : choice.given);
  double cheapest = choice.turned.cost;
  if (choice.mixed) {
    const Order &order = choice.mixed->order;
    print(", product first for " +
              counted(order.productFirst.size(), "edge type") +
              " and sum first for " +
              std::to_string(order.aggregateFirst.size()) + ":",
          *choice.mixed);
    cheapest = std::min(cheapest, choice.mixed->cost);
  } else if (choice.differ && chain.getGraph().isDerived()) {
    os << ", no edge types apart: the graph is derived from another";
  }
  if (gradients.ofInput || gradients.ofWeight)
    os << ", with gradients of the "
       << (!gradients.ofWeight  ? "input"
           : !gradients.ofInput ? "weight"
                                : "input and the weight");
  bool changes = choice.best != OrderChoice::Best::Given;
  if (!changes && cheapest < choice.given.cost)
    os << llvm::format("; less than %.0f %% apart, too close to change",
                       100 * CostModel::margin);
  report(chain, changes, reason);
  if (choice.best == OrderChoice::Best::Mixed)
    return buildSplitChain(builder, chain, choice.mixed->order.productFirst,
                           choice.mixed->order.aggregateFirst);
  return changes ? buildChain(builder, chain, !chain.productFirst) : Value();
}

/// Whether the only reader of `op` sums pairs to nodes and ends a chain, which
/// `op` is in the middle of.
static bool isInner(Operation *op) {
  Value value = op->getResult(0);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto reshape = dyn_cast<ReshapeOp>(user)) {
      value = reshape;
      continue;
    }
    auto sum = dyn_cast<AggregateOp>(user);
    if (!sum)
      return false;
    RowPath path = sum.getRowPaths().front();
    std::string why;
    return isPairSpace(path.from) && isNodeSpace(path.to) &&
           (AggregatedProduct::match(sum, why) || !why.empty());
  }
  return false;
}

bool OrderAggregate::orderOne(func::FuncOp func,
                              DenseSet<Operation *> &decided) {
  Value replacement;
  Operation *root = nullptr;
  Varying trained = findTrained(func);
  SmallVector<Operation *> candidates;
  func.walk([&](Operation *op) {
    if (isa<AggregateOp, SpmmOp, LinearOp, TypedLinearOp>(op))
      candidates.push_back(op);
  });
  for (Operation *op : candidates) {
    if (decided.contains(op) || op->use_empty() || isInner(op))
      continue;
    std::string why;
    std::optional<AggregatedProduct> chain = AggregatedProduct::match(op, why);
    if (!chain && why.empty())
      continue;
    decided.insert(op);
    if (!chain) {
      refused(getArgument(), op->getLoc()) << why;
      continue;
    }
    OpBuilder builder(op);
    Recorder recorder;
    builder.setListener(&recorder);
    replacement = reorder(builder, *chain, trained);
    if (!replacement)
      continue;
    // A product that comes first now may pass a sum before it too.
    for (Operation *made : recorder.ops)
      if (chain->productFirst || !isa<LinearOp>(made))
        decided.insert(made);
    root = op;
    break;
  }
  if (!replacement)
    return false;
  root->getResult(0).replaceAllUsesWith(replacement);
  // The old chain, from its end to its beginning.
  SmallVector<Operation *> dead = {root};
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    decided.erase(op);
    op->erase();
    for (Value operand : operands)
      if (Operation *maker = operand.getDefiningOp();
          maker && !llvm::is_contained(dead, maker))
        dead.push_back(maker);
  }
  return true;
}
