//===- InPlace.cpp - Templates that write over what they read -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which input of a template may be its output too: each element of it is read
// by the threads that compute the element in its place, and by no others, and
// they have read it before one of them writes. Each template says what the
// lowerings to kernels keep.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/InPlace.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/ColumnTiles.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn::tile;

/// True if the input is read where the output is written, row by row, and has
/// the same elements, all of which are written. A buffer may have other rows,
/// which stay. Rows that a product goes on with are as wide as those that it
/// writes; those that it multiplies may not be.
static bool liesWhereWritten(TileOpInterface op, OpOperand &input,
                             OpOperand &output, Anchor anchor = Anchor::Group) {
  AtAttr at = op.getAccess(input);
  Type type = output.get().getType();
  ColumnRange range = op.getWrittenColumns(output);
  auto gemm = dyn_cast<GemmOp>(*op);
  bool isWhole =
      range.isWhole ||
      (isa<MemRefType>(type) && at && at.getFeature() && !range.isOfSomeRows &&
       (!gemm || &input != &gemm.getInputMutable() ||
        gemm.getIn() == gemm.getOut()));
  return at && at == op.getAccess(output) && at.getAnchor() == anchor &&
         !at.getColumn() && input.get().getType() == type && isWhole;
}

/// A number of each point, which the result in its place alone needs: what
/// counts is what the lane reads that writes it. One lane writes it, in one
/// block, where no result has features.
static bool isOwnNumber(TraverseOp op, OpOperand &input, OpOperand &output) {
  DomainAttr domain = op.getDomain();
  Anchor point = domain.getElements() ? Anchor::Element : Anchor::Group;
  AtAttr at = op.getAccess(output);
  Block &body = op.getBody().front();
  if (at.getFeature() || (!at.getHead() && domain.getHeads() > 1) ||
      !liesWhereWritten(op, input, output, point) ||
      llvm::any_of(body,
                   [](Operation &inner) { return reducesElements(&inner); }))
    return false;
  if (domain.getFeatures() > 1 && llvm::none_of(body, [](Operation &inner) {
        return reducesFeatures(&inner);
      }))
    return false;
  Value own = body.getArgument(input.getOperandNumber());
  llvm::DenseSet<Value> needing = findNeeding(body, own);
  ValueRange results = body.getTerminator()->getOperands();
  for (auto [i, result] : llvm::enumerate(results)) {
    OpOperand &other = op.getOutputsMutable()[i];
    if (op.getAccess(other).getFeature() ||
        (&other != &output && needing.contains(result)))
      return false;
  }
  return true;
}

/// A lane reads its columns of the row before it writes them. Lanes that go
/// through other elements read them too, maybe later: what they compute of them
/// counts nowhere but in outputs at elements. Without features (heads), all
/// lanes and column tiles read the row, and one of them writes it.
bool TraverseOp::mayOverwrite(OpOperand &input, OpOperand &output) {
  AtAttr at = getAccess(output);
  DomainAttr domain = getDomain();
  bool writesElements =
      llvm::any_of(getOutputsAt().getAsRange<AtAttr>(), [](AtAttr other) {
        return other.getAnchor() == Anchor::Element;
      });
  if (isOwnNumber(*this, input, output))
    return true;
  return liesWhereWritten(*this, input, output) && !writesElements &&
         (at.getFeature() || domain.getFeatures() == 1) &&
         (at.getHead() || domain.getHeads() == 1);
}

/// A block has staged all of its rows before it writes any, so that it may
/// write over them where it computes all columns; extras are read by the thread
/// that writes in their place.
bool GemmOp::mayOverwrite(OpOperand &input, OpOperand &output) {
  if (!liesWhereWritten(*this, input, output))
    return false;
  if (&input != &getInputMutable())
    return true;
  int64_t columns = getScheduleAttr() ? getScheduleAttr().getN() : 0;
  return getOut() <= (columns ? columns : ProductLayout::widestColumns);
}

/// A matrix of a type is no row.
bool OuterOp::mayOverwrite(OpOperand &, OpOperand &) { return false; }

OpOperand *gnn::tile::findOverwritten(TileOpInterface op, OpOperand &output) {
  auto destination = cast<DestinationStyleOpInterface>(*op);
  for (OpOperand *input : destination.getDpsInputOperands())
    if (input->get() == output.get())
      return input;
  return nullptr;
}

LogicalResult gnn::tile::verifyInPlace(TileOpInterface op) {
  auto destination = cast<DestinationStyleOpInterface>(*op);
  for (OpOperand &output : destination.getDpsInitsMutable()) {
    if (!isa<MemRefType>(output.get().getType()))
      continue; // tensors are values
    for (OpOperand &other : op->getOpOperands()) {
      if (&other == &output ||
          getBuffer(other.get()) != getBuffer(output.get()))
        continue;
      if (destination.isDpsInit(&other))
        return op->emitOpError("expected a buffer for each output, got one for "
                               "two");
      if (!op.mayOverwrite(other, output) ||
          findOverwritten(op, output) != &other)
        return op->emitOpError("expected a buffer for output ")
               << output.getOperandNumber() -
                      destination.getDpsInitOperand(0)->getOperandNumber()
               << " that no input has, got that of input "
               << other.getOperandNumber()
               << ", which others read after it is written";
    }
  }
  return success();
}
