//===- FuseAttention.cpp - Scores, softmax and weighted sum as one op -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins at each softmax: forwards to the sum that it weighs, back from there
// to what is weighed, and back from the softmax to what the scores are made of
// (AttentionScore.h).
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Dialect/GNN/IR/Features.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "AttentionScore.h"
#include "Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_FUSEATTENTION
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
/// The ops that become one.
struct Match {
  EdgeSoftmaxOp softmax;
  Operation *sum = nullptr; ///< the aggregate or spmm
  Value message;            ///< what it sums; null for spmm
  std::optional<EdgeRead> value, factor;
  /// The features of the weights and of what they weigh, as they meet.
  Features weights, messages;
  /// The same with at most two dimensions, as the op has them.
  Features scores, values;
};
} // namespace

//===----------------------------------------------------------------------===//
// The weighted sum
//===----------------------------------------------------------------------===//

/// Follows the weights of a softmax to the sum that they are used in. Returns
/// why there is none; empty where there is.
static std::string findSum(Match &match) {
  Value current = match.softmax.getResult();
  bool weighs = false;
  while (true) {
    if (current.use_empty())
      return "nothing reads its weights";
    if (!current.hasOneUse())
      return weighs ? "its messages have other readers"
                    : "its weights have other readers";
    Operation *user = *current.user_begin();
    if (auto aggregate = dyn_cast<AggregateOp>(user)) {
      if (!weighs || aggregate.getKind() != ReduceKind::Sum)
        return "its weights are reduced by no weighted sum";
      match.sum = user;
      match.message = current;
      return "";
    }
    if (auto spmm = dyn_cast<SpmmOp>(user)) {
      if (spmm.getKind() != BinaryKind::Mul ||
          spmm.getReduce() != ReduceKind::Sum)
        return "its weights are reduced by no weighted sum";
      match.sum = user;
      return "";
    }
    if (!isa<BroadcastOp, ReshapeOp>(user) && !isProduct(user))
      return ("its weights go to " + user->getName().getStringRef()).str();
    weighs |= isProduct(user);
    current = user->getResult(0);
  }
}

/// Adds the factors of a message; those of one feature dimension less are
/// repeated.
static void collectFactors(const EdgeRead &read,
                           SmallVectorImpl<EdgeRead> &factors) {
  Operation *op = read.value.getDefiningOp();
  bool alone = read.isOnEdges() && read.value.hasOneUse();
  if (alone && isProduct(op)) {
    collectFactors(readOperand(op, 0), factors);
    collectFactors(readOperand(op, 1), factors);
  } else if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op);
             broadcast && getRows(broadcast.getInput().getType())) {
    EdgeRead narrow = readHere(broadcast.getInput());
    narrow.path = read.path;
    collectFactors(narrow, factors);
  } else {
    factors.push_back(read);
  }
}

/// Whether `read` are the weights of `softmax`, reshaped or not.
static bool isWeights(EdgeRead read, EdgeSoftmaxOp softmax) {
  while (auto reshape = read.value.getDefiningOp<ReshapeOp>())
    read.value = reshape.getInput();
  return read.value == softmax.getResult();
}

/// `message` without the reshapes that come last.
static Value withoutReshapes(Value message) {
  while (auto reshape = message.getDefiningOp<ReshapeOp>())
    message = reshape.getInput();
  return message;
}

/// Takes the message apart. Returns why it is no product of weights, a row of
/// features and at most one scalar; empty where it is.
static std::string describeMessage(Match &match) {
  SmallVector<EdgeRead> factors;
  if (isa<SpmmOp>(match.sum)) {
    match.messages = readHere(match.sum->getResult(0)).features;
    for (unsigned i : {0, 1}) {
      EdgeRead side = readHere(match.sum->getOperand(i));
      side.path = cast<SpmmOp>(match.sum).getRowPaths()[i];
      collectFactors(side, factors);
    }
  } else {
    EdgeRead message = readHere(withoutReshapes(match.message));
    match.messages = message.features;
    collectFactors(message, factors);
  }
  auto weights = llvm::find_if(factors, [&](const EdgeRead &read) {
    return isWeights(read, match.softmax);
  });
  if (weights == factors.end())
    return "its messages are reshaped between products";
  match.weights = weights->features;
  factors.erase(weights);
  for (const EdgeRead &factor : factors) {
    if (factor.features == match.messages && !match.value)
      match.value = readAtSource(factor);
    else if (begins(match.weights, factor.features) && !match.factor)
      match.factor = readAtSource(factor);
    else
      return "its messages are products of more than a row and a scalar";
  }
  if (!match.value || !begins(match.messages, match.weights))
    return "its weights have more features than what they weigh";
  return "";
}

/// Sets the features of the op to those of the weights and the messages, with
/// the dimensions of the weights as one and those that follow as one.
static void joinDimensions(Match &match) {
  int64_t weights = ShapedType::getNumElements(match.weights);
  int64_t messages = ShapedType::getNumElements(match.messages);
  match.scores.clear();
  if (!match.weights.empty())
    match.scores.push_back(weights);
  match.values = match.scores;
  if (match.messages.size() > match.weights.size())
    match.values.push_back(messages / weights);
}

/// Describes what `softmax` is part of, or says why that is no attention.
static std::string describeAttention(EdgeSoftmaxOp softmax, Match &match) {
  match.softmax = softmax;
  RowSpace over = softmax.getOver(), rows = *getRowSpace(softmax.getType());
  if (rows != RowSpace::Edge)
    return ("its scores are in " + stringifyRowSpace(rows) + " rows").str();
  if (std::string why = findSum(match); !why.empty())
    return why;
  RowPath path = cast<RowPathOpInterface>(match.sum).getRowPaths().back();
  bool isSrc = over == RowSpace::Src || over == RowSpace::SrcPair;
  bool toTypes = path.to == RowSpace::EdgeType ||
                 path.to == RowSpace::NodeType || path.to == RowSpace::Graph;
  if (toTypes || path.getEnd() != (isSrc ? EndPoint::Src : EndPoint::Dst))
    return ("its groups are over " + stringifyRowSpace(over) +
            ", its sum is to " + stringifyRowSpace(path.to) + " rows")
        .str();
  return describeMessage(match);
}

/// The scores of `match`, and the features that the op has for them.
static ScoreSlice describeScore(Match &match) {
  match.scores = match.weights;
  match.values = match.messages;
  if (match.values.size() > 2)
    joinDimensions(match);
  ScoreSlice slice(match.softmax, match.scores);
  if (!slice.lacksDimensions() || match.scores.size() < 2)
    return slice;
  joinDimensions(match);
  return ScoreSlice(match.softmax, match.scores);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// The factor with features that scores begin with.
static Value scalarOf(OpBuilder &builder, Location loc, const EdgeRead &factor,
                      const Match &match) {
  if (auto leading = beginningOf(match.scores, factor.features))
    return reshaped(builder, loc, factor.value, *leading);
  // One for some of the dimensions of the weights, which are joined: repeated.
  Value own = reshaped(builder, loc, factor.value, factor.features);
  Value repeated = BroadcastOp::create(
      builder, loc, withFeatures(tensorOf(own), match.weights), own);
  return reshaped(builder, loc, repeated, match.scores);
}

/// Builds the op, and what is to replace the sum.
static std::pair<AttentionOp, Value> build(OpBuilder &builder, Match &match,
                                           const ScoreSlice &slice) {
  Location loc =
      builder.getFusedLoc({match.softmax.getLoc(), match.sum->getLoc()});
  auto at = [&](const EdgeRead &read, ArrayRef<int64_t> features) {
    return reshaped(builder, loc, read.value, features);
  };
  SmallVector<Value> inputs;
  SmallVector<std::optional<EndPoint>> ends;
  for (const EdgeRead &input : slice.getInputs()) {
    inputs.push_back(at(input, input.features));
    ends.push_back(input.getEnd());
  }
  RankedTensorType sum = tensorOf(match.sum->getResult(0));
  Value value = at(*match.value, match.values), factor;
  std::optional<EndPoint> factorEnd;
  if (match.factor) {
    factor = scalarOf(builder, loc, *match.factor, match);
    factorEnd = match.factor->getEnd();
  }
  auto attention = AttentionOp::create(
      builder, loc, withFeatures(sum, match.values), inputs, ends, value,
      match.value->getEnd(), factor, factorEnd, match.softmax.getOver(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        return slice.emit(builder, loc, arguments);
      });
  eraseDeadOps(attention.getBody().front());
  return {attention,
          reshaped(builder, loc, attention.getResult(), getFeatures(sum))};
}

//===----------------------------------------------------------------------===//
// Whether, and how
//===----------------------------------------------------------------------===//

/// Chooses whether scores are stored, the least of what the rules below weigh,
/// and gives the numbers that say so. Returns whether the op is no gain.
static bool chooseForm(AttentionOp op, const CostModel &model,
                       std::string &numbers) {
  StatsAttr stats = getStats(op);
  if (!stats || model.getKind() == CostKind::Rows) {
    double scores = ShapedType::getNumElements(op.getScoreFeatures());
    double again = 0;
    for (auto [operand, path] : op.getScoreReads())
      again += getNumFeatures(tensorOf(operand));
    if (shareLanesRows(op) && !op.sumsElsewhere()) // one walk has both
      again = 0;
    op.setStored(op.mustStore() || again > 2 * scores);
    numbers = llvm::formatv("elements an edge: {0} to compute them again, {1} "
                            "to store and read them",
                            int64_t(again), int64_t(2 * scores));
    if (op.mustStore())
      numbers = "rows with other features than those summed are weighed";
    return false;
  }
  auto compare = [&](AttentionForm before, AttentionForm after) {
    return compareForms(model, op, before, after, stats);
  };
  auto micros = [](double seconds) {
    return llvm::formatv("{0:F1} us", seconds * 1e6).str();
  };
  op.setStored(op.mustStore());
  if (!op.mustStore()) {
    auto [computed, stored] = compare(op.getForm(), AttentionForm::Stored);
    // Scores take memory.
    op.setStored(model.isBetter(computed, stored));
    numbers = micros(computed) + " to compute them in each walk, ";
  }
  auto [apart, stored] = compare(AttentionForm::Apart, AttentionForm::Stored);
  numbers +=
      micros(stored) + " to store and read them, " + micros(apart) + " apart";
  // As fast, it keeps no weights of edges for the gradient.
  return model.isBetter(compare(AttentionForm::Apart, op.getForm()).after,
                        apart);
}

namespace {
struct FuseAttention : gnn::impl::FuseAttentionBase<FuseAttention> {
  using FuseAttentionBase::FuseAttentionBase;

  void runOnOperation() override {
    model.emplace(getOperation(), cost.getValue());
    SmallVector<EdgeSoftmaxOp> softmaxes;
    getOperation()->walk([&](EdgeSoftmaxOp op) { softmaxes.push_back(op); });
    for (EdgeSoftmaxOp softmax : softmaxes)
      fuse(softmax, *model);
    if (getOperation().isExternal())
      return;
    eraseDeadOps(getOperation().getBody().front());
  }

private:
  std::optional<CostModel> model;

  void fuse(EdgeSoftmaxOp softmax, const CostModel &model);
};
} // namespace

void FuseAttention::fuse(EdgeSoftmaxOp softmax, const CostModel &model) {
  Match match;
  if (std::string why = describeAttention(softmax, match); !why.empty()) {
    refused(getArgument(), softmax.getLoc()) << why;
    return;
  }
  ScoreSlice slice = describeScore(match);
  OpBuilder builder(match.sum);
  Operation *before = match.sum->getPrevNode();
  auto [attention, result] = build(builder, match, slice);
  std::string numbers;
  if (chooseForm(attention, model, numbers)) {
    refused(getArgument(), softmax.getLoc())
        << llvm::formatv("one attention is {0:P0} slower: {1}",
                         CostModel::margin, numbers)
               .str();
    while (match.sum->getPrevNode() != before)
      match.sum->getPrevNode()->erase();
    return;
  }
  match.sum->getResult(0).replaceAllUsesWith(result);
  StringRef choice = attention.getStored() ? "stored" : "computed in each walk";
  passed(getArgument(), attention.getLoc(), "Fused")
      << llvm::formatv(
             "one attention: no {0} features an edge, scores are {1}; {2}",
             getNumFeatures(attention.getType()), choice, numbers)
             .str();
}
