//===- Rows.cpp - Layers of rows of nodes ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;

overlay::ActAttr Converter::function(overlay::ActivationKind kind,
                                     std::optional<double> parameter) {
  FloatAttr attr;
  if (parameter)
    attr = builder.getF32FloatAttr(static_cast<float>(*parameter));
  return overlay::ActAttr::get(builder.getContext(), kind, attr);
}

ArrayAttr Converter::functions(ArrayRef<overlay::ActAttr> acts) {
  return builder.getArrayAttr(SmallVector<Attribute>(acts));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertLinear(LinearOp op) {
  if (dependsOnRows(op.getWeight()) ||
      (op.getBias() && dependsOnRows(op.getBias())))
    return refuse(op) << "expected weights that do not depend on rows";
  auto weightType = getTensorType(op.getWeight());
  if (weightType.getRank() != 2)
    return refuse(op) << "expected one weight for all heads, got "
                      << weightType;
  Value rows = rowsOf(op, op.getInput());
  if (!rows)
    return failure();
  int64_t features = getNumFeatures(getTensorType(op.getResult()));
  Value weight = op.getWeight();
  int64_t depth = weightType.getDimSize(0), width = weightType.getDimSize(1);
  if (features == width) {
    weight = layerWeight(op.getLoc(), weight);
  } else { // one block a head
    SmallVector<Block> blocks;
    for (int64_t head = 0; head < features / width; ++head)
      blocks.push_back(
          {weight, false, 0, 0, head * depth, head * width, depth, width});
    weight =
        assemble(op.getLoc(), {features / width * depth, features}, blocks);
  }
  Value bias;
  if (op.getBias())
    bias = flatWeight(op.getLoc(), op.getBias(), features);
  setRows(op.getResult(),
          overlay::LinearOp::create(builder, op.getLoc(), rowsType(features),
                                    rows, weight, bias, ArrayAttr()));
  return success();
}

LogicalResult Converter::convertDot(DotOp op) {
  if (getRows(op.getRhs().getType()) || !dependsOnRows(op.getLhs()) ||
      dependsOnRows(op.getRhs()))
    return refuse(op) << "expected a product of rows of nodes with a weight";
  Value rows = rowsOf(op, op.getLhs());
  if (!rows)
    return failure();
  // One column a head, of its features.
  auto type = getTensorType(op.getRhs());
  int64_t width = type.getShape().back();
  int64_t heads = getNumFeatures(getTensorType(op.getResult()));
  SmallVector<Block> blocks;
  for (int64_t head = 0; head < heads; ++head)
    blocks.push_back(
        {op.getRhs(), true, 0, head, head * width, head, width, 1});
  Value weight = assemble(op.getLoc(), {heads * width, heads}, blocks);
  setRows(op.getResult(),
          overlay::LinearOp::create(builder, op.getLoc(), rowsType(heads), rows,
                                    weight, Value(), ArrayAttr()));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions of elements
//===----------------------------------------------------------------------===//

/// The slope of an activation that is the same for all features.
static std::optional<double> constantSlope(ActivationOp op) {
  if (op.getAlpha())
    return op.getAlpha()->convertToDouble();
  DenseElementsAttr elements;
  if (!op.getWeight() || !matchPattern(op.getWeight(), m_Constant(&elements)) ||
      !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

LogicalResult Converter::convertActivation(ActivationOp op) {
  overlay::ActAttr act;
  switch (op.getKind()) {
  case ActivationKind::Relu:
    act = function(overlay::ActivationKind::Relu);
    break;
  case ActivationKind::LeakyRelu:
  case ActivationKind::Prelu:
    if (std::optional<double> slope = constantSlope(op);
        slope && std::isfinite(static_cast<float>(*slope)))
      act = function(overlay::ActivationKind::Prelu, *slope);
    break;
  case ActivationKind::Swish:
    act = function(overlay::ActivationKind::Swish);
    break;
  case ActivationKind::Exp:
    act = function(overlay::ActivationKind::Exp);
    break;
  case ActivationKind::Sigmoid:
    act = function(overlay::ActivationKind::Sigmoid);
    break;
  case ActivationKind::Elu:
  case ActivationKind::Tanh:
  case ActivationKind::Gelu:
    break;
  }
  if (!act)
    return refuse(op) << "expected relu, leaky_relu or prelu with one constant "
                         "slope, swish, exp or sigmoid, got "
                      << stringifyActivationKind(op.getKind());
  if (getRowSpace(op.getType()) == RowSpace::Edge) {
    FailureOr<EdgeNumbers> numbers = numbersOf(op, op.getInput());
    if (failed(numbers))
      return failure();
    if (numbers->isSoftmax)
      return refuse(op) << "expected scores before their softmax";
    for (Value &head : numbers->heads)
      head =
          overlay::ActivationOp::create(builder, op.getLoc(), edgeType(), head,
                                        Value(), Value(), functions(act));
    numbersOfValue[op.getResult()] = *numbers;
    return success();
  }
  Value rows = rowsOf(op, op.getInput());
  if (!rows)
    return failure();
  setRows(op.getResult(), overlay::ActivationOp::create(
                              builder, op.getLoc(), rows.getType(), rows,
                              Value(), Value(), functions(act)));
  return success();
}

Value Converter::scaleRows(Location loc, Value rows, Value scale, Value shift) {
  int64_t features = getNumFeatures(getTensorType(rows));
  if (!scale)
    scale = assemble(loc, {features}, {}, {0, 0, 1, features});
  if (!shift)
    shift = assemble(loc, {features}, {});
  return overlay::BatchNormOp::create(builder, loc, rows.getType(), rows, scale,
                                      shift);
}

LogicalResult Converter::convertBatchNorm(BatchNormOp op) {
  if (llvm::any_of(op->getOperands().drop_front(),
                   [&](Value value) { return dependsOnRows(value); }))
    return refuse(op) << "expected statistics that do not depend on rows";
  Value rows = rowsOf(op, op.getInput());
  if (!rows)
    return failure();
  Location loc = op.getLoc();
  auto type = getTensorType(op.getVariance());
  Value eps = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, static_cast<float>(op.getEps().convertToDouble())));
  Value deviation = math::SqrtOp::create(
      builder, loc,
      arith::AddFOp::create(builder, loc, op.getVariance(), eps).getResult());
  Value scale = arith::DivFOp::create(builder, loc, op.getGamma(), deviation);
  Value shift = arith::SubFOp::create(
      builder, loc, op.getBeta(),
      arith::MulFOp::create(builder, loc, op.getMean(), scale).getResult());
  int64_t features = getNumFeatures(getTensorType(rows));
  setRows(op.getResult(), scaleRows(loc, rows, flatWeight(loc, scale, features),
                                    flatWeight(loc, shift, features)));
  return success();
}

//===----------------------------------------------------------------------===//
// Additions and scales
//===----------------------------------------------------------------------===//

Value Converter::addRow(Location loc, Value rows, Value row, bool mayFold) {
  auto sumOf = [&](Value old) -> Value {
    return old ? Value(arith::AddFOp::create(builder, loc, old, row)) : row;
  };
  if (!mayFold)
    return scaleRows(loc, rows, Value(), row);
  Operation *layer = rows.getDefiningOp();
  if (auto product = dyn_cast_or_null<overlay::LinearOp>(layer);
      product && !product.getActivations()) {
    return overlay::LinearOp::create(builder, loc, rows.getType(),
                                     product.getInput(), product.getWeight(),
                                     sumOf(product.getBias()), ArrayAttr());
  }
  if (auto sum = dyn_cast_or_null<overlay::AggregateOp>(layer);
      sum && !sum.getActivations() &&
      sum.getAggregationKind() == overlay::Aggregation::Sum)
    return overlay::AggregateOp::create(
        builder, loc, rows.getType(), sum.getAggregationAttr(), sum.getInput(),
        sum.getWeights(), sumOf(sum.getInit()), ArrayAttr());
  // Of an addition, to an operand that it alone reads.
  if (auto addition = dyn_cast_or_null<overlay::VectorAddOp>(layer);
      addition && !addition.getActivations())
    for (unsigned i : {0, 1}) {
      Value operand = addition->getOperand(i);
      if (!operand.hasOneUse() ||
          !operand.getDefiningOp<overlay::LayerOpInterface>())
        continue;
      Value other = addition->getOperand(1 - i);
      Operation *of = operand.getDefiningOp();
      if (!isa<overlay::LinearOp, overlay::AggregateOp, overlay::VectorAddOp>(
              of))
        continue;
      Value biased = addRow(loc, operand, row, /*mayFold=*/true);
      if (biased.getDefiningOp<overlay::BatchNormOp>()) {
        biased.getDefiningOp()->erase();
        continue;
      }
      return overlay::VectorAddOp::create(builder, loc, rows.getType(), biased,
                                          other, ArrayAttr());
    }
  return scaleRows(loc, rows, Value(), row);
}

/// The weight that `value` repeats for all rows; null: it repeats none.
static Value repeatedWeight(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && !getRows(broadcast.getInput().getType())
             ? broadcast.getInput()
             : Value();
}

LogicalResult Converter::convertAdd(arith::AddFOp op) {
  if (getRowSpace(op.getType()) == RowSpace::Edge)
    return convertOfEnds(op, /*adds=*/true);
  if (getRowSpace(op.getType()) != RowSpace::Node)
    return refuse(op) << "expected an addition of rows of nodes, got "
                      << op.getType();
  int64_t features = getNumFeatures(getTensorType(op.getResult()));
  for (unsigned i : {0, 1}) {
    Value weight = repeatedWeight(op->getOperand(i));
    Value other = op->getOperand(1 - i);
    if (!weight || dependsOnRows(op->getOperand(i)))
      continue;
    Value rows = rowsOf(op, other);
    if (!rows)
      return failure();
    setRows(op.getResult(),
            addRow(op.getLoc(), rows, flatWeight(op.getLoc(), weight, features),
                   other.hasOneUse()));
    return success();
  }
  Value lhs = rowsOf(op, op.getLhs()), rhs = rowsOf(op, op.getRhs());
  if (!lhs || !rhs)
    return failure();
  setRows(op.getResult(),
          overlay::VectorAddOp::create(builder, op.getLoc(), lhs.getType(), lhs,
                                       rhs, ArrayAttr()));
  return success();
}

LogicalResult Converter::convertMul(arith::MulFOp op) {
  if (getRowSpace(op.getType()) == RowSpace::Edge) {
    for (unsigned i : {0, 1}) // rows of one channel a head have its type
      if (Value rows = op->getOperand(i);
          messageOfValue.contains(rows) && isNumbers(op->getOperand(1 - i)))
        return convertProduct(op, rows, /*via=*/{}, op->getOperand(1 - i));
    return convertOfEnds(op, /*adds=*/false);
  }
  for (unsigned i : {0, 1}) {
    Value weight = repeatedWeight(op->getOperand(i));
    if (!weight)
      continue;
    Value rows = rowsOf(op, op->getOperand(1 - i));
    if (!rows)
      return failure();
    int64_t features = getNumFeatures(getTensorType(op.getResult()));
    setRows(op.getResult(),
            scaleRows(op.getLoc(), rows,
                      flatWeight(op.getLoc(), weight, features), Value()));
    return success();
  }
  return refuse(op)
         << "expected a product with a weight that all rows of nodes "
            "share";
}

LogicalResult Converter::convertReduceHeads(ReduceHeadsOp op) {
  if (op.getKind() != ReduceKind::Sum && op.getKind() != ReduceKind::Mean)
    return refuse(op) << "expected a sum or mean of heads, got "
                      << stringifyReduceKind(op.getKind());
  Value rows = rowsOf(op, op.getInput());
  if (!rows)
    return failure();
  ArrayRef<int64_t> features = getFeatures(getTensorType(op.getInput()));
  int64_t heads = features[0], width = features[1];
  // A product with the diagonal of each head.
  SmallVector<Block> blocks;
  SmallVector<int64_t> ones;
  Value inverse;
  if (op.getKind() == ReduceKind::Mean)
    inverse = arith::ConstantOp::create(
        builder, op.getLoc(),
        DenseElementsAttr::get(
            RankedTensorType::get({1}, Float32Type::get(builder.getContext())),
            1.0F / static_cast<float>(heads)));
  for (int64_t row = 0; row < heads * width; ++row) {
    if (inverse)
      blocks.push_back({inverse, false, 0, 0, row, row % width, 1, 1});
    else
      ones.append({row, row % width, 1, 1});
  }
  Value weight = assemble(op.getLoc(), {heads * width, width}, blocks, ones);
  setRows(op.getResult(),
          overlay::LinearOp::create(builder, op.getLoc(), rowsType(width), rows,
                                    weight, Value(), ArrayAttr()));
  return success();
}

LogicalResult Converter::convertReshape(ReshapeOp op) {
  if (getRowSpace(op.getType()) == RowSpace::Node) {
    Value rows = rowsOf(op, op.getInput());
    if (!rows)
      return failure();
    setRows(op.getResult(), rows);
    return success();
  }
  if (auto it = messageOfValue.find(op.getInput());
      it != messageOfValue.end()) {
    // A head more or less is the same message.
    Message message = it->second;
    auto features = getFeatures(getTensorType(op.getResult()));
    if (features.size() <= 2 &&
        (!message.numbers || message.numbers->heads.size() == 1)) {
      message.features.assign(features.begin(), features.end());
      messageOfValue[op.getResult()] = message;
      return success();
    }
  }
  if (auto it = numbersOfValue.find(op.getInput());
      it != numbersOfValue.end()) {
    EdgeNumbers numbers = it->second;
    ArrayRef<int64_t> features = getFeatures(getTensorType(op.getResult()));
    auto heads = static_cast<int64_t>(numbers.heads.size());
    if (features.size() <= 1 || features == ArrayRef<int64_t>{heads, 1}) {
      numbersOfValue[op.getResult()] = numbers;
      return success();
    }
  }
  return refuse(op) << "expected rows of nodes, or of edges with the same "
                       "heads, got "
                    << op.getInput().getType() << " as " << op.getType();
}

LogicalResult Converter::convertRebind(RebindRowsOp op) {
  if (getRowSpace(op.getType()) != RowSpace::Node)
    return refuse(op) << "expected rows of nodes, got " << op.getType();
  Value rows = rowsOf(op, op.getInput());
  if (!rows)
    return failure();
  setRows(op.getResult(), rows);
  return success();
}
