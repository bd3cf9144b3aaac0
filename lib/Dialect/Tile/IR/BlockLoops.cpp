//===- BlockLoops.cpp - Loops over blocks ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gnn_tile.blocks. Its ODS description holds the labels that the comments below
// refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn::tile;

/// The most dimensions that a grid has.
static constexpr int64_t mostDimensions = 3;

void BlocksOp::build(OpBuilder &builder, OperationState &state,
                     ArrayRef<OpFoldResult> ends, ArrayRef<int64_t> steps,
                     StringAttr madeOf, Attribute schedule) {
  SmallVector<Value> dynamicEnds;
  SmallVector<int64_t> staticEnds;
  dispatchIndexOpFoldResults(ends, dynamicEnds, staticEnds);
  build(builder, state, dynamicEnds, staticEnds, steps, madeOf, schedule,
        /*threads=*/IntegerAttr());
  Block &body = state.regions.front()->emplaceBlock();
  for (size_t i = 0; i < steps.size(); ++i)
    body.addArgument(builder.getIndexType(), state.location);
  ensureTerminator(*state.regions.front(), builder, state.location);
}

SmallVector<OpFoldResult> BlocksOp::getMixedEnds() {
  return getMixedValues(getStaticEnds(), getEnds(), getContext());
}

BlocksOp BlocksOp::createEmpty(OpBuilder &builder, int64_t threads) {
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPoint(*this);
  auto made = BlocksOp::create(builder, getLoc(), getMixedEnds(), getSteps(),
                               getMadeOfAttr(), getScheduleAttr());
  made->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  made.setThreads(threads);
  return made;
}

//===----------------------------------------------------------------------===//
// As a loop
//===----------------------------------------------------------------------===//

SmallVector<Region *> BlocksOp::getLoopRegions() { return {&getRegion()}; }

std::optional<SmallVector<Value>> BlocksOp::getLoopInductionVars() {
  return llvm::to_vector_of<Value>(getBody()->getArguments());
}

std::optional<SmallVector<OpFoldResult>> BlocksOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>(
      getRank(), IntegerAttr::get(IndexType::get(getContext()), 0));
}

std::optional<SmallVector<OpFoldResult>> BlocksOp::getLoopUpperBounds() {
  return getMixedEnds();
}

/// Nothing moves out of a kernel.
bool BlocksOp::isDefinedOutsideOfLoop(Value) { return false; }

std::optional<SmallVector<OpFoldResult>> BlocksOp::getLoopSteps() {
  return getAsIndexOpFoldResult(getContext(), getSteps());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isSchedule(Attribute value) {
  auto several = dyn_cast<ArrayAttr>(value);
  return isa<ScheduleInterface, StringAttr>(value) ||
         (several && llvm::all_of(several, isSchedule));
}

LogicalResult BlocksOp::verify() {
  int64_t rank = getRank();
  if (rank < 1 || rank > mostDimensions) // C1
    return emitOpError("expected 1 to ")
           << mostDimensions << " dimensions, got " << rank;
  for (int64_t step : getSteps())
    if (step < 1) // C1
      return emitOpError("expected steps of at least 1, got ") << step;
  int64_t dynamicEnds = llvm::count_if(getStaticEnds(), ShapedType::isDynamic);
  int64_t staticEnds = getStaticEnds().size() - dynamicEnds,
          ends = getEnds().size();
  if (staticEnds + dynamicEnds != rank || dynamicEnds != ends) // C1
    return emitOpError("expected an end for each of ")
           << rank << " dimensions, got " << staticEnds + ends;
  for (int64_t end : getStaticEnds())
    if (end < 0 && !ShapedType::isDynamic(end)) // C1
      return emitOpError("expected ends of at least 0, got ") << end;
  int64_t threads = getThreads().value_or(1);
  int64_t mostThreads = TargetLimits::ofGPU().threads;
  if (threads < 1 || threads > mostThreads) // C2
    return emitOpError("expected 1 to ")
           << mostThreads << " threads, got " << threads;
  if (getSchedule() && !isSchedule(*getSchedule())) // C3
    return emitOpError("expected the schedule of a template, or its text, got ")
           << *getSchedule();
  if ((*this)->getParentOfType<BlocksOp>()) // C4
    return emitOpError("expected no other gnn_tile.blocks around it");
  return success();
}

LogicalResult BlocksOp::verifyRegions() {
  TypeRange types = getBody()->getArgumentTypes();
  if (static_cast<int64_t>(types.size()) == getRank() &&
      llvm::all_of(types, [](Type type) { return type.isIndex(); })) // C1
    return success();
  return emitOpError("expected a body with an index for each of ")
         << getRank() << " dimensions, got " << types;
}

LogicalResult BlocksOp::verifyOfThreads() {
  if (!getThreads())
    return emitOpError("expected 'threads' of a block, got none");
  for (Operation &op : getBody()->without_terminator()) {
    WalkResult walk = op.walk<WalkOrder::PreOrder>([](Operation *inner) {
      if (!isa<TileDialect>(inner->getDialect()))
        return WalkResult::advance();
      inner->emitOpError("has no form for a thread: expected it to be lowered "
                         "before its loop over blocks becomes a kernel");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

CostOp BlocksOp::findCost() {
  for (Operation *prev = (*this)->getPrevNode(); prev;
       prev = prev->getPrevNode()) {
    if (auto cost = dyn_cast<CostOp>(prev))
      return cost;
    if (isa<BlocksOp, TileOpInterface>(prev)) // it would be of that launch
      return {};
  }
  return {};
}
