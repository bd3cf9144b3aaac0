//===- DenseOps.cpp - Products and sums of rows and weights ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear, typed_linear, outer, typed_outer, weight_product, weight_outer,
// weight_combine: instances of the product templates (Hector 3.2.5: GEMM
// first). sum_rows and weight_transpose: traversals.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

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
  LoweredRows result = describe(op.getType());
  LoweredRows input = view(op.getInput());
  LoweredRows weight = this->weight(op.getWeight(), /*ownRows=*/true);
  bool heads = result.features.size() == 2;
  Value bias = op.getBias() ? get(op.getBias()).tensor : Value();
  AtAttr biasAt;
  if (bias)
    biasAt = trailing(get(op.getBias()), result.features.size()).at;
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor = emitGemm(builder, op.getLoc(), result.graph,
                           result.getDomain(), {}, {}, input.tensor,
                           access(input, Anchor::Group, result.getDomain(), {},
                                  input.features.size() == 2, true),
                           weight.tensor, weight.isTransposed, bias, biasAt,
                           empty(op.getLoc(), result, element),
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
static LoweredRows inOrder(LoweredRows rows, tile::RowDomain order) {
  if (order.isFixed())
    rows.space = order;
  return rows;
}

LogicalResult Lowering::lowerTypedLinear(TypedLinearOp op) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace types = *getRowSpace(op.getWeight().getType());
  auto [typeSpace, order] = typeSegments(inputType, types, op.getVia());
  LoweredRows result = describe(op.getType());
  // Rows of types one after the other are no rows of the parent's.
  bool fixed = order.isFixed();
  auto read = [&](Value value) { return fixed ? get(value) : view(value); };
  LoweredRows input = inOrder(read(op.getInput()), order);
  LoweredRows weight = this->weight(op.getWeight(), /*ownRows=*/fixed);
  tile::RowDomain weights;
  if (weight.space.isOfParent())
    weights = weight.getDomain();
  bool heads = result.features.size() == 2;
  AtAttr outputAt =
      access(inOrder(result, order), Anchor::Group, order, {}, heads, true);
  Value bias;
  AtAttr biasAt;
  if (op.getBias()) {
    LoweredRows rows = read(op.getBias());
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
  LoweredRows left = view(op.getInput()), right = view(op.getGrad());
  LoweredRows result = describe(op.getType());
  // Of the parent's rows, those that are this graph's.
  tile::RowDomain rows = left.space.isOfParent()
                             ? describe(op.getInput().getType()).getDomain()
                             : left.getDomain();
  auto inputsAt = [&](const LoweredRows &side) -> Attribute {
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
          /*sums=*/Value(), /*sumsLeft=*/false,
          builder.getArrayAttr({inputsAt(left), inputsAt(right)}), nullptr)
          .getResult(0);
  set(op.getResult(), result);
  return success();
}

LogicalResult Lowering::lowerTypedOuter(TypedOuterOp op) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace types = *getRowSpace(op.getType());
  auto [typeSpace, order] = typeSegments(inputType, types, op.getVia());
  bool fixed = order.isFixed();
  auto read = [&](Value value) { return fixed ? get(value) : view(value); };
  LoweredRows left = read(op.getInput()), right = read(op.getGrad());
  LoweredRows result = describe(op.getType(), op.getVia());
  auto inputsAt = [&, order = order](const LoweredRows &side) -> Attribute {
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
          left.tensor, right.tensor, output, /*sums=*/Value(),
          /*sumsLeft=*/false,
          builder.getArrayAttr({inputsAt(left), inputsAt(right)}), nullptr)
          .getResult(0);
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
  LoweredRows right = weight(op.getRhs(), /*ownRows=*/true);
  bool transposed = right.isTransposed;
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
               reshaped(loc, right.tensor, weightShape), transposed, Value(),
               {}, output, at);
  LoweredRows result = describe(type);
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
  LoweredRows rhsRows = weight(op.getRhs(), /*ownRows=*/true);
  Value left = get(op.getLhs()).tensor, right = rhsRows.tensor;
  if (types != 1 && !lhsTyped)
    left = repeated(loc, get(op.getLhs()), types);
  if (types != 1 && !rhsTyped && heads)
    right = repeated(loc, rhsRows, types);
  left = reshaped(loc, left, {batches * a, b});
  Value output = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{batches * a, c}, type.getElementType());
  AtAttr at = rowAccess(builder.getContext(), {}, false);
  bool shared = !rhsTyped && !heads;
  bool transposed = rhsRows.isTransposed;
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
  LoweredRows result = describe(type);
  result.tensor = reshaped(loc, product, type.getShape());
  set(op.getResult(), result);
  return success();
}

LogicalResult Lowering::lowerWeightOuter(WeightOuterOp op) {
  Location loc = op.getLoc();
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  auto gradType = cast<RankedTensorType>(op.getGrad().getType());
  auto type = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> lhs = getFeatures(lhsType), out = getFeatures(type);
  bool isTyped = isTypeRows(type), byHeads = op.getByHeads();
  int64_t types = isTypeRows(lhsType)    ? lhsType.getDimSize(0)
                  : isTypeRows(gradType) ? gradType.getDimSize(0)
                                         : 1;
  // Heads side by side are heads of the product, others are types of it.
  int64_t heads = byHeads || lhs.size() == 3 ? out[0] : 1;
  int64_t a = lhs[lhs.size() - 2], b = lhs.back() / (byHeads ? heads : 1);
  int64_t c = sizeOf(out) / (heads * b);
  int64_t matrices = byHeads ? types : types * heads;
  auto read = [&](Value value, int64_t columns) {
    const LoweredRows &weight = get(value);
    Value tensor = types != 1 && !isTypeRows(value.getType())
                       ? repeated(loc, weight, types)
                       : weight.tensor;
    return reshaped(loc, tensor,
                    byHeads ? ArrayRef<int64_t>{matrices * a, heads, columns}
                            : ArrayRef<int64_t>{matrices * a, columns});
  };
  Value left = read(op.getLhs(), b), right = read(op.getGrad(), c);
  bool sumsAll = !isTyped && (byHeads || heads == 1);
  SmallVector<int64_t> shape{b, c};
  if (byHeads)
    shape.insert(shape.begin(), heads);
  if (!sumsAll)
    shape.insert(shape.begin(), matrices);
  MLIRContext *context = builder.getContext();
  AtAttr at = rowAccess(context, {}, byHeads);
  Value output =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  Value product =
      tile::OuterOp::create(
          builder, loc, output.getType(), anyGraph,
          tile::RowDomainAttr::get(context,
                                   tile::RowDomain::fixed(matrices * a)),
          sumsAll
              ? tile::RowDomainAttr()
              : tile::RowDomainAttr::get(context, tile::RowDomain::fixed(a)),
          left, right, output, /*sums=*/Value(),
          /*sumsLeft=*/false, builder.getArrayAttr({at, at}), nullptr)
          .getResult(0);
  if (!isTyped && !sumsAll)
    product = sumOfParts(loc, product, types, sizeOf(out));
  LoweredRows result = describe(type);
  result.tensor = reshaped(loc, product, type.getShape());
  set(op.getResult(), result);
  return success();
}

/// Products from the right read the weight where it is; what else there is
/// reads a copy, whose rows are the columns of the weight.
LogicalResult Lowering::lowerWeightTranspose(WeightTransposeOp op) {
  LoweredRows source = weight(op.getInput(), /*ownRows=*/false);
  source.isTransposed = !source.isTransposed;
  if (!source.isTransposed) { // transposed twice
    set(op.getResult(), source);
    return success();
  }
  transposed[op.getResult()] = source;
  if (!op.needsCopy())
    return success();
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> shape = getFeatures(type);
  int64_t columns = shape[shape.size() - 2], size = shape.back();
  int64_t matrices = type.getNumElements() / (columns * size);
  LoweredRows rows{
      Value(), tile::RowDomain::fixed(matrices * columns), anyGraph, {size}};
  LoweredRows input = rows;
  input.tensor =
      reshaped(loc, get(op.getInput()).tensor, {matrices, size, columns});
  auto at = AtAttr::get(builder.getContext(), Anchor::Group, {}, false, true, 0,
                        /*column=*/true);
  rows.tensor =
      rowwise(loc, rows, type.getElementType(), rows.features, {{input, at}},
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  LoweredRows result = describe(type);
  result.tensor = reshaped(loc, rows.tensor, type.getShape());
  set(op.getResult(), result);
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
  LoweredRows result = describe(type);
  result.tensor = reshaped(loc, product, type.getShape());
  set(op.getResult(), result);
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Parts that one team adds up, which it all holds.
static constexpr int64_t mostParts = 32;

/// The largest divisor that is at most `most`.
static int64_t divisorUpTo(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor)
    --divisor;
  return divisor;
}

LoweredRows Lowering::filled(Location loc, Type element, int64_t size,
                             double number) {
  LoweredRows row{Value(), tile::RowDomain::fixed(1), anyGraph, {size}};
  row.tensor =
      rowwise(loc, row, element, row.features, {},
              [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                return arith::ConstantOp::create(
                    b, loc, b.getFloatAttr(cast<FloatType>(element), number));
              });
  return row;
}

/// In rounds, each of which leaves a fraction of the parts; where no number of
/// parts divides them, by a product with ones.
Value Lowering::sumOfParts(Location loc, Value value, int64_t times,
                           int64_t size) {
  MLIRContext *context = builder.getContext();
  Type element = getElementTypeOrSelf(value.getType());
  while (times > 1) {
    int64_t some = divisorUpTo(times, mostParts);
    if (some == 1)
      break;
    times /= some;
    LoweredRows result{
        Value(), tile::RowDomain::fixed(times), anyGraph, {size}};
    LoweredRows input = result;
    input.features = {some, size};
    input.tensor = reshaped(loc, value, {times, some, size});
    value = traverse(loc, anyGraph, domainOf(result.space, {}, input.features),
                     {leading(input, Anchor::Group, result.space, {}, 2)},
                     empty(loc, result, element),
                     AtAttr::get(context, Anchor::Group, {}, false, true, 0),
                     [](OpBuilder &b, Location loc, ValueRange args) {
                       return emitReduce(b, loc, tile::Reduction::Sum,
                                         tile::Dim::Head, args[0]);
                     });
  }
  if (times == 1)
    return reshaped(loc, value, {size});
  if (times == 0)
    return reshaped(loc, filled(loc, element, size, 0).tensor, {size});
  Value output = tensor::EmptyOp::create(builder, loc,
                                         ArrayRef<int64_t>{1, size}, element);
  AtAttr at = rowAccess(context, {}, false);
  Value product = emitGemm(builder, loc, anyGraph, tile::RowDomain::fixed(1),
                           {}, {}, filled(loc, element, times, 1).tensor, at,
                           reshaped(loc, value, {times, size}),
                           /*transposed=*/false, Value(), {}, output, at);
  return reshaped(loc, product, {size});
}

/// Rows of the graph are summed to one, whose leading dimensions are summed
/// then; a static number of rows is one more of these.
LogicalResult Lowering::lowerSumRows(SumRowsOp op) {
  Location loc = op.getLoc();
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  auto type = cast<RankedTensorType>(op.getType());
  Value value;
  if (inputType.hasStaticShape()) {
    value = get(op.getInput()).tensor;
  } else {
    LoweredRows input = view(op.getInput());
    input = reshape(loc, input, walkedDims(input.features));
    LoweredRows row{Value(), Space::Graph, input.graph, input.features,
                    /*count=*/1};
    tile::RowDomain elements =
        elementsOf(row.getDomain(), *getRowSpace(inputType));
    size_t dims = row.features.size();
    value = traverse(loc, row.graph,
                     domainOf(row.getDomain(), elements, row.features),
                     {leading(input, Anchor::Element, elements, {}, dims)},
                     empty(loc, row, type.getElementType()),
                     leadingAt(Anchor::Group, dims, dims),
                     [](OpBuilder &b, Location loc, ValueRange args) {
                       return emitReduce(b, loc, tile::Reduction::Sum,
                                         tile::Dim::Element, args[0]);
                     });
  }
  int64_t size = type.getNumElements();
  int64_t all = cast<RankedTensorType>(value.getType()).getNumElements();
  LoweredRows result = describe(type);
  result.tensor =
      reshaped(loc, sumOfParts(loc, value, all / size, size), type.getShape());
  set(op.getResult(), result);
  return success();
}
