//===- BlockTraversals.cpp - Traversals as loops over blocks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block takes the rows and columns that the schedule says. Upstream's tiling
// takes slices of operands; the operands of a traversal are found through index
// arrays, so that the range is the op's own and operands stay whole.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

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

/// The op on views of its buffers, inside the loop.
static TraverseOp cloneOnRange(TraverseOp op, BlockBuilder &blocks,
                               OpBuilder &body) {
  IRMapping mapping;
  RowDomain groups = op.getGroups(), elements = op.getElements();
  SmallVector<Value> operands(op.getInputs());
  for (OpOperand *input : op.getReadInputs())
    operands[input->getOperandNumber()] = blocks.view(
        input->get(), op.getAccess(*input).getRows(groups, elements));
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    operands.push_back(
        blocks.view(output, op.getOutputAt(i).getRows(groups, elements)));
  SmallVector<Value> parts;
  for (Value part : op.getParts())
    parts.push_back(blocks.view(part, *op.getPartsOf()));
  auto clone = cast<TraverseOp>(body.clone(*op));
  clone.getInputsMutable().assign(
      ValueRange(operands).take_front(op.getInputs().size()));
  clone.getOutputsMutable().assign(
      ValueRange(operands).drop_front(op.getInputs().size()));
  clone.getPartsMutable().assign(parts);
  return clone;
}

static LogicalResult block(TraverseOp op, StringRef pass) {
  for (Type type : op->getOperandTypes())
    if (!isa<MemRefType>(type))
      return op.emitOpError("expected memrefs, got ") << type;
  FailureOr<TraverseLayout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  BlockBuilder blocks(op);
  blocks.stateCost();
  bool byBlock = layout->rowWalk == RowWalk::Block;
  int64_t rowsPerBlock = byBlock ? 1 : layout->rowsPerBlock;
  int64_t features = op.getDomain().getFeatures();
  int64_t columns = TraverseSchedule(op).columnsPerBlock;
  Value rows = blocks.counts.rows(op.getGroups());
  SmallVector<Value> arrays = blocks.indexArrays(), ends{rows};
  SmallVector<int64_t> steps{rowsPerBlock};
  if (layout->columnTiles > 1) {
    ends.push_back(blocks.b.index(features));
    steps.push_back(columns);
  }
  // Views come in front of the loop, where its body's builder does not stand.
  ImplicitLocOpBuilder marker(op.getLoc(), op);
  TraverseOp ranged = cloneOnRange(op, blocks, marker);
  scf::ForallOp loop = blocks.forall(ends, steps);
  ranged->moveBefore(loop.getBody()->getTerminator());

  IndexBuilder body(op.getLoc(), ranged);
  ranged.getFirstRowMutable().assign(loop.getInductionVar(0));
  ranged.getEndRowMutable().assign(rows);
  ranged.getFirstColumnMutable().assign(
      layout->columnTiles > 1 ? loop.getInductionVar(1) : body.index(0));
  ranged.getIndexArraysMutable().assign(arrays);
  passed(pass, op.getLoc(), "Blocked")
      << ("blocks of " + Twine(rowsPerBlock) + " rows and " +
          Twine(std::min(columns, features)) + " columns")
             .str();
  op->erase();
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
        refused(getArgument(), op.getLoc()) << "is on a range already";
    });
    for (TraverseOp op : ops)
      if (failed(block(op, getArgument())))
        return signalPassFailure();
  }
};
} // namespace
