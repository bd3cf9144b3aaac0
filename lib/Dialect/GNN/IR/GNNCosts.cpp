//===- GNNCosts.cpp - Flops and bytes of ops ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Costs.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace gnn;
using gnn::detail::idBytes;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static double bytesOfElement(RankedTensorType type) {
  return type.getElementTypeBitWidth() / 8.0;
}

//===----------------------------------------------------------------------===//
// RowCount
//===----------------------------------------------------------------------===//

RowCount RowCount::rows(RowSpace space) {
  RowCount count;
  count.factors[static_cast<unsigned>(space)] = 1;
  return count;
}

RowCount RowCount::rows(RankedTensorType type) {
  RowsAttr rowSpace = getRows(type);
  if (!rowSpace)
    return RowCount(1);
  return hasDynamicRows(rowSpace.getSpace()) ? rows(rowSpace.getSpace())
                                             : RowCount(type.getDimSize(0));
}

RowCount RowCount::elements(RankedTensorType type) {
  return rows(type) * static_cast<double>(getNumFeatures(type));
}

RowCount RowCount::bytes(RankedTensorType type) {
  return elements(type) * bytesOfElement(type);
}

RowCount &RowCount::operator+=(const RowCount &other) {
  for (auto [mine, theirs] : llvm::zip_equal(factors, other.factors))
    mine += theirs;
  constant += other.constant;
  return *this;
}

RowCount RowCount::operator+(const RowCount &other) const {
  RowCount sum = *this;
  return sum += other;
}

RowCount RowCount::operator*(double factor) const {
  RowCount product = *this;
  for (double &mine : product.factors)
    mine *= factor;
  product.constant *= factor;
  return product;
}

double RowCount::evaluate(StatsAttr stats) const {
  auto sum = [](ArrayRef<int64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  };
  double srcNodes = stats.getSrcNodes(), dstNodes = stats.getDstNodes();
  return constant + getFactor(RowSpace::Edge) * stats.getEdges() +
         getFactor(RowSpace::SrcPair) * sum(stats.getSrcPairs()) +
         getFactor(RowSpace::DstPair) * sum(stats.getDstPairs()) +
         getFactor(RowSpace::Src) * srcNodes +
         getFactor(RowSpace::Dst) * dstNodes +
         getFactor(RowSpace::Node) * srcNodes;
}

RowCount gnn::detail::bytesOfOperands(Operation *op) {
  RowCount bytes;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += RowCount::bytes(tensor);
  return bytes;
}

RowCount gnn::detail::bytesOfResults(Operation *op) {
  RowCount bytes;
  for (Type type : op->getResultTypes())
    bytes += RowCount::bytes(cast<RankedTensorType>(type));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Bytes of reading the features of `operand` for each of `rows` rows along
/// `path`, with the ids that lead there.
static RowCount bytesAlong(RowPath path, const RowCount &rows, Value operand) {
  RankedTensorType type = tensorOf(operand);
  double features = getNumFeatures(type) * bytesOfElement(type);
  bool needsId = !path.isIdentity() && path.to != RowSpace::Graph;
  return rows * (features + (needsId ? idBytes : 0));
}

RowCount RebindRowsOp::getFlops() { return {}; }
RowCount RebindRowsOp::getReadBytes() { return {}; }
RowCount RebindRowsOp::getWrittenBytes() { return {}; }

RowCount RestrictRowsOp::getFlops() { return {}; }

/// A row and the id of the parent's row.
RowCount RestrictRowsOp::getReadBytes() {
  return RowCount::bytes(getType()) + RowCount::rows(getType()) * idBytes;
}

RowCount ExpandRowsOp::getFlops() { return {}; }

/// A row and the id of the parent's row.
RowCount ExpandRowsOp::getReadBytes() {
  RowCount bytes;
  for (Type input : getInputs().getTypes()) {
    auto type = cast<RankedTensorType>(input);
    bytes = bytes + RowCount::bytes(type) + RowCount::rows(type) * idBytes;
  }
  return bytes;
}

RowCount ExtendEdgesOp::getFlops() { return {}; }

/// A row and its place among those of edges and nodes.
RowCount ExtendEdgesOp::getReadBytes() {
  return RowCount::bytes(getType()) + RowCount::rows(getType()) * idBytes;
}

RowCount LoopRowsOp::getFlops() { return {}; }

/// The edges of each node are searched for its loop.
RowCount LoopRowsOp::getReadBytes() {
  auto type = cast<RankedTensorType>(getInput().getType());
  return RowCount::bytes(type) + RowCount::rows(type) * idBytes;
}

RowCount PrefixRowsOp::getFlops() { return {}; }
RowCount PrefixRowsOp::getReadBytes() { return RowCount::bytes(getType()); }

RowCount ExtendRowsOp::getFlops() { return {}; }
RowCount ExtendRowsOp::getReadBytes() {
  return RowCount::bytes(getInput().getType());
}

RowCount GatherOp::getFlops() { return {}; }

RowCount GatherOp::getReadBytes() {
  return bytesAlong(getRowPaths().front(), RowCount::rows(getType()),
                    getInput());
}

RowCount AggregateOp::getFlops() {
  RowCount flops = RowCount::elements(getInput().getType());
  if (getKind() == ReduceKind::Mean)
    flops += RowCount::elements(getResult().getType());
  return flops;
}

RowCount AggregateOp::getReadBytes() {
  return bytesAlong(getRowPaths().front(), RowCount::rows(getInput().getType()),
                    getInput());
}

/// Comparisons are of integers.
RowCount PickOp::getFlops() { return {}; }

/// A feature and its argument, and one id for both.
RowCount PickOp::getReadBytes() {
  RankedTensorType argument = tensorOf(getArgument());
  RowCount rows = RowCount::rows(getType());
  return bytesAlong(getRowPaths().front(), rows, getInput()) +
         rows * (getNumFeatures(argument) * bytesOfElement(argument));
}

/// A degree is the difference of two row pointers.
RowCount DegreeOp::getFlops() { return {}; }

RowCount DegreeOp::getReadBytes() {
  return RowCount::rows(getType()) * idBytes + RowCount(idBytes);
}

//===----------------------------------------------------------------------===//
// Products with weights
//===----------------------------------------------------------------------===//

/// Flops of `[rows, (heads,) in] * [(heads,) in, out]`, with or without bias.
static RowCount flopsOfProduct(RankedTensorType input, RankedTensorType result,
                               bool hasBias) {
  double in = getFeatures(input).back();
  return RowCount::elements(result) * (2 * in + hasBias);
}

RowCount LinearOp::getFlops() {
  return flopsOfProduct(getInput().getType(), getType(), !!getBias());
}

RowCount TypedLinearOp::getFlops() {
  return flopsOfProduct(getInput().getType(), getType(), !!getBias());
}

RowCount OuterOp::getFlops() {
  return flopsOfProduct(getInput().getType(), getGrad().getType(), false);
}

RowCount TypedOuterOp::getFlops() {
  return flopsOfProduct(getInput().getType(), getGrad().getType(), false);
}

RowCount LinearOp::getProductRows() {
  return RowCount::rows(getInput().getType());
}

RowCount TypedLinearOp::getProductRows() {
  return RowCount::rows(getInput().getType());
}

RowCount OuterOp::getProductRows() {
  return RowCount::rows(getInput().getType());
}

RowCount TypedOuterOp::getProductRows() {
  return RowCount::rows(getInput().getType());
}

RowCount WeightProductOp::getFlops() {
  double shared = getByHeads() ? getFeatures(getRhs().getType())[1]
                               : getFeatures(getLhs().getType()).back();
  return RowCount::elements(getType()) * (2 * shared);
}

RowCount WeightOuterOp::getFlops() {
  auto lhs = getLhs().getType();
  auto typed = getRows(lhs) ? lhs : getGrad().getType();
  ArrayRef<int64_t> features = getFeatures(lhs);
  double summed = features[features.size() - 2];
  return RowCount::rows(typed) * (2 * summed * getNumFeatures(getType()));
}

RowCount WeightCombineOp::getFlops() {
  double bases = getBases().getType().getDimSize(0);
  return RowCount::elements(getType()) * (2 * bases);
}

RowCount WeightTransposeOp::getFlops() { return {}; }

RowCount WeightTransposeOp::getReadBytes() {
  return needsCopy() ? gnn::detail::bytesOfOperands(*this) : RowCount();
}

RowCount WeightTransposeOp::getWrittenBytes() {
  return needsCopy() ? gnn::detail::bytesOfResults(*this) : RowCount();
}

//===----------------------------------------------------------------------===//
// Several row spaces
//===----------------------------------------------------------------------===//

/// Bytes of reading each operand along its path for each of `rows` rows.
static RowCount bytesOfOperandsAlong(ArrayRef<RowPath> paths,
                                     OperandRange operands,
                                     const RowCount &rows) {
  RowCount bytes;
  for (auto [operand, path] : llvm::zip_first(operands, paths))
    bytes += bytesAlong(path, rows, operand);
  return bytes;
}

RowCount ApplyOp::getFlops() {
  bool isCopy = getKind() == BinaryKind::Copy;
  return isCopy ? RowCount() : RowCount::elements(getType());
}

RowCount ApplyOp::getReadBytes() {
  return bytesOfOperandsAlong(getRowPaths(), getOperands(),
                              RowCount::rows(getType()));
}

RowCount SddmmOp::getFlops() {
  double features = getNumFeatures(getLhs().getType());
  return RowCount::rows(getType()) * (2 * features);
}

RowCount SddmmOp::getReadBytes() {
  return bytesOfOperandsAlong(getRowPaths(), getOperands(),
                              RowCount::rows(getType()));
}

RowCount SpmmOp::getFlops() {
  double perFeature = getKind() == BinaryKind::Copy ? 1 : 2;
  double features = getNumFeatures(getType());
  RowCount flops = RowCount::rows(RowSpace::Edge) * (perFeature * features);
  if (getReduce() == ReduceKind::Mean)
    flops += RowCount::elements(getType());
  return flops;
}

/// Operands for each edge, and one id for the edge's place in its group.
RowCount SpmmOp::getReadBytes() {
  RowCount edges = RowCount::rows(RowSpace::Edge);
  return bytesOfOperandsAlong(getRowPaths(), getOperands(), edges) +
         edges * idBytes;
}

/// Maximum, difference, exp, sum and quotient.
RowCount EdgeSoftmaxOp::getFlops() { return RowCount::elements(getType()) * 5; }

RowCount EdgeSoftmaxOp::getReadBytes() {
  return RowCount::bytes(getType()) + RowCount::rows(getType()) * idBytes;
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

RowCount DotOp::getFlops() {
  return RowCount::elements(getLhs().getType()) * 2;
}

RowCount OuterRowsOp::getFlops() { return RowCount::elements(getType()); }

/// Operations of an activation as its table spells it.
static double flopsOfActivation(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::Relu:
  case ActivationKind::Tanh:
  case ActivationKind::Exp:
    return 1;
  case ActivationKind::LeakyRelu:
  case ActivationKind::Prelu:
    return 2;
  case ActivationKind::Elu:
  case ActivationKind::Sigmoid:
  case ActivationKind::Swish:
    return 3;
  case ActivationKind::Gelu:
    return 5;
  }
  return 0;
}

RowCount ActivationOp::getFlops() {
  return RowCount::elements(getType()) * flopsOfActivation(getKind());
}

/// One scale and one shift a feature, made once for all rows.
RowCount BatchNormOp::getFlops() { return RowCount::elements(getType()) * 2; }

/// Mean 1, variance 3, normalization 2, and scale and shift where they are.
RowCount LayerNormOp::getFlops() {
  return RowCount::elements(getType()) * (getGamma() ? 8 : 6);
}

/// The random words are integers.
RowCount DropoutOp::getFlops() { return RowCount::elements(getType()); }
RowCount DropoutOp::getReadBytes() { return RowCount::bytes(getType()); }

RowCount BroadcastOp::getFlops() { return {}; }

RowCount SumRowsOp::getFlops() {
  return RowCount::elements(getInput().getType());
}

RowCount ConcatOp::getFlops() { return {}; }

RowCount SliceOp::getFlops() { return {}; }
RowCount SliceOp::getReadBytes() { return RowCount::bytes(getType()); }

RowCount PadOp::getFlops() { return {}; }

RowCount ReshapeOp::getFlops() { return {}; }
RowCount ReshapeOp::getReadBytes() { return {}; }
RowCount ReshapeOp::getWrittenBytes() { return {}; }

RowCount ReduceHeadsOp::getFlops() {
  return RowCount::elements(getInput().getType());
}

RowCount ReduceFeaturesOp::getFlops() {
  return RowCount::elements(getInput().getType());
}

/// The extreme, and who has it first.
RowCount PickFeatureOp::getFlops() { return RowCount::elements(getType()) * 2; }

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

double gnn::detail::flopsOnOneRow(Operation *op) {
  auto elements = [](Value value) -> double {
    return getNumFeatures(tensorOf(value));
  };
  return TypeSwitch<Operation *, double>(op)
      .Case([&](RowLinearOp linear) {
        double in = tensorOf(linear.getInput()).getShape().back();
        return 2 * in * elements(linear.getResult());
      })
      .Case([&](RowDotOp dot) { return 2 * elements(dot.getLhs()); })
      .Case([&](RowOuterOp outer) { return elements(outer.getResult()); })
      .Case([&](RowActivationOp activation) {
        return elements(activation.getResult()) *
               flopsOfActivation(activation.getKind());
      })
      .Case([&](YieldOp yield) {
        double reduced = 0;
        for (auto [i, value] : llvm::enumerate(yield.getValues()))
          if (yield.getReduction(i))
            reduced += elements(value);
        return reduced;
      })
      .Default([&](Operation *op) {
        return op->hasTrait<OpTrait::Elementwise>() ? elements(op->getResult(0))
                                                    : 0;
      });
}

/// Calls `visit` with each op in the body of `loop` and with how many rows it
/// is about: an inner loop comes to each edge once, whatever node it is of.
static void
forEachInBody(RowLoopInterface loop,
              llvm::function_ref<void(Operation *, const RowCount &)> visit) {
  loop.getLoopBody()->walk([&](Operation *op) {
    auto around = cast<RowLoopInterface>(op->getParentOp());
    visit(op, RowCount::rows(around.getLoopRows().getSpace()));
  });
}

static RowCount flopsOfLoop(RowLoopInterface loop) {
  RowCount flops;
  forEachInBody(loop, [&](Operation *op, const RowCount &rows) {
    flops += rows * gnn::detail::flopsOnOneRow(op);
  });
  return flops;
}

static RowCount productRowsOfLoop(RowLoopInterface loop) {
  RowCount products;
  forEachInBody(loop, [&](Operation *op, const RowCount &rows) {
    if (isa<RowLinearOp>(op))
      products += rows;
  });
  return products;
}

/// Whether all that is read is the weight of a product.
static bool readsWeight(ReadOp read) {
  return isTypeRows(read.getInput().getType()) &&
         llvm::all_of(read->getUses(), [](OpOperand &use) {
           auto linear = dyn_cast<RowLinearOp>(use.getOwner());
           return linear && linear.getWeight() == use.get();
         });
}

/// Rows along their paths, ids of rows that are followed, reduced into or
/// walked as the edges of a node, and each weight once. A value that an inner
/// loop made for an edge is no memory.
static RowCount readBytesOfLoop(RowLoopInterface loop) {
  RowCount bytes;
  llvm::SmallSetVector<Value, 4> weights;
  Region *body = loop.getLoopBody()->getParent();
  auto isOutside = [&](Value value) {
    return !body->isAncestor(value.getParentRegion());
  };
  forEachInBody(loop, [&](Operation *op, const RowCount &rows) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && isOutside(operand) &&
          !isa<ReadOp>(op))
        weights.insert(operand);
    auto read = dyn_cast<ReadOp>(op);
    if (read && readsWeight(read))
      weights.insert(read.getInput());
    else if (read && isOutside(read.getInput()))
      bytes += bytesAlong(read.getRowPaths().front(), rows, read.getInput());
    else if (isa<FollowOp>(op))
      bytes += rows * idBytes;
    else if (isa<RowLoopInterface>(op))
      bytes += RowCount::rows(RowSpace::Edge) * idBytes;
    else if (auto yield = dyn_cast<YieldOp>(op))
      for (auto [i, result] :
           llvm::enumerate(yield->getParentOp()->getResultTypes()))
        if (yield.getReduction(i) && getRows(result))
          bytes += rows * idBytes;
  });
  for (Value weight : weights)
    bytes += RowCount::bytes(tensorOf(weight));
  return bytes;
}

RowCount ForEdgesOp::getFlops() { return flopsOfLoop(*this); }
RowCount ForEdgesOp::getReadBytes() { return readBytesOfLoop(*this); }
RowCount ForEdgesOp::getProductRows() { return productRowsOfLoop(*this); }

RowCount ForNodesOp::getFlops() { return flopsOfLoop(*this); }
RowCount ForNodesOp::getReadBytes() { return readBytesOfLoop(*this); }
RowCount ForNodesOp::getProductRows() { return productRowsOfLoop(*this); }
