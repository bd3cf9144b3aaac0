//===- MergedRows.cpp - Several rows of a team as one walk ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of the rows are merged by the rows of features that they lead to
// (`MergedRows` of Lattice.h). A walk over what is merged has states for each
// of the rows; a row without an element in an entry adds nothing.
//
//===----------------------------------------------------------------------===//

#include "TraversalLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Walks and stores the rows of the team with that number.
void TraversalLoops::makeMergedRows(Value team) {
  int64_t count = layout.rowsPerTeam;
  auto [reductions, outputs, needs] = collectWalked(/*rank=*/0);
  Value first = b.mul(team, count);
  SmallVector<LocatedRow> located;
  for (int64_t i = 0; i < count; ++i) {
    locateRow(b.add(first, i));
    for (Value value : needs)
      if (!getLevel(value).element)
        (void)valueOf(value);
    located.push_back(*this);
  }

  StructureKey key = *getMergedKey(op);
  Value entries = arrays.get(key);
  Value starts = arrays.get(StructureKey::mergedRows(key));
  first = b.add(firstRow, first);
  Value last = b.sub(op.getEndRow(), b.index(1));
  Value tile = arith::DivUIOp::create(b, b.min(first, last), b.index(count));
  Value from = b.loadIndex(starts, tile);
  Value to = b.loadIndex(starts, b.add(tile, 1));
  to = arith::SelectOp::create(b, b.less(first, op.getEndRow()), to, from);

  SmallVector<Operation *> ofAll;
  for (int64_t i = 0; i < count; ++i)
    llvm::append_range(ofAll, reductions);
  WalkOp walk = createWalk(from, to, ofAll, layout.inFlight,
                           layout.runsOf(layout.mostOfTeam()));
  {
    OpBuilder::InsertionGuard restore(b);
    Block &body = walk.getBody().front();
    b.setInsertionPointToEnd(&body);
    Value entry = b.mul(body.getArgument(0), MergedRows::entryLength(count));
    RowDomain target = key.target;
    Value reached = b.loadIndex(entries, entry);
    SmallVector<Value> states;
    for (auto [i, own] : llvm::enumerate(located)) {
      static_cast<LocatedRow &>(*this) = own;
      Value word = memref::LoadOp::create(b, entries, b.add(entry, 1 + i));
      Value has = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, word,
                                        b.number32(0));
      WalkPoint here;
      here.position = IndexArrays::rowOfWord(b, word);
      here.rows[target] = reached;
      point = &here;
      for (Value value : needs)
        if (getLevel(value).element)
          (void)valueOf(value);
      for (Operation *reduction : reductions) {
        Value state = statesOf(reduction).front();
        Value none = identitiesOf(reduction).front();
        states.push_back(arith::SelectOp::create(b, has, state, none));
      }
    }
    point = nullptr;
    YieldOp::create(b, states);
  }

  b.setInsertionPointAfter(walk);
  for (auto [i, own] : llvm::enumerate(located)) {
    static_cast<LocatedRow &>(*this) = own;
    SmallVector<Value> results(
        walk.getResults().slice(i * reductions.size(), reductions.size()));
    if (firstPart)
      results = combineAll(reductions, results, walkParts(reductions));
    finishAll(reductions, results);
    storeGroup();
  }
}
