//===- FuseLoops.cpp - One loop instead of two over the same rows ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that stay have no loop in them and give each row its own values, so
// that two of them are one where the second reads of the first what it is at,
// and one traversal can hold the features of both.
//
//===----------------------------------------------------------------------===//

#include "Lifting.h"

#include "GNN/Dialect/GNN/IR/Features.h"
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::loops;

static bool isOverSameRows(RowLoopInterface first, RowLoopInterface second) {
  return first->getName() == second->getName() &&
         first.getLoopRows() == second.getLoopRows();
}

/// Whether `second` reads of the results of `first` only those of its own row.
static bool readsOwnRows(RowLoopInterface first, RowLoopInterface second) {
  return llvm::all_of(first->getUsers(), [&](Operation *user) {
    auto read = dyn_cast<ReadOp>(user);
    return !second->isProperAncestor(user) ||
           (read && read.getRow() == second.getLoopRow());
  });
}

/// The loop of the two at whose place both can be; null where there is none.
static Operation *placeOf(RowLoopInterface first, RowLoopInterface second) {
  Block *block = first->getBlock();
  bool readAfter = llvm::all_of(first->getUsers(), [&](Operation *user) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    return reader == second || second->isBeforeInBlock(reader);
  });
  if (readAfter)
    return second;
  bool madeBefore = true;
  second->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (maker && maker->getBlock() == block && maker != first)
        madeBefore &= maker->isBeforeInBlock(first);
    }
  });
  return madeBefore ? first.getOperation() : nullptr;
}

/// The longest of the features that a loop gives. None of its values has more:
/// its ops keep features or repeat them, and all serve a result.
static ArrayRef<int64_t> featuresOf(RowLoopInterface loop) {
  ArrayRef<int64_t> longest;
  for (Type type : loop->getResultTypes())
    if (auto shape = getFeatures(cast<RankedTensorType>(type));
        shape.size() > longest.size())
      longest = shape;
  return longest;
}

/// Replaces two loops by one at the place of one of them. Results of the first
/// that only the second reads are dropped.
static void fuse(OpBuilder &builder, RowLoopInterface first,
                 RowLoopInterface second, Operation *place) {
  SmallVector<Value> results;
  for (Value result : first->getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          return !second->isProperAncestor(user);
        }))
      results.push_back(result);
  llvm::append_range(results, second->getResults());
  builder.setInsertionPoint(place);
  RowLoopInterface loop =
      createLoop(builder, second.getLoc(), first.getLoopRows().getRows(),
                 TypeRange(ValueRange(results)));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getLoopBody());
  IRMapping mapping;
  DenseMap<Value, Value> given; // for each result, the value of a row
  for (RowLoopInterface part : {first, second}) {
    mapping.map(part.getLoopRow(), loop.getLoopRow());
    for (Operation &op : part.getLoopBody()->without_terminator()) {
      auto read = dyn_cast<ReadOp>(op);
      if (Value own = read ? given.lookup(read.getInput()) : Value())
        mapping.map(read.getResult(), own);
      else
        inside.clone(op, mapping);
    }
    Operation *yield = part.getLoopBody()->getTerminator();
    for (auto [result, value] :
         llvm::zip(part->getResults(), yield->getOperands()))
      given[result] = mapping.lookupOrDefault(value);
  }
  SmallVector<Value> values;
  for (Value result : results)
    values.push_back(given.lookup(result));
  SmallVector<std::optional<ReduceKind>> reductions(values.size());
  SmallVector<std::optional<EndPoint>> ends(values.size());
  YieldOp::create(inside, loop.getLoc(), values, reductions, ends);
  for (auto [old, now] : llvm::zip(results, loop->getResults()))
    old.replaceUsesWithIf(now, [&](OpOperand &use) {
      return !second->isProperAncestor(use.getOwner());
    });
  second->erase();
  first->erase();
}

unsigned gnn::loops::fuseLoops(
    OpBuilder &builder, Block &block,
    llvm::function_ref<void(RowLoopInterface, ArrayRef<int64_t>,
                            ArrayRef<int64_t>)>
        refuse) {
  for (unsigned fused = 0;; ++fused) {
    SmallVector<RowLoopInterface> loops(block.getOps<RowLoopInterface>());
    llvm::MapVector<RowLoopInterface, RowLoopInterface> refused;
    bool changed = false;
    for (size_t j = 1; j < loops.size() && !changed; ++j)
      for (size_t i = 0; i < j && !changed; ++i) {
        if (!isOverSameRows(loops[i], loops[j]) ||
            !readsOwnRows(loops[i], loops[j]))
          continue;
        Operation *place = placeOf(loops[i], loops[j]);
        if (!place)
          continue;
        if (!meet(featuresOf(loops[i]), featuresOf(loops[j]))) {
          refused.insert({loops[j], loops[i]});
          continue;
        }
        fuse(builder, loops[i], loops[j], place);
        changed = true;
      }
    if (changed)
      continue;
    for (auto [loop, other] : refused)
      refuse(loop, featuresOf(other), featuresOf(loop));
    return fused;
  }
}
