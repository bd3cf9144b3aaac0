//===- FeatureOps.cpp - Ops on the features of each row -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row-wise traversals: dot, activations, norms, broadcast, reductions of
// features, and upstream's elementwise arithmetic.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;
using tile::Dim;

static Value constant(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(
      b, loc, b.getFloatAttr(cast<FloatType>(type), value));
}

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The product of all dimensions but the last.
static int64_t leadingSize(ArrayRef<int64_t> features) {
  int64_t size = 1;
  for (int64_t feature : features.drop_back())
    size *= feature;
  return size;
}

/// At most two dimensions of the same elements, with the last one as it is.
static SmallVector<int64_t> beforeLast(ArrayRef<int64_t> features) {
  return features.size() <= 2
             ? SmallVector<int64_t>(features)
             : SmallVector<int64_t>{leadingSize(features), features.back()};
}

Input Lowering::trailingOf(Location loc, const LoweredRows &weight,
                           ArrayRef<int64_t> features) {
  SmallVector<int64_t> dims = beforeLast(features);
  if (weight.features.size() <= 1 || features.size() <= 2)
    return trailing(weight, dims.size());
  LoweredRows whole = weight;
  if (int64_t times = sizeOf(features) / sizeOf(weight.features); times > 1) {
    whole.tensor = reshaped(loc, repeated(loc, weight, times), features);
    whole.features.assign(features.begin(), features.end());
  }
  return trailing(reshape(loc, whole, dims), dims.size());
}

LogicalResult Lowering::lowerDot(DotOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  LoweredRows lhs = view(op.getLhs()), rhs = view(op.getRhs());
  SmallVector<int64_t> full(result.features), walked = beforeLast(lhs.features);
  lhs = reshape(loc, lhs, walked);
  rhs = reshape(loc, rhs, walked);
  result.features.assign(walked.begin(), walked.end() - 1);
  unsigned dims = walked.size();
  Input right = !rhs.space
                    ? trailing(rhs, dims)
                    : leading(rhs, Anchor::Group, result.getDomain(), {}, dims);
  result.tensor = rowwise(
      loc, result, elementOf(op.getLhs()), lhs.features,
      {leading(lhs, Anchor::Group, result.getDomain(), {}, dims), right},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
        return tile::ReduceOp::create(b, loc, tile::Reduction::Sum,
                                      {static_cast<int32_t>(Dim::Feature)},
                                      product);
      });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerOuterRows(OuterRowsOp op) {
  LoweredRows result = describe(op.getType());
  LoweredRows lhs = view(op.getLhs()), rhs = view(op.getRhs());
  if (failed(checkDims(op, result.features)))
    return failure();
  // [a] x [b]: a takes the place of heads.
  Input left{lhs,
             access(lhs, Anchor::Group, result.getDomain(), {}, true, false)};
  Input right{rhs,
              access(rhs, Anchor::Group, result.getDomain(), {}, false, true)};
  result.tensor = rowwise(
      op.getLoc(), result, elementOf(op.getLhs()), result.features,
      {left, right}, [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::MulFOp::create(b, loc, args[0], args[1]);
      });
  set(op.getResult(), result);
  return success();
}

Value gnn::emitActivation(OpBuilder &b, Location loc, ActivationKind kind,
                          std::optional<APFloat> slopeBelow, Value x,
                          Value slope) {
  Type type = x.getType();
  Value zero = constant(b, loc, type, 0), one = constant(b, loc, type, 1);
  auto positive = [&]() -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, zero);
  };
  auto pick = [&](Value negative) -> Value {
    return arith::SelectOp::create(b, loc, positive(), x, negative);
  };
  auto onePlusExpMinus = [&]() -> Value {
    Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
    return arith::AddFOp::create(b, loc, one, power);
  };
  double alpha = slopeBelow ? slopeBelow->convertToDouble() : 0;
  switch (kind) {
  case ActivationKind::Relu:
    return arith::MaximumFOp::create(b, loc, x, zero);
  case ActivationKind::LeakyRelu:
    return pick(
        arith::MulFOp::create(b, loc, x, constant(b, loc, type, alpha)));
  case ActivationKind::Prelu:
    return pick(arith::MulFOp::create(b, loc, x, slope));
  case ActivationKind::Elu: {
    Value low = arith::MinimumFOp::create(b, loc, x, zero);
    Value power =
        arith::SubFOp::create(b, loc, math::ExpOp::create(b, loc, low), one);
    return pick(
        arith::MulFOp::create(b, loc, power, constant(b, loc, type, alpha)));
  }
  case ActivationKind::Sigmoid:
    return arith::DivFOp::create(b, loc, one, onePlusExpMinus());
  case ActivationKind::Tanh:
    return math::TanhOp::create(b, loc, x);
  case ActivationKind::Gelu: {
    Value scaled = arith::MulFOp::create(
        b, loc, x, constant(b, loc, type, 0.70710678118654752440));
    Value error =
        arith::AddFOp::create(b, loc, one, math::ErfOp::create(b, loc, scaled));
    Value half = arith::MulFOp::create(b, loc, x, constant(b, loc, type, 0.5));
    return arith::MulFOp::create(b, loc, half, error);
  }
  case ActivationKind::Swish:
    return arith::DivFOp::create(b, loc, x, onePlusExpMinus());
  case ActivationKind::Exp:
    return math::ExpOp::create(b, loc, x);
  }
  llvm_unreachable("all activations are handled");
}

LogicalResult Lowering::lowerActivation(ActivationOp op) {
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features);
  LoweredRows input = view(op.getInput());
  bool perFeature =
      op.getWeight() &&
      cast<RankedTensorType>(op.getWeight().getType()).getNumElements() > 1;
  result.features = perFeature ? beforeLast(full) : walkedDims(full);
  input = reshape(op.getLoc(), input, result.features);
  SmallVector<Input> inputs{leading(input, Anchor::Group, result.getDomain(),
                                    {}, result.features.size())};
  if (op.getWeight()) {
    LoweredRows weight = get(op.getWeight());
    inputs.push_back(perFeature ? trailingOf(op.getLoc(), weight, full)
                                : trailing(reshape(op.getLoc(), weight, {}),
                                           result.features.size()));
  }
  result.tensor = rowwise(
      op.getLoc(), result, elementOf(op.getInput()), result.features, inputs,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitActivation(b, loc, op.getKind(), op.getAlpha(), args[0],
                              args.size() > 1 ? args[1] : Value());
      });
  set(op.getResult(), reshape(op.getLoc(), result, full));
  return success();
}

LogicalResult Lowering::lowerBatchNorm(BatchNormOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features);
  result.features = beforeLast(full);
  SmallVector<Input> inputs{
      leading(reshape(loc, view(op.getInput()), result.features), Anchor::Group,
              result.getDomain(), {}, result.features.size())};
  for (Value weight :
       {op.getMean(), op.getVariance(), op.getGamma(), op.getBeta()})
    inputs.push_back(trailingOf(loc, get(weight), full));
  double eps = op.getEps().convertToDouble();
  result.tensor = rowwise(
      op.getLoc(), result, elementOf(op.getInput()), result.features, inputs,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value centered = arith::SubFOp::create(b, loc, args[0], args[1]);
        Value spread = math::SqrtOp::create(
            b, loc,
            arith::AddFOp::create(b, loc, args[2],
                                  constant(b, loc, args[0].getType(), eps)));
        Value normal = arith::DivFOp::create(b, loc, centered, spread);
        return arith::AddFOp::create(
            b, loc, arith::MulFOp::create(b, loc, normal, args[3]), args[4]);
      });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerLayerNorm(LayerNormOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features);
  result.features = beforeLast(full);
  SmallVector<Input> inputs{
      leading(reshape(loc, view(op.getInput()), result.features), Anchor::Group,
              result.getDomain(), {}, result.features.size())};
  if (op.getGamma())
    for (Value weight : {op.getGamma(), op.getBeta()})
      inputs.push_back(trailingOf(loc, get(weight), full));
  double eps = op.getEps().convertToDouble();
  result.tensor = rowwise(
      op.getLoc(), result, elementOf(op.getInput()), result.features, inputs,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto mean = [&](Value value) -> Value {
          return tile::ReduceOp::create(b, loc, tile::Reduction::Mean,
                                        {static_cast<int32_t>(Dim::Feature)},
                                        value);
        };
        Value centered = arith::SubFOp::create(b, loc, args[0], mean(args[0]));
        Value variance =
            mean(arith::MulFOp::create(b, loc, centered, centered));
        Value spread = math::SqrtOp::create(
            b, loc,
            arith::AddFOp::create(b, loc, variance,
                                  constant(b, loc, args[0].getType(), eps)));
        Value normal = arith::DivFOp::create(b, loc, centered, spread);
        if (args.size() == 1)
          return normal;
        return arith::AddFOp::create(
            b, loc, arith::MulFOp::create(b, loc, normal, args[1]), args[2]);
      });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerBroadcast(BroadcastOp op) {
  LoweredRows result = describe(op.getType());
  LoweredRows input = view(op.getInput());
  auto type = cast<RankedTensorType>(op.getType());
  if (!input.space && type.hasStaticShape()) {
    // A constant stays one: whoever reads it has it in its body.
    if (auto constant = input.tensor.getDefiningOp<arith::ConstantOp>();
        constant && isa<SplatElementsAttr>(constant.getValue())) {
      result.tensor = arith::ConstantOp::create(
          builder, op.getLoc(),
          cast<SplatElementsAttr>(constant.getValue())
              .resizeSplat(RankedTensorType::get(type.getShape(),
                                                 type.getElementType())));
      set(op.getResult(), result);
      return success();
    }
    int64_t times = type.getNumElements() / sizeOf(input.features);
    Value copies = repeated(op.getLoc(), input, times);
    result.tensor = reshaped(op.getLoc(), copies, type.getShape());
    set(op.getResult(), result);
    return success();
  }
  // More than two dimensions are those of the input and those it lacks.
  Location loc = op.getLoc();
  SmallVector<int64_t> full(result.features);
  if (int64_t own = sizeOf(input.features); full.size() > 2) {
    int64_t times = sizeOf(full) / own;
    bool isWeight = !input.space;
    input =
        reshape(loc, input,
                input.features.empty() ? ArrayRef<int64_t>() : ArrayRef(own));
    result.features = input.features.empty()
                          ? SmallVector<int64_t>{times}
                          : SmallVector<int64_t>{isWeight ? times : own,
                                                 isWeight ? own : times};
  }
  unsigned dims = result.features.size();
  Input read = !input.space ? trailing(input, dims)
                            : leading(input, Anchor::Group, result.getDomain(),
                                      {}, dims);
  result.tensor =
      rowwise(loc, result, elementOf(op.getInput()), result.features, {read},
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerReshape(ReshapeOp op) {
  set(op.getResult(), reshape(op.getLoc(), view(op.getInput()),
                              describe(op.getType()).features));
  return success();
}

LogicalResult Lowering::lowerReduceHeads(ReduceHeadsOp op) {
  LoweredRows result = describe(op.getType());
  LoweredRows input = view(op.getInput());
  auto domain = tile::DomainAttr::get(builder.getContext(), result.getDomain(),
                                      {}, input.features[0], input.features[1]);
  result.tensor = traverse(
      op.getLoc(), result.graph, domain,
      {leading(input, Anchor::Group, result.getDomain(), {}, 2)},
      empty(op.getLoc(), result, elementOf(op.getInput())),
      AtAttr::get(builder.getContext(), Anchor::Group, {}, false, true, 0),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return tile::ReduceOp::create(b, loc, reductionOf(op.getKind()),
                                      {static_cast<int32_t>(Dim::Head)},
                                      args[0]);
      });
  set(op.getResult(), result);
  return success();
}

LogicalResult Lowering::lowerReduceFeatures(ReduceFeaturesOp op) {
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features);
  LoweredRows input = view(op.getInput());
  input = reshape(op.getLoc(), input, beforeLast(input.features));
  unsigned dims = input.features.size();
  result.features.assign(input.features.begin(), input.features.end() - 1);
  result.tensor =
      rowwise(op.getLoc(), result, elementOf(op.getInput()), input.features,
              {leading(input, Anchor::Group, result.getDomain(), {}, dims)},
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                return tile::ReduceOp::create(
                    b, loc, reductionOf(op.getKind()),
                    {static_cast<int32_t>(Dim::Feature)}, args[0]);
              });
  set(op.getResult(), reshape(op.getLoc(), result, full));
  return success();
}

namespace {
/// An elementwise op on scalars, with the conditions that it reads. Those have
/// no buffers: every op that reads one computes it again.
class Elementwise {
public:
  explicit Elementwise(Operation *op) { collect(op); }

  /// What is read: rows, weights and constants, each once.
  ArrayRef<Value> getInputs() const { return inputs.getArrayRef(); }
  /// The value of the op, given a scalar for each input.
  Value emit(OpBuilder &b, ValueRange args) const;

private:
  void collect(Operation *op);

  llvm::SetVector<Operation *> ops; ///< conditions first, each behind its own
  llvm::SetVector<Value> inputs;
};
} // namespace

void Elementwise::collect(Operation *op) {
  if (ops.contains(op))
    return;
  for (Value operand : op->getOperands())
    if (isCondition(operand))
      collect(operand.getDefiningOp());
    else
      inputs.insert(operand);
  ops.insert(op);
}

Value Elementwise::emit(OpBuilder &b, ValueRange args) const {
  DenseMap<Value, Value> scalars;
  for (auto [input, arg] : llvm::zip_equal(inputs, args))
    scalars[input] = arg;
  for (Operation *op : ops) {
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value value) { return scalars.at(value); });
    OperationState state(op->getLoc(), op->getName(), operands,
                         {elementOf(op->getResult(0))}, op->getAttrs());
    scalars[op->getResult(0)] = b.create(state)->getResult(0);
  }
  return scalars.at(ops.back()->getResult(0));
}

/// The number of elements that a weight among `operands` repeats; 0 if none
/// repeats any, or not all operands are weights.
static int64_t repeatedElements(ArrayRef<Value> operands) {
  int64_t found = 0;
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (type && !type.hasStaticShape())
      return 0;
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    auto weight = broadcast ? broadcast.getInput().getType() : nullptr;
    if (weight && !getRows(weight) && weight.getNumElements() > 1)
      found = weight.getNumElements();
  }
  return found;
}

/// Weights that meet a repeated one meet it row by row, so that the copies are
/// never stored.
LogicalResult Lowering::lowerWithRepeated(Operation *op, int64_t size) {
  Location loc = op->getLoc();
  Elementwise scalar(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t times = type.getNumElements() / size;
  LoweredRows rows{Value(), tile::RowDomain::fixed(times), anyGraph, {size}};
  SmallVector<Input> inputs;
  for (Value operand : scalar.getInputs()) {
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    if (broadcast && broadcast.getInput().getType().getNumElements() == size) {
      LoweredRows weight = reshape(loc, get(broadcast.getInput()), {size});
      inputs.push_back(trailing(weight, 1));
      continue;
    }
    LoweredRows row = rows;
    row.tensor = get(operand).tensor;
    if (!row.tensor.getDefiningOp<arith::ConstantOp>())
      row.tensor = reshaped(loc, row.tensor, {times, size});
    inputs.push_back(leading(row, Anchor::Group, row.getDomain(), {}, 1));
  }
  Value flat = rowwise(loc, rows, type.getElementType(), rows.features, inputs,
                       [&](OpBuilder &b, Location, ValueRange args) {
                         return scalar.emit(b, args);
                       });
  LoweredRows result = describe(type);
  result.tensor = reshaped(loc, flat, type.getShape());
  set(op->getResult(0), result);
  return success();
}

LogicalResult Lowering::lowerElementwise(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return op->emitOpError("expected one tensor as result, others have no "
                           "traversal to be lowered to");
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (isCondition(op->getResult(0)))
    return success(); // computed where it is read
  Elementwise scalar(op);
  if (int64_t size = repeatedElements(scalar.getInputs()))
    return lowerWithRepeated(op, size);
  LoweredRows result = describe(type);
  bool isWeight = !result.space;
  SmallVector<int64_t> full(result.features);
  result.features = walkedDims(full);
  if (isWeight) {
    result.space = tile::RowDomain::fixed(1);
    result.graph = anyGraph;
    result.features = {sizeOf(full)};
  }
  SmallVector<Input> inputs;
  for (Value operand : scalar.getInputs()) {
    LoweredRows rows = isWeight ? asRow(loc, get(operand))
                                : reshape(loc, view(operand), result.features);
    inputs.push_back(leading(rows, Anchor::Group, result.getDomain(), {},
                             result.features.size()));
  }
  result.tensor = rowwise(loc, result, type.getElementType(), result.features,
                          inputs, [&](OpBuilder &b, Location, ValueRange args) {
                            return scalar.emit(b, args);
                          });
  set(op->getResult(0),
      isWeight ? asWeight(loc, result, full) : reshape(loc, result, full));
  return success();
}
