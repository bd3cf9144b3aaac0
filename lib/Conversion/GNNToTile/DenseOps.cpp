//===- DenseOps.cpp - Products of rows and weights ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear, typed_linear, outer, typed_outer, weight_product, weight_combine:
// instances of the GEMM template (Hector 3.2.5: GEMM first).
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;

/// A GEMM whose epilogue adds an optional extra.
static Value emitGemm(OpBuilder &builder, Location loc, FlatSymbolRefAttr graph,
                      tile::RowDomain rows, tile::RowDomain types,
                      tile::RowDomain weights, Value input, AtAttr inputAt,
                      Value weight, bool transposed, Value bias, AtAttr biasAt,
                      Value output, AtAttr outputAt) {
  SmallVector<Value> extras;
  SmallVector<Attribute> extrasAt;
  if (bias) {
    extras.push_back(bias);
    extrasAt.push_back(biasAt);
  }
  Type element = getElementTypeOrSelf(output.getType());
  auto optional = [&](tile::RowDomain domain) {
    return domain ? tile::RowDomainAttr::get(builder.getContext(), domain)
                  : nullptr;
  };
  auto op = tile::GemmOp::create(
      builder, loc, output.getType(), graph, optional(rows), optional(types),
      optional(weights), input, weight, extras, output, inputAt,
      builder.getArrayAttr(extrasAt), outputAt,
      transposed ? builder.getUnitAttr() : UnitAttr(), /*schedule=*/nullptr);
  Block &block = op.getBody().emplaceBlock();
  block.addArgument(element, loc);
  if (bias)
    block.addArgument(element, loc);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  Value result = block.getArgument(0);
  if (bias)
    result = arith::AddFOp::create(inside, loc, result, block.getArgument(1));
  tile::YieldOp::create(inside, loc, result);
  return op.getResult();
}

/// A product with `heads` as its result has them.
static AtAttr rowAccess(MLIRContext *context, tile::RowDomain space,
                        bool head) {
  return AtAttr::get(context, Anchor::Group, space, head, true, 0);
}

LogicalResult Lowering::lowerLinear(LinearOp op) {
  Rows result = describe(op.getType());
  Rows input = view(op.getInput());
  bool heads = result.features.size() == 2;
  Value bias = op.getBias() ? get(op.getBias()).tensor : Value();
  AtAttr biasAt;
  if (bias)
    biasAt = trailing(get(op.getBias()), result.features.size()).at;
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor =
      emitGemm(builder, op.getLoc(), result.graph, result.getDomain(), {}, {},
               input.tensor,
               access(input, Anchor::Group, result.getDomain(), {},
                      input.features.size() == 2, true),
               get(op.getWeight()).tensor, get(op.getWeight()).isTransposed,
               bias, biasAt, empty(op.getLoc(), result, element),
               rowAccess(builder.getContext(), {}, heads));
  set(op.getResult(), result);
  return success();
}

namespace {
/// Rows of a typed product: in which order, and which types group them there.
struct TypeSegments {
  tile::RowDomain types, order;
};
} // namespace

/// The types of a weight and the order of `rows` that puts rows of one type
/// side by side. Rows that are types themselves are one a type.
static TypeSegments typeSegments(RankedTensorType rows, RowSpace types,
                                 std::optional<EndPoint> via) {
  RowSpace space = *getRowSpace(rows);
  if (space == types)
    return {tile::RowDomain::fixed(1),
            tile::RowDomain::fixed(rows.getDimSize(0))};
  RowEnd end = via ? toRowEnd(via) : endOf(atEnd(space, RowEnd::Dst));
  Space typeSpace = atEnd(types, end);
  return {typeSpace, *elementsOf(typeSpace, atEnd(space, end))};
}

/// `rows` as read from `order`: a fixed number of rows are all there are.
static Rows inOrder(Rows rows, tile::RowDomain order) {
  if (order.isFixed())
    rows.space = order;
  return rows;
}

LogicalResult Lowering::lowerTypedLinear(TypedLinearOp op) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace types = *getRowSpace(op.getWeight().getType());
  auto [typeSpace, order] = typeSegments(inputType, types, op.getVia());
  Rows result = describe(op.getType());
  // Rows of types one after the other are no rows of the parent's.
  bool fixed = order.isFixed();
  auto read = [&](Value value) { return fixed ? get(value) : view(value); };
  Rows input = inOrder(read(op.getInput()), order);
  Rows weight = read(op.getWeight());
  tile::RowDomain weights;
  if (weight.space.isOfParent())
    weights = weight.getDomain();
  bool heads = result.features.size() == 2;
  AtAttr outputAt =
      access(inOrder(result, order), Anchor::Group, order, {}, heads, true);
  Value bias;
  AtAttr biasAt;
  if (op.getBias()) {
    Rows rows = read(op.getBias());
    bias = rows.tensor;
    tile::RowDomain space =
        rows.space.isOfParent() ? rows.getDomain() : typeSpace;
    biasAt = AtAttr::get(builder.getContext(), Anchor::Group,
                         fixed ? tile::RowDomain() : space,
                         rows.features.size() == 2, true, 0);
  }
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor = emitGemm(
      builder, op.getLoc(), result.graph, order, typeSpace, weights,
      input.tensor,
      access(input, Anchor::Group, order, {}, input.features.size() == 2, true),
      weight.tensor, weight.isTransposed, bias, biasAt,
      empty(op.getLoc(), result, element), outputAt);
  set(op.getResult(), result);
  return success();
}

LogicalResult Lowering::lowerOuter(OuterOp op) {
  Rows left = get(op.getInput()), right = view(op.getGrad());
  Rows result = describe(op.getType());
  tile::RowDomain rows = left.getDomain();
  auto inputsAt = [&](const Rows &side) -> Attribute {
    return access(side, Anchor::Group, rows, {}, side.features.size() == 2,
                  true);
  };
  Value output = empty(op.getLoc(), result,
                       cast<RankedTensorType>(op.getType()).getElementType());
  result.tensor =
      tile::OuterOp::create(
          builder, op.getLoc(), output.getType(), left.graph,
          tile::RowDomainAttr::get(builder.getContext(), rows),
          tile::RowDomainAttr(), left.tensor, right.tensor, output,
          builder.getArrayAttr({inputsAt(left), inputsAt(right)}), nullptr)
          .getResult();
  set(op.getResult(), result);
  return success();
}

LogicalResult Lowering::lowerTypedOuter(TypedOuterOp op) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace types = *getRowSpace(op.getType());
  auto [typeSpace, order] = typeSegments(inputType, types, op.getVia());
  bool fixed = order.isFixed();
  auto read = [&](Value value) { return fixed ? get(value) : view(value); };
  Rows left = read(op.getInput()), right = read(op.getGrad());
  Rows result = describe(op.getType(), op.getVia());
  auto inputsAt = [&, order = order](const Rows &side) -> Attribute {
    return access(inOrder(side, order), Anchor::Group, order, {},
                  side.features.size() == 2, true);
  };
  auto type = cast<RankedTensorType>(op.getType());
  Value output = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                         type.getElementType());
  result.tensor =
      tile::OuterOp::create(
          builder, op.getLoc(), output.getType(), left.graph,
          tile::RowDomainAttr::get(builder.getContext(), order),
          tile::RowDomainAttr::get(builder.getContext(), typeSpace),
          left.tensor, right.tensor, output,
          builder.getArrayAttr({inputsAt(left), inputsAt(right)}), nullptr)
          .getResult();
  set(op.getResult(), result);
  return success();
}

/// The columns of `lhs` lie head by head already: a product with heads.
LogicalResult Lowering::lowerWeightProductByHeads(WeightProductOp op) {
  Location loc = op.getLoc();
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
  auto type = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> lhs = getFeatures(lhsType), rhs = getFeatures(rhsType);
  int64_t types = isTypeRows(type) ? type.getDimSize(0) : 1;
  int64_t rows = types * lhs[0], heads = rhs[0], b = rhs[1];
  int64_t c = rhs.size() == 3 ? rhs[2] : 1;
  bool typedRhs = isTypeRows(rhsType);
  Value left = get(op.getLhs()).tensor;
  if (types != 1 && !isTypeRows(lhsType))
    left = repeated(loc, get(op.getLhs()), types);
  bool transposed = get(op.getRhs()).isTransposed;
  SmallVector<int64_t> weightShape{heads, transposed ? c : b,
                                   transposed ? b : c};
  if (typedRhs)
    weightShape.insert(weightShape.begin(), types);
  Value output = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{rows, heads, c}, type.getElementType());
  AtAttr at = rowAccess(builder.getContext(), {}, true);
  Value product =
      emitGemm(builder, loc, anyGraph, tile::RowDomain::fixed(rows),
               typedRhs ? tile::RowDomain::fixed(lhs[0]) : tile::RowDomain(),
               {}, reshaped(loc, left, {rows, heads, b}), at,
               reshaped(loc, get(op.getRhs()).tensor, weightShape), transposed,
               Value(), {}, output, at);
  Rows result = describe(type);
  result.tensor = reshaped(loc, product, type.getShape());
  set(op.getResult(), result);
  return success();
}

LogicalResult Lowering::lowerWeightProduct(WeightProductOp op) {
  if (op.getByHeads())
    return lowerWeightProductByHeads(op);
  Location loc = op.getLoc();
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
  auto type = cast<RankedTensorType>(op.getType());
  bool lhsTyped = isTypeRows(lhsType), rhsTyped = isTypeRows(rhsType);
  ArrayRef<int64_t> lhs = getFeatures(lhsType), rhs = getFeatures(rhsType);
  bool heads = lhs.size() == 3;
  int64_t types = isTypeRows(type) ? type.getDimSize(0) : 1;
  int64_t batches = types * (heads ? lhs[0] : 1);
  int64_t a = lhs[lhs.size() - 2], b = lhs.back();
  bool vector = rhs.size() == 1 + heads;
  int64_t c = vector ? 1 : rhs.back();
  Value left = get(op.getLhs()).tensor, right = get(op.getRhs()).tensor;
  if (types != 1 && !lhsTyped)
    left = repeated(loc, get(op.getLhs()), types);
  if (types != 1 && !rhsTyped && heads)
    right = repeated(loc, get(op.getRhs()), types);
  left = reshaped(loc, left, {batches * a, b});
  Value output = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{batches * a, c}, type.getElementType());
  AtAttr at = rowAccess(builder.getContext(), {}, false);
  bool shared = !rhsTyped && !heads;
  bool transposed = get(op.getRhs()).isTransposed;
  SmallVector<int64_t> weightShape{b, c};
  if (transposed)
    std::swap(weightShape[0], weightShape[1]);
  if (!shared)
    weightShape.insert(weightShape.begin(), batches);
  right = reshaped(loc, right, weightShape);
  Value product =
      emitGemm(builder, loc, anyGraph, tile::RowDomain::fixed(batches * a),
               shared ? tile::RowDomain() : tile::RowDomain::fixed(a), {}, left,
               at, right, transposed, Value(), {}, output, at);
  Rows result = describe(type);
  result.tensor = reshaped(loc, product, type.getShape());
  set(op.getResult(), result);
  return success();
}

/// Whether a product reads the weight that `use` is, from the right.
static bool isProductWith(OpOperand &use) {
  Operation *user = use.getOwner();
  return isa<LinearOp, TypedLinearOp, WeightProductOp>(user)
             ? use.getOperandNumber() == 1
             : isa<WeightTransposeOp>(user);
}

LogicalResult Lowering::lowerWeightTranspose(WeightTransposeOp op) {
  for (OpOperand &use : op->getUses())
    if (!isProductWith(use))
      return op.emitOpError("has a lowering only as the weight of a product, "
                            "got '")
             << use.getOwner()->getName() << "'";
  Rows weight = view(op.getInput());
  weight.isTransposed = !weight.isTransposed;
  set(op.getResult(), weight);
  return success();
}

LogicalResult Lowering::lowerWeightCombine(WeightCombineOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto basesType = cast<RankedTensorType>(op.getBases().getType());
  int64_t size = basesType.getNumElements() / basesType.getDimSize(0);
  Value bases =
      reshaped(loc, get(op.getBases()).tensor, {basesType.getDimSize(0), size});
  Value output = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{type.getDimSize(0), size},
      type.getElementType());
  AtAttr at = rowAccess(builder.getContext(), {}, false);
  Value product = emitGemm(builder, loc, anyGraph,
                           tile::RowDomain::fixed(type.getDimSize(0)), {}, {},
                           get(op.getCoefficients()).tensor, at, bases,
                           /*transposed=*/false, Value(), {}, output, at);
  Rows result = describe(type);
  result.tensor = reshaped(loc, product, type.getShape());
  set(op.getResult(), result);
  return success();
}
