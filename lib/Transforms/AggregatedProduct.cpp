//===- AggregatedProduct.cpp - A sum over edges and a product -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AggregatedProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

using Scale = AggregatedProduct::Scale;

//===----------------------------------------------------------------------===//
// Recognizing
//===----------------------------------------------------------------------===//

namespace {

/// A value on the way from the edges up, and the path to its row.
struct Step {
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
  /// Takes scales and gathers off `step` until something else makes it.
  bool peel(Step &step);
  bool peelBinary(Step &step, Step lhs, Step rhs, bool divides);
  /// Goes on from the message of an edge to the product.
  std::optional<AggregatedProduct> finishProductFirst(Step message);
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

static bool isPair(RowSpace space) {
  return space == RowSpace::SrcPair || space == RowSpace::DstPair;
}

static bool isNode(RowSpace space) {
  return space == RowSpace::Node || space == RowSpace::Src ||
         space == RowSpace::Dst;
}

bool Matcher::setReduction(ReduceKind kind, RowPath path) {
  std::optional<EndPoint> end = path.getEnd();
  bool sums = kind == ReduceKind::Sum || kind == ReduceKind::Mean;
  if (path.from != RowSpace::Edge || !end || !sums ||
      !(isPair(path.to) || isNode(path.to)))
    return false;
  chain.kind = kind;
  chain.reduceEnd = *end;
  chain.reduceTo = path.to;
  return true;
}

bool Matcher::peelBinary(Step &step, Step lhs, Step rhs, bool divides) {
  auto sizeOf = [](const Step &of) {
    return getNumFeatures(cast<RankedTensorType>(of.value.getType()));
  };
  bool rhsIsScale =
      divides || sizeOf(lhs) > sizeOf(rhs) ||
      (sizeOf(lhs) == sizeOf(rhs) && getProduct(lookThroughUnits(lhs.value)));
  Step scale = rhsIsScale ? rhs : lhs, rest = rhsIsScale ? lhs : rhs;
  if (!getRows(scale.value.getType()) || !getRows(rest.value.getType()))
    return false;
  // Broadcasts along features are what a scale is.
  if (auto broadcast = scale.value.getDefiningOp<BroadcastOp>()) {
    if (!getRows(broadcast.getInput().getType()))
      return false;
    scale.value = broadcast.getInput();
  }
  chain.scales.push_back({scale.value, scale.path, divides});
  step = rest;
  return true;
}

bool Matcher::peel(Step &step) {
  Value value = lookThroughUnits(step.value);
  if (value != step.value) {
    step.value = value;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse())
    return false;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto path = compose(step.path, gather.getRowPaths().front());
    if (!path)
      return false;
    step = {gather.getInput(), *path};
    return true;
  }
  if (auto apply = dyn_cast<ApplyOp>(op)) {
    bool divides = apply.getKind() == BinaryKind::Div;
    if (apply.getKind() != BinaryKind::Mul && !divides)
      return false;
    SmallVector<RowPath> paths = apply.getRowPaths();
    auto lhs = compose(step.path, paths[0]), rhs = compose(step.path, paths[1]);
    return lhs && rhs &&
           peelBinary(step, {apply.getLhs(), *lhs}, {apply.getRhs(), *rhs},
                      divides);
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
    chain.scales.push_back(
        {rhs.getDefiningOp<BroadcastOp>().getInput(), step.path, divides});
    step.value = lhs;
    return true;
  }
  return false;
}

void Matcher::takeProduct(Operation *product) {
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

std::optional<AggregatedProduct> Matcher::finishProductFirst(Step message) {
  Operation *product = nullptr;
  while (!(product = getProduct(message.value)))
    if (!peel(message))
      return std::nullopt;
  if (!product->hasOneUse())
    return refuse("the product has other readers");
  chain.productFirst = true;
  takeProduct(product);
  chain.rowsBefore = message.path.to;
  if (auto typed = dyn_cast<TypedLinearOp>(product);
      typed && isNode(chain.rowsBefore))
    return std::nullopt;
  chain.input = product->getOperand(0);
  chain.inputPath = message.path;
  if (auto gather = chain.input.getDefiningOp<GatherOp>())
    if (auto path = compose(message.path, gather.getRowPaths().front())) {
      chain.input = gather.getInput();
      chain.inputPath = *path;
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
    bool isSecond = add.getRhs().getDefiningOp<AggregateOp>() != nullptr;
    summed = isSecond ? add.getRhs() : add.getLhs();
    own = isSecond ? add.getLhs() : add.getRhs();
  }
  Step message;
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
      if (!peelBinary(message, message, {spmm.getRhs(), paths[1]}, divides))
        return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
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
  // What is known of the source and the edge type alone is known a pair.
  std::optional<EndPoint> end = message.path.getEnd();
  if (!end || *end == chain.reduceEnd)
    return std::nullopt;
  chain.rowsBefore = !chain.isTyped()       ? message.path.to
                     : end == EndPoint::Src ? RowSpace::SrcPair
                                            : RowSpace::DstPair;
  if (!scalesCommute())
    return std::nullopt;
  return chain;
}

std::optional<AggregatedProduct> Matcher::matchAggregate(AggregateOp op) {
  RowPath path = op.getRowPaths().front();
  chain.root = op;
  chain.resultType = cast<RankedTensorType>(op.getResult().getType());
  if (op.getArgument())
    return std::nullopt;
  if (isPair(path.from) && isNode(path.to) && op.getKind() == ReduceKind::Sum) {
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
  chain.root = op;
  chain.resultType = cast<RankedTensorType>(op.getType());
  if (!setReduction(op.getReduce(), paths.back()))
    return std::nullopt;
  Step message = {op.getLhs(), paths[0]};
  if (op.getRhs()) {
    bool divides = op.getKind() == BinaryKind::Div;
    if (op.getKind() != BinaryKind::Mul && !divides)
      return std::nullopt;
    if (!peelBinary(message, message, {op.getRhs(), paths[1]}, divides))
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
  return isTyped() && isNode(*getRowSpace(resultType));
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {

/// Builds a chain on its graph, or on one derived from it.
class Emitter {
public:
  Emitter(OpBuilder &builder, const AggregatedProduct &chain, GraphOp graph)
      : builder(builder), chain(chain), graph(graph),
        isDerived(graph != chain.getGraph()), loc(chain.root->getLoc()) {}

  /// The sum over the edges of the graph, on the rows of the chain's result.
  Value emit(bool productFirst, ReduceKind kind);
  /// Adds what else a product gave that came last: its input's part, its bias.
  Value addOwn(Value sum);
  /// Rows of nodes of the graph as rows of the chain's graph.
  Value rebindToParent(Value value);

private:
  RankedTensorType typeOf(Type like, RowSpace space, ArrayRef<int64_t> features,
                          GraphOp of);
  RankedTensorType typeOf(Type like, RowSpace space,
                          ArrayRef<int64_t> features) {
    return typeOf(like, space, features, graph);
  }
  ArrayRef<int64_t> featuresOf(Value value) {
    return getFeatures(cast<RankedTensorType>(value.getType()));
  }
  Value reshape(Value value, ArrayRef<int64_t> features);
  /// `value` as rows of the graph that is built on.
  Value bring(Value value, RowPath &path);
  Value gather(Value value, RowSpace space, std::optional<EndPoint> via);
  Value multiply(Value rows);
  Value scale(Value edges);
  Value aggregate(Value rows, ReduceKind kind, RowSpace to);

  OpBuilder &builder;
  const AggregatedProduct &chain;
  GraphOp graph;
  bool isDerived;
  Location loc;
};

} // namespace

RankedTensorType Emitter::typeOf(Type like, RowSpace space,
                                 ArrayRef<int64_t> features, GraphOp of) {
  int64_t rows = ShapedType::kDynamic;
  if (space == RowSpace::EdgeType)
    rows = of.getEdgeTypes();
  SmallVector<int64_t> shape = {rows};
  llvm::append_range(shape, features);
  auto encoding = RowsAttr::get(
      builder.getContext(),
      FlatSymbolRefAttr::get(builder.getContext(), of.getSymName()), space);
  return RankedTensorType::get(
      shape, cast<RankedTensorType>(like).getElementType(), encoding);
}

Value Emitter::reshape(Value value, ArrayRef<int64_t> features) {
  if (featuresOf(value) == features)
    return value;
  return ReshapeOp::create(
      builder, loc,
      withFeatures(cast<RankedTensorType>(value.getType()), features), value);
}

Value Emitter::gather(Value value, RowSpace space,
                      std::optional<EndPoint> via) {
  return GatherOp::create(builder, loc,
                          typeOf(value.getType(), space, featuresOf(value)),
                          value, via);
}

Value Emitter::bring(Value value, RowPath &path) {
  if (!isDerived)
    return value;
  RowSpace space = *getRowSpace(value.getType());
  if (space == RowSpace::NodeType || space == RowSpace::Graph) {
    // Only rows of nodes, pairs and edges are known of both graphs.
    auto type = typeOf(value.getType(), RowSpace::Edge, featuresOf(value),
                       chain.getGraph());
    value = GatherOp::create(builder, loc, type, value, path.via);
    space = RowSpace::Edge;
    path = {RowSpace::Edge, RowSpace::Edge, std::nullopt};
  }
  RankedTensorType type = typeOf(value.getType(), space, featuresOf(value));
  if (isNode(space))
    return RebindRowsOp::create(builder, loc, type, value);
  return RestrictRowsOp::create(builder, loc, type, value);
}

Value Emitter::rebindToParent(Value value) {
  if (!isDerived)
    return value;
  RankedTensorType type = typeOf(value.getType(), *getRowSpace(value.getType()),
                                 featuresOf(value), chain.getGraph());
  return RebindRowsOp::create(builder, loc, type, value);
}

Value Emitter::multiply(Value rows) {
  RowPath path = {RowSpace::Edge, RowSpace::EdgeType, std::nullopt};
  RankedTensorType type =
      withFeatures(cast<RankedTensorType>(rows.getType()), chain.outShape);
  if (!chain.isTyped())
    return LinearOp::create(builder, loc, type, rows, chain.weight, Value());
  return TypedLinearOp::create(builder, loc, type, rows,
                               bring(chain.weight, path), Value(),
                               EndPointAttr());
}

Value Emitter::scale(Value edges) {
  auto endAttr = [&](std::optional<EndPoint> end) {
    return end ? EndPointAttr::get(builder.getContext(), *end) : EndPointAttr();
  };
  for (const Scale &scale : llvm::reverse(chain.scales)) {
    RowPath path = scale.path;
    Value factor = bring(scale.value, path);
    if (getNumFeatures(cast<RankedTensorType>(factor.getType())) == 1)
      factor = reshape(factor, {});
    edges = ApplyOp::create(
        builder, loc, edges.getType(),
        scale.divides ? BinaryKind::Div : BinaryKind::Mul, edges,
        EndPointAttr(), factor,
        endAttr(path.isAmbiguous() ? path.getEnd() : std::nullopt));
  }
  return edges;
}

Value Emitter::aggregate(Value rows, ReduceKind kind, RowSpace to) {
  RowPath path = {*getRowSpace(rows.getType()), to, std::nullopt};
  std::optional<EndPoint> via;
  if (path.isAmbiguous())
    via = chain.reduceEnd;
  return AggregateOp::create(builder, loc,
                             typeOf(rows.getType(), to, featuresOf(rows)), kind,
                             rows, via)
      .getResult();
}

Value Emitter::addOwn(Value sum) {
  if (chain.addsInput) {
    Value own = multiply(reshape(chain.input, chain.inShape));
    own = reshape(own, featuresOf(sum));
    sum = arith::AddFOp::create(builder, loc, sum, own);
  }
  if (!chain.bias)
    return sum;
  Value bias = BroadcastOp::create(builder, loc, sum.getType(), chain.bias);
  return arith::AddFOp::create(builder, loc, sum, bias);
}

Value Emitter::emit(bool productFirst, ReduceKind kind) {
  RowPath path = chain.inputPath;
  Value rows = reshape(bring(chain.input, path), chain.inShape);
  RowSpace space = *getRowSpace(rows.getType());
  auto endOf = [](RowPath path) {
    return path.isAmbiguous() ? path.getEnd() : std::nullopt;
  };
  RowSpace result = *getRowSpace(chain.resultType);
  if (productFirst) {
    if (space != chain.rowsBefore)
      rows = gather(rows, chain.rowsBefore,
                    chain.rowsBefore == RowSpace::Edge ? endOf(path)
                                                       : std::nullopt);
    rows = multiply(rows);
    RowPath back = {RowSpace::Edge, chain.rowsBefore, path.getEnd()};
    if (chain.rowsBefore != RowSpace::Edge)
      rows = gather(rows, RowSpace::Edge, endOf(back));
    rows = aggregate(scale(rows), kind, chain.reduceTo);
  } else {
    if (space != RowSpace::Edge)
      rows = gather(rows, RowSpace::Edge, endOf(path));
    rows = scale(rows);
    if (chain.isTyped()) {
      rows = aggregate(rows, kind, chain.getRowsAfter());
      rows = multiply(rows);
    } else {
      rows = aggregate(rows, kind, chain.reduceTo);
      if (chain.sumsPairs)
        rows = aggregate(rows, ReduceKind::Sum, result);
      rows = multiply(rows);
    }
  }
  if (getRowSpace(rows.getType()) != result)
    rows = aggregate(rows, ReduceKind::Sum, result);
  return reshape(rows, getFeatures(chain.resultType));
}

/// Divides sums over the edges of a node by how many there are.
static Value divideByDegree(OpBuilder &builder, const AggregatedProduct &chain,
                            Value sums) {
  Location loc = chain.root->getLoc();
  RankedTensorType scalar = withFeatures(chain.resultType, {});
  RowPath path = {RowSpace::Edge, *getRowSpace(chain.resultType), std::nullopt};
  EndPointAttr via =
      path.isAmbiguous()
          ? EndPointAttr::get(builder.getContext(), chain.reduceEnd)
          : EndPointAttr();
  Value degree = DegreeOp::create(builder, loc, scalar, RowSpace::Edge, via);
  auto oneType = RankedTensorType::get({}, scalar.getElementType());
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          oneType, builder.getFloatAttr(scalar.getElementType(), 1.0)));
  Value ones = BroadcastOp::create(builder, loc, scalar, one);
  // A node without edges sums to 0.
  Value atLeastOne = arith::MaximumFOp::create(builder, loc, degree, ones);
  return ApplyOp::create(builder, loc, sums.getType(), BinaryKind::Div, sums,
                         EndPointAttr(), atLeastOne, EndPointAttr());
}

/// Whether pairs are in between where edges are to be averaged over nodes.
static bool averagesNodes(const AggregatedProduct &chain) {
  return chain.kind == ReduceKind::Mean && isNode(chain.reduceTo) &&
         chain.isTyped();
}

Value AggregatedProduct::build(OpBuilder &builder, bool productFirst) const {
  Emitter emitter(builder, *this, getGraph());
  if (productFirst)
    return emitter.addOwn(emitter.emit(true, kind));
  if (!averagesNodes(*this))
    return emitter.emit(false, kind);
  return divideByDegree(builder, *this,
                        emitter.emit(productFirst, ReduceKind::Sum));
}

Value AggregatedProduct::buildSplit(OpBuilder &builder,
                                    ArrayRef<int64_t> productFirst,
                                    ArrayRef<int64_t> aggregateFirst) const {
  bool averages = averagesNodes(*this);
  ReduceKind part = averages ? ReduceKind::Sum : kind;
  GraphOp graph = getGraph();
  Emitter first(builder, *this, graph.derive(productFirst));
  Value before = first.rebindToParent(first.emit(true, part));
  Emitter second(builder, *this, graph.derive(aggregateFirst));
  Value after = second.rebindToParent(second.emit(false, part));
  Value sum = arith::AddFOp::create(builder, root->getLoc(), before, after);
  return averages ? divideByDegree(builder, *this, sum) : sum;
}
