//===- Combine.cpp - How states are combined ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn::tile;

SmallVector<Operation *> gnn::tile::getCombiners(Block &combine,
                                                 unsigned result) {
  llvm::SetVector<Operation *> found;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == &combine; };
  Value value = combine.getTerminator()->getOperand(result);
  Operation *last = value.getDefiningOp();
  if (last && last->getBlock() == &combine)
    (void)getBackwardSlice(value, &found, options);
  return SmallVector<Operation *>(found.begin(), found.end());
}

SmallVector<SmallVector<unsigned>> gnn::tile::groupResults(Block &combine) {
  unsigned count = combine.getNumArguments() / 2;
  llvm::IntEqClasses classes(count);
  auto join = [&](unsigned result, Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &combine)
      classes.join(result, argument.getArgNumber() % count);
  };
  for (unsigned i = 0; i < count; ++i) {
    join(i, combine.getTerminator()->getOperand(i));
    for (Operation *op : getCombiners(combine, i))
      for (Value operand : op->getOperands())
        join(i, operand);
  }
  classes.compress();
  SmallVector<SmallVector<unsigned>> groups(classes.getNumClasses());
  for (unsigned i = 0; i < count; ++i)
    groups[classes[i]].push_back(i);
  return groups;
}

Operation *gnn::tile::findOnlyCombiner(Block &combine,
                                       ArrayRef<unsigned> group) {
  if (group.size() != 1)
    return nullptr;
  unsigned count = combine.getNumArguments() / 2, result = group[0];
  Operation *op = combine.getTerminator()->getOperand(result).getDefiningOp();
  bool isOnly = op && op->getNumOperands() == 2 &&
                op->getOperand(0) == combine.getArgument(result) &&
                op->getOperand(1) == combine.getArgument(count + result);
  return isOnly ? op : nullptr;
}

arith::AtomicRMWKind gnn::tile::getReductionKind(Reduction kind, Type element) {
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(element);
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return isFloat ? Kind::addf : Kind::addi;
  case Reduction::Max:
    return isFloat ? Kind::maximumf : Kind::maxs;
  case Reduction::Min:
    return isFloat ? Kind::minimumf : Kind::mins;
  }
  llvm_unreachable("all reductions are handled");
}
