//===- WalkWindows.cpp - Windows over the elements of a row ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extent of a window follows from the row pointers: where the row begins,
// and the elements that are left of it, at most as many as a window has
// (G-Sparse, algorithm 1). So memory is allocated for a window, not for a row.
//
//===----------------------------------------------------------------------===//

#include "WalkWindows.h"

#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn::tile;

WalkWindows::WalkWindows(WalkOp walk) : walk(walk) {
  if (!walk.getWindow())
    return;
  for (auto workers = walk->getParentOfType<ParallelOp>(); workers;
       workers = workers->getParentOfType<ParallelOp>())
    if (workers.getOver() == Worker::Team)
      team = workers.getBody().front().getArgument(0);
  collect();
  if (!loads.empty())
    makeArrays();
}

/// Whether all lanes of a row compute the same with `op` from the position
/// alone: scalars, as far as `known` are such.
static bool isOfPosition(Operation &op,
                         const llvm::SmallPtrSetImpl<Operation *> &known) {
  auto load = dyn_cast<memref::LoadOp>(op);
  if (op.getNumResults() != 1 || op.getNumRegions() ||
      isa<VectorType>(op.getResult(0).getType()) ||
      (!load && !isMemoryEffectFree(&op)) ||
      (load && (isInWorkgroup(load.getMemRef()) ||
                load.getMemRefType().getElementTypeBitWidth() != 32)))
    return false;
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return !maker || maker->getBlock() != op.getBlock() ||
           known.contains(maker);
  });
}

/// Finds the last load on each way from the position to what differs between
/// lanes.
void WalkWindows::collect() {
  Block &body = walk.getBody().front();
  llvm::SmallPtrSet<Operation *, 16> ofPosition;
  llvm::SetVector<Operation *> staged;
  std::function<void(Value)> add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !ofPosition.contains(op))
      return;
    if (isa<memref::LoadOp>(op)) {
      staged.insert(op);
      return;
    }
    for (Value operand : op->getOperands())
      add(operand);
  };
  for (Operation &op : body) {
    if (isOfPosition(op, ofPosition) && !op.hasTrait<OpTrait::IsTerminator>()) {
      ofPosition.insert(&op);
      continue;
    }
    for (Value operand : op.getOperands())
      add(operand);
  }
  loads = staged.takeVector();
}

/// In front of the teams; walks that stage as many values of the same types
/// share them, as their workers wait for each other.
void WalkWindows::makeArrays() {
  auto teams = walk->getParentOfType<TeamsOp>();
  int64_t count = teams.getSpread().getTeams();
  ofTeam = team ? static_cast<int64_t>(*walk.getWindow())
                : static_cast<int64_t>(*walk.getWindow()) / count;
  IndexBuilder b(walk.getLoc(), teams);
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  llvm::SmallPtrSet<Operation *, 4> taken;
  auto isOfWindows = [](ArrayOp array) {
    return llvm::any_of(array->getUsers(), [](Operation *user) {
      return isa<StageWindowOp>(user);
    });
  };
  for (Operation *load : loads) {
    auto type = MemRefType::get({count, ofTeam}, load->getResult(0).getType(),
                                MemRefLayoutAttrInterface(), space);
    Value found;
    for (auto array : teams->getBlock()->getOps<ArrayOp>())
      if (!found && array.getArray().getType() == type && isOfWindows(array) &&
          llvm::all_of(
              array->getUsers(),
              [&](Operation *user) { return teams->isAncestor(user); }) &&
          taken.insert(array).second)
        found = array;
    if (!found) {
      auto array = ArrayOp::create(b, type, /*permuted=*/1);
      taken.insert(array);
      found = array;
    }
    arrays.push_back(found);
  }
}

void WalkWindows::stage(IndexBuilder &b, Value first, Value end) {
  auto op = StageWindowOp::create(b, first, end, team, arrays,
                                  /*async=*/false);
  OpBuilder::InsertionGuard restore(b);
  Block &body = op.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&body);
  IRMapping mapping;
  Block &from = walk.getBody().front();
  mapping.map(from.getArgument(0),
              body.addArgument(b.getIndexType(), b.getLoc()));
  std::function<void(Operation *)> clone = [&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == &from && !mapping.contains(operand))
        clone(maker);
    b.clone(*inner, mapping);
  };
  SmallVector<Value> numbers;
  for (Operation *load : loads) {
    if (!mapping.contains(load->getResult(0)))
      clone(load);
    numbers.push_back(mapping.lookup(load->getResult(0)));
  }
  YieldOp::create(b, numbers);
}

SmallVector<Value> WalkWindows::makeLoop(IndexBuilder &b, Value begin,
                                         Value end, ValueRange states,
                                         Body body) {
  auto window = static_cast<int64_t>(*walk.getWindow());
  Value length = b.sub(end, begin);
  Value count = arith::CeilDivSIOp::create(b, length, b.index(window));
  if (team)
    count = MostOfTeamsOp::create(b, count);
  return b.loop(b.index(0), count, b.index(1), states,
                [&](Value number, ValueRange carried) {
                  // A team that has none left has no elements in them.
                  Value first = b.min(b.add(begin, b.mul(number, window)), end);
                  Value last = b.min(b.add(first, window), end);
                  stage(b, first, last);
                  firstOfWindow = first;
                  return body(first, last, carried);
                });
}

void WalkWindows::map(IndexBuilder &b, Value position, IRMapping &values) {
  Value entry = b.sub(position, firstOfWindow), row = team;
  if (!team) {
    row = arith::DivUIOp::create(b, entry, b.index(ofTeam));
    entry = arith::RemUIOp::create(b, entry, b.index(ofTeam));
  }
  for (auto [load, array] : llvm::zip_equal(loads, arrays))
    values.map(load->getResult(0),
               memref::LoadOp::create(b, array, ValueRange{row, entry}));
}
