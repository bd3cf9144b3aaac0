//===- Ranges.cpp - Templates on ranges -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Ranges.h"

using namespace mlir;
using namespace gnn::tile;

LogicalResult gnn::tile::verifyRange(TraverseOp op) {
  if (!op.isOnRange()) {
    if (op.getIndexArrays().empty())
      return success();
    return op.emitOpError("expected 'rows' and 'columns' with 'index_arrays'");
  }
  for (Type type : op.getOperandTypes())
    if (isa<TensorType>(type))
      return op.emitOpError("expected memrefs on a range, got ") << type;
  if (failed(op.verifySchedule()))
    return failure();
  size_t expected = op.getStructures().size();
  if (op.getIndexArrays().size() != expected)
    return op.emitOpError("expected as many 'index_arrays' as it reads: ")
           << expected << ", got " << op.getIndexArrays().size();
  return success();
}
