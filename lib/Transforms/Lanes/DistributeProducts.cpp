//===- DistributeProducts.cpp - Tiles over the threads of a block ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the body of a loop over blocks anew, statement by statement: scalars as
// they are, vectors as the parts of them that one thread holds.
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "ProductParts.h"
#include "RunByEach.h"

#include "GNN/Dialect/Tile/IR/FormAttributes.h"
#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Transforms/Lanes/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_DISTRIBUTEPRODUCTS
#include "GNN/Transforms/Lanes/Passes.h.inc"
} // namespace gnn

static bool isVector(Type type) { return isa<VectorType>(type); }

/// The parts of `values`, each as that of `as` is asked for; scalars as they
/// are.
SmallVector<Value> ProductDistribution::partsOf(ValueRange values,
                                                ValueRange as) {
  SmallVector<Value> parts;
  for (auto [value, model] : llvm::zip_equal(values, as)) {
    if (!isVector(value.getType()))
      parts.push_back(scalar(value));
    else if (!asked[model].empty())
      llvm::append_range(parts, materialized(value, asked[model].front()));
  }
  return parts;
}

/// Lets `values` be held as `parts`, which are those of `partsOf`.
void ProductDistribution::setParts(ValueRange values, ValueRange parts) {
  for (Value value : values) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type) {
      scalars.map(value, parts.front());
      parts = parts.drop_front();
    } else if (!asked[value].empty()) {
      Layout layout = asked[value].front();
      int64_t count = layout.rowsOf(type) * layout.columnsOf(type);
      held[{value.getAsOpaquePointer(), layout.key()}] =
          SmallVector<Value>(parts.take_front(count));
      parts = parts.drop_front(count);
    }
  }
}

LogicalResult ProductDistribution::distributeFor(scf::ForOp loop) {
  auto steps =
      scf::ForOp::create(b, scalar(loop.getLowerBound()),
                         scalar(loop.getUpperBound()), scalar(loop.getStep()),
                         partsOf(loop.getInitArgs(), loop.getRegionIterArgs()));
  scalars.map(loop.getInductionVar(), steps.getInductionVar());
  setParts(loop.getRegionIterArgs(), steps.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard restore(b);
    if (!steps.getBody()->empty())
      steps.getBody()->back().erase();
    b.setInsertionPointToEnd(steps.getBody());
    if (failed(distribute(*loop.getBody())))
      return failure();
    b.setLoc(loop.getLoc());
    scf::YieldOp::create(
        b, partsOf(loop.getYieldedValues(), loop.getRegionIterArgs()));
  }
  setParts(loop.getResults(), steps.getResults());
  return success();
}

LogicalResult ProductDistribution::distributeIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    auto type = dyn_cast<VectorType>(result.getType());
    if (!type) {
      types.push_back(result.getType());
    } else if (!asked[result].empty()) {
      Layout layout = asked[result].front();
      types.append(layout.rowsOf(type) * layout.columnsOf(type),
                   partType(type.getElementType(), layout, {}));
    }
  }
  auto copy = scf::IfOp::create(b, types, scalar(op.getCondition()),
                                static_cast<bool>(op.elseBlock()));
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard restore(b);
    if (to.front().mightHaveTerminator())
      to.front().getTerminator()->erase();
    b.setInsertionPointToEnd(&to.front());
    if (failed(distribute(from.front())))
      return failure();
    scf::YieldOp::create(b, partsOf(from.front().getTerminator()->getOperands(),
                                    op.getResults()));
  }
  setParts(op.getResults(), copy.getResults());
  return success();
}

/// A part of the block that is what a thread does already.
LogicalResult ProductDistribution::copyPart(Operation *op) {
  auto ofPart = op->getAttrOfType<IntegerAttr>(attribute::threads);
  if (ofPart.getInt() != threads)
    return op->emitOpError("cannot be distributed over threads: expected as "
                           "many as the tiles of the block are spread over, ")
           << threads << ", got " << ofPart.getInt();
  b.clone(*op, scalars)->removeAttr(attribute::threads);
  return success();
}

LogicalResult ProductDistribution::distribute(Operation *op) {
  b.setLoc(op->getLoc());
  if (op->hasAttr(attribute::threads))
    return copyPart(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return distributeFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return distributeIf(branch);
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return stage(write);
  if (auto product = dyn_cast<vector::ContractionOp>(op))
    return multiply(product);
  if (auto rows = dyn_cast<StoreRowsOp>(op))
    return store(rows), success();
  bool givesVectors = llvm::any_of(op->getResultTypes(), isVector);
  if (givesVectors && op->getNumResults() == 1 &&
      (isPure(op) || isa<LoadRowsOp, vector::TransferReadOp>(op)))
    return materialize(op->getResult(0)), success();
  if (givesVectors || llvm::any_of(op->getOperandTypes(), isVector) ||
      op->getNumRegions())
    return op->emitOpError("cannot be distributed over threads");
  if (failed(verifyRunByEach(op)))
    return failure();
  Operation *clone = b.clone(*op, scalars);
  if (auto permuted = clone->getAttrOfType<IntegerAttr>(permutedAttribute)) {
    permutations[op->getResult(0)] = permuted.getInt();
    clone->removeAttr(permutedAttribute);
  }
  return success();
}

LogicalResult ProductDistribution::distribute(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(distribute(&op)))
      return failure();
  return success();
}

LogicalResult ProductDistribution::run() {
  if (failed(askAll()))
    return failure();
  if (failed(insertBarriers(blocks)))
    return failure();
  made = scf::ForallOp::create(
      b, blocks.getMixedLowerBound(), blocks.getMixedUpperBound(),
      blocks.getMixedStep(), /*outputs=*/ValueRange(), blocks.getMapping());
  made->setDiscardableAttrs(blocks->getDiscardableAttrDictionary());
  made->setAttr(attribute::threads, b.getI64IntegerAttr(threads));
  scalars.map(blocks.getInductionVars(), made.getInductionVars());
  b.setInsertionPoint(made.getBody()->getTerminator());
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  if (failed(distribute(*blocks.getBody())))
    return failure();
  blocks.erase();
  return success();
}

/// True if the tiles of the loop are spread, and rows are not over lanes.
static bool isOfProducts(scf::ForallOp blocks) {
  if (blocks->hasAttr(attribute::lanes) || blocks->hasAttr(attribute::threads))
    return false;
  WalkResult walk = blocks.getBody()->walk([](Operation *op) {
    auto store = dyn_cast<StoreRowsOp>(op);
    bool isSpread =
        op->hasAttr(spreadAttribute) || (store && store.getSpread());
    return isSpread ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

namespace {
struct DistributeProducts
    : gnn::impl::DistributeProductsBase<DistributeProducts> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp blocks) {
      if (isOfProducts(blocks))
        loops.push_back(blocks);
    });
    for (scf::ForallOp blocks : loops) {
      Location loc = blocks.getLoc(); // it is replaced
      if (failed(ProductDistribution(blocks).run()))
        return signalPassFailure();
      passed(getArgument(), loc, "Distributed")
          << "tiles are spread over threads";
    }
  }
};
} // namespace
