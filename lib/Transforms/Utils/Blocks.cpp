//===- Blocks.cpp - What stands in front of a kernel ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/FormAttributes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  RowDomain groups = op.getGroups(), elements = op.getElements();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isUnread = traverse && number < traverse.getInputs().size() &&
                    traverse.getBody().getArgument(number).use_empty();
    if (isUnread || !isa<MemRefType>(operand.get().getType()))
      continue;
    AtAttr at = op.getAccess(operand);
    RowDomain rows = groups; // of an outer's matrices
    if (at)
      rows = at.getRows(isa<OuterOp>(*op) ? elements : groups, elements);
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

scf::ForallOp BlockBuilder::forall(ValueRange ends, ArrayRef<int64_t> steps) {
  SmallVector<OpFoldResult> begins(ends.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> foldedEnds = getAsOpFoldResult(ends), foldedSteps;
  SmallVector<Attribute> mapping;
  gpu::MappingId ids[] = {gpu::MappingId::DimX, gpu::MappingId::DimY,
                          gpu::MappingId::DimZ};
  for (auto [i, step] : llvm::enumerate(steps)) {
    foldedSteps.push_back(b.getIndexAttr(step));
    mapping.push_back(gpu::GPUBlockMappingAttr::get(b.getContext(), ids[i]));
  }
  auto loop =
      scf::ForallOp::create(b, begins, foldedEnds, foldedSteps,
                            /*outputs=*/ValueRange(), b.getArrayAttr(mapping));
  loop->setAttr(attribute::madeOf,
                b.getStringAttr(op->getName().stripDialect()));
  if (Attribute schedule = op.getTileSchedule())
    loop->setAttr(attribute::schedule, schedule);
  return loop;
}
