//===- VerifyWholeResults.cpp - What is read has been written -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates that write parts of one tensor go on with each other's results.
// Adds up the columns along such a chain wherever something else reads its end.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_VERIFYWHOLERESULTS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// The output of a template that becomes this result.
static OpOperand &outputOf(OpResult result) {
  auto op = cast<DestinationStyleOpInterface>(result.getOwner());
  return op.getDpsInitsMutable()[result.getResultNumber()];
}

/// Adds the columns that are written of `tensor`; false if all are, or if it
/// had a value to begin with, of which the templates write a part.
static bool collectColumns(Value tensor,
                           SmallVectorImpl<ColumnRange> &columns) {
  while (isa_and_nonnull<TileOpInterface>(tensor.getDefiningOp())) {
    OpOperand &output = outputOf(cast<OpResult>(tensor));
    columns.push_back(
        cast<TileOpInterface>(output.getOwner()).getWrittenColumns(output));
    if (columns.back().isWhole)
      return false;
    tensor = output.get();
  }
  Operation *maker = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(maker))
    maker = maker->getOperand(0).getDefiningOp();
  auto allocation = dyn_cast_if_present<bufferization::AllocTensorOp>(maker);
  return isa_and_nonnull<tensor::EmptyOp>(maker) ||
         (allocation && !allocation.getCopy());
}

/// Whether something reads the result, besides a template that goes on with it.
static bool isRead(OpResult result) {
  return llvm::any_of(result.getUses(), [](OpOperand &use) {
    auto next = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return !next || !next.isDpsInit(&use);
  });
}

namespace {
struct VerifyWholeResults
    : gnn::impl::VerifyWholeResultsBase<VerifyWholeResults> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<TileOpInterface>(op))
        return WalkResult::advance();
      for (OpResult result : op->getResults())
        if (isRead(result) && failed(check(result)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult check(OpResult result) {
    SmallVector<ColumnRange> columns;
    if (!collectColumns(result, columns))
      return success();
    llvm::sort(columns, [](const ColumnRange &a, const ColumnRange &b) {
      return a.begin < b.begin;
    });
    int64_t all = cast<ShapedType>(result.getType()).getShape().back();
    int64_t written = 0, gapEnd = all;
    for (const ColumnRange &range : columns) {
      if (range.begin > written) {
        gapEnd = range.begin;
        break;
      }
      written = std::max(written, range.end);
    }
    if (written >= all)
      return success();
    return result.getOwner()->emitOpError("leaves columns ")
           << written << " to " << gapEnd - 1 << " of " << result.getType()
           << " without a value: expected templates that "
           << "write all of them, or a tensor that has values to go on with";
  }
};
} // namespace
