//===- OrderCosts.cpp - Costs of orders of sum and product ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/OrderCosts.h"

#include <numeric>

using namespace mlir;
using namespace gnn;

static double sizeOf(ArrayRef<int64_t> features) {
  return std::accumulate(features.begin(), features.end(), 1.0,
                         std::multiplies<>());
}

static double elementBytes(Type type) {
  return cast<RankedTensorType>(type).getElementTypeBitWidth() / 8.0;
}

/// Rows of a space that belong to edge type `type`; of nodes those at the end
/// `end` of its edges.
static double rowsOfType(StatsAttr stats, int64_t type, RowSpace space,
                         std::optional<EndPoint> end) {
  switch (space) {
  case RowSpace::Edge:
    return stats.getTypeEdges()[type];
  case RowSpace::EdgeType:
  case RowSpace::NodeType:
  case RowSpace::Graph:
    return 1;
  case RowSpace::SrcPair:
    return stats.getSrcPairs()[type];
  case RowSpace::DstPair:
    return stats.getDstPairs()[type];
  case RowSpace::Src:
  case RowSpace::Dst:
  case RowSpace::Node:
    return end == EndPoint::Dst ? stats.getDstPairs()[type]
                                : stats.getSrcPairs()[type];
  }
  llvm_unreachable("no row space");
}

OrderCosts::OrderCosts(const AggregatedProduct &chain, const CostModel &model,
                       StatsAttr stats, ChainGradients gradients)
    : chain(chain), model(model), gradients(gradients),
      in(sizeOf(chain.inShape)), out(sizeOf(chain.outShape)) {
  auto weight = cast<RankedTensorType>(chain.weight.getType());
  flopsPerRow = 2 * chain.inShape.back() * out;
  weightBytes = elementBytes(weight) * sizeOf(getFeatures(weight));
  element = elementBytes(chain.resultType);
  edgeBytes = 4;
  for (const AggregatedProduct::Scale &scale : chain.scales) {
    auto type = cast<RankedTensorType>(scale.value.getType());
    edgeBytes += elementBytes(type) * getNumFeatures(type);
  }
  numNodes = RowCount::rows(chain.resultType).evaluate(stats);
  auto input = cast<RankedTensorType>(chain.input.getType());
  numInputs = RowCount::rows(input).evaluate(stats);
  longest = stats.getLongestRow(chain.reduceEnd);
  longestInput = stats.getLongestRow(
      chain.reduceEnd == EndPoint::Dst ? EndPoint::Src : EndPoint::Dst);
  if (auto ofTypes = chain.reduceEnd == EndPoint::Dst ? stats.getDstPairMax()
                                                      : stats.getSrcPairMax())
    longestPairs = ofTypes;
  if (!chain.isTyped()) {
    double before = RowCount::rows(chain.rowsBefore).evaluate(stats);
    double edges = stats.getEdges();
    relations.push_back({edges, numInputs, before, numNodes});
    return;
  }
  for (int64_t type = 0, e = stats.getTypeEdges().size(); type < e; ++type) {
    auto rows = [&](RowSpace space) {
      return rowsOfType(stats, type, space, chain.inputPath.getEnd());
    };
    relations.push_back({rows(RowSpace::Edge), rows(chain.inputPath.to),
                         rows(chain.rowsBefore), rows(chain.getRowsAfter())});
  }
}

Order OrderCosts::all(bool productFirst) const {
  Order order;
  Relations &list = productFirst ? order.productFirst : order.aggregateFirst;
  list.resize(relations.size());
  std::iota(list.begin(), list.end(), 0);
  return order;
}

double OrderCosts::rows(const Order &order) const {
  double sum = 0;
  for (int64_t r : order.productFirst)
    sum += relations[r].rowsBefore;
  for (int64_t r : order.aggregateFirst)
    sum += relations[r].rowsAfter;
  return sum;
}

KernelWork OrderCosts::multiply(ArrayRef<int64_t> list, double rows) const {
  KernelWork work;
  work.productRows = rows;
  work.productFlops = rows * flopsPerRow;
  int64_t outOfHead = chain.outShape.back();
  work.productTileFlops =
      tileFlops(rows * out / outOfHead, chain.inShape.back(), outOfHead);
  work.streamBytes = rows * out * element + weightBytes * list.size();
  return work;
}

/// Edges of these relations that meet in one node at most.
double OrderCosts::longestRow(ArrayRef<int64_t> list) const {
  if (list.size() == relations.size() || longestPairs.empty())
    return longest;
  SmallVector<int64_t> ofList;
  for (int64_t r : list)
    ofList.push_back(longestPairs[r]);
  return std::min(StatsAttr::expectLongestRow(ofList), longest);
}

/// Edges of one of these relations that meet in one node at most.
double OrderCosts::longestPair(ArrayRef<int64_t> list) const {
  if (longestPairs.empty())
    return longest;
  int64_t most = 0;
  for (int64_t r : list)
    most = std::max(most, longestPairs[r]);
  return most;
}

/// A product of gathered rows, and a sum of what it gives along the edges.
void OrderCosts::addProductFirst(ArrayRef<int64_t> list,
                                 SmallVectorImpl<KernelWork> &kernels) const {
  double rows = 0, edges = 0, groups = 0;
  for (int64_t r : list) {
    rows += relations[r].rowsBefore;
    edges += relations[r].edges;
    groups += relations[r].rowsAfter;
  }
  KernelWork product = multiply(list, rows), sum;
  // A mean over pairs is a factor of each edge here.
  bool meanOfPairs = chain.kind == ReduceKind::Mean && chain.sumsPairs;
  if (chain.isTyped())
    product.gathers.push_back({rows, in * element, numInputs});
  else
    product.streamBytes += rows * in * element;
  sum.otherFlops = 2 * edges * out;
  sum.streamBytes = edges * edgeBytes + numNodes * out * element;
  sum.gathers.push_back({edges, out * element, rows});
  if (meanOfPairs)
    sum.gathers.push_back({edges, 4, groups});
  sum.reducedRows = numNodes;
  sum.lengths = {numNodes, edges, longestRow(list)};
  sum.longestRow = sum.lengths.longest *
                   CostModel::steps(1 + chain.scales.size() + meanOfPairs);
  kernels.append({product, sum});
}

/// A sum of gathered rows, one relation's after another's, a product, and where
/// that is on pairs their sum.
void OrderCosts::addAggregateFirst(ArrayRef<int64_t> list,
                                   SmallVectorImpl<KernelWork> &kernels) const {
  KernelWork sum;
  double rows = 0, edges = 0;
  for (int64_t r : list) {
    rows += relations[r].rowsAfter;
    edges += relations[r].edges;
    sum.gathers.push_back(
        {relations[r].edges, in * element, relations[r].sources});
  }
  sum.otherFlops = 2 * edges * in;
  sum.streamBytes = edges * edgeBytes + rows * in * element;
  sum.reducedRows = chain.isTyped() ? rows : numNodes;
  sum.lengths = {sum.reducedRows, edges,
                 chain.isTyped() ? longestPair(list) : longestRow(list)};
  sum.longestRow =
      sum.lengths.longest * CostModel::steps(1 + chain.scales.size());
  KernelWork product = multiply(list, rows);
  product.streamBytes += rows * in * element;
  kernels.append({sum, product});
  if (!chain.isTyped())
    return;
  KernelWork pairs;
  pairs.streamBytes = 4 * rows + numNodes * out * element;
  pairs.gathers.push_back({rows, out * element, rows});
  pairs.reducedRows = numNodes;
  pairs.longestRow = list.size();
  kernels.push_back(pairs);
}

void OrderCosts::addGradients(ArrayRef<int64_t> list, bool productFirst,
                              SmallVectorImpl<KernelWork> &kernels) const {
  double rows = 0, edges = 0;
  for (int64_t r : list) {
    rows += productFirst ? relations[r].rowsBefore : relations[r].rowsAfter;
    edges += relations[r].edges;
  }
  // Rows of gradients: of the result, gathered by edges or by pairs.
  double features = productFirst ? out : in;
  KernelWork walk;
  walk.otherFlops = 2 * edges * features;
  walk.longestRow = longestInput * CostModel::steps(1 + chain.scales.size());
  walk.reducedRows = productFirst ? rows : numInputs;
  walk.streamBytes = edges * edgeBytes + walk.reducedRows * features * element;
  walk.gathers.push_back(
      {edges, features * element, productFirst ? numNodes : rows});
  // The input of the product, kept or gathered again, and the gradient.
  KernelWork outer = multiply(list, rows);
  outer.streamBytes =
      (weightBytes * list.size()) + rows * (productFirst ? out : in) * element;
  outer.gathers.push_back({rows, (productFirst ? in : out) * element,
                           productFirst ? numInputs : numNodes});
  KernelWork product = multiply(list, rows);
  product.streamBytes = weightBytes * list.size() + rows * (in + out) * element;
  // The sum over edges comes first where the product did.
  if (productFirst || gradients.ofInput)
    kernels.push_back(walk);
  if (gradients.ofWeight)
    kernels.push_back(outer);
  if (!gradients.ofInput)
    return;
  kernels.push_back(product);
  if (!chain.isTyped() || !productFirst)
    return;
  KernelWork pairs;
  pairs.streamBytes = 4 * rows + (rows + numInputs) * in * element;
  pairs.reducedRows = numInputs;
  kernels.push_back(pairs);
}

SmallVector<KernelWork> OrderCosts::kernels(const Order &order) const {
  SmallVector<KernelWork> kernels;
  if (!order.productFirst.empty())
    addProductFirst(order.productFirst, kernels);
  if (!order.aggregateFirst.empty())
    addAggregateFirst(order.aggregateFirst, kernels);
  if (!order.productFirst.empty() && !order.aggregateFirst.empty()) {
    // The last kernel adds what the other part gives.
    kernels.back().streamBytes += 2 * numNodes * out * element;
  }
  if (!gradients.ofInput && !gradients.ofWeight)
    return kernels;
  // A backward pass has more kernels than are counted here, and pieces of long
  // rows would hide that: all rows stay whole.
  for (KernelWork &kernel : kernels)
    kernel.lengths = {};
  if (!order.productFirst.empty())
    addGradients(order.productFirst, /*productFirst=*/true, kernels);
  if (!order.aggregateFirst.empty())
    addGradients(order.aggregateFirst, /*productFirst=*/false, kernels);
  return kernels;
}

double OrderCosts::cost(const Order &order) const {
  return model.cost(kernels(order));
}

OrderChoice OrderCosts::choose() const {
  auto weighed = [&](Order order) {
    double seconds = cost(order);
    return WeighedOrder{std::move(order), seconds};
  };
  OrderChoice choice{weighed(all(chain.productFirst)),
                     weighed(all(!chain.productFirst)), std::nullopt};
  Order mixed = eachItsOwn();
  choice.differ = !mixed.productFirst.empty() && !mixed.aggregateFirst.empty();
  if (choice.differ && chain.canSplit())
    choice.mixed = weighed(std::move(mixed));
  double least = choice.given.cost;
  if (model.isBetter(least, choice.turned.cost)) {
    choice.best = OrderChoice::Best::Turned;
    least = choice.turned.cost;
  }
  if (choice.mixed && model.isBetter(least, choice.mixed->cost))
    choice.best = OrderChoice::Best::Mixed;
  return choice;
}

double OrderCosts::getSaving() const {
  OrderChoice choice = choose();
  switch (choice.best) {
  case OrderChoice::Best::Given:
    return 0;
  case OrderChoice::Best::Turned:
    return choice.given.cost - choice.turned.cost;
  case OrderChoice::Best::Mixed:
    return choice.given.cost - choice.mixed->cost;
  }
  llvm_unreachable("all orders are handled");
}

Order OrderCosts::eachItsOwn() const {
  // The time of a launch and of the longest row is no matter of one relation.
  auto ofOne = [&](const Order &order) {
    double sum = 0;
    for (KernelWork kernel : kernels(order)) {
      kernel.longestRow = 0;
      sum += model.cost(kernel);
      if (!kernel.isEmpty())
        sum -= model.getLaunch();
    }
    return sum;
  };
  Order order;
  for (int64_t r = 0, e = relations.size(); r < e; ++r) {
    double first = ofOne({{r}, {}}), last = ofOne({{}, {r}});
    bool keeps = first == last && chain.productFirst;
    (first < last || keeps ? order.productFirst : order.aggregateFirst)
        .push_back(r);
  }
  return order;
}
