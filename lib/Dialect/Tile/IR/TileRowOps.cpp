//===- TileRowOps.cpp - Tiles of rows -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of what products of the loops form read and write, and of how
// it is spread over threads.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace gnn::tile;

#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileRowOps.cpp.inc"

static Value findRowVector(ValueRange indices) {
  auto found = llvm::find_if(
      indices, [](Value index) { return isa<VectorType>(index.getType()); });
  return found == indices.end() ? Value() : *found;
}

Value LoadRowsOp::getRowVector() { return findRowVector(getIndices()); }
Value StoreRowsOp::getRowVector() { return findRowVector(getIndices()); }
bool LoadRowsOp::hasColumns() {
  return getType().getRank() == 2 || !getRowVector();
}
bool StoreRowsOp::hasColumns() {
  return cast<VectorType>(getValue().getType()).getRank() == 2 ||
         !getRowVector();
}

/// Checks the indices of one that is read or written.
template <typename RowsOp>
static LogicalResult verifyIndices(RowsOp op, MemRefType memref) {
  auto indices = op.getIndices();
  if (static_cast<int64_t>(indices.size()) != memref.getRank())
    return op.emitOpError("expected an index for each dimension of ")
           << memref << ", got " << indices.size();
  int64_t vectors = llvm::count_if(
      indices, [](Value index) { return isa<VectorType>(index.getType()); });
  if (vectors > 1)
    return op.emitOpError("expected at most one vector of rows, got ")
           << vectors;
  return success();
}

template <typename RowsOp>
static LogicalResult verifyTile(RowsOp op, VectorType tile, MemRefType memref) {
  if (tile.getElementType() != memref.getElementType())
    return op.emitOpError("expected a tile of ")
           << memref.getElementType() << ", got " << tile;
  Value rows = op.getRowVector();
  if (!rows && tile.getRank() == 2)
    return op.emitOpError("expected a vector of rows for ") << tile;
  if (rows &&
      cast<VectorType>(rows.getType()).getDimSize(0) != tile.getDimSize(0))
    return op.emitOpError("expected a vector of ")
           << tile.getDimSize(0) << " rows, got " << rows.getType();
  if (op.hasColumns() && op.getIndices().empty())
    return op.emitOpError("expected a dimension of columns, got ") << memref;
  if (op.hasColumns() && rows == op.getIndices().back())
    return op.emitOpError("expected an index for the first column, got a "
                          "vector of rows");
  return success();
}

template <typename RowsOp> static LogicalResult verifyMasks(RowsOp op) {
  Value rows = op.getRowVector(), inside = op.getInside();
  if (inside && !rows)
    return op.emitOpError("expected a vector of rows beside 'where'");
  if (inside && cast<VectorType>(inside.getType()).getShape() !=
                    cast<VectorType>(rows.getType()).getShape())
    return op.emitOpError("expected 'where' of ")
           << rows.getType() << ", got " << inside.getType();
  std::optional<int64_t> below = op.getBelow();
  if (below && !op.hasColumns())
    return op.emitOpError("expected a dimension of columns beside 'below'");
  if (below && *below < 1)
    return op.emitOpError("expected 'below' to be positive, got ") << *below;
  return success();
}

template <typename RowsOp>
static LogicalResult verifyAligned(RowsOp op, VectorType tile,
                                   MemRefType memref) {
  int64_t aligned = op.getAligned();
  if (aligned == 1)
    return success();
  bool isPower = aligned > 0 && llvm::isPowerOf2_64(aligned);
  if (!isPower || !op.hasColumns() ||
      memref.isDynamicDim(memref.getRank() - 1) ||
      memref.getShape().back() % aligned || tile.getShape().back() % aligned ||
      static_cast<int64_t>(op.getBelow().value_or(0)) % aligned)
    return op.emitOpError(
               "expected 'aligned' to be a power of two that divides "
               "the columns of ")
           << memref << " and " << tile << " and 'below', got " << aligned;
  if (!memref.getLayout().isIdentity())
    return op.emitOpError("expected a memref without a layout beside "
                          "'aligned', got ")
           << memref;
  return success();
}

LogicalResult LoadRowsOp::verify() {
  VectorType tile = getType();
  auto memref = cast<MemRefType>(getSource().getType());
  if (failed(verifyIndices(*this, memref)) ||    // C1
      failed(verifyTile(*this, tile, memref)) || // C2
      failed(verifyMasks(*this)))                // C3
    return failure();
  return verifyAligned(*this, tile, memref); // C4
}

LogicalResult StoreRowsOp::verify() {
  auto tile = cast<VectorType>(getValue().getType());
  auto memref = cast<MemRefType>(getTarget().getType());
  if (failed(verifyIndices(*this, memref)) ||     // C1
      failed(verifyTile(*this, tile, memref)) ||  // C2
      failed(verifyMasks(*this)) ||               // C3
      failed(verifyAligned(*this, tile, memref))) // C4
    return failure();
  SpreadAttr spread = getSpreadAttr();
  if (static_cast<int64_t>(spread.getEach().size()) != tile.getRank()) // C5
    return emitOpError("expected a spread of ")
           << tile.getRank() << " dimensions, got " << spread;
  return success();
}
