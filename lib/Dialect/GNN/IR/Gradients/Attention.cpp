//===- Attention.cpp - The gradient of an attention -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With the highest score and the sum of powers of each group, the softmax `a`
// of an edge follows from its score, and the sum over a group of
// `a * factor * <g, value>` is `<g, result>`, added up from the rows of the
// result. So nothing is walked but once for each gradient (FlashAttention, for
// graphs). It is added up from numbers of edges instead where whoever asks for
// the gradient wants the result not to be kept. The gradient of the score goes
// back through the ops that the body is of.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Builds the gradients of one attention.
class AttentionGradient {
public:
  AttentionGradient(AttentionOp op, OpBuilder &builder, Value gradient)
      : op(op), b(builder, op.getLoc()), gradient(gradient),
        edges(withRowSpace(op.getType(), RowSpace::Edge)) {}

  LogicalResult build(const llvm::BitVector &asked,
                      MutableArrayRef<Value> ofOperands);

private:
  PathRead at(Value value, RowPath path) {
    return {value, path.isAmbiguous() ? path.via : std::nullopt};
  }
  RankedTensorType edgesWith(ArrayRef<int64_t> features) {
    return withFeatures(edges, features);
  }
  /// The op of the body on all edges, from its operands there.
  Operation *expand(Operation &inner, IRMapping &values);
  /// Where the read of an input comes from. A gather around the attention
  /// stays: its result is the input.
  PathRead readThrough(Value read);
  bool isDottedWeight(Value argument);
  /// The score of each edge, by ops that are remembered.
  Value emitScore();
  Value emitSoftmax(Value score);
  /// `sum_f g * value` for each edge and score.
  Value emitProducts();
  /// The gradient of the score.
  Value ofScore(Value softmax, Value products);
  /// Hands the gradient of the score through the body to the inputs.
  LogicalResult throughScore(Value score, Value ofScore,
                             const llvm::BitVector &asked,
                             MutableArrayRef<Value> ofOperands);
  /// Whether the score depends on an input by floating point numbers.
  bool isInScore(unsigned input);

  AttentionOp op;
  GradientBuilder b;
  Value gradient;
  RankedTensorType edges;
  /// The inputs as all edges read them, and the ops between them and the score.
  SmallVector<Value> reads;
  SmallVector<Operation *> ops;
};
} // namespace

PathRead AttentionGradient::readThrough(Value read) {
  if (llvm::is_contained(ops, read.getDefiningOp()))
    return b.readThrough(read);
  return {read};
}

Operation *AttentionGradient::expand(Operation &inner, IRMapping &values) {
  Location loc = inner.getLoc();
  auto shape = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  RankedTensorType type = withFeatures(
      edges, shape(inner.getResult(0)),
      cast<RankedTensorType>(inner.getResult(0).getType()).getElementType());
  auto get = [&](unsigned i) { return values.lookup(inner.getOperand(i)); };
  if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
    auto scalar = cast<SplatElementsAttr>(constant.getValue());
    auto point = RankedTensorType::get({}, type.getElementType());
    Value number = arith::ConstantOp::create(
        b.builder, loc,
        DenseElementsAttr::get(point, scalar.getSplatValue<Attribute>()));
    return BroadcastOp::create(b.builder, loc, type, number);
  }
  if (auto dot = dyn_cast<RowDotOp>(inner)) {
    Value lhs = get(0), rhs = get(1);
    if (!getRows(lhs.getType()))
      std::swap(lhs, rhs);
    // Rows of two spaces meet without being copied to edges.
    PathRead left = readThrough(lhs), right = readThrough(rhs);
    if (getRows(rhs.getType()) && (left.value != lhs || right.value != rhs)) {
      return b.sddmm(type, left, right).getDefiningOp();
    }
    return DotOp::create(b.builder, loc, type, lhs, rhs);
  }
  if (auto activation = dyn_cast<RowActivationOp>(inner))
    return ActivationOp::create(b.builder, loc, type, activation.getKind(),
                                get(0), Value(), activation.getAlphaAttr());
  if (isa<RowBroadcastOp>(inner))
    return BroadcastOp::create(b.builder, loc, type, get(0));
  Operation *made = b.builder.clone(inner, values);
  made->getResult(0).setType(type);
  return made;
}

/// Whether all that is done with a weight are inner products with rows.
bool AttentionGradient::isDottedWeight(Value argument) {
  return llvm::all_of(argument.getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<RowDotOp>(user);
    if (!dot)
      return false;
    Value other = dot.getLhs() == argument ? dot.getRhs() : dot.getLhs();
    auto input = dyn_cast<BlockArgument>(other);
    return !input || op.getInputPath(input.getArgNumber());
  });
}

Value AttentionGradient::emitScore() {
  IRMapping values;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    std::optional<RowPath> path = op.getInputPath(i);
    // A weight stays one where it is one side of inner products alone.
    Value read = path ? b.readAlong(input, edges, *path)
                 : isDottedWeight(op.getBody().getArgument(i))
                     ? input
                     : b.broadcast(input, edgesWith(type.getShape()));
    reads.push_back(read);
    values.map(op.getBody().getArgument(i), read);
    if (Operation *made = read.getDefiningOp(); made && read != input)
      ops.push_back(made);
  }
  for (Operation &inner : op.getBody().front().without_terminator()) {
    Operation *made = expand(inner, values);
    ops.push_back(made);
    values.map(inner.getResult(0), made->getResult(0));
  }
  return values.lookup(op.getScore());
}

Value AttentionGradient::emitSoftmax(Value score) {
  RowPath groups = op.getGroupPath();
  auto type = cast<RankedTensorType>(score.getType());
  // exp(score - highest) / sum, with one number of the group instead of two.
  Value total = b.add(op.getStatistics()[0], b.log(op.getStatistics()[1]));
  return b.exp(b.apply(BinaryKind::Sub, type, {score}, at(total, groups)),
               arith::FastMathFlags::afn);
}

Value AttentionGradient::emitProducts() {
  PathRead ofResult = at(gradient, op.getResultPath());
  PathRead value = at(op.getValue(), op.getValuePath());
  ArrayRef<int64_t> scores = op.getScoreFeatures();
  if (getFeatures(op.getType()) == scores)
    return b.apply(BinaryKind::Mul, edges, ofResult, value);
  return b.sumFeatures(b.sddmm(edges, ofResult, value), scores);
}

Value AttentionGradient::ofScore(Value softmax, Value products) {
  auto type = cast<RankedTensorType>(softmax.getType());
  if (op.getFactor())
    products = b.apply(BinaryKind::Mul, type, {products},
                       at(op.getFactor(), *op.getFactorPath()));
  // The sum over the group of softmax * factor * <g, value>.
  RowPath result = op.getResultPath(), groups = op.getGroupPath();
  RowPath up = {result.to, groups.to, std::nullopt};
  if (up.isAmbiguous())
    up.via = groups.getEnd();
  Value sum;
  if (up.exists() && !op->hasAttr(sumOverEdges)) {
    Value product = b.mul(gradient, op.getResult());
    if (Attribute number = op->getAttr(attentionNumber))
      product.getDefiningOp()->setAttr(attentionNumber, number);
    sum = b.sumAlong(b.sumFeatures(product, op.getScoreFeatures()), up,
                     op.getStatisticsType());
  } else { // Or a row of the result is of several groups.
    sum = b.sumAlong(b.mul(softmax, products), groups, op.getStatisticsType());
  }
  return b.mul(softmax,
               b.apply(BinaryKind::Sub, type, {products}, at(sum, groups)));
}

bool AttentionGradient::isInScore(unsigned input) {
  Block &body = op.getBody().front();
  SmallVector<Operation *> inner;
  for (Operation &made : body.without_terminator())
    inner.push_back(&made);
  return findVarying(inner, body.getArgument(input)).contains(op.getScore());
}

LogicalResult
AttentionGradient::throughScore(Value score, Value ofScore,
                                const llvm::BitVector &asked,
                                MutableArrayRef<Value> ofOperands) {
  SmallVector<Value> roots;
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    if (asked[i])
      roots.push_back(op.getInputs()[i]);
  Varying varying = findVarying(ops, roots);
  Gradients gradients(b.builder);
  gradients.add(score, ofScore);
  if (failed(differentiate(b.builder, ops, varying, gradients)))
    return failure();
  // An input that is there twice has one gradient.
  llvm::DenseSet<Value> given;
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    if (Value input = op.getInputs()[i];
        asked[i] && given.insert(input).second) {
      ofOperands[i] = gradients.get(input);
      // The operand is a condition, or is not read at all.
      if (!ofOperands[i] && !isInScore(i))
        ofOperands[i] = b.splat(input.getType(), 0);
    }
  return success();
}

LogicalResult AttentionGradient::build(const llvm::BitVector &asked,
                                       MutableArrayRef<Value> ofOperands) {
  unsigned value = op.getInputs().size(), factor = value + 1;
  bool ofInputs = false;
  for (unsigned i = 0; i < value; ++i)
    ofInputs |= asked[i];
  Value score = emitScore();
  Value softmax = emitSoftmax(score), products;
  RowPath ofResult = op.getResultPath();
  if (ofInputs || (op.getFactor() && asked[factor]))
    products = emitProducts();
  if (op.getFactor() && asked[factor]) {
    auto type = cast<RankedTensorType>(op.getFactor().getType());
    Value parts = b.sumFeatures(b.mul(softmax, products), getFeatures(type));
    ofOperands[factor] = b.sumAlong(parts, *op.getFactorPath(), type);
  }
  if (asked[value]) {
    Value weight = softmax;
    if (op.getFactor())
      weight = b.apply(BinaryKind::Mul, cast<RankedTensorType>(score.getType()),
                       {softmax}, at(op.getFactor(), *op.getFactorPath()));
    Value parts =
        b.apply(BinaryKind::Mul, edges, {weight}, at(gradient, ofResult));
    ofOperands[value] =
        b.sumAlong(parts, op.getValuePath(),
                   cast<RankedTensorType>(op.getValue().getType()));
  }
  if (!ofInputs)
    return success();
  return throughScore(score, ofScore(softmax, products), asked, ofOperands);
}

Operation *AttentionOp::getWithGradientNeeds(OpBuilder &builder) {
  if (!getStatistics().empty())
    return *this;
  RankedTensorType statistics = getStatisticsType();
  // Without nodes among its operands the op does not know of which kind they
  // are.
  if (isNodeSpace(*getRowSpace(statistics)) &&
      isOnSquareGraph(*this, statistics))
    statistics = withRowSpace(statistics, RowSpace::Node);
  OperationState state(getLoc(), getOperationName(), getOperands(),
                       TypeRange{getType(), statistics, statistics},
                       (*this)->getAttrs());
  IRMapping mapping;
  getBody().cloneInto(state.addRegion(), mapping);
  return builder.create(state);
}

/// Only the gradient of the result is known. The statistics are results too
/// where a program asks for them, or where it is a gradient itself.
LogicalResult AttentionOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> gradients,
                                         const llvm::BitVector &asked,
                                         MutableArrayRef<Value> ofOperands) {
  if (gradients.size() > 1 && (gradients[1] || gradients[2]))
    return emitOpError("has no gradient through its statistics: expected that "
                       "only its first result has a gradient, got one of the "
                       "highest score or of the sum of powers of a group");
  return AttentionGradient(*this, builder, gradients[0])
      .build(asked, ofOperands);
}
