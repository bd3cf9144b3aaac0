//===- Comparisons.cpp - Savings of rewrites ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Comparisons.h"

using namespace mlir;
using namespace gnn;

/// Bytes of a row id, or of a number of f32.
static constexpr double idBytes = 4, numberBytes = 4;

static RankedTensorType resultOf(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

static double waitOf(IdWait wait) {
  switch (wait) {
  case IdWait::None:
    return 0;
  case IdWait::Sum:
    return KernelConstants::sumWait;
  case IdWait::Score:
    return KernelConstants::scoreWait;
  }
  llvm_unreachable("all waits are handled");
}

Comparison gnn::compareRows(const CostModel &model, Operation *op,
                            Operation *moved, RowPath path, IdWait wait,
                            StatsAttr stats) {
  std::vector<KernelWork> before = describeGathering(op, stats);
  std::vector<KernelWork> after = describeGathering(moved, stats);
  if (!model.isTime())
    return {model.cost(before), model.cost(after)};
  // Who reads the result now goes by an id to a row that others read too.
  RankedTensorType result = resultOf(op);
  double rows = RowCount::rows(result).evaluate(stats);
  double rowBytes = rows ? RowCount::bytes(result).evaluate(stats) / rows : 0;
  before.back().streamBytes += rows * rowBytes;
  after.back().streamBytes += rows * idBytes;
  after.back().gathers.push_back(
      {rows, rowBytes, RowCount::rows(resultOf(moved)).evaluate(stats)});
  Comparison costs{model.cost(before), model.cost(after)};
  // A kernel of its own gathers the rows that a function returns.
  if (llvm::any_of(op->getResult(0).getUsers(), [](Operation *user) {
        return user->hasTrait<OpTrait::ReturnLike>();
      }))
    costs.after += model.getLaunch();
  // A walk along a long row waits for ids first.
  if (isPairSpace(path.to) && path.from == RowSpace::Edge)
    costs.after +=
        model.countSerialElements(stats.getLongestRow(EndPoint::Dst)) *
        model.getFigures().edgeSeconds * waitOf(wait);
  return costs;
}

Comparison gnn::compareJoin(const CostModel &model, Operation *outer,
                            Operation *inner, RowPath path, StatsAttr stats) {
  std::vector<KernelWork> first = describeGathering(inner, stats);
  std::vector<KernelWork> second = describeKernels(outer, stats);
  KernelWork one = first.back();
  auto rowsOf = [&](Value value) {
    return RowCount::rows(cast<RankedTensorType>(value.getType()))
        .evaluate(stats);
  };
  double groups = rowsOf(inner->getResult(0));
  one.streamBytes += RowCount::bytes(resultOf(outer)).evaluate(stats) -
                     RowCount::bytes(resultOf(inner)).evaluate(stats) +
                     (idBytes + numberBytes) * groups;
  one.gathers.push_back({rowsOf(inner->getOperand(0)), numberBytes, groups});
  one.reducedRows = second.back().reducedRows;
  double longest = isNodeSpace(path.to) && path.getEnd()
                       ? stats.getLongestRow(*path.getEnd())
                       : 0;
  one.lengths = {one.reducedRows, rowsOf(inner->getOperand(0)), longest};
  one.longestRow = longest * CostModel::steps(inner->getNumOperands() + 1);
  return {model.cost(first) + model.cost(second), model.cost(one)};
}

Comparison gnn::compareScale(const CostModel &model, RowSpace summed,
                             RankedTensorType factor, RankedTensorType body,
                             StatsAttr stats) {
  KernelWork gathers, walk;
  gathers.gathers.push_back({RowCount::rows(summed).evaluate(stats),
                             numberBytes,
                             RowCount::rows(factor).evaluate(stats)});
  walk.streamBytes = 2 * RowCount::bytes(body).evaluate(stats);
  // The sum is launched anyway.
  return {model.cost(gathers) - model.getLaunch(), model.cost(walk)};
}

Comparison gnn::compareFold(const CostModel &model, Operation *norm,
                            int64_t columns, ValueRange weights,
                            StatsAttr stats) {
  // It ends the kernel before it, so only its flops count.
  KernelWork rows;
  rows.otherFlops = cast<RowCostInterface>(norm).getFlops().evaluate(stats);
  auto kernel = [&](double elements) {
    KernelWork work;
    work.otherFlops = elements;
    work.streamBytes = 2 * numberBytes * elements;
    return model.cost(work);
  };
  Comparison costs{model.cost(rows) - model.getLaunch(), 2 * kernel(columns)};
  for (Value weight : weights)
    costs.after +=
        kernel(cast<RankedTensorType>(weight.getType()).getNumElements());
  return costs;
}

Comparison gnn::compareForms(const CostModel &model, AttentionOp op,
                             AttentionForm before, AttentionForm after,
                             StatsAttr stats) {
  auto costOf = [&](AttentionForm form) {
    double sum = 0;
    for (const KernelCounts &kernel : op.getKernelsOf(form))
      sum += model.cost(describeKernel(kernel, stats, model.getFigures()));
    return sum;
  };
  return {costOf(before), costOf(after)};
}
