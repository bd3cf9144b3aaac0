//===- GNNLoopOps.cpp - Ops on one row of a loop --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

RowsAttr RowType::getRows() const {
  return RowsAttr::get(getContext(), getGraph(), getSpace());
}

/// Verifies that `expected` and `got` are one graph.
static LogicalResult verifySameGraph(EmitError emitError,
                                     FlatSymbolRefAttr expected,
                                     FlatSymbolRefAttr got) {
  if (expected == got)
    return success();
  return emitError() << "has rows of two graphs: expected @"
                     << expected.getValue() << ", got @" << got.getValue();
}

//===----------------------------------------------------------------------===//
// follow, read
//===----------------------------------------------------------------------===//

RowPath FollowOp::getPath() {
  return {getRow().getType().getSpace(), getType().getSpace(), getVia()};
}

LogicalResult FollowOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifySameGraph(emitError, getRow().getType().getGraph(),
                             getType().getGraph()))) // C1
    return failure();
  if (failed(verifyPathExists(emitError, getPath(), "result"))) // C2
    return failure();
  return verifyVia(emitError, getPath(), "result"); // C3
}

LogicalResult FollowOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyRowSpace(*this, getType().getRows(), symbols);
}

SmallVector<RowPath> ReadOp::getRowPaths() {
  return {{getRow().getType().getSpace(), *getRowSpace(getInput().getType()),
           getVia()}};
}

LogicalResult ReadOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto row = cast<RowType>(adaptor.getRow().getType());
  RowPath path = {row.getSpace(), *getRowSpace(input), adaptor.getVia()};
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (failed(verifySameGraph(emitError, row.getGraph(),
                                   getRows(input).getGraph()))) // C1
          return failure();
        if (failed(verifyPathExists(emitError, path, "input"))) // C2
          return failure();
        if (failed(verifyVia(emitError, path, "input"))) // C3
          return failure();
        inferred.push_back(
            RankedTensorType::get(getFeatures(input), input.getElementType()));
        return success();
      });
}

bool ReadOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

/// Verifies that rows of `maker`, a loop over the edges of a node, are read at
/// an edge of the same node.
static LogicalResult verifyReadOfPart(ReadOp op, RowLoopInterface maker) {
  auto row = dyn_cast<BlockArgument>(op.getRow());
  auto reader = row ? dyn_cast<RowLoopInterface>(row.getOwner()->getParentOp())
                    : RowLoopInterface();
  bool sameEdges = reader && reader->getName() == maker->getName() &&
                   reader.getCenterNode() == maker.getCenterNode();
  Operation *later = maker->getBlock()->findAncestorOpInBlock(*op);
  if (!sameEdges || !later || !maker->isBeforeInBlock(later)) // G9
    return op.emitOpError("expected rows that an inner loop makes to be read "
                          "in a later loop over the same edges of the same "
                          "node");
  auto yield = cast<YieldOp>(maker.getLoopBody()->getTerminator());
  unsigned result = cast<OpResult>(op.getInput()).getResultNumber();
  if (yield.getReduction(result)) // G9
    return op.emitOpError("expected rows that are complete within the loop, "
                          "got rows that an inner loop reduces into");
  return success();
}

LogicalResult ReadOp::verify() {
  if (failed(verifyInferredResult(*this)))
    return failure();
  auto maker = getInput().getDefiningOp<RowLoopInterface>();
  return maker && maker.getCenterNode() ? verifyReadOfPart(*this, maker)
                                        : success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult RowLinearOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  ArrayRef<int64_t> x = input.getShape(), w = weight.getShape();
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (x.size() != 1 && x.size() != 2) // C1
          return emitError() << "expected [in] or [heads, in] of input, got "
                             << formatShape(x);
        if (w.size() != 2 && w.size() != 3) // C2
          return emitError()
                 << "expected [in, out] or [heads, in, out] of weight, got "
                 << formatShape(w);
        int64_t in = w[w.size() - 2], out = w.back();
        if (adaptor.getTransposed())
          std::swap(in, out);
        if (in != x.back()) // C2
          return emitError()
                 << "weight takes as many features as input has: expected "
                 << x.back() << ", got " << in;
        if (w.size() == 3 && x.size() == 2 && w.front() != x.front()) // C2
          return emitError() << "weight has the heads of input: expected "
                             << x.front() << ", got " << w.front();
        SmallVector<int64_t> shape;
        if (w.size() == 3)
          shape.push_back(w.front());
        else if (x.size() == 2)
          shape.push_back(x.front());
        shape.push_back(out);
        inferred.push_back(
            RankedTensorType::get(shape, input.getElementType()));
        return success();
      });
}

bool RowLinearOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult RowLinearOp::verify() {
  return verifyInferredResult(*this); // and its operands
}

LogicalResult RowDotOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (lhs.getRank() == 0) // C1
          return emitError() << "expected at least one dimension, got none";
        if (failed(verifySameFeatures(emitError, lhs, rhs, "rhs"))) // C2
          return failure();
        inferred.push_back(RankedTensorType::get(lhs.getShape().drop_back(),
                                                 lhs.getElementType()));
        return success();
      });
}

bool RowDotOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult RowDotOp::verify() {
  return verifyInferredResult(*this); // and its operands
}

LogicalResult RowOuterOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        for (RankedTensorType side : {lhs, rhs})
          if (side.getRank() != 1) // C1
            return emitError() << "expected one dimension of each operand, got "
                               << formatShape(side.getShape());
        inferred.push_back(RankedTensorType::get(
            {lhs.getDimSize(0), rhs.getDimSize(0)}, lhs.getElementType()));
        return success();
      });
}

bool RowOuterOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult RowOuterOp::verify() {
  return verifyInferredResult(*this); // and its operands
}

//===----------------------------------------------------------------------===//
// row_activation, row_broadcast
//===----------------------------------------------------------------------===//

LogicalResult RowActivationOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyAlpha(emitError, getKind(), getAlphaAttr()))) // C1
    return failure();
  if (failed(verifyWeight(emitError, getKind(), getWeight()))) // C2
    return failure();
  if (!getWeight())
    return success();
  if (isa<RowLoopInterface>(getWeight().getParentBlock()->getParentOp())) // C2
    return emitOpError("expected a weight from outside of the loop, got "
                       "features of a row");
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getWeight().getType()).getShape();
  ArrayRef<int64_t> features =
      cast<RankedTensorType>(getInput().getType()).getShape();
  if (shape != ArrayRef<int64_t>{1} && !isSuffix(shape, features)) // C3
    return emitOpError("expected a weight of shape [1] or of the last features "
                       "of ")
           << formatShape(features) << ", got " << formatShape(shape);
  return success();
}

LogicalResult RowBroadcastOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getType());
  if (!isPrefix(input.getShape(), result.getShape())) // C1
    return emitOpError("expected a result that begins with the dimensions ")
           << formatShape(input.getShape()) << ", got "
           << formatShape(result.getShape());
  return success();
}

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNLoopOps.cpp.inc"

void GNNDialect::addLoopOps() {
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/GNN/IR/GNNLoopOps.cpp.inc"
      >();
}
