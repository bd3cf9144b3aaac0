//===- ClipNorm.cpp - An op outside of the tree ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its verifier, its gradient, and its lowering to gnn_tile.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "ClipNormDialect.h.inc"
#define GET_OP_CLASSES
#include "ClipNorm.h.inc"

using namespace mlir;
using namespace gnn;

#include "ClipNormDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ClipNorm.cpp.inc"

void extra::ExtraDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ClipNorm.cpp.inc"
      >();
}

LogicalResult extra::ClipNormOp::verify() {
  ArrayRef<int64_t> features = getFeatures(getType());
  if (features.empty() || features.size() > 2) // C1
    return emitOpError("expected one or two feature dimensions, got ")
           << features.size();
  APFloat limit = getLimit();
  if (!limit.isFinite() || !(limit > APFloat(0.0f))) // C2
    return emitOpError("expected a finite limit above 0, got ")
           << getLimitAttr();
  return success();
}

LogicalResult
extra::ClipNormOp::buildGradient(OpBuilder &builder, ArrayRef<Value> gradients,
                                 const llvm::BitVector &,
                                 MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  Value x = getInput(), gradient = gradients[0];
  double limit = getLimit().convertToDouble();
  Value square = b.reduceFeatures(ReduceKind::Sum, b.mul(x, x));
  Type rows = square.getType();
  Value isCut = b.above(square, b.splat(rows, limit * limit));
  Value one = b.splat(rows, 1), cut = b.select(isCut, square, one);
  Value norm = math::SqrtOp::create(builder, getLoc(), cut);
  Value scale = b.select(isCut, b.div(b.splat(rows, limit), norm), one);
  // The part that the norm takes away: scale * <x, gradient> / |x|^2 of x.
  Value dot = b.reduceFeatures(ReduceKind::Sum, b.mul(x, gradient));
  Value along =
      b.select(isCut, b.div(b.mul(scale, dot), cut), b.splat(rows, 0));
  ofOperands[0] =
      b.sub(b.apply(BinaryKind::Mul, getType(), {gradient}, {scale}),
            b.apply(BinaryKind::Mul, getType(), {x}, {along}));
  return success();
}

LogicalResult extra::ClipNormOp::lowerToTile(Lowering &lowering) {
  LoweredRows result = lowering.describe(getType());
  Input input = lowering.leading(lowering.view(getInput()), result);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value x = args[0];
    auto constant = [&](APFloat value) -> Value {
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(x.getType(), value));
    };
    Value squares = emitReduce(b, loc, tile::Reduction::Sum, tile::Dim::Feature,
                               arith::MulFOp::create(b, loc, x, x));
    Value norm = math::SqrtOp::create(b, loc, squares);
    Value ratio = arith::DivFOp::create(b, loc, constant(getLimit()), norm);
    Value scale =
        arith::MinimumFOp::create(b, loc, constant(APFloat(1.0f)), ratio);
    return arith::MulFOp::create(b, loc, x, scale);
  };
  lowering.setRowwise(getResult(), result, result.features, {input}, body);
  return success();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ClipNorm", "0.1",
          [](DialectRegistry *registry) {
            registry->insert<extra::ExtraDialect>();
          }};
}
