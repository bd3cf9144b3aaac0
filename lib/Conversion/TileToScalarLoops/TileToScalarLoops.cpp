//===- TileToScalarLoops.cpp - gnn_tile -> loops of scalars ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "../../Transforms/Utils/Blocks.h"
#include "ScalarLoops.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;
using namespace gnn::tile::scalar;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTILETOSCALARLOOPS
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

static LogicalResult checkBuffers(Operation *op) {
  for (Type type : op->getOperandTypes()) {
    if (type.isIndex()) // of a range
      continue;
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      return op->emitOpError("expected memrefs, got ") << type;
    if (!buffer.getLayout().isIdentity())
      return op->emitOpError("expected buffers without strides, got ") << type;
  }
  return success();
}

/// A loop of one turn.
static BlocksOp createBlock(Operation *op) {
  OpBuilder builder(op);
  return BlocksOp::create(
      builder, op->getLoc(), ArrayRef<OpFoldResult>{builder.getIndexAttr(1)},
      /*steps=*/1, builder.getStringAttr(op->getName().stripDialect()),
      /*schedule=*/Attribute());
}

/// All groups, whose number is known in front of the loop over blocks.
static Positions allGroups(TraverseOp op, Loops &loops) {
  OpBuilder host(op->getParentOfType<BlocksOp>());
  return loops.range(
      Counts(host, op.getLoc(), op.getGraphAttr()).rows(op.getGroups()));
}

static Bounds boundsOf(TraverseOp op, Loops &loops, Counts &counts) {
  DomainAttr domain = op.getDomain();
  Positions heads = loops.range(domain.getHeads());
  if (!op.isOnRange()) {
    // Without pieces each group is whole, whoever walks it.
    bool isWhole = !op.getPartsOf() || op.getLongLength();
    RowDomain rows = isWhole ? domain.getGroups() : op.getPositions();
    Bounds bounds{loops.range(counts.rows(rows)), heads,
                  loops.range(domain.getFeatures())};
    if (op.isByEdges())
      bounds.groups = allGroups(op, loops);
    return bounds;
  }
  TraverseSchedule schedule(op);
  Positions rows = {op.getFirstRow(), op.getEndRow()};
  if (!isForBlock(op))
    rows = loops.range(op.getFirstRow(), schedule.getBlockPositions(),
                       op.getEndRow());
  Bounds bounds{rows, heads,
                loops.range(op.getFirstColumn(), schedule.columnsPerBlock,
                            loops.b.index(domain.getFeatures()))};
  if (op.isByEdges())
    bounds.groups = allGroups(op, loops);
  return bounds;
}

static Bounds boundsOf(GemmOp op, Loops &loops, Counts &counts) {
  if (!op.isOnRange())
    return {loops.range(counts.rows(op.getRows())), loops.range(op.getHeads()),
            loops.range(op.getOut())};
  Value end = loops.b.add(op.getFirstRow(), op.getRowCount());
  return {{op.getFirstRow(), end},
          op.getHead() ? loops.at(op.getHead()) : loops.range(1),
          loops.range(op.getFirstColumn(), op.getScheduleAttr().getN(),
                      loops.b.index(op.getOut()))};
}

/// Its rows are the types.
static Bounds boundsOf(OuterOp op, Loops &loops, Counts &counts) {
  int64_t left = op.getIn(), right = op.getOut();
  IndexBuilder &b = loops.b;
  if (op.isOnRange())
    return {op.getTypeRow() ? loops.at(op.getTypeRow()) : loops.range(1),
            op.getHead() ? loops.at(op.getHead()) : loops.range(1),
            loops.range(op.getRightColumn(), op.getScheduleAttr().getN(),
                        b.index(right)),
            loops.range(op.getLeftColumn(), ProductLayout::rows, b.index(left)),
            {op.getFirstRow(), b.add(op.getFirstRow(), op.getRowCount())}};
  std::optional<RowDomain> types = op.getTypes();
  Bounds bounds{loops.range(1), loops.range(op.getHeads()), loops.range(right),
                loops.range(left)};
  if (!types)
    bounds.summed = loops.range(counts.rows(op.getRows()));
  else if (types->isFixed())
    bounds.rows = loops.range(op.getRows().getCount() / types->getCount());
  else
    bounds.rows = loops.range(counts.rows(*types));
  return bounds;
}

/// Arrays of a block are those of its one thread.
static void lowerArrays(BlocksOp block) {
  for (ArrayOp array :
       llvm::make_early_inc_range(block.getBody()->getOps<ArrayOp>())) {
    OpBuilder b(array);
    array->replaceAllUsesWith(memref::AllocaOp::create(
        b, array.getLoc(), array.getArray().getType()));
    array.erase();
  }
}

/// In the loop over blocks that a range is in, or in a new one of one turn,
/// which becomes a kernel of one thread.
template <typename TemplateOp>
static LogicalResult lowerTemplate(TemplateOp op) {
  BlockBuilder host(op);
  BlocksOp block;
  IndexArrays arrays;
  if (op.isOnRange()) {
    block = op->template getParentOfType<BlocksOp>();
    if (!block)
      return op.emitOpError("expected a loop over blocks around a range");
    lowerArrays(block);
    arrays = IndexArrays(op, op.getIndexArrays());
  } else {
    host.stateCost();
    host.viewOperands();
    block = createBlock(op);
    op->moveBefore(block.getBody()->getTerminator());
    host.b.setInsertionPoint(block);
    arrays = IndexArrays(op, OpBuilder(block));
  }
  block.setThreads(1);
  Loops loops(IndexBuilder(op.getLoc(), op), block.getBody(),
              std::move(arrays));
  buildLoops(op, loops, boundsOf(op, loops, host.counts));
  op->erase();
  return success();
}

static LogicalResult lower(TileOpInterface op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<TraverseOp, GemmOp, OuterOp>([](auto op) {
        return failure(failed(checkBuffers(op)) || failed(lowerTemplate(op)));
      })
      .Default([](Operation *op) {
        return op->emitOpError("expected a template that becomes loops: "
                               "gnn_tile.traverse, gemm or outer");
      });
}

namespace {
struct ConvertGNNTileToScalarLoops
    : gnn::impl::ConvertGNNTileToScalarLoopsBase<ConvertGNNTileToScalarLoops> {
  void runOnOperation() override {
    SmallVector<TileOpInterface> templates;
    getOperation()->walk([&](TileOpInterface op) { templates.push_back(op); });
    for (TileOpInterface op : templates) {
      Location loc = op.getLoc(); // it is replaced
      if (failed(lower(op)))
        return signalPassFailure();
      passed(getArgument(), loc, "Lowered")
          << "computed by loops of one thread";
    }
  }
};
} // namespace
