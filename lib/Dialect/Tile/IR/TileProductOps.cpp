//===- TileProductOps.cpp - Tiles and sums of products --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification. The ODS descriptions hold the labels that the comments below
// refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace gnn::tile;

#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileProductOps.cpp.inc"

/// Checks how a tile is spread.
static LogicalResult verifyTileSpread(Operation *op, SpreadAttr spread) {
  if (spread.getEach().size() == 2 && !spread.getTeams())
    return success();
  return op->emitOpError("expected a spread of two dimensions without teams, "
                         "got ")
         << spread;
}

LogicalResult ArrayOp::verify() {
  MemRefType type = getArray().getType();
  if ((!isInWorkgroup(getArray()) && !isPrivate(getArray())) ||
      !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getRank() == 0) // C1
    return emitOpError("expected an array of workgroup or private memory, of "
                       "static shape, of a dimension or more and without a "
                       "layout, got ")
           << type;
  auto permuted = static_cast<int64_t>(getPermuted());
  if (permuted != 1 && isPrivate(getArray())) // C3
    return emitOpError("expected no 'permuted' with private memory, got ")
           << permuted;
  if (permuted == 1 ||
      (llvm::is_contained({2, 4}, permuted) && type.getRank() == 2 &&
       type.getDimSize(1) % (8 * permuted) == 0)) // C2
    return success();
  return emitOpError("expected 'permuted' to be 1, 2 or 4, 8 times which "
                     "divides the columns of two dimensions, ")
         << type << ", got " << permuted;
}

LogicalResult StageOp::verify() {
  VectorType tile = getTile().getType();
  auto array = cast<MemRefType>(getArray().getType());
  if (!isInWorkgroup(getArray()) || array.getRank() != 2 ||
      array.getElementType() != tile.getElementType()) // C1
    return emitOpError("expected an array of workgroup memory, of two "
                       "dimensions of ")
           << tile.getElementType() << ", got " << array;
  int64_t columns = tile.getDimSize(getTransposed() ? 0 : 1);
  if (array.getDimSize(1) != columns ||
      array.getDimSize(0) < getNumRows()) // C2
    return emitOpError("expected an array of ")
           << columns << " columns and at least " << getNumRows()
           << " rows, got " << array;
  if (failed(verifyTileSpread(*this, getSpread()))) // C3
    return failure();
  if (getAhead() && getBy() == Staging::InFlight) // C4
    return emitOpError("expected 'ahead' by registers or async, got in_flight");
  return success();
}

LoadRowsOp StageOp::getCopiedRows() {
  constexpr int64_t atOnce = 4; // of f32
  auto load = getTile().getDefiningOp<LoadRowsOp>();
  if (!load || getTransposed() ||
      getSpread().getEach() != ArrayRef<int64_t>{1, atOnce})
    return {};
  bool isCopied = load.getType().getElementType().isF32() &&
                  load.getAligned() % atOnce == 0 &&
                  !load.getSource().getType().getMemorySpace();
  return isCopied ? load : LoadRowsOp();
}

LogicalResult ContractOp::verify() {
  VectorType left = getLeft().getType(), right = getRight().getType(),
             sums = getSums().getType();
  Type element = sums.getElementType();
  if (left.getDimSize(0) != right.getDimSize(0) ||
      sums.getShape() !=
          ArrayRef<int64_t>{left.getDimSize(1), right.getDimSize(1)} ||
      left.getElementType() != element || right.getElementType() != element)
    return emitOpError("expected tiles of shapes [k, m], [k, n] and [m, n] and "
                       "of one type, got ") // C1
           << left << ", " << right << " and " << sums;
  if (failed(verifyTileSpread(*this, getSpread()))) // C2
    return failure();
  if (getDepth() > depthAtOnce && getDepth() % depthAtOnce) // C4
    return emitOpError("expected a depth of at most ")
           << depthAtOnce << ", or a multiple of it, got " << getDepth();
  bool fits = element.isF32() && sums.getDimSize(0) == fragmentRows &&
              sums.getDimSize(1) % fragmentColumns == 0 &&
              getDepth() % fragmentDepth == 0;
  if (fits || !isOnTensorCores()) // C3
    return success();
  return emitOpError("expected sums of 64 rows and a multiple of 16 columns of "
                     "f32, over a depth that 16 divides, of '")
         << stringifyProductKind(getKind()) << "', got " << sums << " over "
         << getDepth();
}
