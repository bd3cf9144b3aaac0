//===- TileToGPU.cpp - gnn_tile -> gpu ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel and one launch for each template, in order.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "Kernel.h"

#include "GNN/Dialect/GNN/IR/Origin.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
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
    if (!type.getLayout().isIdentity())
      return op->emitOpError("expected buffers without strides, got ") << type;
    Type element = type.getElementType();
    bool isScalar = type.getRank() == 0 && element.isSignlessInteger(64);
    if (!element.isF32() && !element.isSignlessInteger(32) && !isScalar)
      return op->emitOpError("expected buffers of f32 and i32, got ") << type;
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

/// The buffer that `memref` is a reshaped form of.
static Value getRoot(Value memref) {
  while (isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp,
                         memref::CastOp>(memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return memref;
}

static LogicalResult lowerTemplate(TileOpInterface op, Kernel &kernel) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TraverseOp op) { return lowerTraverse(op, kernel); })
      .Case([&](GemmOp op) { return lowerGemm(op, kernel); })
      .Case([&](OuterOp op) { return lowerOuter(op, kernel); })
      .Default([](Operation *op) {
        return op->emitOpError("expected a template that becomes a kernel: "
                               "gnn_tile.traverse, gemm or outer");
      });
}

/// What a kernel is called for: the first ops of the model that it computes, or
/// its template where these are unknown. Ops that only move values are named
/// where there are no others.
static std::string nameOf(Operation *op) {
  constexpr size_t most = 3;
  SmallVector<StringRef> names, moves;
  for (const gnn::Origin &origin : gnn::getOrigins(op->getLoc())) {
    bool isMove = llvm::is_contained(
        {"broadcast", "concat", "gather", "reshape", "slice"}, origin.op);
    SmallVector<StringRef> &list = isMove ? moves : names;
    if (list.size() < most && !llvm::is_contained(list, origin.op))
      list.push_back(origin.op);
  }
  if (names.empty())
    names = moves;
  if (names.empty())
    names.push_back(op->getName().stripDialect());
  std::string name = llvm::join(names, "_");
  // As PTX wants it, whatever a plugin's op is called.
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
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
    SmallVector<TileOpInterface> templates;
    func.walk([&](TileOpInterface op) { templates.push_back(op); });
    if (templates.empty())
      return success();
    OpBuilder builder(func);
    auto module = gpu::GPUModuleOp::create(builder, func.getLoc(),
                                           (func.getName() + "_kernels").str());
    // The op that wrote what is in a buffer at this point of the function.
    DenseMap<Value, Location> writers;
    for (auto [i, op] : llvm::enumerate(templates)) {
      if (failed(checkBuffers(op)))
        return failure();
      std::string name =
          (func.getName() + "_" + Twine(i) + "_" + nameOf(op)).str();
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
    }
    return success();
  }
};
} // namespace
