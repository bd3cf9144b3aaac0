//===- TileToScalarLoops.cpp - gnn_tile -> loops of scalars ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "ScalarLoops.h"

#include "GNN/Dialect/Tile/IR/FormAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
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
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      return op->emitOpError("expected memrefs, got ") << type;
    if (!buffer.getLayout().isIdentity())
      return op->emitOpError("expected buffers without strides, got ") << type;
  }
  return success();
}

/// A loop of one turn, which becomes a kernel of one thread.
static scf::ForallOp createBlock(Operation *op) {
  OpBuilder builder(op);
  auto mapping =
      gpu::GPUBlockMappingAttr::get(op->getContext(), gpu::MappingId::DimX);
  auto block = scf::ForallOp::create(
      builder, op->getLoc(), ArrayRef<OpFoldResult>{builder.getIndexAttr(1)},
      /*outputs=*/ValueRange(), builder.getArrayAttr(mapping));
  block->setAttr(attribute::threads, builder.getI64IntegerAttr(1));
  return block;
}

/// Everything that a template computes.
static Bounds allOf(TileOpInterface op, Loops &loops) {
  return llvm::TypeSwitch<Operation *, Bounds>(op)
      .Case([&](TraverseOp op) -> Bounds {
        DomainAttr domain = op.getDomain();
        return {{loops.index(0), loops.count(domain.getGroups())},
                loops.range(domain.getHeads()),
                loops.range(domain.getFeatures())};
      })
      .Case([&](GemmOp op) -> Bounds {
        return {{loops.index(0), loops.count(op.getRows())},
                loops.range(op.getHeads()),
                loops.range(op.getOut())};
      })
      .Case([&](OuterOp op) -> Bounds {
        std::optional<RowDomain> types = op.getTypes();
        Value count =
            !types ? loops.index(1)
            : types->isFixed()
                ? loops.index(op.getRows().getCount() / types->getCount())
                : loops.count(*types);
        ArrayRef<int64_t> right =
            cast<MemRefType>(op.getRight().getType()).getShape();
        return {{loops.index(0), count},
                loops.range(op.getHeads()),
                loops.range(right.back())};
      });
}

static LogicalResult lower(TileOpInterface op) {
  if (!isa<TraverseOp, GemmOp, OuterOp>(op))
    return op->emitOpError("expected a template that becomes loops: "
                           "gnn_tile.traverse, gemm or outer");
  if (failed(checkBuffers(op)))
    return failure();
  scf::ForallOp block = createBlock(op);
  Loops loops(op, OpBuilder(block),
              OpBuilder::atBlockTerminator(block.getBody()));
  Bounds bounds = allOf(op, loops);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](TraverseOp op) { lowerTraverse(op, loops, bounds); })
      .Case([&](GemmOp op) { lowerGemm(op, loops, bounds); })
      .Case([&](OuterOp op) { lowerOuter(op, loops, bounds); });
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
      remark::passed(op.getLoc(), remark::RemarkOpts::name("Lowered").category(
                                      getArgument()))
          << "computed by loops of one thread";
      if (failed(lower(op)))
        return signalPassFailure();
    }
  }
};
} // namespace
