//===- FeatureOps.cpp - Ops on the features of each row -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row-wise traversals: dot, activations, norms, broadcast, reductions of
// features, and upstream's elementwise arithmetic.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

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

/// At most two dimensions of the same elements, with the last one as it is.
static SmallVector<int64_t> beforeLast(ArrayRef<int64_t> features) {
  return features.size() <= 2
             ? SmallVector<int64_t>(features)
             : SmallVector<int64_t>{sizeOf(features.drop_back()),
                                    features.back()};
}

/// An input without rows whose features are the trailing dimensions of rows of
/// `features`, which are walked as `beforeLast` has them.
static Input trailingOf(Lowering &lowering, Location loc,
                        const LoweredRows &weight, ArrayRef<int64_t> features) {
  SmallVector<int64_t> dims = beforeLast(features);
  if (weight.features.size() <= 1 || features.size() <= 2)
    return lowering.trailing(weight, dims.size());
  LoweredRows whole = weight;
  if (int64_t times = sizeOf(features) / sizeOf(weight.features); times > 1) {
    whole.tensor =
        lowering.reshaped(loc, lowering.repeated(loc, weight, times), features);
    whole.features.assign(features.begin(), features.end());
  }
  return lowering.trailing(lowering.reshape(loc, whole, dims), dims.size());
}

static LogicalResult lowerDot(DotOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows lhs = lowering.view(op.getLhs()),
              rhs = lowering.view(op.getRhs());
  SmallVector<int64_t> walked = beforeLast(lhs.features);
  lhs = lowering.reshape(loc, lhs, walked);
  rhs = lowering.reshape(loc, rhs, walked);
  result.features.assign(walked.begin(), walked.end() - 1);
  unsigned dims = walked.size();
  Input right = !rhs.space ? lowering.trailing(rhs, dims)
                           : lowering.leading(rhs, Anchor::Group,
                                              result.getDomain(), {}, dims);
  lowering.setRowwise(
      op, result, lhs.features,
      {lowering.leading(lhs, Anchor::Group, result.getDomain(), {}, dims),
       right},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
        return emitReduce(b, loc, tile::Reduction::Sum, Dim::Feature, product);
      });
  return success();
}

static LogicalResult lowerOuterRows(OuterRowsOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows lhs = lowering.view(op.getLhs()),
              rhs = lowering.view(op.getRhs());
  if (failed(checkDims(op, result.features)))
    return failure();
  // [a] x [b]: a takes the place of heads.
  Input left{lhs, lowering.access(lhs, Anchor::Group, result.getDomain(), {},
                                  true, false)};
  Input right{rhs, lowering.access(rhs, Anchor::Group, result.getDomain(), {},
                                   false, true)};
  lowering.setRowwise(op, result, result.features, {left, right},
                      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                        return arith::MulFOp::create(b, loc, args[0], args[1]);
                      });
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

static LogicalResult lowerActivation(ActivationOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> full(result.features);
  LoweredRows input = lowering.view(op.getInput());
  bool perFeature =
      op.getWeight() &&
      cast<RankedTensorType>(op.getWeight().getType()).getNumElements() > 1;
  result.features = perFeature ? beforeLast(full) : walkedDims(full);
  input = lowering.reshape(op.getLoc(), input, result.features);
  SmallVector<Input> inputs{lowering.leading(input, result)};
  if (op.getWeight()) {
    LoweredRows weight = lowering.get(op.getWeight());
    inputs.push_back(
        perFeature
            ? trailingOf(lowering, op.getLoc(), weight, full)
            : lowering.trailing(lowering.reshape(op.getLoc(), weight, {}),
                                result.features.size()));
  }
  lowering.setRowwise(op, result, result.features, inputs,
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        return emitActivation(
                            b, loc, op.getKind(), op.getAlpha(), args[0],
                            args.size() > 1 ? args[1] : Value());
                      });
  return success();
}

static LogicalResult lowerBatchNorm(BatchNormOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> full(result.features);
  result.features = beforeLast(full);
  SmallVector<Input> inputs{lowering.leading(
      lowering.reshape(loc, lowering.view(op.getInput()), result.features),
      result)};
  for (Value weight :
       {op.getMean(), op.getVariance(), op.getGamma(), op.getBeta()})
    inputs.push_back(trailingOf(lowering, loc, lowering.get(weight), full));
  double eps = op.getEps().convertToDouble();
  lowering.setRowwise(
      op, result, result.features, inputs,
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
  return success();
}

static LogicalResult lowerLayerNorm(LayerNormOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> full(result.features);
  result.features = beforeLast(full);
  SmallVector<Input> inputs{lowering.leading(
      lowering.reshape(loc, lowering.view(op.getInput()), result.features),
      result)};
  if (op.getGamma())
    for (Value weight : {op.getGamma(), op.getBeta()})
      inputs.push_back(trailingOf(lowering, loc, lowering.get(weight), full));
  double eps = op.getEps().convertToDouble();
  lowering.setRowwise(
      op, result, result.features, inputs,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto mean = [&](Value value) -> Value {
          return emitReduce(b, loc, tile::Reduction::Mean, Dim::Feature, value);
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
  return success();
}

static LogicalResult lowerBroadcast(BroadcastOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows input = lowering.view(op.getInput());
  auto type = cast<RankedTensorType>(op.getType());
  if (!input.space && type.hasStaticShape()) {
    // A constant stays one: whoever reads it has it in its body.
    if (auto constant = input.tensor.getDefiningOp<arith::ConstantOp>();
        constant && isa<SplatElementsAttr>(constant.getValue())) {
      result.tensor = arith::ConstantOp::create(
          lowering.builder, op.getLoc(),
          cast<SplatElementsAttr>(constant.getValue())
              .resizeSplat(RankedTensorType::get(type.getShape(),
                                                 type.getElementType())));
      lowering.set(op, result);
      return success();
    }
    int64_t times = type.getNumElements() / sizeOf(input.features);
    lowering.setElements(op, lowering.repeated(op.getLoc(), input, times));
    return success();
  }
  // More than two dimensions are those of the input and those it lacks.
  if (int64_t own = sizeOf(input.features); result.features.size() > 2) {
    int64_t times = sizeOf(result.features) / own;
    bool isWeight = !input.space;
    input = lowering.reshape(op.getLoc(), input,
                             input.features.empty() ? ArrayRef<int64_t>()
                                                    : ArrayRef(own));
    result.features = input.features.empty()
                          ? SmallVector<int64_t>{times}
                          : SmallVector<int64_t>{isWeight ? times : own,
                                                 isWeight ? own : times};
  }
  Input read = !input.space ? lowering.trailing(input, result.features.size())
                            : lowering.leading(input, result);
  lowering.setRowwise(op, result, result.features, {read}, copied);
  return success();
}

static LogicalResult lowerReshape(ReshapeOp op, Lowering &lowering) {
  lowering.set(op, lowering.view(op.getInput()));
  return success();
}

static LogicalResult lowerReduceHeads(ReduceHeadsOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows input = lowering.view(op.getInput());
  result.tensor = lowering.traverse(
      op.getLoc(), result.graph,
      lowering.domainOf(result.getDomain(), {}, input.features),
      {lowering.leading(input, Anchor::Group, result.getDomain(), {}, 2)},
      lowering.empty(op.getLoc(), result, elementOf(op.getInput())),
      AtAttr::get(op.getContext(), Anchor::Group, {}, false, true, 0),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return emitReduce(b, loc, reductionOf(op.getKind()), Dim::Head,
                          args[0]);
      });
  lowering.set(op, result);
  return success();
}

static LogicalResult lowerReduceFeatures(ReduceFeaturesOp op,
                                         Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows input = lowering.view(op.getInput());
  input = lowering.reshape(op.getLoc(), input, beforeLast(input.features));
  unsigned dims = input.features.size();
  result.features.assign(input.features.begin(), input.features.end() - 1);
  lowering.setRowwise(
      op, result, input.features,
      {lowering.leading(input, Anchor::Group, result.getDomain(), {}, dims)},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return emitReduce(b, loc, reductionOf(op.getKind()), Dim::Feature,
                          args[0]);
      });
  return success();
}

namespace {
/// An elementwise op on scalars, with the conditions that it reads. Those have
/// no buffers: every op that reads one computes it again.
class Elementwise {
public:
  explicit Elementwise(Operation *op) { collect(op); }

  /// The inputs: rows, weights and constants, each once.
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
static LogicalResult lowerWithRepeated(Operation *op, int64_t size,
                                       Lowering &lowering) {
  Location loc = op->getLoc();
  Elementwise scalar(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t times = type.getNumElements() / size;
  LoweredRows rows = lowering.fixedRows(times, size);
  SmallVector<Input> inputs;
  for (Value operand : scalar.getInputs()) {
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    if (broadcast && broadcast.getInput().getType().getNumElements() == size) {
      LoweredRows weight =
          lowering.reshape(loc, lowering.get(broadcast.getInput()), {size});
      inputs.push_back(lowering.trailing(weight, 1));
      continue;
    }
    LoweredRows row = rows;
    row.tensor = lowering.get(operand).tensor;
    if (!row.tensor.getDefiningOp<arith::ConstantOp>())
      row.tensor = lowering.reshaped(loc, row.tensor, {times, size});
    inputs.push_back(lowering.leading(row, row));
  }
  Value flat =
      lowering.rowwise(loc, rows, type.getElementType(), rows.features, inputs,
                       [&](OpBuilder &b, Location, ValueRange args) {
                         return scalar.emit(b, args);
                       });
  lowering.setElements(op->getResult(0), flat);
  return success();
}

static LogicalResult lowerElementwise(Operation *op, Lowering &lowering) {
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
    return lowerWithRepeated(op, size, lowering);
  LoweredRows result = lowering.describe(type);
  bool isWeight = !result.space;
  SmallVector<int64_t> full(result.features);
  result.features = walkedDims(full);
  if (isWeight) {
    result.space = tile::RowDomain::fixed(1);
    result.graph = lowering.anyGraph;
    result.features = {sizeOf(full)};
  }
  SmallVector<Input> inputs;
  for (Value operand : scalar.getInputs()) {
    LoweredRows rows = isWeight ? lowering.asRow(loc, lowering.get(operand))
                                : lowering.reshape(loc, lowering.view(operand),
                                                   result.features);
    inputs.push_back(lowering.leading(rows, result));
  }
  result.tensor =
      lowering.rowwise(loc, result, type.getElementType(), result.features,
                       inputs, [&](OpBuilder &b, Location, ValueRange args) {
                         return scalar.emit(b, args);
                       });
  lowering.set(op->getResult(0),
               isWeight ? lowering.asWeight(loc, result, full) : result);
  return success();
}

namespace {
/// Lowers an elementwise op of any name.
struct ElementwiseModel
    : LowerToTileOpInterface::FallbackModel<ElementwiseModel> {
  LogicalResult lowerToTile(Operation *op, Lowering &lowering) const {
    return lowerElementwise(op, lowering);
  }
};
} // namespace

/// Gives all elementwise ops of a dialect the interface.
template <typename DialectT>
static void attachElementwise(MLIRContext *context, DialectT *dialect) {
  // Not getRegisteredOperationsByDialect, which finds some of them.
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (&name.getDialect() == dialect && name.hasTrait<OpTrait::Elementwise>())
      name.attachInterface<ElementwiseModel>();
}

void gnn::registerFeatureLowerings(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerDot, lowerOuterRows, lowerActivation,
                    lowerBatchNorm, lowerLayerNorm, lowerBroadcast,
                    lowerReshape, lowerReduceHeads, lowerReduceFeatures>(
      registry);
  registry.addExtension(&attachElementwise<arith::ArithDialect>);
  registry.addExtension(&attachElementwise<math::MathDialect>);
}
