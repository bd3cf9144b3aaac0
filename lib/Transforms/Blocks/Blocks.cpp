//===- Blocks.cpp - What stands in front of a kernel ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/FormAttributes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

RowDomain gnn::tile::getRowsOf(AtAttr at, RowDomain groups,
                               RowDomain elements) {
  if (at.getSpace())
    return at.getSpace();
  return at.getAnchor() == Anchor::Element ? elements : groups;
}

BlockBuilder::BlockBuilder(TileOpInterface op)
    : builder(op->getLoc(), op), op(op) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  isSquare = graph && graph.getKind() == GraphKind::Square;
}

Value BlockBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value BlockBuilder::count(const CountKey &key) {
  Value &value = counts[key];
  if (!value)
    value = CountOp::create(builder, builder.getIndexType(),
                            op.getGraphAttr().getValue(), key);
  return value;
}

Value BlockBuilder::rows(RowDomain domain) {
  return domain.isFixed() ? index(domain.getCount())
                          : count(domain.getCountKey());
}

void BlockBuilder::stateCost(const TileCost &cost) {
  auto state = [&](const CountSum &sum) {
    return sum.materialize(builder, builder.getLoc(),
                           [&](const CountKey &key) { return count(key); });
  };
  Value reads = state(cost.readBytes), writes = state(cost.writtenBytes);
  CostOp::create(builder, reads, writes, state(cost.flops));
}

Value BlockBuilder::view(Value buffer, RowDomain rows) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.hasStaticShape())
    return buffer;
  bool isByNodes = rows.isKind(RowKind::Node) && isSquare;
  if (isByNodes && byNodes.contains(buffer))
    return byNodes[buffer];
  Value extent = this->rows(rows);
  Value &view = views[{buffer, extent}];
  if (!view) {
    SmallVector<OpFoldResult> sizes{extent}, strides;
    int64_t stride = 1;
    for (int64_t i = type.getRank() - 1; i > 0; --i) {
      sizes.insert(sizes.begin() + 1, builder.getIndexAttr(type.getDimSize(i)));
      strides.insert(strides.begin(), builder.getIndexAttr(stride));
      stride *= type.getDimSize(i);
    }
    strides.insert(strides.begin(), builder.getIndexAttr(stride));
    view = memref::ReinterpretCastOp::create(
        builder, type, buffer, builder.getIndexAttr(0), sizes, strides);
  }
  if (isByNodes)
    byNodes[buffer] = view;
  return view;
}

SmallVector<Value> BlockBuilder::indexArrays() {
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI32Type());
  return llvm::map_to_vector(
      op.getStructures(), [&](const StructureKey &key) -> Value {
        return StructureOp::create(
            builder, type, op.getGraphAttr(),
            StructureKeyAttr::get(builder.getContext(), key));
      });
}

scf::ForallOp BlockBuilder::forall(ValueRange ends, ArrayRef<int64_t> steps) {
  SmallVector<OpFoldResult> begins(ends.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> foldedEnds = getAsOpFoldResult(ends), foldedSteps;
  SmallVector<Attribute> mapping;
  gpu::MappingId ids[] = {gpu::MappingId::DimX, gpu::MappingId::DimY,
                          gpu::MappingId::DimZ};
  for (auto [i, step] : llvm::enumerate(steps)) {
    foldedSteps.push_back(builder.getIndexAttr(step));
    mapping.push_back(
        gpu::GPUBlockMappingAttr::get(builder.getContext(), ids[i]));
  }
  auto loop = scf::ForallOp::create(builder, begins, foldedEnds, foldedSteps,
                                    /*outputs=*/ValueRange(),
                                    builder.getArrayAttr(mapping));
  loop->setAttr(attribute::madeOf,
                builder.getStringAttr(op->getName().stripDialect()));
  if (Attribute schedule = op.getTileSchedule())
    loop->setAttr(attribute::schedule, schedule);
  return loop;
}
