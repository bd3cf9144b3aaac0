//===- ProductForms.cpp - Products in their forms -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace gnn::tile;

LoadRowsOp gnn::tile::getCopiedRows(vector::TransferWriteOp write) {
  constexpr int64_t atOnce = 4; // of f32
  auto load = write.getVector().getDefiningOp<LoadRowsOp>();
  auto array = dyn_cast<MemRefType>(write.getBase().getType());
  auto spread = write->getAttrOfType<SpreadAttr>(spreadAttribute);
  if (!load || !array || !spread)
    return {};
  VectorType type = load.getType();
  bool isTile = type.getRank() == 2 && type.getElementType().isF32() &&
                load.getAligned() % atOnce == 0 &&
                !load.getSource().getType().getMemorySpace();
  bool isStaged = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(array) &&
                  array.getRank() == 2 && !write.hasOutOfBoundsDim() &&
                  !write.getMask() && write.getPermutationMap().isIdentity();
  bool isSpread = spread.getEach() == ArrayRef<int64_t>{1, atOnce};
  return isTile && isStaged && isSpread ? load : LoadRowsOp();
}
