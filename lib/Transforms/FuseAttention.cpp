//===- FuseAttention.cpp - Scores, softmax and weighted sum as one op -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins at each softmax: forwards to the sum that it weighs, back from there
// to what is weighed, and back from the softmax to what the scores are made of.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Transforms/Passes.h"

#include "AttentionCost.h"
#include "Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_FUSEATTENTION
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static SmallVector<int64_t> featuresOf(Value value) {
  return SmallVector<int64_t>(getFeatures(tensorOf(value)));
}

namespace {

/// A value with rows, and the path from an edge to its row; or a weight.
struct Read {
  Read() = default;
  Read(Value value,
       RowPath path = {RowSpace::Edge, RowSpace::Edge, std::nullopt})
      : value(value), path(path), features(featuresOf(value)) {}

  Value value;
  RowPath path;
  /// Those that it is read with. The value has as many, but others where a
  /// reshape was looked through.
  SmallVector<int64_t> features;

  bool isOnEdges() const {
    return path.isIdentity() && getRows(value.getType());
  }
};

/// What the scores of a softmax are made of.
struct Score {
  ScoreKind kind = ScoreKind::Add;
  SmallVector<Read, 3> terms;
  std::optional<int64_t> summed; ///< features of the terms that it sums over
  std::optional<double> leakyRelu, scale;
  std::optional<Read> by, prior;
};

/// What becomes one op.
struct Match {
  EdgeSoftmaxOp softmax;
  Operation *sum = nullptr; ///< the aggregate or spmm
  Value message;            ///< what it sums; null for spmm
  Score score;
  std::optional<Read> value, factor;
  SmallVector<int64_t> weightFeatures; ///< as the weights meet the value
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The operand of `op` as edges read it; `op` is on edges.
static Read readOperand(Operation *op, unsigned operand) {
  Read read(op->getOperand(operand));
  if (auto path = getOperandPath(op->getOpOperand(operand)))
    read.path = *path;
  return read;
}

/// Reads a gathered or reshaped row where it comes from, with the features that
/// it is read with here.
static Read readAtSource(Read read) {
  while (Operation *op = read.value.getDefiningOp()) {
    if (isa<ReshapeOp>(op) && isa_and_nonnull<GatherOp, ReshapeOp>(
                                  op->getOperand(0).getDefiningOp())) {
      read.value = op->getOperand(0);
      continue;
    }
    auto gather = dyn_cast<GatherOp>(op);
    if (!gather)
      break;
    std::optional<RowPath> path =
        compose(read.path, gather.getRowPaths().front());
    if (!path)
      break;
    read.value = gather.getInput();
    read.path = *path;
  }
  return read;
}

/// `value` with these features a row, at no cost.
static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> features) {
  RankedTensorType type = tensorOf(value);
  if (getFeatures(type) == features)
    return value;
  return ReshapeOp::create(builder, loc, withFeatures(type, features), value);
}

/// The number that all elements of `value` are, if it is a constant.
static std::optional<double> constantOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) ||
      !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>().convertToDouble();
}

/// Whether `op` is a product of two rows on edges.
static bool isProduct(Operation *op) {
  if (auto apply = dyn_cast_if_present<ApplyOp>(op))
    return apply.getKind() == BinaryKind::Mul;
  return isa_and_nonnull<arith::MulFOp>(op);
}

static bool isSum(Operation *op) {
  if (auto apply = dyn_cast_if_present<ApplyOp>(op))
    return apply.getKind() == BinaryKind::Add;
  return isa_and_nonnull<arith::AddFOp>(op);
}

static bool isLeakyRelu(Operation *op) {
  auto activation = dyn_cast_if_present<ActivationOp>(op);
  return activation && activation.getKind() == ActivationKind::LeakyRelu;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Adds the terms that `read` is the sum of, or itself.
static void collectTerms(const Read &read, SmallVectorImpl<Read> &terms) {
  Operation *op = read.value.getDefiningOp();
  bool alone = read.isOnEdges() && read.value.hasOneUse();
  if (alone && isSum(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
        return featuresOf(operand) == read.features;
      })) {
    collectTerms(readOperand(op, 0), terms);
    collectTerms(readOperand(op, 1), terms);
    return;
  }
  terms.push_back(readAtSource(read));
}

/// The two rows whose inner product `op` is; false where it is none.
static bool readInnerProduct(Operation *op, Read &lhs, Read &rhs) {
  if (isa_and_nonnull<SddmmOp, DotOp>(op)) {
    lhs = readOperand(op, 0);
    rhs = readOperand(op, 1);
    return true;
  }
  auto reduce = dyn_cast_if_present<ReduceFeaturesOp>(op);
  if (!reduce || reduce.getKind() != ReduceKind::Sum ||
      !reduce.getInput().hasOneUse())
    return false;
  Operation *product = reduce.getInput().getDefiningOp();
  if (!isProduct(product))
    return false;
  lhs = readOperand(product, 0);
  rhs = readOperand(product, 1);
  for (Read *side : {&lhs, &rhs}) // a weight repeated for all rows
    if (auto broadcast = side->value.getDefiningOp<BroadcastOp>())
      if (!getRows(broadcast.getInput().getType()))
        *side = Read(broadcast.getInput());
  return lhs.features == rhs.features;
}

/// Describes an inner product: GATv2's where one side is a leaky relu of a sum
/// on edges, else that of two rows.
static bool matchInnerProduct(Operation *op, Score &score) {
  Read lhs, rhs;
  if (!readInnerProduct(op, lhs, rhs))
    return false;
  score.summed = lhs.features.back();
  for (auto [side, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    Operation *relu = side.value.getDefiningOp();
    if (auto reshape = dyn_cast_if_present<ReshapeOp>(relu))
      if (reshape.getInput().hasOneUse() &&
          getFeatures(reshape.getInput().getType()).size() > 0)
        relu = reshape.getInput().getDefiningOp();
    if (!side.isOnEdges() || !side.value.hasOneUse() || !isLeakyRelu(relu))
      continue;
    score.kind = ScoreKind::Add;
    score.leakyRelu = cast<ActivationOp>(relu).getAlpha()->convertToDouble();
    score.by = getRows(other.value.getType()) ? readAtSource(other) : other;
    collectTerms(Read(relu->getOperand(0)), score.terms);
    return true;
  }
  if (!getRows(lhs.value.getType()) || !getRows(rhs.value.getType())) {
    score.summed.reset();
    return false;
  }
  score.kind = ScoreKind::Dot;
  score.terms = {readAtSource(lhs), readAtSource(rhs)};
  return true;
}

/// What may be the score behind a factor: the other one is the prior.
static bool mayBeScore(const Read &read) {
  Operation *op = read.value.getDefiningOp();
  return read.isOnEdges() && read.value.hasOneUse() &&
         (isa_and_nonnull<SddmmOp, DotOp, ReduceFeaturesOp, ReshapeOp>(op) ||
          isProduct(op) || isSum(op) || isLeakyRelu(op));
}

/// Whether a scalar of these features meets scores of others, reshaped or not:
/// it has their leading dimensions, or as many elements.
static bool meets(ArrayRef<int64_t> scalar, ArrayRef<int64_t> scores) {
  bool leads = scores.take_front(scalar.size()) == scalar;
  return leads || ShapedType::getNumElements(scalar) ==
                      ShapedType::getNumElements(scores);
}

/// Takes the factor that `op` multiplies a score with, and gives the score;
/// null where it is no such product. Scores have the features `scores` where
/// they are weights.
static Value takeFactor(Operation *op, ArrayRef<int64_t> scores, Score &score) {
  if (auto quotient = dyn_cast_if_present<arith::DivFOp>(op)) {
    std::optional<double> divisor = constantOf(quotient.getRhs());
    if (divisor && *divisor != 0)
      score.scale = score.scale.value_or(1) / *divisor;
    return divisor && *divisor != 0 ? quotient.getLhs() : Value();
  }
  if (!isProduct(op))
    return {};
  Read sides[] = {readOperand(op, 0), readOperand(op, 1)};
  for (auto [i, side] : llvm::enumerate(sides))
    if (auto number = constantOf(side.value);
        number && sides[1 - i].isOnEdges()) {
      score.scale = score.scale.value_or(1) * *number;
      return sides[1 - i].value;
    }
  for (auto [i, side] : llvm::enumerate(sides)) {
    Read other = sides[1 - i];
    if (score.prior || !mayBeScore(side) ||
        side.features != featuresOf(op->getResult(0)) ||
        !meets(other.features, scores))
      continue;
    score.prior = readAtSource(other);
    return side.value;
  }
  return {};
}

/// Describes the scores of `softmax`, as far back as only it reads them. As
/// weights they have the features `scores`.
static Score describeScore(EdgeSoftmaxOp softmax, ArrayRef<int64_t> scores) {
  Score score;
  Value current = softmax.getInput();
  while (current.hasOneUse()) {
    Operation *op = current.getDefiningOp();
    if (auto reshape = dyn_cast_if_present<ReshapeOp>(op)) {
      current = reshape.getInput();
      continue;
    }
    Value next = takeFactor(op, scores, score);
    if (!next)
      break;
    current = next;
  }
  Operation *op = current.hasOneUse() ? current.getDefiningOp() : nullptr;
  if (matchInnerProduct(op, score))
    return score;
  if (isLeakyRelu(op)) {
    score.leakyRelu = cast<ActivationOp>(op).getAlpha()->convertToDouble();
    current = op->getOperand(0);
  }
  collectTerms(Read(current), score.terms);
  return score;
}

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
static void collectFactors(const Read &read, SmallVectorImpl<Read> &factors) {
  Operation *op = read.value.getDefiningOp();
  bool alone = read.isOnEdges() && read.value.hasOneUse();
  if (alone && isProduct(op)) {
    collectFactors(readOperand(op, 0), factors);
    collectFactors(readOperand(op, 1), factors);
  } else if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op);
             broadcast && getRows(broadcast.getInput().getType())) {
    collectFactors({broadcast.getInput(), read.path}, factors);
  } else {
    factors.push_back(read);
  }
}

/// Whether `read` are the weights of `softmax`, reshaped or not.
static bool isWeights(Read read, EdgeSoftmaxOp softmax) {
  while (auto reshape = read.value.getDefiningOp<ReshapeOp>())
    read.value = reshape.getInput();
  return read.value == softmax.getResult();
}

/// Takes the message apart. Returns why it is no product of weights, a row of
/// features and at most one scalar; empty where it is.
static std::string describeMessage(Match &match) {
  SmallVector<Read> factors;
  SmallVector<int64_t> features;
  if (auto spmm = dyn_cast<SpmmOp>(match.sum)) {
    SmallVector<RowPath> paths = spmm.getRowPaths();
    collectFactors({spmm.getLhs(), paths[0]}, factors);
    collectFactors({spmm.getRhs(), paths[1]}, factors);
    features = featuresOf(spmm.getResult());
  } else {
    Value message = match.message;
    while (auto reshape = message.getDefiningOp<ReshapeOp>())
      message = reshape.getInput();
    features = featuresOf(message);
    collectFactors(Read(message), factors);
  }
  auto weights = llvm::find_if(
      factors, [&](Read read) { return isWeights(read, match.softmax); });
  if (weights == factors.end())
    return "its messages are reshaped between products";
  match.weightFeatures = weights->features;
  factors.erase(weights);
  for (const Read &factor : factors) {
    bool isScalar =
        ArrayRef(match.weightFeatures).take_front(factor.features.size()) ==
        ArrayRef(factor.features);
    if (factor.features == features && !match.value)
      match.value = readAtSource(factor);
    else if (isScalar && !match.factor)
      match.factor = readAtSource(factor);
    else
      return "its messages are products of more than a row and a scalar";
  }
  ArrayRef<int64_t> weighed(features);
  if (!match.value || weighed.take_front(match.weightFeatures.size()) !=
                          ArrayRef(match.weightFeatures))
    return "its weights have more features than what they weigh";
  return "";
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
  if (std::string why = describeMessage(match); !why.empty())
    return why;
  match.score = describeScore(softmax, match.weightFeatures);
  return "";
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

static std::optional<EndPointAttr> endOf(OpBuilder &builder,
                                         const std::optional<Read> &read) {
  if (!read || !getRows(read->value.getType()) || !read->path.via)
    return std::nullopt;
  return EndPointAttr::get(builder.getContext(), *read->path.via);
}

/// Builds the op, and what is to replace the sum.
static std::pair<AttentionOp, Value> build(OpBuilder &builder, Match &match) {
  Location loc =
      builder.getFusedLoc({match.softmax.getLoc(), match.sum->getLoc()});
  const Score &score = match.score;
  ArrayRef<int64_t> scores(match.weightFeatures);
  // The features of a term: those of the scores, and what they sum over.
  auto withSummed = [&](const Read &read) {
    SmallVector<int64_t> features(scores);
    if (score.summed)
      features.push_back(*score.summed);
    return reshaped(builder, loc, read.value, features);
  };
  SmallVector<Value> terms;
  SmallVector<Attribute> vias;
  for (const Read &term : score.terms) {
    terms.push_back(withSummed(term));
    auto end = endOf(builder, term);
    vias.push_back(end ? Attribute(*end) : builder.getUnitAttr());
  }
  auto scalar = [&](const std::optional<Read> &read) -> Value {
    if (!read)
      return {};
    auto leading = scores.take_front(read->features.size());
    return reshaped(builder, loc, read->value,
                    leading == ArrayRef(read->features) ? leading : scores);
  };
  Value message = match.message;
  while (message && message.getDefiningOp<ReshapeOp>())
    message = message.getDefiningOp<ReshapeOp>().getInput();
  Type sumType = match.sum->getResult(0).getType();
  auto sum = cast<RankedTensorType>(sumType);
  auto resultType = message ? withFeatures(sum, featuresOf(message)) : sum;
  Value value =
      reshaped(builder, loc, match.value->value, getFeatures(resultType));
  auto number = [&](std::optional<double> number) {
    return number ? builder.getF64FloatAttr(*number) : FloatAttr();
  };
  auto attention = AttentionOp::create(
      builder, loc, resultType, score.kind, terms, builder.getArrayAttr(vias),
      number(score.leakyRelu), score.by ? withSummed(*score.by) : Value(),
      endOf(builder, score.by).value_or(nullptr), number(score.scale),
      scalar(score.prior), endOf(builder, score.prior).value_or(nullptr), value,
      endOf(builder, match.value).value_or(nullptr), scalar(match.factor),
      endOf(builder, match.factor).value_or(nullptr), match.softmax.getOver(),
      /*stored=*/false);
  return {attention, reshaped(builder, loc, attention, getFeatures(sum))};
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
    op.setStored(op.mustStore() || again > 2 * scores);
    numbers = llvm::formatv("elements an edge: {0} to compute them again, {1} "
                            "to store and read them",
                            int64_t(again), int64_t(2 * scores));
    if (op.mustStore())
      numbers = "rows with other features than the terms are weighed";
    return false;
  }
  AttentionSeconds seconds = weighAttention(op, model, stats);
  op.setStored(seconds.stored < seconds.computed);
  numbers = llvm::formatv("{0:F1} us to store and read them, {1:F1} us apart",
                          seconds.stored * 1e6, seconds.apart * 1e6);
  if (!op.mustStore())
    numbers = llvm::formatv("{0:F1} us to compute them twice, ",
                            seconds.computed * 1e6)
                  .str() +
              numbers;
  return !model.isBetter(seconds.apart,
                         std::min(seconds.stored, seconds.computed));
}

namespace {
struct FuseAttention : gnn::impl::FuseAttentionBase<FuseAttention> {
  using FuseAttentionBase::FuseAttentionBase;

  LogicalResult initialize(MLIRContext *) override {
    model.emplace(target.getValue(), cost.getValue());
    return success();
  }

  void runOnOperation() override {
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
  remark::RemarkOpts named(StringRef name) {
    return remark::RemarkOpts::name(name).category(getArgument());
  }
};
} // namespace

void FuseAttention::fuse(EdgeSoftmaxOp softmax, const CostModel &model) {
  Match match;
  if (std::string why = describeAttention(softmax, match); !why.empty()) {
    remark::missed(softmax.getLoc(), named("NotFused")) << why;
    return;
  }
  OpBuilder builder(match.sum);
  Operation *before = match.sum->getPrevNode();
  auto [attention, result] = build(builder, match);
  std::string numbers;
  if (chooseForm(attention, model, numbers)) {
    remark::missed(softmax.getLoc(), named("NotFused"))
        << llvm::formatv("one attention is not {0:P0} faster: {1}",
                         CostModel::margin, numbers)
               .str();
    while (match.sum->getPrevNode() != before)
      match.sum->getPrevNode()->erase();
    return;
  }
  match.sum->getResult(0).replaceAllUsesWith(result);
  StringRef choice = attention.getStored() ? "stored" : "computed twice";
  remark::passed(attention.getLoc(), named("Fused"))
      << llvm::formatv(
             "one attention: no {0} features an edge, scores are {1}; {2}",
             getNumFeatures(attention.getType()), choice, numbers)
             .str();
}
