//===- LiftOps.cpp - Ops on one row as ops on all rows --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lifting.h"

#include "GNN/Dialect/GNN/IR/Features.h"
#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::loops;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType Lifter::typeOf(Frame &frame, ArrayRef<int64_t> features,
                                Type element) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, features);
  return RankedTensorType::get(shape, element, frame.rows);
}

void Lifter::set(Frame &frame, Value value, Value tensor) {
  RowSpace space = frame.rows.getSpace();
  frame.values[value] = {tensor,
                         {space, space, std::nullopt},
                         llvm::to_vector(tensorType(value).getShape())};
}

Value Lifter::materialize(Frame &frame, Location loc, const Lifted &value,
                          ArrayRef<int64_t> features) {
  Value tensor = value.tensor;
  Type element = elementOf(tensor);
  if (value.isWeight()) {
    // A scalar is repeated at once, others in their own shape first.
    ArrayRef<int64_t> first = value.own().empty() ? features : value.own();
    tensor = BroadcastOp::create(builder, loc, typeOf(frame, first, element),
                                 tensor);
  } else if (!value.path.isIdentity()) {
    tensor = GatherOp::create(builder, loc, typeOf(frame, value.own(), element),
                              tensor, value.path.via);
  }
  if (getFeatures(tensorType(tensor)) != features)
    tensor = BroadcastOp::create(builder, loc, typeOf(frame, features, element),
                                 tensor);
  return tensor;
}

/// Whether `value` is 1 everywhere.
static bool isOne(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto splat =
      constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
  return splat && splat.getSplatValue<APFloat>().isExactlyValue(1);
}

Value Lifter::reduce(Frame &frame, Location loc, const Lifted &value,
                     ReduceKind kind, RankedTensorType type,
                     std::optional<EndPoint> via) {
  auto end = via ? EndPointAttr::get(builder.getContext(), *via) : nullptr;
  bool isSum = kind == ReduceKind::Sum;
  if (isSum && value.isWeight() && value.features.empty() &&
      isOne(value.tensor))
    return DegreeOp::create(builder, loc, type, frame.rows.getSpace(), end);
  if (auto outer = value.tensor.getDefiningOp<OuterRowsOp>();
      outer && isSum && isTypeRows(type) && value.path.isIdentity())
    return TypedOuterOp::create(builder, loc, type, outer.getLhs(),
                                outer.getRhs(), end);
  return AggregateOp::create(builder, loc, type, kind,
                             materialize(frame, loc, value), via)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Reads and products
//===----------------------------------------------------------------------===//

LogicalResult Lifter::liftRead(Frame &frame, ReadOp op) {
  FailureOr<RowPath> row = getRow(frame, op.getRow(), op);
  if (failed(row))
    return failure();
  Value whole = wholes.lookup(op.getInput());
  Value tensor = whole ? whole : op.getInput();
  RowPath path = op.getRowPaths().front();
  std::optional<RowPath> direct = compose(*row, path);
  if (!direct) { // no one path: by way of the row
    tensor = GatherOp::create(builder, op.getLoc(),
                              withRowSpace(tensorType(tensor), path.from),
                              tensor, path.via);
    direct = *row;
  }
  frame.values[op] = {tensor, *direct,
                      llvm::to_vector(getFeatures(tensorType(tensor)))};
  return success();
}

LogicalResult Lifter::liftLinear(Frame &frame, RowLinearOp op) {
  Location loc = op.getLoc();
  FailureOr<Lifted> input = get(frame, op.getInput());
  if (failed(input))
    return failure();
  FailureOr<Lifted> weight = get(frame, op.getWeight());
  if (failed(weight))
    return failure();
  bool isTyped = !weight->isWeight() && isTypeRows(weight->tensor.getType());
  if ((!weight->isWeight() && !isTyped) ||
      weight->own() != ArrayRef<int64_t>(weight->features))
    return op.emitOpError("has a weight of its own for every row: expected one "
                          "from outside of the loop, or one for each edge type "
                          "or node type");
  Value rows = materialize(frame, loc, *input), by = weight->tensor;
  if (op.getTransposed())
    by = WeightTransposeOp::create(builder, loc, by);
  auto type =
      typeOf(frame, tensorType(op.getResult()).getShape(), elementOf(rows));
  if (!isTyped) {
    set(frame, op, LinearOp::create(builder, loc, type, rows, by, Value()));
    return success();
  }
  std::optional<EndPoint> via = weight->path.via;
  auto end = via ? EndPointAttr::get(builder.getContext(), *via) : nullptr;
  set(frame, op,
      TypedLinearOp::create(builder, loc, type, rows, by, Value(), end));
  return success();
}

LogicalResult Lifter::liftDot(Frame &frame, RowDotOp op) {
  Location loc = op.getLoc();
  FailureOr<Lifted> lhs = get(frame, op.getLhs());
  if (failed(lhs))
    return failure();
  FailureOr<Lifted> rhs = get(frame, op.getRhs());
  if (failed(rhs))
    return failure();
  if (lhs->isWeight())
    std::swap(*lhs, *rhs);
  auto type = typeOf(frame, tensorType(op.getResult()).getShape(),
                     elementOf(op.getResult()));
  auto isWhole = [](const Lifted &value) {
    return value.own() == ArrayRef<int64_t>(value.features);
  };
  if (rhs->isWeight()) {
    Value rows = materialize(frame, loc, *lhs);
    Value by = isWhole(*rhs) ? rhs->tensor : materialize(frame, loc, *rhs);
    set(frame, op, DotOp::create(builder, loc, type, rows, by));
    return success();
  }
  for (Lifted *side : {&*lhs, &*rhs})
    if (!isWhole(*side)) {
      side->tensor = materialize(frame, loc, *side);
      side->path = {frame.rows.getSpace(), frame.rows.getSpace(), std::nullopt};
    }
  if (lhs->path.isIdentity() && rhs->path.isIdentity()) {
    set(frame, op, DotOp::create(builder, loc, type, lhs->tensor, rhs->tensor));
    return success();
  }
  auto end = [&](const Lifted &side) -> EndPointAttr {
    return side.path.via
               ? EndPointAttr::get(builder.getContext(), *side.path.via)
               : nullptr;
  };
  set(frame, op,
      SddmmOp::create(builder, loc, type, lhs->tensor, end(*lhs), rhs->tensor,
                      end(*rhs)));
  return success();
}

LogicalResult Lifter::liftOuter(Frame &frame, RowOuterOp op) {
  FailureOr<Lifted> lhs = get(frame, op.getLhs());
  if (failed(lhs))
    return failure();
  FailureOr<Lifted> rhs = get(frame, op.getRhs());
  if (failed(rhs))
    return failure();
  Value left = materialize(frame, op.getLoc(), *lhs);
  Value right = materialize(frame, op.getLoc(), *rhs);
  auto type = typeOf(frame, tensorType(op.getResult()).getShape(),
                     elementOf(op.getResult()));
  set(frame, op, OuterRowsOp::create(builder, op.getLoc(), type, left, right));
  return success();
}

//===----------------------------------------------------------------------===//
// The shape of features
//===----------------------------------------------------------------------===//

LogicalResult Lifter::liftConcat(Frame &frame, Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t rank = concat.getResultType().getRank();
  if (static_cast<int64_t>(concat.getDim()) != rank - 1)
    return op->emitOpError("expected features joined along the last dimension ")
           << rank - 1 << ", got " << concat.getDim();
  SmallVector<Value> inputs;
  for (Value operand : concat.getInputs()) {
    FailureOr<Lifted> input = get(frame, operand);
    if (failed(input))
      return failure();
    inputs.push_back(materialize(frame, op->getLoc(), *input));
  }
  auto type = typeOf(frame, concat.getResultType().getShape(),
                     concat.getResultType().getElementType());
  set(frame, concat, ConcatOp::create(builder, op->getLoc(), type, inputs));
  return success();
}

LogicalResult Lifter::liftSlice(Frame &frame, Operation *op) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  ArrayRef<int64_t> from = slice.getSourceType().getShape();
  ArrayRef<int64_t> to = slice.getResultType().getShape();
  bool isPart = from.size() == to.size() && !to.empty() &&
                from.drop_back() == to.drop_back() &&
                llvm::all_of(slice.getStaticStrides(),
                             [](int64_t s) { return s == 1; }) &&
                llvm::none_of(slice.getStaticOffsets(), ShapedType::isDynamic);
  if (!isPart)
    return op->emitOpError(
        "expected a part of the last dimension, at a number");
  FailureOr<Lifted> input = get(frame, slice.getSource());
  if (failed(input))
    return failure();
  auto type = typeOf(frame, to, slice.getResultType().getElementType());
  set(frame, slice,
      SliceOp::create(builder, op->getLoc(), type,
                      materialize(frame, op->getLoc(), *input),
                      slice.getStaticOffsets().back()));
  return success();
}

LogicalResult Lifter::liftReshape(Frame &frame, Operation *op) {
  FailureOr<Lifted> input = get(frame, op->getOperand(0));
  if (failed(input))
    return failure();
  auto target = tensorType(op->getResult(0));
  bool isWhole = input->own() == ArrayRef<int64_t>(input->features);
  // Rows stay where they are: a reshape of those read from costs nothing.
  if (input->isWeight() || !isWhole)
    input = Lifted{materialize(frame, op->getLoc(), *input),
                   {frame.rows.getSpace(), frame.rows.getSpace(), std::nullopt},
                   {}};
  auto type = withFeatures(tensorType(input->tensor), target.getShape());
  Value tensor = ReshapeOp::create(builder, op->getLoc(), type, input->tensor);
  frame.values[op->getResult(0)] = {tensor, input->path,
                                    llvm::to_vector(target.getShape())};
  return success();
}

//===----------------------------------------------------------------------===//
// Functions of features
//===----------------------------------------------------------------------===//

/// The path that all values with rows have to the same type rows, on which what
/// depends on them alone is computed; none where they have not.
static std::optional<RowPath> commonTypes(ArrayRef<Lifted> values) {
  for (const Lifted &value : values)
    if (value.isWeight() || !isTypeRows(value.tensor.getType()) ||
        value.path.to != values.front().path.to ||
        value.path.via != values.front().path.via)
      return std::nullopt;
  return values.front().path;
}

/// The longest of the values' own features.
static ArrayRef<int64_t> longest(ArrayRef<Lifted> values) {
  ArrayRef<int64_t> features;
  for (const Lifted &value : values)
    if (value.own().size() > features.size())
      features = value.own();
  return features;
}

/// The kind of a binary op; none for others.
static std::optional<BinaryKind> binaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<BinaryKind>>(op)
      .Case<arith::AddFOp>([](auto) { return BinaryKind::Add; })
      .Case<arith::SubFOp>([](auto) { return BinaryKind::Sub; })
      .Case<arith::MulFOp>([](auto) { return BinaryKind::Mul; })
      .Case<arith::DivFOp>([](auto) { return BinaryKind::Div; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult Lifter::liftActivation(Frame &frame, RowActivationOp op) {
  FailureOr<Lifted> input = get(frame, op.getInput());
  if (failed(input))
    return failure();
  bool isWhole = input->own() == ArrayRef<int64_t>(input->features);
  bool onTypes = commonTypes(*input).has_value() && isWhole;
  RowSpace space = frame.rows.getSpace();
  RowPath path = onTypes ? input->path : RowPath{space, space, std::nullopt};
  Value rows =
      onTypes ? input->tensor : materialize(frame, op.getLoc(), *input);
  Value tensor = ActivationOp::create(builder, op.getLoc(), rows.getType(),
                                      op.getKindAttr(), rows, op.getWeight(),
                                      op.getAlphaAttr());
  frame.values[op] = {tensor, path, input->features};
  return success();
}

/// Clones an elementwise op for operands of another type.
static Value cloneFor(OpBuilder &builder, Operation *op, ValueRange operands,
                      Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, type,
                       op->getAttrs());
  return builder.create(state)->getResult(0);
}

LogicalResult Lifter::liftElementwise(Frame &frame, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Lifted> values;
  for (Value operand : op->getOperands()) {
    FailureOr<Lifted> value = get(frame, operand);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  auto full = tensorType(op->getResult(0));
  Type element = full.getElementType();
  SmallVector<int64_t> features(longest(values));
  RowSpace space = frame.rows.getSpace();
  RowPath own = {space, space, std::nullopt};
  auto finish = [&](Value tensor, RowPath path) {
    frame.values[op->getResult(0)] = {tensor, path,
                                      llvm::to_vector(full.getShape())};
    return success();
  };
  // A weight that is repeated is aligned at its end, rows at their beginning.
  for (Lifted &value : values)
    if (value.isWeight() && !value.own().empty())
      features.assign(full.getShape().begin(), full.getShape().end());
  bool areWhole = llvm::all_of(values, [&](const Lifted &value) {
    return value.own() == ArrayRef<int64_t>(features);
  });
  if (areWhole && llvm::all_of(values, [](const Lifted &value) {
        return value.isWeight();
      })) { // the same for all rows
    SmallVector<Value> tensors;
    for (const Lifted &value : values)
      tensors.push_back(value.tensor);
    return finish(cloneFor(builder, op, tensors,
                           RankedTensorType::get(features, element)),
                  {});
  }
  if (std::optional<RowPath> types = commonTypes(values); types && areWhole) {
    SmallVector<Value> tensors;
    for (const Lifted &value : values)
      tensors.push_back(value.tensor);
    auto type = withFeatures(tensorType(tensors[0]), features, element);
    return finish(cloneFor(builder, op, tensors, type), *types);
  }
  std::optional<BinaryKind> kind = binaryKind(op);
  bool inPlace = llvm::all_of(values, [&](const Lifted &value) {
    return value.isWeight() || (value.path.isIdentity() &&
                                value.own() == ArrayRef<int64_t>(features));
  });
  if (kind && !inPlace && begins(features, values[0].own()) &&
      begins(features, values[1].own())) {
    for (Lifted &value : values)
      if (value.isWeight())
        value = {materialize(frame, loc, value, features), own, features};
    auto end = [&](const Lifted &side) -> EndPointAttr {
      return side.path.via
                 ? EndPointAttr::get(builder.getContext(), *side.path.via)
                 : nullptr;
    };
    return finish(ApplyOp::create(builder, loc,
                                  typeOf(frame, features, element), *kind,
                                  values[0].tensor, end(values[0]),
                                  values[1].tensor, end(values[1])),
                  own);
  }
  SmallVector<Value> tensors;
  for (const Lifted &value : values)
    tensors.push_back(materialize(frame, loc, value, features));
  return finish(
      cloneFor(builder, op, tensors, typeOf(frame, features, element)), own);
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

LogicalResult Lifter::lift(Frame &frame, Operation *op) {
  if (canJoin(frame, op) || mustStay(op))
    return keep(frame, op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](FollowOp) { return success(); })
      .Case([&](ReadOp o) { return liftRead(frame, o); })
      .Case([&](RowLinearOp o) { return liftLinear(frame, o); })
      .Case([&](RowDotOp o) { return liftDot(frame, o); })
      .Case([&](RowOuterOp o) { return liftOuter(frame, o); })
      .Case([&](RowActivationOp o) { return liftActivation(frame, o); })
      .Case([&](RowBroadcastOp o) -> LogicalResult {
        FailureOr<Lifted> value = get(frame, o.getInput());
        if (failed(value))
          return failure();
        if (value->isWeight() && !value->own().empty()) {
          RowSpace space = frame.rows.getSpace();
          value->tensor = materialize(frame, o.getLoc(), *value);
          value->path = {space, space, std::nullopt};
        }
        value->features = llvm::to_vector(tensorType(o.getResult()).getShape());
        frame.values[o] = *value;
        return success();
      })
      .Case([&](arith::ConstantOp o) -> LogicalResult {
        auto type = cast<RankedTensorType>(o.getType());
        auto value = cast<DenseElementsAttr>(o.getValue());
        if (value.isSplat())
          value = DenseElementsAttr::get(
              RankedTensorType::get({}, type.getElementType()),
              value.getSplatValue<Attribute>());
        Value tensor = arith::ConstantOp::create(builder, o.getLoc(), value);
        frame.values[o] = {tensor, {}, llvm::to_vector(type.getShape())};
        return success();
      })
      .Case<tensor::ConcatOp>(
          [&](Operation *o) { return liftConcat(frame, o); })
      .Case<tensor::ExtractSliceOp>(
          [&](Operation *o) { return liftSlice(frame, o); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](Operation *o) { return liftReshape(frame, o); })
      .Case([&](RowLoopInterface o) { return liftIncident(frame, o); })
      .Default([&](Operation *o) { return liftElementwise(frame, o); });
}
