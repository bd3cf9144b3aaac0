//===- DenseOps.cpp - Products and sums of rows and weights ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear, typed_linear, outer, typed_outer, weight_product, weight_outer,
// weight_combine: instances of the product templates (Hector 3.2.5: GEMM
// first). sum_rows and weight_transpose: traversals.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;

static tile::RowDomainAttr optional(OpBuilder &builder,
                                    tile::RowDomain domain) {
  return domain ? tile::RowDomainAttr::get(builder.getContext(), domain)
                : nullptr;
}

/// A GEMM whose epilogue adds an optional bias.
static Value emitGemm(OpBuilder &builder, Location loc, FlatSymbolRefAttr graph,
                      tile::RowDomain rows, tile::RowDomain types,
                      tile::RowDomain weights, Value input, AtAttr inputAt,
                      Value weight, bool transposed, Value output,
                      AtAttr outputAt, const Input &bias = {}) {
  SmallVector<Value> extras;
  SmallVector<Attribute> extrasAt;
  if (bias.at) {
    extras.push_back(bias.rows.tensor);
    extrasAt.push_back(bias.at);
  }
  Type element = getElementTypeOrSelf(output.getType());
  auto op = tile::GemmOp::create(
      builder, loc, output.getType(), graph, optional(builder, rows),
      optional(builder, types), optional(builder, weights), input, weight,
      extras, output, inputAt, builder.getArrayAttr(extrasAt), outputAt,
      transposed ? builder.getUnitAttr() : UnitAttr(), /*schedule=*/nullptr);
  Block &block = op.getBody().emplaceBlock();
  block.addArgument(element, loc);
  if (bias.at)
    block.addArgument(element, loc);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  Value result = block.getArgument(0);
  if (bias.at)
    result = arith::AddFOp::create(inside, loc, result, block.getArgument(1));
  tile::YieldOp::create(inside, loc, result);
  return op.getResult();
}

/// The sums of products of these inputs over all rows, or over those of each
/// type.
static Value emitOuter(OpBuilder &builder, Location loc,
                       FlatSymbolRefAttr graph, tile::RowDomain rows,
                       tile::RowDomain types, Value left, AtAttr leftAt,
                       Value right, AtAttr rightAt, Value output) {
  return tile::OuterOp::create(
             builder, loc, output.getType(), graph, optional(builder, rows),
             optional(builder, types), left, right, output, /*sums=*/Value(),
             /*sumsLeft=*/false, builder.getArrayAttr({leftAt, rightAt}),
             /*schedule=*/nullptr)
      .getResult(0);
}

/// A product with `heads` as its result has them.
static AtAttr rowAccess(MLIRContext *context, bool head) {
  return AtAttr::get(context, Anchor::Group, {}, head, true, 0);
}

/// Parts that one team adds up, which it all holds.
static constexpr int64_t mostParts = 32;

/// The largest divisor that is at most `most`.
static int64_t divisorUpTo(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor)
    --divisor;
  return divisor;
}

/// One row of `size` times a number.
static LoweredRows filled(Lowering &lowering, Location loc, Type element,
                          int64_t size, double number) {
  LoweredRows row = lowering.fixedRows(1, size);
  row.tensor = lowering.rowwise(
      loc, row, element, row.features, {},
      [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        return arith::ConstantOp::create(
            b, loc, b.getFloatAttr(cast<FloatType>(element), number));
      });
  return row;
}

/// The sum of `times` parts of a value of static shape, one after the other, of
/// `size` elements: `[size]`. In rounds, each of which leaves a fraction of the
/// parts; where no number of parts divides them, by a product with ones.
static Value sumOfParts(Lowering &lowering, Location loc, Value value,
                        int64_t times, int64_t size) {
  Type element = getElementTypeOrSelf(value.getType());
  while (times > 1) {
    int64_t some = divisorUpTo(times, mostParts);
    if (some == 1)
      break;
    times /= some;
    LoweredRows result = lowering.fixedRows(times, size);
    LoweredRows input = result;
    input.features = {some, size};
    input.tensor = lowering.reshaped(loc, value, {times, some, size});
    value = lowering.traverse(
        loc, lowering.anyGraph,
        lowering.domainOf(result.space, {}, input.features),
        {lowering.leading(input, Anchor::Group, result.space, {}, 2)},
        lowering.empty(loc, result, element),
        rowAccess(lowering.builder.getContext(), false),
        [](OpBuilder &b, Location loc, ValueRange args) {
          return emitReduce(b, loc, tile::Reduction::Sum, tile::Dim::Head,
                            args[0]);
        });
  }
  if (times == 1)
    return lowering.reshaped(loc, value, {size});
  if (times == 0)
    return lowering.reshaped(
        loc, filled(lowering, loc, element, size, 0).tensor, {size});
  Value output = tensor::EmptyOp::create(lowering.builder, loc,
                                         ArrayRef<int64_t>{1, size}, element);
  AtAttr at = rowAccess(lowering.builder.getContext(), false);
  Value product = emitGemm(lowering.builder, loc, lowering.anyGraph,
                           tile::RowDomain::fixed(1), {}, {},
                           filled(lowering, loc, element, times, 1).tensor, at,
                           lowering.reshaped(loc, value, {times, size}),
                           /*transposed=*/false, output, at);
  return lowering.reshaped(loc, product, {size});
}

static LogicalResult lowerLinear(LinearOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows input = lowering.view(op.getInput());
  LoweredRows weight = lowering.weight(op.getWeight(), /*ownRows=*/true);
  bool heads = result.features.size() == 2;
  Input bias;
  if (op.getBias())
    bias =
        lowering.trailing(lowering.get(op.getBias()), result.features.size());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor =
      emitGemm(lowering.builder, op.getLoc(), result.graph, result.getDomain(),
               {}, {}, input.tensor,
               lowering.access(input, Anchor::Group, result.getDomain(), {},
                               input.features.size() == 2, true),
               weight.tensor, weight.isTransposed,
               lowering.empty(op.getLoc(), result, element),
               rowAccess(op.getContext(), heads), bias);
  lowering.set(op, result);
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

static LogicalResult lowerTypedLinear(TypedLinearOp op, Lowering &lowering) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace types = *getRowSpace(op.getWeight().getType());
  auto [typeSpace, order] = typeSegments(inputType, types, op.getVia());
  LoweredRows result = lowering.describe(op.getType());
  // Rows of types one after the other are no rows of the parent's.
  bool fixed = order.isFixed();
  auto read = [&](Value value) {
    return fixed ? lowering.get(value) : lowering.view(value);
  };
  LoweredRows input = inOrder(read(op.getInput()), order);
  LoweredRows weight = lowering.weight(op.getWeight(), /*ownRows=*/fixed);
  tile::RowDomain weights;
  if (weight.space.isOfParent())
    weights = weight.getDomain();
  bool heads = result.features.size() == 2;
  AtAttr outputAt = lowering.access(inOrder(result, order), Anchor::Group,
                                    order, {}, heads, true);
  Input bias;
  if (op.getBias()) {
    bias.rows = read(op.getBias());
    tile::RowDomain space =
        bias.rows.space.isOfParent() ? bias.rows.getDomain() : typeSpace;
    bias.at = AtAttr::get(op.getContext(), Anchor::Group,
                          fixed ? tile::RowDomain() : space,
                          bias.rows.features.size() == 2, true, 0);
  }
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor =
      emitGemm(lowering.builder, op.getLoc(), result.graph, order, typeSpace,
               weights, input.tensor,
               lowering.access(input, Anchor::Group, order, {},
                               input.features.size() == 2, true),
               weight.tensor, weight.isTransposed,
               lowering.empty(op.getLoc(), result, element), outputAt, bias);
  lowering.set(op, result);
  return success();
}

static LogicalResult lowerOuter(OuterOp op, Lowering &lowering) {
  LoweredRows left = lowering.view(op.getInput()),
              right = lowering.view(op.getGrad());
  LoweredRows result = lowering.describe(op.getType());
  // The parent's rows that are this graph's.
  tile::RowDomain rows =
      left.space.isOfParent()
          ? lowering.describe(op.getInput().getType()).getDomain()
          : left.getDomain();
  auto inputsAt = [&](const LoweredRows &side) {
    return lowering.access(side, Anchor::Group, rows, {},
                           side.features.size() == 2, true);
  };
  Value output =
      lowering.empty(op.getLoc(), result,
                     cast<RankedTensorType>(op.getType()).getElementType());
  result.tensor = emitOuter(lowering.builder, op.getLoc(), left.graph, rows, {},
                            left.tensor, inputsAt(left), right.tensor,
                            inputsAt(right), output);
  lowering.set(op, result);
  return success();
}

static LogicalResult lowerTypedOuter(TypedOuterOp op, Lowering &lowering) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace types = *getRowSpace(op.getType());
  auto [typeSpace, order] = typeSegments(inputType, types, op.getVia());
  bool fixed = order.isFixed();
  auto read = [&](Value value) {
    return fixed ? lowering.get(value) : lowering.view(value);
  };
  LoweredRows left = read(op.getInput()), right = read(op.getGrad());
  LoweredRows result = lowering.describe(op.getType(), op.getVia());
  auto inputsAt = [&, order = order](const LoweredRows &side) {
    return lowering.access(inOrder(side, order), Anchor::Group, order, {},
                           side.features.size() == 2, true);
  };
  auto type = cast<RankedTensorType>(op.getType());
  Value output = tensor::EmptyOp::create(
      lowering.builder, op.getLoc(), type.getShape(), type.getElementType());
  result.tensor = emitOuter(lowering.builder, op.getLoc(), left.graph, order,
                            typeSpace, left.tensor, inputsAt(left),
                            right.tensor, inputsAt(right), output);
  lowering.set(op, result);
  return success();
}

/// The columns of `lhs` lie head by head already: a product with heads.
static LogicalResult lowerWeightProductByHeads(WeightProductOp op,
                                               Lowering &lowering) {
  Location loc = op.getLoc();
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
  auto type = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> lhs = getFeatures(lhsType), rhs = getFeatures(rhsType);
  int64_t types = isTypeRows(type) ? type.getDimSize(0) : 1;
  int64_t rows = types * lhs[0], heads = rhs[0], b = rhs[1];
  int64_t c = rhs.size() == 3 ? rhs[2] : 1;
  bool typedRhs = isTypeRows(rhsType);
  Value left = lowering.get(op.getLhs()).tensor;
  if (types != 1 && !isTypeRows(lhsType))
    left = lowering.repeated(loc, lowering.get(op.getLhs()), types);
  LoweredRows right = lowering.weight(op.getRhs(), /*ownRows=*/true);
  bool transposed = right.isTransposed;
  SmallVector<int64_t> weightShape{heads, transposed ? c : b,
                                   transposed ? b : c};
  if (typedRhs)
    weightShape.insert(weightShape.begin(), types);
  Value output = tensor::EmptyOp::create(lowering.builder, loc,
                                         ArrayRef<int64_t>{rows, heads, c},
                                         type.getElementType());
  AtAttr at = rowAccess(op.getContext(), true);
  Value product = emitGemm(
      lowering.builder, loc, lowering.anyGraph, tile::RowDomain::fixed(rows),
      typedRhs ? tile::RowDomain::fixed(lhs[0]) : tile::RowDomain(), {},
      lowering.reshaped(loc, left, {rows, heads, b}), at,
      lowering.reshaped(loc, right.tensor, weightShape), transposed, output,
      at);
  lowering.setElements(op, product);
  return success();
}

static LogicalResult lowerWeightProduct(WeightProductOp op,
                                        Lowering &lowering) {
  if (op.getByHeads())
    return lowerWeightProductByHeads(op, lowering);
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
  LoweredRows rhsRows = lowering.weight(op.getRhs(), /*ownRows=*/true);
  Value left = lowering.get(op.getLhs()).tensor, right = rhsRows.tensor;
  if (types != 1 && !lhsTyped)
    left = lowering.repeated(loc, lowering.get(op.getLhs()), types);
  if (types != 1 && !rhsTyped && heads)
    right = lowering.repeated(loc, rhsRows, types);
  left = lowering.reshaped(loc, left, {batches * a, b});
  Value output = tensor::EmptyOp::create(lowering.builder, loc,
                                         ArrayRef<int64_t>{batches * a, c},
                                         type.getElementType());
  AtAttr at = rowAccess(op.getContext(), false);
  bool shared = !rhsTyped && !heads;
  bool transposed = rhsRows.isTransposed;
  SmallVector<int64_t> weightShape{b, c};
  if (transposed)
    std::swap(weightShape[0], weightShape[1]);
  if (!shared)
    weightShape.insert(weightShape.begin(), batches);
  right = lowering.reshaped(loc, right, weightShape);
  Value product =
      emitGemm(lowering.builder, loc, lowering.anyGraph,
               tile::RowDomain::fixed(batches * a),
               shared ? tile::RowDomain() : tile::RowDomain::fixed(a), {}, left,
               at, right, transposed, output, at);
  lowering.setElements(op, product);
  return success();
}

static LogicalResult lowerWeightOuter(WeightOuterOp op, Lowering &lowering) {
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
    const LoweredRows &weight = lowering.get(value);
    Value tensor = types != 1 && !isTypeRows(value.getType())
                       ? lowering.repeated(loc, weight, types)
                       : weight.tensor;
    return lowering.reshaped(
        loc, tensor,
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
  AtAttr at = rowAccess(op.getContext(), byHeads);
  Value output = tensor::EmptyOp::create(lowering.builder, loc, shape,
                                         type.getElementType());
  Value product =
      emitOuter(lowering.builder, loc, lowering.anyGraph,
                tile::RowDomain::fixed(matrices * a),
                sumsAll ? tile::RowDomain() : tile::RowDomain::fixed(a), left,
                at, right, at, output);
  if (!isTyped && !sumsAll)
    product = sumOfParts(lowering, loc, product, types, sizeOf(out));
  lowering.setElements(op, product);
  return success();
}

/// Products from the right read the weight where it is; what else there is
/// reads a copy, whose rows are the columns of the weight.
static LogicalResult lowerWeightTranspose(WeightTransposeOp op,
                                          Lowering &lowering) {
  LoweredRows source = lowering.weight(op.getInput(), /*ownRows=*/false);
  source.isTransposed = !source.isTransposed;
  lowering.set(op, source);
  if (!source.isTransposed || !op.needsCopy()) // read where it is
    return success();
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> shape = getFeatures(type);
  int64_t columns = shape[shape.size() - 2], size = shape.back();
  int64_t matrices = type.getNumElements() / (columns * size);
  LoweredRows rows = lowering.fixedRows(matrices * columns, size);
  LoweredRows input = rows;
  input.tensor = lowering.reshaped(loc, lowering.get(op.getInput()).tensor,
                                   {matrices, size, columns});
  auto at = AtAttr::get(op.getContext(), Anchor::Group, {}, false, true, 0,
                        /*column=*/true);
  rows.tensor = lowering.rowwise(loc, rows, type.getElementType(),
                                 rows.features, {{input, at}}, copied);
  lowering.setElements(op, rows.tensor);
  return success();
}

static LogicalResult lowerWeightCombine(WeightCombineOp op,
                                        Lowering &lowering) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto basesType = cast<RankedTensorType>(op.getBases().getType());
  int64_t size = basesType.getNumElements() / basesType.getDimSize(0);
  Value bases = lowering.reshaped(loc, lowering.get(op.getBases()).tensor,
                                  {basesType.getDimSize(0), size});
  Value output = tensor::EmptyOp::create(
      lowering.builder, loc, ArrayRef<int64_t>{type.getDimSize(0), size},
      type.getElementType());
  AtAttr at = rowAccess(op.getContext(), false);
  Value product = emitGemm(lowering.builder, loc, lowering.anyGraph,
                           tile::RowDomain::fixed(type.getDimSize(0)), {}, {},
                           lowering.get(op.getCoefficients()).tensor, at, bases,
                           /*transposed=*/false, output, at);
  lowering.setElements(op, product);
  return success();
}

/// Rows of the graph are summed to one, whose leading dimensions are summed
/// then; a static number of rows is one more of these.
static LogicalResult lowerSumRows(SumRowsOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  auto type = cast<RankedTensorType>(op.getType());
  Value value;
  if (inputType.hasStaticShape()) {
    value = lowering.get(op.getInput()).tensor;
  } else {
    LoweredRows input = lowering.view(op.getInput());
    input = lowering.reshape(loc, input, walkedDims(input.features));
    LoweredRows row{Value(), Space::Graph, input.graph, input.features,
                    /*count=*/1};
    tile::RowDomain elements =
        lowering.elementsOf(row.getDomain(), *getRowSpace(inputType));
    size_t dims = row.features.size();
    value = lowering.traverse(
        loc, row.graph,
        lowering.domainOf(row.getDomain(), elements, row.features),
        {lowering.leading(input, Anchor::Element, elements, {}, dims)},
        lowering.empty(loc, row, type.getElementType()),
        lowering.leadingAt(Anchor::Group, dims, dims),
        [](OpBuilder &b, Location loc, ValueRange args) {
          return emitReduce(b, loc, tile::Reduction::Sum, tile::Dim::Element,
                            args[0]);
        });
  }
  int64_t size = type.getNumElements();
  int64_t all = cast<RankedTensorType>(value.getType()).getNumElements();
  lowering.setElements(op, sumOfParts(lowering, loc, value, all / size, size));
  return success();
}

void gnn::registerDenseLowerings(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerLinear, lowerTypedLinear, lowerOuter,
                    lowerTypedOuter, lowerWeightProduct, lowerWeightOuter,
                    lowerWeightTranspose, lowerWeightCombine, lowerSumRows>(
      registry);
}
