//===- OrderAggregate.cpp - Multiply before or after the sum --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum_e a_e (x_e W_r) = (sum_e a_e x_e) W_r, for each relation r on its own
// (GraphAGILE 6.3, theorems 1 and 2, generalized). docs/Rationale.md has a
// worked example.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Passes.h"

#include "AggregatedProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Format.h"

#include <numeric>

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_ORDERAGGREGATE
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {

using Relations = SmallVector<int64_t>;

/// Which relations multiply first and which aggregate first.
struct Order {
  Relations productFirst, aggregateFirst;
};

/// What the orders of a chain cost on a graph. A chain without types is one
/// relation.
class OrderCosts {
public:
  OrderCosts(const AggregatedProduct &chain, const CostModel &model,
             StatsAttr stats);

  double cost(const Order &order) const;
  Order all(bool productFirst) const;
  /// Each relation on its own way: where it is cheaper, launches aside.
  Order eachItsOwn() const;
  /// Rows of the product.
  double rows(const Order &order) const;

private:
  /// What the statistics say of one relation.
  struct Relation {
    double edges;
    double sources; ///< rows that the edges read, each counted once
    double rowsBefore, rowsAfter;
  };

  void addProductFirst(ArrayRef<int64_t> list,
                       SmallVectorImpl<KernelWork> &kernels) const;
  void addAggregateFirst(ArrayRef<int64_t> list,
                         SmallVectorImpl<KernelWork> &kernels) const;
  KernelWork multiply(ArrayRef<int64_t> list, double rows) const;

  const AggregatedProduct &chain;
  const CostModel &model;
  SmallVector<Relation> relations;
  double in, out, flopsPerRow, weightBytes, numNodes, numInputs;
};

} // namespace

static double sizeOf(ArrayRef<int64_t> features) {
  return std::accumulate(features.begin(), features.end(), 1.0,
                         std::multiplies<>());
}

OrderCosts::OrderCosts(const AggregatedProduct &chain, const CostModel &model,
                       StatsAttr stats)
    : chain(chain), model(model), in(sizeOf(chain.inShape)),
      out(sizeOf(chain.outShape)) {
  auto weight = cast<RankedTensorType>(chain.weight.getType());
  flopsPerRow = 2 * chain.inShape.back() * out;
  weightBytes = 4 * sizeOf(getFeatures(weight));
  numNodes = RowCount::rows(chain.resultType).evaluate(stats);
  bool toDst = chain.reduceEnd == EndPoint::Dst;
  numInputs = toDst ? stats.getSrcNodes() : stats.getDstNodes();
  ArrayRef<int64_t> near = stats.getDstPairs(), far = stats.getSrcPairs();
  if (!toDst)
    std::swap(near, far);
  if (!chain.isTyped()) {
    double before = RowCount::rows(chain.rowsBefore).evaluate(stats);
    double edges = stats.getEdges();
    relations.push_back({edges, numInputs, before, numNodes});
    return;
  }
  bool onEdges = chain.rowsBefore == RowSpace::Edge;
  for (auto [edges, source, result] :
       llvm::zip_equal(stats.getTypeEdges().asArrayRef(), far, near))
    relations.push_back({static_cast<double>(edges),
                         static_cast<double>(source),
                         static_cast<double>(onEdges ? edges : source),
                         static_cast<double>(result)});
}

Order OrderCosts::all(bool productFirst) const {
  Order order;
  Relations &list = productFirst ? order.productFirst : order.aggregateFirst;
  list.resize(relations.size());
  std::iota(list.begin(), list.end(), 0);
  return order;
}

double OrderCosts::rows(const Order &order) const {
  double sum = 0;
  for (int64_t r : order.productFirst)
    sum += relations[r].rowsBefore;
  for (int64_t r : order.aggregateFirst)
    sum += relations[r].rowsAfter;
  return sum;
}

KernelWork OrderCosts::multiply(ArrayRef<int64_t> list, double rows) const {
  KernelWork work;
  work.productRows = rows;
  work.productFlops = rows * flopsPerRow;
  work.streamBytes = rows * out * 4 + weightBytes * list.size();
  return work;
}

/// A product of gathered rows, and a sum of what it gives along the edges.
void OrderCosts::addProductFirst(ArrayRef<int64_t> list,
                                 SmallVectorImpl<KernelWork> &kernels) const {
  double rows = 0, edges = 0;
  for (int64_t r : list) {
    rows += relations[r].rowsBefore;
    edges += relations[r].edges;
  }
  KernelWork product = multiply(list, rows), sum;
  if (chain.isTyped())
    product.gathers.push_back({rows, in * 4, numInputs});
  else
    product.streamBytes += rows * in * 4;
  sum.otherFlops = 2 * edges * out;
  sum.streamBytes = 4 * edges * (1 + chain.scales.size()) + 4 * numNodes * out;
  sum.gathers.push_back({edges, out * 4, rows});
  kernels.append({product, sum});
}

/// A sum of gathered rows, one relation's after another's, a product, and where
/// that is on pairs their sum.
void OrderCosts::addAggregateFirst(ArrayRef<int64_t> list,
                                   SmallVectorImpl<KernelWork> &kernels) const {
  KernelWork sum;
  double rows = 0, edges = 0;
  for (int64_t r : list) {
    rows += relations[r].rowsAfter;
    edges += relations[r].edges;
    sum.gathers.push_back({relations[r].edges, in * 4, relations[r].sources});
  }
  sum.otherFlops = 2 * edges * in;
  sum.streamBytes = 4 * edges * (1 + chain.scales.size()) + 4 * rows * in;
  KernelWork product = multiply(list, rows);
  product.streamBytes += rows * in * 4;
  kernels.append({sum, product});
  if (!chain.isTyped())
    return;
  KernelWork pairs;
  pairs.streamBytes = 4 * rows + 4 * numNodes * out;
  pairs.gathers.push_back({rows, out * 4, rows});
  kernels.push_back(pairs);
}

double OrderCosts::cost(const Order &order) const {
  SmallVector<KernelWork> kernels;
  if (!order.productFirst.empty())
    addProductFirst(order.productFirst, kernels);
  if (!order.aggregateFirst.empty())
    addAggregateFirst(order.aggregateFirst, kernels);
  if (!order.productFirst.empty() && !order.aggregateFirst.empty()) {
    KernelWork join;
    join.streamBytes = 3 * 4 * numNodes * out;
    kernels.push_back(join);
  }
  return model.cost(kernels);
}

Order OrderCosts::eachItsOwn() const {
  // What a launch costs is no matter of one relation.
  auto withoutLaunches = [&](const Order &order, unsigned launches) {
    double launch = model.getKind() == CostKind::Full
                        ? double(model.getTarget().launchSeconds)
                        : 0;
    return cost(order) - launches * launch;
  };
  Order order;
  for (int64_t r = 0, e = relations.size(); r < e; ++r) {
    double first = withoutLaunches({{r}, {}}, 2);
    double last = withoutLaunches({{}, {r}}, 3);
    bool keeps = first == last && chain.productFirst;
    (first < last || keeps ? order.productFirst : order.aggregateFirst)
        .push_back(r);
  }
  return order;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct OrderAggregate : gnn::impl::OrderAggregateBase<OrderAggregate> {
  using OrderAggregateBase::OrderAggregateBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<CostModel> created = createCostModel(context, target, cost);
    if (succeeded(created))
      model.emplace(*created);
    return created;
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      while (orderOne(func))
        ;
  }

private:
  /// Changes the order of one chain; whether there was one.
  bool orderOne(func::FuncOp func);
  /// The value that replaces a chain; null where it stays as it is.
  Value reorder(OpBuilder &builder, const AggregatedProduct &chain);
  Value reorderByRule(OpBuilder &builder, const AggregatedProduct &chain);
  void report(const AggregatedProduct &chain, bool changes,
              const Twine &reason);

  std::optional<CostModel> model;
  DenseSet<Operation *> decided;
};

} // namespace

void OrderAggregate::report(const AggregatedProduct &chain, bool changes,
                            const Twine &reason) {
  Location loc = chain.root->getLoc();
  auto opts = remark::RemarkOpts::name(changes ? "Ordered" : "NotOrdered")
                  .category(getArgument());
  if (changes)
    remark::passed(loc, opts) << reason.str();
  else
    remark::missed(loc, opts) << reason.str();
}

/// Theorem 2 of GraphAGILE: the sum is over the narrower rows. With a weight
/// for each edge type rows may become more, so what is given stays.
Value OrderAggregate::reorderByRule(OpBuilder &builder,
                                    const AggregatedProduct &chain) {
  int64_t in = sizeOf(chain.inShape), out = sizeOf(chain.outShape);
  if (chain.isTyped()) {
    report(chain, false,
           "without statistics a product by edge type stays where it is");
    return {};
  }
  bool productFirst = in == out ? chain.productFirst : in > out;
  std::string reason = (Twine("rows of ") + Twine(in) +
                        " features before the "
                        "product and " +
                        Twine(out) + " after it")
                           .str();
  report(chain, productFirst != chain.productFirst, reason);
  return productFirst == chain.productFirst
             ? Value()
             : chain.build(builder, productFirst);
}

Value OrderAggregate::reorder(OpBuilder &builder,
                              const AggregatedProduct &chain) {
  StatsAttr stats = getStats(chain.root, chain.resultType);
  if (!stats || (model->getKind() == CostKind::Rows && !chain.isTyped()))
    return reorderByRule(builder, chain);
  OrderCosts costs(chain, *model, stats);
  Order before = costs.all(true), after = costs.all(false);
  Order mixed = costs.eachItsOwn();
  bool mayMix = chain.canSplit() && !mixed.productFirst.empty() &&
                !mixed.aggregateFirst.empty();
  double costBefore = costs.cost(before), costAfter = costs.cost(after);
  double costMixed = mayMix ? costs.cost(mixed) : 0;
  double given = chain.productFirst ? costBefore : costAfter;
  double turned = chain.productFirst ? costAfter : costBefore;
  // Of times, the model is sure of no less than this.
  double sure = model->getKind() == CostKind::Full ? 0.95 : 1;
  bool mixes = mayMix && costMixed < sure * std::min(given, turned);
  bool turns = !mixes && turned < sure * given;
  std::string reason;
  llvm::raw_string_ostream os(reason);
  bool inRows = model->getKind() == CostKind::Rows;
  auto print = [&](StringRef what, const Order &order, double cost) {
    os << what << llvm::format(" %.0f rows", costs.rows(order));
    if (!inRows)
      os << llvm::format(" (%.4g us)", cost * 1e6);
  };
  print("product first", before, costBefore);
  print(", sum first", after, costAfter);
  if (mayMix) {
    os << ", " << mixed.productFirst.size() << " and "
       << mixed.aggregateFirst.size() << " edge types";
    print("", mixed, costMixed);
  }
  report(chain, mixes || turns, reason);
  if (mixes)
    return chain.buildSplit(builder, mixed.productFirst, mixed.aggregateFirst);
  return turns ? chain.build(builder, !chain.productFirst) : Value();
}

/// Whether the only reader of `op` sums pairs to nodes, so that its chain ends
/// there.
static bool isInner(Operation *op) {
  Value value = op->getResult(0);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto reshape = dyn_cast<ReshapeOp>(user)) {
      value = reshape;
      continue;
    }
    auto sum = dyn_cast<AggregateOp>(user);
    return sum && sum.getKind() == ReduceKind::Sum &&
           sum.getRowPaths().front().from != RowSpace::Edge;
  }
  return false;
}

namespace {

/// Collects what a chain is rebuilt from.
struct Collector : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

} // namespace

bool OrderAggregate::orderOne(func::FuncOp func) {
  Value replacement;
  Operation *root = nullptr;
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
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("NotOrdered").category(getArgument()))
          << why;
      continue;
    }
    OpBuilder builder(op);
    Collector collector;
    builder.setListener(&collector);
    replacement = reorder(builder, *chain);
    if (!replacement)
      continue;
    // A product that comes first now may pass a sum before it too.
    for (Operation *made : collector.ops)
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
