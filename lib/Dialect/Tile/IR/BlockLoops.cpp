//===- BlockLoops.cpp - Loops over blocks ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/BlockLoops.h"

#include "GNN/Dialect/Tile/IR/FormAttributes.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace gnn::tile;

/// The most threads that a block of any GPU has.
static constexpr int64_t mostThreads = 1024;

std::optional<gpu::Dimension> gnn::tile::getGridDimension(scf::ForallOp op,
                                                          unsigned i) {
  std::optional<ArrayAttr> mapping = op.getMapping();
  if (!mapping || i >= mapping->size())
    return std::nullopt;
  auto block = dyn_cast<gpu::GPUBlockMappingAttr>((*mapping)[i]);
  if (!block || block.isLinearMapping())
    return std::nullopt;
  return static_cast<gpu::Dimension>(block.getRelativeIndex());
}

static LogicalResult verifyMapping(scf::ForallOp op) {
  llvm::SmallSet<gpu::Dimension, 3> seen;
  for (int64_t i = 0; i < op.getRank(); ++i) {
    std::optional<gpu::Dimension> dimension = getGridDimension(op, i);
    if (dimension && seen.insert(*dimension).second)
      continue;
    InFlightDiagnostic diag =
        op.emitOpError("expected a loop over blocks, each dimension mapped to "
                       "one of #gpu.block<x>, <y> and <z>, got ");
    return op.getMapping() ? diag << *op.getMapping() : diag << "no mapping";
  }
  return success();
}

LogicalResult gnn::tile::verifyBlocks(scf::ForallOp op) {
  if (op.getNumResults())
    return op.emitOpError("expected a loop over blocks on buffers, got one "
                          "with results");
  for (ArrayRef<OpFoldResult> bounds :
       {op.getMixedLowerBound(), op.getMixedStep()})
    for (OpFoldResult bound : bounds)
      if (!getConstantIntValue(bound))
        return op.emitOpError("expected constant lower bounds and steps");
  for (OpFoldResult step : op.getMixedStep())
    if (*getConstantIntValue(step) < 1)
      return op.emitOpError("expected steps of at least 1, got ")
             << *getConstantIntValue(step);
  return verifyMapping(op);
}

LogicalResult gnn::tile::verifyThreads(scf::ForallOp op) {
  auto threads = op->getAttrOfType<IntegerAttr>(attribute::threads);
  if (!threads || threads.getInt() < 1 || threads.getInt() > mostThreads) {
    InFlightDiagnostic diag = op.emitOpError("expected ")
                              << attribute::threads << " of 1 to "
                              << mostThreads << ", got ";
    if (Attribute given = op->getAttr(attribute::threads))
      return diag << given;
    return diag << "none";
  }
  WalkResult walk =
      op.getBody()->walk<WalkOrder::PreOrder>([](Operation *inner) {
        if (!isa<TileDialect>(inner->getDialect()))
          return WalkResult::advance();
        inner->emitOpError(
            "has no form for a thread: expected it to be lowered "
            "before its loop over blocks becomes a kernel");
        return WalkResult::interrupt();
      });
  return failure(walk.wasInterrupted());
}

CostOp gnn::tile::findCost(scf::ForallOp op) {
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode()) {
    if (auto cost = dyn_cast<CostOp>(prev))
      return cost;
    if (isa<scf::ForallOp, TileOpInterface>(prev)) // it would be of that launch
      return {};
  }
  return {};
}
