//===- TileToGPU.cpp - gnn_tile -> gpu ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel and one launch for each loop over blocks, in order.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "KernelFunc.h"
#include "Outline.h"

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/KernelName.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTILETOGPU
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

/// By the op that wrote what is in a buffer at this point of the function.
using Writers = DenseMap<Value, Location>;

/// The loops over blocks of a function, in order; reports a template that is
/// left.
static FailureOr<SmallVector<BlocksOp>> findKernels(func::FuncOp func) {
  SmallVector<BlocksOp> found;
  WalkResult walk = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<TileOpInterface>(op)) {
      op->emitOpError(
          "expected a loop over blocks with what its threads do, as "
          "gnn-lanes-pipeline makes it of gnn_tile.traverse, gemm or "
          "outer");
      return WalkResult::interrupt();
    }
    auto loop = dyn_cast<BlocksOp>(op);
    if (!loop)
      return WalkResult::advance();
    found.push_back(loop);
    return WalkResult::skip();
  });
  if (walk.wasInterrupted())
    return failure();
  return found;
}

namespace {
struct ConvertGNNTileToGPU
    : gnn::impl::ConvertGNNTileToGPUBase<ConvertGNNTileToGPU> {
  void runOnOperation() override {
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            UnitAttr::get(&getContext()));
    SymbolTable symbols(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(convert(func, symbols)))
        return signalPassFailure();
    WalkResult left = getOperation().walk([](TileOpInterface op) {
      op->emitOpError("expected a template in a func.func of the module");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp func, SymbolTable &symbols) {
    FailureOr<SmallVector<BlocksOp>> kernels = findKernels(func);
    if (failed(kernels) || kernels->empty())
      return kernels;
    int64_t lanes = getBlockLimits(func).lanes;
    if (lanes != TargetLimits::ofGPU().lanes)
      return func.emitOpError("expected a target of ")
             << TargetLimits::ofGPU().lanes
             << " lanes a warp to make kernels for, got " << lanes;
    OpBuilder builder(func);
    auto module = gpu::GPUModuleOp::create(builder, func.getLoc(),
                                           (func.getName() + "_kernels").str());
    symbols.insert(module); // another name where this one is taken
    Writers writers;
    for (auto [i, loop] : llvm::enumerate(*kernels)) {
      if (failed(outline(loop, module, nameKernel(func.getName(), i, loop),
                         writers)))
        return failure();
    }
    return success();
  }
};
} // namespace
