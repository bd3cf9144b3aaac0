//===- Edges.cpp - Layers of edges ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores of edges, and sums over the edges of a destination. Rows of features
// for each edge are never made: a sum takes rows of sources and numbers of
// edges.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

FailureOr<Message> Converter::messageOf(Operation *op, Value value,
                                        std::optional<EndPoint> via) {
  if (auto it = messageOfValue.find(value); it != messageOfValue.end())
    return it->second;
  auto type = getTensorType(value);
  if (getRowSpace(type) != RowSpace::Node || !via)
    return refuse(op) << "expected rows of nodes at one end of each edge, got "
                      << type;
  Message message;
  message.rows = rowsOf(op, value);
  if (!message.rows)
    return failure();
  message.features.assign(getFeatures(type).begin(), getFeatures(type).end());
  if (message.features.size() > 2)
    return refuse(op) << "expected at most two dimensions of features, got "
                      << type;
  message.end = *via;
  return message;
}

FailureOr<Message> Converter::multiply(Operation *op, Message message,
                                       const EdgeNumbers &numbers) {
  if (!message.numbers) {
    message.numbers = numbers;
    return message;
  }
  EdgeNumbers &old = *message.numbers;
  old.isSoftmax |= numbers.isSoftmax;
  if (old.heads.size() == 1) // the same for all heads
    old.heads.resize(numbers.heads.size(), old.heads.front());
  for (auto [head, factor] : llvm::enumerate(old.heads)) {
    Value other = numbers.heads[numbers.heads.size() == 1 ? 0 : head];
    if (factor.getDefiningOp<overlay::LayerOpInterface>() ||
        other.getDefiningOp<overlay::LayerOpInterface>())
      return refuse(op)
             << "expected one factor of an edge that layers compute, "
                "got a product of two";
    factor = arith::MulFOp::create(builder, op->getLoc(), factor, other);
  }
  return message;
}

LogicalResult Converter::convertProduct(Operation *op, Value rows,
                                        std::optional<EndPoint> via,
                                        Value factors) {
  FailureOr<EdgeNumbers> numbers = numbersOf(op, factors);
  if (failed(numbers))
    return failure();
  FailureOr<Message> message = messageOf(op, rows, via);
  if (failed(message))
    return failure();
  message = multiply(op, *message, *numbers);
  if (failed(message))
    return failure();
  messageOfValue[op->getResult(0)] = *message;
  return success();
}

LogicalResult Converter::convertGather(GatherOp op) {
  FailureOr<Message> message = messageOf(op, op.getInput(), op.getVia());
  if (failed(message))
    return failure();
  messageOfValue[op.getResult()] = *message;
  return success();
}

EdgeNumbers Converter::combineEnds(Location loc, Value sources,
                                   Value destinations, int64_t heads,
                                   bool adds) {
  EdgeNumbers numbers;
  for (int64_t head = 0; head < heads; ++head) {
    // A sum is an inner product of two numbers each: [s, 1] with [1, t].
    Value source = adds ? project(loc, sources, head, 1, 0, 2, {1})
                        : project(loc, sources, head, 1, 0, 1);
    Value destination = adds ? project(loc, destinations, head, 1, 1, 2, {0})
                             : project(loc, destinations, head, 1, 0, 1);
    numbers.heads.push_back(overlay::VectorInnerOp::create(
        builder, loc, edgeType(), source, destination, ArrayAttr()));
  }
  return numbers;
}

LogicalResult Converter::convertOfEnds(Operation *op, bool adds) {
  auto type = getTensorType(op->getResult(0));
  auto lhs = messageOfValue.find(op->getOperand(0));
  auto rhs = messageOfValue.find(op->getOperand(1));
  auto end = messageOfValue.end();
  if (lhs == end || rhs == end || lhs->second.numbers || rhs->second.numbers ||
      lhs->second.end == rhs->second.end || getFeatures(type).size() > 1)
    return refuse(op) << "expected one number of each end of an edge, got "
                      << type;
  bool swapped = lhs->second.end == EndPoint::Dst;
  numbersOfValue[op->getResult(0)] = combineEnds(
      op->getLoc(), (swapped ? rhs : lhs)->second.rows,
      (swapped ? lhs : rhs)->second.rows, getNumFeatures(type), adds);
  return success();
}

LogicalResult Converter::convertApply(ApplyOp op) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  BinaryKind kind = op.getKind();
  bool scalars = getFeatures(op.getType()).size() <= 1 && rhs &&
                 getRowSpace(lhs.getType()) == RowSpace::Node &&
                 getRowSpace(rhs.getType()) == RowSpace::Node;
  if (scalars && op.getLhsVia() != op.getRhsVia() &&
      (kind == BinaryKind::Add || kind == BinaryKind::Mul)) {
    Value a = rowsOf(op, lhs), b = rowsOf(op, rhs);
    if (!a || !b)
      return failure();
    bool swapped = op.getLhsVia() == EndPoint::Dst;
    if (swapped)
      std::swap(a, b);
    numbersOfValue[op.getResult()] = combineEnds(
        op.getLoc(), a, b, getNumFeatures(getTensorType(op.getResult())),
        kind == BinaryKind::Add);
    return success();
  }
  if (kind != BinaryKind::Mul || !rhs)
    return refuse(op) << "expected a product of rows with a number of each "
                         "edge, or a sum of one number of each end, got "
                      << stringifyBinaryKind(kind);
  std::optional<EndPoint> via = op.getLhsVia();
  if (isNumbers(lhs)) {
    std::swap(lhs, rhs);
    via = op.getRhsVia();
  }
  if (!isNumbers(rhs))
    return refuse(op) << "expected a number of each edge as a factor";
  return convertProduct(op, lhs, via, rhs);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

EdgeNumbers Converter::innerProducts(Location loc, Value sources,
                                     Value destinations,
                                     ArrayRef<int64_t> features) {
  EdgeNumbers numbers;
  int64_t heads = features.size() == 2 ? features.front() : 1;
  int64_t width = features.back();
  for (int64_t head = 0; head < heads; ++head)
    numbers.heads.push_back(overlay::VectorInnerOp::create(
        builder, loc, edgeType(),
        project(loc, sources, head * width, width, 0, width),
        project(loc, destinations, head * width, width, 0, width),
        ArrayAttr()));
  return numbers;
}

LogicalResult Converter::convertSddmm(SddmmOp op) {
  Value sources = op.getLhs(), destinations = op.getRhs();
  if (op.getLhsVia() == EndPoint::Dst)
    std::swap(sources, destinations);
  if (!op.getLhsVia() || !op.getRhsVia() || op.getLhsVia() == op.getRhsVia() ||
      getRowSpace(op.getType()) != RowSpace::Edge)
    return refuse(op) << "expected rows of nodes at both ends of each edge";
  Value a = rowsOf(op, sources), b = rowsOf(op, destinations);
  if (!a || !b)
    return failure();
  ArrayRef<int64_t> features = getFeatures(getTensorType(sources));
  if (features.empty() || features.size() > 2)
    return refuse(op) << "expected one or two dimensions of features, got "
                      << sources.getType();
  numbersOfValue[op.getResult()] = innerProducts(op.getLoc(), a, b, features);
  return success();
}

LogicalResult Converter::convertSoftmax(EdgeSoftmaxOp op) {
  if (op.getOver() != RowSpace::Dst)
    return refuse(op) << "expected a softmax over the edges of a destination, "
                         "got over "
                      << stringifyRowSpace(op.getOver());
  FailureOr<EdgeNumbers> numbers = numbersOf(op, op.getInput());
  if (failed(numbers))
    return failure();
  if (numbers->isSoftmax)
    return refuse(op) << "expected scores before their softmax";
  for (Value &head : numbers->heads)
    head = overlay::ActivationOp::create(
        builder, op.getLoc(), edgeType(), head, Value(), Value(),
        functions(function(overlay::ActivationKind::Exp)));
  numbers->isSoftmax = true;
  numbersOfValue[op.getResult()] = *numbers;
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value Converter::inverseDegrees(Location loc) {
  // Of what the graph alone says: a number of each node, then of each edge.
  MLIRContext *context = builder.getContext();
  auto f32 = Float32Type::get(context);
  auto ofNodes =
      RankedTensorType::get({ShapedType::kDynamic}, f32,
                            RowsAttr::get(context, graph, RowSpace::Node));
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, f32), 1.0F));
  Value ones = BroadcastOp::create(builder, loc, ofNodes, one);
  Value degrees = DegreeOp::create(builder, loc, ofNodes, RowSpace::Edge,
                                   EndPointAttr::get(context, EndPoint::Dst));
  Value inverse = arith::DivFOp::create(builder, loc, ones, degrees);
  return GatherOp::create(builder, loc, edgeType(), inverse, EndPoint::Dst);
}

Value Converter::reduceHead(Location loc, const Message &message, int64_t head,
                            overlay::Aggregation kind) {
  int64_t width = message.features.empty() ? 1 : message.features.back();
  Value rows = project(loc, message.rows, head * width, width, 0, width);
  Value weights;
  bool isSoftmax = false;
  if (message.numbers) {
    const EdgeNumbers &numbers = *message.numbers;
    weights = numbers.heads[numbers.heads.size() == 1 ? 0 : head];
    isSoftmax = numbers.isSoftmax;
  }
  auto aggregation = overlay::AggregationAttr::get(builder.getContext(), kind);
  if (!isSoftmax)
    return overlay::AggregateOp::create(builder, loc, rows.getType(),
                                        aggregation, rows, weights, Value(),
                                        ArrayAttr());
  // The sum of the weights is that of a column of ones.
  Value wider = withOnes.lookup(rows);
  if (!wider) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(rows); // in front of other readers
    wider = withOnes[rows] =
        project(loc, rows, 0, width, 0, width + 1, {width});
  }
  Value sums =
      overlay::AggregateOp::create(builder, loc, wider.getType(), aggregation,
                                   wider, weights, Value(), ArrayAttr());
  return overlay::ActivationOp::create(
      builder, loc, rows.getType(), sums, Value(), Value(),
      functions(function(overlay::ActivationKind::Divide, width)));
}

LogicalResult Converter::reduce(Operation *op, Value result, Message message,
                                ReduceKind kind, std::optional<EndPoint> via) {
  if (getRowSpace(result.getType()) != RowSpace::Node || via != EndPoint::Dst ||
      message.end != EndPoint::Src)
    return refuse(op) << "expected rows of sources, reduced at destinations";
  if (kind == ReduceKind::Mean) {
    FailureOr<Message> scaled =
        multiply(op, message, {{inverseDegrees(op->getLoc())}, false});
    if (failed(scaled))
      return failure();
    message = *scaled;
  }
  overlay::Aggregation aggregation =
      kind == ReduceKind::Max   ? overlay::Aggregation::Max
      : kind == ReduceKind::Min ? overlay::Aggregation::Min
                                : overlay::Aggregation::Sum;
  bool isSoftmax = message.numbers && message.numbers->isSoftmax;
  if (isSoftmax && kind != ReduceKind::Sum)
    return refuse(op) << "expected a sum of what a softmax weighs, got "
                      << stringifyReduceKind(kind);
  int64_t heads = message.features.size() == 2 ? message.features.front() : 1;
  int64_t width = message.features.empty() ? 1 : message.features.back();
  size_t factors = message.numbers ? message.numbers->heads.size() : 1;
  if (message.features.size() < 2 &&
      factors > 1) { // a number each, no features
    heads = factors;
    width = 1;
    message.features = {heads, 1};
  }
  if (factors == 1 && !isSoftmax && message.features.size() == 2) {
    message.features = {heads * width}; // all heads at once
    width *= heads;
    heads = 1;
  }
  Value all;
  for (int64_t head = 0; head < heads; ++head) {
    Value rows = reduceHead(op->getLoc(), message, head, aggregation);
    if (heads > 1) // side by side
      rows = project(op->getLoc(), rows, 0, width, head * width, heads * width);
    all = all ? Value(overlay::VectorAddOp::create(builder, op->getLoc(),
                                                   rows.getType(), all, rows,
                                                   ArrayAttr()))
              : rows;
  }
  setRows(result, all);
  return success();
}

LogicalResult Converter::convertAggregate(AggregateOp op) {
  if (op.getArgument() && !op.getArgument().use_empty())
    return refuse(op) << "expected no argument of a maximum or minimum";
  if (auto it = messageOfValue.find(op.getInput()); it != messageOfValue.end())
    return reduce(op, op.getResult(), it->second, op.getKind(), op.getVia());
  return refuse(op) << "expected rows of sources with a factor for each edge, "
                       "got "
                    << op.getInput().getType();
}

LogicalResult Converter::convertSpmm(SpmmOp op) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  std::optional<EndPoint> via = op.getLhsVia();
  if (rhs && op.getKind() != BinaryKind::Mul)
    return refuse(op) << "expected mul or copy, got "
                      << stringifyBinaryKind(op.getKind());
  if (rhs && isNumbers(lhs)) {
    std::swap(lhs, rhs);
    via = op.getRhsVia();
  }
  FailureOr<Message> message = messageOf(op, lhs, via);
  if (failed(message))
    return failure();
  if (rhs) {
    FailureOr<EdgeNumbers> numbers = numbersOf(op, rhs);
    if (failed(numbers))
      return failure();
    message = multiply(op, *message, *numbers);
    if (failed(message))
      return failure();
  }
  return reduce(op, op.getResult(), *message, op.getReduce(), op.getVia());
}
