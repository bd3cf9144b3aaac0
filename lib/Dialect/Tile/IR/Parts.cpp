//===- Parts.cpp - Groups that are made of parts --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Parts.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

SmallVector<Value> TraverseOp::getReduced() {
  SmallVector<Value> reduced;
  for (Operation &inner : getBody().front().without_terminator())
    if (reducesElements(&inner))
      llvm::append_range(reduced, inner.getResults());
  return reduced;
}

AtAttr TraverseOp::getPartAt(Value reduced) {
  Level level = getLevel(reduced);
  return AtAttr::get(reduced.getContext(), Anchor::Group, RowDomain(),
                     level.head, level.feature, /*offset=*/0);
}

int64_t TraverseOp::getLongLength() {
  return getPartsOf() && getPartsOf()->isLongTiles()
             ? getPartsOf()->getTiles().tile
             : 0;
}

CountSum TraverseOp::countWalked() {
  auto ofLong = [](RowDomain tiles) -> CountSum {
    StructureKey key = tiles.getTiles();
    return CountKey::longElementCount(key.group, key.elements, key.tile);
  };
  if (getGroups().isLongTiles())
    return ofLong(getGroups());
  if (joinsPieces())
    return 0;
  CountSum all = CountSum::rows(getElements());
  return getLongLength() ? all + ofLong(*getPartsOf()) * -1 : all;
}

/// Checks one part against the result that it is one of.
static LogicalResult verifyPart(TraverseOp op, Type part, Value reduced) {
  AtAttr at = TraverseOp::getPartAt(reduced);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  if (at.getHead())
    shape.push_back(op.getDomain().getHeads());
  if (at.getFeature())
    shape.push_back(op.getDomain().getFeatures());
  Type expected = isa<MemRefType>(part)
                      ? Type(MemRefType::get(shape, reduced.getType()))
                      : RankedTensorType::get(shape, reduced.getType());
  if (part == expected)
    return success();
  return op.emitOpError("expected parts of ")
         << expected << " for a reduction, got " << part;
}

LogicalResult gnn::tile::verifyParts(TraverseOp op) {
  std::optional<RowDomain> tiles = op.getPartsOf();
  if (!tiles) {
    if (op.getParts().empty())
      return success();
    return op.emitOpError("expected the tiles that 'parts' are of"); // C12
  }
  RowDomain groups = op.getGroups(), elements = op.getElements();
  bool isKnown =
      tiles->isLongTiles() || (tiles->isPieces() && op->getNumResults() == 0);
  if (!isKnown || !elements.isOfGraph() || !groups.isOfGraph() ||
      groups != RowDomain(tiles->getTiles().group) ||
      elements != RowDomain(tiles->getTiles().elements)) // C12
    return op.emitOpError("expected parts of the long tiles, or in buffers of "
                          "the pieces, of its groups and elements, '")
           << groups.str() << "' and '" << elements.str() << "', got '"
           << tiles->str() << "'";
  if (countWalks(op) > 1) // C12
    return op.emitOpError(
        "expected elements that are walked once where groups "
        "are made of parts, got a body that needs a reduction "
        "over them for each of them");
  if (tiles->isPieces() && failed(verifyPieces(op, *tiles)))
    return failure();
  SmallVector<Value> reduced = op.getReduced();
  if (op.getParts().size() != reduced.size() || reduced.empty()) // C13
    return op.emitOpError("expected one of 'parts' for each result of a "
                          "reduction over elements: ")
           << reduced.size() << ", got " << op.getParts().size();
  for (auto [part, value] : llvm::zip(op.getParts(), reduced))
    if (failed(verifyPart(op, part.getType(), value))) // C13
      return failure();
  return success();
}
