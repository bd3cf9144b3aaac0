//===- Barriers.cpp - Where threads wait for each other -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in the order of execution knows what has been read and written since
// the last barrier. The body of a loop is walked twice, the second time after
// itself. What a loop or branch would have to wait for inside, for what was
// before it, it waits for in front, once.
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace {
/// Which slot of an array: `slot`, or the other one. A constant has no value.
struct Slot {
  Value value;
  bool isOther = false, isKnown = false;

  bool operator==(const Slot &slot) const {
    return value == slot.value && isOther == slot.isOther &&
           isKnown == slot.isKnown;
  }
  /// True where both are never the same.
  bool differs(const Slot &slot) const {
    return isKnown && slot.isKnown && value == slot.value &&
           isOther != slot.isOther;
  }
};

/// Something that threads have read or written.
struct Access {
  Value array;
  Slot slot;
  bool isWrite;

  bool operator==(const Access &other) const {
    return array == other.array && slot == other.slot &&
           isWrite == other.isWrite;
  }
  bool conflicts(const Access &other) const {
    return array == other.array && (isWrite || other.isWrite) &&
           !slot.differs(other.slot);
  }
};

using Accesses = SmallVector<Access>;

class BarrierInserter {
public:
  void walk(Block &block, Accesses &pending);

private:
  void waitFor(Operation *op, const Accesses &accesses, Accesses &pending);
  void walkLoop(scf::ForOp loop, Accesses &pending);
};
} // namespace

static Slot slotOf(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {Value(), *constant != 0, true};
  auto sub = value.getDefiningOp<arith::SubIOp>();
  if (sub && getConstantIntValue(sub.getLhs()) == 1) {
    Slot slot = slotOf(sub.getRhs());
    slot.isOther = !slot.isOther;
    return slot;
  }
  return {value, false, true};
}

/// What an op itself reads or writes in workgroup memory.
static std::optional<Access> accessOf(Operation *op) {
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer)
    return std::nullopt;
  auto type = dyn_cast<MemRefType>(transfer.getBase().getType());
  if (!type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return std::nullopt;
  Slot slot;
  if (type.getRank() > 2 && type.getDimSize(0) == 2)
    slot = slotOf(transfer.getIndices().front());
  return Access{transfer.getBase(), slot, isa<vector::TransferWriteOp>(op)};
}

static Accesses accessesIn(Operation *op) {
  Accesses all;
  op->walk([&](Operation *inner) {
    if (std::optional<Access> access = accessOf(inner))
      all.push_back(*access);
  });
  return all;
}

static void addAll(Accesses &to, const Accesses &from) {
  for (const Access &access : from)
    if (!llvm::is_contained(to, access))
      to.push_back(access);
}

/// Lets threads wait in front of `op` if one of its accesses needs that.
void BarrierInserter::waitFor(Operation *op, const Accesses &accesses,
                              Accesses &pending) {
  bool mustWait = llvm::any_of(accesses, [&](const Access &access) {
    return llvm::any_of(pending, [&](const Access &before) {
      return access.conflicts(before);
    });
  });
  if (!mustWait)
    return;
  OpBuilder builder(op);
  gpu::BarrierOp::create(builder, op->getLoc());
  pending.clear();
}

/// Puts the slots that a step used in terms of the values that replace the
/// carried ones: `1 - slot` is carried where the slots are taken in turns.
static Accesses inNextStep(scf::ForOp loop, const Accesses &accesses,
                           ValueRange next) {
  Accesses mapped(accesses);
  for (Access &access : mapped) {
    if (!access.slot.value)
      continue;
    auto carried = llvm::find(loop.getRegionIterArgs(), access.slot.value);
    if (carried == loop.getRegionIterArgs().end()) {
      if (loop->isProperAncestor(
              access.slot.value.getParentBlock()->getParentOp()) ||
          access.slot.value.getParentBlock() == loop.getBody())
        access.slot = {}; // of that step alone
      continue;
    }
    unsigned number = carried - loop.getRegionIterArgs().begin();
    Slot yielded = slotOf(loop.getYieldedValues()[number]);
    bool isInTurns = yielded.isKnown && yielded.value == access.slot.value;
    access.slot = isInTurns ? Slot{next[number],
                                   access.slot.isOther != yielded.isOther, true}
                            : Slot{};
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
      pending.clear();
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
    } else if (std::optional<Access> access = accessOf(&op)) {
      waitFor(&op, {*access}, pending);
      addAll(pending, {*access});
    }
  }
}

void gnn::tile::insertBarriers(scf::ForallOp blocks) {
  Accesses pending;
  BarrierInserter().walk(*blocks.getBody(), pending);
}
