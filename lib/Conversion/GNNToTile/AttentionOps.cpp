//===- AttentionOps.cpp - Attention as one to three traversals ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where scores are computed anew in each walk, attention over the rows that it
// is summed to is one traversal of two walks: the maximum, then powers, their
// sum and the weighted sum. Stored scores are made by a traversal of their own,
// with the maxima. Where groups and result differ, such as a softmax over
// destinations that is summed to their pairs, each group's maximum and sum of
// powers are stored and read back.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;
using tile::Dim;

/// The score of an edge, from the values of the inputs in a domain with `dims`
/// feature dimensions.
static Value emitScore(OpBuilder &b, AttentionOp op, ValueRange args,
                       size_t dims) {
  IRMapping scalars;
  scalars.map(op.getBody().getArguments(), args);
  for (Operation &inner : op.getBody().front().without_terminator()) {
    auto operands =
        llvm::map_to_vector(inner.getOperands(), [&](Value operand) {
          return scalars.lookup(operand);
        });
    scalars.map(inner.getResult(0), emitOnOneRow(b, &inner, operands, dims));
  }
  return scalars.lookup(op.getScore());
}

/// exp(score - highest)
static Value emitPower(OpBuilder &b, Location loc, Value score, Value highest) {
  Value shifted = arith::SubFOp::create(b, loc, score, highest);
  return math::ExpOp::create(b, loc, shifted, arith::FastMathFlags::afn);
}

/// A sum of powers to divide by. The highest score's power is 1, so a sum is
/// less only where there is nothing to sum, and there 0 / 1 is the result.
static Value emitDivisor(OpBuilder &b, Location loc, Value sum) {
  Value one =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(sum.getType(), 1.0));
  return arith::MaximumFOp::create(b, loc, sum, one);
}

static Value emitElementSum(OpBuilder &b, Location loc, Value value) {
  return emitReduce(b, loc, tile::Reduction::Sum, Dim::Element, value);
}

//===----------------------------------------------------------------------===//
// The traversals of an attention
//===----------------------------------------------------------------------===//

namespace {
/// Lowers one attention.
class AttentionLowering {
public:
  AttentionLowering(Lowering &lowering, AttentionOp op);
  LogicalResult run();

private:
  /// Rows in the order of a domain with the features of the scores.
  LoweredRows rowsOf(tile::RowDomain domain);
  /// An access to values with those, where a domain has `dims` dimensions.
  AtAttr scoreAt(Anchor anchor, size_t dims) {
    return lowering.leadingAt(anchor, scores.size(), dims);
  }
  tile::DomainAttr termDomain() {
    return lowering.domainOf(groups, groupElements, terms);
  }
  SmallVector<Input> termInputs() {
    return scoreInputs(groupElements, terms.size());
  }
  /// The inputs from which the score of an edge follows, at elements `from`.
  SmallVector<Input> scoreInputs(tile::RowDomain from, size_t dims);
  /// Scores and their maxima.
  void storeScores();
  /// The sums of powers of stored scores.
  void sumStored();
  /// Maxima and sums of powers of scores that are computed on the way.
  void sumComputed();
  /// Value, factor, what is known of the groups, and scores or what they are
  /// computed from.
  SmallVector<Input> sumInputs();
  /// The term of an edge in the weighted sum, and at its end the quotient, from
  /// the values of these inputs; behind it the statistics of the group that are
  /// made there.
  SmallVector<Value> emitWeightedSum(OpBuilder &b, Location loc,
                                     ValueRange args);
  /// The walk of the weighted sum.
  void sumWeighted();

  Lowering &lowering;
  AttentionOp op;
  Location loc;
  Type element;
  FlatSymbolRefAttr graph;
  EndPoint end;
  LoweredRows result, value;
  /// Features of the score's body, the scores, and the walk of the weighted
  /// sum.
  SmallVector<int64_t> terms, scores, dims;
  /// The groups of the softmax and of the result, with their edges.
  tile::RowDomain groups, groupElements, elements;
  /// Whether scores are kept, and whether groups and result differ.
  bool stored, split;
  LoweredRows score, highest, sum; ///< of edges and of groups, where stored
};
} // namespace

AttentionLowering::AttentionLowering(Lowering &lowering, AttentionOp op)
    : lowering(lowering), op(op), loc(op.getLoc()),
      element(op.getType().getElementType()),
      graph(getRows(op.getType()).getGraph()),
      end(*op.getResultPath().getEnd()),
      result(lowering.describe(op.getType(), end)),
      value(lowering.view(op.getValue())), terms(op.getBodyFeatures()),
      scores(op.getScoreFeatures()), groups(keptRows(op.getOver(), {})),
      stored(op.storesScores()), split(groups != result.getDomain()) {
  groupElements = lowering.elementsOf(groups, RowSpace::Edge);
  elements = lowering.elementsOf(result.getDomain(), RowSpace::Edge);
  dims = llvm::to_vector(op.getSumFeatures(stored));
}

LoweredRows AttentionLowering::rowsOf(tile::RowDomain domain) {
  LoweredRows rows;
  rows.space = domain.getNatural();
  rows.graph = graph;
  rows.features = scores;
  rows.tensor = lowering.empty(loc, rows, element, domain);
  return rows;
}

SmallVector<Input> AttentionLowering::scoreInputs(tile::RowDomain from,
                                                  size_t dims) {
  SmallVector<Input> inputs;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    std::optional<RowPath> path = op.getInputPath(i);
    inputs.push_back(
        path
            ? lowering.leading(lowering.view(input), Anchor::Element, from,
                               path->via, dims)
            : lowering.leading(lowering.get(input), Anchor::All, {}, {}, dims));
  }
  return inputs;
}

void AttentionLowering::storeScores() {
  score = rowsOf(groupElements);
  highest = rowsOf(groups);
  Value outputs[] = {score.tensor, highest.tensor};
  ResultRange results = lowering.traverse(
      loc, graph, termDomain(), termInputs(), outputs,
      {scoreAt(Anchor::Element, terms.size()),
       scoreAt(Anchor::Group, terms.size())},
      [&](OpBuilder &b, Location loc, ValueRange args) -> SmallVector<Value> {
        Value score = emitScore(b, op, args, terms.size());
        return {score,
                emitReduce(b, loc, tile::Reduction::Max, Dim::Element, score)};
      });
  score.tensor = results[0];
  highest.tensor = results[1];
}

void AttentionLowering::sumStored() {
  sum = rowsOf(groups);
  size_t own = scores.size();
  sum.tensor = lowering.traverse(
      loc, graph, lowering.domainOf(groups, groupElements, scores),
      {lowering.leading(score, Anchor::Element, groupElements, {}, own),
       lowering.leading(highest, Anchor::Group, groups, {}, own)},
      sum.tensor, scoreAt(Anchor::Group, own),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitElementSum(b, loc, emitPower(b, loc, args[0], args[1]));
      });
}

void AttentionLowering::sumComputed() {
  highest = rowsOf(groups);
  sum = rowsOf(groups);
  Value outputs[] = {highest.tensor, sum.tensor};
  AtAttr at = scoreAt(Anchor::Group, terms.size());
  ResultRange results = lowering.traverse(
      loc, graph, termDomain(), termInputs(), outputs, {at, at},
      [&](OpBuilder &b, Location loc, ValueRange args) -> SmallVector<Value> {
        Value score = emitScore(b, op, args, terms.size());
        Value highest =
            emitReduce(b, loc, tile::Reduction::Max, Dim::Element, score);
        return {highest,
                emitElementSum(b, loc, emitPower(b, loc, score, highest))};
      });
  highest.tensor = results[0];
  sum.tensor = results[1];
}

SmallVector<Input> AttentionLowering::sumInputs() {
  SmallVector<Input> inputs;
  auto add = [&](const LoweredRows &rows, std::optional<EndPoint> via) {
    inputs.push_back(
        lowering.leading(rows, Anchor::Element, elements, via, dims.size()));
  };
  add(value, op.getValueVia());
  if (op.getFactor())
    add(lowering.view(op.getFactor()), op.getFactorVia());
  if (stored || split)
    add(highest, end);
  if (split)
    add(sum, end);
  if (stored)
    add(score, {});
  else
    llvm::append_range(inputs, scoreInputs(elements, dims.size()));
  return inputs;
}

SmallVector<Value> AttentionLowering::emitWeightedSum(OpBuilder &b,
                                                      Location loc,
                                                      ValueRange args) {
  auto take = [&](bool present) {
    Value first = present ? args.front() : Value();
    args = args.drop_front(present);
    return first;
  };
  Value value = take(true), factor = take(!!op.getFactor());
  Value highest = take(stored || split), sum = take(split);
  Value score = stored ? take(true) : emitScore(b, op, args, dims.size());
  SmallVector<Value> made;
  if (!highest)
    made.push_back(highest = emitReduce(b, loc, tile::Reduction::Max,
                                        Dim::Element, score));
  Value weight = emitPower(b, loc, score, highest);
  if (!split)
    made.push_back(sum = emitElementSum(b, loc, weight));
  Value divisor = emitDivisor(b, loc, sum);
  if (split)
    weight = arith::DivFOp::create(b, loc, weight, divisor,
                                   arith::FastMathFlags::arcp);
  if (factor)
    weight = arith::MulFOp::create(b, loc, weight, factor);
  Value total =
      emitElementSum(b, loc, arith::MulFOp::create(b, loc, weight, value));
  if (!split)
    total = arith::DivFOp::create(b, loc, total, divisor,
                                  arith::FastMathFlags::arcp);
  SmallVector<Value> yielded = {total};
  if (!op.getStatistics().empty())
    llvm::append_range(yielded, made);
  return yielded;
}

void AttentionLowering::sumWeighted() {
  SmallVector<Value> outputs = {lowering.empty(loc, result, element)};
  SmallVector<Attribute> outputsAt = {
      lowering.leadingAt(Anchor::Group, value.features.size(), dims.size())};
  SmallVector<LoweredRows *> made = {&result};
  if (!op.getStatistics().empty())
    for (LoweredRows *rows : {&highest, &sum})
      if (!rows->tensor) {
        *rows = rowsOf(groups);
        outputs.push_back(rows->tensor);
        outputsAt.push_back(scoreAt(Anchor::Group, dims.size()));
        made.push_back(rows);
      }
  ResultRange results = lowering.traverse(
      loc, graph, lowering.domainOf(result.getDomain(), elements, dims),
      sumInputs(), outputs, outputsAt,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitWeightedSum(b, loc, args);
      });
  for (auto [rows, tensor] : llvm::zip_equal(made, results))
    rows->tensor = tensor;
}

LogicalResult AttentionLowering::run() {
  if (failed(checkDims(op, terms)) || failed(checkDims(op, value.features)))
    return failure();
  if (stored)
    storeScores();
  if (split && stored)
    sumStored();
  else if (split)
    sumComputed();
  sumWeighted();
  lowering.set(op.getResult(), result);
  for (auto [i, statistic] : llvm::enumerate(op.getStatistics())) {
    LoweredRows rows = lowering.describe(statistic.getType(), end);
    rows.tensor = (i == 0 ? highest : sum).tensor;
    lowering.set(statistic, rows);
  }
  return success();
}

static LogicalResult lowerAttention(AttentionOp op, Lowering &lowering) {
  return AttentionLowering(lowering, op).run();
}

void gnn::registerAttentionLowering(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerAttention>(registry);
}
