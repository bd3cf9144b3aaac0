//===- Blocks.cpp - Ops in front of a kernel ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/ScheduleFrom.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

BlockBuilder::BlockBuilder(TileOpInterface op)
    : b(op->getLoc(), op), counts(b, op->getLoc(), op.getGraphAttr()), op(op) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  isSquare = graph && graph.getKind() == GraphKind::Square;
}

Value BlockBuilder::view(Value buffer, RowDomain rows) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.hasStaticShape())
    return buffer;
  bool isByNodes = rows.isKind(RowKind::Node) && isSquare;
  if (isByNodes && byNodes.contains(buffer))
    return byNodes[buffer];
  Value extent = counts.rows(rows);
  Value &view = views[{buffer, extent}];
  if (!view)
    view = withRows(b, b.getLoc(), buffer, type, extent);
  if (isByNodes)
    byNodes[buffer] = view;
  return view;
}

void BlockBuilder::viewOperands() {
  auto traverse = dyn_cast<TraverseOp>(*op);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isUnread = traverse && number < traverse.getInputs().size() &&
                    traverse.getBody().getArgument(number).use_empty();
    if (isUnread || !isa<MemRefType>(operand.get().getType()))
      continue;
    AtAttr at = op.getAccess(operand);
    RowDomain rows = op.getGroups(); // of an outer's matrices
    if (at)
      rows = at.getSpace() ? at.getSpace() : op.getStart(at);
    else if (traverse)
      rows = *traverse.getPartsOf();
    operand.set(view(operand.get(), rows));
  }
}

SmallVector<Value> BlockBuilder::indexArrays() {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  return llvm::map_to_vector(
      op.getStructures(), [&](const StructureKey &key) -> Value {
        return StructureOp::create(b, type, op.getGraphAttr(),
                                   StructureKeyAttr::get(b.getContext(), key));
      });
}

BlocksOp BlockBuilder::loop(ValueRange ends, ArrayRef<int64_t> steps) {
  auto made = BlocksOp::create(b, getAsOpFoldResult(ends), steps,
                               b.getStringAttr(op->getName().stripDialect()),
                               op.getTileSchedule());
  gnn::copyScheduleFrom(op, made);
  return made;
}
