//===- Softmax.cpp - Softmax that is written out --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hector's listing computes exp, the sum over a node's edges and the quotient;
// some subtract the maximum first.
//
//===----------------------------------------------------------------------===//

#include "Lifting.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;

/// Rows that another row space's are repeated for, and the path.
namespace {
struct Reached {
  Value rows;
  RowPath path;
};
} // namespace

/// The tensor from which the operand of an elementwise op is read, along a
/// path.
static std::optional<Reached> behindGather(Value value) {
  auto gather = value.getDefiningOp<GatherOp>();
  if (!gather)
    return std::nullopt;
  return Reached{gather.getInput(), gather.getRowPaths().front()};
}

/// The operands of `x op y[p]` where `op` is of this kind: x, and what y is.
template <typename OpT>
static std::optional<std::pair<Value, Reached>> matchBinary(Operation *op,
                                                            BinaryKind kind) {
  if (auto plain = dyn_cast_or_null<OpT>(op)) {
    std::optional<Reached> rhs = behindGather(plain.getRhs());
    if (!rhs)
      return std::nullopt;
    return std::pair(plain.getLhs(), *rhs);
  }
  auto apply = dyn_cast_or_null<ApplyOp>(op);
  if (!apply || apply.getKind() != kind ||
      apply.getLhs().getType() != apply.getType() ||
      getFeatures(apply.getRhs().getType()) != getFeatures(apply.getType()))
    return std::nullopt;
  RowPath path = apply.getRowPaths()[1];
  if (path.isIdentity()) {
    std::optional<Reached> rhs = behindGather(apply.getRhs());
    if (!rhs)
      return std::nullopt;
    return std::pair(Value(apply.getLhs()), *rhs);
  }
  return std::pair(Value(apply.getLhs()), Reached{apply.getRhs(), path});
}

/// The operand of exp.
static Value matchExp(Value value) {
  if (auto op = value.getDefiningOp<math::ExpOp>())
    return op.getOperand();
  auto op = value.getDefiningOp<ActivationOp>();
  return op && op.getKind() == ActivationKind::Exp ? Value(op.getInput())
                                                   : Value();
}

/// Whether `reached` is the reduction of `value` along the path it is read by.
static bool isReductionOf(const Reached &reached, Value value,
                          ReduceKind kind) {
  auto aggregate = reached.rows.getDefiningOp<AggregateOp>();
  if (!aggregate || aggregate.getKind() != kind ||
      aggregate.getInput() != value || reached.rows != aggregate.getResult())
    return false;
  RowPath up = aggregate.getRowPaths().front();
  return up.from == reached.path.from && up.to == reached.path.to &&
         up.via == reached.path.via;
}

/// The space by which gnn.edge_softmax names the groups that a path leads to.
static std::optional<RowSpace> groupOf(RowPath path) {
  if (path.from == RowSpace::Edge && isPairSpace(path.to))
    return path.to;
  bool ofRows = path.from == RowSpace::Edge || isPairSpace(path.from);
  std::optional<EndPoint> end = path.getEnd();
  if (!isNodeSpace(path.to) || !ofRows || !end)
    return std::nullopt;
  return *end == EndPoint::Src ? RowSpace::Src : RowSpace::Dst;
}

void gnn::loops::raiseSoftmax(Operation *root,
                              function_ref<void(EdgeSoftmaxOp)> report) {
  root->walk([&](Operation *op) {
    auto quotient = matchBinary<arith::DivFOp>(op, BinaryKind::Div);
    if (!quotient)
      return;
    auto [power, total] = *quotient;
    Value score = matchExp(power);
    std::optional<RowSpace> over = groupOf(total.path);
    if (!score || !over || !isReductionOf(total, power, ReduceKind::Sum))
      return;
    // A term subtracted from all scores of a group makes no difference.
    auto shifted =
        matchBinary<arith::SubFOp>(score.getDefiningOp(), BinaryKind::Sub);
    if (shifted &&
        isReductionOf(shifted->second, shifted->first, ReduceKind::Max) &&
        groupOf(shifted->second.path) == over)
      score = shifted->first;
    OpBuilder builder(op);
    auto softmax = EdgeSoftmaxOp::create(builder, op->getLoc(), score.getType(),
                                         score, *over);
    op->getResult(0).replaceAllUsesWith(softmax);
    report(softmax);
  });
}
