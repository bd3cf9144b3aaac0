//===- TileToGPU.cpp - gnn_tile -> gpu ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel and one launch for each template and loop over blocks, in order.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "Kernel.h"
#include "Outline.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTILETOGPU
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

/// Refuses buffers that a bare pointer cannot stand for.
static LogicalResult checkBuffers(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type)
      return op->emitOpError("expected memrefs, got ") << operand.getType();
    if (failed(checkBuffer(op, type)))
      return failure();
  }
  return success();
}

/// States the cost of the launch that follows.
static void stateCost(TileOpInterface op) {
  OpBuilder builder(op);
  TileCost cost = op.getCost();
  auto count = [&](const CountKey &key) -> Value {
    return CountOp::create(builder, op.getLoc(), builder.getIndexType(),
                           op.getGraphAttr().getValue(), key);
  };
  auto state = [&](const CountSum &sum) {
    return sum.materialize(builder, op.getLoc(), count);
  };
  Value reads = state(cost.readBytes), writes = state(cost.writtenBytes);
  CostOp::create(builder, op.getLoc(), reads, writes, state(cost.flops));
}

static LogicalResult lowerTemplate(TileOpInterface op, Kernel &kernel) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TraverseOp op) {
        return op.emitOpError("expected lanes, as gnn-tile-distribute-lanes "
                              "makes them of a traversal");
      })
      .Case([&](GemmOp op) { return lowerGemm(op, kernel); })
      .Case([&](OuterOp op) { return lowerOuter(op, kernel); })
      .Default([](Operation *op) {
        return op->emitOpError("expected a template that becomes a kernel: "
                               "gnn_tile.traverse, gemm or outer");
      });
}

/// By the op that wrote what is in a buffer at this point of the function.
using Writers = DenseMap<Value, Location>;

/// Lowers a template by the emitter.
static LogicalResult emit(TileOpInterface op, gpu::GPUModuleOp module,
                          StringRef name, Writers &writers) {
  if (failed(checkBuffers(op)))
    return failure();
  stateCost(op);
  Kernel kernel(op, op.getGraphAttr(), module, name);
  auto destination = cast<DestinationStyleOpInterface>(op.getOperation());
  for (Value output : destination.getDpsInits())
    writers.insert_or_assign(getRoot(output), op.getLoc());
  for (Value operand : op->getOperands())
    if (auto found = writers.find(getRoot(operand)); found != writers.end())
      kernel.setOrigin(operand, found->second);
  if (failed(lowerTemplate(op, kernel)) ||
      failed(kernel.checkStructures(op.getStructures())))
    return failure();
  op->erase();
  return success();
}

/// The ops of a function that become kernels, in order.
static SmallVector<Operation *> findKernels(func::FuncOp func) {
  SmallVector<Operation *> found;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<TileOpInterface, scf::ForallOp>(op))
      return WalkResult::advance();
    found.push_back(op);
    return WalkResult::skip();
  });
  return found;
}

namespace {
struct ConvertGNNTileToGPU
    : gnn::impl::ConvertGNNTileToGPUBase<ConvertGNNTileToGPU> {
  void runOnOperation() override {
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            UnitAttr::get(&getContext()));
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(convert(func)))
        return signalPassFailure();
    WalkResult left = getOperation().walk([](TileOpInterface op) {
      op->emitOpError("expected a template in a func.func of the module");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp func) {
    SmallVector<Operation *> kernels = findKernels(func);
    if (kernels.empty())
      return success();
    OpBuilder builder(func);
    auto module = gpu::GPUModuleOp::create(builder, func.getLoc(),
                                           (func.getName() + "_kernels").str());
    Writers writers;
    for (auto [i, op] : llvm::enumerate(kernels)) {
      std::string name =
          (func.getName() + "_" + Twine(i) + "_" + nameOf(op)).str();
      auto loop = dyn_cast<scf::ForallOp>(op);
      if (failed(loop ? outline(loop, module, name, writers)
                      : emit(cast<TileOpInterface>(op), module, name, writers)))
        return failure();
    }
    return success();
  }
};
} // namespace
