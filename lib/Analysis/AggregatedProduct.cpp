//===- AggregatedProduct.cpp - Recognize a sum over edges and a product ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/AggregatedProduct.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

using Scale = AggregatedProduct::Scale;

namespace {

/// A value on the way from the edges up, and the path to its row.
struct ChainLink {
  Value value;
  RowPath path;
};

/// Follows a chain from its end to its beginning.
class Matcher {
public:
  Matcher(std::string &why) : why(why) {}

  std::optional<AggregatedProduct> matchAggregate(AggregateOp op);
  std::optional<AggregatedProduct> matchSpmm(SpmmOp op);
  std::optional<AggregatedProduct> matchProduct(Operation *op);

private:
  std::nullopt_t refuse(const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  }
  /// Sets `chain.kind` and so on from a reduction of edges.
  bool setReduction(ReduceKind kind, RowPath path);
  /// Takes scales and gathers off `link` until something else makes it.
  bool peel(ChainLink &link);
  bool peelBinary(ChainLink &link, ChainLink lhs, ChainLink rhs, bool divides,
                  Location loc);
  /// Goes on from the message of an edge to the product.
  std::optional<AggregatedProduct> finishProductFirst(ChainLink message);
  /// Goes on from a product to the aggregate it reads and the rows before.
  std::optional<AggregatedProduct> finishAggregateFirst(Operation *product);
  void takeProduct(Operation *product);
  bool scalesCommute();

  AggregatedProduct chain;
  std::string &why;
};

} // namespace

/// The features of a type but for dimensions of one.
static SmallVector<int64_t> withoutUnits(Type type) {
  SmallVector<int64_t> features(getFeatures(cast<RankedTensorType>(type)));
  llvm::erase(features, 1);
  return features;
}

/// The value that reshapes of unit dimensions alone made into `value`.
static Value lookThroughUnits(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (!reshape->hasOneUse() || withoutUnits(reshape.getType()) !=
                                     withoutUnits(reshape.getInput().getType()))
      break;
    value = reshape.getInput();
  }
  return value;
}

/// A product of rows and weights without a bias, or null.
static Operation *getProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto linear = dyn_cast_or_null<LinearOp>(op))
    return linear.getBias() ? nullptr : op;
  if (auto typed = dyn_cast_or_null<TypedLinearOp>(op)) {
    bool byEdgeType =
        getRowSpace(typed.getWeight().getType()) == RowSpace::EdgeType;
    return typed.getBias() || !byEdgeType ? nullptr : op;
  }
  return nullptr;
}

bool Matcher::setReduction(ReduceKind kind, RowPath path) {
  std::optional<EndPoint> end = path.getEnd();
  bool sums = kind == ReduceKind::Sum || kind == ReduceKind::Mean;
  if (path.from != RowSpace::Edge || !end || !sums ||
      !(isPairSpace(path.to) || isNodeSpace(path.to)))
    return false;
  chain.kind = kind;
  chain.reduceEnd = *end;
  chain.reduceTo = path.to;
  return true;
}

bool Matcher::peelBinary(ChainLink &link, ChainLink lhs, ChainLink rhs,
                         bool divides, Location loc) {
  auto sizeOf = [](const ChainLink &of) {
    return getNumFeatures(cast<RankedTensorType>(of.value.getType()));
  };
  bool rhsIsScale =
      divides || sizeOf(lhs) > sizeOf(rhs) ||
      (sizeOf(lhs) == sizeOf(rhs) && getProduct(lookThroughUnits(lhs.value)));
  ChainLink scale = rhsIsScale ? rhs : lhs, rest = rhsIsScale ? lhs : rhs;
  if (!getRows(scale.value.getType()) || !getRows(rest.value.getType()))
    return false;
  // Broadcasts along features are what a scale is.
  if (auto broadcast = scale.value.getDefiningOp<BroadcastOp>()) {
    if (!getRows(broadcast.getInput().getType()))
      return false;
    scale.value = broadcast.getInput();
  }
  chain.scales.push_back({scale.value, scale.path, divides, loc});
  link = rest;
  return true;
}

bool Matcher::peel(ChainLink &link) {
  Value value = lookThroughUnits(link.value);
  if (value != link.value) {
    link.value = value;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse())
    return false;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto path = compose(link.path, gather.getRowPaths().front());
    if (!path)
      return false;
    link = {gather.getInput(), *path};
    chain.gather = gather;
    return true;
  }
  if (auto apply = dyn_cast<ApplyOp>(op)) {
    bool divides = apply.getKind() == BinaryKind::Div;
    if (apply.getKind() != BinaryKind::Mul && !divides)
      return false;
    SmallVector<RowPath> paths = apply.getRowPaths();
    auto lhs = compose(link.path, paths[0]), rhs = compose(link.path, paths[1]);
    return lhs && rhs &&
           peelBinary(link, {apply.getLhs(), *lhs}, {apply.getRhs(), *rhs},
                      divides, op->getLoc());
  }
  if (isa<arith::MulFOp, arith::DivFOp>(op)) {
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    auto isScale = [](Value factor) {
      auto broadcast = factor.getDefiningOp<BroadcastOp>();
      return broadcast && getRows(broadcast.getInput().getType());
    };
    bool divides = isa<arith::DivFOp>(op);
    if (!isScale(rhs)) {
      if (divides || !isScale(lhs))
        return false;
      std::swap(lhs, rhs);
    }
    // The broadcast has the size of what it scales.
    chain.scales.push_back({rhs.getDefiningOp<BroadcastOp>().getInput(),
                            link.path, divides, op->getLoc()});
    link.value = lhs;
    return true;
  }
  return false;
}

void Matcher::takeProduct(Operation *product) {
  chain.product = product;
  chain.weight = product->getOperand(1);
  auto in = cast<RankedTensorType>(product->getOperand(0).getType());
  auto out = cast<RankedTensorType>(product->getResult(0).getType());
  chain.inShape.assign(getFeatures(in).begin(), getFeatures(in).end());
  chain.outShape.assign(getFeatures(out).begin(), getFeatures(out).end());
}

/// Each scale is one number a row, or one a head that the product keeps apart.
bool Matcher::scalesCommute() {
  bool keepsHeads = chain.inShape.size() == 2 && chain.outShape.size() == 2;
  for (const Scale &scale : chain.scales) {
    auto type = cast<RankedTensorType>(scale.value.getType());
    int64_t size = getNumFeatures(type);
    if (size == 1)
      continue;
    if (!keepsHeads || getFeatures(type).size() != 1 ||
        size != chain.outShape.front()) {
      why = "a factor differs between features that the product mixes";
      return false;
    }
  }
  return true;
}

std::optional<AggregatedProduct>
Matcher::finishProductFirst(ChainLink message) {
  Operation *product = nullptr;
  while (!(product = getProduct(message.value)))
    if (!peel(message))
      return std::nullopt;
  if (!product->hasOneUse())
    return refuse("the product has other readers");
  chain.productFirst = true;
  takeProduct(product);
  chain.rowsBefore = message.path.to;
  chain.input = product->getOperand(0);
  chain.inputPath = message.path;
  if (auto gather = chain.input.getDefiningOp<GatherOp>())
    if (auto path = compose(message.path, gather.getRowPaths().front())) {
      chain.input = gather.getInput();
      chain.inputPath = *path;
      chain.gather = gather;
    }
  if (!scalesCommute())
    return std::nullopt;
  return chain;
}

std::optional<AggregatedProduct>
Matcher::finishAggregateFirst(Operation *product) {
  Value summed = lookThroughUnits(product->getOperand(0)), own;
  if (auto add = summed.getDefiningOp<arith::AddFOp>();
      add && add->hasOneUse()) {
    auto isSum = [](Value value) {
      return isa_and_nonnull<AggregateOp, SpmmOp>(value.getDefiningOp());
    };
    // The other term may be a sum too, but its edges read it as well.
    bool isSecond = isSum(add.getRhs()) &&
                    (add.getRhs().hasOneUse() || !isSum(add.getLhs()));
    summed = isSecond ? add.getRhs() : add.getLhs();
    own = isSecond ? add.getLhs() : add.getRhs();
  }
  ChainLink message;
  if (auto aggregate = summed.getDefiningOp<AggregateOp>()) {
    if (aggregate.getArgument() ||
        !setReduction(aggregate.getKind(), aggregate.getRowPaths().front()))
      return std::nullopt;
    message = {aggregate.getInput(),
               {RowSpace::Edge, RowSpace::Edge, std::nullopt}};
  } else if (auto spmm = summed.getDefiningOp<SpmmOp>()) {
    SmallVector<RowPath> paths = spmm.getRowPaths();
    if (!setReduction(spmm.getReduce(), paths.back()))
      return std::nullopt;
    message = {spmm.getLhs(), paths[0]};
    if (spmm.getRhs()) {
      bool divides = spmm.getKind() == BinaryKind::Div;
      if (spmm.getKind() != BinaryKind::Mul && !divides)
        return std::nullopt;
      if (!peelBinary(message, message, {spmm.getRhs(), paths[1]}, divides,
                      spmm.getLoc()))
        return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  chain.sum = summed.getDefiningOp();
  if (!summed.hasOneUse())
    return refuse("the sum has other readers");
  while (peel(message))
    ;
  chain.productFirst = false;
  takeProduct(product);
  chain.input = message.value;
  chain.inputPath = message.path;
  chain.addsInput = own != nullptr;
  if (own && (own != chain.input || chain.isTyped()))
    return refuse("the sum has other rows than its own input added");
  // A value of the source and the edge type alone is one of a pair.
  std::optional<EndPoint> end = message.path.getEnd();
  if (!end || *end == chain.reduceEnd)
    return refuse("the sum reads " + stringifyRowSpace(message.path.to) +
                  " rows" + (end ? " at the end that it sums to" : "") +
                  ", expected rows at the other end of the edges");
  chain.rowsBefore = !chain.isTyped()       ? message.path.to
                     : end == EndPoint::Src ? RowSpace::SrcPair
                                            : RowSpace::DstPair;
  if (!scalesCommute())
    return std::nullopt;
  return chain;
}

std::optional<AggregatedProduct> Matcher::matchAggregate(AggregateOp op) {
  RowPath path = op.getRowPaths().front();
  chain.root = chain.sum = op;
  chain.resultType = cast<RankedTensorType>(op.getResult().getType());
  if (op.getArgument())
    return std::nullopt;
  if (isPairSpace(path.from) && isNodeSpace(path.to) &&
      op.getKind() == ReduceKind::Sum) {
    Value pairs = lookThroughUnits(op.getInput());
    if (!pairs.hasOneUse())
      return std::nullopt;
    chain.sumsPairs = true;
    if (Operation *product = getProduct(pairs))
      return isa<TypedLinearOp>(product) ? finishAggregateFirst(product)
                                         : std::nullopt;
    auto inner = pairs.getDefiningOp<AggregateOp>();
    if (!inner || inner.getArgument() ||
        !setReduction(inner.getKind(), inner.getRowPaths().front()))
      return std::nullopt;
    chain.sum = inner;
    return finishProductFirst(
        {inner.getInput(), {RowSpace::Edge, RowSpace::Edge, std::nullopt}});
  }
  if (!setReduction(op.getKind(), path))
    return std::nullopt;
  return finishProductFirst(
      {op.getInput(), {RowSpace::Edge, RowSpace::Edge, std::nullopt}});
}

std::optional<AggregatedProduct> Matcher::matchSpmm(SpmmOp op) {
  SmallVector<RowPath> paths = op.getRowPaths();
  chain.root = chain.sum = op;
  chain.resultType = cast<RankedTensorType>(op.getType());
  if (!setReduction(op.getReduce(), paths.back()))
    return std::nullopt;
  ChainLink message = {op.getLhs(), paths[0]};
  if (op.getRhs()) {
    bool divides = op.getKind() == BinaryKind::Div;
    if (op.getKind() != BinaryKind::Mul && !divides)
      return std::nullopt;
    if (!peelBinary(message, message, {op.getRhs(), paths[1]}, divides,
                    op.getLoc()))
      return std::nullopt;
  }
  return finishProductFirst(message);
}

std::optional<AggregatedProduct> Matcher::matchProduct(Operation *op) {
  chain.root = op;
  chain.resultType = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto linear = dyn_cast<LinearOp>(op))
    chain.bias = linear.getBias();
  else if (!getProduct(op->getResult(0)))
    return std::nullopt;
  return finishAggregateFirst(op);
}

std::optional<AggregatedProduct> AggregatedProduct::match(Operation *op,
                                                          std::string &why) {
  Matcher matcher(why);
  if (auto aggregate = dyn_cast<AggregateOp>(op))
    return matcher.matchAggregate(aggregate);
  if (auto spmm = dyn_cast<SpmmOp>(op))
    return matcher.matchSpmm(spmm);
  return matcher.matchProduct(op);
}

RowSpace AggregatedProduct::getRowsAfter() const {
  if (isTyped())
    return reduceEnd == EndPoint::Dst ? RowSpace::DstPair : RowSpace::SrcPair;
  return *getRowSpace(resultType);
}

bool AggregatedProduct::canSplit() const {
  return isTyped() && isNodeSpace(*getRowSpace(resultType)) &&
         !getGraph().isDerived();
}
