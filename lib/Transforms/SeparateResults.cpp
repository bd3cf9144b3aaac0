//===- SeparateResults.cpp - A tensor of its own for each result ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Passes.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SEPARATERESULTS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// The value that `tensor` is a reshaped form of.
static Value getRoot(Value tensor) {
  while (isReshape(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

/// Computes `tensor` once more, by a copy of its template and reshapes.
static Value computeAgain(OpBuilder &builder, Value tensor) {
  Operation *op = tensor.getDefiningOp();
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  IRMapping mapping;
  if (isReshape(op))
    mapping.map(op->getOperand(0), computeAgain(builder, op->getOperand(0)));
  return builder.clone(*op, mapping)->getResult(number);
}

namespace {
struct SeparateResults : gnn::impl::SeparateResultsBase<SeparateResults> {
  void runOnOperation() override {
    llvm::DenseSet<Value> seen;
    getOperation()->walk([&](func::ReturnOp op) {
      OpBuilder builder(op);
      for (OpOperand &result : op->getOpOperands()) {
        Value root = getRoot(result.get());
        bool isTemplate =
            isa_and_nonnull<TraverseOp, GemmOp, OuterOp>(root.getDefiningOp());
        if (!isTemplate || seen.insert(root).second)
          continue;
        result.set(computeAgain(builder, result.get()));
        remark::passed(
            op.getLoc(),
            remark::RemarkOpts::name("Separated").category(getArgument()))
            << "a result that is another one too is computed once more";
      }
    });
  }
};
} // namespace
