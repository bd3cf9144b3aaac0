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
  Value bits = b.number32(row);
  return arith::IndexCastOp::create(b, b.getIndexType(),
                                    arith::AndIOp::create(b, word, bits));
}

/// The quotient by a number, and the rest.
static std::pair<Value, Value> split(IndexBuilder &b, Value value, int64_t by) {
  return {arith::DivUIOp::create(b, value, b.indexLike(value, by)),
          arith::RemUIOp::create(b, value, b.indexLike(value, by))};
}

Value IndexArrays::wordAt(IndexBuilder &b, TraverseOp op, RowDomain target,
                          Value position) {
  auto [share, offset] = split(b, position, TeamShare::elements);
  return wordsOf(b, op, target, share, offset, 1).front();
}

/// As of TeamShare::placeOfWord: a turn has some words of a share, and those of
/// the shares beside it.
SmallVector<Value> IndexArrays::wordsOf(IndexBuilder &b, TraverseOp op,
                                        RowDomain target, Value share,
                                        Value offset, int64_t count,
                                        bool once) {
  constexpr int64_t together = TeamShare::wordsTogether,
                    turn = TeamShare::wordsOfTurn,
                    shares = TeamShare::sharesTogether;
  Value stream = get(StructureKey::stream(
      op.getGroups().get().space, op.getElements().get(), target.get()));
  Value entry;
  if (count % together == 0) { // whole turns
    entry = b.mul(offset, turn / together);
  } else {
    auto [whole, rest] = split(b, offset, together);
    entry = b.add(b.mul(whole, turn), rest);
  }
  if (!entry.getType().isIndex())
    entry = arith::IndexCastUIOp::create(b, b.getIndexType(), entry);
  auto [all, own] = split(b, share, shares);
  Value first =
      b.add(b.mul(all, shares * TeamShare::elements), b.mul(own, together));
  SmallVector<Value> words;
  static_assert(together == LoadNumbersOp::together);
  if (once && count % together == 0) {
    for (int64_t u = 0; u < count / together; ++u)
      llvm::append_range(
          words, LoadNumbersOp::create(b, together, stream,
                                       b.add(b.add(first, entry), u * turn))
                     .getNumbers());
    return words;
  }
  for (int64_t u = 0; u < count; ++u)
    words.push_back(memref::LoadOp::create(
        b, stream,
        b.add(b.add(first, entry), u / together * turn + u % together)));
  return words;
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
