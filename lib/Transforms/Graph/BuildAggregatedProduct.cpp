//===- BuildAggregatedProduct.cpp - Build a sum over edges and a product --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildAggregatedProduct.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

using Scale = AggregatedProduct::Scale;

namespace {

/// Builds a chain on its graph, or on one derived from it.
class ChainBuilder {
public:
  ChainBuilder(OpBuilder &builder, const AggregatedProduct &chain,
               GraphOp graph)
      : builder(builder), chain(chain), graph(graph),
        isDerived(graph != chain.getGraph()),
        ofProduct(chain.product->getLoc()), ofSum(chain.sum->getLoc()),
        ofGather((chain.gather ? chain.gather : chain.sum)->getLoc()) {}

  /// The sum over the edges of the graph, on the rows of the chain's result.
  Value build(bool productFirst, ReduceKind kind);
  /// Adds what else a product gave that came last: its input's part, its bias.
  Value addOwn(Value sum);
  /// Rows of nodes of the graph as rows of the chain's graph.
  Value rebindToParent(Value value);

private:
  RankedTensorType getTensorType(Type like, RowSpace space,
                                 ArrayRef<int64_t> features, GraphOp of);
  RankedTensorType getTensorType(Type like, RowSpace space,
                                 ArrayRef<int64_t> features) {
    return getTensorType(like, space, features, graph);
  }
  ArrayRef<int64_t> featuresOf(Value value) {
    return getFeatures(cast<RankedTensorType>(value.getType()));
  }
  Value reshape(Location loc, Value value, ArrayRef<int64_t> features);
  /// `value` as rows of the graph that is built on. Where only the chain's
  /// graph has its rows, they come as rows of `space`, to which `path` leads.
  Value bring(Value value, RowPath &path, RowSpace space = RowSpace::Edge);
  Value gather(Value value, RowSpace space, std::optional<EndPoint> via);
  Value multiply(Value rows);
  Value scale(Value edges);
  Value aggregate(Value rows, ReduceKind kind, RowSpace to);

  OpBuilder &builder;
  const AggregatedProduct &chain;
  GraphOp graph;
  bool isDerived;
  /// The places that the ops of the chain come from.
  Location ofProduct, ofSum, ofGather;
};

} // namespace

/// The end that an op has to name to follow `path`; none where it is clear.
static std::optional<EndPoint> endOf(RowPath path) {
  return path.isAmbiguous() ? path.getEnd() : std::nullopt;
}

RankedTensorType ChainBuilder::getTensorType(Type like, RowSpace space,
                                             ArrayRef<int64_t> features,
                                             GraphOp of) {
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

Value ChainBuilder::reshape(Location loc, Value value,
                            ArrayRef<int64_t> features) {
  if (featuresOf(value) == features)
    return value;
  return ReshapeOp::create(
      builder, loc,
      withFeatures(cast<RankedTensorType>(value.getType()), features), value);
}

Value ChainBuilder::gather(Value value, RowSpace space,
                           std::optional<EndPoint> via) {
  return GatherOp::create(
      builder, ofGather,
      getTensorType(value.getType(), space, featuresOf(value)), value, via);
}

Value ChainBuilder::bring(Value value, RowPath &path, RowSpace space) {
  if (!isDerived)
    return value;
  RowSpace own = *getRowSpace(value.getType());
  if (own == RowSpace::NodeType || own == RowSpace::Graph) {
    // Only rows of nodes, pairs, edges and their types are known of both.
    auto type = getTensorType(value.getType(), space, featuresOf(value),
                              chain.getGraph());
    RowPath step = {space, own, path.getEnd()};
    value = GatherOp::create(builder, ofGather, type, value, endOf(step));
    own = space;
    path = {RowSpace::Edge, space, std::nullopt};
  }
  RankedTensorType type =
      getTensorType(value.getType(), own, featuresOf(value));
  if (isNodeSpace(own))
    return RebindRowsOp::create(builder, ofGather, type, value);
  return RestrictRowsOp::create(builder, ofGather, type, value);
}

Value ChainBuilder::rebindToParent(Value value) {
  if (!isDerived)
    return value;
  RankedTensorType type =
      getTensorType(value.getType(), *getRowSpace(value.getType()),
                    featuresOf(value), chain.getGraph());
  return RebindRowsOp::create(builder, chain.root->getLoc(), type, value);
}

Value ChainBuilder::multiply(Value rows) {
  RowPath path = {RowSpace::Edge, RowSpace::EdgeType, std::nullopt};
  RankedTensorType type =
      withFeatures(cast<RankedTensorType>(rows.getType()), chain.outShape);
  if (!chain.isTyped())
    return LinearOp::create(builder, ofProduct, type, rows, chain.weight,
                            Value());
  return TypedLinearOp::create(builder, ofProduct, type, rows,
                               bring(chain.weight, path), Value(),
                               EndPointAttr());
}

Value ChainBuilder::scale(Value edges) {
  auto endAttr = [&](std::optional<EndPoint> end) {
    return end ? EndPointAttr::get(builder.getContext(), *end) : EndPointAttr();
  };
  for (const Scale &scale : llvm::reverse(chain.scales)) {
    RowPath path = scale.path;
    Value factor = bring(scale.value, path);
    if (getNumFeatures(cast<RankedTensorType>(factor.getType())) == 1)
      factor = reshape(scale.loc, factor, {});
    edges =
        ApplyOp::create(builder, scale.loc, edges.getType(),
                        scale.divides ? BinaryKind::Div : BinaryKind::Mul,
                        edges, EndPointAttr(), factor, endAttr(endOf(path)));
  }
  return edges;
}

Value ChainBuilder::aggregate(Value rows, ReduceKind kind, RowSpace to) {
  RowPath path = {*getRowSpace(rows.getType()), to, chain.reduceEnd};
  return AggregateOp::create(
             builder, ofSum,
             getTensorType(rows.getType(), to, featuresOf(rows)), kind, rows,
             endOf(path))
      .getResult();
}

Value ChainBuilder::addOwn(Value sum) {
  if (chain.addsInput) {
    Value own = multiply(reshape(ofProduct, chain.input, chain.inShape));
    own = reshape(ofProduct, own, featuresOf(sum));
    sum = arith::AddFOp::create(
        builder, builder.getFusedLoc({ofSum, ofProduct}), sum, own);
  }
  if (!chain.bias)
    return sum;
  Value bias =
      BroadcastOp::create(builder, ofProduct, sum.getType(), chain.bias);
  return arith::AddFOp::create(builder, ofProduct, sum, bias);
}

Value ChainBuilder::build(bool productFirst, ReduceKind kind) {
  RowPath path = chain.inputPath;
  RowSpace first = productFirst ? chain.rowsBefore : RowSpace::Edge;
  Value rows =
      reshape(ofProduct, bring(chain.input, path, first), chain.inShape);
  RowSpace space = *getRowSpace(rows.getType());
  RowSpace result = *getRowSpace(chain.resultType);
  if (productFirst) {
    if (space != chain.rowsBefore)
      rows = gather(rows, chain.rowsBefore,
                    endOf({chain.rowsBefore, space, path.getEnd()}));
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
  return reshape(chain.root->getLoc(), rows, getFeatures(chain.resultType));
}

/// Divides sums over the edges of a node by how many there are.
static Value divideByDegree(OpBuilder &builder, const AggregatedProduct &chain,
                            Value sums) {
  Location loc = chain.sum->getLoc();
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
  return chain.kind == ReduceKind::Mean && isNodeSpace(chain.reduceTo) &&
         chain.isTyped();
}

Value gnn::buildChain(OpBuilder &builder, const AggregatedProduct &chain,
                      bool productFirst) {
  ChainBuilder parts(builder, chain, chain.getGraph());
  if (productFirst)
    return parts.addOwn(parts.build(true, chain.kind));
  if (!averagesNodes(chain))
    return parts.build(false, chain.kind);
  return divideByDegree(builder, chain, parts.build(false, ReduceKind::Sum));
}

Value gnn::buildSplitChain(OpBuilder &builder, const AggregatedProduct &chain,
                           ArrayRef<int64_t> productFirst,
                           ArrayRef<int64_t> aggregateFirst) {
  bool averages = averagesNodes(chain);
  ReduceKind kind = averages ? ReduceKind::Sum : chain.kind;
  GraphOp graph = chain.getGraph();
  ChainBuilder first(builder, chain, graph.derive(productFirst));
  Value before = first.rebindToParent(first.build(true, kind));
  ChainBuilder second(builder, chain, graph.derive(aggregateFirst));
  Value after = second.rebindToParent(second.build(false, kind));
  Value sum = arith::AddFOp::create(
      builder,
      builder.getFusedLoc({chain.sum->getLoc(), chain.product->getLoc()}),
      before, after);
  return averages ? divideByDegree(builder, chain, sum) : sum;
}
