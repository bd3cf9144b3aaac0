//===- TileBufferize.cpp - Templates from tensors to memrefs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-shot bufferization of destination-style templates: inputs are read,
// outputs are written in place. Every output element is written, except where
// an access has a feature offset or covers part of the features; then the
// output's former value shows and counts as read.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace gnn::tile;

namespace {
template <typename TemplateOp>
struct TemplateInterface
    : DstBufferizableOpInterfaceExternalModel<TemplateInterface<TemplateOp>,
                                              TemplateOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto templateOp = cast<TemplateOp>(op);
    return !templateOp.isDpsInit(&operand) ||
           !templateOp.getWrittenColumns(operand).isWhole;
  }

  bool bufferizesToElementwiseAccess(Operation *, const AnalysisState &,
                                     ArrayRef<OpOperand *>) const {
    return false; // an input's row may be read after another row is written
  }

  bool isNotConflicting(Operation *op, OpOperand *read, OpOperand *written,
                        const AnalysisState &) const {
    return read->getOwner() == op && written->getOwner() == op &&
           read->get() == written->get() &&
           cast<TemplateOp>(op).mayOverwrite(*read, *written);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto templateOp = cast<TemplateOp>(op);
    if (!templateOp.hasPureTensorSemantics())
      return success();
    SmallVector<Value> operands;
    SmallVector<Value> outputs;
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
      if (templateOp.isDpsInit(&operand))
        outputs.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    OperationState newState(op->getLoc(), op->getName(), operands, TypeRange(),
                            op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      newState.addRegion();
    Operation *newOp = rewriter.create(newState);
    for (auto [from, to] : llvm::zip(op->getRegions(), newOp->getRegions()))
      to.takeBody(from);
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

/// A structure is an index array that nobody writes: one memref.
struct StructureInterface
    : BufferizableOpInterface::ExternalModel<StructureInterface, StructureOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return false; }
  bool isWritable(Operation *, Value, const AnalysisState &) const {
    return false;
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    auto structure = cast<StructureOp>(op);
    auto tensor = dyn_cast<RankedTensorType>(structure.getResult().getType());
    if (!tensor)
      return success();
    replaceOpWithNewBufferizedOp<StructureOp>(
        rewriter, op,
        MemRefType::get(tensor.getShape(), tensor.getElementType()),
        structure.getGraphAttr(), structure.getKeyAttr());
    return success();
  }
};
} // namespace

void gnn::tile::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TileDialect *) {
    TraverseOp::attachInterface<TemplateInterface<TraverseOp>>(*context);
    GemmOp::attachInterface<TemplateInterface<GemmOp>>(*context);
    OuterOp::attachInterface<TemplateInterface<OuterOp>>(*context);
    StructureOp::attachInterface<StructureInterface>(*context);
  });
}
