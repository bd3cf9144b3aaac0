//===- GNNToTile.cpp - gnn -> gnn_tile ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds each function on plain tensors: a GEMM for what is one, a traversal
// for the rest, an error at the op for what is neither.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Conversion/Passes.h"
#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/GNN/IR/Origin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTOGNNTILE
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

/// A tensor of the caller, whose rows are in their natural order. A scalar is a
/// tensor of rank 0: kernels read it where it lies.
static RankedTensorType plainType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  return RankedTensorType::get({}, type);
}

/// One number for each type: `rows` are those of `op`.
static LogicalResult lowerNumbersOfTypes(arith::ConstantOp op, LoweredRows rows,
                                         DenseElementsAttr numbers,
                                         Lowering &lowering) {
  auto values = llvm::to_vector(numbers.getValues<TypedAttr>());
  auto type =
      tile::AtAttr::get(op.getContext(), tile::Anchor::Group, {}, false, false,
                        /*offset=*/0);
  rows.tensor = lowering.rowwise(
      op.getLoc(), rows, numbers.getElementType(), rows.features, {},
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value number = tile::IndexOp::create(b, loc, b.getI32Type(), type);
        Value found = arith::ConstantOp::create(b, loc, values.front());
        for (auto [i, value] : llvm::enumerate(values)) {
          if (value == values.front())
            continue;
          Value is = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, number,
              arith::ConstantIntOp::create(b, loc, i, 32));
          Value other = arith::ConstantOp::create(b, loc, value);
          found = arith::SelectOp::create(b, loc, is, other, found);
        }
        return found;
      });
  lowering.set(op, rows);
  return success();
}

/// A constant is a tensor of its own: kernels have one number in their bodies,
/// and read several as data of the package. One number for each type is chosen
/// by the number of the type.
static LogicalResult lowerConstant(arith::ConstantOp op, Lowering &lowering) {
  if (op.use_empty())
    return success();
  LoweredRows rows = lowering.describe(op.getType());
  TypedAttr attr = op.getValue();
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  bool isTensor = isa<RankedTensorType>(op.getType());
  bool isNumber = op.getType().isIntOrIndexOrFloat();
  if (isTensor ? !dense : !isNumber)
    return op.emitOpError(
               "expected a number or a tensor with its numbers, got ")
           << op.getType();
  if (isTensor && !dense.isSplat() && rows.space && rows.features.empty())
    return lowerNumbersOfTypes(op, rows, dense, lowering);
  RankedTensorType type = plainType(op.getType());
  dense = isTensor ? dense.reshape(type)
                   : DenseElementsAttr::get(type, Attribute(attr));
  rows.tensor = arith::ConstantOp::create(lowering.builder, op.getLoc(), dense);
  lowering.set(op, rows);
  return success();
}

void gnn::registerLoweringModels(DialectRegistry &registry) {
  registerLowerings<arith::ArithDialect, lowerConstant>(registry);
  registerAttentionLowering(registry);
  registerColumnLowerings(registry);
  registerDenseLowerings(registry);
  registerDropoutLowering(registry);
  registerFeatureLowerings(registry);
  registerGradientLowerings(registry);
  registerLoopLowerings(registry);
  registerRowLowerings(registry);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Describes an argument or result as it is at level 1, for the launch plan.
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
  /// A graph for kernels that touch none; null where the module has none.
  FlatSymbolRefAttr anyGraph() {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (!graph.isDerived())
        return FlatSymbolRefAttr::get(graph);
    return nullptr;
  }
};
} // namespace

LogicalResult ConvertGNNToGNNTile::convert(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a straight line, got several blocks");
  if (failed(checkTensors(func, func.getArgumentTypes())))
    return failure();
  FlatSymbolRefAttr graph = anyGraph();
  if (!graph)
    return func.emitOpError("expected a gnn.graph in its module, to which all "
                            "kernels are bound, got none");
  Block &block = func.getBody().front();
  OpBuilder builder(&block, block.begin());
  Lowering lowering(builder, graph);
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
  for (Operation &op : block.without_terminator()) {
    old.push_back(&op);
    op.walk(setOrigin);
  }
  for (BlockArgument argument : block.getArguments()) {
    RankedTensorType type = plainType(argument.getType());
    LoweredRows rows = lowering.describe(argument.getType());
    rows.tensor = UnrealizedConversionCastOp::create(builder, argument.getLoc(),
                                                     type, ValueRange(argument))
                      .getResult(0);
    lowering.set(argument, rows);
  }
  for (Operation *op : old) {
    if (failed(checkTensors(op, op->getResultTypes())))
      return failure();
    builder.setInsertionPoint(op);
    auto lowerable = dyn_cast<LowerToTileOpInterface>(op);
    if (!lowerable)
      return op->emitOpError(
          "has neither a GEMM nor a traversal to be lowered to");
    if (failed(lowerable.lowerToTile(lowering)))
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
