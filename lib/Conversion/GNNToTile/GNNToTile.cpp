//===- GNNToTile.cpp - gnn -> gnn_tile ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds each function on plain tensors: a GEMM for what is one, a traversal
// for the rest, an error at the op for what is neither.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTOGNNTILE
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

LogicalResult Lowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](GatherOp o) { return lowerGather(o); })
      .Case([&](AggregateOp o) { return lowerAggregate(o); })
      .Case([&](DegreeOp o) { return lowerDegree(o); })
      .Case([&](ApplyOp o) { return lowerApply(o); })
      .Case([&](SddmmOp o) { return lowerSddmm(o); })
      .Case([&](SpmmOp o) { return lowerSpmm(o); })
      .Case([&](EdgeSoftmaxOp o) { return lowerEdgeSoftmax(o); })
      .Case([&](AttentionOp o) { return lowerAttention(o); })
      .Case([&](LinearOp o) { return lowerLinear(o); })
      .Case([&](TypedLinearOp o) { return lowerTypedLinear(o); })
      .Case([&](OuterOp o) { return lowerOuter(o); })
      .Case([&](TypedOuterOp o) { return lowerTypedOuter(o); })
      .Case([&](WeightProductOp o) { return lowerWeightProduct(o); })
      .Case([&](WeightCombineOp o) { return lowerWeightCombine(o); })
      .Case([&](DotOp o) { return lowerDot(o); })
      .Case([&](OuterRowsOp o) { return lowerOuterRows(o); })
      .Case([&](ActivationOp o) { return lowerActivation(o); })
      .Case([&](BatchNormOp o) { return lowerBatchNorm(o); })
      .Case([&](LayerNormOp o) { return lowerLayerNorm(o); })
      .Case([&](DropoutOp o) { return lowerDropout(o); })
      .Case([&](BroadcastOp o) { return lowerBroadcast(o); })
      .Case([&](ConcatOp o) { return lowerConcat(o); })
      .Case([&](SliceOp o) { return lowerSlice(o); })
      .Case([&](ReduceHeadsOp o) { return lowerReduceHeads(o); })
      .Case([&](ReduceFeaturesOp o) { return lowerReduceFeatures(o); })
      .Case([&](ReshapeOp o) {
        set(o.getResult(), reshape(o.getLoc(), view(o.getInput()),
                                   describe(o.getType()).features));
        return success();
      })
      .Case([&](RebindRowsOp o) { return lowerRenamed(o, /*prefix=*/false); })
      .Case([&](RestrictRowsOp o) { return lowerRestrict(o); })
      .Case([&](PrefixRowsOp o) { return lowerRenamed(o, /*prefix=*/true); })
      .Case([&](WeightTransposeOp o) { return lowerWeightTranspose(o); })
      .Case([&](RowLoopInterface o) { return lowerLoop(o); })
      .Default([&](Operation *o) -> LogicalResult {
        if (isElementwise(o))
          return lowerElementwise(o);
        return o->emitOpError(
            "has neither a GEMM nor a traversal to be lowered to");
      });
}

/// Drops the encoding: level 2 keeps row spaces in accesses. A scalar of the
/// caller is a tensor of rank 0: kernels read it where it lies.
static RankedTensorType plainType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  return RankedTensorType::get({}, type);
}

/// What an argument or result is at level 1, for the launch plan.
static void describeBoundary(func::FuncOp func, Type type, unsigned index,
                             bool isResult) {
  RowsAttr rows = getRows(type);
  if (!rows)
    return;
  if (isResult)
    func.setResultAttr(index, "gnn.rows", rows);
  else
    func.setArgAttr(index, "gnn.rows", rows);
}

/// True if the function is written on level 2 already.
static bool isOnLevel2(func::FuncOp func) {
  return llvm::any_of(func.getOps(), [](Operation &op) {
    return isa_and_nonnull<tile::TileDialect>(op.getDialect());
  });
}

/// Refuses tensors whose number of rows nothing gives, and rows so wide that
/// the offset of a feature is no 32-bit number.
static LogicalResult checkTensors(Operation *op, TypeRange types) {
  constexpr int64_t limit = int64_t(1) << 30;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (!getRows(tensor) && !tensor.hasStaticShape())
      return op->emitOpError("expected rows of a graph or a static shape, got ")
             << tensor;
    int64_t size = 1;
    for (int64_t feature : getFeatures(tensor))
      if (feature > limit || (size *= feature) > limit)
        return op->emitOpError("expected at most ")
               << limit << " features, got " << tensor;
  }
  return success();
}

namespace {
struct ConvertGNNToGNNTile
    : gnn::impl::ConvertGNNToGNNTileBase<ConvertGNNToGNNTile> {
  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!func.isExternal() && !isOnLevel2(func) && failed(convert(func)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp func);
  FlatSymbolRefAttr anyGraph(func::FuncOp func) {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (!graph.isDerived())
        return FlatSymbolRefAttr::get(graph);
    return FlatSymbolRefAttr::get(&getContext(), "none");
  }
};
} // namespace

LogicalResult ConvertGNNToGNNTile::convert(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a straight line, got several blocks");
  if (failed(checkTensors(func, func.getArgumentTypes())))
    return failure();
  Block &block = func.getBody().front();
  OpBuilder builder(&block, block.begin());
  Lowering lowering(builder, anyGraph(func));
  SmallVector<Type> argumentTypes, resultTypes;
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type type = argument.getType();
    if (!isa<RankedTensorType>(type) && !type.isInteger(64))
      return func.emitOpError("expected tensors and i64 as arguments, got ")
             << type;
    argumentTypes.push_back(plainType(type));
  }
  // The old ops keep their operands until they are erased, so arguments change
  // their types only at the end; casts bridge the gap.
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator())
    old.push_back(&op);
  for (BlockArgument argument : block.getArguments()) {
    RankedTensorType type = plainType(argument.getType());
    Rows rows = lowering.describeArgument(argument.getType());
    rows.tensor = UnrealizedConversionCastOp::create(builder, argument.getLoc(),
                                                     type, ValueRange(argument))
                      .getResult(0);
    lowering.set(argument, rows);
  }
  for (Operation *op : old) {
    if (failed(checkTensors(op, op->getResultTypes())))
      return failure();
    builder.setInsertionPoint(op);
    if (isa<arith::ConstantOp>(op)) {
      Value value = op->getResult(0);
      Rows rows = lowering.describeArgument(value.getType());
      RankedTensorType type = plainType(value.getType());
      TypedAttr attr = cast<arith::ConstantOp>(op).getValue();
      auto dense = dyn_cast<DenseElementsAttr>(attr);
      if (isa<RankedTensorType>(value.getType()) &&
          (!dense || !dense.isSplat()))
        return op->emitOpError("expected a constant of one value, others are "
                               "arguments of the function; got ")
               << value.getType();
      dense = dense ? dense.reshape(type)
                    : DenseElementsAttr::get(type, Attribute(attr));
      rows.tensor = arith::ConstantOp::create(builder, op->getLoc(), dense);
      lowering.set(value, rows);
      continue;
    }
    if (failed(lowering.lower(op)))
      return failure();
  }
  Operation *terminator = block.getTerminator();
  builder.setInsertionPoint(terminator);
  SmallVector<Value> results;
  for (Value value : terminator->getOperands()) {
    if (isCondition(value))
      return terminator->emitOpError("expected f32 or i32, got ")
             << value.getType();
    resultTypes.push_back(plainType(value.getType()));
    results.push_back(lowering.result(terminator->getLoc(), value));
  }
  func::ReturnOp::create(builder, terminator->getLoc(), results);
  terminator->erase();
  for (Operation *op : llvm::reverse(old))
    op->erase();
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    describeBoundary(func, type, i, false);
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    describeBoundary(func, type, i, true);
  for (auto [argument, type] : llvm::zip(block.getArguments(), argumentTypes)) {
    argument.setType(type);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto cast = llvm::cast<UnrealizedConversionCastOp>(user);
      cast.getResult(0).replaceAllUsesWith(Value(argument));
      cast.erase();
    }
  }
  func.setType(FunctionType::get(&getContext(), argumentTypes, resultTypes));
  return success();
}
