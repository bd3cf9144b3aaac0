//===- SeparateResults.cpp - A tensor of its own for each result ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "TensorUtils.h"
#include "TraversalUtils.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SEPARATERESULTS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Computes `tensor` once more, by copies of its template, of reshapes, of
/// allocations and of what the template goes on with. Each copy is next to what
/// it is a copy of, and so reads nothing later than that. Where a traversal has
/// several results, that one alone is computed.
static Value computeAgain(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  auto copyOf = [](Value operand) {
    Operation *maker = operand.getDefiningOp();
    bool copies = isReshape(maker) ||
                  isa_and_nonnull<TileOpInterface, tensor::EmptyOp,
                                  bufferization::AllocTensorOp>(maker);
    return copies ? computeAgain(operand) : operand;
  };
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  if (auto traverse = dyn_cast<TraverseOp>(op))
    return copyResult(builder, traverse, number,
                      copyOf(traverse.getOutputs()[number]))
        .getResult(0);
  IRMapping mapping;
  if (isReshape(op))
    mapping.map(op->getOperand(0), copyOf(op->getOperand(0)));
  else if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    for (Value init : destination.getDpsInits())
      mapping.map(init, copyOf(init));
  return builder.clone(*op, mapping)->getResult(number);
}

/// Whether `tensor`, or a reshaped form of it, is needed as it is beside
/// `init`, which is written to: it is read later or by the same op, or others
/// write to it.
static bool isNeededBeside(Value tensor, OpOperand &init) {
  Operation *op = init.getOwner();
  return llvm::any_of(tensor.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (&use == &init)
      return false;
    if (isReshape(user))
      return isNeededBeside(user->getResult(0), init);
    auto destination = dyn_cast<DestinationStyleOpInterface>(user);
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    return user == op || !inBlock || op->isBeforeInBlock(inBlock) ||
           (destination && destination.isDpsInit(&use));
  });
}

namespace {
struct SeparateResults : gnn::impl::SeparateResultsBase<SeparateResults> {
  void runOnOperation() override {
    getOperation()->walk(
        [&](DestinationStyleOpInterface op) { separateInits(op); });
    getOperation()->walk([&](func::ReturnOp op) { separateResults(op); });
  }

private:
  void separateInits(DestinationStyleOpInterface op);
  void separateResults(func::ReturnOp op);
  void report(Operation *op, StringRef what) {
    passed(getArgument(), op->getLoc(), "Separated") << what;
  }
};
} // namespace

void SeparateResults::separateInits(DestinationStyleOpInterface op) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value root = getRoot(init.get());
    if (!isa_and_nonnull<TileOpInterface>(root.getDefiningOp()) ||
        !isNeededBeside(root, init))
      continue;
    init.set(computeAgain(init.get()));
    report(op, "a tensor that others need is computed once more to go on with");
  }
}

void SeparateResults::separateResults(func::ReturnOp op) {
  llvm::DenseSet<Value> seen;
  for (OpOperand &result : op->getOpOperands()) {
    Value root = getRoot(result.get());
    if (!isa_and_nonnull<TileOpInterface>(root.getDefiningOp()) ||
        seen.insert(root).second)
      continue;
    result.set(computeAgain(result.get()));
    report(op, "a result that is another one too is computed once more");
  }
}
