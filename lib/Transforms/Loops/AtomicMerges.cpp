//===- AtomicMerges.cpp - Parts of rows that teams add up -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `merge = atomic` the teams of a walk by edges leave nothing to each
// other: each adds what it has of a row to that row, which was zero before.
//
//===----------------------------------------------------------------------===//

#include "EdgeWalks.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Adds a part of a group to its rows.
void EdgeWalk::addToGroup(Value group, ValueRange states) {
  auto add = AddAtomicallyOp::create(b);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(&add.getRegion().front());
  finishGroup(
      group, states,
      arrays.elementsOf(b, domain.getGroups(), domain.getElements(), group));
}

/// The group that goes on behind the share.
void EdgeWalk::addLast(const Carried &carried, Value team) {
  Value flags = fieldOf(shareOf(team), TeamShare::Flags);
  Value goesOn = arith::OrIOp::create(b, carried.isHead,
                                      hasFlag(flags, TeamShare::HasTail));
  b.where(goesOn, [&] { addToGroup(carried.group, carried.states); });
}
