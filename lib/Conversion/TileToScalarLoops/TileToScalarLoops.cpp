//===- TileToScalarLoops.cpp - gnn_tile -> loops of scalars ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "ScalarLoops.h"

#include "GNN/Dialect/Tile/IR/Counts.h"
#include "GNN/Dialect/Tile/IR/FormAttributes.h"
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
static scf::ForallOp createBlock(Operation *op) {
  OpBuilder builder(op);
  auto mapping =
      gpu::GPUBlockMappingAttr::get(op->getContext(), gpu::MappingId::DimX);
  return scf::ForallOp::create(
      builder, op->getLoc(), ArrayRef<OpFoldResult>{builder.getIndexAttr(1)},
      /*outputs=*/ValueRange(), builder.getArrayAttr(mapping));
}

static Bounds boundsOf(TraverseOp op, Loops &loops) {
  DomainAttr domain = op.getDomain();
  if (!op.isOnRange())
    return {{loops.index(0), loops.count(domain.getGroups())},
            loops.range(domain.getHeads()),
            loops.range(domain.getFeatures())};
  TraverseSchedule schedule(op);
  bool isByBlock = schedule.rowWalk == RowWalk::Block;
  Positions rows = {op.getFirstRow(), op.getEndRow()};
  if (!isForBlock(op))
    rows = loops.range(op.getFirstRow(), isByBlock ? 1 : schedule.rowsPerBlock,
                       op.getEndRow());
  return {rows, loops.range(domain.getHeads()),
          loops.range(op.getFirstColumn(), schedule.columnsPerBlock,
                      loops.index(domain.getFeatures()))};
}

static Bounds boundsOf(GemmOp op, Loops &loops) {
  if (!op.isOnRange())
    return {{loops.index(0), loops.count(op.getRows())},
            loops.range(op.getHeads()),
            loops.range(op.getOut())};
  Value end = arith::AddIOp::create(loops.body, loops.loc, op.getFirstRow(),
                                    op.getRowCount());
  return {{op.getFirstRow(), end},
          op.getHead() ? loops.at(op.getHead()) : loops.range(1),
          loops.range(op.getFirstColumn(), op.getScheduleAttr().getN(),
                      loops.index(op.getOut()))};
}

/// Its rows are the types.
static Bounds boundsOf(OuterOp op, Loops &loops) {
  int64_t left = op.getIn(), right = op.getOut();
  if (op.isOnRange())
    return {op.getTypeRow() ? loops.at(op.getTypeRow()) : loops.range(1),
            op.getHead() ? loops.at(op.getHead()) : loops.range(1),
            loops.range(op.getRightColumn(), op.getScheduleAttr().getN(),
                        loops.index(right)),
            loops.range(op.getLeftColumn(), ProductLayout::rows,
                        loops.index(left))};
  std::optional<RowDomain> types = op.getTypes();
  Value count = !types ? loops.index(1)
                : types->isFixed()
                    ? loops.index(op.getRows().getCount() / types->getCount())
                    : loops.count(*types);
  return {{loops.index(0), count},
          loops.range(op.getHeads()),
          loops.range(right),
          loops.range(left)};
}

/// The index arrays of a template on a range; none of one that is whole.
static std::optional<ValueRange> arraysOf(TileOpInterface op) {
  return llvm::TypeSwitch<Operation *, std::optional<ValueRange>>(op)
      .Case<TraverseOp, GemmOp, OuterOp>(
          [](auto op) -> std::optional<ValueRange> {
            if (!op.isOnRange())
              return std::nullopt;
            return ValueRange(op.getIndexArrays());
          })
      .Default([](Operation *) { return std::nullopt; });
}

/// The loop over blocks that a template on a range is in, or a new one of one
/// turn, which becomes a kernel of one thread.
static scf::ForallOp blockOf(TileOpInterface op, bool isOnRange) {
  OpBuilder builder(op);
  if (!isOnRange) // else it is stated
    Counts(builder, op.getLoc(), op.getGraphAttr()).stateCost(op.getCost());
  scf::ForallOp block =
      isOnRange ? op->getParentOfType<scf::ForallOp>() : createBlock(op);
  if (block)
    block->setAttr(attribute::threads, builder.getI64IntegerAttr(1));
  return block;
}

static LogicalResult lower(TileOpInterface op) {
  if (!isa<TraverseOp, GemmOp, OuterOp>(op))
    return op->emitOpError("expected a template that becomes loops: "
                           "gnn_tile.traverse, gemm or outer");
  if (failed(checkBuffers(op)))
    return failure();
  std::optional<ValueRange> arrays = arraysOf(op);
  scf::ForallOp block = blockOf(op, arrays.has_value());
  if (!block)
    return op->emitOpError("expected a loop over blocks around a range");
  OpBuilder body =
      arrays ? OpBuilder(op) : OpBuilder::atBlockTerminator(block.getBody());
  OpBuilder front = arrays ? OpBuilder::atBlockBegin(block.getBody()) : body;
  Loops loops(op, OpBuilder(block), body, front, arrays);
  llvm::TypeSwitch<Operation *>(op)
      .Case(
          [&](TraverseOp op) { lowerTraverse(op, loops, boundsOf(op, loops)); })
      .Case([&](GemmOp op) { lowerGemm(op, loops, boundsOf(op, loops)); })
      .Case([&](OuterOp op) { lowerOuter(op, loops, boundsOf(op, loops)); });
  op->erase();
  return success();
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
