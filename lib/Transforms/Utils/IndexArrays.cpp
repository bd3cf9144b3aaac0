//===- IndexArrays.cpp - The index arrays of a template -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexArrays.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

IndexArrays::IndexArrays(TileOpInterface op, ValueRange arrays) : op(op) {
  for (auto [key, array] : llvm::zip_equal(op.getStructures(), arrays))
    byKey.try_emplace(key, array);
}

Value IndexArrays::get(const StructureKey &key) {
  Value &array = byKey[key];
  if (!array) {
    auto type = MemRefType::get({ShapedType::kDynamic}, host->getI32Type());
    array = StructureOp::create(*host, op.getLoc(), type, op.getGraphAttr(),
                                StructureKeyAttr::get(op.getContext(), key));
  }
  return array;
}

Value IndexArrays::reach(IndexBuilder &b, AtAttr at, RowDomain from,
                         Value row) {
  if (!at.getSpace() || !needsMap(from, at.getSpace()))
    return row;
  if (auto traverse = dyn_cast_or_null<TraverseOp>(op.getOperation()))
    if (std::optional<StructureKey> rows = getSearchedKey(traverse, at))
      return search(b, *rows, row);
  Value array = get(getMapKey(from, at.getSpace()));
  return b.loadIndex(array, from.isTiles() ? firstOfTile(b, row) : row);
}

/// The pointer at `low` is not beyond the position, that at `high` is: half of
/// the groups between them are left by each step.
Value IndexArrays::search(IndexBuilder &b, const StructureKey &rows,
                          Value position) {
  Value array = get(rows);
  auto blocks = b.getInsertionBlock()->getParentOp();
  while (blocks && !isa<BlocksOp>(blocks))
    blocks = blocks->getParentOp();
  OpBuilder outside = blocks ? OpBuilder(blocks) : *host;
  Value count = CountOp::create(outside, op.getLoc(), outside.getIndexType(),
                                op.getGraphAttr().getValue(),
                                CountKey::count(rows.group));
  Value bits = arith::IndexCastOp::create(b, b.getI32Type(), count);
  bits = math::CountLeadingZerosOp::create(b, bits);
  Value steps =
      b.sub(b.index(32), arith::IndexCastOp::create(b, b.getIndexType(), bits));
  Value first = b.index(0);
  return b
      .loop(first, steps, b.index(1), {first, count},
            [&](Value, ValueRange between) -> SmallVector<Value> {
              Value low = between[0], high = between[1];
              Value middle =
                  arith::ShRUIOp::create(b, b.add(low, high), b.index(1));
              Value isBeyond = b.less(position, b.loadIndex(array, middle));
              return {arith::SelectOp::create(b, isBeyond, low, middle),
                      arith::SelectOp::create(b, isBeyond, middle, high)};
            })
      .front();
}

Value IndexArrays::rowOfWord(IndexBuilder &b, Value word) {
  constexpr int64_t row = 0x7fffffff; // the top bit says that the group ends
  Value bits = arith::ConstantIntOp::create(b, row, 32);
  return arith::IndexCastOp::create(b, b.getIndexType(),
                                    arith::AndIOp::create(b, word, bits));
}

/// The quotient by a number, and the rest.
static std::pair<Value, Value> split(IndexBuilder &b, Value value, int64_t by) {
  return {arith::DivUIOp::create(b, value, b.index(by)),
          arith::RemUIOp::create(b, value, b.index(by))};
}

Value IndexArrays::wordAt(IndexBuilder &b, TraverseOp op, RowDomain target,
                          Value position) {
  auto [share, word] = split(b, position, TeamShare::elements);
  auto [turn, rest] = split(b, word, TeamShare::wordsTogether);
  Value turns = b.add(b.mul(turn, TeamShare::wordsOfTurn), rest);
  return wordOf(b, op, target, share, turns);
}

Value IndexArrays::wordOf(IndexBuilder &b, TraverseOp op, RowDomain target,
                          Value share, Value turns, int64_t more) {
  Value stream = get(StructureKey::stream(
      op.getGroups().get().space, op.getElements().get(), target.get()));
  constexpr int64_t together = TeamShare::sharesTogether;
  auto [all, own] = split(b, share, together);
  Value first = b.add(b.mul(all, together * TeamShare::elements),
                      b.mul(own, TeamShare::wordsTogether));
  return memref::LoadOp::create(b, stream, b.add(b.add(first, turns), more));
}

IndexArrays::ElementRange IndexArrays::elementsOf(IndexBuilder &b,
                                                  RowDomain groups,
                                                  RowDomain elements,
                                                  Value group) {
  Value array = get(getRowsKey(groups, elements));
  Value first = groups.isTiles() ? b.add(firstOfTile(b, group), 1) : group;
  Value begin = b.loadIndex(array, first);
  return {begin, b.loadIndex(array, b.add(first, 1))};
}

SmallVector<Value> gnn::tile::getIndices(ArrayRef<Value> dimensions) {
  return llvm::filter_to_vector(dimensions, [](Value at) { return bool(at); });
}

SmallVector<Value> gnn::tile::getIndices(IndexBuilder &b, AtAttr at, Value row,
                                         Value head, Value column) {
  return getIndices(
      {row, at.getHead() ? b.add(head, at.getHeadOffset()) : Value(),
       at.getFeature() ? b.add(column, at.getOffset()) : Value()});
}
