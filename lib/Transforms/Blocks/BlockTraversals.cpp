//===- BlockTraversals.cpp - Traversals as loops over blocks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block takes the rows and columns that the schedule says. Upstream's tiling
// takes slices of operands; the operands of a traversal are found through index
// arrays, so that the range is the op's own and operands stay whole.
//
//===----------------------------------------------------------------------===//

#include "../Utils/Blocks.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_BLOCKTRAVERSALS
#include "GNN/Transforms/Blocks/Passes.h.inc"
} // namespace gnn

static LogicalResult block(TraverseOp op, StringRef pass) {
  for (Type type : op->getOperandTypes())
    if (!isa<MemRefType>(type))
      return op.emitOpError("expected memrefs, got ") << type;
  FailureOr<TraverseLayout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  BlockBuilder blocks(op);
  blocks.stateCost();
  int64_t rowsPerBlock = TraverseSchedule(op).getBlockPositions();
  int64_t features = op.getDomain().getFeatures();
  int64_t columns = TraverseSchedule(op).columnsPerBlock;
  Value rows = blocks.counts.rows(op.getPositions());
  SmallVector<Value> arrays = blocks.indexArrays(), ends{rows};
  SmallVector<int64_t> steps{rowsPerBlock};
  if (layout->columnTiles > 1) {
    ends.push_back(blocks.b.index(features));
    steps.push_back(columns);
  }
  blocks.viewOperands();
  BlocksOp loop = blocks.loop(ends, steps);
  op->moveBefore(loop.getBody()->getTerminator());

  IndexBuilder body(op.getLoc(), op);
  op.getFirstRowMutable().assign(loop.getInductionVars()[0]);
  op.getEndRowMutable().assign(rows);
  op.getFirstColumnMutable().assign(
      layout->columnTiles > 1 ? loop.getInductionVars()[1] : body.index(0));
  op.getIndexArraysMutable().assign(arrays);
  passed(pass, op.getLoc(), "Blocked")
      << "blocks of " +
             counted(rowsPerBlock, op.isByEdges() ? "element" : "row") +
             " and " + counted(std::min(columns, features), "column");
  return success();
}

namespace {
struct BlockTraversals : gnn::impl::BlockTraversalsBase<BlockTraversals> {
  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (!op.isOnRange())
        ops.push_back(op);
      else
        refused(getArgument(), op.getLoc())
            << "the traversal is already on a range";
    });
    for (TraverseOp op : ops)
      if (failed(block(op, getArgument())))
        return signalPassFailure();
  }
};
} // namespace
