//===- TileLevels.cpp - By what a value of a body varies ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels are not stored: they follow from the accesses of the inputs.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn::tile;

Level gnn::tile::getLevel(AtAttr at) {
  return {at.getAnchor() == Anchor::Element, at.getHead(), at.getFeature()};
}

namespace {
/// Levels of the values of a body. Remembers those it has found: a value may be
/// used often, and in a body that is not yet verified even by itself.
class LevelFinder {
public:
  Level find(Value value) {
    auto [it, isNew] = levels.try_emplace(value, Level());
    if (!isNew)
      return it->second;
    Level level = compute(value);
    levels[value] = level;
    return level;
  }

private:
  Level compute(Value value);

  llvm::DenseMap<Value, Level> levels;
};
} // namespace

Level LevelFinder::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto traverse = dyn_cast<TraverseOp>(parent))
      return getLevel(traverse.getInputAt(argument.getArgNumber()));
    if (auto fold = dyn_cast<FoldOp>(parent)) {
      unsigned n = fold.getValues().size();
      Level level = find(fold.getValues()[argument.getArgNumber() % n]);
      level.element = false;
      return level;
    }
    return {};
  }
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<IndexOp>(op))
    return getLevel(index.getAt());
  Level level;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    level = find(reduce.getValue());
    for (int32_t dim : reduce.getDims()) {
      level.element &= dim != static_cast<int32_t>(Dim::Element);
      level.head &= dim != static_cast<int32_t>(Dim::Head);
      level.feature &= dim != static_cast<int32_t>(Dim::Feature);
    }
    return level;
  }
  if (auto softmax = dyn_cast<SoftmaxSumOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    level = find(softmax.getScore()) | find(softmax.getOperand(i));
    level.element = false;
    return level;
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    level = find(fold.getValues()[i]) | find(fold.getIdentity()[i]);
    level.element = false;
    return level;
  }
  for (Value operand : op->getOperands())
    level = level | find(operand);
  if (isa<ArgReduceOp>(op))
    level.element = false;
  return level;
}

Level gnn::tile::getLevel(Value value) { return LevelFinder().find(value); }

std::optional<Level> gnn::tile::getFloatLevel(Operation &op) {
  if (isa<arith::ConstantOp>(op) || !isa<FloatType>(op.getResult(0).getType()))
    return std::nullopt;
  Level level = getLevel(op.getResult(0));
  for (Value operand : op.getOperands())
    level = level | getLevel(operand);
  return level;
}

int64_t gnn::tile::countWalks(TraverseOp op) {
  llvm::DenseMap<Value, int64_t> before;
  auto walksBefore = [&](OperandRange operands) {
    int64_t walks = 0;
    for (Value operand : operands)
      walks = std::max(walks, before.lookup(operand));
    return walks;
  };
  int64_t count = 0;
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator()) {
    int64_t walks = walksBefore(inner.getOperands());
    if (reducesElements(&inner))
      count = std::max(count, ++walks);
    for (Value result : inner.getResults())
      before[result] = walks;
  }
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element)
      count = std::max(count, before.lookup(value) + 1);
  return count;
}
