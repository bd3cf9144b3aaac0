//===- Barriers.cpp - Where threads wait for each other -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in the order of execution knows what has been read and written since
// the last barrier. The body of a loop is walked twice, the second time after
// itself. Where a loop or branch would have to wait inside for what was before
// it, it waits in front, once.
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "LaneForms.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
/// Which half of an array: that of `value`, or the other one. A constant has no
/// value.
struct Half {
  Value value;
  bool isOther = false, isKnown = false;

  bool operator==(const Half &half) const {
    return value == half.value && isOther == half.isOther &&
           isKnown == half.isKnown;
  }
  /// True where both are never the same.
  bool differs(const Half &half) const {
    return isKnown && half.isKnown && value == half.value &&
           isOther != half.isOther;
  }
};

/// Something that threads have read or written.
struct Access {
  Value array;
  Half half;
  bool isWrite;
  bool isInFlight = false; // a copy that nobody has waited for
  Operation *op;           // null: of an earlier step of a loop

  bool operator==(const Access &other) const {
    return array == other.array && half == other.half &&
           isWrite == other.isWrite && isInFlight == other.isInFlight &&
           op == other.op;
  }
  /// Whether threads wait between it and one before.
  bool conflicts(const Access &before) const;
};

using Accesses = SmallVector<Access>;

class BarrierInserter {
public:
  BarrierInserter(const LoadsAt &loadsAt) : loadsAt(loadsAt) {}
  void walk(Block &block, Accesses &pending);
  bool isRefused = false;

private:
  Accesses accessesOf(Operation *op);
  Accesses accessesIn(Operation *op);
  void visit(Operation *op, Accesses &pending);
  void waitFor(Operation *op, const Accesses &accesses, Accesses &pending);
  void walkLoop(scf::ForOp loop, Accesses &pending);

  const LoadsAt &loadsAt;
};
} // namespace

/// Whether all that is computed of a value in its block goes into `store`.
static bool isReadFor(Value value, StoreRowsOp store) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == store ||
           (user->getBlock() == store->getBlock() && isPure(user) &&
            !user->getNumRegions() && !isa<ContractOp>(user) &&
            user->getNumResults() == 1 && isReadFor(user->getResult(0), store));
  });
}

bool gnn::tile::isInPlace(LoadRowsOp load, StoreRowsOp store) {
  return isSameValue(load.getSource(), store.getTarget()) &&
         load.getIndices() == store.getIndices() &&
         load.getType() == store.getValue().getType();
}

/// Whether each thread stores over what it has loaded or stored itself: in
/// place, loaded for that store alone, or in the same rows by the same spread.
static bool isOverOwn(StoreRowsOp store, Operation *before) {
  if (auto load = dyn_cast_if_present<LoadRowsOp>(before))
    return load->getBlock() == store->getBlock() && isInPlace(load, store) &&
           isReadFor(load.getResult(), store);
  auto other = dyn_cast_if_present<StoreRowsOp>(before);
  return other && isSameValue(other.getTarget(), store.getTarget()) &&
         other.getIndices() == store.getIndices() &&
         other.getValue().getType() == store.getValue().getType() &&
         other.getSpread() == store.getSpread();
}

bool Access::conflicts(const Access &before) const {
  if (array != before.array || (!isWrite && !before.isWrite) ||
      half.differs(before.half))
    return false;
  auto store = dyn_cast<StoreRowsOp>(op);
  return !store || isInWorkgroup(array) || !isOverOwn(store, before.op);
}

/// The half that `value` is the first row of, of arrays whose halves have
/// `rows` rows: a constant, the other half of a known one, or what a loop
/// carries that takes halves in turns.
static Half halfOf(Value value, int64_t rows) {
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    bool isHalf = *constant == 0 || *constant == rows;
    return {Value(), *constant != 0, isHalf};
  }
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    Half half = getConstantIntValue(sub.getLhs()) == rows
                    ? halfOf(sub.getRhs(), rows)
                    : Half();
    half.isOther = !half.isOther;
    return half;
  }
  scf::ForOp loop;
  unsigned number = 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    number = argument.getArgNumber() - 1;
  } else if ((loop = value.getDefiningOp<scf::ForOp>())) {
    number = cast<OpResult>(value).getResultNumber();
  } else {
    return {};
  }
  auto next = loop.getYieldedValues()[number].getDefiningOp<arith::SubIOp>();
  bool isByTurns = next && getConstantIntValue(next.getLhs()) == rows &&
                   next.getRhs() == loop.getRegionIterArg(number) &&
                   halfOf(loop.getInitArgs()[number], rows).isKnown;
  return {value, false, isByTurns};
}

/// The half of an array that an op accesses where it is staged, or read as a
/// tile; of others an unknown one.
static Half halfOf(Operation *op, Value array) {
  Value first;
  int64_t reached = 0; // rows, of which a half has as many or more
  if (auto stage = dyn_cast<StageOp>(op)) {
    first = stage.getRow();
    reached = stage.getNumRows();
  } else if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    AffineMap map = read.getPermutationMap();
    if (read.getBase() != array || read.getIndices().size() != 2 ||
        !map.isPermutation())
      return {};
    first = read.getIndices().front();
    reached =
        read.getVectorType().getDimSize(map.getDimPosition(0) == 0 ? 0 : 1);
  } else {
    return {};
  }
  int64_t rows = cast<MemRefType>(array.getType()).getDimSize(0) / 2;
  return reached <= rows ? halfOf(first, rows) : Half();
}

/// The reads and writes of an op itself, by its effects, and what threads read
/// where it stands.
Accesses BarrierInserter::accessesOf(Operation *op) {
  Accesses all;
  auto stage = dyn_cast<StageOp>(op);
  bool isInFlight = stage && stage.getBy() == Staging::InFlight;
  auto add = [&](Operation *from, bool inFlight) {
    for (auto [array, isWrite] : getAccesses(from))
      if (!isPrivate(array))
        all.push_back({array, halfOf(from, array), isWrite, inFlight, from});
  };
  add(op, isInFlight);
  if (isInFlight)
    add(stage.getCopiedRows(), isInFlight);
  if (auto contract = dyn_cast<ContractOp>(op))
    for (Value tile : {contract.getLeft(), contract.getRight()})
      if (auto read = tile.getDefiningOp<vector::TransferReadOp>())
        add(read, false);
  for (LoadRowsOp load : loadsAt.lookup(op))
    add(load, false);
  return all;
}

Accesses BarrierInserter::accessesIn(Operation *op) {
  Accesses all;
  op->walk(
      [&](Operation *inner) { llvm::append_range(all, accessesOf(inner)); });
  return all;
}

static void addAll(Accesses &to, const Accesses &from) {
  for (const Access &access : from)
    if (!llvm::is_contained(to, access))
      to.push_back(access);
}

/// A barrier holds no copy up.
static void passBarrier(Accesses &pending) {
  llvm::erase_if(pending,
                 [](const Access &access) { return !access.isInFlight; });
}

/// Lets threads wait in front of `op` if one of its accesses needs that.
void BarrierInserter::waitFor(Operation *op, const Accesses &accesses,
                              Accesses &pending) {
  bool mustWait = llvm::any_of(accesses, [&](const Access &access) {
    return llvm::any_of(pending, [&](const Access &before) {
      return !before.isInFlight && access.conflicts(before);
    });
  });
  if (!mustWait)
    return;
  OpBuilder builder(op);
  gpu::BarrierOp::create(builder, op->getLoc());
  passBarrier(pending);
}

void BarrierInserter::visit(Operation *op, Accesses &pending) {
  Accesses accesses = accessesOf(op);
  waitFor(op, accesses, pending);
  bool isCopied = llvm::any_of(accesses, [&](const Access &access) {
    return llvm::any_of(pending, [&](const Access &before) {
      return before.isInFlight && access.conflicts(before);
    });
  });
  if (isCopied && !isRefused) {
    op->emitOpError("uses what is being copied: expected an "
                    "nvgpu.device_async_wait in front of it");
    isRefused = true;
  }
  addAll(pending, accesses);
}

/// Puts the halves that a step used in terms of the values that replace the
/// carried ones, which are the other halves then.
static Accesses inNextStep(scf::ForOp loop, const Accesses &accesses,
                           ValueRange next) {
  Accesses mapped(accesses);
  for (Access &access : mapped) {
    if (access.op && loop->isAncestor(access.op))
      access.op = nullptr; // its rows were those of that step
    Value value = access.half.value;
    if (!value)
      continue;
    auto carried = llvm::find(loop.getRegionIterArgs(), value);
    if (carried != loop.getRegionIterArgs().end()) {
      unsigned number = carried - loop.getRegionIterArgs().begin();
      access.half = {next[number], !access.half.isOther, true};
    } else if (loop->isAncestor(value.getParentBlock()->getParentOp())) {
      access.half = {}; // of that step alone
    }
  }
  return mapped;
}

void BarrierInserter::walkLoop(scf::ForOp loop, Accesses &pending) {
  waitFor(loop, accessesIn(loop), pending);
  Accesses before = pending, after = pending;
  walk(*loop.getBody(), after);
  after = inNextStep(loop, after, loop.getRegionIterArgs());
  addAll(after, before);
  walk(*loop.getBody(), after);
  after = inNextStep(loop, after, loop.getResults());
  pending = before;
  addAll(pending, after);
}

void BarrierInserter::walk(Block &block, Accesses &pending) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<gpu::BarrierOp>(op)) {
      passBarrier(pending);
    } else if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op)) {
      if (wait.getNumGroups().value_or(0) == 0)
        for (Access &access : pending)
          access.isInFlight = false;
    } else if (isa<TeamsOp>(op)) { // it gets its own barriers
      Accesses all = accessesIn(&op);
      waitFor(&op, all, pending);
      addAll(pending, all);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      walkLoop(loop, pending);
    } else if (op.getNumRegions()) {
      waitFor(&op, accessesIn(&op), pending);
      Accesses before = pending;
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          Accesses after = before;
          walk(inner, after);
          addAll(pending, after);
        }
    } else {
      visit(&op, pending);
    }
  }
}

LogicalResult gnn::tile::insertBarriers(BlocksOp blocks,
                                        const LoadsAt &loadsAt) {
  Accesses pending;
  BarrierInserter inserter(loadsAt);
  inserter.walk(*blocks.getBody(), pending);
  return failure(inserter.isRefused);
}
