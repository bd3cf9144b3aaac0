//===- CyclicWalks.cpp - Teams that take turns ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows have no results, nothing goes from one element to the next. The
// numbers of elements that the teams of a warp load and store then lie side by
// side, and where these teams read a row at the destination, it is mostly the
// same one.
//
//===----------------------------------------------------------------------===//

#include "EdgeWalks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// The rows that the elements from `first` on lead to, by each map.
SmallVector<Value> EdgeWalk::loadMaps(Value first) {
  Values numbers, loaded;
  for (int64_t u = 0; u < layout.inFlight; ++u)
    numbers.push_back(b.add(first, u));
  for (RowDomain target : op.getMapTargets()) {
    Value map = arrays.get(getMapKey(domain.getElements(), target));
    llvm::append_range(
        loaded, loadElements(numbers, b.getI32Type(), [&](unsigned u) -> Value {
          return memref::LoadOp::create(b, map, numbers[u]);
        }));
  }
  return loaded;
}

void EdgeWalk::walkCyclic(Value team) {
  for (Value value : fixed)
    (void)valueOf(value);
  SmallVector<RowDomain> targets = op.getMapTargets();
  Value own = b.add(firstRow, b.mul(team, layout.inFlight));
  int64_t step = layout.rowsPerBlock * layout.inFlight;
  int64_t end = layout.rowsPerBlock * TeamShare::elements;
  auto at = [&](Value offset) {
    return b.add(own,
                 arith::IndexCastUIOp::create(b, b.getIndexType(), offset));
  };
  auto body = [&](Value offset, ValueRange loaded) {
    Value first = at(offset), last = b.sub(op.getEndRow(), b.index(1));
    Values ahead = loadMaps(
        at(b.min(b.add(offset, b.number32(step)), b.number32(end - step))));
    Batch batch;
    batch.points.resize(layout.inFlight);
    for (auto [u, here] : llvm::enumerate(batch.points)) {
      here.number = b.add(first, u);
      here.position = b.min(here.number, last);
      for (auto [i, target] : llvm::enumerate(targets))
        here.rows[target] = arith::IndexCastOp::create(
            b, b.getIndexType(), loaded[i * layout.inFlight + u]);
    }
    for (WalkPoint &here : batch.points) { // its group's, which may be others
      row = here.rows[domain.getGroups()];
      rows.clear();
      for (Value value : ofGroup)
        rowValues.erase(value);
      batch.groupValues.push_back(llvm::map_to_vector(
          ofGroup, [&](Value value) { return valueOf(value); }));
    }
    rows.clear();
    loadSideBySide(batch);
    evaluateBatch(ofElement, batch);
    evaluateBatch(ofBoth, batch);
    storeElements(batch);
    return ahead;
  };
  b.loop(b.number32(0), b.number32(end), b.number32(step),
         loadMaps(at(b.number32(0))), body);
}
