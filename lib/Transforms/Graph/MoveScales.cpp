//===- MoveScales.cpp - Scales on few rows ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An aggregate adds up a product of features and factors. A factor of
// the whole group comes after the sum, one of the rows that are gathered before
// the gather (Hector 3.4.1).
//
//===----------------------------------------------------------------------===//

#include "Factors.h"
#include "LayerRewrite.h"

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Analysis/Finiteness.h"
#include "GNN/Analysis/RowAnalysis.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_MOVESCALES
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

static RowSpace spaceOf(Value value) { return *getRowSpace(value.getType()); }

namespace {
/// A product that is there, of some factors side by side.
struct Product {
  Factor whole;
  size_t begin, end;
};

/// The summed product: features, and factors with fewer feature dimensions.
struct Terms {
  Factor body;
  SmallVector<Factor> factors;
  /// Products that contain others come first.
  SmallVector<Product> products;

  /// The factors at these numbers, in order; products of them alone are one
  /// factor, so that nothing is multiplied that is there already.
  SmallVector<Factor> merge(const llvm::BitVector &chosen) const;

  /// Whether something else reads a product that a factor is part of.
  bool isShared(size_t factor) const;
};
} // namespace

SmallVector<Factor> Terms::merge(const llvm::BitVector &chosen) const {
  SmallVector<std::pair<Factor, size_t>> starts; // with the number behind it
  for (auto [i, factor] : llvm::enumerate(factors))
    starts.push_back({factor, i + 1});
  for (const Product &product : llvm::reverse(products))
    if (product.end > starts[product.begin].second &&
        chosen.find_first_unset_in(product.begin, product.end) < 0)
      starts[product.begin] = {product.whole, product.end};
  SmallVector<Factor> merged;
  for (size_t i = 0; i < factors.size();) {
    if (chosen[i])
      merged.push_back(starts[i].first);
    i = chosen[i] ? starts[i].second : i + 1;
  }
  return merged;
}

bool Terms::isShared(size_t factor) const {
  return llvm::any_of(products, [&](const Product &product) {
    return product.begin <= factor && factor < product.end &&
           product.end - product.begin > 1 && !product.whole.value.hasOneUse();
  });
}

/// The operand with all features of a product with a factor, and the factor;
/// false if `op` is none.
static bool splitFactor(ApplyOp op, Factor &body, Factor &factor) {
  bool isMul = op.getKind() == BinaryKind::Mul;
  if (!isMul && op.getKind() != BinaryKind::Div)
    return false;
  SmallVector<RowPath> paths = op.getRowPaths();
  auto size = [](Value value) {
    return getFeatures(getTensorType(value)).size();
  };
  bool left = size(op.getLhs()) > size(op.getRhs());
  bool right = isMul && size(op.getRhs()) > size(op.getLhs());
  if (left == right)
    return false;
  body = {left ? op.getLhs() : op.getRhs(), paths[left ? 0 : 1], false};
  factor = {left ? op.getRhs() : op.getLhs(), paths[left ? 1 : 0], !isMul};
  return true;
}

/// Takes a factor apart: what it is a product of, each on its own rows.
static void splitScale(Factor factor, Terms &terms) {
  Operation *op = factor.value.getDefiningOp();
  size_t number = terms.products.size(), begin = terms.factors.size();
  auto descend = [&](Value value, RowPath path, bool inverse) {
    auto whole = compose(factor.path, path);
    if (whole)
      splitScale({value, *whole, inverse}, terms);
    return whole.has_value();
  };
  terms.products.push_back({factor, begin, begin});
  llvm::scope_exit finish(
      [&] { terms.products[number].end = terms.factors.size(); });
  auto own = [](Value value) {
    return RowPath{spaceOf(value), spaceOf(value), std::nullopt};
  };
  if (auto gather = dyn_cast_or_null<GatherOp>(op)) {
    if (descend(gather.getInput(), gather.getRowPaths().front(),
                factor.inverse))
      return;
  } else if (auto apply = dyn_cast_or_null<ApplyOp>(op)) {
    SmallVector<RowPath> paths = apply.getRowPaths();
    bool isMul = apply.getKind() == BinaryKind::Mul;
    bool isDiv = apply.getKind() == BinaryKind::Div;
    if ((isMul || isDiv) && compose(factor.path, paths[0]) &&
        compose(factor.path, paths[1])) {
      descend(apply.getLhs(), paths[0], factor.inverse);
      descend(apply.getRhs(), paths[1], factor.inverse != isDiv);
      return;
    }
  } else if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op)) {
    bool isDiv = isa<arith::DivFOp>(op);
    descend(op->getOperand(0), own(op->getOperand(0)), factor.inverse);
    descend(op->getOperand(1), own(op->getOperand(1)), factor.inverse != isDiv);
    return;
  } else if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    if (getRows(broadcast.getInput().getType()) &&
        descend(broadcast.getInput(), own(broadcast.getInput()),
                factor.inverse))
      return;
  }
  terms.factors.push_back(factor);
}

/// The factors of `value`, as far as this op alone reads it.
static Terms splitTerms(Value value) {
  RowSpace space = spaceOf(value);
  Terms terms{{value, {space, space, std::nullopt}, false}, {}, {}};
  while (true) {
    Operation *op = terms.body.value.getDefiningOp();
    if (!op || !terms.body.value.hasOneUse())
      return terms;
    Factor body, factor;
    if (auto gather = dyn_cast<GatherOp>(op))
      body = {gather.getInput(), gather.getRowPaths().front(), false};
    else if (auto apply = dyn_cast<ApplyOp>(op);
             !apply || !splitFactor(apply, body, factor))
      return terms;
    auto toBody = compose(terms.body.path, body.path);
    if (!toBody)
      return terms;
    if (factor.value) {
      auto toFactor = compose(terms.body.path, factor.path);
      if (!toFactor)
        return terms;
      splitScale({factor.value, *toFactor, factor.inverse}, terms);
    }
    terms.body = {body.value, *toBody, false};
  }
}

/// Whether scaling `body` where it lies is no dearer than gathering the factor
/// for each row that is added up. `numbers` says what decided.
static bool paysBefore(const Terms &terms, size_t number, Operation *sum,
                       const CostModel &model, std::string &numbers) {
  const Factor &factor = terms.factors[number];
  Value body = terms.body.value;
  Operation *producer = body.getDefiningOp();
  // The kernel that makes the body ends with the scale.
  bool isFree = producer && body.hasOneUse() && !isa<ReshapeOp>(producer);
  StatsAttr stats = getStats(sum, body.getType());
  if (isFree || !stats || terms.isShared(number)) {
    numbers = isFree   ? "the kernel that makes the rows ends with it"
              : !stats ? "the rows would be walked once more"
                       : "others read a product that it is part of";
    return isFree;
  }
  auto [before, after] =
      compareScale(model, terms.body.path.from, getTensorType(factor.value),
                   getTensorType(body), stats);
  numbers = model.textOf(after) + " by itself, " + model.textOf(before) +
            " in the sum";
  return model.isBetter(before, after);
}

/// Whether what is multiplied by it, or divided, has a finite derivative.
static bool isFinite(const Factor &factor, const Finiteness &finiteness) {
  return finiteness.isFinite(factor.value) &&
         (!factor.inverse || finiteness.isPositive(factor.value));
}

/// How many rows a sum makes of how many, or of which where that is unknown.
static std::string rowsText(AggregateOp op) {
  auto text = [stats = getStats(op)](RankedTensorType type) {
    if (stats)
      return llvm::formatv("{0:f0}", RowCount::rows(type).evaluate(stats))
          .str();
    return stringifyRowSpace(*getRowSpace(type)).str();
  };
  return text(op.getResult().getType()) + " rows instead of " +
         text(op.getInput().getType());
}

namespace {
/// Where the factors of a sum's terms go: behind the sum and before the gather,
/// with what is left of their paths there.
struct Places {
  SmallVector<std::pair<Factor, RowPath>> after, before;
  llvm::BitVector stays; ///< the others
  std::string reason;    ///< why before the gather
};
} // namespace

/// Chooses a place for each factor.
static Places choosePlaces(AggregateOp op, const Terms &terms,
                           const CostModel &model, const Finiteness *finiteness,
                           const LayerRewrite &rewrite) {
  GraphOp graph = getGraph(op, op.getInput().getType());
  RowPath up = op.getRowPaths().front();
  Places places;
  places.stays.resize(terms.factors.size());
  std::string refusal;
  for (auto [i, factor] : llvm::enumerate(terms.factors)) {
    if (auto rest = restOfPath(factor.path, up, graph)) {
      if (up.isOnto()) {
        places.after.push_back({factor, *rest});
        continue;
      }
      // Infinity times a sum of nothing is not 0.
      rewrite.refused(
          op.getLoc(),
          "the scale of a sum stays inside it: the sum may be empty");
    }
    auto rest = terms.body.path.isIdentity()
                    ? std::nullopt
                    : restOfPath(factor.path, terms.body.path, graph);
    std::string numbers;
    if (rest && finiteness && !isFinite(factor, *finiteness)) {
      refusal = "its derivative may not be finite there";
      places.stays.set(i);
      continue;
    }
    if (rest && paysBefore(terms, i, op, model, numbers)) {
      places.before.push_back({factor, *rest});
      places.reason = numbers;
      continue;
    }
    if (rest)
      refusal = numbers;
    places.stays.set(i);
  }
  if (!refusal.empty())
    rewrite.refused(op.getLoc(),
                    "a scale of gathered rows stays in the sum: " + refusal);
  return places;
}

/// Factors in the order in which they are applied: products first, and of these
/// those of more features; the last key is for ties.
static SmallVector<Factor> sortFactors(ArrayRef<Factor> factors) {
  SmallVector<std::tuple<bool, int64_t, size_t>> order;
  for (auto [i, factor] : llvm::enumerate(factors))
    order.emplace_back(factor.inverse,
                       -getNumFeatures(getTensorType(factor.value)), i);
  llvm::sort(order);
  return llvm::map_to_vector(
      order, [&](auto key) { return factors[std::get<2>(key)]; });
}

/// Scales `message` by what stays in the sum. Factors meet each other first:
/// they are few numbers a row.
static Value applyInside(IRRewriter &rewriter, Location loc, Value message,
                         ArrayRef<Factor> inside) {
  if (inside.empty() || inside.front().inverse) {
    for (const Factor &factor : inside)
      message = applyFactor(rewriter, loc, message, factor);
    return message;
  }
  Value scale = inside.front().value;
  RowPath path = inside.front().path;
  for (const Factor &factor : inside.drop_front()) {
    if (getNumFeatures(getTensorType(factor.value)) >
        getNumFeatures(getTensorType(scale))) {
      message = applyFactor(rewriter, loc, message, factor);
      continue;
    }
    auto type =
        withFeatures(getTensorType(message), getFeatures(getTensorType(scale)));
    scale = applyFactor(rewriter, loc, type, scale, path, factor);
    path = {path.from, path.from, std::nullopt};
  }
  return applyFactor(rewriter, loc, message, {scale, path});
}

/// `finiteness` is there where gradients are asked for.
static void moveScales(AggregateOp op, const CostModel &model,
                       Finiteness *finiteness, const LayerRewrite &rewrite) {
  if (!isSum(op) || op.getArgument())
    return;
  Terms terms = splitTerms(op.getInput());
  if (terms.factors.empty())
    return;
  IRRewriter &rewriter = rewrite.rewriter;
  rewriter.setInsertionPoint(op);
  Places places = choosePlaces(op, terms, model, finiteness, rewrite);
  if (places.after.empty() && places.before.empty())
    return;
  if (!places.after.empty())
    rewrite.passed(op.getLoc(), "ScaleAfter",
                   "a scale of each sum comes after it: " + rowsText(op));
  if (!places.before.empty())
    rewrite.passed(op.getLoc(), "ScaleBefore",
                   "a scale of gathered rows comes before the gather: " +
                       places.reason);
  Location loc = op.getLoc();
  Value message = terms.body.value;
  for (auto &[factor, path] : places.before)
    message = applyFactor(rewriter, loc, message,
                          {factor.value, path, factor.inverse});
  SmallVector<Factor> inside = sortFactors(terms.merge(places.stays));
  if (RowPath path = terms.body.path; !path.isIdentity())
    message =
        GatherOp::create(rewriter, loc,
                         withRowSpace(getTensorType(message), path.from,
                                      op.getInput().getType().getDimSize(0)),
                         message, path.via);
  message = applyInside(rewriter, loc, message, inside);
  Value sum = AggregateOp::create(rewriter, loc, op.getResult().getType(),
                                  op.getKind(), message, op.getVia())
                  .getResult();
  for (auto &[factor, path] : places.after)
    sum = applyFactor(rewriter, loc, sum, {factor.value, path, factor.inverse});
  rewriter.replaceAllUsesWith(op.getResult(), sum);
  if (finiteness)
    finiteness->forget(op);
  rewriter.eraseOp(op);
}

namespace {
struct MoveScales : gnn::impl::MoveScalesBase<MoveScales> {
  using MoveScalesBase::MoveScalesBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LayerRewrite rewrite{rewriter, getArgument()};
    std::optional<Finiteness> finiteness;
    if (getOperation()->hasAttr(attribute::gradients))
      finiteness.emplace(getOperation());
    CostModel model(getOperation(), cost);
    forAll<AggregateOp>(getOperation(), [&](AggregateOp op) {
      moveScales(op, model, finiteness ? &*finiteness : nullptr, rewrite);
    });
  }
};
} // namespace
