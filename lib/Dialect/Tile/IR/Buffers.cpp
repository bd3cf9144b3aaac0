//===- Buffers.cpp - Buffers behind views ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Buffers.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Value gnn::tile::getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view)) // a place in the workspace
      break;
    memref = view.getViewSource();
  }
  return memref;
}

SmallVector<gnn::tile::BufferAccess> gnn::tile::getAccesses(Operation *op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return {};
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  SmallVector<BufferAccess> accesses;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (effect.getValue() && isa<MemRefType>(effect.getValue().getType()) &&
        (isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
      accesses.push_back({getBuffer(effect.getValue()), isWrite});
  }
  return accesses;
}

Value gnn::tile::withRows(OpBuilder &builder, Location loc, Value buffer,
                          MemRefType type, Value rows) {
  SmallVector<OpFoldResult> sizes{rows}, strides;
  int64_t stride = 1;
  for (int64_t i = type.getRank() - 1; i > 0; --i) {
    sizes.insert(sizes.begin() + 1, builder.getIndexAttr(type.getDimSize(i)));
    strides.insert(strides.begin(), builder.getIndexAttr(stride));
    stride *= type.getDimSize(i);
  }
  strides.insert(strides.begin(), builder.getIndexAttr(stride));
  return memref::ReinterpretCastOp::create(
      builder, loc, type, buffer, builder.getIndexAttr(0), sizes, strides);
}
