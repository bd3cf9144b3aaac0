//===- LoadAhead.cpp - Load a step while the one before is summed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a marked loop is cut in two: what loads, which belongs to the
// next step then, and the rest. Upstream's pipelining would give the loop
// stages too, but neither halves to the arrays nor a place to the loads among
// the rest.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LOADAHEAD
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
/// One marked loop.
class AheadLoop {
public:
  explicit AheadLoop(scf::ForOp loop) : loop(loop), b(loop.getLoc(), loop) {}

  /// Cuts the body in two. Empty if that can be done, else why not.
  std::string analyse();
  void rewrite();

private:
  std::string take(Value value);
  Value makeHalves(memref::AllocaOp array);
  SmallVector<Value> emitLoads(Value step);
  SmallVector<Value> emitRest(ValueRange carried, ValueRange loaded, Value half,
                              llvm::function_ref<void()> loadNext);
  void emitSome(Value begin, Value end);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  llvm::SetVector<Operation *> ahead; // what loads, in the order of the body
  SmallVector<Value> staged;          // what it gives
  int64_t depth = 0;                  // of what is staged
  llvm::SetVector<memref::AllocaOp> arrays;
};
} // namespace

/// Takes what computes `value` to the part that is ahead.
std::string AheadLoop::take(Value value) {
  if (value == loop.getInductionVar())
    return "";
  if (llvm::is_contained(loop.getRegionIterArgs(), value))
    return "what is loaded depends on what is summed";
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != loop || ahead.contains(op))
    return "";
  if (!isPure(op) && !isa<LoadRowsOp>(op))
    return "what is loaded depends on '" + op->getName().getStringRef().str() +
           "'";
  for (Value operand : op->getOperands())
    if (std::string why = take(operand); !why.empty())
      return why;
  ahead.insert(op);
  return "";
}

std::string AheadLoop::analyse() {
  for (auto write : loop.getOps<vector::TransferWriteOp>()) {
    auto array = write.getBase().getDefiningOp<memref::AllocaOp>();
    if (!array || array->getParentOp() == loop ||
        array.getType().getRank() != 2)
      return "a step writes to an array that is not staged";
    if (arrays.empty())
      depth = array.getType().getDimSize(0);
    if (array.getType().getDimSize(0) != depth)
      return "a step stages arrays of several depths";
    arrays.insert(array);
    if (std::string why = take(write.getVector()); !why.empty())
      return why;
    if (!llvm::is_contained(staged, write.getVector()))
      staged.push_back(write.getVector());
  }
  if (arrays.empty())
    return "a step stages nothing";
  if (loop.getOps<vector::ContractionOp>().empty())
    return "a step has no product";
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (ahead.contains(&op))
      continue;
    bool isLocal = op.getNumRegions() == 0 &&
                   (isPure(&op) ||
                    isa<vector::TransferWriteOp, vector::TransferReadOp>(op));
    if (!isLocal)
      return "a step holds '" + op.getName().getStringRef().str() + "'";
    for (Value operand : op.getOperands())
      if (operand == loop.getInductionVar() ||
          (operand.getDefiningOp() && ahead.contains(operand.getDefiningOp()) &&
           !llvm::is_contained(staged, operand)))
        return "what is summed depends on the number of the step";
  }
  for (memref::AllocaOp array : arrays)
    for (Operation *user : array->getUsers())
      if (auto access = dyn_cast<VectorTransferOpInterface>(user);
          !access || !isZeroInteger(access.getIndices()[0]))
        return "'" + user->getName().getStringRef().str() +
               "' uses a part of what is staged";
  // In the order of the body: operands were taken before their users, but from
  // several ends.
  llvm::SetVector<Operation *> ordered;
  for (Operation &op : *loop.getBody())
    if (ahead.contains(&op))
      ordered.insert(&op);
  ahead = std::move(ordered);
  return "";
}

/// An array of two halves; accesses outside of the loop are to the first.
Value AheadLoop::makeHalves(memref::AllocaOp array) {
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(array);
  MemRefType type = array.getType();
  auto halves = memref::AllocaOp::create(
      b, MemRefType::get({2 * depth, type.getDimSize(1)}, type.getElementType(),
                         MemRefLayoutAttrInterface(), type.getMemorySpace()));
  halves->setDiscardableAttrs(array->getDiscardableAttrDictionary());
  return halves;
}

/// What step `step` stages.
SmallVector<Value> AheadLoop::emitLoads(Value step) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step);
  for (Operation *op : ahead)
    b.clone(*op, mapping);
  return llvm::map_to_vector(
      staged, [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Stages and sums a step, and calls `loadNext` in front of the product, once
/// all of it is staged.
SmallVector<Value> AheadLoop::emitRest(ValueRange carried, ValueRange loaded,
                                       Value half,
                                       llvm::function_ref<void()> loadNext) {
  IRMapping mapping;
  mapping.map(loop.getRegionIterArgs(), carried);
  mapping.map(staged, loaded);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (ahead.contains(&op))
      continue;
    if (loadNext && isa<vector::ContractionOp>(op)) {
      loadNext();
      loadNext = nullptr;
    }
    Operation *clone = b.clone(op, mapping);
    // What a step only reads has no halves.
    auto access = dyn_cast<VectorTransferOpInterface>(op);
    auto array = access ? access.getBase().getDefiningOp<memref::AllocaOp>()
                        : memref::AllocaOp();
    if (!array || !arrays.contains(array))
      continue;
    if (auto write = dyn_cast<vector::TransferWriteOp>(clone))
      write.getIndicesMutable()[0].set(half);
    else
      cast<vector::TransferReadOp>(clone).getIndicesMutable()[0].set(half);
  }
  return llvm::map_to_vector(
      loop.getBody()->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// All steps, of which there is one.
void AheadLoop::emitSome(Value begin, Value end) {
  SmallVector<Value> state(loop.getInitArgs());
  size_t carried = state.size();
  llvm::append_range(state, emitLoads(begin));
  state.push_back(index(0));
  auto steps =
      scf::ForOp::create(b, arith::AddIOp::create(b, begin, loop.getStep()),
                         end, loop.getStep(), state);
  auto split = [&](ValueRange values) {
    return std::make_tuple(values.take_front(carried),
                           values.drop_front(carried).drop_back(),
                           values.back());
  };
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(steps.getBody());
    auto [sums, loaded, half] = split(steps.getRegionIterArgs());
    SmallVector<Value> ahead;
    SmallVector<Value> next = emitRest(sums, loaded, half, [&] {
      ahead = emitLoads(steps.getInductionVar());
    });
    llvm::append_range(next, ahead);
    next.push_back(arith::SubIOp::create(b, index(depth), half));
    scf::YieldOp::create(b, next);
  }
  auto [sums, loaded, half] = split(steps.getResults());
  scf::YieldOp::create(b, emitRest(sums, loaded, half, nullptr));
}

void AheadLoop::rewrite() {
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  Value isSome =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, begin, end);
  auto some = scf::IfOp::create(b, loop.getResultTypes(), isSome,
                                /*withElseRegion=*/true);
  b.setInsertionPointToStart(some.thenBlock());
  emitSome(begin, end);
  b.setInsertionPointToStart(some.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  loop.replaceAllUsesWith(some.getResults());
  loop.erase();
  for (memref::AllocaOp array : arrays) {
    array.replaceAllUsesWith(makeHalves(array));
    array.erase();
  }
}

namespace {
struct LoadAhead : gnn::impl::LoadAheadBase<LoadAhead> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(loadAheadAttribute))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      AheadLoop ahead(loop);
      loop->removeAttr(loadAheadAttribute);
      auto named = [&](StringRef name) {
        return remark::RemarkOpts::name(name).category(getArgument());
      };
      if (std::string why = ahead.analyse(); !why.empty()) {
        remark::missed(loop.getLoc(), named("Refused")) << why;
        continue;
      }
      Location loc = loop.getLoc(); // it is replaced
      ahead.rewrite();
      remark::passed(loc, named("Ahead"))
          << "the next step is loaded while one is summed";
    }
  }
};
} // namespace
