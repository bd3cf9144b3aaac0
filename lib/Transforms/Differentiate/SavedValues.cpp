//===- SavedValues.cpp - Save a value, or compute it again ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest cut, in bytes, between what the forward pass has and what the
// backward pass reads: each value is a pair of nodes joined by its bytes. A
// value that takes a product or a walk to compute hangs on the source, so that
// it, or something behind it, is saved; rows of features of edges are not to be
// cut. Arguments and results cost nothing: their owner has them.
//
//===----------------------------------------------------------------------===//

#include "SavedValues.h"

#include "../Utils.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

/// An op that reads more than so many times what it writes is not cheap.
static constexpr double mostReads = 4;

/// The statistics of a graph of which nothing is known: edges are ten times as
/// many as nodes, and pairs lie between them.
static StatsAttr nominalStats(MLIRContext *context) {
  constexpr int64_t nodes = 100'000, pairs = 400'000, edges = 1'000'000;
  auto of = [&](int64_t count) {
    return DenseI64ArrayAttr::get(context, count);
  };
  return StatsAttr::get(context, nodes, nodes, edges, of(edges), of(pairs),
                        of(pairs), 0, 0, 0, 0, {}, {});
}

static StatsAttr statsOf(Operation *from, Type type) {
  if (!getRows(type))
    return nominalStats(from->getContext());
  StatsAttr stats = getStats(from, type);
  return stats ? stats : nominalStats(from->getContext());
}

SavedValues::SavedValues(const JointFunction &joint, GradientMemory memory)
    : joint(joint), memory(memory) {
  findBackward();
  markMakers(llvm::to_vector(joint.outputs()));
  cut();
  markMakers(saved);
}

void SavedValues::findBackward() {
  for (Value cotangent :
       joint.body().getArguments().drop_front(joint.numInputs))
    ofGradients.insert(cotangent);
  for (Operation &op : joint.body().without_terminator())
    if (llvm::any_of(getReads(&op),
                     [&](Value operand) { return !isPrimal(operand); }))
      for (Value result : op.getResults())
        ofGradients.insert(result);
  // Only of ops that a gradient is computed by.
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> left(joint.gradients());
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (isPrimal(value))
      read.insert(value);
    else if (Operation *maker = value.getDefiningOp();
             maker && seen.insert(maker).second)
      llvm::append_range(left, getReads(maker));
  }
}

void SavedValues::markMakers(SmallVector<Value> values) {
  while (!values.empty())
    if (Operation *maker = values.pop_back_val().getDefiningOp();
        maker && forward.insert(maker).second)
      llvm::append_range(values, getReads(maker));
}

std::optional<double> SavedValues::bytesOf(Value value) const {
  // What the forward pass has no use for is computed where it is used.
  if (Operation *maker = value.getDefiningOp();
      maker && !forward.contains(maker))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getElementType().isInteger(1))
    return std::nullopt;
  if (getRowSpace(type) == RowSpace::Edge &&
      getNumFeatures(type) > mostNumbersOfEdge)
    return std::nullopt;
  return RowCount::bytes(type).evaluate(statsOf(joint.func, type));
}

StringRef SavedValues::whyNotAgain(Value value) const {
  Operation *maker = value.getDefiningOp();
  if (!maker || !forward.contains(maker) || maker->getNumOperands() == 0)
    return {};
  std::optional<OpCounts> counts = countOp(maker);
  auto type = cast<RankedTensorType>(value.getType());
  bool ofWeights = !getRows(type) || isTypeRows(type);
  if (!counts)
    return ofWeights || isRowWise(maker) ? "" : "what it costs is not known";
  StatsAttr stats = statsOf(joint.func, type);
  double rows = RowCount::rows(type).evaluate(stats);
  if (counts->productRows.evaluate(stats) > 0 && !ofWeights)
    return memory == GradientMemory::Low ? "" : "a product makes it";
  if (ofWeights)
    return counts->flops.evaluate(stats) > 0 ? "it is a weight, and small" : "";
  if (!isRowWise(maker) &&
      !isa<ReshapeOp, RebindRowsOp, PrefixRowsOp, RestrictRowsOp>(maker))
    return "a sum over rows makes it";
  double written = counts->writtenBytes.evaluate(stats);
  if (counts->readBytes.evaluate(stats) > mostReads * std::max(written, rows))
    return memory == GradientMemory::Low ? "" : "it is a sum of many numbers";
  return {};
}

void SavedValues::cut() {
  // Nodes of a value: what it is computed from, and what reads it.
  llvm::DenseMap<Value, unsigned> nodes;
  SmallVector<Value> values;
  auto add = [&](Value value) {
    if (isPrimal(value) &&
        nodes.try_emplace(value, 2 + 2 * values.size()).second)
      values.push_back(value);
  };
  for (Value argument : joint.body().getArguments().take_front(joint.numInputs))
    add(argument);
  for (Operation &op : joint.body().without_terminator())
    for (Value result : op.getResults())
      add(result);
  FlowNetwork network(2 + 2 * values.size());
  llvm::DenseSet<Value> outputs(joint.outputs().begin(), joint.outputs().end());
  for (Value value : values) {
    unsigned node = nodes.lookup(value);
    bool isFree = isa<BlockArgument>(value) || outputs.contains(value);
    std::optional<double> bytes = isFree ? std::optional(0.0) : bytesOf(value);
    network.connect(node, node + 1, bytes.value_or(FlowNetwork::infinite));
    if (isa<BlockArgument>(value) || (bytes && !whyNotAgain(value).empty()))
      network.connect(0, node, FlowNetwork::infinite);
    if (Operation *maker = value.getDefiningOp())
      for (Value operand : getReads(maker))
        network.connect(nodes.lookup(operand) + 1, node, FlowNetwork::infinite);
    if (read.contains(value))
      network.connect(node + 1, 1, FlowNetwork::infinite);
  }
  llvm::BitVector reached = network.cut();
  // A value that nobody computes from the source is computed again.
  SmallVector<Value> needed(read.begin(), read.end());
  llvm::DenseSet<Value> seen(read.begin(), read.end());
  while (!needed.empty()) {
    Value value = needed.pop_back_val();
    unsigned node = nodes.lookup(value);
    if (isa<BlockArgument>(value) || outputs.contains(value) ||
        (reached[node] && !reached[node + 1])) {
      handed.insert(value);
      continue;
    }
    for (Value operand : getReads(value.getDefiningOp()))
      if (seen.insert(operand).second)
        needed.push_back(operand);
  }
  for (Value value : values) {
    if (!seen.contains(value) || isa<BlockArgument>(value) ||
        !forward.contains(value.getDefiningOp()) ||
        isa<arith::ConstantOp>(value.getDefiningOp()))
      continue;
    bool isSaved = handed.contains(value) && !outputs.contains(value);
    if (isSaved)
      saved.push_back(value);
    StringRef why = whyNotAgain(value);
    std::optional<double> bytes = bytesOf(value);
    StringRef reason = outputs.contains(value)   ? "it is a result"
                       : isSaved && !why.empty() ? why
                       : isSaved ? "the fewest bytes of all that would do"
                       : !bytes  ? "rows of features of edges are never saved"
                                 : "cheap, from what is saved";
    auto type = cast<RankedTensorType>(value.getType());
    double size = RowCount::bytes(type).evaluate(statsOf(joint.func, type));
    decisions.push_back({value, handed.contains(value), size, reason.str()});
  }
}
